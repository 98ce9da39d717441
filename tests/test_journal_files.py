"""Files of journals: locked, newer, damaged or foreign ones are refused and left byte for byte; forks and copies."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers_control import Counting, asks, saved, short_run

from planexec.journal import SCHEMA, Journal, JournalError, explained
from planexec.journal_file import JournalFile
from planexec.run import Run


def test_a_file_in_use_is_refused_at_once_and_free_again_after_closing(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with Journal(path) as journal:
        short_run(journal)
        with pytest.raises(JournalError, match="in use"):
            Journal(path)
        assert Journal.read(path).header["question"] == "q", "looking needs no lock"
    with Journal(path) as journal:
        assert short_run(journal).usage.steps == 3


def test_a_file_in_use_is_refused_through_a_link_to_it_too_and_can_be_looked_at(tmp_path: Path) -> None:
    path, link = tmp_path / "run.db", tmp_path / "elsewhere" / "link.db"
    link.parent.mkdir()
    try:
        link.symlink_to(path)
    except OSError:
        pytest.skip("symbolic links need a right of their own on this system")
    for first, second in ((path, link), (link, path)):
        with Journal(first) as journal:
            short_run(journal)
            with pytest.raises(JournalError, match="in use"):
                Journal(second)
            assert Journal.read(second).header["question"] == "q", "what is not in the file itself yet is seen too"


def test_a_file_with_two_names_is_not_opened_for_writing(tmp_path: Path) -> None:
    path, other = tmp_path / "run.db", tmp_path / "other.db"
    with Journal(path) as journal:
        short_run(journal)
        try:
            other.hardlink_to(path)
        except OSError:
            pytest.skip("this file system has no hard links")
        with pytest.raises(JournalError, match="other name.*fork"):
            Journal(other)
    other.unlink()
    with Journal(path) as journal:
        assert short_run(journal).usage.steps == 3


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
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
    with pytest.raises(JournalError, match="is a folder; a run is saved in a file, as .*run.db"):
        Journal(tmp_path)
    with pytest.raises(JournalError, match="it is a folder"):
        Journal.read(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_mistyped_folder_is_not_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path, words in ((tmp_path / "new" / "run.db", "is not there"), (tmp_path / "file" / "run.db", "is no folder")):
        with pytest.raises(JournalError, match=f"cannot be made: the folder .* {words}; make it first"):
            Journal(path)
        with pytest.raises(JournalError, match=words):
            Journal().fork(path)
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_a_name_that_no_file_can_have_is_an_error_in_words(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 300)
    for use in (Journal, Journal.read, Journal().fork):
        with pytest.raises(JournalError, match="cannot be used|there is no saved run"):
            use(path)


def test_what_is_no_fault_of_the_contents_is_not_called_damage(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    saved(path)
    read_only = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    with (
        pytest.raises(JournalError, match="cannot be opened .*readonly.*may be written to") as problem,
        explained(path),
    ):
        read_only.execute("INSERT INTO records VALUES (99, '', '', 0, '', '', '', '')")
    read_only.close()
    assert "damaged" not in str(problem.value)


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
        assert journal._file is not None
        journal._file.db.execute("PRAGMA query_only=1")
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


def test_a_new_file_reaches_the_disk_before_anything_is_written_down_in_it(tmp_path: Path) -> None:
    """SQLite throws a log away that lies beside an empty file: after a power cut the whole run would be gone."""
    path = tmp_path / "run.db"
    with Journal(path) as journal:
        assert path.stat().st_size > 0, "not in the log alone"
        (synchronous,) = journal._file.db.execute("PRAGMA synchronous").fetchone()  # type: ignore[union-attr]
        (mode,) = journal._file.db.execute("PRAGMA journal_mode").fetchone()  # type: ignore[union-attr]
        assert (synchronous, mode) == (1, "wal")
    statements: list[str] = []
    path = tmp_path / "other.db"
    with sqlite3.connect(path, isolation_level=None) as db:
        db.set_trace_callback(statements.append)
        made = JournalFile.__new__(JournalFile)
        made.db, made.path = db, path
        made._prepare()
    first = next(at for at, each in enumerate(statements) if "journal_mode" in each)
    assert any("synchronous=NORMAL" in each for each in statements[:first]), "on before the first page is written"
    assert not any("synchronous=OFF" in each for each in statements)


def test_a_run_that_is_only_looked_at_can_be_gone_through_to_its_end_also_where_no_end_is_recorded(
    tmp_path: Path,
) -> None:
    """As in a file of an earlier version, which wrote down no end of a loop of one's own."""
    path, look = tmp_path / "run.db", Counting()

    def go(journal: Journal) -> Run:
        run = Run("q", tools=[look.tool()], journal=journal)
        with run:
            run.tools(asks(("look", {"query": "x"})))
            run.answer = "done"
        return run

    with Journal(path) as journal:
        go(journal)
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM records WHERE phase = 'result'")
    before = path.read_bytes()
    view = Journal.read(path)
    assert view.outcome is None
    go(view)
    assert view.outcome is not None and view.outcome["complete"] and look.seen == ["x"]
    assert path.read_bytes() == before
