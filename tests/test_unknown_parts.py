"""The parts of a split run, and its forks, know each other's doubts: a payment is not made once more unasked."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from helpers_control import OFF, asks, kinds

from planexec.chat import ServiceError
from planexec.clock import VirtualClock
from planexec.doubts import Doubts, Made, still_in_doubt
from planexec.journal import Journal
from planexec.models.scripted import ScriptedModel
from planexec.parallel import answer_in_parts
from planexec.person import Answer, Request
from planexec.react_loop import react
from planexec.records import JournalError
from planexec.run import Run
from planexec.tools import Tool, tool

LOST = TimeoutError("lost")
KEYLESS = ServiceError("no key", "person")
YES, NO = Answer("approve"), Answer("reject")


class Gone(BaseException):
    """The process ends here."""


class Payments:
    """A bank, a person, and a loop whose parts pay Ann; what happened is in `keys` (one a payment) and `questions`."""

    def __init__(self, *outcomes: Any, answers: Any = ()):
        """`outcomes` of the payments, "paid" when there are no more; `answers` to the questions, then agreement."""
        self.outcomes, self.answers = list(outcomes), list(answers)
        self.keys, self.questions, self.in_cash = list[str](), list[str](), list[str]()

    def tools(self, **options: Any) -> list[Tool]:
        @tool(effect=True, key_argument="key", **options)
        def pay(to: str, key: str) -> str:
            """Pay."""
            self.keys.append(key)
            outcome = self.outcomes.pop(0) if self.outcomes else "paid"
            if isinstance(outcome, BaseException):
                raise outcome
            return str(outcome)

        @tool(effect=True)
        def cash(to: str) -> str:
            """Pay in cash."""
            self.in_cash.append(to)
            return "paid in cash"

        return [pay, cash]

    def person(self, request: Request) -> Answer:
        self.questions.append(request.id)
        return self.answers.pop(0) if self.answers else YES

    def run(self, journal: Journal, **options: Any) -> Run:
        settings: dict[str, Any] = {"limits": OFF, "guards": (), "clock": VirtualClock(), "person": self.person}
        return Run("q", tools=self.tools(**options), journal=journal, **settings)

    def go(self, whole: Journal, parts: dict[int, str], to: str = "Ann", **options: Any) -> dict[int, list[str]]:
        """Begin the run and let each part pay once in every step that its word names: {1: "ab"}; what came back."""
        self.run(whole, **options)
        came = {}
        for number, steps in parts.items():
            with whole.part(number) as journal:
                run = self.run(journal, **options)
                batches = [run.within(step, step=True).tools(asks(("pay", {"to": to}))) for step in steps]
                came[number] = kinds([each for batch in batches for each in batch])
        return came


def test_the_parts_of_a_split_run_know_each_others_doubts(tmp_path: Path) -> None:
    for path in (None, tmp_path / "run.db"):
        bank = Payments(LOST, answers=[NO])
        with Journal(path) as whole:
            assert bank.go(whole, {1: "a", 2: "b"}) == {1: ["unknown"], 2: ["unknown"]}
        assert len(bank.keys) == len(bank.questions) == 1


@pytest.mark.parametrize("saved", [False, True])
@pytest.mark.parametrize(("answer", "last"), [(NO, "unknown"), (YES, "found")])
def test_a_part_that_is_taken_up_again_knows_the_doubts_of_later_parts(
    answer: Answer, last: str, saved: bool, tmp_path: Path
) -> None:
    bank, path = Payments(LOST, answers=[answer]), tmp_path / "run.db"
    journal = Journal(path if saved else None)
    bank.go(journal, {1: "", 2: "a"})
    for _ in range(3):  # live, and twice more from the journal
        if saved:
            journal.close()
            journal = Journal(path)
        assert bank.go(journal, {1: "a", 2: "a"}) == {1: [last], 2: ["unknown"]}
        assert len(bank.questions) == 1 and len(bank.keys) == 1 + (answer is YES)
    journal.close()


def test_so_does_the_whole_run_itself(tmp_path: Path) -> None:
    bank = Payments(LOST, answers=[NO])
    with Journal(tmp_path / "run.db") as journal:
        bank.go(journal, {1: "a"})
    with Journal(tmp_path / "run.db") as journal:
        assert kinds(bank.run(journal).tools(asks(("pay", {"to": "Ann"})))) == ["unknown"]
    assert len(bank.keys) == len(bank.questions) == 1


@pytest.mark.parametrize("whole", ["beside it", "gone", "another"])
def test_a_part_that_is_opened_by_itself_looks_for_the_others(whole: str, tmp_path: Path) -> None:
    bank, path = Payments(LOST, answers=[NO]), tmp_path / "run.db"
    with Journal(path) as journal:
        bank.go(journal, {1: "", 2: "a"})
    if whole != "beside it":
        path.unlink()
    if whole == "another":
        with Journal(path) as journal:
            Payments().go(journal, {})
    with Journal(tmp_path / "run.part-1.db") as part:
        came = kinds(bank.run(part).tools(asks(("pay", {"to": "Ann"}))))
    assert (came, len(bank.keys)) == ((["unknown"], 1) if whole == "beside it" else (["found"], 2))


@pytest.mark.parametrize("later", [{1: "a", 2: "a", 3: "a"}, {1: "a", 2: "ab"}])
def test_an_older_success_says_nothing_of_a_newer_doubt(later: dict[int, str]) -> None:
    bank, journal = Payments("paid", LOST, answers=[NO]), Journal()
    bank.go(journal, {1: "", 2: "a"})
    came = bank.go(journal, later)
    assert came[1] == ["unknown"] and came[max(came)][-1] == "unknown"
    assert (len(bank.keys), len(bank.questions)) == (2, 1)


def test_a_later_success_ends_the_doubt_wherever_it_was(tmp_path: Path) -> None:
    bank = Payments(LOST)
    with Journal(tmp_path / "run.db") as journal:
        bank.go(journal, {1: "", 2: "a"})
        assert bank.go(journal, {1: "ab", 2: "ab"}) == {1: ["found", "found"], 2: ["unknown", "found"]}
    assert len(bank.questions) == 1, "one agreed repeat that worked"
    assert bank.keys[0] == bank.keys[1] and len(set(bank.keys)) == 3, "the further ones are payments of their own"


def test_so_does_a_person_who_says_that_it_happened() -> None:
    bank, journal = Payments(LOST, answers=[Answer("reply", text="it went out")]), Journal()
    bank.go(journal, {1: "", 2: "a"})
    assert bank.go(journal, {1: "abc", 2: "ab"}) == {1: ["found"] * 3, 2: ["unknown", "found"]}
    assert len(bank.questions) == 1 and len(set(bank.keys)) == 4


@pytest.mark.parametrize(
    ("outcomes", "answers", "steps"),
    [
        ([LOST], [NO, YES], "ab"),
        ([LOST, LOST], [YES, YES], "ab"),
        ([LOST, Gone()], [YES, YES], "a"),
    ],
    ids=["rejected first", "lost again", "killed in the repeat"],
)
def test_every_repeat_hands_on_the_key_of_the_first(outcomes: list[Any], answers: list[Answer], steps: str) -> None:
    bank, journal = Payments(*outcomes, answers=answers), Journal()
    bank.go(journal, {1: "", 2: "a"})
    for _ in range(2):
        with suppress(Gone):
            came = bank.go(journal, {1: steps, 2: "a"})
    assert came[1][-1] == "found" and len(set(bank.keys)) == 1 and len(bank.questions) == 2


def test_the_key_of_a_settled_doubt_is_not_handed_on() -> None:
    bank, journal = Payments(LOST, "paid", LOST), Journal()
    bank.go(journal, {1: "", 2: "a", 3: "ab"})
    bank.go(journal, {1: "a", 2: "a", 3: "ab"})
    first, repeat, other, repeat_of_other = bank.keys
    assert first == repeat != other == repeat_of_other and len(bank.questions) == 2


def test_a_repeat_is_not_replaced_by_another_tool_and_stays_as_it_was() -> None:
    bank, journal = Payments(LOST, ValueError("declined")), Journal()
    bank.go(journal, {1: "", 2: "a"}, fallback="cash")
    for _ in range(3):
        assert bank.go(journal, {1: "a", 2: "a"}, fallback="cash") == {1: ["failed"], 2: ["unknown"]}
    journal._parts.pop(2)  # the doubt has gone; what was agreed to for its sake stays as it was
    assert bank.go(journal, {1: "a"}, fallback="cash") == {1: ["failed"]}
    assert len(bank.keys) == 2 and bank.in_cash == [] and len(bank.questions) == 1


def test_a_replay_agrees_to_nothing_that_nobody_agreed_to(tmp_path: Path) -> None:
    """A fallback that took over before there was a doubt takes over in every replay."""

    def part(question: str, share: Any, journal: Journal) -> Any:
        def script(messages: Any, tools: Any) -> Any:
            if question == "one" and broken:
                raise ServiceError("no such model", "permanent")
            return [("pay", {"to": "Ann"})] if tools and len(messages) < 4 else "done"

        model = ScriptedModel(script)
        settings: dict[str, Any] = {"clock": VirtualClock(), "person": bank.person}
        return react(question, model, bank.tools(fallback="cash"), share, journal=journal, **settings)

    def whole(journal: Journal) -> Any:
        model = ScriptedModel(lambda messages, tools: "report")
        run = Run("q", model=model, tools=bank.tools(), limits=OFF, journal=journal, clock=VirtualClock())
        return answer_in_parts(run, "q", ["one", "two"], part)

    bank, broken = Payments(ValueError("declined"), LOST), True
    with Journal(tmp_path / "run.db") as journal:
        first = whole(journal)
    broken = False
    for _ in range(2):
        with Journal(tmp_path / "run.db") as journal:
            journal.reopen()
            again = whole(journal)
        assert again.steps[1].calls == first.steps[1].calls and len(bank.keys) == 2
    assert [call.kind for call in again.calls] == ["unknown", "found"] and bank.in_cash == ["Ann"]


def test_a_mended_attempt_is_asked_about_where_there_is_a_doubt_by_now() -> None:
    bank, journal = Payments(KEYLESS, LOST), Journal()

    def killed(request: Request) -> Answer:
        raise Gone

    with suppress(Gone):
        bank.go(journal, {1: ""})
        settings: dict[str, Any] = {"limits": OFF, "guards": (), "clock": VirtualClock(), "person": killed}
        Run("q", tools=bank.tools(), journal=journal.part(2), **settings).within("a", step=True).tools(
            asks(("pay", {"to": "Ann"}))
        )
    assert bank.go(journal, {1: "b", 2: "a"}) == {1: ["unknown"], 2: ["found"]}
    assert [question.split("/")[-1] for question in bank.questions] == ["a:1", "again-2:0"]
    assert len(bank.keys) == 3 and bank.keys[1] == bank.keys[2] != bank.keys[0]


@pytest.mark.parametrize("left_out", [False, True])
@pytest.mark.parametrize("older", ["", "a"])
@pytest.mark.parametrize("tools", [False, True], ids=["whole without tools", "whole with tools"])
def test_a_fork_asks_about_the_doubts_of_the_parts_that_it_leaves_out(
    tools: bool, older: str, left_out: bool, tmp_path: Path
) -> None:
    bank = Payments(*["paid"] * len(older), LOST, answers=[NO])
    run = bank.run
    with Journal(tmp_path / "run.db") as journal:
        bank.go(journal, {1: older})
        run(journal).note("part", number=1)
        at = journal.records()[-1].seq + 1
        bank.go(journal, {2: "b"})
        journal.fork(tmp_path / "fork.db", at if left_out else None).close()
    if not tools:
        bank.run = lambda journal, **options: run(journal) if journal.is_part else Run("q", journal=journal)  # type: ignore[method-assign]
    assert (tmp_path / "fork.part-2.db").exists() is not left_out
    for _ in range(2):
        with Journal(tmp_path / "fork.db") as fork:
            assert bank.go(fork, {1: older, 3: "c"})[3] == ["unknown"]
        assert len(bank.keys) == 1 + len(older) and len(bank.questions) == 1


@pytest.mark.parametrize(("outcomes", "answer"), [([LOST], NO), ([LOST, LOST], YES)], ids=["rejected", "lost again"])
def test_a_fork_hands_on_the_key_of_the_first_call(outcomes: list[Any], answer: Answer, tmp_path: Path) -> None:
    bank = Payments(*outcomes, answers=[answer])
    with Journal(tmp_path / "run.db") as journal:
        bank.go(journal, {1: "a"})
        bank.run(journal).note("part", number=1)
        bank.go(journal, {1: "a", 2: "b"})
        journal.fork(tmp_path / "fork.db", journal.records()[-1].seq + 1).close()
    with Journal(tmp_path / "fork.db") as fork:
        assert bank.go(fork, {1: "a", 2: "c"})[2] == ["found"]
    assert len(set(bank.keys)) == 1 and len(bank.questions) == 2


def test_a_fork_does_not_ask_about_what_was_settled_in_the_part_that_it_leaves_out(tmp_path: Path) -> None:
    bank = Payments(LOST)
    with Journal(tmp_path / "run.db") as journal:
        bank.go(journal, {1: "", 2: "ab"})
        journal.fork(tmp_path / "fork.db", 1).close()
    with Journal(tmp_path / "fork.db") as fork:
        assert bank.go(fork, {1: "", 2: "c"})[2] == ["found"]
    assert len(bank.questions) == 1 and len(bank.keys) == 3


def test_a_key_of_the_environment_among_the_arguments_makes_no_difference(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("BANK_API_KEY", "0123456789-of-the-bank")
    bank, to = Payments(LOST, answers=[NO]), "Ann, 0123456789-of-the-bank"
    with Journal(tmp_path / "run.db") as journal:
        bank.go(journal, {1: "", 2: "a"}, to)
    with Journal(tmp_path / "run.db") as journal:
        assert bank.go(journal, {1: "a"}, to) == {1: ["unknown"]}
    assert len(bank.keys) == len(bank.questions) == 1


@pytest.mark.parametrize("made", ["nothing", "no table"])
def test_a_later_part_whose_file_was_only_begun_holds_nothing_up(made: str, tmp_path: Path) -> None:
    bank = Payments()
    with Journal(tmp_path / "run.db") as journal:
        bank.go(journal, {1: "a"})
    unfinished = tmp_path / "run.part-2.db"
    unfinished.touch()
    if made == "no table":
        with sqlite3.connect(unfinished) as db:
            db.execute("PRAGMA journal_mode=WAL")
        db.close()
        assert unfinished.stat().st_size
    with Journal(tmp_path / "run.db") as journal:
        journal.reopen()
        assert bank.go(journal, {1: "ab", 2: "a"}) == {1: ["found", "found"], 2: ["found"]}


def test_a_damaged_part_is_refused_before_anything_is_done(tmp_path: Path) -> None:
    bank = Payments()
    with Journal(tmp_path / "run.db") as journal:
        bank.go(journal, {1: "a", 2: "a"})
    (tmp_path / "run.part-2.db").write_text("not a journal")
    with Journal(tmp_path / "run.db") as journal, pytest.raises(JournalError, match=r"run\.part-2\.db is not a"):
        bank.go(journal, {1: "ab"})
    assert len(bank.keys) == 2 and (tmp_path / "run.part-2.db").read_text() == "not a journal"


def test_what_lies_beside_a_new_run_is_nothing_to_it(tmp_path: Path) -> None:
    (tmp_path / "run.part-1.db").write_text("something else")
    with Journal(tmp_path / "run.db") as journal:
        bank = Payments()
        assert kinds(bank.run(journal).tools(asks(("pay", {"to": "Ann"})))) == ["found"]


def test_the_order_of_the_calls_decides_and_one_without_a_number_settles_nothing() -> None:
    def made(order: int, worked: bool) -> Made:
        return Made(order, "pay", f"key-{order}", worked)

    def first(*calls: Made) -> list[str]:
        return [each.key for doubtful in still_in_doubt(calls).values() for each in doubtful]

    assert first(made(2, True), made(1, False)) == []
    assert first(made(1, True), made(2, False), made(3, False)) == ["key-2", "key-3"]
    assert first(made(0, False), made(0, True)) == ["key-0"]
    doubts = Doubts()
    doubts.gather([made(7, False)])
    assert (doubts.first("pay"), doubts.next_order()) == ("key-7", 8)
    doubts.hear(made(6, True))  # a person says of an older one that it went out
    assert doubts.first("pay") == "key-7"
    doubts.hear(made(8, True))
    assert doubts.first("pay") == ""


@pytest.mark.parametrize("saved", [False, True])
def test_a_repeat_that_nobody_wanted_is_no_doubt_of_its_own(saved: bool, tmp_path: Path) -> None:
    bank = Payments(Gone(), answers=[NO, Answer("reply", text="it went out")])
    journal = Journal(tmp_path / "run.db" if saved else None)
    with suppress(Gone):
        bank.go(journal, {2: "a"})
    for steps in ("a", "ab"):
        if saved:
            journal.close()
            journal = Journal(tmp_path / "run.db")
        came = bank.go(journal, {1: "a", 2: steps})
    journal.close()
    assert came == {1: ["unknown"], 2: ["found", "found"]}
    assert len(bank.keys) == 2 and [each.split("/")[-1] for each in bank.questions] == ["again-0:0", "unknown-0:0"]


@pytest.mark.parametrize("saved", [False, True])
def test_a_part_with_other_tools_leaves_the_doubts_as_they_are(saved: bool, tmp_path: Path) -> None:
    bank = Payments(LOST, answers=[NO])
    with Journal(tmp_path / "run.db" if saved else None) as journal:
        run = bank.run(journal)
        run.within("a", step=True).tools(asks(("pay", {"to": "Ann"})))
        with journal.part(1) as part:
            Run("helper", tools=[], journal=part)
        assert kinds(run.within("b", step=True).tools(asks(("pay", {"to": "Ann"})))) == ["unknown"]
    assert len(bank.keys) == len(bank.questions) == 1


@pytest.mark.parametrize("numbers", [(0, 1), (2, 3), (20, 10)])
@pytest.mark.parametrize("again", [False, True])
def test_parts_may_have_any_numbers(again: bool, numbers: tuple[int, int], tmp_path: Path) -> None:
    bank, (first, second) = Payments(LOST, answers=[NO]), numbers
    with Journal(tmp_path / "run.db") as journal:
        bank.go(journal, {first: "a"} if again else {first: "a", second: "b"})
    with Journal(tmp_path / "run.db") as journal:
        assert bank.go(journal, {second: "b"})[second] == ["unknown"]
        assert set(journal.parts()) == set(numbers)
    assert len(bank.keys) == len(bank.questions) == 1


def test_a_key_of_the_environment_and_an_argument_that_makes_no_difference(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("BANK_API_KEY", "0123456789-of-the-bank")
    paid, person = [], Payments(answers=[NO])

    @tool(effect=True, ignore=("memo",))
    def pay(to: str, memo: str) -> str:
        """Pay."""
        paid.append(memo)
        raise TimeoutError("lost")

    for memo in "ab":
        with Journal(tmp_path / "run.db") as journal:
            run = Run("q", tools=[pay], limits=OFF, person=person.person, journal=journal, clock=VirtualClock())
            args = {"to": "Ann, 0123456789-of-the-bank", "memo": memo}
            run.within(memo, step=True).tools(asks(("pay", args)))
    assert paid == ["a"] and len(person.questions) == 1


def test_an_agreement_that_was_copied_into_a_fork_is_not_used_twice(tmp_path: Path) -> None:
    bank = Payments(LOST, answers=[YES, NO])
    with Journal(tmp_path / "run.db") as journal:
        run = bank.run(journal)
        for step in "ab":
            run.within(step, step=True).tools(asks(("pay", {"to": "Ann"})))
        (answered,) = (record.seq for record in journal.records() if record.kind == "ask")
        journal.fork(tmp_path / "fork.db", answered + 1).close()
    with Journal(tmp_path / "fork.db") as fork:
        run = bank.run(fork)
        came = [kinds(run.within(step, step=True).tools(asks(("pay", {"to": "Ann"})))) for step in "ab"]
    assert came == [["unknown"], ["unknown"]] and len(bank.keys) == 2 and len(bank.questions) == 2


def test_a_fork_of_one_part_knows_the_doubts_of_the_others(tmp_path: Path) -> None:
    bank = Payments(LOST, answers=[NO])
    with Journal(tmp_path / "run.db") as journal:
        bank.go(journal, {1: "a", 2: ""})
    with Journal(tmp_path / "run.part-2.db") as part:
        part.fork(tmp_path / "copy.db").close()
    with Journal(tmp_path / "copy.db") as copy:
        assert kinds(bank.run(copy).tools(asks(("pay", {"to": "Ann"})))) == ["unknown"]
    assert len(bank.keys) == len(bank.questions) == 1


def test_a_fork_that_an_earlier_version_made_still_asks(tmp_path: Path) -> None:
    bank = Payments(answers=[NO])
    with Journal(tmp_path / "fork.db") as fork:
        header = {"question": "q", "date": "2026-01-01", "lang": "en", "seed": 0, "limits": OFF.to_dict()}
        left = {"name": "pay", "args": {"to": "Ann"}, "key": "0123456789abcdef", "seq": 4}
        fork.start({**header, "doubts": [left]})
        assert kinds(bank.run(fork).tools(asks(("pay", {"to": "Ann"})))) == ["unknown"]
    assert bank.keys == [] and len(bank.questions) == 1
