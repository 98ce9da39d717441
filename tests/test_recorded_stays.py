"""What was recorded stays as it was, whatever a loop does to the call, the reply or the observation in its hands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from helpers_control import OFF, Counting, asks

from planexec.chat import Reply, ToolCall, user
from planexec.clock import VirtualClock
from planexec.journal import Journal
from planexec.models.scripted import ScriptedModel
from planexec.records import Record
from planexec.run import Run
from planexec.store import saved_runs

Edit = Callable[[str, Any], None]


def program(journal: Journal, edit: Edit, look: Counting, **settings: Any) -> str:
    """Somebody's own loop, which does `edit` to all that passes through its hands."""
    model = ScriptedModel(lambda messages, tools: "Done." if len(messages) > 4 else ("look", {"query": "box"}))
    run = Run("q", model=model, tools=[look.tool()], journal=journal, limits=OFF, clock=VirtualClock(), **settings)
    with run:
        messages = [user(run.question)]
        while True:
            reply = run.model(messages, tools=True, step=True)
            edit("reply", reply)
            messages.append(reply.message)
            if not reply.tool_calls:
                run.answer = reply.text
                break
            for call in reply.tool_calls:
                edit("call", call)
            for call, seen in zip(reply.tool_calls, run.tools(reply.tool_calls), strict=False):
                edit("seen", seen)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": seen.message_text})
    return run.answer


def nothing(what: str, each: Any) -> None:
    """The loop that edits nothing."""


def shorten(what: str, seen: Any) -> None:
    if what == "seen":
        seen.text = seen.text[:4]


def quote(what: str, seen: Any) -> None:
    if what == "seen":
        seen.text = "> " + seen.text


def add_a_note(what: str, seen: Any) -> None:
    if what == "seen":
        seen.note += "Be brief."


def take_for_failed(what: str, seen: Any) -> None:
    if what == "seen":
        seen.kind, seen.data = "failed", None


def say_more(what: str, reply: Any) -> None:
    if what == "reply":
        reply.text, reply.finish = reply.text + " (edited)", "stop"


def ask_more(what: str, reply: Any) -> None:
    if what == "reply" and reply.tool_calls:
        reply.tool_calls += (ToolCall("z", "look", {"query": "more"}),)


def mend_arguments(what: str, call: Any) -> None:
    if what == "call":
        call.args, call.error = {"query": call.args["query"] + "!"}, "mended"


EDITS = [shorten, quote, add_a_note, take_for_failed, say_more, ask_more, mend_arguments]


def recorded(journal: Journal) -> list[Any]:
    return [(each.kind, each.name, each.result) for each in journal.records() if each.kind == "model"]


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("saved", [False, True])
def test_a_loop_that_edits_what_it_got_finds_the_same_when_it_is_run_again(
    edit: Edit, saved: bool, tmp_path: Path
) -> None:
    look = Counting()
    with Journal(tmp_path / "run.db" if saved else None) as journal:
        answer, made = program(journal, edit, look), len(look.seen)
        lines = list(journal.lines())
        if saved:
            assert lines == list(Journal.read(tmp_path / "run.db").lines()), "what the file says"
        assert program(journal, edit, look) == answer and len(look.seen) == made
        assert list(journal.lines()) == lines


@pytest.mark.parametrize("edit", [shorten, quote, add_a_note, take_for_failed, say_more])
def test_what_came_back_is_recorded_as_it_came(edit: Edit) -> None:
    plain, edited = Journal(), Journal()
    program(plain, nothing, Counting())
    program(edited, edit, Counting())
    for one, other in zip(plain.records()[:2], edited.records()[:2], strict=True):
        assert (one.request, one.result) == (other.request, other.result)


def test_a_payment_that_the_loop_takes_for_failed_is_not_made_twice() -> None:
    paid, journal = Counting(), Journal()

    def pay() -> str:
        run = Run("q", tools=[paid.tool("pay", effect=True)], journal=journal, limits=OFF)
        (seen,) = run.tools(asks(("pay", {"query": "Ann"})))
        kind, seen.kind = seen.kind, "failed"
        return kind

    assert pay() == "found"
    journal.supersede_from(journal.records()[0].seq)
    assert pay() == "found" and paid.seen == ["Ann"]


def test_one_call_that_is_used_for_three(tmp_path: Path) -> None:
    journal, call = Journal(), ToolCall("", "look", {})
    run = Run("q", tools=[Counting().tool()], journal=journal, limits=OFF)
    for number, query in enumerate("abc"):
        call.id, call.args = str(number), {"query": query}
        run.tools([call])
    with journal.fork(tmp_path / "fork.db") as fork:
        for each in (journal, fork):
            assert [record.request for record in each.records()] == [
                {"args": {"query": query}, "call": str(number)} for number, query in enumerate("abc")
            ]


def test_anything_with_the_parts_of_a_call_is_one(tmp_path: Path) -> None:
    call: Any = SimpleNamespace(id="1", name="look", args={"query": "x"}, error="")
    for journal in (Journal(), Journal(tmp_path / "run.db")):
        with journal:
            (seen,) = Run("q", tools=[Counting().tool()], journal=journal, limits=OFF).tools([call])
            assert seen.kind == "found" and journal.records()[0].request["args"] == {"query": "x"}


def test_messages_that_are_no_list_are_recorded_as_one() -> None:
    journal, messages = Journal(), (user("a"), user("b"))
    Run("q", model=ScriptedModel(["done"]), journal=journal).model(messages)  # type: ignore[arg-type]
    assert journal.records()[0].request["added"] == [user("a"), user("b")]


def test_records_with_the_same_contents_are_equal_and_show_them() -> None:
    def record(text: str) -> Record:
        return Record("run", 0, "tool", "look", "", ({"query": "x"}, "1"), ("found", text, None, "", None, None, ""))

    assert record("fact") == record("fact") != record("other") and record("fact") != "fact"
    assert "'text': 'fact'" in repr(record("fact")) and "_request" not in repr(record("fact"))


@pytest.mark.parametrize(
    "body", [{"request": ["key"], "result": {}}, {"request": None, "result": 7}, {"request": {}, "result": [1]}]
)
def test_a_damaged_row_spoils_no_listing(body: dict[str, Any], tmp_path: Path) -> None:
    with Journal(tmp_path / "run.db") as journal:
        journal.start({"question": "q", "date": "2026-01-01", "lang": "en", "seed": 0, "limits": {}})
        journal._file.write((journal._seq + 1, "added", "run", 0, "note", "x", "", json.dumps(body)))  # type: ignore[union-attr]
        journal._file.write((journal._seq + 2, "superseded", "", "", "", "", "", '{"from": 2}'))  # type: ignore[union-attr]
    (saved,) = saved_runs(tmp_path)
    assert saved.state in ("unreadable", "unfinished")


def test_somebody_may_look_on_while_the_run_goes_on() -> None:
    """As another thread would meet it: a scope comes in while the records of another are being read."""
    journal = Journal()

    class Interrupted(dict[int, Record]):
        def values(self) -> Any:
            journal.add("new", 0, "note", "x", "", {})
            return super().values()

    for scope in "ab":
        journal.add(scope, 0, "note", "x", "", {})
        journal._live[scope] = Interrupted(journal._live[scope])
    assert [record.scope for record in journal.records()] == ["a", "b"]


def test_calls_that_the_message_holds_in_a_form_of_its_own_keep_their_ids() -> None:
    """Whoever has such a model answers by these ids; they are changed only where the message changes with them."""
    message = {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "look"}]}
    replies = [Reply("", (ToolCall("t1", "look", {"query": each}),), "tool_calls", message=message) for each in "ab"]
    run = Run("q", model=ScriptedModel(replies), tools=[Counting().tool()], limits=OFF)
    ids = [call.id for _ in replies for call in run.model([user("go")]).tool_calls]
    assert ids == ["t1", "t1"]
