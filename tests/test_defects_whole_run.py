"""Defects of the articles' planner, replanner, report and log, by their numbers, each through a whole run.

That the readers of a plan see the fault is in test_plan_defects.py; here it is what becomes of it: asked once more, the
old plan kept, said in the result.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers_control import OFF, Counting, asked, endless, facts, notes_of, once_each, planned, role_of, roles

from planexec.agent import PlanExecuteAgent
from planexec.chat import ServiceError
from planexec.journal import Journal
from planexec.limits import Limits
from planexec.models.scripted import ScriptedModel
from planexec.react_loop import react
from planexec.router import PROMPT

THREE = ["one", "two", "three"]
TWELVE = [f"side {number}" for number in range(1, 13)]


def plan_of(first: Any, second: Any) -> tuple[Any, dict[str, Any], list[str]]:
    """A run whose planner says `first`, and `second` when it is asked once more: result, note, what it was asked."""

    def planner(messages: Any) -> str:
        said = first if len(messages) == 2 else second
        return said if isinstance(said, str) else json.dumps(said)

    journal, model = Journal(), roles(planner)
    result = planned(model, [Counting().tool()], journal=journal)
    requests = [each["messages"] for each in model.requests if role_of(each["messages"]) == "planner"]
    return result, notes_of(journal, "plan")[0], [each[-1]["content"] for each in requests if len(each) > 2]


@pytest.mark.parametrize("blank", ["", "   ", "\n" * 40])
def test_defect_28_a_blank_plan_is_asked_for_once_more_and_what_is_less_is_said(blank: str) -> None:
    """A blank answer became a plan of one step in silence, and the report did not say so."""
    result, note, again = plan_of(blank, THREE)
    assert (result.plan, result.degraded, note["degraded"]) == (tuple(THREE), False, "")
    assert len(again) == 1 and "cannot be used" in again[0]
    result, note, again = plan_of(blank, blank)
    assert (result.plan, result.degraded) == (("q",), True) and note["degraded"] and again


def test_defect_29_a_plan_that_is_too_long_is_asked_for_once_more_with_the_limit_and_a_cut_is_said() -> None:
    """Twelve steps became the first eight in silence; the lost tail is usually the comparison."""
    eight = [*TWELVE[:7], "compare them"]
    result, note, again = plan_of(TWELVE, eight)
    assert (result.plan, result.degraded, note["degraded"]) == (tuple(eight), False, "")
    assert len(again) == 1 and "12 steps" in again[0] and "at most 8" in again[0]
    result, note, again = plan_of(TWELVE, TWELVE)
    assert (result.plan, result.degraded, len(again)) == (tuple(TWELVE[:8]), True, 1)
    assert "12 steps" in note["degraded"]


def replanned(answer: Any, plan: Any = THREE, limits: Limits | None = None) -> tuple[list[str], Any, dict[str, Any]]:
    """A run whose replanner says `answer` after the first step: what was looked up, the result, the note of it."""

    def replanner(messages: Any) -> str:
        first = len(asked(messages)["done"]) == 1
        said = answer if first else asked(messages)["remaining"]
        return said if isinstance(said, str) else json.dumps(said)

    look, journal = Counting(), Journal()
    result = planned(roles(plan, once_each(), replanner), [look.tool()], limits, journal)
    return look.seen, result, notes_of(journal, "replan")[0]


def test_defect_55_nothing_left_ends_the_plan() -> None:
    """`[]` was taken for "could not be read", and the old plan was kept: what was covered was done again."""
    seen, result, note = replanned("[]")
    assert (seen, result.complete, [step.goal for step in result.steps]) == (["one"], True, ["one"])
    assert (note["status"], note["steps"]) == ("empty", [])


def test_defect_56_an_answer_that_cannot_be_read_is_reported_and_the_old_plan_is_finished() -> None:
    """What could not be read was "no change" in silence, and `{"remaining": [...]}` was ignored."""
    seen, result, note = replanned("The plan is fine.")
    assert (seen, result.complete) == (THREE, True)
    assert note["status"] == "unreadable" and note["why"] and note["steps"] == [[2, "two"], [3, "three"]]
    seen, _, note = replanned({"remaining": ["three"]})
    assert (seen, note["status"], note["steps"]) == (["one", "three"], "parsed", [[3, "three"]])


def test_defect_57_a_remainder_that_is_too_long_is_turned_down_whole_and_not_cut() -> None:
    """Twelve new steps became the first seven in silence."""
    seen, _, note = replanned([{"id": None, "goal": goal} for goal in TWELVE], limits=Limits(max_steps=40))
    assert seen == THREE and note["steps"] == [[2, "two"], [3, "three"]]
    assert note["status"] == "unreadable" and "12 steps, at most 7" in note["why"]
    seven = [{"id": None, "goal": goal} for goal in TWELVE[:7]]
    seen, _, note = replanned(seven, limits=Limits(max_steps=40))
    assert (seen, note["status"]) == (["one", *TWELVE[:7]], "parsed"), "what just fits is taken"


def told(messages: Any) -> Any:
    """An executor that makes one call and hands on all that it brought."""
    if messages[-1]["role"] == "tool":
        return messages[-1]["content"]
    return [("look", {"query": asked(messages)["step"]["goal"]})]


def test_defect_66_a_report_that_does_not_fit_into_the_model_costs_no_result() -> None:
    """All results went into the report's prompt, whatever the model can hold: fatal for one of 8,000 tokens.

    Ours are cut to `handed_on.ROOM` characters altogether; where a service refuses even that, a digest shows some of
    every step, and the run says that it has no report.
    """
    refused = ServiceError("This model's maximum context length is 8192 tokens", "permanent", status=400)
    long = Counting(lambda query: f"{query}: " + "x" * 20_000)
    result = planned(roles(THREE, told, reporter=refused), [long.tool()])
    assert (result.complete, result.stop.reason, result.stop.where) == (False, "failed", "report")
    assert "maximum context length" in result.stop.advice
    assert long.seen == THREE and all(f"{goal}: xxx" in result.answer for goal in THREE)
    assert len(result.answer) < 5_000, "a digest, not the results over again"


@pytest.mark.parametrize("links", range(1, 9))
def test_defect_86_a_chain_may_be_as_long_as_the_limit_says_and_nothing_ends_it_before(links: int) -> None:
    """The text allowed "the longest chain and 2 or 3", the code 8, and another counter ended every run at 4."""
    plan = [{"id": n, "goal": f"link {n}", "tool": "look", "args": {"query": f"link {n}"}} for n in range(1, links + 1)]
    result = planned(roles(plan), [facts()], Limits.medium())
    assert result.complete and result.usage.steps == result.usage.tool_calls == links


def test_defect_89_what_the_third_turn_did_is_known_in_the_sixth() -> None:
    """ "Nothing remembers", said the text; the history does. What was missing is something that looks at it."""
    asks = {3: "the same", 6: "the same", 8: "the same", 10: "the same"}
    look = Counting()
    model = endless(args=lambda turn: {"query": asks.get(turn, f"side {turn}")})
    result = react("q", model, [look.tool()], OFF.with_(max_steps=20))
    assert (result.stop.reason, look.seen.count("the same")) == ("loop", 3)
    assert result.calls[-1].kind == "refused" and len(result.calls) == 10


@pytest.mark.parametrize("limits", [OFF.with_(max_steps=2), OFF.with_(max_tool_calls=4), OFF.with_(max_model_calls=9)])
def test_defect_90_the_result_counts_what_the_log_shows(limits: Limits) -> None:
    """The text counted three searches where its own log had five, and four where two had been made."""
    journal, look = Journal(), Counting()
    result = planned(roles(THREE, once_each()), [look.tool()], limits, journal)
    kinds = [record.kind for record in journal.records()]
    counted = (result.usage.tool_calls, result.usage.model_calls)
    assert counted == (kinds.count("tool"), kinds.count("model")) and len(look.seen) == result.usage.tool_calls
    assert [call.args["query"] for call in result.calls] == look.seen


@pytest.mark.parametrize("calls", [3, 4, 5])
@pytest.mark.parametrize("route", ["direct", "chain"])
def test_defect_113_no_number_of_steps_lies_between_the_two_loops(route: str, calls: int) -> None:
    """ReAct for up to 3 steps, a plan from 5 on: 4 was neither. Ours asks what waits for what, and counts nothing."""
    assert not any(character.isdigit() for lang in ("en", "zh") for character in PROMPT[lang])
    plan = [{"id": n, "goal": f"link {n}", "tool": "look", "args": {"query": f"link {n}"}} for n in range(1, calls + 1)]

    def line(messages: Any, tools: Any) -> Any:
        if messages[0]["content"].startswith(PROMPT["en"][:40]):
            return json.dumps({"route": route})
        if route == "direct":
            done = any(message["role"] == "tool" for message in messages)
            return "the answer" if done else [("look", each["args"]) for each in plan]
        return json.dumps(plan) if role_of(messages) == "planner" else "the answer"

    look = Counting()
    result = PlanExecuteAgent(ScriptedModel(line), [look.tool()], Limits.simple().with_(max_steps=5)).run("q")
    assert (result.route, result.complete, result.answer) == (route, True, "the answer")
    assert look.seen == [f"link {n}" for n in range(1, calls + 1)]
