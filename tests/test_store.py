"""Saved runs from outside: looked at, listed and answered while another process may hold the run."""

import sqlite3

import pytest

from planexec import store
from planexec.chat import ServiceError
from planexec.journal import Journal, JournalError
from planexec.limits import Limits
from planexec.models.scripted import ScriptedModel
from planexec.person import Answer
from planexec.react_loop import react
from planexec.tools import tool

APPROVE = Answer("approve")


@pytest.fixture
def paid():
    return []


@pytest.fixture
def pay(paid):
    @tool(effect=True, approve=True)
    def pay(amount: int) -> str:
        """Pay an amount."""
        paid.append(amount)
        return f"paid {amount}"

    return pay


@pytest.fixture
def go(tmp_path, pay):
    """Run, or go on with, the question of `run.db`; returns its result."""

    def go(*script, journal=None, name="run.db", **settings):
        if journal is not None:
            return react("Pay 5", ScriptedModel(list(script)), [pay], journal=journal, **settings)
        with Journal(tmp_path / name) as opened:
            return react("Pay 5", ScriptedModel(list(script)), [pay], journal=opened, **settings)

    return go


@pytest.fixture
def waiting(tmp_path, go):
    """A run that waits for a person to approve a payment of 5."""
    result = go(("pay", {"amount": 5}))
    assert result.stop.reason == "paused"
    return tmp_path / "run.db"


# ------------------------------------------------------------------------------------------- looking


def test_a_run_is_read_while_another_holds_it(tmp_path):
    with Journal(tmp_path / "run.db") as journal:
        journal.start({"question": "q", "limits": {}})
        journal.add("run", 0, "note", "x", "", {})
        seen = Journal.read(tmp_path / "run.db")
        assert [record.name for record in seen.records()] == ["x"]
        journal.add("run", 1, "note", "y", "", {})
        assert [record.name for record in seen.records()] == ["x"]
        assert [record.name for record in Journal.read(tmp_path / "run.db").records()] == ["x", "y"]


def test_what_is_read_cannot_be_written_to(waiting):
    seen = Journal.read(waiting)
    with pytest.raises(JournalError, match=r"opened for reading only; open it with Journal\(path\)"):
        seen.grant({"max_steps": 8})
    with pytest.raises(JournalError, match="opened for reading only"):
        seen.add("run", 9, "note", "x", "", {})


def test_reading_leaves_nothing_behind(waiting, tmp_path):
    before = sorted(path.name for path in tmp_path.iterdir())
    Journal.read(waiting)
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_what_is_no_journal_is_refused_and_left_as_it_is(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("not a journal " * 100, encoding="utf-8")
    with pytest.raises(JournalError, match="not a planexec journal"):
        Journal.read(path)
    assert path.read_text(encoding="utf-8") == "not a journal " * 100
    with pytest.raises(JournalError, match="no saved run"):
        Journal.read(tmp_path / "nowhere.db")
    assert not (tmp_path / "nowhere.db").exists()


def test_a_newer_schema_is_refused_for_reading_too(waiting):
    with sqlite3.connect(waiting) as db:
        db.execute("PRAGMA user_version=99")
    with pytest.raises(JournalError, match="newer planexec"):
        Journal.read(waiting)


# ------------------------------------------------------------------------------------------- how it ended


def test_the_journal_says_how_the_run_ended_without_repeating_its_records(waiting):
    outcome = Journal.read(waiting).outcome
    assert (outcome["complete"], outcome["stop"]["reason"]) == (False, "paused")
    assert outcome["usage"]["model_calls"] == 1
    assert all("calls" not in step for step in outcome["steps"])


def test_an_outcome_is_void_as_soon_as_something_more_is_recorded(tmp_path, go):
    with Journal(tmp_path / "run.db") as journal:
        go("Done.", journal=journal)
        assert journal.outcome["complete"]
        journal.add("run", 9, "note", "more", "", {})
        assert journal.outcome is None
    assert Journal.read(tmp_path / "run.db").outcome is None


def test_a_replay_does_not_write_the_outcome_again(tmp_path, go):
    go("Done.")
    size = Journal.read(tmp_path / "run.db")._seq
    go()
    assert Journal.read(tmp_path / "run.db")._seq == size


def test_a_whole_fork_keeps_the_outcome_and_a_partial_one_does_not(tmp_path, go):
    go("Done.")
    source = Journal.read(tmp_path / "run.db")
    with source.fork(tmp_path / "whole.db") as whole, source.fork(tmp_path / "part.db", 1) as part:
        assert whole.outcome == source.outcome
        assert part.outcome is None


# ------------------------------------------------------------------------------------------- answering


def test_an_answer_from_outside_reaches_the_next_resume(waiting, go, paid):
    store.answer(waiting, "run:1", APPROVE)
    assert store.open_requests(waiting) == []
    assert go("Paid.").complete
    assert paid == [5]


def test_an_answer_reaches_a_journal_that_has_been_open_all_the_time(tmp_path, go, paid):
    with Journal(tmp_path / "run.db") as journal:
        go(("pay", {"amount": 5}), journal=journal)
        store.answer(tmp_path / "run.db", "run:1", APPROVE)
        assert journal.pending() == []
        assert go("Paid.", journal=journal).complete
    assert paid == [5]


def test_an_answer_is_used_once(waiting, go):
    store.answer(waiting, "run:1", APPROVE)
    with pytest.raises(JournalError, match="answered already"):
        store.answer(waiting, "run:1", Answer("reject"))
    go("Paid.")
    with pytest.raises(JournalError, match="answered already"):
        store.answer(waiting, "run:1", Answer("reject"))


def test_an_answer_to_nothing_is_an_error_that_names_what_is_open(waiting):
    with pytest.raises(JournalError, match="none of this id. Open: run:1"):
        store.answer(waiting, "run:7", APPROVE)


def test_answering_makes_no_file(tmp_path):
    with pytest.raises(JournalError, match="no saved run"):
        store.answer(tmp_path / "nowhere.db", "run:1", APPROVE)
    assert list(tmp_path.iterdir()) == []


def test_writers_do_not_meet(tmp_path, go):
    """The numbers of the record stay the holder's own, however many answers come in between."""
    with Journal(tmp_path / "run.db") as journal:
        go(("pay", {"amount": 5}), journal=journal)
        store.grant(tmp_path / "run.db", {"max_steps": 20})
        store.answer(tmp_path / "run.db", "run:1", APPROVE)
        journal.add("elsewhere", 0, "note", "x", "", {})
        go("Paid.", journal=journal)
    with Journal(tmp_path / "run.db") as journal:
        numbers = [record.seq for record in journal.records()]
        assert numbers == sorted(set(numbers))
        assert journal.grants == [{"max_steps": 20}]


# ------------------------------------------------------------------------------------------- granting, reopening


def test_a_grant_from_outside_counts_from_the_next_start(tmp_path, go):
    assert go("Nothing yet.", limits=Limits(max_steps=0)).stop.reason == "max_steps"
    assert store.grant(tmp_path / "run.db", {"max_steps": 2}).max_steps == 2
    assert go("Done.", limits=Limits(max_steps=0)).complete


def test_a_grant_reaches_a_run_that_is_still_open_when_it_starts_again(tmp_path, go):
    with Journal(tmp_path / "run.db") as journal:
        go("Nothing yet.", journal=journal, limits=Limits(max_steps=0))
        store.grant(tmp_path / "run.db", {"max_steps": 2})
        assert journal.grants == []
        assert go("Done.", journal=journal, limits=Limits(max_steps=0)).complete


def test_a_grant_that_makes_no_sense_is_refused(waiting):
    with pytest.raises(ValueError, match="max_steps"):
        store.grant(waiting, {"max_steps": -1})
    assert Journal.read(waiting).grants == []


def test_a_failed_run_goes_on_before_the_attempts_that_failed(tmp_path, go):
    def person(request):  # the payment is agreed to; the key cannot be mended today
        return APPROVE if request.kind == "approve" else Answer("reject")

    failing = go(("pay", {"amount": 5}), ServiceError("no key", "person"), person=person)
    assert failing.stop.reason == "failed"
    assert go().stop.reason == "failed"  # the failure is recorded: going on alone does not help
    with Journal(tmp_path / "run.db") as journal:
        assert journal.reopen()
        assert [record.kind for record in journal.records()] == ["model", "ask", "tool"]
    assert go("Paid.").complete


def test_a_run_that_a_person_stopped_asks_again(waiting, go, paid):
    store.answer(waiting, "run:1", Answer("stop", "not today"))
    assert go().stop.reason == "stopped"
    with Journal(waiting) as journal:
        assert journal.reopen()
    assert go().stop.reason == "paused"
    store.answer(waiting, "run:1", APPROVE)
    assert go("Paid.").complete
    assert paid == [5]


def test_a_run_that_was_not_stopped_has_nothing_to_reopen(tmp_path, go):
    go("Done.")
    with Journal(tmp_path / "run.db") as journal:
        assert not journal.reopen()


# ------------------------------------------------------------------------------------------- forks and grants


def test_the_question_of_a_paused_run_is_open_in_its_fork_too(waiting, tmp_path, go, paid):
    Journal.read(waiting).fork(tmp_path / "other.db").close()
    assert [saved.state for saved in store.saved_runs(tmp_path)] == ["paused", "paused"]
    ((file, request),) = store.open_requests(tmp_path / "other.db")
    assert (file.name, request["id"]) == ("other.db", "run:1")
    store.answer(file, request["id"], APPROVE)
    assert [saved.state for saved in store.saved_runs(tmp_path)] == ["answered", "paused"]
    assert go("Paid.", name="other.db").complete and paid == [5]


def test_an_answer_belongs_to_the_run_it_was_given_to(waiting, tmp_path, go, paid):
    """An approval is used once: the fork of a run that was answered asks for one of its own."""
    store.answer(waiting, "run:1", APPROVE)
    Journal.read(waiting).fork(tmp_path / "other.db").close()
    assert [saved.state for saved in store.saved_runs(tmp_path)] == ["paused", "answered"]
    assert go(name="other.db").stop.reason == "paused" and paid == []


def test_a_question_keeps_its_time_in_a_fork(tmp_path, pay):
    now = [1_000.0]
    with Journal(tmp_path / "run.db", wall=lambda: now[0]) as journal:
        react("Pay 5", ScriptedModel([("pay", {"amount": 5})]), [pay], journal=journal, expires=60.0)
        now[0] += 50
        journal.fork(tmp_path / "other.db").close()
    for later, waits in ((9, 1), (10, 0)):
        with Journal(tmp_path / "other.db", wall=lambda: 1_050.0 + later) as other:  # noqa: B023
            assert len(other.pending()) == waits


def test_a_fork_in_the_middle_of_a_question_waits_for_its_answer(waiting, tmp_path):
    source = Journal.read(waiting)
    source.fork(tmp_path / "whole.db", source.records()[-1].seq + 1).close()
    source.fork(tmp_path / "before.db", source.records()[-1].seq).close()
    states = {saved.path.name: saved.state for saved in store.saved_runs(tmp_path)}
    assert states == {"run.db": "paused", "whole.db": "paused", "before.db": "unfinished"}


def test_a_grant_leaves_a_paused_run_paused_and_a_complete_one_complete(waiting, tmp_path, go):
    go("Done.", name="done.db")
    for name in ("run.db", "done.db"):
        store.grant(tmp_path / name, {"max_steps": 99})
    seen = {saved.path.name: (saved.state, saved.steps) for saved in store.saved_runs(tmp_path)}
    assert seen == {"done.db": ("complete", 1), "run.db": ("paused", 1)}
    assert go(name="done.db").complete


# ------------------------------------------------------------------------------------------- listing


def test_the_runs_of_a_folder_with_how_each_stands(tmp_path, go):
    go("Done.", name="a-complete.db")
    go("Nothing yet.", limits=Limits(max_steps=0), name="b-stopped.db")
    go(("pay", {"amount": 5}), name="c-paused.db")
    go(("pay", {"amount": 5}), name="d-answered.db")
    store.answer(tmp_path / "d-answered.db", "run:1", APPROVE)
    with Journal(tmp_path / "e-begun.db") as journal:
        journal.start({"question": "q", "limits": {}})
    sqlite3.connect(tmp_path / "f-other.db").execute("CREATE TABLE t (x)").connection.close()
    (tmp_path / "notes.txt").write_text("no run", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    states = ["complete", "max_steps", "paused", "answered", "unfinished", "unreadable"]
    assert [saved.state for saved in store.saved_runs(tmp_path)] == states
    first = store.saved_runs(tmp_path)[0]
    assert (first.question, first.steps, first.usd) == ("Pay 5", 1, None)


def test_the_parts_of_a_run_are_not_runs_of_their_own_and_their_questions_are_the_run_s(tmp_path, go):
    go("Done.")
    go(("pay", {"amount": 5}), name="run.part-1.db")
    go("Done.", name="run.part-2.db")
    assert [saved.path.name for saved in store.saved_runs(tmp_path)] == ["run.db"]
    ((file, request),) = store.open_requests(tmp_path / "run.db")
    assert (file.name, request["id"]) == ("run.part-1.db", "run:1")


def test_a_run_whose_part_cannot_be_read_is_listed_as_unreadable(tmp_path, waiting):
    (tmp_path / "run.part-1.db").write_text("no journal", encoding="utf-8")
    assert [saved.state for saved in store.saved_runs(tmp_path)] == ["unreadable"]


def test_a_saved_run_as_json_has_the_keys_of_its_result(tmp_path, go, pay):
    result = go(("pay", {"amount": 5}), "Paid.", person=lambda request: APPROVE)
    saved = store.as_dict(Journal.read(tmp_path / "run.db"))
    assert {name: saved[name] for name in result.to_dict()} == result.to_dict()
    assert (saved["question"], saved["state"]) == ("Pay 5", "complete")
