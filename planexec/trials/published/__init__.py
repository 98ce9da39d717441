"""What the three articles report, as tables of the wind tunnel: one preset, one list of seeds, for everything.

    print(published.table("B10").text(60))
    for name in published.NAMES: ...

Each line gives our figure beside the published one and says what it is worth: *fitted* figures were used to set the
dials of the preset and prove nothing; *predicted* ones follow from it without having been used. The published figures
are counts of single runs or of a few. None of ours was measured on a real model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from importlib import import_module
from typing import cast

from planexec.trials.published.lines import PRESET, SEED, SEEDS
from planexec.trials.table import Table

MODULES = {
    "A1": "survey",
    "B3": "budget",
    "B4": "counters",
    "B5": "chains",
    "B9": "counters",
    "B10": "flights",
    "B14": "chains",
    "C": "incident",
    "mail": "mail",
}
NAMES = tuple(MODULES)
Maker = Callable[[Iterable[int], str, Executor | None], Table]


def table(name: str, seeds: Iterable[int] = SEEDS, lang: str = "en", executor: Executor | None = None) -> Table:
    """One of the tables: `figure`, `ours`, `unit`, `published`, `mark`. An unknown name is a ValueError."""
    if name not in MODULES:
        raise ValueError(f"no table is called {name!r}; there are {', '.join(NAMES)}")
    module = import_module(f"planexec.trials.published.{MODULES[name]}")
    return cast(Maker, getattr(module, name.lower()))(tuple(seeds), lang, executor)


__all__ = ["NAMES", "PRESET", "SEED", "SEEDS", "table"]
