"""A person who answers later: from another process, another day, or not in time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers_control import OFF, Killed, endless, facts, killed_at, legal
from helpers_person import MAIL, Desk, go, script

from planexec.agent import PlanExecuteAgent
from planexec.chat import ServiceError
from planexec.gate import Ended
from planexec.journal import Journal, JournalError
from planexec.limits import Limits
from planexec.models.scripted import ScriptedModel
from planexec.person import Answer, Request
from planexec.react_loop import react
from planexec.run import Run


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
