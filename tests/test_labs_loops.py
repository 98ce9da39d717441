"""The loops lab, and the runs that detectors are tried on: what fires where, and what a threshold costs."""

from __future__ import annotations

import json
from html import escape

import pytest

from planexec.labs.loops import choices, loops, panel
from planexec.loops import first_loop
from planexec.paths import data_path
from planexec.show.keys import Square, alt_text, keys_picture, keys_svg, squares
from planexec.trials.loop_runs import Score, by_name, recorded, samples, score, wind_tunnel
from planexec.trials.made_runs import made
from planexec.trials.public_runs import public_runs

FIRES = {"exact": ("same", 3), "cycle": ("cycle", 6), "alike": ("alike", 3)}  # rule, number of the call
QUIET = ("retries", "polling", "waiting", "paging", "writes", "reads")


# ------------------------------------------------------------------------------------------------ made runs


@pytest.mark.parametrize("name", FIRES)
def test_a_made_loop_is_found_at_its_third_time(name):
    view = loops(name)
    assert (view.alarm.rule, view.at + 1) == FIRES[name]
    assert f"alarm at call {view.at + 1}" in view.text


@pytest.mark.parametrize("name", QUIET)
def test_honest_repeats_and_what_other_counters_see_are_no_loop(name):
    assert loops(name).at is None
    assert "no alarm" in loops(name).text


def test_every_made_run_is_tested_here():
    assert sorted(made()) == sorted([*FIRES, *QUIET])


def test_one_threshold_more_and_the_same_run_passes_longer():
    assert [loops("exact", same=same).at for same in (2, 3, 4, 8)] == [1, 2, 3, 7]
    assert loops("exact", same=9).at is None
    assert loops("exact", same=None).at == 2, "equal wordings are alike, too"
    assert loops("exact", same=None, alike=None).at is None
    assert [loops("alike", same=same).at for same in (2, 3, 4)] == [1, 2, 3]
    assert [loops("cycle", cycle=cycle).at for cycle in (2, 3, 5)] == [3, 5, 9]
    assert loops("cycle", cycle=None).at is None


def test_wording_counts_only_where_the_rule_for_it_is_on():
    assert loops("alike", alike=None).at is None
    assert loops("alike", alike=1.0).at is None


def test_waiting_is_a_loop_only_when_nobody_says_that_the_tool_is_polled():
    assert loops("waiting").at is None
    assert loops("waiting", polling=False).at == 2


# ------------------------------------------------------------------------------------------------ all runs


def test_what_is_a_loop_was_decided_without_a_detector():
    assert all(
        run.loop == (run.about == "still calling when its room was used up") or run.loop is None
        for run in wind_tunnel()
    )
    assert {run.loop for run in wind_tunnel()} == {True, False, None}
    careful = [run for run in wind_tunnel() if run.name.endswith("careful")]
    assert careful and all(run.loop is False for run in careful)


def test_no_two_runs_of_the_wind_tunnel_are_equal_and_every_run_has_a_name_of_its_own():
    assert len({json.dumps(run.calls) for run in wind_tunnel()}) == len(wind_tunnel())
    assert len(set(choices())) == len(choices()) == len(by_name())


def test_the_packages_detector_misses_one_loop_and_calls_no_honest_run_one():
    done = score(first_loop, samples())
    assert (done.loops - done.caught, done.alarms) == (1, 0)
    assert done.missed == ("rivals/compare, articles, seed 2",)
    assert loops().score == done


def test_a_real_model_was_recorded_looping_and_is_caught_every_time():
    runs = recorded()
    looping = [run for run in runs if run.loop]
    assert len(looping) >= 10 and all("no-guards" in run.name for run in runs)
    assert all(first_loop(run.calls) in (2, 3) for run in looping)
    assert score(first_loop, runs).alarms == 0


def test_a_score_counts_what_fired_and_leaves_out_what_is_neither():
    assert score(lambda calls: None, samples()).caught == 0
    everything = score(lambda calls: 0, samples())
    assert (everything.caught, everything.alarms) == (everything.loops, everything.honest)
    assert everything.loops + everything.honest == sum(run.loop is not None for run in samples())
    assert repr(Score(4, 3, 9, 1)) == "3 of 4 loops caught, 1 of 9 honest runs called a loop"


def test_what_each_threshold_costs_in_longer_good_public_runs_is_said_for_each_rule_by_itself():
    assert loops().text.endswith("in good public runs of six or more calls, same in 0.6 % and cycle in 0 %")
    assert loops(same=2).public == {"same": 12.7, "cycle": 0.0}
    assert loops(cycle=2).public == {"same": 0.6, "cycle": 2.2}
    assert loops(same=None, cycle=2).text.endswith("calls, cycle in 2.2 %")
    assert loops(same=None, cycle=None).public == {} == loops(same=7, cycle=None).public
    assert "public" not in loops(same=None, cycle=None).text


def test_the_missed_loop_is_caught_by_two_calls_in_a_row_or_by_two_rounds():
    missed = "rivals/compare, articles, seed 2"
    assert loops(missed).at is None
    assert [loops(missed, same=2).at, loops(missed, cycle=2).at] == [3, 8]


def test_a_run_that_there_is_not_and_a_threshold_that_makes_no_sense_are_errors():
    with pytest.raises(ValueError, match="no run is named"):
        loops("nothing")
    with pytest.raises(ValueError, match="at least 2"):
        loops(same=1)


# ------------------------------------------------------------------------------------------------ public runs


def test_the_public_counts_fit_together():
    runs, data = public_runs(), public_runs().data
    assert runs.successful == 2672 == sum(data["longest_run_of_one_call"]["successful"].values())
    assert sum(data["longest_run_of_one_call"]["failed"].values()) == data["runs"]["failed"]
    assert runs.successful - sum(row["runs"] for row in runs.families) == 2
    for rule in runs.rules:
        for long in (False, True):
            percents = [percent for _, percent in runs.false_alarms(rule, long)]
            assert percents == sorted(percents, reverse=True) and all(0 <= percent <= 100 for percent in percents)


def test_the_counts_that_the_thresholds_rest_on():
    runs = public_runs()
    assert (runs.percent("same", 3), runs.percent("same", 3, True)) == (1.0, 4.2)
    assert (runs.percent("same_result", 3), runs.percent("same_result", 3, True)) == (0.1, 0.6)
    assert (runs.percent("within_ten", 2), runs.percent("one_tool", 3)) == (10.9, 28.3)
    assert runs.percent("same", 7) is None
    assert runs.failed("same_result", 3) == (17.3, 0.997, 0.887, 11.7)
    same = runs.data["longest_run_of_one_call"]["successful"]
    longer = sum(count for length, count in same.items() if int(length) >= 3)
    assert round(100 * longer / runs.successful, 1) == runs.percent("same", 3)


def test_the_note_says_whose_counts_these_are_and_no_run_is_shipped():
    note = public_runs().note
    assert "Counted by us" in note and "tau-bench" in note and "2,672" in note
    text = data_path("course", "public_runs.json").read_text(encoding="utf-8")
    assert len(text) < 10_000 and "not ours to ship" in text


# ------------------------------------------------------------------------------------------------ the picture


def test_one_letter_a_call_and_one_number_a_result():
    assert [each.name for each in squares(made()["polling"].calls[:3])] == ["A1", "A2", "A3"]
    assert [each.name for each in squares(made()["cycle"].calls[:4])] == ["A1", "B1", "A1", "B1"]
    spelled = [("f", {"a": 1, "b": 2}, "x", None), ("f", {"b": 2.0, "a": 1}, "x", None)]
    assert [each.name for each in squares(spelled)] == ["A1", "A1"]
    assert [Square(n, 0).name for n in (25, 26, 52)] == ["Z1", "AA1", "BA1"]


def test_the_picture_shows_where_it_fires_and_how_many_are_left_out():
    for shown in (repr(loops().picture), loops().svg):
        assert "A1 A1 A1" in shown and "Alarm at call 3" in shown
    long = loops("reads")
    assert "and 569 more" in repr(long.picture) and "No alarm" in long.svg
    assert loops().svg == loops().svg and repr(loops()) == loops().text


def test_the_picture_says_what_letter_and_number_are():
    assert "counted anew for each letter" in loops().svg


def test_what_a_tool_wrote_is_shown_not_run():
    row = squares([("<b>", {"q": "<i>"}, "<script>", None)])
    drawn = keys_svg(row, 0, "<u>")
    assert not any(tag in drawn for tag in ("<b>", "<i>", "<script>", "<u>")) and escape("<script>") in drawn
    assert alt_text([], None, "T") == "T. Calls: none. No alarm."
    assert "Calls: none" in repr(keys_picture([], None, "T"))


def test_the_panel_begins_where_the_function_does_and_can_switch_off():
    pytest.importorskip("ipywidgets")
    live = panel()
    assert live.view.text == loops().text
    live.set(**{"same": None, "cycle": None})
    assert live.view.text == loops(same=None, cycle=None).text


def test_the_table_names_the_loops_that_are_missed_and_the_honest_runs_that_are_not():
    pytest.importorskip("ipywidgets")
    live = panel()
    live.set(same=None, cycle=None, alike=None)
    score = live.view.score
    assert live.view.table.startswith(f"loops not caught, {score.loops}: {score.missed[0]}, ")
    assert live.view.table.endswith("honest runs called a loop, 0: none")
    assert "loops not caught" in live.table.value
