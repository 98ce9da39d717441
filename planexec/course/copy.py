"""A learner's own copy of the notebooks, brought up to date without ever overwriting what the learner changed.

A list inside the copy (`.planexec-course.json`) holds the digest of every file as it was delivered. A file that
still has it is ours to replace; any other is the learner's: it stays, and the new one is put beside it. Running a
notebook and saving it counts as changing it, because the outputs may be those of a real model.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from planexec.paths import notebooks_path

LIST = ".planexec-course.json"
SKIPPED = {".ipynb_checkpoints", "__pycache__"}


class CopyError(Exception):
    """The copy cannot be made there; the text says why and where it could be."""


@dataclass(frozen=True)
class Copied:
    """What happened to one file. `what`: new, updated, same, yours (changed by the learner, nothing newer), beside."""

    name: str
    what: str
    beside: str = ""

    def __str__(self) -> str:
        if self.what == "beside":
            return f"{self.name}: yours stays as it is; the new one is beside it, {self.beside}"
        return f"{self.name}: {self.what}"


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def shipped(source: Path) -> dict[str, bytes]:
    """The files to copy, by their path inside the course with forward slashes, sorted."""
    files = (path for path in sorted(source.rglob("*")) if path.is_file())
    named = ((path.relative_to(source), path) for path in files)
    return {
        name.as_posix(): path.read_bytes()
        for name, path in named
        if not SKIPPED & set(name.parts) and not name.name.startswith(".")
    }


def _delivered(target: Path) -> dict[str, str]:
    """The digests of what was delivered before; empty when the list is gone, and then every file is the learner's."""
    try:
        files = json.loads((target / LIST).read_text(encoding="utf-8"))["files"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return {str(name): str(value) for name, value in files.items()} if isinstance(files, dict) else {}


def _write(path: Path, data: bytes) -> None:
    """All or nothing: a file cut in half by a crash would count as the learner's for ever."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(path.name + ".half")
    half.write_bytes(data)
    os.replace(half, path)


def _beside(path: Path, known: set[str], data: bytes) -> Path:
    """Where the new file goes: "02.new.ipynb", or "02.new-2.ipynb" when the learner has begun to work in that one."""
    number = 1
    while True:
        place = path.with_name(f"{path.stem}.new{'' if number == 1 else f'-{number}'}{path.suffix}")
        if not place.exists() or digest(place.read_bytes()) in known | {digest(data)}:
            return place
        number += 1


def _one(target: Path, name: str, data: bytes, delivered: dict[str, str]) -> tuple[Copied, dict[str, str]]:
    """Bring one file; return what happened and the digests to remember."""
    path, new, before = target / name, digest(data), delivered.get(name)
    if not path.exists():
        _write(path, data)
        return Copied(name, "new"), {name: new}
    now = digest(path.read_bytes())
    if now == new:
        return Copied(name, "same"), {name: new}
    if now == before:
        _write(path, data)
        return Copied(name, "updated"), {name: new}
    if new == before:
        return Copied(name, "yours"), {name: new}
    place = _beside(path, set(delivered.values()), data)
    _write(place, data)
    beside = place.relative_to(target).as_posix()
    return Copied(name, "beside", beside), {name: new, beside: new}


def copy_course(target: Path, source: Path | None = None) -> list[Copied]:
    """Copy the course into `target`, which may exist. Returns a line for every file; raises `CopyError`.

    `source`: the folder of notebooks, by default the one that came with the package.
    """
    source = source or notebooks_path()
    if target.exists() and not target.is_dir():
        raise CopyError(f"{target} is a file. Choose another name for the folder.")
    files = shipped(source)
    if not files:
        raise CopyError(f"There are no notebooks in {source}: is the package complete?")
    here, there = target.resolve(), source.resolve()
    if here == there or there in here.parents:
        raise CopyError(f"{target} lies inside the course itself. Choose another folder, for example my-course.")
    delivered = _delivered(target)
    done, remembered = [], dict(delivered)
    try:
        for name, data in files.items():
            copied, digests = _one(target, name, data, delivered)
            done.append(copied)
            remembered.update(digests)
        _write(target / LIST, (json.dumps({"files": remembered}, indent=1, sort_keys=True) + "\n").encode())
    except OSError as problem:
        raise CopyError(f"Cannot write into {target}: {problem}") from problem
    return done
