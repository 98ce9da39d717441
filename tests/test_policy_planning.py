"""Planner, replanner and router: JSON that follows from what the question needs and from the tools offered."""

from __future__ import annotations

import json
from typing import Any

import pytest
from policy_loop import PLAN, data, plan_message

from planexec.chat import assistant, system, user
from planexec.models.policy.breaking import FORMS, untidy
from planexec.models.simulated import SimulatedModel
from planexec.plans import read_plan
from planexec.worlds import finance, research

QUESTIONS = finance.QUESTIONS


def planned(question: str, tools: Any, prompt: str = PLAN, most: int = 8, **dials: float) -> list[Any]:
    model = SimulatedModel("careful", **dials)
    return json.loads(model.reply([system(prompt), plan_message(question, tools, most)]).text)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_allocation_is_planned_as_five_direct_calls_with_references(lang: str) -> None:
    plan = planned(QUESTIONS[lang]["allocation"], finance.tools(lang))
    assert [line["tool"] for line in plan] == [
        "search_knowledge", "calculate", "search_knowledge", "calculate", "search_knowledge",
    ]  # fmt: skip
    assert plan[0]["expects"] == "optional"
    assert plan[3]["args"]["each"] == "$3.weights" and plan[3]["needs"] == [3]
    assert "$3.sectors" in plan[4]["args"]["query"] and plan[4]["needs"] == [3]
    assert [line["id"] for line in plan] == [1, 2, 3, 4, 5]


def test_the_split_is_four_lines_one_of_them_in_words() -> None:
    plan = planned(QUESTIONS["en"]["split"], finance.tools("en"))
    assert [line.get("tool") for line in plan] == ["search_knowledge", None, "search_knowledge", "search_knowledge"]
    assert "banks" in plan[2]["goal"] and "property" in plan[3]["goal"]


def test_a_question_of_one_step_gets_one_line() -> None:
    assert len(planned(QUESTIONS["zh"]["sectors"], finance.tools("zh"))) == 1


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_survey_is_five_sides_in_words(lang: str) -> None:
    plan = planned(research.QUESTIONS[lang]["survey"], research.tools(lang))
    assert len(plan) == 5 and all(isinstance(line, str) for line in plan)


def test_a_plan_never_has_more_lines_than_are_allowed() -> None:
    plan = planned(research.QUESTIONS["en"]["survey"], research.tools("en"), most=3)
    assert len(plan) == 3 and plan[2].count(";") == 2
    assert len(planned(QUESTIONS["en"]["allocation"], finance.tools("en"), most=2)) == 2


def test_where_only_strings_are_asked_for_only_strings_come() -> None:
    plan = planned(QUESTIONS["en"]["allocation"], finance.tools("en"), prompt="Return a JSON array of strings.")
    assert len(plan) == 5 and all(isinstance(line, str) for line in plan)


def test_a_field_is_referred_to_only_if_a_tool_says_that_it_carries_it() -> None:
    cards = [
        {"name": "search", "description": "Search things.", "arguments": {"query": ""}},
        {"name": "calculate", "description": "Arithmetic.", "arguments": {"expression": "", "each": ""}},
    ]
    message = data(task=QUESTIONS["en"]["allocation"], tools=cards, max_plan_steps=8)
    plan = json.loads(SimulatedModel("careful").reply([system(PLAN), message]).text)
    assert "tool" not in plan[3] and "tool" not in plan[4]


def test_without_tools_every_line_is_in_words() -> None:
    plan = planned(QUESTIONS["en"]["allocation"], [])
    assert all("tool" not in line for line in plan if isinstance(line, dict))


def test_an_unknown_task_is_one_step_itself() -> None:
    assert planned("Plan a wedding for 120 guests.", finance.tools("en")) == ["Plan a wedding for 120 guests."]


# ------------------------------------------------------------------------------------------------ sloppy


@pytest.mark.parametrize("form", [name for name in FORMS if name != "cut"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_untidy_form_but_the_cut_one_still_holds_the_plan(form: str, lang: str) -> None:
    plan = planned(QUESTIONS[lang]["allocation"], finance.tools(lang))
    text = untidy(plan, FORMS.index(form), lang)
    assert text != json.dumps(plan, ensure_ascii=False)
    read = read_plan(text)
    assert read.status == "parsed" and [step.goal for step in read.steps] == [line["goal"] for line in plan]
    assert [step.tool for step in read.steps] == [line["tool"] for line in plan]


def test_a_cut_plan_cannot_be_read() -> None:
    text = untidy(planned(QUESTIONS["en"]["allocation"], finance.tools("en")), FORMS.index("cut"), "en")
    with pytest.raises(ValueError):
        json.loads(text)


def test_texts_become_objects_when_the_form_is_objects() -> None:
    assert json.loads(untidy(["a", "b"], FORMS.index("objects"), "en")) == [{"subtask": "a"}, {"subtask": "b"}]


FIRST = [system(PLAN), plan_message(QUESTIONS["en"]["sectors"], finance.tools("en"))]
AGAIN = [*FIRST, assistant("[broken"), user("This plan cannot be used: it is cut. Send it again.")]
TIDY = SimulatedModel("careful").reply(FIRST).text


def tidy(messages: list[Any], seed: int, sloppy: float) -> bool:
    return SimulatedModel("careful", seed=seed, sloppy=sloppy).reply(messages).text == TIDY


def test_sloppy_moves_the_share_of_replies_that_are_not_plain_json() -> None:
    counts = [sum(not tidy(FIRST, seed, value) for seed in range(60)) for value in (0.0, 0.3, 0.7, 1.0)]
    assert counts == sorted(counts) and counts[0] == 0 and counts[-1] == 60


def test_asked_again_it_draws_again() -> None:
    outcomes = {(tidy(FIRST, seed, 0.5), tidy(AGAIN, seed, 0.5)) for seed in range(60)}
    assert outcomes == {(True, True), (True, False), (False, True), (False, False)}


# ------------------------------------------------------------------------------------------------ replanner


def replanned(task: str, done: list[tuple[str, str]], remaining: list[str], most: int = 8, **dials: float) -> list[Any]:
    finished = [{"id": i, "goal": goal, "status": status, "result": "r"} for i, (goal, status) in enumerate(done, 1)]
    rest = [{"id": len(done) + i, "goal": goal} for i, goal in enumerate(remaining, 1)]
    message = data(task=task, done=finished, remaining=rest, max_plan_steps=most)
    return json.loads(SimulatedModel("careful", **dials).reply([system("Check the plan."), message]).text)


def goals_of(question: str, tools: Any) -> list[str]:
    return [line if isinstance(line, str) else line["goal"] for line in planned(question, tools)]


SURVEY = research.QUESTIONS["en"]["survey"]
SIDES = goals_of(SURVEY, research.tools("en"))
ALLOCATION = QUESTIONS["en"]["allocation"]
CHAIN = goals_of(ALLOCATION, finance.tools("en"))


def test_a_good_rest_is_returned_unchanged_with_its_ids() -> None:
    rest = replanned(SURVEY, [(SIDES[0], "done")], SIDES[1:])
    assert rest == [{"id": i, "goal": goal} for i, goal in enumerate(SIDES[1:], 2)]


def test_what_a_result_covers_is_dropped() -> None:
    rest = replanned(SURVEY, [(SIDES[0], "done"), (SIDES[2], "done")], SIDES[1:])
    assert [step["goal"] for step in rest] == [SIDES[1], SIDES[3], SIDES[4]]


def test_a_side_that_the_plan_lacks_is_added_if_there_is_room() -> None:
    rest = replanned(SURVEY, [(SIDES[0], "done")], SIDES[1:3])
    assert [step["goal"] for step in rest if step["id"] is None] == SIDES[3:]
    assert len(replanned(SURVEY, [(SIDES[0], "done")], SIDES[1:3], most=4)) == 3


def test_a_step_before_the_one_it_waits_for_is_moved_behind_it() -> None:
    rest = replanned(ALLOCATION, [(CHAIN[0], "no_data")], [CHAIN[3], CHAIN[2]])
    assert [step["goal"] for step in rest] == [CHAIN[2], CHAIN[3]]


def test_nothing_left_is_an_empty_list() -> None:
    assert replanned(SURVEY, [(goal, "done") for goal in SIDES], []) == []


def test_a_step_without_data_is_not_tried_again() -> None:
    rest = replanned(ALLOCATION, [(CHAIN[0], "no_data")], CHAIN[1:])
    assert [step["goal"] for step in rest] == CHAIN[1:]


def test_panic_plans_everything_again_after_a_failure_and_only_then() -> None:
    calm = replanned(ALLOCATION, [(CHAIN[0], "done"), (CHAIN[1], "failed")], CHAIN[2:], panic=0.0)
    assert [step["id"] for step in calm] == [3, 4, 5]
    over = replanned(ALLOCATION, [(CHAIN[0], "done"), (CHAIN[1], "failed")], CHAIN[2:], panic=1.0)
    assert [(step["id"], step["goal"]) for step in over[:2]] == [(None, CHAIN[0]), (None, CHAIN[1])]
    assert replanned(ALLOCATION, [(CHAIN[0], "done")], CHAIN[1:], panic=1.0)[0]["id"] == 2


def test_an_unknown_task_keeps_its_plan() -> None:
    assert replanned("Bake a cake.", [("mix", "done")], ["bake"]) == [{"id": 2, "goal": "bake"}]


# ------------------------------------------------------------------------------------------------ router


@pytest.mark.parametrize(
    ("question", "route", "parts"),
    [
        (QUESTIONS["en"]["sectors"], "direct", 0),
        (QUESTIONS["zh"]["sectors"], "direct", 0),
        (QUESTIONS["en"]["allocation"], "chain", 0),
        (QUESTIONS["zh"]["split"], "chain", 0),
        (research.QUESTIONS["en"]["survey"], "chain", 0),
        ("What are the prices of the stocks Zig, Zag and Zog?", "parallel", 3),
        ("甲乙、丙丁和戊己的股价", "parallel", 3),
        ("Plan a wedding for 120 guests.", "direct", 0),
    ],
)
def test_the_route_follows_from_what_waits_for_what(question: str, route: str, parts: int) -> None:
    prompt = 'Answer with {"route": "direct" | "chain" | "parallel", "parts": []}.'
    answer = json.loads(SimulatedModel("careful").reply([system(prompt), data(task=question)]).text)
    assert (answer["route"], len(answer["parts"])) == (route, parts)


def test_each_part_of_a_parallel_question_is_a_question_of_one_step() -> None:
    prompt = 'Answer with {"route": "direct" | "chain" | "parallel", "parts": []}.'
    model = SimulatedModel("careful")
    for question in ("What are the prices of the stocks Zig, Zag and Zog?", "甲乙、丙丁和戊己的股价"):
        parts = json.loads(model.reply([system(prompt), data(task=question)]).text)["parts"]
        for part in parts:
            assert json.loads(model.reply([system(prompt), data(task=part)]).text)["route"] == "direct"
