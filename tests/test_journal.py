"""The journal: append-only, addressed, the same live and replayed - and a file that is wrong is refused, not mended."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers_control import OFF, asks, endless, facts, saved, short_run

from planexec.chat import user
from planexec.journal import SCHEMA, Journal, JournalError
from planexec.models.scripted import ScriptedModel
from planexec.react_loop import react
from planexec.run import Run


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
    again = Run("q", tools=[facts()], journal=journal)
    again.tools(asks(("look", {"query": " x "})))
    assert again.first_difference == "" and len(journal.records()) == 1
