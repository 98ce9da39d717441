"""A world-changing call whose outcome nobody knows is not made once more unasked, whoever asks for it again."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from helpers_control import OFF, Counting, Killed, asks, killed_at, kinds

from planexec.chat import ServiceError
from planexec.clock import VirtualClock
from planexec.journal import Journal
from planexec.models.scripted import ScriptedModel
from planexec.person import Answer, Request
from planexec.react_loop import react
from planexec.run import Run
from planexec.tools import Observation, tool

MAIL = ("mail", {"query": "report"})


class Mail(Counting):
    """Its first `times` answers are lost on the way; the mail may have gone out all the same."""

    def __init__(self, times: int = 1):
        super().__init__(self._send)
        self.times = times

    def _send(self, query: str) -> str:
        if len(self.seen) <= self.times:
            raise TimeoutError("no answer")
        return f"sent {query}"


class Asked:
    """A person who gives one answer to every question and remembers the questions."""

    def __init__(self, answer: Answer):
        self.answer, self.questions = answer, list[Request]()

    def __call__(self, request: Request) -> Answer:
        self.questions.append(request)
        return self.answer


def go(mail: Mail, *batches: Any, journal: Journal | None = None, person: Any = None, **options: Any) -> Run:
    """Ask for one batch of calls after the other; what came back is in `run.came`."""
    tool = mail.tool("mail", effect=True, **options)
    run = Run("q", tools=[tool], limits=OFF, journal=journal, person=person, clock=VirtualClock(), guards=())
    run.came = []  # type: ignore[attr-defined]
    with run:
        for batch in batches:
            at: Run = run.within(batch[0], step=True) if isinstance(batch[0], str) else run
            run.came += at.tools(batch[1] if isinstance(batch[0], str) else batch)  # type: ignore[attr-defined]
    return run


def came(run: Run) -> list[Observation]:
    return run.came  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize(
    ("answer", "sent", "kind"),
    [
        (Answer("approve"), 2, "found"),
        (Answer("reject", text="wait for the receipt"), 1, "unknown"),
        (Answer("reply", text="it went out"), 1, "found"),
    ],
)
def test_the_same_call_again_is_asked_about(answer: Answer, sent: int, kind: str) -> None:
    mail, person = Mail(), Asked(answer)
    run = go(mail, asks(MAIL), asks(MAIL, start=2), person=person)
    assert kinds(came(run)) == ["unknown", kind] and len(mail.seen) == sent
    (question,) = person.questions
    assert (question.kind, question.tool, question.args) == ("unknown", "mail", {"query": "report"})
    assert "nobody knows whether" in question.text and "mail(" in question.text


def test_in_another_step_and_in_one_batch_too() -> None:
    for batches in ([("a", asks(MAIL)), ("b", asks(MAIL))], [asks(MAIL, MAIL)]):
        mail, person = Mail(), Asked(Answer("reject"))
        go(mail, *batches, person=person)
        assert len(mail.seen) == 1 and len(person.questions) == 1


def test_other_arguments_are_another_call_and_other_spellings_the_same() -> None:
    mail, person = Mail(), Asked(Answer("reject"))
    go(mail, asks(MAIL), asks(("mail", {"query": "another"})), asks(("mail", {"query": " report "})), person=person)
    assert mail.seen == ["report", "another"] and len(person.questions) == 1


def test_once_it_is_known_nobody_is_asked_any_more() -> None:
    """A second mail of the same words is the model's business; only the doubt is a person's."""
    mail, person = Mail(), Asked(Answer("approve"))
    run = go(mail, asks(MAIL), asks(MAIL), asks(MAIL), person=person)
    assert kinds(came(run)) == ["unknown", "found", "found"] and len(person.questions) == 1


def test_unknown_once_more_is_asked_about_once_more() -> None:
    mail, person = Mail(times=2), Asked(Answer("approve"))
    run = go(mail, asks(MAIL), asks(MAIL), asks(MAIL), person=person)
    assert kinds(came(run)) == ["unknown", "unknown", "found"] and len(person.questions) == 2


def test_one_that_may_be_repeated_is_not_asked_about() -> None:
    mail, person = Mail(), Asked(Answer("reject"))
    run = go(mail, asks(MAIL), asks(MAIL), person=person, idempotent=True)
    assert kinds(came(run)) == ["found", "found"] and person.questions == []


def test_with_nobody_there_it_is_not_made_again() -> None:
    mail = Mail()
    run = go(mail, asks(MAIL), asks(MAIL))
    assert kinds(came(run)) == ["unknown", "unknown"] and len(mail.seen) == 1
    assert "nobody is there to ask" in came(run)[1].text


@pytest.mark.parametrize("answer", [Answer("approve"), Answer("reject")])
def test_a_saved_run_waits_for_the_answer_and_goes_on_with_it_in_another_process(
    answer: Answer, tmp_path: Path
) -> None:
    path, mail = tmp_path / "run.db", Mail()
    with Journal(path) as journal:
        run = go(mail, asks(MAIL), asks(MAIL), journal=journal)
        (question,) = journal.pending()
        journal.answer(question["id"], answer.to_dict())
    assert run.stop is not None and run.stop.reason == "paused" and len(mail.seen) == 1
    for _ in range(2):  # to its end, and once more from the journal alone
        with Journal(path) as journal:
            run = go(mail, asks(MAIL), asks(MAIL), journal=journal)
        sent = 2 if answer.decision == "approve" else 1
        assert len(mail.seen) == sent and kinds(came(run)) == ["unknown", "found" if sent == 2 else "unknown"]


def test_a_resumed_run_and_both_branches_of_a_fork_still_know_the_doubt(tmp_path: Path) -> None:
    mail = Mail()
    with Journal(tmp_path / "run.db") as journal:
        go(mail, asks(MAIL), journal=journal)
        journal.fork(tmp_path / "fork.db").close()
    for name in ("run.db", "fork.db"):
        person = Asked(Answer("reject"))
        with Journal(tmp_path / name) as journal:
            go(mail, asks(MAIL), asks(MAIL), journal=journal, person=person)
        assert len(person.questions) == 1
    assert len(mail.seen) == 1


def test_a_grant_to_repeat_a_call_that_was_interrupted_is_asked_for_once(tmp_path: Path) -> None:
    """A person who agreed to make an interrupted call again has said it all."""

    class Gone(BaseException):
        pass

    def die(query: str) -> Any:
        raise Gone

    path, mail, person = tmp_path / "run.db", Mail(times=0), Asked(Answer("approve"))
    with Journal(path) as journal, pytest.raises(Gone):
        Run("q", tools=[Counting(die).tool("mail", effect=True)], limits=OFF, journal=journal).tools(asks(MAIL))
    with Journal(path) as journal:
        run = go(mail, asks(MAIL), journal=journal, person=person)
    assert kinds(came(run)) == ["found"] and len(mail.seen) == 1 and len(person.questions) == 1


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_question_is_in_the_language_of_the_run(lang: str) -> None:
    mail, person = Mail(), Asked(Answer("reject"))
    run = Run("q", tools=[mail.tool("mail", effect=True)], limits=OFF, person=person, lang=lang, guards=())
    run.tools(asks(MAIL, MAIL))
    assert ("无人知道" in person.questions[0].text) == (lang == "zh")


class Gone(BaseException):
    """The process ends here."""


def dies(*first: Any) -> Counting:
    """A mail that kills the process at its first call, and then does `first`, one after the other."""
    steps = iter((Gone(), *first))

    def answer(query: str) -> Any:
        step = next(steps, "sent")
        if isinstance(step, BaseException):
            raise step
        return step

    return Counting(answer)


def tried(mail: Counting, journal: Journal, person: Any, *batches: Any, **options: Any) -> Run:
    """The same loop, of calls one after the other, to its end or to where the process ends."""
    with suppress(Gone):
        return go(mail, *batches, journal=journal, person=person, **options)  # type: ignore[arg-type]
    return None  # type: ignore[return-value]


@pytest.mark.parametrize("saved", [False, True])
def test_an_interrupted_call_stays_in_doubt_when_its_repeat_fails(saved: bool, tmp_path: Path) -> None:
    mail, person = dies(ValueError("declined")), Asked(Answer("approve"))
    journal = Journal(tmp_path / "run.db" if saved else None)
    tried(mail, journal, person, asks(MAIL), asks(MAIL))
    run = tried(mail, journal, person, asks(MAIL), asks(MAIL))
    journal.close()
    assert kinds(came(run)) == ["failed", "found"] and len(mail.seen) == 3
    assert len(person.questions) == 2, "about the repeat, and about the model's next try"


def test_a_repeat_that_was_agreed_to_is_not_asked_about_twice() -> None:
    """It was lost, asked for again, agreed to, and the process ended in it: one question for each time."""
    mail, person, journal = Counting(), Asked(Answer("approve")), Journal()
    steps = iter([TimeoutError("lost"), Gone(), "sent"])

    def answer(query: str) -> str:
        step = next(steps)
        if isinstance(step, BaseException):
            raise step
        return step

    mail.answer = answer
    tried(mail, journal, person, asks(MAIL), asks(MAIL))
    run = tried(mail, journal, person, asks(MAIL), asks(MAIL))
    assert kinds(came(run)) == ["unknown", "found"] and len(mail.seen) == 3
    assert len({question.id for question in person.questions}) == len(person.questions) == 2


def test_a_repeat_that_somebody_mended_is_not_asked_about_again() -> None:
    steps = iter([TimeoutError("lost"), ServiceError("no key", "person"), "sent"])

    def answer(query: str) -> str:
        step = next(steps)
        if isinstance(step, Exception):
            raise step
        return step

    person = Asked(Answer("approve"))
    run = go(Counting(answer), asks(MAIL), asks(MAIL), person=person)  # type: ignore[arg-type]
    assert kinds(came(run)) == ["unknown", "found"]
    assert [question.kind for question in person.questions] == ["unknown", "mend"]


def test_an_argument_that_makes_no_difference_makes_none_here() -> None:
    @tool(effect=True, ignore=("memo",))
    def pay(to: str, memo: str) -> str:
        """Pay."""
        paid.append(memo)
        raise TimeoutError("lost")

    paid: list[str] = []
    person = Asked(Answer("reject"))
    run = Run("q", tools=[pay], limits=OFF, person=person, clock=VirtualClock())
    run.tools(asks(*(("pay", {"to": "Ann", "memo": memo}) for memo in "ab")))
    assert paid == ["a"] and len(person.questions) == 1


def test_the_parts_of_a_split_run_know_each_others_doubts(tmp_path: Path) -> None:
    for path in (None, tmp_path / "run.db"):
        mail, person = Mail(), Asked(Answer("reject"))
        with Journal(path) as whole:
            Run("q", tools=[], limits=OFF, journal=whole)
            for number in (1, 2):
                with whole.part(number) as part:
                    go(mail, asks(MAIL), journal=part, person=person)
        assert len(mail.seen) == 1 and len(person.questions) == 1


def test_what_was_superseded_is_in_doubt_wherever_it_is_asked_for(tmp_path: Path) -> None:
    for path in (None, tmp_path / "run.db"):
        mail, person = Mail(), Asked(Answer("reject"))
        with Journal(path) as journal:
            go(mail, ("step-1", asks(MAIL)), journal=journal)
            journal.supersede_from(journal.records()[0].seq)
            go(mail, ("step-2", asks(MAIL)), journal=journal, person=person)
        assert len(mail.seen) == 1 and len(person.questions) == 1


def test_the_loop_guards_end_a_model_that_goes_on_asking() -> None:
    for person in (None, Asked(Answer("reject"))):
        mail = Mail()
        model = ScriptedModel(lambda messages, tools: [MAIL] if tools else "it may have gone out")
        result = react("q", model, [mail.tool("mail", effect=True)], OFF.with_(max_steps=50), person=person)
        assert result.stop is not None and result.stop.reason == "loop" and result.usage.steps < 10
        assert len(mail.seen) == 1


def test_and_so_they_do_when_it_is_taken_up_again(tmp_path: Path) -> None:
    def go_on(journal: Journal, watch: Any = None) -> Any:
        model = ScriptedModel(lambda messages, tools: [MAIL] if tools else "it may have gone out")
        tools = [mail.tool("mail", effect=True)]
        settings: dict[str, Any] = {"journal": journal, "person": Asked(Answer("reject")), "clock": VirtualClock()}
        return react("q", model, tools, OFF.with_(max_steps=50), on_event=watch, **settings)

    mail = Mail()
    whole = go_on(Journal())
    for effect in range(1, 16):
        mail, journal = Mail(), Journal()
        with suppress(Killed):
            go_on(journal, killed_at(effect))
        assert go_on(journal) == whole


def test_a_repeat_hands_the_same_key_on_so_that_a_service_may_know_it_again() -> None:
    keys: list[str] = []

    @tool(effect=True, key_argument="key")
    def pay(to: str, key: str) -> str:
        """Pay."""
        keys.append(key)
        if len(keys) == 1:
            raise TimeoutError("lost")
        return "paid"

    run = Run("q", tools=[pay], limits=OFF, person=Asked(Answer("approve")), clock=VirtualClock())
    for _ in range(3):
        run.tools(asks(("pay", {"to": "Ann"})))
    assert keys[0] == keys[1] != keys[2], "the third is another payment"
