"""The budgets lab: kept runs under a dial; what they use, what they need, what is cut and what is wasted."""

from __future__ import annotations

import re

import pytest

from planexec.labs.budgets import MOST, SHOWN, budgets
from planexec.show.budgets import frontier_picture, undominated


def test_a_chain_is_cut_below_its_length_and_whole_from_there_on():
    assert (
        budgets(4, "split").text == "split, max_steps = 4: 0 % right, 100 % cut short, 0.0 calls wasted a run, 200 runs"
    )
    assert budgets(5, "split").text.startswith("split, max_steps = 5: 100 % right, 0 % cut short")


def test_more_room_wastes_more_calls_where_runs_do_not_end_by_themselves():
    wasted = [budgets(n, "flights").spread.calls_wasted(n) for n in SHOWN]
    assert wasted == sorted(wasted) and wasted[-1] > 5 > wasted[1]


def test_counters_end_what_a_budget_would_only_cut():
    bare, guarded = (budgets(MOST, "flights", guards) for guards in (False, True))
    assert guarded.spread.calls_wasted(MOST) < bare.spread.calls_wasted(MOST)
    assert max(guarded.spread.used) < max(bare.spread.used) == 30


def test_the_picture_marks_the_budget_and_says_its_numbers():
    view = budgets(3, "flights")
    assert view.svg == budgets(3, "flights").svg != budgets(4, "flights").svg
    assert view.text in view.svg and view.text in repr(view.picture)
    for said in ("turns used: 2 3.4", "15+ 33.9", "needed: 1 60, 2 40", "1 → 60, 2 → 100"):
        assert said in repr(view.picture) and said in view.svg
    assert len(view.svg) > 5_000 and re.search(r"nan|inf\b", view.svg) is None


@pytest.mark.parametrize("kind", ["sectors", "allocation"])
def test_every_kind_can_be_drawn(kind):
    assert budgets(1, kind).svg.count("<polyline") == 3
    assert budgets(1, kind).picture.png()


@pytest.mark.parametrize("most", [0, MOST + 1, 30, 2.5])
def test_a_budget_that_the_dial_does_not_have_is_an_error(most):
    with pytest.raises(ValueError, match="max_steps goes from 1 to 14"):
        budgets(most)


def test_a_kind_that_is_none_is_an_error():
    with pytest.raises(ValueError, match="no kind is called 'poems'"):
        budgets(4, "poems")


def test_the_frontier_holds_what_nobody_beats():
    points = {"cheap": (1, 50), "good": (2, 100), "dear": (3, 100), "bad": (2, 60), "twin": (2, 100)}
    assert undominated(points) == ["cheap", "good", "twin"]
    drawn = frontier_picture(points, "Title", "tokens", "right, %")
    assert "dear 3 → 100" in repr(drawn) and repr(drawn).endswith("Beaten by nobody: cheap, good, twin.")
    assert drawn.png()


def test_the_panel_moves_with_its_dials_and_names_the_call():
    pytest.importorskip("ipywidgets")
    from planexec.labs import lab

    panel = lab("budgets")
    panel.set(kind="split", max_steps=4)
    assert panel.call == "budgets(max_steps=4, kind='split', guards=False)"
    assert panel.view.text == budgets(4, "split").text and panel.view.svg in panel.picture.value
    panel.reset()
    assert panel.view.text == budgets().text
