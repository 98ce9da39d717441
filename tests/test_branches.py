"""Branches of a run - forks, and copies of its file - do not repeat unasked what another branch did to the world."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from helpers_control import Counting, Killed, asks, facts, kinds

from planexec.gate import Ended
from planexec.journal import Journal
from planexec.ledger import claim
from planexec.models.scripted import ScriptedModel
from planexec.person import Answer, Request
from planexec.react_loop import react
from planexec.run import Run

TURNS: list[Any] = [[("look", {"query": "a"})], [("send", {"query": "hello"})], "done"]


class Outside:
    """A mail tool, and a person who remembers what was asked."""

    def __init__(self, *answers: Answer, **options: Any):
        self.send, self.answers, self.asked = Counting(lambda query: "sent"), list(answers), list[Request]()
        self.options = {"effect": True, **options}

    def __call__(self, request: Request) -> Answer:
        self.asked.append(request)
        return self.answers.pop(0)

    def go(self, journal: Journal, until: int = 9) -> Any:
        """The run, killed when it is about to ask the model for its `until`-th turn."""

        def line(messages: Any, tools: Any) -> Any:
            turn = sum(message["role"] == "assistant" for message in messages)
            if turn == until:
                raise Killed
            return TURNS[turn]

        tools = [facts(), self.send.tool("send", **self.options)]
        return react("q", ScriptedModel(line), tools, journal=journal, person=self)


def before_the_mail(path: Path, outside: Outside) -> None:
    with Journal(path) as journal, pytest.raises(Killed):
        outside.go(journal, until=1)


def branch(path: Path, target: Path, how: str) -> Path:
    if how == "fork":
        with Journal(path) as journal:
            journal.fork(target).close()
    else:
        shutil.copy(path, target)
    return target


HOWS = ["fork", "copy"]


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize(("answer", "sent"), [(Answer("reject", "once is enough"), 1), (Answer("approve"), 2)])
def test_a_call_that_another_branch_has_made_is_asked_about(
    how: str, answer: Answer, sent: int, tmp_path: Path
) -> None:
    outside = Outside(answer)
    before_the_mail(tmp_path / "run.db", outside)
    other = branch(tmp_path / "run.db", tmp_path / "other.db", how)
    with Journal(tmp_path / "run.db") as journal:
        assert outside.go(journal).answer == "done" and outside.asked == []
    for _ in range(2):
        with Journal(other) as journal:
            result = outside.go(journal)
        assert result.answer == "done" and len(outside.send.seen) == sent and len(outside.asked) == 1
    (request,) = outside.asked
    assert request.kind == "unknown" and "run.db" in request.text and "Another branch" in request.text
    assert result.calls[1].kind == ("found" if sent == 2 else "unknown")


@pytest.mark.parametrize("how", HOWS)
def test_whoever_comes_first_need_not_ask(how: str, tmp_path: Path) -> None:
    outside = Outside(Answer("reply", "sent"))
    before_the_mail(tmp_path / "run.db", outside)
    other = branch(tmp_path / "run.db", tmp_path / "other.db", how)
    with Journal(other) as journal:
        assert outside.go(journal).answer == "done" and outside.asked == []
    with Journal(tmp_path / "run.db") as journal:
        assert outside.go(journal).answer == "done"
    assert len(outside.asked) == 1 and outside.send.seen == ["hello"]


def test_one_snapshot_resumed_twice_sends_once(tmp_path: Path) -> None:
    """openai-agents repeats the effect: here the second resume of the same saved state asks."""
    outside = Outside(Answer("reject", "it went out"), Answer("reject", "it went out"))
    before_the_mail(tmp_path / "run.db", outside)
    copies = [branch(tmp_path / "run.db", tmp_path / f"copy-{number}.db", "copy") for number in (1, 2, 3)]
    for path in copies:
        with Journal(path) as journal:
            outside.go(journal)
    assert outside.send.seen == ["hello"] and len(outside.asked) == 2


def test_branches_that_do_other_things_ask_nothing(tmp_path: Path) -> None:
    outside = Outside()
    before_the_mail(tmp_path / "run.db", outside)
    other = branch(tmp_path / "run.db", tmp_path / "other.db", "fork")
    with Journal(tmp_path / "run.db") as journal:
        outside.go(journal)
    with Journal(other) as journal:
        run = Run("q", tools=[outside.send.tool("send", effect=True)], journal=journal, person=outside)
        assert kinds(run.within("elsewhere").tools(asks(("send", {"query": "another"})))) == ["found"]
    assert outside.asked == [] and outside.send.seen == ["hello", "another"]


def test_two_runs_of_one_question_are_no_branches(tmp_path: Path) -> None:
    outside = Outside()
    for name in ("one.db", "two.db"):
        with Journal(tmp_path / name) as journal:
            assert outside.go(journal).answer == "done"
    assert outside.send.seen == ["hello", "hello"] and outside.asked == []


def test_the_same_call_twice_in_one_branch_is_two_calls(tmp_path: Path) -> None:
    outside = Outside()
    with Journal(tmp_path / "run.db") as journal:
        run = Run("q", tools=[outside.send.tool("send", effect=True)], journal=journal, person=outside)
        assert kinds(run.tools(asks(*[("send", {"query": "x"})] * 2))) == ["found", "found"]
    assert outside.send.seen == ["x", "x"] and outside.asked == []


def test_a_call_that_may_be_repeated_is_asked_about_in_another_branch_all_the_same(tmp_path: Path) -> None:
    """Repeating is harmless for a retry of the same call; another branch making it is another matter."""
    outside = Outside(Answer("approve"), idempotent=True)
    before_the_mail(tmp_path / "run.db", outside)
    other = branch(tmp_path / "run.db", tmp_path / "other.db", "fork")
    for path in (tmp_path / "run.db", other):
        with Journal(path) as journal:
            outside.go(journal)
    assert len(outside.asked) == 1


def test_when_the_first_file_is_gone_a_branch_can_only_vouch_for_itself(tmp_path: Path) -> None:
    outside = Outside()
    before_the_mail(tmp_path / "run.db", outside)
    other = branch(tmp_path / "run.db", tmp_path / "other.db", "copy")
    (tmp_path / "run.db").unlink()
    with Journal(other) as journal:
        assert outside.go(journal).answer == "done"
    assert outside.send.seen == ["hello"] and outside.asked == []


def test_with_nobody_there_a_branch_pauses_before_it_repeats_anything(tmp_path: Path) -> None:
    outside = Outside()
    before_the_mail(tmp_path / "run.db", outside)
    other = branch(tmp_path / "run.db", tmp_path / "other.db", "fork")
    with Journal(tmp_path / "run.db") as journal:
        outside.go(journal)
    with Journal(other) as journal, pytest.raises(Ended) as ended:
        run = Run("q", tools=[outside.send.tool("send", effect=True)], journal=journal)
        run._position = 3  # where the mail stands in the run
        run.tools(asks(("send", {"query": "hello"})))
    assert ended.value.stop.reason == "paused" and outside.send.seen == ["hello"]


def test_a_claim_is_the_firsts_and_a_branch_may_claim_again_what_is_its_own(tmp_path: Path) -> None:
    ledger = tmp_path / "run.db"
    assert claim(ledger, "key", "one.db") == ""
    assert claim(ledger, "key", "one.db") == ""
    assert claim(ledger, "key", "two.db") == "one.db"
    assert claim(ledger, "other key", "two.db") == ""
