"""Run notebooks and keep what is stored equal to what they print: `regenerate` writes, `check` compares every byte.

Needs nbformat, nbclient and ipykernel (extra `course`). Figures come out the same from one minor version of
matplotlib only, so `check` is for the maintainers' environment; a learner's is asked by nbval, which compares texts.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from planexec.course import form, hosted

CELL_SECONDS = 120
SHOWN_LINES, SHOWN_WIDTH = 12, 160


class CellFailed(Exception):
    """A cell raised. `number` counts code cells from 1, as Jupyter does; `what` is the error in one line."""

    def __init__(self, number: int, what: str):
        super().__init__(f"code cell {number}: {what}")
        self.number = number
        self.what = what


def notebooks(paths: Iterable[Path]) -> list[Path]:
    """The notebooks in `paths` (files and folders), sorted. Raises FileNotFoundError for a path that is not there."""
    paths = list(paths)
    found: set[Path] = set()
    for path in paths:
        if not path.exists():
            raise FileNotFoundError(f"{path} is not there")
        found.update(path.rglob("*.ipynb") if path.is_dir() else [path])
    given = {path.resolve().parent if path.is_file() else path.resolve() for path in paths}
    return sorted(path for path in found if not _passed_over(path, given))


def _passed_over(path: Path, given: Collection[Path]) -> bool:
    """Jupyter's own copies; and the solved copies, unless they were asked for: they are the same notebooks again."""
    solved = path.parent.name == "solutions" and path.resolve().parent not in given
    return solved or ".ipynb_checkpoints" in path.parts


def kernel_variables(variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables a kernel gets: fixed hashes, inline figures, and nobody's key, so that no cell can spend money."""
    given = os.environ if variables is None else variables
    kept = {name: value for name, value in given.items() if not name.endswith("_API_KEY") and name != "MPLBACKEND"}
    return {**kept, "PYTHONHASHSEED": "0"}


def execute(path: Path, notebook: form.Notebook) -> form.Notebook:
    """Run every cell of `notebook` in a new kernel, in the folder of `path`. Raises `CellFailed` at the first error."""
    try:
        from nbclient import NotebookClient
        from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
    except ImportError as problem:
        raise form.Missing(problem.name or "nbclient") from problem
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.execution_count, cell.outputs = None, []
    client = NotebookClient(
        notebook,
        timeout=CELL_SECONDS,
        kernel_name=form.KERNEL["name"],
        store_widget_state=False,
        record_timing=False,
        extra_arguments=["--IPKernelApp.log_level=40"],  # no warning about a connection that stays on this machine
        resources={"metadata": {"path": str(path.resolve().parent)}},
    )
    try:
        client.execute(env=kernel_variables())
    except CellExecutionError as problem:
        raise CellFailed(_reached(notebook), f"{problem.ename}: {problem.evalue}") from problem
    except CellTimeoutError as problem:
        raise CellFailed(_reached(notebook), f"still running after {CELL_SECONDS} s") from problem
    except DeadKernelError as problem:
        raise CellFailed(_reached(notebook), "the kernel died") from problem
    return notebook


def _reached(notebook: form.Notebook) -> int:
    """The number of the code cell that was running: every one before it has got its count."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return max([number for number, cell in enumerate(code, start=1) if cell.execution_count], default=0) or 1


def fresh(path: Path) -> str:
    """What the notebook in `path` looks like when it is run now, in normal form. Writes nothing."""
    notebook = form.read(path)
    for cell in notebook.cells:
        if cell.cell_type == "code" and hosted.TAG in cell.metadata.get("tags", []):
            cell.source = hosted.guard()
    return form.text(form.normalise(execute(path, notebook)))


def regenerate(path: Path) -> bool:
    """Run the notebook and store its normal form; True when that changed the file. A failing cell leaves it alone."""
    stored = path.read_text(encoding="utf-8")
    new = fresh(path)
    if new == stored:
        return False
    beside = path.with_name(path.name + ".new")
    beside.write_text(new, encoding="utf-8", newline="\n")
    beside.replace(path)
    return True


def difference(stored: str, new: str) -> str:
    """The first lines in which two notebooks differ, cut to what can be read; the empty text when they do not."""
    if stored == new:
        return ""
    lines = difflib.unified_diff(stored.splitlines(), new.splitlines(), "stored", "run now", lineterm="", n=0)
    shown = [line[:SHOWN_WIDTH] for line in list(lines)[:SHOWN_LINES]]
    if any('"image/png"' in line for line in shown):
        shown.append(f"(a figure differs; this is matplotlib {_matplotlib()}, each minor version draws differently)")
    return "\n".join(shown) or "they differ only in how lines end"


def _matplotlib() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("matplotlib")
    except PackageNotFoundError:
        return "not installed"


def check(path: Path) -> str:
    """Run the notebook and compare every byte with what is stored: the difference, or the empty text."""
    stored = path.read_bytes().decode("utf-8")
    return difference(stored, fresh(path))
