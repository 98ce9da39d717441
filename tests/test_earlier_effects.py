"""What a run has done to the world is not done again when the run is taken up at an earlier place."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from helpers_control import Counting, Killed, asked, asks, roles

from planexec.agent import PlanExecuteAgent
from planexec.clock import VirtualClock
from planexec.journal import Journal
from planexec.limits import Limits
from planexec.person import Answer, Request
from planexec.result import Result


def act(messages: list[dict[str, Any]]) -> Any:
    """The first line looks four times, the second sends one mail."""
    seen = sum(message["role"] == "tool" for message in messages)
    if asked(messages)["step"]["goal"] == "mail it":
        return asks(("mail", {"query": "report"})) if seen == 0 else "mailed"
    return asks(("look", {"query": f"place {seen}"}), start=seen + 1) if seen < 4 else "looked at all"


def run(journal: Journal, limit: int, mail: Counting, look: Counting, person: Any = None) -> Result:
    """A plan whose first line may take `limit` turns."""
    model = roles(lambda m: '["look around", "mail it"]', act, router=lambda m: '{"route":"chain"}')
    limits = Limits(per_step=Limits.none().with_(max_steps=limit))
    tools = [look.tool("look"), mail.tool("mail", effect=True)]
    return PlanExecuteAgent(model, tools, limits, clock=VirtualClock(), guards=()).run("q", journal, person)


def test_a_grant_to_an_earlier_step_does_not_send_the_mail_of_a_later_one_again(tmp_path: Path) -> None:
    for journal in (Journal(), Journal(tmp_path / "run.db")):
        mail, look = Counting(), Counting()
        with journal:
            first = run(journal, 2, mail, look)
            second = run(journal, 8, mail, look)
        assert first.steps[0].stop is not None and mail.seen == ["report"]
        assert second.steps[0].answer == "looked at all", "the grant let the first step end"
        assert mail.seen == ["report"]
        assert [call.text for call in second.steps[1].calls] == ["fact about report"], "what it brought then"


def test_also_after_the_file_was_closed_and_opened_again_and_granted_twice(tmp_path: Path) -> None:
    mail, look = Counting(), Counting()
    for limit in (2, 3, 8, 9):
        with Journal(tmp_path / "run.db") as journal:
            result = run(journal, limit, mail, look)
    assert result.complete and mail.seen == ["report"]


def test_a_later_mail_that_only_began_is_asked_about_when_an_earlier_step_is_granted_more(tmp_path: Path) -> None:
    mail, look, questions = Counting(), Counting(), []

    def die(query: str) -> Any:
        raise Killed

    with Journal(tmp_path / "run.db") as journal, suppress(Killed):
        run(journal, 2, Counting(die), look)

    def person(request: Request) -> Answer:
        questions.append(request.text)
        return Answer("reply", text="it went out")

    with Journal(tmp_path / "run.db") as journal:
        journal.grant({"per_step": Limits.none().with_(max_steps=8).to_dict()})
        result = run(journal, 8, mail, look, person=person)
    assert mail.seen == [] and result.steps[1].calls[0].text == "it went out"
    assert ["began and nobody knows whether it happened" in text for text in questions] == [True]
