"""Trials saved as they come and resumed after any interruption: Ctrl-C, a cut line, a killed process, a broken pool."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from trials_work import GUARDED, MANY, SECTORS, counting

from planexec.filelock import FileLock
from planexec.limits import Limits
from planexec.trials import Scenario, Setting, Table, trials
from planexec.trials import engine as engine_module
from planexec.trials.bar import Bar


@pytest.fixture(scope="module")
def table() -> Table:
    """The table of `MANY`, made without a break: what every resumed one has to come to."""
    return trials(*MANY)


# Saved and resumed.


def test_an_interrupted_trial_goes_on_where_it_was(
    tmp_path: Path, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rows.jsonl"
    counting(monkeypatch, stop_after=5)
    with pytest.raises(KeyboardInterrupt):
        trials(*MANY, save=path)
    assert len(path.read_text("utf-8").splitlines()) == 5
    made = counting(monkeypatch)
    assert trials(*MANY, save=path) == table
    assert len(made) == len(table) - 5
    again = counting(monkeypatch)
    assert trials(*MANY, save=path) == table
    assert again == []


def test_a_last_line_that_was_cut_is_made_again(tmp_path: Path, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rows.jsonl"
    trials(*MANY, save=path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    made = counting(monkeypatch)
    assert trials(*MANY, save=path) == table
    assert len(made) == 1
    assert sorted(path.read_bytes().splitlines()) == sorted(whole.splitlines())


@pytest.mark.parametrize("cut", [1, 2, 200])
def test_wherever_the_cut_is_no_row_is_lost_or_doubled(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "rows.jsonl"
    small = ([SECTORS], [GUARDED], range(3))
    first = trials(*small, save=path)
    path.write_bytes(path.read_bytes()[:-cut])
    assert trials(*small, save=path) == first
    assert len(path.read_text("utf-8").splitlines()) == 3


def test_rows_of_other_settings_are_not_mixed_in(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    few = Setting("s", limits=Limits(max_steps=3))
    many = Setting("s", limits=Limits(max_steps=8))
    chain = Scenario("finance", "allocation", loop="plan")
    assert trials([chain], [few], [0], save=path).column("outcome") == ["stopped"]
    assert trials([chain], [many], [0], save=path).column("outcome") == ["right"]
    assert len(path.read_text("utf-8").splitlines()) == 2


def test_more_seeds_only_make_the_new_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rows.jsonl"
    trials([SECTORS], [GUARDED], range(2), save=path)
    made = counting(monkeypatch)
    assert len(trials([SECTORS], [GUARDED], range(5), save=path)) == 5
    assert len(made) == 3


def test_a_run_that_failed_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What failed may have been the machine's fault; what it says now replaces what it said then."""
    path = tmp_path / "rows.jsonl"
    with monkeypatch.context() as patched:
        patched.setattr(engine_module, "carry_out", lambda *job: 1 / 0)
        assert trials([SECTORS], [GUARDED], [0], save=path)[0]["error"] == "ZeroDivisionError: division by zero"
    assert trials([SECTORS], [GUARDED], [0], save=path)[0]["outcome"] == "right"
    made = counting(monkeypatch)
    assert trials([SECTORS], [GUARDED], [0], save=path)[0]["outcome"] == "right"
    assert made == []


KILLED = """
import os, signal, sys
from planexec.trials import UNGUARDED, Scenario, Setting, trials
from planexec.trials.saved import SavedRows
add = SavedRows.add
def add_and_die(self, key, row):
    add(self, key, row)
    if len(self.rows) == 5:
        self._file.write('{"key": "half a li')
        self._file.flush()
        os.kill(os.getpid(), signal.SIGKILL)
SavedRows.add = add_and_die
two = [Scenario("finance", "sectors"), Scenario("finance", "split", "zh")]
three = [*two, Scenario("flights", "no_data", loop="react")]
trials(three, [Setting("guarded"), UNGUARDED], range(4), save=sys.argv[1])
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_a_process_killed_in_the_middle_of_a_line_loses_that_line_only(tmp_path: Path, table: Table) -> None:
    path = tmp_path / "rows.jsonl"
    died = subprocess.run([sys.executable, "-c", KILLED, str(path)], capture_output=True)
    assert died.returncode == -signal.SIGKILL, died.stderr.decode()
    assert path.read_bytes().count(b"\n") == 5
    assert trials(*MANY, save=path) == table
    assert path.read_bytes().count(b"\n") == len(table)


def test_a_file_of_another_kind_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "thesis.txt"
    path.write_text("Chapter 1\nOnce upon a time\n", encoding="utf-8")
    with pytest.raises(ValueError, match="line 1, is no saved row"):
        trials([SECTORS], [GUARDED], [0], save=path)
    assert path.read_text("utf-8").startswith("Chapter 1")


def test_two_trials_at_once_do_not_write_into_one_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    other = FileLock(path)
    assert other.acquire()
    with pytest.raises(RuntimeError, match="another process"):
        trials([SECTORS], [GUARDED], [0], save=path)
    other.release()
    assert len(trials([SECTORS], [GUARDED], [0], save=path)) == 1


# Progress.


def test_the_bar_says_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    trials([SECTORS], [GUARDED], range(4), progress=True)
    said = capsys.readouterr().err
    assert said.endswith("] 100 %, 4 of 4 runs\n")
    assert said.count("\r") == 4


def test_a_resumed_bar_begins_where_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rows.jsonl"
    trials([SECTORS], [GUARDED], range(3), save=path)
    trials([SECTORS], [GUARDED], range(4), save=path, progress=True)
    assert capsys.readouterr().err.startswith("\r[##############################] 100 %, 4 of 4 runs")


def test_a_bar_of_many_runs_is_not_drawn_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    out = io.StringIO()
    bar = Bar(10_000, out=out)
    for _ in range(10_000):
        bar.step()
    assert out.getvalue().count("\r") <= 131
    assert out.getvalue().endswith("10,000 of 10,000 runs\n")


def test_without_progress_nothing_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    trials([SECTORS], [GUARDED], [0])
    assert capsys.readouterr() == ("", "")
