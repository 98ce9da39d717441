"""B3: three steps are too few for the chain, eight are enough, and what lies between."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor

from planexec.limits import Limits
from planexec.trials.engine import trials
from planexec.trials.published.lines import PRESET, line, lines
from planexec.trials.scenario import Scenario, Setting
from planexec.trials.table import Table

STEPS = range(3, 9)
PUBLISHED = {3: "fails", 8: "succeeds"}


def runs(seeds: Iterable[int], lang: str = "en", executor: Executor | None = None) -> Table:
    """The allocation question with 3 to 8 steps: the agent as it is, with its counters."""
    settings = [Setting(f"max_steps = {n}", PRESET, limits=Limits(max_steps=n)) for n in STEPS]
    return trials([Scenario("finance", "allocation", lang, "plan")], settings, seeds, executor=executor)


def b3(seeds: Iterable[int], lang: str = "en", executor: Executor | None = None) -> Table:
    done = runs(seeds, lang, executor)
    rates = [done.where(setting=f"max_steps = {n}").percent(success=True) for n in STEPS]
    return lines(
        *(
            line(f"max_steps = {n}", rate, "% of runs right", PUBLISHED.get(n, "-"), "B3")
            for n, rate in zip(STEPS, rates, strict=True)
        )
    )
