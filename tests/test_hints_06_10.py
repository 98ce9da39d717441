"""Mistakes that learners made in 06 and 10: the message names what was tried, the hint is about the mistake."""

from __future__ import annotations

from planexec.course.checks import check, task
from planexec.trials.figures import figures


def each_run_by_itself(one, other):
    return other[1] / other[0] - one[1] / one[0]


def only_divided(one, other):
    return (other[1] - one[1]) / (other[0] - one[0])


def by_value(report, observations):
    known = [[figure.value for figure in figures(seen)] for seen in observations]
    return {each.value: [n for n, seen in enumerate(known) if each.value in seen] for each in figures(report)}


def only_found(report, observations):
    known = [[figure.value for figure in figures(seen)] for seen in observations]
    where = {each.text: [n for n, seen in enumerate(known) if each.value in seen] for each in figures(report)}
    return {text: places for text, places in where.items() if places}


def test_a_price_for_each_run_is_told_that_only_the_differences_count():
    checked = check("06.1", each_run_by_itself)
    assert checked.status == "not yet" and "Only the differences count" in checked.hint


def test_a_division_by_no_side_more_is_told_for_which_pair():
    checked = check("06.1", only_divided)
    assert "price_of_a_side((5, 2.0), (5, 3.0)): got ZeroDivisionError" in checked.text
    assert "nothing was bought" in checked.hint


def test_keys_are_the_figures_as_written_and_an_unfound_one_is_a_key_too():
    assert "as they are written" in check("06.2", by_value).hint
    assert "with an empty list" in check("06.2", only_found).hint


def test_the_task_says_that_a_place_is_named_once():
    assert "each once" in task("06.2")
