"""The virtual environment beside run.py: made once, brought up to date when needed, made again when it is broken.

A stamp inside it says for which `pyproject.toml`, which Python, which folder and which extra it was filled; when
all four fit, a start costs one small file read. A second file stands there while packages are being installed:
whoever finds it knows that the last installation was cut, and starts from nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from runner import progress
from runner.advice import explain

LEVELS = ("course", "dev")  # each holds the one before
UV_OWN = {"VIRTUAL_ENV": ""}  # an activated environment of the user's must not redirect the installer


class SetUpError(Exception):
    """The environment could not be made. The text says what happened and what to do."""


@dataclass(frozen=True)
class Place:
    """Where things lie for a project in `root` on an operating system that Python calls `os_name`."""

    root: Path
    os_name: str = os.name

    @property
    def venv(self) -> Path:
        return self.root / ".venv"

    @property
    def python(self) -> Path:
        return self.script("python")

    def script(self, name: str) -> Path:
        """script("planexec") -> .venv/bin/planexec, or .venv/Scripts/planexec.exe on Windows."""
        return self.venv / "Scripts" / f"{name}.exe" if self.os_name == "nt" else self.venv / "bin" / name

    @property
    def stamp(self) -> Path:
        return self.venv / ".planexec-stamp"

    @property
    def unfinished(self) -> Path:
        return self.venv / ".planexec-unfinished"


@dataclass(frozen=True)
class Stamp:
    """For what an environment was filled: the hash of pyproject.toml, the Python's minor version, folder, extra."""

    pyproject: str
    python: str
    root: str
    extra: str


def wanted(place: Place, extra: str, version: tuple[int, ...] = tuple(sys.version_info[:2])) -> Stamp:
    """The stamp that an environment for `extra` would carry now."""
    digest = hashlib.sha256((place.root / "pyproject.toml").read_bytes()).hexdigest()
    return Stamp(digest, ".".join(str(part) for part in version[:2]), str(place.root), extra)


def read_stamp(place: Place) -> Stamp | None:
    """The stamp found, or None when there is none or it cannot be read."""
    try:
        return Stamp(**json.loads(place.stamp.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def state(place: Place, want: Stamp) -> str:
    """What is there: ready, missing, unfinished, broken, moved, outdated, unstamped, or foreign (not ours to touch)."""
    if not place.venv.exists():
        return "missing"
    if place.unfinished.exists():
        return "unfinished"
    have = read_stamp(place)
    if not (place.venv / "pyvenv.cfg").exists():
        return "broken" if have or not any(place.venv.iterdir()) else "foreign"
    if not place.python.exists():
        return "broken"
    if have is None:
        return "unstamped"
    if (have.root, have.python) != (want.root, want.python):
        return "moved"
    enough = have.extra in LEVELS and LEVELS.index(have.extra) >= LEVELS.index(want.extra)
    return "ready" if have.pyproject == want.pyproject and enough else "outdated"


WHY = {
    "missing": "Setting up, once: a virtual environment in .venv and the packages of the course.",
    "unfinished": "The last set-up was cut short: starting again from nothing.",
    "broken": "The virtual environment in .venv is incomplete: making it again.",
    "moved": "The virtual environment in .venv was made for another folder or another Python: making it again.",
    "outdated": "pyproject.toml has changed, or more packages are needed: bringing .venv up to date.",
    "unstamped": "There is a virtual environment in .venv already: adding what is missing.",
}


def base_python(place: Place) -> str:
    """The Python to make an environment with: never the one inside the environment that is about to be replaced."""
    inside = Path(sys.prefix).resolve() == place.venv.resolve()
    base = getattr(sys, "_base_executable", None)
    return base if inside and base else sys.executable


def making(place: Place, uv: str | None, python: str) -> list[str]:
    """The command that makes an empty environment."""
    if uv:
        return [uv, "venv", "--quiet", "--python", python, str(place.venv)]
    return [python, "-m", "venv", str(place.venv)]


def installing(place: Place, uv: str | None, extra: str) -> list[str]:
    """The command that fills it with the project, editable, and the packages of `extra`."""
    what = ["-e", f"{place.root}[{extra}]"]
    if uv:
        return [uv, "pip", "install", "--quiet", "--python", str(place.python), *what]
    return [str(place.python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries=2", *what]


def remove(place: Place) -> None:
    """Remove an environment that is to be made again; complain in words when something holds on to it."""
    try:
        if place.venv.exists():
            shutil.rmtree(place.venv)
    except OSError as problem:
        raise SetUpError(
            f"Cannot remove the old environment {place.venv}: {problem}\n"
            "Close the programs that use it (a notebook server, an editor), or remove the folder by hand."
        ) from problem


def _check_unstamped(place: Place, want: Stamp) -> None:
    """An environment that somebody made by hand is filled, but only when its Python is the one that runs us."""
    probe = [str(place.python), "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    answer = subprocess.run(probe, capture_output=True, text=True, encoding="utf-8", check=False)
    if answer.stdout.strip() != want.python:
        found = answer.stdout.strip() or "one that does not start"
        raise SetUpError(
            f"{place.venv} was not made by this command, and its Python ({found}) is not this one ({want.python}).\n"
            "Move it away, or start run.py with that Python."
        )


def _fill(place: Place, uv: str | None, extra: str, run: Callable[..., progress.Ended]) -> progress.Ended:
    """Make the environment where there is none, then install. Ends with the first command that fails."""
    if not place.python.exists():
        made = run("making .venv", making(place, uv, base_python(place)), cwd=place.root, env=UV_OWN)
        if made.code:
            return made
    place.unfinished.touch()
    with_what = "uv" if uv else "pip"
    command = installing(place, uv, extra)
    return run(f"installing packages with {with_what}", command, cwd=place.root, env=UV_OWN)


def ready(
    place: Place,
    extra: str = "course",
    *,
    find: Callable[[str], str | None] = shutil.which,
    run: Callable[..., progress.Ended] = progress.quietly,
    say: Callable[[str], None] = progress.say,
) -> Path:
    """Have the environment ready for `extra` and return its Python. Raises `SetUpError` in words a learner can use."""
    want = wanted(place, extra)
    found = state(place, want)
    if found == "ready":
        return place.python
    if found == "foreign":
        raise SetUpError(f"{place.venv} is there but is no virtual environment. Move it away and start again.")
    say(WHY[found])
    if found == "unstamped":
        _check_unstamped(place, want)
    if found in ("unfinished", "broken", "moved"):
        remove(place)
    uv = find("uv")
    ended = _fill(place, uv, extra, run)
    if ended.code and uv and not explain(ended.output, place.os_name):
        say("uv could not do it; trying again with venv and pip.")
        remove(place)
        ended = _fill(place, None, extra, run)
    if ended.code:
        if found == "outdated":
            place.unfinished.unlink(missing_ok=True)  # the installer ended by itself: what was there still works
        tail = "\n".join(ended.output.splitlines()[-15:])
        advice = explain(ended.output, place.os_name) or "Nothing else of yours was touched; start again to retry."
        raise SetUpError(f"The set-up failed.\n\n{tail}\n\n{advice}")
    place.stamp.write_text(json.dumps(asdict(want)) + "\n", encoding="utf-8")
    place.unfinished.unlink(missing_ok=True)
    return place.python
