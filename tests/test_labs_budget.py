"""The budget lab: one run under a budget, and what that budget does to many runs of the same question."""

from __future__ import annotations

import re

import pytest

from planexec.labs.budget import MOST, budget, growing
from planexec.labs.budget_runs import budget_runs, spread_at
from planexec.show.budget_curve import Curve, curve_svg
from planexec.trials.budgets import BUDGETS, spreads

# ------------------------------------------------------------------------------------- the single run


def test_one_below_what_it_needs_it_is_stopped_and_with_enough_it_is_complete():
    assert budget(7).text == "max_steps = 7: complete after 7 steps"
    assert budget(6).text.startswith("max_steps = 6: Stopped in step-5: max_steps (limit 6, reached 6).")


@pytest.mark.parametrize("world", ["research", "flights", "orders", "rivals", "duty"])
def test_every_world_has_a_run_with_a_plan_or_without(world):
    assert budget(MOST, world=world).result.calls
    assert budget(5, world=world, loop="react").result.plan == ()


def test_a_careful_model_needs_one_step_less():
    assert budget(6, preset="careful").result.complete and not budget(6).result.complete


def test_the_picture_says_where_it_stopped_and_why():
    stopped, whole = budget(4).svg, budget(8).svg
    assert "stopped here by max_steps" in stopped and "stopped here" not in whole
    assert stopped.count('d="M') - whole.count('d="M') == 2, "one mark in its row, one in the legend"


def test_without_counters_the_budget_is_the_only_brake():
    held = {"world": "rivals", "loop": "react"}
    assert len(budget(12, guards=False, **held).result.calls) > len(budget(12, **held).result.calls)


# ------------------------------------------------------------------------------------- many runs


@pytest.mark.parametrize("kind", ["allocation", "duty"])
def test_many_runs_are_those_of_the_kept_table_of_budgets(kind):
    """The same question, loop and limits, made by another part of the package, seeds 0 to 49."""
    world, question = {"allocation": ("finance", "allocation"), "duty": ("duty", "prepare")}[kind]
    here, kept = spread_at(budget_runs(world, question, loop="plan"), 50), spreads("guarded", [0])[kind]
    assert (here.runs, here.used, here.needed) == (kept.runs, kept.used, kept.needed)
    assert (here.right, here.cut, here.calls, here.wasted) == (kept.right, kept.cut, kept.calls, kept.wasted)


def test_too_little_cuts_good_runs_short_and_too_much_wastes_calls():
    held = {"world": "rivals", "loop": "react", "guards": False, "runs": 5}
    spread = budget(2, **held).spread
    assert (spread.success(2), spread.cut_short(2), spread.calls_wasted(2)) == (0, 100, 0)
    assert (spread.success(3), spread.cut_short(3)) == (100, 0)
    wasted = [spread.calls_wasted(n) for n in range(3, MOST + 1)]
    assert wasted == sorted(wasted) and wasted[0] == 0 and wasted[-1] > 10


def test_a_run_that_ended_by_itself_is_the_same_under_every_larger_budget():
    (ladder,) = budget_runs("orders", "shipped").first(1)
    assert len(ladder) == len(BUDGETS) and ladder[3:] == (ladder[-1],) * (len(BUDGETS) - 3)


def test_the_text_and_both_pictures_say_the_numbers():
    view = budget(4, world="duty", runs=10)
    assert view.text.endswith("; of 10 runs: 100 % right, 0 % good ones cut short, 0.0 calls wasted a run")
    for shown in (view.svg, repr(view.picture)):
        assert "Of 10 runs: 100 % right" in shown
        assert "right, %: 1 → 0, 2 → 0, 3 → 0, 4 → 100" in shown
        assert "good runs cut short, %: 1 → 100, 2 → 100, 3 → 100, 4 → 0" in shown
    assert view.svg.count('role="img"') == 2 and view.picture.png()
    assert re.search(r"nan|inf\b", view.svg) is None


def test_the_point_of_the_budget_chosen_is_the_large_one():
    points = [(n, 10.0 * n) for n in range(1, 13)]
    drawn = curve_svg(Curve("<i>", 12, [(n, 100.0) for n in range(1, 13)], points, points))
    large = re.findall(r'cx="([\d.]+)" cy="[\d.]+" r="6"', drawn)
    assert large == ["314.0", "660.0", "660.0"] and "<i>" not in drawn


# ------------------------------------------------------------------------------------- the panel


def live(**fixed):
    pytest.importorskip("ipywidgets")
    from planexec.labs.panel import Dial, Panel

    return Panel(budget, (Dial("max_steps", 1, 1, MOST), Dial("seed", 0, 0, 9)), refine=growing, **fixed)


def test_the_panel_ends_where_the_plain_function_does():
    panel = live(question="sectors")
    assert panel.view.spread is None
    panel.finish()
    plain = budget(1, "sectors", runs=500)
    assert panel.call == "budget(question='sectors', max_steps=1, seed=0, runs=500)"
    assert (panel.view.text, panel.view.svg) == (plain.text, plain.svg)
    panel.set(max_steps=5, seed=7)
    assert panel.view.text == budget(5, "sectors", seed=7, runs=500).text, "at once: the runs serve every place"


def test_a_question_of_ones_own_has_a_run_and_no_curve():
    panel = live(question="What is the price of Everpine Bank?")
    panel.finish()
    assert panel.view.spread is None and panel.view.result.calls
    with pytest.raises(ValueError, match="questions of the world only: allocation, sectors, split"):
        budget(3, "What is the price of Everpine Bank?", runs=10)


@pytest.mark.parametrize("wrong", [{"runs": 501}, {"runs": -1}, {"max_steps": 13, "runs": 1}, {"loop": "circle"}])
def test_what_the_dials_do_not_have_is_an_error(wrong):
    with pytest.raises(ValueError, match=r"runs go|made for max_steps from 1 to 12|loop is one of"):
        budget(**wrong)
