"""A person: asked before what matters, in this process or from another one days later, and every answer used once."""

from __future__ import annotations

from typing import Any

import pytest
from helpers_control import OFF, asks, kinds, legal
from helpers_person import MAIL, Desk, go, script

from planexec.journal import Journal
from planexec.limits import Limits
from planexec.person import Answer
from planexec.run import Run


def test_an_approved_call_happens_once_and_the_batch_comes_back_in_order() -> None:
    desk = Desk(Answer("approve"))
    result = go(desk)
    assert desk.sent == ["ann: hello"] and desk.look.seen == ["a", "b"]
    assert [call.text for call in result.calls] == ["fact about a", "sent to ann", "fact about b"]
    (request,) = desk.asked
    assert (request.kind, request.tool, request.args, request.where) == ("approve", "send", MAIL[1], "run")
    assert request.text == 'send({"to":"ann","text":"hello"})'


def test_a_rejected_call_is_never_entered_and_its_reason_is_the_tools_message() -> None:
    desk, model = Desk(Answer("reject", "not to Ann")), script()
    result = go(desk, model=model)
    assert desk.sent == []
    assert result.calls[1].kind == "refused" and "not to Ann" in result.calls[1].text
    assert legal(model.requests[-1]["messages"])
    assert any("not to Ann" in str(message["content"]) for message in model.requests[-1]["messages"])


def test_an_edited_call_happens_as_edited_and_the_model_is_told() -> None:
    desk, model = Desk(Answer("edit", args={"to": "bob", "text": "hello"})), script()
    result = go(desk, model=model)
    assert desk.sent == ["bob: hello"]
    told = result.calls[1].text if "person" in result.calls[1].text else model.requests[-1]["messages"][4]["content"]
    assert '[person] This call was changed to send({"to":"bob","text":"hello"})' in told
    assert told.startswith("sent to bob")


def test_an_edit_into_another_tool_that_needs_a_person_is_asked_about_again() -> None:
    desk = Desk(Answer("edit", tool="forward", args={"to": "x@outside.example"}), Answer("approve"))
    go(desk)
    assert [request.tool for request in desk.asked] == ["send", "forward"]
    assert desk.sent == ["forwarded to x@outside.example"]


def test_an_edit_into_another_tool_that_needs_nobody_happens() -> None:
    desk = Desk(Answer("edit", tool="forward", args={"to": "x@inside.example"}))
    go(desk)
    assert len(desk.asked) == 1 and desk.sent == ["forwarded to x@inside.example"]


@pytest.mark.parametrize("edit", [{"to": 5}, {"subject": "x"}, {}])
def test_an_edit_that_does_not_fit_the_tool_is_an_honest_failure(edit: dict[str, Any]) -> None:
    desk = Desk(Answer("edit", args=edit))
    result = go(desk)
    assert desk.sent == [] and result.calls[1].kind == "failed" and "send was not run" in result.calls[1].text


def test_an_edit_into_a_tool_that_does_not_exist_is_an_honest_failure() -> None:
    desk = Desk(Answer("edit", tool="teleport", args={}))
    result = go(desk)
    assert result.calls[1].kind == "failed" and "no tool named 'teleport'" in result.calls[1].text


def test_an_edit_passes_the_limits_too() -> None:
    desk = Desk(Answer("edit", tool="look", args={"query": "instead"}))
    result = go(desk, limits=OFF.with_(max_calls_per_tool=1))
    assert desk.look.seen == ["a"] and [call.kind for call in result.calls] == ["found", "refused", "refused"]


def test_a_reply_stands_in_for_the_tool() -> None:
    desk = Desk(Answer("reply", "I have told her myself."))
    result = go(desk)
    assert desk.sent == [] and (result.calls[1].kind, result.calls[1].text) == ("found", "I have told her myself.")


def test_stop_ends_the_run_at_once_with_what_there_is() -> None:
    desk, model = Desk(Answer("stop", "not today")), script()
    result = go(desk, model=model)
    assert (result.stop.reason, result.complete, len(model.requests)) == ("stopped", False, 1)
    assert "not today" in result.stop.advice and "fact about a" in result.answer
    assert desk.sent == [] and desk.look.seen == ["a"]


def test_a_grant_changes_the_limits_and_the_call_is_asked_about_again() -> None:
    desk = Desk(Answer("grant", limits={"max_steps": 9}), Answer("approve"))
    run = Run("q", tools=desk.tools(), limits=Limits(max_steps=2), person=desk)
    assert kinds(run.tools(asks(MAIL))) == ["found"]
    assert run.limits.max_steps == 9 and len(desk.asked) == 2 and desk.sent == ["ann: hello"]


def test_somebody_who_never_decides_is_not_asked_for_ever() -> None:
    desk = Desk(*[Answer("grant", limits={"max_steps": 9})] * 50)
    run = Run("q", tools=desk.tools(), person=desk)
    assert kinds(run.tools(asks(MAIL))) == ["refused"] and len(desk.asked) <= 11
    turns = [
        Answer("edit", tool=each, args={"to": "x@outside.example", "text": "y"}) for each in ("forward", "send") * 9
    ]
    desk = Desk(*turns)
    run = Run("q", tools=desk.tools(), person=desk)
    assert kinds(run.tools(asks(MAIL))) in (["refused"], ["failed"]) and desk.sent == [] and len(desk.asked) <= 5


@pytest.mark.parametrize("decision", ["approve", "reject", "edit", "reply", "grant"])
def test_what_was_decided_comes_back_on_a_replay_without_asking(decision: str) -> None:
    more: dict[str, Any] = {"edit": {"args": MAIL[1]}, "grant": {"limits": {"max_steps": 5}}}.get(decision, {})
    desk, journal = Desk(Answer(decision, "a word", **more), Answer("approve")), Journal()
    first = go(desk, journal)
    count, sent = len(desk.asked), list(desk.sent)
    again = go(desk, journal)
    assert again.calls == first.calls and again.answer == first.answer
    assert (len(desk.asked), desk.sent) == (count, sent)


# ----------------------------------------------------------------------------------------- who is asked, and when


def test_a_policy_by_arguments_asks_only_for_what_it_names() -> None:
    desk = Desk(Answer("approve"))
    turns: list[Any] = [[("forward", {"to": "a@inside.example"}), ("forward", {"to": "b@outside.example"})], "done"]
    go(desk, turns=turns)
    assert [request.args for request in desk.asked] == [{"to": "b@outside.example"}]
    assert desk.sent == ["forwarded to a@inside.example", "forwarded to b@outside.example"]


@pytest.mark.parametrize("args", [{}, {"to": 7}, {"to": None}])
def test_a_policy_that_cannot_decide_asks(args: dict[str, Any]) -> None:
    desk = Desk(Answer("reject"))
    go(desk, turns=[("forward", args), "done"])
    assert len(desk.asked) == 1 and desk.sent == []


def test_with_nobody_there_and_nothing_durable_a_gated_call_is_refused_with_that_reason() -> None:
    desk = Desk()
    result = go(desk, person=False)
    assert desk.sent == [] and "needs a person, and nobody is there" in result.calls[1].text
    assert desk.look.seen == ["a", "b"] and result.answer == "done"


def test_a_call_that_a_limit_refuses_is_not_asked_about() -> None:
    desk = Desk(Answer("approve"))
    go(desk, limits=OFF.with_(max_tool_calls=1))
    assert desk.asked == [] and desk.sent == []


@pytest.mark.parametrize("wrong", [True, "approve", {"decision": "approve"}, 1])
def test_a_person_function_that_returns_something_else_is_the_callers_mistake(wrong: Any) -> None:
    run = Run("q", tools=Desk().tools(), person=lambda request: wrong)
    with pytest.raises(TypeError, match="Answer"):
        run.tools(asks(MAIL))


@pytest.mark.parametrize(
    "wrong", [{"decision": "maybe"}, {"decision": "edit"}, {"decision": "grant"}, {"decision": "grant", "limits": {}}]
)
def test_an_answer_that_says_too_little_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        Answer(**wrong)
