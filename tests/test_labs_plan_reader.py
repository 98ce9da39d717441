"""The plan reader lab: what a reply becomes, by which stage, and what a bare `json.loads` would have made of it."""

from __future__ import annotations

import json

import pytest

from planexec.course.material import planner_replies
from planexec.labs.plan_reader import TITLES, naive, plan_reader, planner_reply
from planexec.plans.reading import STAGES
from planexec.show.stages import MOST, Column, alt_text, stages_figure, stages_svg

GOALS = ("find the map", "measure the parks")
FORMS = {
    "whole": json.dumps(GOALS),
    "inside": f"Here it is:\n{json.dumps(GOALS)}",
    "repaired": repr(list(GOALS)),
    "lines": "1. find the map\n2. measure the parks",
}


@pytest.mark.parametrize(("stage", "text"), FORMS.items())
def test_each_stage_takes_its_form_and_the_steps_are_the_same(stage, text):
    view = plan_reader(text=text)
    assert (view.stage, view.goals) == (stage, GOALS)
    assert view.text.startswith(f"2 steps, from {TITLES[stage]}. json.loads alone: ")


def test_what_cannot_be_read_is_said_with_the_reason_and_gives_no_step():
    view = plan_reader(text='["find the map", "measure the pa')
    assert (view.stage, view.goals, view.read.status) == ("none", (), "unreadable")
    assert "cut" in view.text


def test_an_empty_plan_is_not_an_unreadable_one():
    view = plan_reader(text="[]")
    assert (view.stage, view.read.status) == ("whole", "empty")
    assert view.text.startswith("empty, from JSON as it is") and "nothing is left to do" in view.svg


@pytest.mark.parametrize("reply", planner_replies(), ids=lambda reply: reply.name)
def test_any_reply_of_the_course_is_read_and_shown(reply):
    view = plan_reader(text=reply.text or " ")
    assert view.stage in STAGES and view.svg.startswith("<svg") and view.text
    if reply.text.strip():
        assert view.goals == (reply.steps or ())


def test_without_a_text_a_simulated_planner_answers_as_untidily_as_the_dial_says():
    tidy = [plan_reader(sloppy=0, seed=seed) for seed in range(6)]
    untidy = [plan_reader(sloppy=1, seed=seed) for seed in range(30)]
    assert {view.stage for view in tidy} == {"whole"}
    assert {"inside", "repaired", "none"} <= {view.stage for view in untidy}
    assert {view.goals for view in untidy if view.stage != "none"} == {tidy[0].goals}
    assert plan_reader(sloppy=1, seed=7) == plan_reader(sloppy=1, seed=7)
    with pytest.raises(ValueError, match="sloppy"):
        plan_reader(sloppy=1.1)


def test_the_planner_answers_in_the_language_it_is_asked_in():
    assert "能量密度" in planner_reply(0, lang="zh") and "Energy" in planner_reply(0, lang="en")


def test_the_planner_answers_the_question_of_the_world_it_is_asked_about():
    assert "$3.weights" in planner_reply(0, world="finance") and "$3.weights" not in planner_reply(0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('["a", "b"]', "a list of 2 texts"),
        ('["a", null]', "a list, but not of texts: not a plan yet"),
        ('{"plan": []}', "an object: not a plan yet"),
        ('"a"', "a text: not a plan yet"),
        ("7", "a single value: not a plan yet"),
        ("Sure", "Expecting value: line 1 column 1 (char 0)"),
        ("[" * 200_000, "recursion"),
    ],
)
def test_what_a_bare_parser_says(text, said):
    assert said in naive(text)


def test_every_stage_has_words():
    assert tuple(TITLES) == STAGES


# the picture


def test_what_a_model_wrote_is_shown_and_never_run():
    view = plan_reader(text='<script>alert(1)</script> & ["<img src=x onerror=y>", "$5$"]')
    assert "<script" not in view.svg and "<img" not in view.svg
    assert "&lt;script&gt;" in view.svg
    assert view.picture.png().startswith(b"\x89PNG")


def test_a_long_text_is_cut_where_it_can_be_seen_and_the_picture_keeps_its_height():
    short, long = (stages_svg(["a", "b"], "a", [Column("in", text)], "T") for text in ("x", "word " * 2_000))
    assert short.split("viewBox")[1][:14] == long.split("viewBox")[1][:14]
    assert long.count(">word word") <= MOST and "word ..." in long


def test_exactly_one_box_is_marked_and_the_text_alternative_names_it():
    columns = [Column("in", "x\ny"), Column("out", "z")]
    drawn = stages_svg(["a", "b", "c"], "b", columns, "Title")
    assert drawn.count('stroke-width="3"') == 1 and drawn.count("<rect") == 3
    assert alt_text(["a", "b", "c"], "b", columns, "Title") == "Title. Of the stages a, b, c: b. in: x y. out: z."
    assert repr(stages_figure(["a", "b", "c"], "b", columns, "Title")).startswith("Figure: Title. Of the stages")
