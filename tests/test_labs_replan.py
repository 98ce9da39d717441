"""The replan lab: what the rest of a plan becomes, how often it may be asked about, and what may not come back."""

from __future__ import annotations

import json

import pytest

from planexec.labs.replan import CHOICES, GOALS, panel, replan
from planexec.plans import Step, changes
from planexec.show.plan_diff import diff_figure, diff_lines, diff_svg, diff_text


def carried_out(view):
    return [step.id for step in view.after]


EXPECTED = {
    "the plan as it is": ([1, 2, 3, 4, 5], "nothing changed", 4),
    "one step less": ([1, 3, 5], "2 removed", 2),
    "one step more": ([1, 2, 3, 4, 5, 6, 7, 8], "3 added", 6),
    "the last step first": ([1, 5, 4, 3, 2], "another order", 4),
    "nothing is left": ([1], "4 removed", 1),
    "all from the beginning": ([1, 2, 3, 4, 5], "nothing changed", 4),
    "the same in capitals": ([1, 2, 3, 4, 5], "nothing changed", 4),
    "another percentage": ([1, 2, 3, 4, 5], "1 reworded", 4),
    "small talk": ([1, 2, 3, 4, 5], "nothing changed", 4),
}


@pytest.mark.parametrize(("says", "outcome"), EXPECTED.items())
def test_what_the_replanner_answers_decides_what_is_left(says, outcome):
    view = replan(says)
    assert (carried_out(view), view.changed, len(view.asked)) == outcome
    assert view.result.complete


def test_every_choice_is_tried():
    assert tuple(EXPECTED) == CHOICES
    with pytest.raises(ValueError, match="the replanner says one of"):
        replan("a surprise")


@pytest.mark.parametrize("limit", [0, 1, 2, 3])
def test_the_rest_is_asked_about_as_often_as_the_limit_says_and_not_once_more(limit):
    view = replan("one step more", limit)
    assert len(view.asked) == view.result.replans == limit
    assert len(view.after) == len(GOALS) + limit


def test_a_plan_does_not_grow_beyond_the_room_it_has():
    view = replan("one step more", limit=20)
    assert len(view.after) == 8
    assert "steps, at most" in view.asked[-1].why
    assert "answers that could not be used: 4" in view.text and view.unused == 4
    assert "7 times asked; 4 answers not used" in repr(view.picture)


def test_a_finished_step_is_named_and_kept_out_however_often_it_is_asked_for():
    view = replan("all from the beginning")
    assert view.refused == GOALS[:4]
    assert "; different finished steps kept out: 4" in view.text
    assert f"x {GOALS[0]}" in view.diff
    assert replan("the plan as it is").refused == ()


def test_empty_is_an_answer_and_small_talk_is_none():
    assert [each.status for each in replan("nothing is left").asked] == ["empty"]
    assert {each.status for each in replan("small talk").asked} == {"unreadable"}


def test_capitals_and_punctuation_are_no_new_plan_and_a_percentage_is():
    assert replan("the same in capitals").changed == "nothing changed"
    assert "~ 3 Makers with more than 15 % of the market" in replan("another percentage").diff


def test_an_answer_of_ones_own_is_given_the_first_time():
    view = replan(answer=json.dumps([{"id": 5, "goal": GOALS[4]}, "Something; else"]))
    assert carried_out(view) == [1, 5, 6]
    assert view.after[-1].goal == "Something; else"
    assert replan(answer="[]").asked[0].status == "empty"


@pytest.mark.parametrize("says", CHOICES)
def test_the_view_is_shown_the_same_each_time(says):
    view, again = replan(says, 3), replan(says, 3)
    assert (view.text, view.svg, repr(view)) == (again.text, again.svg, repr(again))
    assert view.changed.lower() in view.svg.lower() and repr(view.picture).startswith("Figure: ")


# the difference of two plans, as text and picture

OLD = [Step(1, "find the map"), Step(2, "measure the parks"), Step(3, "halve the areas"), Step(4, "write")]


def kinds(new, refused=()):
    return [(line.kind, line.before, line.after) for line in diff_lines(OLD, new, refused)]


def test_each_step_is_shown_once_with_what_happened_to_it():
    new = [Step(1, "find the map"), Step(3, "halve the lakes"), Step(5, "draw")]
    assert diff_text(OLD, new).splitlines() == [
        "  1 find the map",
        "- 2 measure the parks",
        "~ 3 halve the lakes",
        "- 4 write",
        "+ 5 draw",
    ]
    assert kinds(new, ["find the map"])[-1] == ("refused", None, None)


def test_another_order_is_said_and_the_same_order_is_not():
    assert diff_text(OLD, [OLD[1], OLD[0], *OLD[2:]]).endswith("(in another order)")
    assert "order" not in diff_text(OLD, OLD)
    assert not changes(OLD, OLD)


def test_a_step_with_the_same_words_and_a_new_id_is_the_same_step():
    assert kinds([Step(9, "Write.")]) == [
        ("removed", 0, None),
        ("removed", 1, None),
        ("removed", 2, None),
        ("kept", 3, 0),
    ]


@pytest.mark.parametrize("new", [[], OLD, [Step(7, "new")]])
def test_plans_of_any_length_can_be_drawn(new):
    drawn = diff_svg(OLD, new, "Title")
    assert drawn.count("<line") == len(set(new) & set(OLD))
    assert repr(diff_figure(OLD, new, "Title", ["again"])).startswith("Figure: Title. ")
    assert diff_svg([], new, "Title").startswith("<svg")


def test_goals_are_shown_and_never_run():
    drawn = diff_svg(OLD, [Step(7, "<script>alert(1)</script>")], "Title", ["<img src=x>"])
    assert "<script" not in drawn and "<img" not in drawn
    assert diff_figure([], [Step(1, "cost $5 or $6")], "Title").png().startswith(b"\x89PNG")


def test_the_live_dials_show_what_the_plain_call_shows():
    live = panel()
    live.set(says="all from the beginning", limit=1)
    assert live.view.text == replan("all from the beginning", 1).text
    assert live.call == "replan(says='all from the beginning', limit=1, answer='')"
    live.reset()
    assert live.view.text == replan().text
