"""A progress bar in one line of text, for terminals and notebooks alike."""

from __future__ import annotations

import sys
from typing import TextIO

WIDTH = 30


class Bar:
    """`Bar(200).show(50)` draws "[#######.......................] 50 of 200 runs"; only when a mark is added."""

    def __init__(self, of: int, done: int = 0, out: TextIO | None = None):
        self.of, self.done, self.out, self._drawn = of, done, out if out is not None else sys.stderr, ""

    def step(self) -> None:
        """One more run is done."""
        self.done += 1
        filled = WIDTH * self.done // max(1, self.of)
        percent = 100 * self.done // max(1, self.of)
        key = f"{filled} {percent}"
        if key == self._drawn:
            return
        self._drawn = key
        end = "\n" if self.done == self.of else ""
        bar = "#" * filled + "." * (WIDTH - filled)
        self.out.write(f"\r[{bar}] {percent:>3} %, {self.done:,} of {self.of:,} runs{end}")
        self.out.flush()
