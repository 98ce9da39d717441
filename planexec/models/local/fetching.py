"""Get the weights of a model and be sure that they are the right ones.

The bytes go into `FILE.part`, are counted and hashed as they come, and get their name only when length and SHA-256
are the pinned ones. A transfer that was cut goes on later where the source can do that; what is wrong is deleted.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from planexec.filelock import FileLock
from planexec.models.local.catalogue import FOLDER_VARIABLE, LocalError, LocalModel, weights, weights_folder
from planexec.models.local.progress import Progress, megabytes
from planexec.models.local.sources import BLOCK, Source, blocks

_FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))


def fetch(model: LocalModel, source: Source, folder: Path | None = None, progress: Progress | None = None) -> Path:
    """The weights of `model`, complete and checked; taken from `source` unless they are there already.

    Raises `LocalError` when they cannot be had. Then nothing is left but, after a cut transfer from an address, the
    beginning, with which the next call goes on.
    """
    folder = folder or weights_folder()
    there = verified(model, folder)
    if there is not None:
        return there
    with _told(folder, model):
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / model.file)
        if not lock.acquire():
            raise LocalError(f"another process is fetching {model.name} into {folder}; wait for it")
        try:
            return _fetched(model, source, folder, progress)
        finally:
            lock.release()


def _fetched(model: LocalModel, source: Source, folder: Path, progress: Progress | None) -> Path:
    part = folder / f"{model.file}.part"
    if not source.resumable or (part.exists() and part.stat().st_size > model.bytes):
        part.unlink(missing_ok=True)
    need_room(model, folder, part)
    progress = progress or Progress(model.name, model.bytes)
    try:
        digest = _stream(model, source, part, progress)
    except BaseException as problem:
        if not source.resumable or isinstance(problem, OSError):  # a full or broken disk gets back what was taken
            part.unlink(missing_ok=True)
        raise
    finally:
        progress.end()
    if digest != model.sha256:
        part.unlink()
        raise LocalError(
            f"what came from {source} is not {model.title}: its SHA-256 is {digest[:12]}..., not "
            f"{model.sha256[:12]}... Nothing was kept. Try again, or take another source with --from"
        )
    path = folder / model.file
    os.replace(part, path)
    return path


def _stream(model: LocalModel, source: Source, part: Path, progress: Progress) -> str:
    """Write the bytes as they come; the SHA-256 of them all. A source that begins anew makes the file begin anew."""
    with open(part, "a+b") as file:
        seen = _hashed(file, progress)
        start = file.tell()
        for block in blocks(source, start) if start < model.bytes else ():
            if not block:
                file.truncate(0)
                seen, progress.done = hashlib.sha256(), 0
                continue
            file.write(block)
            seen.update(block)
            progress.add(len(block))
            if progress.done > model.bytes:
                break  # whatever it is, it is something else
        file.flush()
    if progress.done < model.bytes:
        raise LocalError(
            f"{source} ended after {megabytes(progress.done)} of {megabytes(model.bytes)} MB. "
            + ("The same command goes on from there." if source.resumable else "Nothing was kept; try again.")
        )
    return seen.hexdigest()


def _hashed(file: BinaryIO, progress: Progress) -> Any:
    """The hash of what is there already; the file stands at its end then."""
    seen = hashlib.sha256()
    file.seek(0)
    while block := file.read(BLOCK):
        seen.update(block)
        progress.add(len(block))
    return seen


def verified(model: LocalModel, folder: Path | None = None) -> Path | None:
    """The file of this model when it is in the folder and is the right one, else None. It reads the whole file."""
    path = weights(model, folder)
    if path is None:
        return None
    progress = Progress(f"checking {path.name}", model.bytes)
    with open(path, "rb") as file:
        digest = _hashed(file, progress).hexdigest()
    progress.end()
    return path if digest == model.sha256 else None


def need_room(model: LocalModel, folder: Path, part: Path) -> None:
    """Refuse to begin what the disk cannot hold."""
    left = model.bytes - (part.stat().st_size if part.exists() else 0)
    free = shutil.disk_usage(folder).free
    if free < left:
        raise LocalError(_no_room(folder, left, free))


def _no_room(folder: Path, left: int, free: int) -> str:
    return (
        f"{folder} has {megabytes(free)} MB free, and {megabytes(left)} MB are needed. Make room, or set "
        f"{FOLDER_VARIABLE} to a folder on another disk"
    )


@contextmanager
def _told(folder: Path, model: LocalModel) -> Iterator[None]:
    """What goes wrong with the folder, in words that say what to do."""
    try:
        yield
    except OSError as problem:
        if problem.errno in _FULL:
            raise LocalError(_no_room(folder, model.bytes, shutil.disk_usage(folder).free)) from None
        raise LocalError(
            f"{folder} cannot be written to ({problem.strerror or problem}). Set {FOLDER_VARIABLE} to a folder of yours"
        ) from None
