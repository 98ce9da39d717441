"""A person: asked before what matters, in this process or from another one days later, and every answer used once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers_control import OFF, SECOND, Counting, Killed, asks, endless, facts, killed_at, kinds, legal

from planexec.agent import PlanExecuteAgent
from planexec.chat import ServiceError
from planexec.clock import VirtualClock
from planexec.gate import Ended
from planexec.journal import Journal, JournalError
from planexec.limits import Limits
from planexec.models.scripted import ScriptedModel
from planexec.person import Answer, Request
from planexec.react_loop import react
from planexec.run import Run
from planexec.tools import Tool, tool


class Desk:
    """A mail tool behind an approval, a free look-up, and a person with a list of answers."""

    def __init__(self, *answers: Answer | None, approve: Any = True):
        self.answers, self.asked = list(answers), list[Request]()
        self.look, self.sent, self.approve = Counting(), list[str](), approve

    def tools(self) -> list[Tool]:
        @tool(effect=True, approve=self.approve)
        def send(to: str, text: str) -> str:
            """Send a mail."""
            self.sent.append(f"{to}: {text}")
            return f"sent to {to}"

        @tool(effect=True, approve=lambda args: args["to"].endswith("@outside.example"))
        def forward(to: str) -> str:
            """Forward a mail; outside addresses need a person."""
            self.sent.append(f"forwarded to {to}")
            return f"forwarded to {to}"

        return [send, forward, self.look.tool()]

    def __call__(self, request: Request) -> Answer | None:
        self.asked.append(request)
        return self.answers.pop(0) if self.answers else None


MAIL = ("send", {"to": "ann", "text": "hello"})
TURNS: list[Any] = [[("look", {"query": "a"}), MAIL, ("look", {"query": "b"})], "done"]


def script(turns: list[Any] = TURNS) -> ScriptedModel:
    """A model that goes by the turns the conversation already holds, in this process or a later one."""
    return ScriptedModel(lambda messages, tools: turns[sum(m["role"] == "assistant" for m in messages)], usage=SECOND)


def go(desk: Desk, journal: Journal | None = None, turns: list[Any] = TURNS, person: bool = True, **more: Any) -> Any:
    model = more.pop("model", None) or script(turns)
    asked = desk if person else None
    return react("q", model, desk.tools(), journal=journal, person=asked, clock=VirtualClock(), **more)


# --------------------------------------------------------------------------------------------- in this process


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


# --------------------------------------------------------------------------------------------- another process


def paused(path: Path, desk: Desk, **more: Any) -> Any:
    with Journal(path) as journal:
        result = go(desk, journal, person=False, **more)
        assert result.stop.reason == "paused" and not result.complete
    return result


def elsewhere(path: Path, answer: str) -> None:
    """Answer the open request from another process."""
    code = (
        "from pathlib import Path\nfrom planexec.journal import Journal\nfrom planexec.person import Answer\n"
        f"path = {str(path)!r}\nwith Journal(path) as journal:\n"
        f"    (request,) = journal.pending()\n    journal.answer(request['id'], {answer}.to_dict())\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_saved_run_pauses_and_goes_on_when_another_process_has_answered(tmp_path: Path) -> None:
    path, desk = tmp_path / "run.db", Desk()
    result = paused(path, desk)
    assert desk.look.seen == ["a"] and "Answer the open request" in result.stop.advice
    paused(path, desk)
    assert desk.look.seen == ["a"], "starting it again without an answer does nothing"
    elsewhere(path, "Answer('approve')")
    with Journal(path) as journal:
        model = script()
        result = go(desk, journal, person=False, model=model)
        assert journal.pending() == []
    assert result.complete and desk.sent == ["ann: hello"] and desk.look.seen == ["a", "b"]
    assert legal(model.requests[-1]["messages"])


@pytest.mark.parametrize(
    ("answer", "sent", "kind"),
    [
        ("Answer('reject', 'no')", [], "refused"),
        ("Answer('edit', args={'to': 'bob', 'text': 'hi'})", ["bob: hi"], "found"),
        ("Answer('reply', 'done by hand')", [], "found"),
    ],
)
def test_every_answer_can_be_given_later(answer: str, sent: list[str], kind: str, tmp_path: Path) -> None:
    path, desk = tmp_path / "run.db", Desk()
    paused(path, desk)
    elsewhere(path, answer)
    for _ in range(2):
        with Journal(path) as journal:
            result = go(desk, journal, person=False)
        assert result.answer == "done" and result.calls[1].kind == kind and desk.sent == sent


def test_stop_can_be_said_later_and_a_reopened_run_asks_once_more(tmp_path: Path) -> None:
    path, desk = tmp_path / "run.db", Desk()
    paused(path, desk)
    elsewhere(path, "Answer('stop', 'wait for Monday')")
    with Journal(path) as journal:
        assert go(desk, journal, person=False).stop.reason == "stopped"
        assert journal.reopen()
    paused(path, desk)
    elsewhere(path, "Answer('approve')")
    with Journal(path) as journal:
        assert go(desk, journal, person=False).complete and desk.sent == ["ann: hello"]


def test_a_grant_can_be_given_later_and_holds(tmp_path: Path) -> None:
    path, desk = tmp_path / "run.db", Desk()
    paused(path, desk, limits=Limits(max_steps=1))
    elsewhere(path, "Answer('grant', limits={'max_steps': 5})")
    paused(path, desk, limits=Limits(max_steps=1))
    elsewhere(path, "Answer('approve')")
    with Journal(path) as journal:
        assert go(desk, journal, person=False, limits=Limits(max_steps=1)).answer == "done"
    with Journal(path) as journal:
        assert go(desk, journal, person=False, limits=Limits(max_steps=1)).complete and desk.sent == ["ann: hello"]


def test_an_answer_is_used_once(tmp_path: Path) -> None:
    """Two equal calls in a run are two questions; a request that is answered takes no second answer."""
    path, desk = tmp_path / "run.db", Desk()
    turns = [[MAIL], [MAIL], "done"]
    paused(path, desk, turns=turns)
    with Journal(path) as journal:
        (request,) = journal.pending()
        journal.answer(request["id"], Answer("approve").to_dict())
        with pytest.raises(JournalError, match="already been answered"):
            journal.answer(request["id"], Answer("reject").to_dict())
        with pytest.raises(JournalError, match="no open request"):
            journal.answer("run:99", Answer("approve").to_dict())
    paused(path, desk, turns=turns)
    assert desk.sent == ["ann: hello"], "the second mail waits for its own answer"


def test_an_approval_survives_a_model_that_fails_after_it(tmp_path: Path) -> None:
    path, desk = tmp_path / "run.db", Desk()
    paused(path, desk)
    elsewhere(path, "Answer('approve')")
    with Journal(path) as journal:
        failing = ScriptedModel([ServiceError("no balance", "person")])
        assert go(desk, journal, person=False, model=failing).stop.reason == "failed"
    with Journal(path) as journal:
        journal.reopen()
        result = go(desk, journal, person=False)
    assert result.answer == "done" and desk.sent == ["ann: hello"]


@pytest.mark.parametrize("kill", range(1, 9))
def test_killed_anywhere_around_a_pause_the_person_is_asked_once_and_the_mail_goes_out_once(
    kill: int, tmp_path: Path
) -> None:
    path, desk, events = tmp_path / "run.db", Desk(), killed_at(kill)
    for _ in range(6):
        try:
            with Journal(path) as journal:
                for request in journal.pending():
                    desk.asked.append(Request(request["id"], request["kind"], request["text"]))
                    journal.answer(request["id"], Answer("approve").to_dict())
                result = go(desk, journal, person=False, on_event=events)
        except Killed:
            continue
        if result.complete:
            break
    assert result.answer == "done" and desk.sent == ["ann: hello"] and len(desk.asked) == 1


def test_steps_of_a_plan_pause_and_go_on_too(tmp_path: Path) -> None:
    from helpers_control import roles

    path, desk = tmp_path / "run.db", Desk()
    plan = [
        {"id": 1, "goal": "look", "tool": "look", "args": {"query": "a"}},
        {"id": 2, "goal": "send", "tool": "send", "args": {"to": "ann", "text": "$1"}},
        {"id": 3, "goal": "look again", "tool": "look", "args": {"query": "b"}},
    ]

    def run() -> Any:
        with Journal(path) as journal:
            return PlanExecuteAgent(roles(plan), desk.tools(), loop="plan").run("q", journal)

    first = run()
    assert first.stop.reason == "paused" and [step.status for step in first.steps] == ["done", "stopped", "open"]
    elsewhere(path, "Answer('approve')")
    second = run()
    assert second.complete and desk.sent == ["ann: fact about a"] and desk.look.seen == ["a", "b"]


def test_a_loop_may_ask_its_own_question(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    question = Request("colour", "question", "Which colour?")
    with Journal(path) as journal, pytest.raises(Ended) as ended:
        Run("q", journal=journal).ask(question)
    assert ended.value.stop.reason == "paused"
    elsewhere(path, "Answer('reply', 'blue')")
    with Journal(path) as journal:
        answer = Run("q", journal=journal).ask(question)
    assert answer is not None and answer.text == "blue"


# --------------------------------------------------------------------------------------------- expiry


class Wall:
    """A wall clock that a test sets."""

    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(("passed", "stop"), [(59.0, "paused"), (60.0, None)])
def test_a_request_that_has_expired_is_a_rejection_when_the_run_is_resumed(
    passed: float, stop: str | None, tmp_path: Path
) -> None:
    path, desk, wall = tmp_path / "run.db", Desk(), Wall()
    with Journal(path, wall=wall) as journal:
        assert go(desk, journal, person=False, expires=60.0).stop.reason == "paused"
    wall.now += passed
    for _ in range(2):
        with Journal(path, wall=wall) as journal:
            result = go(desk, journal, person=False, expires=60.0)
        assert (result.stop.reason if result.stop else None) == stop and desk.sent == []
    if stop is None:
        assert result.calls[1].kind == "refused" and "60 s" in result.calls[1].text


def test_an_answer_in_time_counts_however_late_the_resume_and_one_out_of_time_is_not_taken(tmp_path: Path) -> None:
    for passed, sent in ((59.0, ["ann: hello"]), (61.0, [])):
        path, desk, wall = tmp_path / f"{passed}.db", Desk(), Wall()
        with Journal(path, wall=wall) as journal:
            go(desk, journal, person=False, expires=60.0)
            (request,) = journal.pending()
        wall.now += passed
        with Journal(path, wall=wall) as journal:
            if sent:
                journal.answer(request["id"], Answer("approve").to_dict())
            else:
                assert journal.pending() == []
                with pytest.raises(JournalError, match="expired"):
                    journal.answer(request["id"], Answer("approve").to_dict())
        wall.now += 1_000_000.0
        with Journal(path, wall=wall) as journal:
            assert go(desk, journal, person=False, expires=60.0).answer == "done" and desk.sent == sent


def test_without_an_expiry_a_request_waits_for_ever(tmp_path: Path) -> None:
    path, desk, wall = tmp_path / "run.db", Desk(), Wall()
    with Journal(path, wall=wall) as journal:
        go(desk, journal, person=False)
    wall.now += 1e9
    with Journal(path, wall=wall) as journal:
        assert go(desk, journal, person=False).stop.reason == "paused" and len(journal.pending()) == 1


def test_a_question_of_a_loop_may_expire_too(tmp_path: Path) -> None:
    wall, question = Wall(), Request("colour", "question", "Which colour?", expires=5.0)
    with Journal(tmp_path / "run.db", wall=wall) as journal:
        with pytest.raises(Ended):
            Run("q", journal=journal).ask(question)
        wall.now += 5.0
        answer = Run("q", journal=journal).ask(question)
    assert answer is not None and answer.decision == "reject"


def test_the_time_a_person_took_is_not_in_the_runs_seconds(tmp_path: Path) -> None:
    path, desk = tmp_path / "run.db", Desk()
    paused(path, desk)
    elsewhere(path, "Answer('approve')")
    with Journal(path) as journal:
        result = go(desk, journal, person=False, limits=Limits(max_seconds=60.0))
    assert result.complete and result.usage.seconds == pytest.approx(2.0, abs=0.5)


def test_nobody_is_asked_when_nothing_needs_it() -> None:
    desk = Desk()
    react("q", endless(), [facts()], OFF.with_(max_steps=3), person=desk, guards=())
    assert desk.asked == []
