"""Every notebook from top to bottom: a line while it happens, a table at the end. Writes nothing into the notebooks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from planexec.course import form, sync


@dataclass(frozen=True)
class Ran:
    """One notebook: how many code cells it has, the seconds it took (kernel included), what went wrong or ""."""

    name: str
    cells: int
    seconds: float
    problem: str = ""


def run_one(path: Path, clock: Callable[[], float] = time.perf_counter) -> Ran:
    """Run one notebook; a cell that fails, and a file that is no notebook, are reported and not raised."""
    started = clock()
    cells, problem = 0, ""
    try:
        notebook = form.read(path)
        cells = sum(cell.cell_type == "code" for cell in notebook.cells)
        sync.execute(path, notebook)
    except (sync.CellFailed, ValueError) as failure:
        problem = str(failure)
    return Ran(path.stem, cells, clock() - started, problem)


def run_all(paths: Iterable[Path], tell: Callable[[str], None], one: Callable[[Path], Ran] = run_one) -> Sequence[Ran]:
    """Run `paths` one after the other; a failure does not keep the others from running."""
    done = []
    files = list(paths)
    for number, path in enumerate(files, start=1):
        tell(f"{number}/{len(files)} {path.stem} ...")
        ran = one(path)
        tell(f"    {'FAILED: ' + ran.problem if ran.problem else 'ok'}, {ran.seconds:.1f} s")
        done.append(ran)
    return done


def table(done: Sequence[Ran]) -> str:
    """Names, cells, seconds and verdicts under each other, and one line that adds up."""
    width = max([len(ran.name) for ran in done] + [8])
    lines = [f"{'notebook':<{width}}  cells  seconds  verdict"]
    for ran in done:
        verdict = f"FAILED: {ran.problem}" if ran.problem else "ok"
        lines.append(f"{ran.name:<{width}}  {ran.cells:>5}  {ran.seconds:>7.1f}  {verdict}")
    failed = sum(bool(ran.problem) for ran in done)
    seconds = sum(ran.seconds for ran in done)
    return "\n".join([*lines, f"{len(done) - failed} ok, {failed} failed, {seconds:.1f} seconds"])
