"""What became of a run, in columns: right or not, honest or not, what it cost, what was wasted.

Only here, after the run, is it known what would have been right. The expected figures and names are read from the
world's data and the question, never written down a second time.
"""

from __future__ import annotations

from typing import Any

from planexec.canonical import call_key
from planexec.result import Result
from planexec.trials import survey
from planexec.trials.expectations import Expectation, expectation
from planexec.trials.figures import untraced
from planexec.trials.scenario import Scenario
from planexec.verdicts import describe

OUTCOMES = ("right", "no data", "stopped", "wrong", "error")


def measure(scenario: Scenario, result: Result | None) -> dict[str, Any]:
    """One row's columns. `result` None: the run raised.

    outcome: "right" (the answer holds what was to be found), "no data" (it says plainly that there is none), "stopped"
    (a limit or a counter ended it before), "wrong" (anything else), "error" (the run raised).
    false_success: it called itself complete and is not right. wasted_calls: tool calls after the last one that was
    needed for the answer. invented_figures: figures of the answer that neither question nor tools hold.
    """
    wanted = expectation(scenario)
    outcome = "error" if result is None else judge(result, wanted)
    calls = result.calls if result is not None else ()
    keys = [call_key(call.tool, call.args) for call in calls]
    usage = result.usage if result is not None else None
    return {
        "outcome": outcome,
        "complete": result is not None and result.complete,
        "stop_reason": result.stop.reason if result is not None and result.stop else "",
        "false_success": result is not None and result.complete and outcome not in ("right", "no data"),
        "steps": usage.steps if usage else 0,
        "model_calls": usage.model_calls if usage else 0,
        "tool_calls": usage.tool_calls if usage else 0,
        "repeated_calls": len(keys) - len(set(keys)),
        "wasted_calls": wasted(result, wanted) if result is not None else 0,
        "replans": result.replans if result is not None else 0,
        "sides_covered": len(survey.covered(result)) if result is not None and scenario.world == "research" else None,
        "evenness": survey.evenness(result) if result is not None and scenario.world == "research" else None,
        "invented_figures": len(invented(result, scenario)) if result is not None else 0,
        "prompt_tokens": usage.prompt_tokens if usage else 0,
        "completion_tokens": usage.completion_tokens if usage else 0,
        "usd": (usage.usd or 0.0) if usage else 0.0,
        "seconds": usage.seconds if usage else 0.0,
    }


def judge(result: Result, wanted: Expectation) -> str:
    """The outcome of a run, in one word."""
    if wanted.met_by(result.answer):
        return "right"
    honest = wanted.says_no_data(result.answer)
    if honest and wanted.no_data:
        return "no data"
    if result.stop is not None and result.stop.reason != "no_data":
        return "stopped"
    return "no data" if honest and not result.complete else "wrong"


def wasted(result: Result, wanted: Expectation) -> int:
    """Tool calls made after everything that the answer needed had been seen."""
    seen = ""
    for number, call in enumerate(result.calls, 1):
        seen += "\n" + call.text
        if call.kind == "found" and wanted.met_by(seen):
            return len(result.calls) - number
    return 0


def invented(result: Result, scenario: Scenario) -> list[str]:
    """The figures of the answer that can be traced neither to the question nor to any observation."""
    world, question = scenario.load()
    sources = [question, world.date, *(call.text for call in result.calls), *(step.goal for step in result.steps)]
    sources += [str(call.args) for call in result.calls]
    if result.stop is not None:
        sources.append(describe(result.stop))
    return [each.text for each in untraced(result.answer, sources)]


__all__ = ["OUTCOMES", "invented", "judge", "measure", "wasted"]
