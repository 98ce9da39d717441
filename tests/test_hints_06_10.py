"""Mistakes that learners made in 06 and 10: the message names what was tried, the hint is about the mistake."""

from __future__ import annotations

import json

from planexec.course.checks import check, task
from planexec.trials.figures import figures
from planexec.trials.public_runs import public_runs


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


def in_rounds(times):
    def detector(calls):
        keys = []
        for index, (tool, args, result, _) in enumerate(calls):
            keys.append((tool, json.dumps(args, sort_keys=True), result))
            for period in (1, 2, 3, 4):
                if len(keys) >= times * period and keys[-times * period :] == times * keys[-period:]:
                    return index
        return None

    return detector


def test_a_space_inside_a_text_and_a_text_for_a_number_have_hints_of_their_own():
    without_spaces = check("10.1", lambda tool, args: tool + json.dumps(args, sort_keys=True).replace(" ", ""))
    assert "A space inside a text" in without_spaces.hint
    all_texts = check("10.1", lambda tool, args: (tool, sorted((k, str(v).strip()) for k, v in args.items())))
    assert "A text is no number" in all_texts.hint


def test_two_rounds_are_told_what_they_cost_and_three_pass():
    checked = check("10.3", in_rounds(2))
    assert checked.status == "not yet" and "Wait for a third time" in checked.hint
    assert check("10.3", in_rounds(3)).status == "passed"


def test_the_price_that_the_hint_names_is_the_one_that_was_counted():
    price = public_runs().percent("same_result", 2, long=True)
    assert f"in {price:g} % of the longer good public runs" in check("10.3", in_rounds(2)).hint


def test_a_detector_that_fires_on_every_run_is_told_so_and_not_about_polling():
    checked = check("10.3", lambda calls: 2 if len(calls) > 2 else None)
    assert "in which no call comes again" in checked.hint
