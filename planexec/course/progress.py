"""How far a learner is, read from the outputs in their own copy; and a notebook put back as it was delivered.

Nothing is recorded anywhere: what counts is what the saved notebook shows. The notebooks of the course themselves
are never read for this.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planexec.paths import notebooks_path

_SAID = re.compile(r"\[(passed|not yet|todo)\] (\d\d\.q?\d+)")


@dataclass(frozen=True)
class Progress:
    """One notebook: how many of its checks passed, were tried, and are still to do, as last saved."""

    name: str
    passed: tuple[str, ...] = ()
    not_yet: tuple[str, ...] = ()
    todo: tuple[str, ...] = ()

    def __str__(self) -> str:
        of = len(self.passed) + len(self.not_yet) + len(self.todo)
        bar = "#" * len(self.passed) + "+" * len(self.not_yet) + "." * len(self.todo)
        rest = ", ".join((*self.not_yet, *self.todo))
        return f"{self.name:<32} {bar:<8} {len(self.passed)} of {of}" + (f"   next: {rest}" if rest else "   done")


def progress(folder: Path) -> list[Progress]:
    """One entry for each notebook in the learner's folder that has checks. FileNotFoundError when there is none."""
    paths = sorted(path for path in folder.glob("[0-9][0-9]_*.ipynb") if ".mine" not in path.name)
    if not paths:
        raise FileNotFoundError(f"no notebook of the course in {folder}; make your copy: planexec course copy {folder}")
    if folder.resolve() == notebooks_path().resolve():
        raise FileNotFoundError(f"{folder} is the course itself; name the folder of your own copy")
    return [_of(path) for path in paths]


def _of(path: Path) -> Progress:
    """What the last output of each check says; an unreadable file shows nothing."""
    last: dict[str, str] = {}
    for text in _outputs(path):
        for status, exercise in _SAID.findall(text):
            last[exercise] = status
    groups = {
        status: tuple(id for id, said in last.items() if said == status) for status in ("passed", "not yet", "todo")
    }
    return Progress(path.stem, groups["passed"], groups["not yet"], groups["todo"])


def _outputs(path: Path) -> list[str]:
    """The plain-text outputs of the cells that are exercises."""
    try:
        cells: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    exercises = (cell for cell in cells if "exercise" in cell.get("metadata", {}).get("tags", ()))
    parts = (output.get("data", {}).get("text/plain", "") for cell in exercises for output in cell.get("outputs", ()))
    return ["".join(part) for part in parts]


def reset(number: str, folder: Path) -> tuple[Path, Path | None]:
    """Put a notebook back as delivered: (its path, where the old one was kept, if there was one).

    `number` is "07" or the notebook's name. LookupError names the notebooks there are.
    """
    shipped = sorted(notebooks_path().glob("[0-9][0-9]_*.ipynb"))
    wanted = [path for path in shipped if number in (path.stem, path.stem[:2], path.name)]
    if not wanted:
        raise LookupError(f"no notebook {number!r}; there are {', '.join(path.stem[:2] for path in shipped)}")
    target, kept = folder / wanted[0].name, None
    if target.exists():
        kept = _free(target)
        target.rename(kept)
    folder.mkdir(parents=True, exist_ok=True)
    target.write_bytes(wanted[0].read_bytes())
    return target, kept


def _free(path: Path) -> Path:
    """A name beside `path` that nothing has: 07_step_budgets.mine.ipynb, .mine-2.ipynb, ..."""
    first = path.with_name(f"{path.stem}.mine.ipynb")
    number, free = 2, first
    while free.exists():
        free, number = path.with_name(f"{path.stem}.mine-{number}.ipynb"), number + 1
    return free
