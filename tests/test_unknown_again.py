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
from planexec.tools import Observation, Tool, tool

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


def paying(keys: list[str], lost: int) -> Tool:
    """A payment that takes down the keys it gets; its first `lost` answers are lost."""

    @tool(effect=True, key_argument="key")
    def pay(to: str, key: str) -> str:
        """Pay."""
        keys.append(key)
        if len(keys) <= lost:
            raise TimeoutError("lost")
        return "paid"

    return pay


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
    pay = paying(keys, lost=1)

    run = Run("q", tools=[pay], limits=OFF, person=Asked(Answer("approve")), clock=VirtualClock())
    for _ in range(3):
        run.tools(asks(("pay", {"to": "Ann"})))
    assert keys[0] == keys[1] != keys[2], "the third is another payment"


class Scripted(Counting):
    """A mail whose answers are given; one that is an exception is raised, and where none is left it is sent."""

    def __init__(self, *answers: Any):
        super().__init__(self._next)
        self.left = list(answers)

    def _next(self, query: str) -> Any:
        answer = self.left.pop(0) if self.left else "sent"
        if isinstance(answer, BaseException):
            raise answer
        return answer


LOST = TimeoutError("lost")


def test_an_older_success_says_nothing_of_a_later_doubt() -> None:
    """Sent; lost; and the run is taken up again between the two, so that the lost one is asked for anew."""
    mail, person, journal = Scripted("sent", LOST), Asked(Answer("reject")), Journal()
    go(mail, ("step-1", asks(MAIL)), ("step-2", asks(MAIL)), journal=journal)  # type: ignore[arg-type]
    journal.supersede_from(journal.records()[1].seq)
    go(mail, ("step-1", asks(MAIL)), ("step-3", asks(MAIL)), journal=journal, person=person)  # type: ignore[arg-type]
    assert len(mail.seen) == 2 and len(person.questions) == 1


def test_what_is_given_back_from_before_says_nothing_of_it_either() -> None:
    mail, person, journal = Scripted(ValueError("no"), "sent", LOST), Asked(Answer("reject")), Journal()
    steps = [(f"step-{number}", asks(MAIL)) for number in (1, 2, 3)]
    go(mail, *steps[:2], journal=journal)  # type: ignore[arg-type]
    journal.supersede_from(journal.records()[0].seq)
    run = go(mail, *steps, journal=journal, person=person)  # type: ignore[arg-type]
    assert kinds(came(run)) == ["unknown", "found", "unknown"]
    assert len(mail.seen) == 3 and len(person.questions) == 1


def test_an_agreement_is_good_for_one_repeat_only() -> None:
    mail, person, journal = Scripted(Gone(), Gone()), Asked(Answer("approve")), Journal()
    tried(mail, journal, person, asks(MAIL))
    journal.supersede_from(journal.records()[0].seq)
    tried(mail, journal, person, asks(MAIL))
    begun = [record for record in journal.records() if record.kind == "tool"]
    journal.supersede_from(begun[-1].seq)  # the question before it, and its answer, stay
    tried(mail, journal, person, asks(MAIL))
    assert len(mail.seen) == 3 and len(person.questions) == 2


def test_no_other_tool_takes_over_from_a_repeat_that_fails() -> None:
    mail, cash = Scripted(LOST, ValueError("declined")), Counting()
    tools = [mail.tool("mail", effect=True, fallback="cash"), cash.tool("cash", effect=True)]
    journal = Journal()
    for _ in range(2):  # live, and once more from the journal
        run = Run("q", tools=tools, limits=OFF, journal=journal, person=Asked(Answer("approve")), clock=VirtualClock())
        seen = [run.tools(asks(MAIL))[0].kind for _ in range(2)]
        assert seen == ["unknown", "failed"] and (len(mail.seen), cash.seen) == (2, [])


def test_an_answer_that_does_not_fit_the_question_leaves_the_doubt() -> None:
    mail, person, journal = Scripted(Gone()), Asked(Answer("edit", args={"query": "other"})), Journal()
    tried(mail, journal, person, asks(MAIL))
    run = tried(mail, journal, person, asks(MAIL), asks(MAIL))
    assert kinds(came(run)) == ["unknown", "unknown"] and len(mail.seen) == 1 and len(person.questions) == 2


def test_one_that_may_be_repeated_is_not_asked_about_after_it_was_superseded_either() -> None:
    mail, person, journal = Scripted(Gone()), Asked(Answer("reject")), Journal()
    tried(mail, journal, person, asks(MAIL), idempotent=True)
    journal.supersede_from(journal.records()[0].seq)
    run = tried(mail, journal, person, asks(MAIL), asks(MAIL), idempotent=True)
    assert kinds(came(run)) == ["found", "found"] and person.questions == []


def test_one_agreement_is_enough_for_one_call_however_often_it_has_to_be_mended() -> None:
    nobody = ServiceError("no key", "person")
    mail, person, journal = Scripted(Gone(), nobody, nobody), Asked(Answer("approve")), Journal()
    tried(mail, journal, person, asks(MAIL))
    journal.supersede_from(journal.records()[0].seq)
    run = tried(mail, journal, person, asks(MAIL))
    assert kinds(came(run)) == ["found"]
    assert [question.kind for question in person.questions] == ["unknown", "mend", "mend"]


def test_every_repeat_hands_on_the_key_of_the_first_call(tmp_path: Path) -> None:
    keys: list[str] = []
    pay = paying(keys, lost=2)

    def run(*steps: str) -> None:
        whole = Run(
            "q", tools=[pay], limits=OFF, journal=journal, person=Asked(Answer("approve")), clock=VirtualClock()
        )
        for step in steps:
            whole.within(step, step=True).tools(asks(("pay", {"to": "Ann"})))

    with Journal(tmp_path / "run.db") as journal:
        run("step-1", "step-2")
        journal.supersede_from(journal.records()[0].seq)
        run("step-3")
    assert len(keys) == 3 and len(set(keys)) == 1


@pytest.mark.parametrize("limit", ["max_tool_calls", "max_calls_per_tool"])
def test_a_run_in_which_a_limit_refused_a_call_that_needs_a_person_is_replayed(limit: str) -> None:
    mail, person, journal = Counting(), Asked(Answer("approve")), Journal()

    def again() -> Any:
        model = ScriptedModel(lambda messages, tools: [("mail", {"query": str(len(messages))})] if tools else "done")
        settings: dict[str, Any] = {"journal": journal, "person": person, "clock": VirtualClock()}
        return react("q", model, [mail.tool("mail", effect=True, approve=True)], OFF.with_(**{limit: 2}), **settings)

    first = again()
    assert first.stop is not None and first.stop.reason == limit
    assert again() == first and (len(mail.seen), len(person.questions)) == (2, 2)


@pytest.mark.parametrize("left_behind", ["superseded", "after the fork"])
def test_a_fork_asks_about_the_doubts_that_it_leaves_behind(left_behind: str, tmp_path: Path) -> None:
    mail, person = Scripted(LOST), Asked(Answer("reject"))
    with Journal(tmp_path / "run.db") as journal:
        go(mail, ("step-1", asks(("mail", {"query": "first"}))), journal=journal)  # type: ignore[arg-type]
        mail.left.append(LOST)
        go(mail, ("step-1", asks(("mail", {"query": "first"}), MAIL)), journal=journal, person=person)  # type: ignore[arg-type]
        lost = next(record for record in journal.records() if record.request.get("args") == MAIL[1])
        if left_behind == "superseded":
            journal.supersede_from(lost.seq)
        journal.fork(tmp_path / "fork.db", lost.seq if left_behind != "superseded" else None).close()
    sent, asked = len(mail.seen), len(person.questions)
    for _ in range(2):
        with Journal(tmp_path / "fork.db") as fork:
            steps = [("step-1", asks(("mail", {"query": "first"}))), ("step-2", asks(MAIL))]
            go(mail, *steps, journal=fork, person=person)  # type: ignore[arg-type]
        assert len(mail.seen) == sent and len(person.questions) == asked + 1


def test_a_doubt_that_a_fork_left_behind_ends_there_with_a_success(tmp_path: Path) -> None:
    mail, person = Scripted(LOST), Asked(Answer("approve"))
    with Journal(tmp_path / "run.db") as journal:
        go(mail, ("step-1", asks(MAIL)), journal=journal)  # type: ignore[arg-type]
        journal.fork(tmp_path / "fork.db", journal.records()[0].seq).close()
    for steps in (1, 2):  # the second time the success is among the recorded ones
        with Journal(tmp_path / "fork.db") as fork:
            batches = [(f"step-{number}", asks(MAIL)) for number in range(2, 2 + steps)]
            run = go(mail, *batches, journal=fork, person=person)  # type: ignore[arg-type]
    assert kinds(came(run)) == ["found", "found"] and len(mail.seen) == 3 and len(person.questions) == 1


def test_the_key_is_the_first_calls_also_where_only_a_later_repeat_was_superseded() -> None:
    keys: list[str] = []
    pay = paying(keys, lost=2)

    journal, person = Journal(), Asked(Answer("approve"))

    def run(*steps: str) -> None:
        whole = Run("q", tools=[pay], limits=OFF, journal=journal, person=person, clock=VirtualClock())
        for step in steps:
            whole.within(step, step=True).tools(asks(("pay", {"to": "Ann"})))

    run("step-1", "step-2")
    journal.supersede_from([record for record in journal.records() if record.kind == "ask"][0].seq)
    run("step-1", "step-3")
    assert len(keys) == 3 and len(set(keys)) == 1
