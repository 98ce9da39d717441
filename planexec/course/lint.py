"""What a stored notebook must look like; found without a kernel, in a second for all of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import planexec
from planexec.course import form, hosted

MAX_LINES = 20  # of a code cell: what fits on a screen beside its output
MAX_CELLS = 40  # code cells of a notebook: what can be read in one sitting
MAX_MEDIAN = 5  # lines of the code cell in the middle, by length: most cells make one move
FEW_CELLS = 10  # a median of fewer says little

ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,16}\b")
MACHINE = re.compile(
    r"(?<![\w.])(/home/[\w.-]+|/Users/[\w.-]+|/root\b|/tmp/|/var/folders/|/private/|/usr/lib/|/opt/|/mnt/)"
    r"|[A-Za-z]:\\+(Users|Windows|Program)|site-packages|ipykernel_\d+"
)
PICTURES = ("image/png", "image/jpeg")

Cell = Any
Rule = Callable[[Cell], Iterator[str]]


def outputs_text(cell: Cell) -> str:
    """Everything a code cell shows as text. Pictures are left out: their letters mean nothing."""
    parts: list[str] = []
    for output in cell.outputs:
        parts += [output.get("text", ""), output.get("ename", ""), output.get("evalue", "")]
        parts += [str(value) for kind, value in output.get("data", {}).items() if kind not in PICTURES]
    return "\n".join(parts)


def tags(cell: Cell) -> list[str]:
    return list(cell.metadata.get("tags", []))


def too_long(cell: Cell) -> Iterator[str]:
    lines = len(cell.source.splitlines())
    if lines > MAX_LINES:
        yield f"{lines} lines, at most {MAX_LINES}: does some of it belong into the package?"


def trailing_semicolon(cell: Cell) -> Iterator[str]:
    if cell.source.rstrip().endswith(";"):
        yield 'a trailing ";" hides the value in one program and not in the next; write `_ = ...`'


def stored_error(cell: Cell) -> Iterator[str]:
    if "raises-exception" in tags(cell):
        return
    yield from (f"stored error {output.ename}" for output in cell.outputs if output.output_type == "error")
    if any(output.output_type == "stream" and output.name == "stderr" for output in cell.outputs):
        yield "writes to stderr: a warning that the learner should not meet"


def addresses(cell: Cell) -> Iterator[str]:
    match = ADDRESS.search(outputs_text(cell))
    if match:
        yield f"{match[0]} in the output is another one in every run"


def unseen_picture(cell: Cell) -> Iterator[str]:
    """A notebook that was just opened shows no SVG and no widget, only PNG and JPEG."""
    for output in cell.outputs:
        data = output.get("data", {})
        drawn = "image/svg+xml" in data or form.WIDGET in data or "<svg" in str(data.get("text/html", ""))
        if drawn and not any(kind in data for kind in PICTURES):
            yield "a picture without image/png beside it: invisible until the cell is run"


RULES: tuple[Rule, ...] = (too_long, trailing_semicolon, stored_error, addresses, unseen_picture)


def too_much(code: list[Cell]) -> Iterator[str]:
    """Of the notebook as a whole: how many code cells, and how long most of them are."""
    middle = median([len(cell.source.splitlines()) for cell in code] or [0])
    if len(code) > MAX_CELLS:
        yield f"{len(code)} code cells, at most {MAX_CELLS}: does it ask a second question?"
    if len(code) >= FEW_CELLS and middle > MAX_MEDIAN:
        yield f"half of the code cells have {middle:g} lines or more, at most {MAX_MEDIAN} in the middle"


def machine_paths(text: str) -> Iterator[str]:
    match = MACHINE.search(text)
    if match:
        yield f"{match[0]} is a path of one machine"


def _guard(code: list[Cell]) -> Iterator[str]:
    first = code[0] if code else None
    if first is None or hosted.TAG not in tags(first):
        yield f'the first code cell is not the guard (tag "{hosted.TAG}", source from planexec.course.hosted.guard())'
    elif first.source != hosted.guard():
        yield f"the guard cell is not that of version {planexec.__version__}: regenerate"


def complaints(path: Path, guarded: bool = True) -> list[str]:
    """All that is wrong with the notebook in `path`, a sentence each, cells counted from 1 as Jupyter counts them.

    `guarded=False` leaves out the rule about the first cell, for notebooks that are not part of the course.
    """
    stored = path.read_text(encoding="utf-8")
    notebook = form.read(path)
    found: list[str] = []
    if notebook.metadata.get("kernelspec", {}).get("name") != form.KERNEL["name"]:
        found.append("the kernel is not python3")
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for number, cell in enumerate(code, start=1):
        if cell.execution_count != number:
            found.append(f"code cell {number}: its count is {cell.execution_count}; run from top to bottom")
        texts = [*machine_paths(cell.source), *machine_paths(outputs_text(cell))]
        found += [f"code cell {number}: {words}" for words in texts]
        found += [f"code cell {number}: {words}" for rule in RULES for words in rule(cell)]
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type != "code")
    found += [f"prose: {words}" for words in machine_paths(prose)]
    if path.parent.name != "solutions":  # a solved copy is as long as its answers
        found += too_much(code)
    found += _guard(code) if guarded else []
    if not found and form.text(form.normalise(form.read(path))) != stored:
        found.append("not in normal form: regenerate")
    return found
