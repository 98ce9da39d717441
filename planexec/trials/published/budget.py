"""B3: three steps are too few for the chain, eight are enough, and what lies between."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor

from planexec.limits import Limits
from planexec.trials.engine import trials
from planexec.trials.published.lines import PRESET, Line, bare, line, lines
from planexec.trials.scenario import Scenario, Setting
from planexec.trials.table import Table

STEPS = range(3, 9)
BARE_STEPS = (8, 10, 12, 14)  # the same chain without a plan and without counters
PUBLISHED = {3: "fails", 8: "succeeds"}


def runs(seeds: Iterable[int], lang: str = "en", executor: Executor | None = None) -> Table:
    """The allocation question with 3 to 8 steps: the agent as it is, with its counters."""
    settings = [Setting(f"max_steps = {n}", PRESET, limits=Limits(max_steps=n)) for n in STEPS]
    return trials([Scenario("finance", "allocation", lang, "plan")], settings, seeds, executor=executor)


def b3(seeds: Iterable[int], lang: str = "en", executor: Executor | None = None) -> Table:
    listed = tuple(seeds)
    done = runs(listed, lang, executor)
    react = Scenario("finance", "allocation", lang, "react")
    free = trials([react], [bare(f"max_steps = {n}", n) for n in BARE_STEPS], listed, executor=executor)

    def rate(table: Table, n: int, who: str, published: str) -> Line:
        right = table.where(setting=f"max_steps = {n}").percent(success=True)
        return line(f"{who}max_steps = {n}", right, "% of runs right", published, "B3")

    return lines(
        *(rate(done, n, "", PUBLISHED.get(n, "-")) for n in STEPS),
        *(rate(free, n, "ReAct, unguarded, ", "-") for n in BARE_STEPS),
    )
