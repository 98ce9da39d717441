"""The drift lab: one survey by ReAct and by a plan with the same searches; only the dial decides how far ReAct gets."""

from __future__ import annotations

from html import escape

import pytest

from planexec.labs.drift import drift
from planexec.show.paths import Path, alt_text, paths_picture, paths_svg
from planexec.trials.survey import SIDES, sides_by_round


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_with_full_drift_react_stays_on_one_side_and_the_plan_goes_round(lang):
    view = drift(1.0, lang=lang)
    assert len(view.sides["ReAct"]) == 1
    assert set(view.sides["plan"]) == set(SIDES)


@pytest.mark.parametrize("seed", range(5))
def test_without_drift_both_go_round_and_react_is_cheaper(seed):
    view = drift(0.0, seed=seed)
    assert {len(sides) for sides in view.sides.values()} == {len(SIDES)}
    assert view.react.usage.usd < view.plan.usage.usd


@pytest.mark.parametrize("rounds", [1, 3, 6])
def test_neither_searches_more_often_than_it_may(rounds):
    view = drift(0.9, rounds)
    made = {name: sum(call.kind != "refused" for call in result.calls) for name, result in view.results.items()}
    assert made["ReAct"] <= rounds
    assert made["plan"] == min(rounds, len(SIDES))


def test_the_view_says_and_shows_its_numbers():
    view = drift()
    assert view.text == (
        f"drift = 0.9, 6 searches: ReAct {len(view.sides['ReAct'])} of 5 sides, {view.react.usage.model_calls} model "
        f"calls, ${view.react.usage.usd:.4f}; plan 5 of 5 sides, {view.plan.usage.model_calls} model calls, "
        f"${view.plan.usage.usd:.4f}"
    )
    for shown in (repr(view.picture), view.svg):
        assert "the plan 5" in shown and ", ".join(sides_by_round(view.plan)) in shown
    assert drift().svg == view.svg and repr(view) == view.text


def test_a_dial_beyond_its_ends_is_an_error():
    with pytest.raises(ValueError, match="drift"):
        drift(1.2)


def test_a_path_counts_what_it_has_seen_and_nowhere_is_no_place():
    path = Path("a", ("x", "", "x", "y"))
    assert path.seen == (1, 1, 1, 2)
    assert alt_text([path], "T") == "T. a: x, none of them, x, y; seen 1, 1, 1, 2."
    assert alt_text([Path("b", ())], "T") == "T. b: no move; seen 0."


def test_words_in_a_path_are_shown_not_run():
    drawn = paths_svg([Path("<i>a</i>", ("<b>",), "n")], ["<b>"], "<u>", "axis")
    assert not any(tag in drawn for tag in ("<b>", "<i>", "<u>")) and escape("<i>a</i>: n") in drawn
    assert "T. a: x" in repr(paths_picture([Path("a", ("x",))], ["x", "y"], "T", "axis"))
