"""Live and replayed alike: what a loop sees is what the journal will give back - any value, any size, and no key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers_control import OFF, Counting, Killed, asks, facts, killed_at, nothing, short_run
from hypothesis import given, settings
from hypothesis import strategies as st

from planexec.chat import user
from planexec.clock import VirtualClock
from planexec.journal import TEXT_CAP, Journal, cut, dumps, plain
from planexec.models.scripted import ScriptedModel
from planexec.react_loop import react
from planexec.run import Run
from planexec.tools import Observation, found, tool

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
        assert journal._file is not None
        for turn in range(1, 5_001):
            calls = asks(("look", {"query": f"q{turn:05}"}))
            run.tools(calls, step=True)
            if turn in (10, 1_010, 4_000, 5_000):
                (total,) = journal._file.db.execute("SELECT sum(length(body)) FROM records").fetchone()
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
