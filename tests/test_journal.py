"""The journal: append-only, addressed, the same live and replayed - and a file that is wrong is refused, not mended."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers_control import OFF, Counting, Killed, asks, endless, facts, killed_at, nothing
from hypothesis import given, settings
from hypothesis import strategies as st

from planexec.chat import user
from planexec.clock import VirtualClock
from planexec.journal import SCHEMA, TEXT_CAP, Journal, JournalError, cut, dumps, plain
from planexec.models.scripted import ScriptedModel
from planexec.react_loop import react
from planexec.run import Run
from planexec.tools import Observation, found, tool


def short_run(journal: Journal, question: str = "q", **settings: Any) -> Any:
    """Three turns and a conclusion."""
    return react(question, endless(), [facts()], OFF.with_(max_steps=3), guards=(), journal=journal, **settings)


def saved(path: Path, **settings: Any) -> Any:
    with Journal(path) as journal:
        return short_run(journal, **settings)


# ------------------------------------------------------------------------------------------- append and read


def test_what_is_written_is_read_back_by_another_process_in_the_same_order(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with Journal(path) as journal:
        short_run(journal)
        before = list(journal.lines())
    with Journal(path) as journal:
        assert list(journal.lines()) == before
    code = f"from planexec.journal import Journal; print(*Journal.read({str(path)!r}).lines(), sep='\\n')"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.splitlines() == before


def test_every_line_of_the_export_is_json_and_the_first_is_the_header(tmp_path: Path) -> None:
    with Journal(tmp_path / "run.db") as journal:
        short_run(journal)
        head, *lines = map(json.loads, journal.lines())
    assert (head["planexec_journal"], head["question"]) == (SCHEMA, "q")
    assert [line["kind"] for line in lines] == ["model", "tool"] * 3 + ["stop", "model"]
    assert all(line["result"] is not None and line["seq"] for line in lines)


def test_rows_are_only_ever_added(tmp_path: Path) -> None:
    """A grant supersedes; the rows it supersedes stay in the file as they were."""
    path = tmp_path / "run.db"

    def rows() -> list[Any]:
        with sqlite3.connect(path) as db:
            return db.execute("SELECT * FROM records ORDER BY seq").fetchall()

    saved(path)
    before = rows()
    with Journal(path) as journal:
        journal.grant({"max_steps": 5})
        short_run(journal)
        assert len(journal.records()) < len(before) + 10
    after = rows()
    assert after[: len(before)] == before and len(after) > len(before)
    assert [row[0] for row in after] == list(range(1, len(after) + 1))


def test_a_journal_in_memory_and_one_in_a_file_hold_the_same(tmp_path: Path) -> None:
    memory = Journal()
    short_run(memory, date="2026-01-01")
    with Journal(tmp_path / "run.db") as file:
        short_run(file, date="2026-01-01")
        seconds = {"seconds": 0}
        here, there = ([json.loads(line) | seconds for line in list(each.lines())[1:]] for each in (memory, file))
    assert here == there


# --------------------------------------------------------------------------------------- what does not fit


def test_another_question_is_an_error_that_names_both(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    saved(path, question="How much for banks?")
    before = path.read_bytes()
    with Journal(path) as journal, pytest.raises(JournalError) as problem:
        short_run(journal, "What is the weather?")
    assert "How much for banks?" in str(problem.value) and "What is the weather?" in str(problem.value)
    assert path.read_bytes() == before


def test_another_kind_of_effect_at_an_address_is_an_error_that_names_it() -> None:
    journal = Journal()
    short_run(journal)
    for replay in ("strict", "follow"):
        run = Run("q", tools=[facts()], journal=journal, replay=replay, limits=OFF.with_(max_steps=3))
        with pytest.raises(JournalError, match=r"run\[0\].*recorded is model 'model', now comes tool 'look'"):
            run.tools(asks(("look", {"query": "x"})))


def test_strict_replay_refuses_other_contents_and_names_the_address() -> None:
    journal = Journal()
    react("q", endless(), [facts()], OFF.with_(max_steps=3), guards=(), journal=journal, prompt="Old prompt.")
    with pytest.raises(JournalError, match=r"run\[0\] \(model model\): its contents differ"):
        react("q", endless(), [facts()], OFF.with_(max_steps=3), guards=(), journal=journal, prompt="New prompt.")


def test_follow_goes_on_while_kind_and_tool_agree_and_reports_the_first_difference() -> None:
    journal = Journal()
    first = Run("q", model=ScriptedModel(["one", "two"]), journal=journal)
    first.model([user("a")]), first.model([user("a"), user("b")])
    again = Run("q", journal=journal, replay="follow")
    assert again.first_difference == ""
    assert again.model([user("A, reworded")]).text == "one"
    assert again.model([user("A, reworded"), user("b")]).text == "two"
    assert again.first_difference.startswith("run[0]")


@pytest.mark.parametrize("args", [{"query": "y"}, {"query": "x", "n": 1}])
def test_other_arguments_at_an_address_are_other_contents(args: dict[str, Any]) -> None:
    journal = Journal()
    Run("q", tools=[facts()], journal=journal).tools(asks(("look", {"query": "x"})))
    with pytest.raises(JournalError, match=r"run\[0\] \(tool look\)"):
        Run("q", tools=[facts()], journal=journal).tools(asks(("look", args)))


def test_the_same_call_in_another_spelling_is_the_same_contents() -> None:
    journal = Journal()
    Run("q", tools=[facts()], journal=journal).tools(asks(("look", {"query": "x"})))
    Run("q", tools=[facts()], journal=journal).tools(asks(("look", {"query": " x "})))


# ------------------------------------------------------------------------------------------------- files


def test_a_file_in_use_is_refused_at_once_and_free_again_after_closing(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with Journal(path) as journal:
        short_run(journal)
        with pytest.raises(JournalError, match="in use"):
            Journal(path)
        assert Journal.read(path).header["question"] == "q", "looking needs no lock"
    with Journal(path) as journal:
        assert short_run(journal).usage.steps == 3


def test_the_lock_of_a_killed_process_is_gone_with_it(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    code = (
        f"import os, signal; from planexec.journal import Journal; j = Journal({str(path)!r}); "
        "j.start({'question': 'q', 'limits': {}}); os.kill(os.getpid(), signal.SIGKILL)"
    )
    killed = subprocess.run([sys.executable, "-c", code], check=False)
    assert killed.returncode == -9
    with Journal(path) as journal:
        assert journal.header["question"] == "q"


def test_a_newer_schema_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    saved(path)
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version={SCHEMA + 1}")
    db.close()
    before = path.read_bytes()
    with pytest.raises(JournalError, match=f"newer planexec.*schema {SCHEMA + 1}"):
        Journal(path)
    assert path.read_bytes() == before


def a_text(path: Path) -> None:
    path.write_text("Dear diary,\n" * 400, encoding="utf-8")


def a_foreign_database(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE customers (name TEXT)")
        db.execute("INSERT INTO customers VALUES ('Ada')")
    db.close()


def cut_in_the_middle(path: Path) -> None:
    saved(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])


def zeros_inside(path: Path) -> None:
    saved(path)
    whole = bytearray(path.read_bytes())
    whole[len(whole) // 2 : len(whole) // 2 + 3_000] = bytes(3_000)
    path.write_bytes(bytes(whole))


def broken_json(path: Path) -> None:
    saved(path)
    with sqlite3.connect(path) as db:
        db.execute("UPDATE records SET body = substr(body, 1, 20) WHERE seq = 4")
    db.close()


def an_unknown_phase(path: Path) -> None:
    saved(path)
    with sqlite3.connect(path) as db:
        db.execute("UPDATE records SET phase = 'imagined' WHERE seq = 4")
    db.close()


def an_end_without_a_beginning(path: Path) -> None:
    saved(path)
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM records WHERE seq = 2")
    db.close()


def a_row_of_the_wrong_form(path: Path) -> None:
    saved(path)
    with sqlite3.connect(path) as db:
        db.execute("UPDATE records SET body = '[]' WHERE seq = 3")
    db.close()


def a_header_of_the_wrong_form(path: Path) -> None:
    saved(path)
    with sqlite3.connect(path) as db:
        db.execute("UPDATE records SET body = '[1]' WHERE seq = 1")
    db.close()


WRONG = [
    a_text,
    a_foreign_database,
    cut_in_the_middle,
    zeros_inside,
    broken_json,
    an_unknown_phase,
    an_end_without_a_beginning,
    a_row_of_the_wrong_form,
    a_header_of_the_wrong_form,
]


@pytest.mark.parametrize("make", WRONG, ids=lambda make: make.__name__)
def test_a_file_that_is_no_journal_or_damaged_is_refused_and_left_byte_for_byte(make: Any, tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    make(path)
    before = path.read_bytes()
    for open_it in (Journal, Journal.read):
        with pytest.raises(JournalError, match="run.db") as problem:
            open_it(path)
        assert path.read_bytes() == before
    assert "left as it is" in str(problem.value)
    assert sorted(each.name for each in tmp_path.iterdir() if each.stat().st_size) == ["run.db"]


def test_a_folder_is_no_journal(tmp_path: Path) -> None:
    with pytest.raises(JournalError):
        Journal(tmp_path)


def test_an_empty_file_becomes_a_journal_and_a_missing_one_is_no_saved_run(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    path.touch()
    assert saved(path).usage.steps == 3
    with pytest.raises(JournalError, match="there is no saved run"):
        Journal.read(tmp_path / "missing.db")
    assert not (tmp_path / "missing.db").exists()


def test_a_closed_journal_cannot_be_written_to(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "run.db")
    journal.start({"question": "q", "limits": {}})
    journal.close()
    journal.close()
    with pytest.raises(JournalError, match="closed"):
        journal.begin("run", 0, "model", "model", "", {})
    with pytest.raises(JournalError, match="closed"):
        short_run(journal)


def test_a_disk_that_takes_no_more_is_a_clear_error_and_the_effect_does_not_happen(tmp_path: Path) -> None:
    path, tool_ = tmp_path / "run.db", Counting()
    with Journal(path) as journal:
        run = Run("q", tools=[tool_.tool()], journal=journal)
        assert journal._db is not None
        journal._db.execute("PRAGMA query_only=1")
        with pytest.raises(JournalError, match="run.db"):
            run.tools(asks(("look", {"query": "x"})))
    assert tool_.seen == []


# ------------------------------------------------------------------------------------------------- forks


def test_a_fork_has_the_records_and_goes_its_own_way(tmp_path: Path) -> None:
    with Journal(tmp_path / "run.db") as journal:
        short_run(journal)
        with journal.fork(tmp_path / "fork.db") as fork:
            assert [record.address for record in fork.records()] == [record.address for record in journal.records()]
            fork.grant({"max_steps": 5})
            assert short_run(fork).usage.steps == 5
        assert short_run(journal).usage.steps == 3


def test_a_fork_may_begin_earlier(tmp_path: Path) -> None:
    with Journal(tmp_path / "run.db") as journal:
        short_run(journal)
        third = journal.records()[2]
        with journal.fork(tmp_path / "fork.db", upto=third.seq) as fork:
            assert [record.address for record in fork.records()] == ["run[0]", "run[1]"]
            assert short_run(fork).usage.steps == 3


def test_a_fork_needs_a_new_file(tmp_path: Path) -> None:
    with Journal(tmp_path / "run.db") as journal:
        short_run(journal)
        (tmp_path / "fork.db").write_text("mine", encoding="utf-8")
        with pytest.raises(JournalError, match="already exists"):
            journal.fork(tmp_path / "fork.db")
    assert (tmp_path / "fork.db").read_text(encoding="utf-8") == "mine"


def test_a_fork_of_a_journal_in_memory_is_a_file(tmp_path: Path) -> None:
    journal = Journal()
    short_run(journal)
    journal.fork(tmp_path / "fork.db").close()
    assert saved(tmp_path / "fork.db").usage.steps == 3


# ------------------------------------------------------------------------------------ live and replayed alike


def both(value: Any) -> tuple[Observation, Observation]:
    """What a loop sees of one tool call live, and what it sees of it on a replay from a file."""
    import tempfile

    @tool
    def give(query: str) -> Any:
        """Give the value."""
        return value

    with tempfile.TemporaryDirectory() as folder:
        seen = []
        for _ in range(2):
            with Journal(Path(folder, "run.db")) as journal:
                seen += Run("q", tools=[give], journal=journal, guards=()).tools(asks(("give", {"query": "x"})))
    return seen[0], seen[1]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(value=JSON)
def test_any_value_is_the_same_live_and_replayed(value: Any) -> None:
    """Lone surrogates, NaN, endless numbers, huge integers, nulls: a typed observation, twice the same."""
    live, replayed = both(value)
    assert live == replayed and live.kind in ("found", "empty", "failed")
    json.dumps(live.data, allow_nan=False)
    live.text.encode("utf-8")


HALVES = ["\ud800 x", {"a": "\ud83d\ude00", "\udc00": 1}, found("\ud83d\ude00", ["\ud83d\ude00"]), ["\udfff"]]


@pytest.mark.parametrize("value", HALVES, ids=ascii)
def test_half_a_surrogate_pair_becomes_a_mark_that_files_and_services_take(value: Any) -> None:
    live, replayed = both(value)
    assert live == replayed
    (live.message_text + json.dumps(live.data, ensure_ascii=False)).encode("utf-8")


@settings(max_examples=40, deadline=None)
@given(text=st.text(st.characters(exclude_categories=())), data=JSON)
def test_any_observation_is_the_same_live_and_replayed(text: str, data: Any) -> None:
    live, replayed = both(Observation("found", text, data))
    assert live == replayed


def test_a_tuple_becomes_a_list_and_keys_become_texts_already_when_live() -> None:
    live, replayed = both(found("x", {1: (2, 3)}))
    assert live.data == replayed.data == {"1": [2, 3]}


def test_a_big_text_is_cut_visibly_with_the_digest_of_the_whole() -> None:
    live, replayed = both("x" * 10_000_000)
    assert live == replayed and len(live.text) < TEXT_CAP + 200
    assert "10,000,000 characters in all" in live.text and "digest" in live.text
    assert cut("x" * TEXT_CAP) == "x" * TEXT_CAP, "at the cap nothing is cut"
    assert cut("x" * (TEXT_CAP + 1)) != cut("x" * TEXT_CAP + "y"), "the digest tells two long texts apart"


def test_a_big_reply_is_cut_and_the_same_on_replay(tmp_path: Path) -> None:
    for script in (["x" * 10_000_000], []):
        with Journal(tmp_path / "run.db") as journal:
            text = Run("q", model=ScriptedModel(script), journal=journal).model([user("q")]).text
            assert len(text) < TEXT_CAP + 200 and "10,000,000 characters" in text
    assert (tmp_path / "run.db").stat().st_size < 1_000_000


def test_what_the_caller_changes_later_does_not_change_the_record() -> None:
    """A tool that empties the list it was given: what it was asked for stays on record, and in the result."""
    journal = Journal()

    @tool
    def tidy(items: Any) -> list[Any]:
        """Change the argument in place."""
        items.clear()
        return ["done"]

    model = ScriptedModel([("tidy", {"items": [3, 1, 2]}), "tidied"])
    result = react("q", model, [tidy], journal=journal)
    (record,) = [each for each in journal.records() if each.kind == "tool"]
    assert record.request["args"] == result.calls[0].args == {"items": [3, 1, 2]}


# ------------------------------------------------------------------------------------------------- keys


KEY = 'sk-"quoted"\\and/ä-1234567890'


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "GITHUB_TOKEN", "MY_SECRET", "DB_PASSWORD"])
def test_no_key_of_the_environment_gets_into_the_file_the_export_or_a_result(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the question, a tool's text, data and arguments, a model's words and an error: nowhere is it written."""
    monkeypatch.setenv(name, KEY)

    def line(messages: Any, tools: Any) -> Any:
        turn = sum(message["role"] == "assistant" for message in messages)
        return [("look", {"query": f"my key is {KEY}"}), ("leak", {"query": "x"}), f"It is {KEY}."][turn]

    leak = Counting(lambda query: (_ for _ in ()).throw(ValueError(f"401 for {KEY}"))).tool("leak")
    tell = Counting(lambda query: found(f"the key {KEY}", {"key": KEY})).tool()
    results = []
    for _ in range(2):
        with Journal(tmp_path / "run.db") as journal:
            result = react(f"What opens {KEY}?", ScriptedModel(line), [tell, leak], journal=journal)
            exported = "\n".join(journal.lines())
            results.append(result.to_dict())
            shown = "\n".join(f"{call.args} {call.text}" for call in result.calls) + result.answer
            assert KEY not in shown and "1234567890" not in shown
    assert results[0] == results[1], "a replay is no mismatch"
    for text in (exported, *(each.read_bytes().decode("latin-1") for each in tmp_path.iterdir())):
        assert "1234567890" not in text and "quoted" not in text
    assert "[key removed]" in exported


# ------------------------------------------------------------------------------------------------- size


def test_bytes_a_step_are_the_same_at_step_10_and_at_step_5000(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    sizes = {}
    with Journal(path) as journal:
        run = Run("q", tools=[facts()], limits=OFF, guards=(), journal=journal, clock=VirtualClock())
        assert journal._db is not None
        for turn in range(1, 5_001):
            calls = asks(("look", {"query": f"q{turn:05}"}))
            run.tools(calls, step=True)
            if turn in (10, 1_010, 4_000, 5_000):
                (total,) = journal._db.execute("SELECT sum(length(body)) FROM records").fetchone()
                sizes[turn] = total
    assert (sizes[5_000] - sizes[4_000]) == (sizes[1_010] - sizes[10])


def test_a_conversation_of_500_turns_writes_each_message_once(tmp_path: Path) -> None:
    def line(messages: Any, tools: Any) -> Any:
        return [("look", {"query": f"q{len(messages):05}"})]

    with Journal(tmp_path / "run.db") as journal:
        model = ScriptedModel(line)
        react("q", model, [nothing()], OFF.with_(max_steps=500), guards=(), journal=journal)
        sizes = [len(dumps(record.request)) for record in journal.records() if record.kind == "model"]
    assert max(sizes[1:-1]) - min(sizes[1:-1]) <= 20


def test_plain_and_dumps_refuse_what_json_cannot_hold() -> None:
    loop: list[Any] = []
    loop.append(loop)
    for wrong in (float("nan"), float("inf"), b"x", {1, 2}, object(), loop):
        with pytest.raises((TypeError, ValueError, RecursionError)):
            plain([wrong])
    assert plain({"a": (1, 2.5, None, True, "ü")}) == {"a": [1, 2.5, None, True, "ü"]}


def test_a_kill_while_writing_leaves_a_journal_that_opens(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    for effect in range(1, 8):
        with pytest.raises(Killed), Journal(path) as journal:
            short_run(journal, on_event=killed_at(1))
        assert len(Journal.read(path).records()) >= effect
