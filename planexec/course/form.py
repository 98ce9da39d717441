"""The normal form of a stored notebook: two runs of the same cells give the same bytes.

What differs from run to run or from machine to machine without meaning anything is left out: times, versions,
widget states, the paths and colours of a traceback. What does mean something is never masked: an address such as
0x7f3a... in an output is a complaint of `lint.py`, because a learner would see another one.

Needs nbformat (extra `course`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
LANGUAGE = {"name": "python"}
WIDGET = "application/vnd.jupyter.widget-view+json"
KEPT_METADATA = ("tags", "slideshow")

Notebook = Any  # nbformat.NotebookNode, which is only there when nbformat is


class Missing(Exception):
    """A package that the notebooks need is not installed; the text says what to install."""

    def __init__(self, package: str):
        super().__init__(f'{package} is not installed. For the notebooks: pip install "planexec[course]"')


def read(path: Path) -> Notebook:
    """The notebook in `path`, in format 4. Raises ValueError naming the file when it is no notebook, or `Missing`."""
    try:
        from nbformat import ValidationError, convert, reader
    except ImportError as problem:
        raise Missing("nbformat") from problem
    try:
        notebook = reader.reads(path.read_text(encoding="utf-8"))  # nbformat.reads would give missing ids by chance
        notebook = notebook if notebook.nbformat == 4 else convert(notebook, 4)
        return notebook if isinstance(notebook.cells, list) else _no_cells()
    except (ValueError, KeyError, TypeError, AttributeError, ValidationError) as problem:
        raise ValueError(f"{path} is not a notebook: {problem}") from problem


def _no_cells() -> Notebook:
    raise ValueError("its cells are no list")


def text(notebook: Notebook) -> str:
    """The bytes to store, as text: keys sorted, one space of indent, one line of source a line, Chinese readable."""
    import nbformat

    return nbformat.writes(notebook, version=nbformat.NO_CONVERT).rstrip("\n") + "\n"


def normalise(notebook: Notebook) -> Notebook:
    """Bring `notebook` into normal form, in place, and return it. Doing it twice changes nothing."""
    import nbformat

    notebook.metadata = nbformat.from_dict({"kernelspec": KERNEL, "language_info": LANGUAGE})
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    taken: set[str] = set()
    count = 0
    for cell in notebook.cells:
        cell["id"] = _identity(cell, taken)
        cell.source = cell.source.rstrip()
        kept = {name: cell.metadata[name] for name in KEPT_METADATA if name in cell.metadata}
        cell.metadata = nbformat.from_dict(kept)
        if cell.cell_type == "code":
            count += 1
            cell.execution_count = count
            cell.outputs = _outputs(cell.outputs, count)
    nbformat.validate(notebook)
    return notebook


def _identity(cell: Notebook, taken: set[str]) -> str:
    """The cell's own id where it has a unique one; else one made from its source, the same on every machine."""
    wanted = cell.get("id") or ""
    attempt = 0
    while not wanted or wanted in taken:
        wanted = hashlib.sha256(f"{attempt}\n{cell.source}".encode()).hexdigest()[:8]
        attempt += 1
    taken.add(wanted)
    return wanted


def _outputs(outputs: list[Notebook], count: int) -> list[Notebook]:
    """Streams merged, counts set, widgets and tracebacks reduced to what a reader of a stored file can use."""
    kept: list[Notebook] = []
    for output in outputs:
        last = kept[-1] if kept else None
        if _is_stream(output) and last is not None and _is_stream(last) and last.name == output.name:
            last.text += output.text
            continue
        reduce: Callable[[Notebook, int], None] = _REDUCE.get(output.output_type, lambda output, count: None)
        reduce(output, count)
        kept.append(output)
    return kept


def _is_stream(output: Notebook) -> bool:
    return output.output_type == "stream"


def _reduce_data(output: Notebook, count: int) -> None:
    if WIDGET in output.data and len(output.data) > 1:
        del output.data[WIDGET]  # its model lives in a kernel that is gone; the picture or text beside it stays


def _reduce_result(output: Notebook, count: int) -> None:
    _reduce_data(output, count)
    output.execution_count = count


def _reduce_error(output: Notebook, count: int) -> None:
    output.traceback = [f"{output.ename}: {output.evalue}"]


_REDUCE = {"execute_result": _reduce_result, "display_data": _reduce_data, "error": _reduce_error}
