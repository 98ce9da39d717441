"""The run's clock: the machine's, or a virtual one that moves only by what models, tools and waits report.

Only differences count. Working time (`max_seconds`) is the sum of the recorded durations of effects, so a resumed
run goes on where it was, and the hours a person took to answer are not charged to it.
"""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    virtual: bool

    def now(self) -> float:
        """Seconds since some fixed moment; never goes back."""

    def wait(self, seconds: float) -> None:
        """Let `seconds` pass."""


class RealClock:
    """The machine's monotonic clock: setting the wall clock back does not lift a limit."""

    virtual = False
    now = staticmethod(time.monotonic)  # read several times a step: no call of ours in between

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)


class VirtualClock:
    """Passes only when told to: 47 minutes of waiting take no time at all, and every run has the same times."""

    virtual = True

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        return self._now

    def wait(self, seconds: float) -> None:
        self._now += seconds
