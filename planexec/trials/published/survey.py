"""A1: ReAct digs into one topic of a survey, Plan-and-Execute covers all sides, with the same allowance."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor
from dataclasses import replace

from planexec.limits import Limits
from planexec.trials.engine import trials
from planexec.trials.published.lines import PRESET, line, lines
from planexec.trials.scenario import Scenario, Setting
from planexec.trials.table import Table

ALLOWANCE = Limits.none().with_(max_calls_per_tool=10, max_tokens=120_000)  # the same for both
SETTING = Setting("articles", PRESET, limits=ALLOWANCE)
LOOPS = {"react": "ReAct", "plan": "Plan-and-Execute"}


def runs(seeds: Iterable[int], lang: str = "en", executor: Executor | None = None) -> Table:
    """Every run behind the table: both loops, with the preset and without its drift."""
    scenarios = [Scenario("research", "survey", lang, loop, case=LOOPS[loop]) for loop in LOOPS]
    calm = replace(SETTING, name="drift=0", dials={"drift": 0.0})
    return trials(scenarios, [SETTING, calm], seeds, executor=executor)


def a1(seeds: Iterable[int], lang: str = "en", executor: Executor | None = None) -> Table:
    parts = runs(seeds, lang, executor).groups("scenario", "setting")
    drifting, planned = parts["ReAct", "articles"], parts["Plan-and-Execute", "articles"]
    calm, planned_calm = parts["ReAct", "drift=0"], parts["Plan-and-Execute", "drift=0"]
    sides = "sides of 5, median"
    return lines(
        line("ReAct: searches on the striking topic", drifting.median("on_topic"), "median", "3 or 4", "A1"),
        line("ReAct: three or more of them", drifting.share("on_topic", 3), "% of runs", "yes", "A1"),
        line("ReAct: coverage", drifting.median("sides_covered"), sides, "one topic", "A1"),
        line("ReAct: evenness", 100 * drifting.median("evenness"), "% of the most there can be", "-", "A1"),
        line("Plan-and-Execute: coverage", planned.median("sides_covered"), sides, "all sides", "A2"),
        line("Plan-and-Execute: evenness", 100 * planned.median("evenness"), "% of the most there can be", "-", "A2"),
        line("ReAct, drift=0: coverage", calm.median("sides_covered"), sides, "-", "A1", False),
        line("Plan-and-Execute, drift=0: coverage", planned_calm.median("sides_covered"), sides, "-", "A2"),
        line("ReAct: searches", drifting.median("tool_calls"), "median", "-", "A1"),
        line("Plan-and-Execute: searches", planned.median("tool_calls"), "median", "-", "A2"),
        line("ReAct: tokens", drifting.median("tokens"), "median", "-", "A1"),
        line("Plan-and-Execute: tokens", planned.median("tokens"), "median", "-", "A2"),
        line("all: invented figures", parts_total(parts), "in all runs", "-", "A2"),
    )


def parts_total(parts: dict[tuple[str, ...], Table]) -> float:
    return sum(part.total("invented_figures") for part in parts.values())
