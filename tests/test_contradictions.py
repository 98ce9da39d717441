"""Limits that contradict each other: which can never bind, and who is told so, once, at which line."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
from helpers_control import OFF, endless, facts, once_each, roles

from planexec.agent import PlanExecuteAgent
from planexec.clock import VirtualClock
from planexec.limits import Limits
from planexec.react_loop import react
from planexec.run import Run

BOTH = "max_calls_per_tool = 50 can never bind: max_tool_calls = 5 ends the run before"


def step(**limits: Any) -> Limits:
    return OFF.with_(**limits)


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        (OFF.with_(max_calls_per_tool=50, max_tool_calls=5), BOTH),
        (
            Limits(max_attempts=3, per_step=step(max_attempts=5)),
            "per_step.max_attempts = 5 can never bind: the whole run has max_attempts = 3",
        ),
        (
            Limits(per_step=step(max_calls_per_tool=50, max_tool_calls=5)),
            "per_step.max_calls_per_tool = 50 can never bind: per_step.max_tool_calls = 5 ends the step before",
        ),
        (Limits(max_tool_calls=5, per_step=step(max_calls_per_tool=50)), f"per_step.{BOTH}"),
        (
            Limits(per_step=step(max_plan_steps=2)),
            "per_step.max_plan_steps = 2 can never bind: a line of the plan has no plan of its own",
        ),
        (
            Limits(per_step=step(confirm_first=True)),
            "per_step.confirm_first = True can never bind: a person agrees to the whole plan",
        ),
    ],
)
def test_what_can_never_bind_is_named_with_the_reason(limits: Limits, sentence: str) -> None:
    assert limits.never_binding() == (sentence,)


@pytest.mark.parametrize(
    "limits",
    [
        OFF.with_(max_calls_per_tool=5, max_tool_calls=5),
        Limits(max_attempts=3, per_step=step(max_attempts=3)),
        Limits(max_tool_calls=5, per_step=step(max_calls_per_tool=5)),
        Limits(per_step=Limits(max_steps=2)),
        Limits(max_attempts=1, max_model_calls=4, max_tool_calls=3, per_step=Limits(max_steps=2)),
        Limits(per_step=step(max_steps=3)),
    ],
)
def test_what_can_bind_and_what_is_only_a_default_is_not(limits: Limits) -> None:
    assert limits.never_binding() == ()


ODD = OFF.with_(max_calls_per_tool=50, max_tool_calls=5, max_model_calls=9)


def by_run(limits: Limits) -> Any:
    return Run("q", tools=[facts()], limits=limits)


def by_react(limits: Limits) -> Any:
    return react("q", endless(), [facts()], limits, clock=VirtualClock())


def by_the_agent(limits: Limits) -> Any:
    model = roles(["one", "two"], once_each())
    return PlanExecuteAgent(model, [facts()], limits, loop="plan", clock=VirtualClock()).run("q")


@pytest.mark.parametrize("way", [by_run, by_react, by_the_agent])
def test_whoever_gives_such_limits_is_told_once_at_the_line_that_gave_them(way: Callable[[Limits], Any]) -> None:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        way(ODD)
    (one,) = seen
    assert str(one.message) == BOTH and one.category is UserWarning
    line = (way.__code__.co_firstlineno, max(number for _, _, number in way.__code__.co_lines() if number))
    assert one.filename == __file__ and line[0] < one.lineno <= line[1]


def test_nobody_is_told_of_limits_that_make_sense() -> None:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for way in (by_run, by_react, by_the_agent):
            way(Limits(max_steps=3))
    assert seen == []


def test_a_limit_on_replans_of_a_step_is_not_named_because_it_binds_in_a_loop_of_ones_own() -> None:
    assert Limits(per_step=Limits.none().with_(max_replans=2)).never_binding() == ()
