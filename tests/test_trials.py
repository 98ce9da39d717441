"""Trials: one run, one row; the same table whoever carries it out; saved as it comes, resumed after an interruption."""

from __future__ import annotations

import csv
import io
import json
import pickle
import signal
import subprocess
import sys
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from planexec.guards import DEFAULT_GUARDS, Enough
from planexec.limits import Limits
from planexec.models.scripted import ScriptedModel
from planexec.trials import UNGUARDED, Scenario, Setting, Table, trials
from planexec.trials import engine as engine_module
from planexec.trials.bar import Bar
from planexec.trials.engine import one
from planexec.trials.judge import COLUMNS
from planexec.trials.pace import Pace
from planexec.trials.scenario import carry_out

SECTORS, SPLIT = Scenario("finance", "sectors"), Scenario("finance", "split", "zh")
FLIGHT = Scenario("flights", "no_data", loop="react")
GUARDED = Setting("guarded")
MANY = ([SECTORS, SPLIT, FLIGHT], [GUARDED, UNGUARDED], range(4))


@pytest.fixture(scope="module")
def table() -> Table:
    """The table of `MANY`, made in this process: what every other way has to come to."""
    return trials(*MANY)


# One run, one row.


def test_a_table_has_one_row_a_run_in_the_order_of_its_parts(table: Table) -> None:
    assert [(row["scenario"], row["setting"], row["seed"]) for row in table] == [
        (scenario.name, setting.name, seed) for scenario in MANY[0] for setting in MANY[1] for seed in MANY[2]
    ]


def test_every_row_has_every_column_and_each_column_says_what_it_counts(table: Table) -> None:
    names = ["scenario", "group", "setting", "seed", *COLUMNS, "error"]
    assert all(list(row) == names for row in table)
    assert all(COLUMNS.values())


def test_every_value_is_a_plain_one_that_json_and_csv_give_back(table: Table) -> None:
    lines = [json.loads(line) for line in table.to_lines().splitlines()]
    assert Table(lines) == table
    rows = list(csv.DictReader(io.StringIO(table.to_csv())))
    assert [row["outcome"] for row in rows] == table.column("outcome")


def test_the_same_seeds_give_the_same_table(table: Table) -> None:
    assert trials(*MANY) == table


def test_other_seeds_give_other_runs() -> None:
    runs = trials([Scenario("finance", "sectors", loop="react")], [UNGUARDED], range(40))
    assert len(set(runs.column("tool_calls"))) > 1


def test_a_run_that_fails_is_a_row_and_the_others_go_on() -> None:
    wrong = Scenario("no such world", "question", case="wrong")
    rows = trials([wrong, SECTORS], [GUARDED], [0, 1])
    assert rows.where(scenario="wrong").column("outcome") == ["error", "error"]
    assert "no world is called" in rows[0]["error"]
    assert rows.where(scenario=SECTORS.name).column("outcome") == ["right", "right"]
    assert rows.where(scenario="wrong").column("tool_calls") == [None, None]


def test_a_setting_that_cannot_exist_is_the_callers_mistake_and_a_limit_of_zero_is_a_row() -> None:
    broken = Setting("no such preset", preset="nobody")
    with pytest.raises(ValueError, match="nobody"):
        trials([SECTORS], [broken], [0])
    row = trials([SECTORS], [Setting("no calls", limits=Limits(max_model_calls=0, max_replans=0))], [0])[0]
    assert (row["outcome"], row["stop_reason"], row["tool_calls"]) == ("stopped", "max_model_calls", 0)


def test_two_scenarios_or_settings_of_one_name_could_not_be_told_apart() -> None:
    with pytest.raises(ValueError, match="two scenarios are named 'finance/sectors/en'"):
        trials([SECTORS, replace(SECTORS, loop="react")], [GUARDED], [0])
    with pytest.raises(ValueError, match="two settings are named 'guarded'"):
        trials([SECTORS], [GUARDED, Setting("guarded", dials={"greed": 0.0})], [0])


# Settings.


def test_a_prompt_dials_limits_guards_and_a_pace_each_change_the_run() -> None:
    react = Scenario("finance", "sectors", loop="react")
    changed = [
        Setting("prompt", prompt="Use the tools. At most two searches.", guards=()),
        Setting("dials", dials={"greed": 0.0}, guards=()),
        Setting("limits", limits=Limits(max_steps=2), guards=()),
        Setting("guards", guards=(Enough(calls=2, scope="step"),)),
    ]
    calls = trials([react], [Setting("plain", guards=()), *changed], [0]).column("tool_calls")
    assert calls == [4, 2, 1, 2, 2]
    paced = trials([react], [Setting("paced", pace=Pace(10.0, 0.5), guards=())], [0])[0]
    assert (paced["model_calls"], paced["usd"]) == (5, 2.5)
    assert paced["seconds"] == pytest.approx(50, abs=5)


def two_lines(seed: int) -> ScriptedModel:
    """A model that looks once and answers."""
    return ScriptedModel([("search_knowledge", {"query": "sectors"}), f"seed {seed}: banks"])


def test_any_other_model_may_be_tried_with_the_same_judge() -> None:
    row = trials([Scenario("finance", "sectors", loop="react")], [Setting("other", make_model=two_lines)], [7])[0]
    assert (row["outcome"], row["model_calls"], row["error"]) == ("wrong", 2, "")
    assert row["usd"] is None


def test_without_a_last_word_a_limit_leaves_no_answer() -> None:
    react = Scenario("finance", "allocation", loop="react")
    kept, taken = (Setting("x", limits=Limits.none().with_(max_steps=4), guards=(), last_word=w) for w in (True, False))
    assert carry_out(react, kept, 0).answer and not carry_out(react, taken, 0).answer
    assert carry_out(react, taken, 0).stop == carry_out(react, kept, 0).stop


def test_the_key_of_a_setting_tells_everything_that_can_change_a_run() -> None:
    plain = Setting("s")
    others = [
        replace(plain, name="t"),
        replace(plain, preset="careful"),
        replace(plain, dials={"greed": 0.5}),
        replace(plain, limits=Limits(max_steps=3)),
        replace(plain, guards=()),
        replace(plain, guards=DEFAULT_GUARDS),
        replace(plain, guards=(Enough(calls=2),)),
        replace(plain, prompt="p"),
        replace(plain, person=print),
        replace(plain, pace=Pace(1.0, 1.0)),
        replace(plain, last_word=False),
        replace(plain, make_model=two_lines),
    ]
    assert len({plain.key, *(each.key for each in others)}) == len(others) + 1
    assert Setting("s").key == plain.key


def test_the_key_of_a_scenario_tells_everything_too(tmp_path: Path) -> None:
    path = tmp_path / "data.json"
    path.write_text('{"orders": []}', encoding="utf-8")
    plain = Scenario("orders", "shipped")
    others = [
        replace(plain, world="duty"),
        replace(plain, question="unknown"),
        replace(plain, lang="zh"),
        replace(plain, loop="react"),
        replace(plain, answer="unknown"),
        replace(plain, options={"data": {"orders": [1]}}),
        replace(plain, options={"data": path}),
        replace(plain, options={"other": 1}),
    ]
    assert len({plain.key, *(each.key for each in others)}) == len(others) + 1
    assert replace(plain, options={"data": {"orders": []}}).key == replace(plain, options={"data": path}).key
    assert replace(plain, options={"outbox": []}).key == plain.key


def test_a_world_is_made_once_and_an_outbox_is_fresh() -> None:
    assert SECTORS.load()[0] is Scenario("finance", "sectors").load()[0]
    outbox: list[Any] = []
    asked = Scenario("orders", "shipped", options={"outbox": outbox})
    assert asked.load()[0] is not asked.load()[0]
    carry_out(asked, GUARDED, 0)
    assert [entry["tool"] for entry in outbox] == ["send_mail"]


def test_scenarios_and_settings_travel_to_other_processes() -> None:
    for each in (SPLIT, UNGUARDED, GUARDED, Setting("paced", pace=Pace(1, 1))):
        again = pickle.loads(pickle.dumps(each))
        assert again == each and again.key == each.key


# Executors.


class Backwards(Executor):
    """Carries out everything at once and hands it out in the opposite order."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def test_any_executor_brings_the_same_table(table: Table) -> None:
    assert trials(*MANY, executor=Backwards()) == table
    with ThreadPoolExecutor(3) as threads:
        assert trials(*MANY, executor=threads) == table


def test_processes_bring_the_same_table_bit_for_bit(table: Table) -> None:
    with ProcessPoolExecutor(2) as processes:
        assert trials(*MANY, executor=processes).to_csv() == table.to_csv()


class Breaking(Backwards):
    """Breaks on its second piece of work, as a pool does whose process was killed."""

    def __init__(self) -> None:
        self.pieces = 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.pieces += 1
        if self.pieces == 2:
            future: Future[Any] = Future()
            future.set_exception(RuntimeError("a process was killed"))
            return future
        return super().submit(fn, *args, **kwargs)


def test_a_broken_executor_is_an_error_after_what_is_done_was_saved(tmp_path: Path, table: Table) -> None:
    path = tmp_path / "rows.jsonl"
    with pytest.raises(RuntimeError, match="killed"):
        trials(*MANY, executor=Breaking(), save=path)
    saved = len(path.read_text("utf-8").splitlines())
    assert 0 < saved < len(table)
    assert trials(*MANY, save=path) == table


# Saved and resumed.


def counting(monkeypatch: pytest.MonkeyPatch, stop_after: int | None = None) -> list[Any]:
    """The runs that are really made; after `stop_after` of them somebody presses Ctrl-C."""
    made: list[Any] = []

    def watched(job: Any) -> dict[str, Any]:
        if len(made) == stop_after:
            raise KeyboardInterrupt
        made.append(job)
        return one(job)

    monkeypatch.setattr(engine_module, "one", watched)
    return made


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
    from planexec.filelock import FileLock

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
