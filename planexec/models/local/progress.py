"""One line of progress for whatever takes longer than two seconds."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

SILENT = 2.0  # seconds before the first line
ON_SCREEN, IN_A_LOG = 0.5, 10.0  # seconds between two lines: on a terminal the last one is replaced


class Progress:
    """Says how far it is: `add(bytes)` as they come, `end()` when it is over.

    `total` bytes make the whole. `clock` and `out` are for tests.
    """

    def __init__(
        self, what: str, total: int, out: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.what, self.total, self.done = what, total, 0
        self._out, self._clock = out if out is not None else sys.stderr, clock
        self._live = bool(getattr(self._out, "isatty", lambda: False)())
        self._next = clock() + SILENT
        self._shown = False

    def add(self, count: int) -> None:
        """So many more bytes are done."""
        self.done += count
        now = self._clock()
        if now >= self._next:
            self._next = now + (ON_SCREEN if self._live else IN_A_LOG)
            self._write(self._line())

    def end(self) -> None:
        """Finish the line that stands on a terminal, if there is one."""
        if self._shown and self._live:
            self._out.write("\n")
            self._out.flush()

    def _line(self) -> str:
        percent = 100 * self.done // self.total if self.total else 100
        return f"{self.what}: {megabytes(self.done)} of {megabytes(self.total)} MB ({percent} %)"

    def _write(self, line: str) -> None:
        self._shown = True
        self._out.write(f"\r{line}" if self._live else f"{line}\n")
        self._out.flush()


@contextmanager
def told_if_slow(what: str) -> Iterator[None]:
    """One line for what cannot say how far it is, if it is not over after two seconds."""
    timer = threading.Timer(SILENT, lambda: print(f"{what} ...", file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def megabytes(count: int) -> str:
    """megabytes(98_362_432) -> "98"; megabytes(1_117_320_768) -> "1,117"; a beginning that is not there yet is "0"."""
    return f"{count // 1_000_000:,}"
