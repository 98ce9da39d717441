"""Runs as the judge sees them, made by hand: what they did and what they answered."""

from __future__ import annotations

from typing import Any

from planexec.result import CallDone, Result, RunUsage, StepDone
from planexec.trials import Scenario
from planexec.trials.answers import rule_for
from planexec.trials.judge import judge
from planexec.verdicts import Stop

USAGE = RunUsage(1, 1, 1, 10, 5, 0.001, 1.0)
found = "found"


def result(answer: str, *calls: CallDone, stop: str = "", complete: bool | None = None) -> Result:
    """A run that did `calls` and said `answer`."""
    ended = Stop(stop) if stop else None
    steps = (StepDone(1, "goal", "done", answer, calls),)
    return Result(answer, not stop if complete is None else complete, ended, USAGE, (), steps)


def call(tool: str, text: str = "", kind: str = found, **args: Any) -> CallDone:
    return CallDone(tool, args, kind, text)


def outcome(scenario: Scenario, run: Result) -> str:
    return judge(run, rule_for(scenario))
