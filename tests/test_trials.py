"""Trials: one run, one row, and the same table whoever carries it out. Saving and resuming: test_trials_saved.py."""

from __future__ import annotations

import csv
import io
import json
import pickle
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from trials_work import GUARDED, MANY, SECTORS, SPLIT

from planexec.guards import DEFAULT_GUARDS, Enough
from planexec.limits import Limits
from planexec.models.scripted import ScriptedModel
from planexec.trials import UNGUARDED, Scenario, Setting, Table, trials
from planexec.trials.judge import COLUMNS
from planexec.trials.pace import Pace
from planexec.trials.scenario import carry_out


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
