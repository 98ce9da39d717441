"""Limits: what they mean at construction, and that a limit of N admits exactly N - checked before, counted always."""

from __future__ import annotations

import math
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from helpers_control import (
    OFF,
    SECOND,
    Counting,
    Killed,
    endless,
    endless_run,
    facts,
    killed_at,
    made,
    raises,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from planexec.chat import Price, ServiceError
from planexec.clock import VirtualClock
from planexec.journal import Journal, JournalError
from planexec.limits import NOTHING, Limits, Meter, Need, limit_stop, violations
from planexec.models.scripted import ScriptedModel
from planexec.react_loop import react

NUMBERS = [each.name for each in fields(Limits) if each.name.startswith("max_")]
COUNTS = [name for name in NUMBERS if name not in ("max_seconds", "max_usd")]

# ------------------------------------------------------------------------------------------ construction


@pytest.mark.parametrize("value", [-1, -0.5, math.nan, math.inf, -math.inf, True, False, "3", [3], 1j])
@pytest.mark.parametrize("name", NUMBERS)
def test_a_limit_that_is_no_number_of_0_or_more_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        Limits(**{name: value})
    with pytest.raises(ValueError, match=name):
        Limits().with_(**{name: value})


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("value", [0, 1, 7, None])
def test_0_1_n_and_none_are_kept_as_given(name: str, value: int | None) -> None:
    limits = Limits(**{name: value})
    assert getattr(limits, name) == value
    assert Limits.from_dict(limits.to_dict()) == limits


@pytest.mark.parametrize("name", COUNTS)
def test_what_is_counted_in_wholes_has_no_halves(name: str) -> None:
    assert getattr(Limits(**{name: 3.0}), name) == 3
    with pytest.raises(ValueError, match="whole"):
        Limits(**{name: 2.5})


@pytest.mark.parametrize("value", [5, "3", {"max_steps": 3}, Limits(per_step=Limits())])
def test_the_limits_of_a_step_are_limits_and_have_no_steps_of_their_own(value: Any) -> None:
    with pytest.raises(ValueError, match="per_step"):
        Limits(per_step=value)


def test_limits_of_a_step_survive_the_journal() -> None:
    limits = Limits(per_step=OFF.with_(max_steps=3, max_usd=0.25))
    assert Limits.from_dict(limits.to_dict()) == limits


def test_every_field_but_those_for_money_and_time_has_a_finite_default() -> None:
    shown = {name: getattr(Limits(), name) for name in ("max_steps", "max_model_calls", "max_tool_calls")}
    assert all(isinstance(value, int) and value <= 50 for value in shown.values()), shown


# ------------------------------------------------------------------------------------------- arithmetic

WAYS: dict[str, tuple[Need, Meter]] = {
    "max_steps": (Need(steps=1), Meter(steps=3)),
    "max_model_calls": (Need(model_calls=1), Meter(model_calls=3)),
    "max_tool_calls": (Need(tool_calls=1, tool="look"), Meter(tool_calls=3)),
    "max_calls_per_tool": (Need(tool_calls=1, tool="look"), Meter(per_tool={"look": 3, "other": 9})),
    "max_seconds": (NOTHING, Meter(seconds=3.0)),
    "max_usd": (NOTHING, Meter(usd=3.0)),
    "max_tokens": (NOTHING, Meter(prompt_tokens=1, completion_tokens=2)),
    "max_replans": (Need(replans=1), Meter(replans=3)),
}


@pytest.mark.parametrize("name", list(WAYS))
def test_one_below_passes_and_at_the_limit_it_trips(name: str) -> None:
    need, used = WAYS[name]
    assert violations(OFF.with_(**{name: 4}), used, need) == []
    assert violations(OFF.with_(**{name: 3}), used, need) == [(name, 3, 3)]
    assert violations(OFF.with_(**{name: 0}), Meter(), need) == [(name, 0, 0)]
    assert violations(OFF, used, need) == []


def test_an_effect_asks_only_for_the_limits_that_it_uses() -> None:
    full = Meter(steps=9, model_calls=9, tool_calls=9, replans=9, per_tool={"look": 9})
    limits = OFF.with_(max_steps=9, max_model_calls=9, max_tool_calls=9, max_replans=9, max_calls_per_tool=9)
    assert violations(limits, full, NOTHING) == []
    assert violations(limits, full, Need(tool_calls=1, tool="another")) == [("max_tool_calls", 9, 9)]


def test_several_violations_are_all_named_and_none_twice() -> None:
    used = Meter(steps=3, model_calls=3, seconds=3.0)
    broken = violations(OFF.with_(max_steps=3, max_model_calls=3, max_seconds=3.0), used, Need(steps=1, model_calls=1))
    stop = limit_stop(broken, "run", "en")
    assert (stop.reason, stop.limit, stop.value, stop.where) == ("max_steps", 3, 3, "run")
    assert stop.also == ("max_model_calls", "max_seconds")
    assert "max_steps" in stop.advice


# ------------------------------------------------------------- exactly N: an endless model, one limit at a time


def unit(name: str) -> Any:
    """How much of a limit a finished run used, read from the result."""
    return {
        "max_steps": lambda result: result.usage.steps,
        "max_model_calls": lambda result: result.usage.model_calls,
        "max_tool_calls": lambda result: result.usage.tool_calls,
        "max_calls_per_tool": lambda result: result.usage.tool_calls,
        "max_seconds": lambda result: result.usage.seconds,
    }[name]


EXACT = ["max_steps", "max_model_calls", "max_tool_calls", "max_calls_per_tool", "max_seconds"]


@pytest.mark.parametrize("n", [0, 1, 2, 3, 8])
@pytest.mark.parametrize("name", EXACT)
def test_exactly_n_of_an_endless_run_are_admitted(name: str, n: int) -> None:
    result = endless_run(OFF.with_(**{name: n}))
    assert unit(name)(result) == n
    assert result.stop is not None and not result.complete
    assert (result.stop.reason, result.stop.limit) == (name, n)
    assert result.stop.advice and result.stop.where == "run"


@pytest.mark.parametrize("name", EXACT)
def test_none_switches_a_limit_off(name: str) -> None:
    """Forty turns pass where the limit under test is off; then another one ends the run."""
    result = endless_run(OFF.with_(max_steps=40) if name != "max_steps" else OFF.with_(max_tool_calls=40))
    assert result.usage.tool_calls == 40 and result.stop.reason != name


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("name", ["max_tool_calls", "max_calls_per_tool"])
def test_failures_count(name: str, n: int) -> None:
    tool = Counting(lambda query: 1 / 0)
    result = endless_run(OFF.with_(**{name: n}), tools=[tool.tool()])
    assert (len(tool.seen), result.usage.tool_calls, result.stop.reason) == (n, n, name)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_failed_attempts_of_the_model_count(n: int) -> None:
    model = ScriptedModel(lambda messages, tools: ServiceError("busy", "transient"))
    result = endless_run(OFF.with_(max_model_calls=n, max_attempts=50), model=model)
    assert (len(model.requests), result.usage.model_calls) == (n, n)
    assert result.stop.reason == "max_model_calls" and not result.complete


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_attempts_are_exact_for_a_model_that_always_fails(n: int) -> None:
    model = ScriptedModel(lambda messages, tools: ServiceError("busy", "transient"))
    result = endless_run(OFF.with_(max_attempts=n), model=model)
    assert (len(model.requests), result.usage.model_calls) == (n, n)
    assert result.stop.reason == ("failed" if n else "max_attempts")


@pytest.mark.parametrize("n", [1, 2, 5])
def test_attempts_are_exact_for_a_tool_that_always_fails(n: int) -> None:
    tool = Counting(lambda query: (_ for _ in ()).throw(TimeoutError("no answer")))
    model = ScriptedModel([("look", {"query": "a"}), "nothing came"])
    react("q", model, [tool.tool()], OFF.with_(max_attempts=n), clock=VirtualClock())
    assert len(tool.seen) == n


def test_a_tool_limit_of_0_refuses_every_call_and_the_model_answers_from_nothing() -> None:
    tool = Counting()
    result = endless_run(OFF.with_(max_tool_calls=0), tools=[tool.tool()])
    assert tool.seen == [] and result.answer == "what there is"


@pytest.mark.parametrize("name", ["max_steps", "max_model_calls", "max_seconds", "max_usd", "max_tokens"])
def test_a_limit_of_0_lets_nothing_happen_and_still_says_why(name: str) -> None:
    model = endless(price=Price(1.0, 1.0))
    result = endless_run(OFF.with_(**{name: 0, "max_model_calls": 0}), model=model)
    assert model.requests == []
    assert result.stop.reason == name or name in result.stop.also
    assert result.answer and not result.complete


# ------------------------------------------------------- exactly N, also across a kill and a grant (hypothesis)

LIMIT = st.sampled_from(EXACT)


@settings(max_examples=60, deadline=None)
@given(name=LIMIT, n=st.integers(1, 6), kill=st.integers(1, 12), failing=st.booleans())
def test_exactly_n_also_when_the_run_is_killed_between_and_when_each_call_fails(
    name: str, n: int, kill: int, failing: bool
) -> None:
    """A kill after an effect: what was recorded counts, and nothing is counted twice."""
    journal, limits = Journal(), OFF.with_(**{name: n, "max_steps": n if name == "max_steps" else 30})
    tools = [raises(ValueError("no"))] if failing else [facts()]
    try:
        result = endless_run(limits, journal, tools=tools, on_event=killed_at(kill))
    except Killed:
        result = endless_run(limits, journal, tools=tools)
    assert unit(name)(result) == n
    assert made(journal, "tool") == result.usage.tool_calls
    assert made(journal, "model") == result.usage.model_calls


@settings(max_examples=40, deadline=None)
@given(n=st.integers(1, 6), kill=st.integers(1, 8))
def test_a_call_that_only_began_counts_too(n: int, kill: int) -> None:
    """Killed inside the model's call: it was paid for, so it is one of the n."""
    journal, requests = Journal(), [0]

    def dies(messages: Any, tools: Any) -> Any:
        requests[0] += 1
        if requests[0] == kill:
            raise Killed
        return ("look", {"query": f"q{requests[0]}"})

    for _ in range(2):
        try:
            endless_run(OFF.with_(max_model_calls=n), journal, model=ScriptedModel(dies, usage=SECOND))
            break
        except Killed:
            continue
    assert requests[0] == n if kill <= n else requests[0] == n
    assert made(journal, "model") == n


@pytest.mark.parametrize("name", ["max_steps", "max_tool_calls", "max_model_calls", "max_seconds"])
def test_a_grant_goes_on_to_exactly_the_new_limit_and_repeats_nothing(name: str, tmp_path: Path) -> None:
    path, tool = tmp_path / "run.db", Counting()
    with Journal(path) as journal:
        first = endless_run(OFF.with_(**{name: 3}), journal, tools=[tool.tool()])
        done = len(tool.seen)
    with Journal(path) as journal:
        journal.grant({name: 6})
        second = endless_run(OFF.with_(**{name: 3}), journal, tools=[tool.tool()])
    assert (unit(name)(first), unit(name)(second)) == (3, 6)
    assert len(tool.seen) == len(set(tool.seen)) > done
    assert (second.stop.reason, second.stop.limit) == (name, 6)


@pytest.mark.parametrize("name", ["max_steps", "max_tool_calls", "max_model_calls", "max_seconds"])
def test_other_limits_given_at_the_resume_are_a_grant(name: str, tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    for n in (3, 8):
        with Journal(path) as journal:
            result = endless_run(OFF.with_(**{name: n}), journal)
        assert (unit(name)(result), result.stop.limit) == (n, n)


@pytest.mark.parametrize("bad", [{"max_stepz": 4}, {"max_steps": -1}, {"max_steps": math.nan}, {"per_step": 3}])
def test_a_grant_that_makes_no_sense_is_refused_before_it_is_written(bad: dict[str, Any]) -> None:
    journal = Journal()
    endless_run(OFF.with_(max_steps=2), journal)
    with pytest.raises((ValueError, JournalError), match="|".join(bad)):
        journal.grant(bad)
    assert journal.grants == [] and endless_run(OFF.with_(max_steps=2), journal).usage.steps == 2
