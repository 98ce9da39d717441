"""B5 and B14: chains of four dependent steps, in finance and in an officer's preparation, in both languages."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor

from planexec.trials.engine import trials
from planexec.trials.published.lines import PRESET, line, lines
from planexec.trials.scenario import Scenario, Setting
from planexec.trials.table import Table

SETTING = Setting("the agent", PRESET)


def b5(seeds: Iterable[int], lang: str = "en", executor: Executor | None = None) -> Table:
    done = trials([Scenario("finance", "split", lang, "plan")], [SETTING], seeds, executor=executor)
    return lines(
        line("right: both amounts and the lists", done.percent(success=True), "% of runs", "yes", "B5"),
        line("tool calls", done.median("tool_calls"), "median", "4", "B5"),
        line("calls that were not needed", done.median("repeated_calls"), "median", "none", "B5"),
    )


def b14(seeds: Iterable[int], lang: str = "en", executor: Executor | None = None) -> Table:
    """Both languages, whatever `lang` is: it is the same chain."""
    scenarios = [Scenario("duty", "prepare", each, "plan", group=each) for each in ("en", "zh")]
    done = trials(scenarios, [SETTING], seeds, executor=executor)
    return lines(
        *(
            row
            for language, part in (("en", done.where(group="en")), ("zh", done.where(group="zh")))
            for row in (
                line(f"{language}: right", part.percent(success=True), "% of runs", "same loop, other tools", "B14"),
                line(f"{language}: tool calls, one a step", part.median("tool_calls"), "median", "4 steps", "B14"),
            )
        )
    )
