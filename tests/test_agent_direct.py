"""A direct question: one reply full of tool calls, then the answer; only if nothing was found it goes on by turns."""

from __future__ import annotations

import pytest

from planexec import Run
from planexec.agent import answer_directly
from planexec.chat import ServiceError
from planexec.models.scripted import ScriptedModel, calls
from planexec.tools import empty, tool


@tool
def price(name: str) -> str:
    """The price of a thing."""
    return f"{name} costs 3"


@tool
def nothing(name: str) -> object:
    """Nothing is known here."""
    return empty()


@tool
def broken(name: str) -> str:
    """A service that is down."""
    raise ServiceError("down", "permanent")


def answered(*replies, lang="en"):
    model = ScriptedModel(list(replies))
    run = Run("q", model=model, tools=[price, nothing, broken], guards=(), lang=lang, date="2026-01-01")
    return answer_directly(run, "q"), model


def test_three_calls_of_one_reply_and_one_more_request_for_the_answer():
    both = calls(("price", {"name": "a"}), ("price", {"name": "b"}), ("price", {"name": "c"}))
    result, model = answered(both, "3 each")
    assert (result.answer, result.complete, result.route) == ("3 each", True, "direct")
    assert (len(model.requests), len(result.calls), result.usage.steps) == (2, 3, 1)
    assert model.requests[1]["tool_choice"] == "none"


def test_an_answer_without_any_call_is_the_answer():
    result, model = answered("I know it: 3")
    assert (result.answer, result.complete, len(model.requests)) == ("I know it: 3", True, 1)


def test_with_nothing_found_it_goes_on_by_turns():
    result, model = answered(calls(("nothing", {"name": "a"})), calls(("price", {"name": "a"})), "3")
    assert (result.answer, result.complete) == ("3", True)
    assert [call.kind for call in result.calls] == ["empty", "found"]


@pytest.mark.parametrize(("called", "reason"), [("nothing", "no_data"), ("broken", "failed")])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_question_that_nothing_answers_says_why_and_what_to_try_next(called, reason, lang):
    result, _ = answered(calls((called, {"name": "a"})), "Nothing there.", lang=lang)
    assert (result.complete, result.stop.reason, result.stop.value) == (False, reason, 1)
    assert result.stop.advice
    assert result.stop.advice.isascii() == (lang == "en")
