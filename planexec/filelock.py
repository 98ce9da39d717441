"""A lock on a file that the operating system gives back when the process dies, on Linux, macOS and Windows.

It locks a small neighbour (`NAME.lock`), not the file itself: SQLite has locks of its own there, and closing a
second handle would drop them. The neighbour lies beside the file itself, so a symbolic link is locked with it; two
hard links are two files here.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO


class FileLock:
    """Held by one process at a time. `acquire()` says at once whether it got the lock; it never waits."""

    def __init__(self, path: Path):
        real = path.resolve()
        self.path = real.with_name(real.name + ".lock")
        self._file: IO[bytes] | None = None

    def acquire(self) -> bool:
        handle = open(self.path, "a+b")  # noqa: SIM115 - it stays open as long as the lock is held
        try:
            _lock(handle)
        except OSError:
            handle.close()
            return False
        self._file = handle
        return True

    def release(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def _lock(handle: IO[bytes]) -> None:
    if os.name == "nt":
        import msvcrt

        msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
