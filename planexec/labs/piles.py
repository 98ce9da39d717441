"""Runs that are kept and grow: the same run with the seeds 0, 1, 2 and so on, a slice of work at a time.

    pile = Pile(run)                  # run(seed) -> anything small
    pile.first(50)                    # those of the seeds 0 to 49; what is missing is carried out now
    for more in grown(pile): ...      # the same work in slices, for a panel that refines its picture

A dial that does not change the runs finds them there. Equal results are kept once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Generic, TypeVar

Kept = TypeVar("Kept", bound=Hashable)
SHOWN = (10, 50, 100, 250, 500)  # after so many runs there is a new picture; few, because each is also read aloud
MOST = SHOWN[-1]


class Pile(Generic[Kept]):
    """What `run(seed)` gave for the seeds 0 up to the last one that was wanted."""

    def __init__(self, run: Callable[[int], Kept]):
        self._run = run
        self._kept: list[Kept] = []
        self._known: dict[Kept, Kept] = {}
        self._growing = threading.RLock()  # a cell may want more of it while a panel lets it grow on another thread

    def __len__(self) -> int:
        return len(self._kept)

    def first(self, runs: int) -> tuple[Kept, ...]:
        """The results of the seeds 0 to `runs` - 1."""
        with self._growing:
            while len(self._kept) < runs:
                result = self._run(len(self._kept))
                self._kept.append(self._known.setdefault(result, result))
            return tuple(self._kept[:runs])


def grown(pile: Pile[Any], shown: Sequence[int] = SHOWN, at_once: int = 1) -> Iterator[dict[str, Any] | None]:
    """First how many runs are there to be shown, then `at_once` runs a slice: {"runs": n} once n are there, else None.

    A slice holds up everything else in the kernel, a moved dial too: it should take 20 milliseconds or less.
    """
    there = max((runs for runs in shown if runs <= len(pile)), default=0)
    yield {"runs": there}
    for runs in shown:
        if runs > there:
            while len(pile) < runs - at_once:
                pile.first(len(pile) + at_once)
                yield None
            pile.first(runs)
            yield {"runs": runs}


def checked(runs: int, most: int = MOST) -> int:
    """`runs`, if it is a number of runs that a lab carries out. ValueError otherwise."""
    if not 0 <= runs <= most:
        raise ValueError(f"runs go from 0 to {most}; got {runs!r}")
    return runs
