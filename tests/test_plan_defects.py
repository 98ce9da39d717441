"""One test for each known way in which a hand-written planner loses, invents or misjudges steps (numbers 17 to 30, 55
to 63 of the list of defects the project keeps)."""

from __future__ import annotations

import json

import pytest

from planexec.plans import Plan, Step, changes, read_plan, read_remainder, same_goal


def goals(text):
    read = read_plan(text)
    return [step.goal for step in read.steps] if read.status == "parsed" else read.status


@pytest.mark.parametrize("fence", ["```json", "```JSON", "```", "~~~", "``` json"])
def test_defect_17_fence_anywhere(fence):
    assert goals(f'Sure.\n{fence}\n["a", "b"]\n{fence[:3]}\nDone.') == ["a", "b"]


def test_defect_18_greedy_bracket():
    assert goals('["a","b"]\n说明 [1]') == ["a", "b"]


def test_defect_19_bracket_before():
    assert goals('根据要求[见上]：["a","b"]') == ["a", "b"]


def test_defect_20_two_arrays():
    read = read_plan('原计划 ["a","b"]，新计划 ["b","c"]')
    assert [step.goal for step in read.steps] == ["b", "c"]
    assert read.why  # that there were two is said


@pytest.mark.parametrize("before", ["", "结果："])
@pytest.mark.parametrize("key", ["plan", "steps", "tasks", "remaining"])
def test_defect_21_object_with_an_agreed_key(before, key):
    assert goals(before + json.dumps({key: ["a"]})) == ["a"]


def test_defect_21_other_keys_are_no_plan():
    assert goals('{"notes": ["a"]}') == "unreadable"


@pytest.mark.parametrize("thought", ["先看 [原计划]", '先看 ["x", "y"]', "1. x\n2. y", '{"plan": ["x"]}', '["x", '])
def test_defect_22_thoughts_are_no_plan(thought):
    assert goals(f'<think>{thought}</think>["a"]') == ["a"]
    assert goals(f"<think>{thought}") == "unreadable"


@pytest.mark.parametrize(
    "text", ['["a","b",]', "['a', 'b']", "[“a”，“b”]", "1. a\n2. b", '{"plan": ["a", "b"]', '[\n"a"\n"b"\n]']
)
def test_defect_23_repairable_forms(text):
    assert goals(text) == ["a", "b"]


def test_defect_23_cut_string_is_unreadable_and_said():
    read = read_plan('["a", "b')
    assert read.status == "unreadable"
    assert "cut" in read.why


@pytest.mark.parametrize(
    "content", [["a"], None, 5, "[" * 100_000, '["a", ' + "9" * 5_000 + "]"], ids=lambda c: str(c)[:9]
)
def test_defect_24_content_that_breaks_parsers(content):
    assert read_plan(content).status == "unreadable"


def test_defect_25_no_object_is_dropped():
    assert goals('[{"task":"a"},{"step":"b"},{"title":"c"}]') == ["a", "b", "c"]
    assert goals('[{"task":"a"},{"colour":"b"}]') == "unreadable"


def test_defect_26_no_value_becomes_a_text():
    assert goals('[null, 1, ["a","b"], {"subtask": ["x"]}]') == "unreadable"
    for value in (None, 1, ["a", "b"], {"subtask": ["x"]}, True, {}):
        assert goals(json.dumps(["a", value])) == "unreadable"


def test_defect_27_doubles_and_length():
    read = read_plan(json.dumps(["find it", "Find it.", "y" * 5_000]))
    assert [step.goal[:7] for step in read.steps] == ["find it", "yyyyyyy"]
    assert len(read.steps[1].goal) <= 1_000
    assert "Find it." in read.why


@pytest.mark.parametrize("blank", ["", " ", "\n\n", " " * 500])
def test_defect_28_blank_answer_is_no_plan_of_one_step(blank):
    assert read_plan(blank).status == "unreadable"
    assert read_remainder(blank, [Step(1, "a")], []).status == "unreadable"


@pytest.mark.parametrize("count", [1, 8, 12, 200])
def test_defect_29_no_tail_is_lost(count):
    steps = [f"look at side {n}" for n in range(count)]
    assert goals(json.dumps(steps)) == steps


def test_defect_30_dependencies_are_part_of_the_plan():
    plan = Plan((Step(1, "paint", needs=(2,)), Step(2, "wire")))
    assert [step.goal for step in plan] == ["wire", "paint"]
    assert goals('[{"id":1,"goal":"paint","needs":[2]},{"id":2,"goal":"wire","needs":[1]}]') == "unreadable"


OLD = (Step(3, "compare the offers"), Step(4, "write the summary"))


def test_defect_55_empty_means_nothing_is_left():
    assert read_remainder("[]", OLD, []).status == "empty"


def test_defect_56_unreadable_is_not_unchanged():
    read = read_remainder("The plan is fine.", OLD, [])
    assert (read.status, read.steps) == ("unreadable", ())
    assert read.why
    assert [s.goal for s in read_remainder('{"remaining":["write the summary"]}', OLD, []).steps] == [
        "write the summary"
    ]


def test_defect_57_a_long_answer_is_not_cut():
    answer = json.dumps([f"new side {n}" for n in range(12)])
    assert len(read_remainder(answer, OLD, []).steps) == 12


@pytest.mark.parametrize(
    "answer",
    [
        '["measure", "write the summary"]',
        '[{"id":1,"goal":"measure"},{"id":4,"goal":"write the summary"}]',
        '[{"id":1,"goal":"measure once more, with care"},{"id":4,"goal":"write the summary"}]',
        '[{"id":3,"goal":"Measure."},{"id":4,"goal":"write the summary"}]',
    ],
    ids=["text", "id", "reworded", "renumbered"],
)
def test_defect_58_a_finished_step_cannot_come_back(answer):
    read = read_remainder(answer, OLD, [Step(1, "measure")])
    assert [(step.id, step.goal) for step in read.steps] == [(4, "write the summary")]
    assert "easure" in read.why


def test_defect_61_ids_tell_steps_apart_not_words():
    assert same_goal("看看（2026）的现状", "看看 (2026) 的现状。")
    read = read_remainder('[{"id":3,"goal":"set the offers side by side"}]', OLD, [])
    difference = changes(OLD, read.steps)
    assert [step.id for step in difference.reworded] == [3]
    assert [step.id for step in difference.removed] == [4]
    assert not difference.added


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("涨 1.5%", "涨 15%"),
        ("升到 -5度", "升到 5度"),
        ("1,5 kg", "15 kg"),
        ("10-20 pages", "1020 pages"),
        ("3/4", "34"),
    ],
)
def test_defect_62_signs_and_points_are_meaning(one, other):
    assert not same_goal(one, other)
    assert changes([Step(1, one)], [Step(1, other)])


def test_defect_63_order_is_checked_against_needs():
    old = (Step(3, "measure", "scale", {}), Step(4, "halve", "sum", {"terms": "$3.grams / 2"}, (3,)))
    turned = read_remainder('[{"id":4,"goal":"halve"},{"id":3,"goal":"measure"}]', old, [])
    assert [step.id for step in turned.steps] == [3, 4]
    without = read_remainder('[{"id":4,"goal":"halve"}]', old, [])
    assert without.status == "unreadable"
    assert "step 3" in without.why
