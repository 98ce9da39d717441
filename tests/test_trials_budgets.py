"""Budgets over many runs: the kept table is what the runs come to; policies are tried on seeds they have not seen."""

from __future__ import annotations

import pytest

from planexec.trials import budgets
from planexec.trials.budget_policies import fixed, graded, learned, outcome
from planexec.trials.budgets import BLOCK, BUDGETS, KINDS, SEEDS, SETTINGS, ladder, made, setting, spread_of, spreads
from planexec.trials.engine import one

MAKE = "the simulated model or a world has changed: python -m planexec.trials.budgets makes the table anew"


def kept(name, kind, block):
    return next(r for r in budgets._kept()["rows"] if (r["setting"], r["kind"], r["block"]) == (name, kind, block))


@pytest.mark.parametrize(
    ("name", "kind", "block"), [("bare", "duty", 0), ("bare", "sectors", 3), ("guarded", "sectors", 1)]
)
def test_the_kept_rows_are_what_the_runs_come_to(name, kind, block):
    assert made(kind, name, block) == kept(name, kind, block), MAKE


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", SETTINGS)
def test_two_seeds_of_every_kind_fit_into_their_kept_block(name, kind):
    spread, row = spread_of(budgets.ladders(kind, name, (0, BLOCK - 1))), kept(name, kind, 0)
    for part in ("used", "needed"):
        counts = {int(turns): count for turns, count in row[part].items()}
        assert all(count <= counts.get(turns, 0) for turns, count in getattr(spread, part).items()), MAKE


def test_the_kept_table_is_whole():
    rows = budgets._kept()["rows"]
    assert tuple(budgets._kept()["budgets"]) == BUDGETS
    assert len(rows) == len(SETTINGS) * len(KINDS) * SEEDS // BLOCK
    assert all(spread.runs == SEEDS * len(KINDS[kind].questions) for kind, spread in spreads().items())
    assert budgets.carried_out() == sum(row["carried_out"] for row in rows) > 10_000


@pytest.mark.parametrize(("kind", "seed"), [("orders", 0), ("flights", 1), ("split", 0)])
def test_a_run_that_ended_before_its_budget_is_the_same_under_every_larger_one(kind, seed):
    scenario = KINDS[kind].scenarios()[-1]
    rows = ladder(scenario, "bare", seed)
    each = [one((scenario, setting("bare", budget), seed)) for budget in BUDGETS]
    assert rows == each
    assert len({id(row) for row in rows}) == min(rows[-1]["steps"] + 1, len(BUDGETS))


def row(steps, calls, good, tokens=10):
    return {"steps": steps, "tool_calls": calls, "success": good, "prompt_tokens": tokens, "completion_tokens": 1}


def test_a_run_is_counted_by_what_it_used_needed_and_wasted():
    """Right from a budget of 3 on, with 3 calls; it goes on to 5 turns and 5 calls when it may."""
    rows = [row(n, n, n >= 3) for n in (1, 2, 3, 4, 5)] + [row(5, 5, True)] * 10
    spread = spread_of([rows])
    assert (spread.used, spread.needed) == ({5: 1}, {3: 1})
    assert [spread.success(n) for n in (2, 3)] == [0, 100]
    assert [spread.cut_short(n) for n in (2, 3)] == [100, 0]
    assert [spread.calls_wasted(n) for n in (2, 3, 4, 5, 14)] == [0, 0, 1, 2, 2]
    assert spread.tokens_used(1) == 11 and spread.least() == 3


def test_a_run_that_is_never_right_is_not_cut_short():
    spread = spread_of([[row(n, n, False) for n in range(15)]])
    assert spread.needed == {0: 1} and sum(spread.cut) == sum(spread.wasted) == 0


def test_the_least_budget_leaves_the_share_of_good_runs_good():
    """Twenty runs: nineteen are right from 2 on, one from 6 on."""
    early = [row(n, n, n >= 2) for n in BUDGETS]
    late = [row(n, n, n >= 6) for n in BUDGETS]
    spread = spread_of([early] * 19 + [late])
    assert (spread.least(0.95), spread.least(0.96), spread.least(1.0)) == (2, 6, 6)


def test_policies_are_grades_numbers_and_what_was_learned():
    assert [graded(kind) for kind in ("sectors", "split", "survey")] == [4, 8, 12]
    assert {fixed(8)(kind) for kind in KINDS} == {8}
    chosen = learned()
    assert all(chosen(kind) == spread.least() for kind, spread in spreads("bare", (0, 1)).items())


@pytest.mark.parametrize("name", SETTINGS)
def test_a_budget_for_each_kind_costs_fewer_tokens_than_one_for_all_and_is_as_good(name):
    mine, grades, twelve = outcome(learned(name=name), name), outcome(graded, name), outcome(fixed(12), name)
    assert mine.tokens < grades.tokens < twelve.tokens
    assert min(mine.success, grades.success, twelve.success) >= 99
    assert mine.calls_wasted < grades.calls_wasted < twelve.calls_wasted


def test_too_small_a_budget_cuts_good_runs_short():
    four, eight = outcome(fixed(4)), outcome(fixed(8))
    assert four.cut_short > eight.cut_short > 0
    assert four.success + four.cut_short == pytest.approx(100)
