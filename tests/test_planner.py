"""The planner: a plan that cannot be used is asked for once more, with the reason; after that there is less, and it
is said. The replanner: what cannot be used leaves the plan as it was."""

from __future__ import annotations

import json

import pytest

from planexec import Limits, Run, tool
from planexec.models.scripted import ScriptedModel, says
from planexec.planner import make_plan
from planexec.plans import Step
from planexec.replanner import replan
from planexec.result import StepDone


@tool
def look(query: str) -> str:
    """Look it up."""
    return query


def planned(*replies, lang="en", **limits):
    """The plan that comes of these replies, and the model that gave them."""
    model = ScriptedModel(list(replies))
    run = Run("task", model=model, tools=[look], limits=Limits(**limits), lang=lang, date="2026-01-01")
    return make_plan(run, "task"), model


def goals(of):
    return [step.goal for step in of]


def complaint(model):
    """What the model was told about its first plan."""
    return model.requests[1]["messages"][-1]["content"]


def test_a_plan_that_can_be_used_is_asked_for_once():
    made, model = planned('["one", "two"]')
    assert (goals(made.plan), made.degraded, len(model.requests)) == (["one", "two"], "", 1)


UNUSABLE = {
    "I would rather talk about it.": "no list of steps",
    '["one", "tw': "cut",
    "[]": "no steps",
    " ": "blank",
    '[{"goal": "one", "tool": "fly", "args": {}}]': "no tool named 'fly'",
    '[{"id": 1, "goal": "a", "needs": [2]}, {"id": 2, "goal": "b", "needs": [1]}]': "circle",
}


@pytest.mark.parametrize(("reply", "reason"), UNUSABLE.items())
def test_what_cannot_be_used_is_asked_for_once_more_with_the_reason(reply, reason):
    made, model = planned(reply, '["one", "two"]', max_attempts=1)
    assert (goals(made.plan), made.degraded) == (["one", "two"], "")
    assert reason in complaint(model)


def test_a_reply_that_broke_off_is_not_read_even_if_it_looks_whole():
    made, model = planned(says('["one"]', finish="length"), '["one", "two"]', max_attempts=1)
    assert goals(made.plan) == ["one", "two"]
    assert "broke off" in complaint(model)


def test_after_the_second_time_the_task_itself_is_the_only_step():
    made, model = planned("no", "no again")
    assert goals(made.plan) == ["task"]
    assert "no list of steps" in made.degraded
    assert len(model.requests) == 2


def test_of_a_plan_that_is_too_long_twice_the_first_lines_are_taken():
    long = json.dumps([f"step {n}" for n in range(1, 11)])
    made, model = planned(long, long)
    assert goals(made.plan) == [f"step {n}" for n in range(1, 9)]
    assert "10 steps, at most 8" in made.degraded and "10 steps, at most 8" in complaint(model)
    assert planned(long, max_plan_steps=10)[0].degraded == ""


def test_a_long_plan_is_better_than_a_second_reply_that_cannot_be_read():
    made, _ = planned(json.dumps([f"step {n}" for n in range(1, 10)]), "sorry")
    assert len(made.plan) == 8 and "9 steps" in made.degraded


@pytest.mark.parametrize(
    "reply", ["[]", "不行", '[{"goal": "一", "tool": "fly"}]', json.dumps(list("一二三四五六七八九"))]
)
def test_a_model_that_is_asked_in_chinese_hears_the_reason_in_chinese(reply):
    _, model = planned(reply, '["一", "二"]', lang="zh")
    told = complaint(model).replace("JSON", "").replace("fly", "").replace("look", "")
    assert not any("a" <= letter <= "z" for letter in told.lower())


# the replanner

REST = (Step(2, "two"), Step(3, "three"))


def replanned(reply, lang="en", **limits):
    run = Run("task", model=ScriptedModel([reply]), limits=Limits(**limits), lang=lang, date="2026-01-01")
    return replan(run, "task", [StepDone(1, "one", "done", "brought")], REST)


def test_nothing_left_is_not_the_same_as_unreadable():
    assert (replanned("[]").status, replanned("[]").steps) == ("empty", ())
    assert (replanned("Fine.").status, replanned("Fine.").steps) == ("unreadable", REST)


def test_a_finished_step_does_not_come_back():
    answer = replanned('[{"id": 1, "goal": "one"}, {"id": null, "goal": "one"}, {"id": 3, "goal": "three"}]')
    assert (answer.status, goals(answer.steps)) == ("parsed", ["three"])
    assert "finished already" in answer.why


def test_a_reply_that_broke_off_leaves_the_plan():
    answer = replanned(says("[]", finish="length"), max_attempts=1)
    assert (answer.status, answer.steps) == ("unreadable", REST)
    assert "broke off" in answer.why


def test_as_many_steps_as_there_is_room_for_and_not_one_more():
    def steps(count):
        return json.dumps([f"new {n}" for n in range(count)])

    assert len(replanned(steps(7)).steps) == 7
    answer = replanned(steps(8))
    assert (answer.status, answer.steps) == ("unreadable", REST)
    assert "8 steps, at most 7" in answer.why
    assert "最多允许 7" in replanned(steps(8), lang="zh").why
