"""The drift lab: one survey by ReAct and by a plan with the same searches; only the dial decides how far ReAct gets."""

from __future__ import annotations

from html import escape

import pytest

from planexec.labs.drift import MOST, drift
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


# ------------------------------------------------------------------------------------- many seeds


@pytest.mark.parametrize("dial", [0.3, 0.9])
def test_fewer_searches_are_the_beginning_of_more(dial):
    """What lets one set of runs serve every place of the dial `rounds`."""
    for seed in range(3):
        whole = drift(dial, MOST, seed)
        for rounds in (1, 4, 7):
            cut = drift(dial, rounds, seed)
            assert sides_by_round(cut.react) == sides_by_round(whole.react)[:rounds]
            assert sides_by_round(cut.plan) == sides_by_round(whole.plan)[:rounds]


def test_coverage_on_average_is_that_of_the_single_runs():
    views = [drift(0.6, 4, seed) for seed in range(10)]
    many = drift(0.6, 4, runs=10)
    for name, points in many.coverage.items():
        assert points[3] == (4, sum(len(view.sides[name]) for view in views) / 10)
    said = f"over 10 seeds: ReAct {many.coverage['ReAct'][3][1]:.1f}, plan 4.0 sides on average"
    assert many.text.endswith(f"; {said}")
    assert f"O{said[1:]} after 4 searches" in many.svg and many.svg.count('role="img"') == 2


def test_the_panel_ends_where_the_plain_function_does():
    pytest.importorskip("ipywidgets")
    from planexec.labs.drift import panel

    live = panel()
    live.set(drift=1.0)
    live.finish()
    plain = drift(1.0, runs=100)
    assert (live.view.text, live.view.svg) == (plain.text, plain.svg)
    assert live.call == "drift(drift=1.0, rounds=6, seed=0, runs=100)"
    assert plain.coverage["plan"][-1] == (12, 5) and plain.coverage["ReAct"][-1][1] < 2


def test_runs_that_the_dials_do_not_have_are_an_error():
    for wrong in ({"runs": 101}, {"runs": 1, "rounds": 13}):
        with pytest.raises(ValueError, match="runs go from 0 to 100|made for 1 to 12 searches"):
            drift(0.9, **wrong)


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
