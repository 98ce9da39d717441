"""Seconds, dollars and tokens: never more than the limit, whatever a call takes, bills or claims."""

from __future__ import annotations

import math
import threading
from dataclasses import replace

import pytest
from helpers_control import OFF, SECOND, Counting, Killed, endless, endless_run, facts, killed_at, slow
from hypothesis import given, settings
from hypothesis import strategies as st

from planexec.chat import Price, ServiceError, Usage, user
from planexec.clock import VirtualClock
from planexec.gate import Ended
from planexec.journal import Journal
from planexec.models.scripted import ScriptedModel, says
from planexec.person import Answer, Request
from planexec.react_loop import Trace, conclusion, loop, react
from planexec.run import Run

# ------------------------------------------------------------------------------------------------ time


def test_nothing_starts_at_or_beyond_the_limit_and_what_runs_is_cut_there() -> None:
    """Of 10 s the model took 1 and keeps 1 for the conclusion: the second look-up of 6 s is cut after 2."""
    model = ScriptedModel([[("look", {"query": each}) for each in "abc"], "in time"], usage=Usage(10, 10, seconds=1.0))
    limits = OFF.with_(max_seconds=10.0, max_attempts=1)
    result = react("q", model, [slow(6.0)], limits, guards=(), clock=VirtualClock())
    assert [call.kind for call in result.calls] == ["found", "failed", "refused"]
    assert "cut off after 2 s" in result.calls[1].text
    assert (result.usage.seconds, result.stop.reason, result.answer) == (10.0, "max_seconds", "in time")


def test_a_model_call_that_outlasts_the_time_is_cut_at_the_limit() -> None:
    model = ScriptedModel([says("late", usage=Usage(10, 10, seconds=30.0))])
    result = react("q", model, [], OFF.with_(max_seconds=10.0), clock=VirtualClock())
    assert (result.usage.seconds, result.stop.reason, result.complete) == (10.0, "max_seconds", False)
    assert "late" not in result.answer


def test_each_call_is_told_how_much_time_is_left() -> None:
    model = endless(usage=Usage(10, 10, seconds=2.0))
    react("q", model, [facts()], OFF.with_(max_seconds=9.0), guards=(), clock=VirtualClock())
    told = [request["timeout"] for request in model.requests]
    assert told == [9.0, 5.0, 3.0, 3.0], "2 s are kept back for the conclusion, once a call has shown its pace"


def test_waiting_before_another_attempt_is_working_time() -> None:
    model = ScriptedModel(lambda messages, tools: ServiceError("busy", "transient", retry_after=5.0))
    result = react("q", model, [], OFF.with_(max_seconds=12.0, max_attempts=50), clock=VirtualClock())
    assert result.stop.reason == "max_seconds" and result.usage.seconds == 12.0
    assert len(model.requests) == 3, "at 0, 5 and 10 seconds"


def test_the_time_a_person_takes_is_not_charged() -> None:
    clock = VirtualClock()

    def slow_person(request: Request) -> Answer:
        clock.wait(1_000_000.0)
        return Answer("approve")

    model = ScriptedModel([("send", {"query": "x"}), "sent"], usage=Usage(10, 10, seconds=1.0))
    tools = [facts("send", approve=True)]
    result = react("q", model, tools, OFF.with_(max_seconds=3.0), clock=clock, person=slow_person)
    assert result.complete and result.usage.seconds == 2.0


def test_a_replay_counts_the_seconds_that_were_recorded() -> None:
    journal, clock = Journal(), VirtualClock()
    first = react("q", endless(usage=SECOND), [facts()], OFF.with_(max_seconds=4), journal=journal, clock=clock)
    again = react("q", ScriptedModel([]), [facts()], OFF.with_(max_seconds=4), journal=journal, clock=VirtualClock())
    assert first.usage == again.usage and again.usage.seconds == 4.0


def test_a_hanging_call_is_given_up_when_the_time_is_over() -> None:
    """A real clock: the call never returns, the run does."""
    hang = threading.Event()
    model = ScriptedModel(lambda messages, tools: says("late") if hang.wait(60) else says("late"))
    try:
        result = react("q", model, [], OFF.with_(max_seconds=0.2))
    finally:
        hang.set()
    assert result.stop.reason == "max_seconds" and 0.2 <= result.usage.seconds < 5.0


@pytest.mark.parametrize("seconds", [-5.0, math.nan, math.inf])
def test_odd_reported_seconds_neither_lift_a_limit_nor_break_the_run(seconds: float) -> None:
    result = endless_run(OFF.with_(max_seconds=3, max_steps=20), model=endless(usage=Usage(10, 10, seconds=seconds)))
    assert result.stop is not None and 0 <= result.usage.seconds <= 3


# ------------------------------------------------------------------------------------------- dollars and tokens

PRICE = Price(1.0, 10.0)  # dollars per million tokens


@settings(max_examples=60, deadline=None)
@given(
    usd=st.floats(0.0, 0.5),
    prompt=st.integers(0, 60),
    completion=st.integers(0, 4_096),
    rate=st.floats(0.0, 100.0),
)
def test_dollars_are_never_exceeded(usd: float, prompt: int, completion: int, rate: float) -> None:
    """Whatever a call really costs within its cap, the sum stays at or under the limit, the conclusion included."""
    price = Price(rate, 10.0)
    model = endless(usage=Usage(prompt, completion), price=price)
    result = endless_run(OFF.with_(max_usd=usd, max_steps=30), model=model)
    assert result.usage.usd is not None and result.usage.usd <= usd + 1e-6
    assert result.stop is not None and result.stop.reason in ("max_usd", "max_steps")


@settings(max_examples=60, deadline=None)
@given(tokens=st.integers(0, 60_000), prompt=st.integers(0, 60), completion=st.integers(0, 4_096))
def test_tokens_are_never_exceeded(tokens: int, prompt: int, completion: int) -> None:
    result = endless_run(OFF.with_(max_tokens=tokens, max_steps=30), model=endless(usage=Usage(prompt, completion)))
    assert result.usage.prompt_tokens + result.usage.completion_tokens <= tokens
    assert result.stop is not None and result.stop.reason in ("max_tokens", "max_steps")


def test_a_dear_call_is_not_begun_when_it_could_break_the_limit() -> None:
    """The cap of 4,096 tokens at 10 dollars a million is 4.1 cents: with 4 cents left nothing is asked."""
    model = endless(usage=Usage(10, 4_000), price=PRICE)
    result = endless_run(OFF.with_(max_usd=0.04), model=model)
    assert model.requests == [] and result.stop.reason == "max_usd"


def test_every_call_carries_the_cap_that_was_reserved() -> None:
    model = endless(price=PRICE)
    endless_run(OFF.with_(max_usd=5.0, max_steps=2), model=model)
    assert [request["max_tokens"] for request in model.requests] == [4_096, 4_096, 8_192]


def test_what_a_reply_did_not_use_is_given_back() -> None:
    """Cheap replies under a limit that reserves 4 cents a call: far more than limit / reservation calls fit."""
    result = endless_run(OFF.with_(max_usd=0.2, max_steps=60), model=endless(usage=Usage(10, 10), price=PRICE))
    assert result.stop.reason == "max_steps" and result.usage.usd < 0.01


def test_the_tools_offered_are_part_of_what_is_reserved() -> None:
    """The schemas travel with every call: a long description costs although no message shows it."""
    long = Counting().tool("look")
    wordy = type(long)(long.name, "word " * 4_000, long.function)
    model = endless(usage=Usage(20_000, 10), price=Price(10.0, 0.0))
    result = endless_run(OFF.with_(max_usd=0.19), model=model, tools=[wordy])
    assert model.requests == [] and result.stop.reason == "max_usd", "20 cents for the prompt alone"


def test_a_dollar_limit_with_an_unknown_price_is_an_error_at_construction() -> None:
    with pytest.raises(ValueError, match="price"):
        Run("q", model=ScriptedModel([]), limits=OFF.with_(max_usd=1.0))
    with pytest.raises(ValueError, match="price"):
        Run("q", model=ScriptedModel([]), limits=OFF.with_(per_step=OFF.with_(max_usd=1.0)))
    Run("q", model=ScriptedModel([], price=Price()), limits=OFF.with_(max_usd=1.0))


def billing(usage: Usage) -> ScriptedModel:
    """An endless model that bills exactly this."""
    model = endless(price=PRICE)
    finished = model._finished
    model._finished = lambda reply, messages: replace(finished(reply, messages), usage=usage)  # type: ignore[method-assign]
    return model


@pytest.mark.parametrize("usage", [Usage(-1_000_000, -1_000_000, usd=-50.0), Usage(10, -1), Usage(0, 0)])
def test_a_bill_without_believable_tokens_is_charged_what_was_reserved(usage: Usage) -> None:
    """No tokens at all is no proof that it was free; a negative number is no refund."""
    result = endless_run(OFF.with_(max_usd=0.3, max_steps=50), model=billing(usage))
    assert result.stop.reason == "max_usd" and 0.1 < result.usage.usd <= 0.3


@pytest.mark.parametrize("usd", [math.nan, math.inf, -1.0, None])
def test_dollars_that_cannot_be_right_are_worked_out_from_the_tokens(usd: float | None) -> None:
    result = endless_run(OFF.with_(max_usd=0.3, max_steps=4), model=billing(Usage(100_000, 0, usd=usd)))
    assert (result.stop.reason, result.usage.usd) == ("max_usd", 0.3)


def test_without_a_limit_on_them_odd_tokens_count_as_none() -> None:
    result = endless_run(OFF.with_(max_steps=2), model=billing(Usage(-5, 7)))
    assert (result.usage.prompt_tokens, result.usage.completion_tokens) == (0, 0)


def test_money_goes_on_after_a_resume() -> None:
    journal, usage = Journal(), Usage(50, 4_000)
    limits = OFF.with_(max_usd=0.5, max_steps=50)
    with pytest.raises(Killed):
        endless_run(limits, journal, model=endless(usage=usage, price=PRICE), on_event=killed_at(7))
    model = endless(usage=usage, price=PRICE)
    result = endless_run(limits, journal, model=model)
    whole = endless_run(limits, model=endless(usage=usage, price=PRICE))
    assert result.usage == whole.usage and result.stop == whole.stop


# ------------------------------------------------------------------------------------------- of one step


@pytest.mark.parametrize(("name", "most"), [("max_usd", 0.2), ("max_tokens", 20_000), ("max_seconds", 7.0)])
def test_a_step_has_its_own_money_tokens_and_time_and_its_conclusion_is_inside(name: str, most: float) -> None:
    """Two steps, each of which would go on for ever: each ends within its own share, and the run goes on."""
    model = endless(usage=Usage(50, 3_000, seconds=1.0), price=PRICE)
    limits = OFF.with_(per_step=OFF.with_(**{name: most}))
    run = Run("q", model=model, tools=[facts()], limits=limits, guards=(), clock=VirtualClock())
    for number in (1, 2):
        step = run.within(f"step-{number}", step=True)
        trace = Trace([user("go")])
        with pytest.raises(Ended) as ended:
            loop(step, trace)
        assert (ended.value.stop.reason, ended.value.level) == (f"per_step.{name}", step.scope)
        assert conclusion(step, trace, ended.value.stop) == "what there is"
        here = step.used_here
        assert 0 < {"max_usd": here.usd, "max_tokens": here.tokens, "max_seconds": here.seconds}[name] <= most
    assert run.used.model_calls == 2 * step.used_here.model_calls


def test_a_call_of_a_step_is_cut_at_the_steps_own_limit_and_the_run_goes_on() -> None:
    model = ScriptedModel([says("late", usage=Usage(10, 10, seconds=30.0)), "in time"])
    run = Run("q", model=model, limits=OFF.with_(per_step=OFF.with_(max_seconds=10.0)), clock=VirtualClock())
    step = run.within("step-1", step=True)
    with pytest.raises(Ended) as ended:
        step.model([user("go")])
    assert (ended.value.level, ended.value.stop.limit, step.used_here.seconds) == ("step-1", 10.0, 10.0)
    assert run.within("step-2", step=True).model([user("go")]).text == "in time"
