"""B4 and B6 to B9: searches that do not stop, a line in the prompt against them, counters in code against them."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor

from planexec.guards import DEFAULT_GUARDS, Enough, Guard, NoResult
from planexec.react_loop import PROMPT
from planexec.trials.engine import trials
from planexec.trials.published.lines import PRESET, Line, bare, line, lines
from planexec.trials.scenario import Scenario, Setting
from planexec.trials.table import Table

ROOM = 8  # turns of the published runs
RULE = {
    "en": " When a search has found nothing twice, stop searching for it and say so.",
    "zh": "如果同一内容搜索两次都没有查到，就停止搜索并说明查不到。",
}
SOONER = (NoResult(), Enough(calls=2, scope="step"))  # for a question of one step: one search more than it needs
RUN_WIDE: tuple[Guard, ...] = (NoResult(), Enough(calls=4, scope="run"))  # as the article prints it


def questions(lang: str, loop: str) -> tuple[Scenario, Scenario]:
    """Case 1, the chain with the missing figure, and case 2a, the question that one search answers."""
    chain = Scenario("finance", "allocation", lang, loop, case="case 1")
    return chain, Scenario("finance", "sectors", lang, loop, case="case 2a")


def prompt(lang: str) -> str:
    """ReAct's system message with the line about stopping."""
    return PROMPT[lang] + RULE[lang]


def b4(seeds: Iterable[int], lang: str = "en", executor: Executor | None = None) -> Table:
    _, case2a = questions(lang, "react")
    settings = [bare("unguarded", ROOM), Setting("counter at 2", PRESET, guards=SOONER)]
    done = trials([case2a], settings, seeds, executor=executor)
    routed = trials([questions(lang, "auto")[1]], [Setting("the agent", PRESET)], seeds, executor=executor)
    free, counted = (done.where(setting=setting.name) for setting in settings)
    median = "searches, median"
    return lines(
        line("ReAct, unguarded", free.median("tool_calls"), median, "4", "B4"),
        line("ReAct, unguarded: in the sum", free.mean("tool_calls"), "searches, mean", "-", "B4"),
        line("ReAct, unguarded: wasted", free.median("wasted_calls"), median, "3", "B7"),
        line("ReAct, the step's counter at 2", counted.median("tool_calls"), median, "fewer", "B7"),
        line("ReAct, the step's counter at 2: right", counted.percent(success=True), "% of runs", "-", "B7"),
        line("the agent: routed, counters as they are", routed.median("tool_calls"), median, "1 would do", "B12"),
    )


def b9(seeds: Iterable[int], lang: str = "en", executor: Executor | None = None) -> Table:
    react = questions(lang, "react")
    free = trials(react, [bare("unguarded", ROOM), bare("prompt", ROOM, prompt(lang))], seeds, executor=executor)
    counted = trials(react, [Setting("counters", PRESET, guards=SOONER)], seeds, executor=executor)
    guards = {"scoped": DEFAULT_GUARDS, "run-wide": RUN_WIDE}
    settings = [Setting(name, PRESET, guards=each) for name, each in guards.items()]
    planned = trials([questions(lang, "plan")[0]], settings, seeds, executor=executor)
    parts = {**free.groups("scenario", "setting"), **counted.groups("scenario", "setting")}
    median, rate = "searches, median", "% of runs"

    def row(case: str, setting: str, column: str, published: str, source: str, fitted: bool | None = None) -> Line:
        return line(f"{case}, {setting}", parts[case, setting].median(column), median, published, source, fitted)

    scoped, wide = planned.where(setting="scoped"), planned.where(setting="run-wide")
    return lines(
        row("case 1", "unguarded", "empty_calls", "5", "B6"),
        row("case 1", "prompt", "empty_calls", "2", "B9"),
        row("case 2a", "unguarded", "tool_calls", "4", "B4"),
        row("case 2a", "prompt", "tool_calls", "4", "B9"),
        row("case 1", "counters", "empty_calls", "cut off at 3", "B6", False),
        row("case 2a", "counters", "tool_calls", "fewer", "B7"),
        line(
            "chain of five lines, counter in the step: searches in vain",
            scoped.median("empty_calls"),
            median,
            "3",
            "B8",
        ),
        line("chain of five lines, counter in the step: right", scoped.percent(success=True), rate, "-", "B8"),
        line("chain of five lines, counter over the run: calls", wide.median("tool_calls"), "median", "4", "B7"),
        line("chain of five lines, counter over the run: right", wide.percent(success=True), rate, "-", "B7"),
    )
