"""The counters lab: what the articles say of two bugs, a prompt line and two counters, from the simulated model."""

from __future__ import annotations

from statistics import median

import pytest

from planexec.guards import Enough, NoResult
from planexec.labs.counters import CASES, CHAINS, ROOM, by_plan, by_react, counters, panel
from planexec.labs.places import place

SEEDS = range(20)


def empties(result):
    return sum(call.kind == "empty" for call in result.calls)


# ------------------------------------------------------------------------------------- the published figures


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_prompt_line_brings_five_searches_to_two(lang):
    free = [empties(by_react("cannot find", seed=seed, lang=lang)) for seed in SEEDS]
    told = [empties(by_react("cannot find", prompt_line=True, seed=seed, lang=lang)) for seed in SEEDS]
    assert (median(free), median(told)) == (5, 2)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("prompt_line", [False, True])
def test_the_prompt_line_leaves_four_searches_at_four(lang, prompt_line):
    runs = [by_react("found, goes on", prompt_line=prompt_line, seed=seed, lang=lang) for seed in SEEDS]
    assert median(len(run.calls) for run in runs) == 4


def test_who_doubts_the_answer_goes_on_to_the_end_of_the_room():
    assert len(by_react("found, doubts").calls) == ROOM.max_steps
    assert len(by_react("found, doubts", (Enough(4, scope="step"),)).calls) == 4


# ------------------------------------------------------------------------------------- counters


@pytest.mark.parametrize("limit", [1, 2, 3, 4])
def test_so_many_empty_results_in_a_row_end_it(limit):
    result = by_react("cannot find", (NoResult(nudge=limit, stop=limit),))
    assert (len(result.calls), result.stop.reason) == (limit, "no_data")


@pytest.mark.parametrize("limit", [2, 3, 4])
def test_so_many_calls_with_something_found_end_it(limit):
    result = by_react("found, doubts", (Enough(limit, scope="step"),))
    assert (len(result.calls), result.stop.reason) == (limit, "enough")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_counted_over_the_whole_run_four_calls_cut_an_honest_five_step_chain(lang):
    view = counters(scope="run", lang=lang)
    assert view.false_alarms == ("five-step chain",)
    assert view.calls["five-step chain"] == 4
    assert [step.status for step in view.chains["five-step chain"].steps][-1] == "open"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_counted_in_each_step_the_same_counters_leave_it_alone(lang):
    view = counters(scope="step", lang=lang)
    assert view.false_alarms == ()
    assert all(result.complete for result in view.chains.values())
    assert {result.stop.reason for result in view.runs.values()} == {"no_data", "enough"}


def test_the_honest_chains_need_every_one_of_their_calls():
    assert {chain: len(by_plan(chain).calls) for chain in CHAINS} == {"five-step chain": 5, "four-step chain": 4}


def test_a_limit_of_one_less_cuts_the_shorter_chain_too():
    assert counters(scope="run", enough=3).false_alarms == ("five-step chain", "four-step chain")
    assert counters(scope="run", enough=5).false_alarms == ()


def test_both_counters_off_nothing_is_ended_by_a_counter():
    view = counters(None, None)
    assert view.guards == () and view.title.startswith("0 of 3 runs ended by a counter")


def test_without_the_faults_only_the_missing_figure_is_left_to_count():
    view = counters(stubborn=0.0, greed=0.0)
    assert (view.calls["found, goes on"], view.calls["found, doubts"]) == (1, 1)


# ------------------------------------------------------------------------------------- the view


def test_the_view_says_and_shows_its_numbers():
    view = counters(scope="run")
    assert "cannot find: 3 calls (3 empty), no_data" in view.text
    assert "five-step chain: 4 calls (1 empty), FALSE ALARM" in view.text
    assert view.title == "3 of 3 runs ended by a counter, 1 of 2 honest chains cut"
    for shown in (repr(view.picture), view.svg):
        assert view.title in shown and all(name in shown for name in (*CASES, *CHAINS))
    assert counters(scope="run").svg == view.svg and repr(view) == view.text


def test_another_scope_or_a_dial_beyond_its_ends_is_an_error():
    with pytest.raises(ValueError, match="scope"):
        counters(scope="line")
    with pytest.raises(ValueError, match="greed"):
        counters(greed=1.5)


def test_a_place_is_read_once():
    assert place("finance") is place("finance")
    assert place("finance", "zh").lang == "zh"


def test_the_panel_begins_where_the_function_does_and_can_switch_off():
    pytest.importorskip("ipywidgets")
    live = panel()
    assert live.view.text == counters().text
    live.set(**{"no_result": None, "enough": None})
    assert live.view.text == counters(no_result=None, enough=None).text
