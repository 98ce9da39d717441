"""Steps, plans, references, and the difference of two plans."""

from __future__ import annotations

import json
import pickle
from dataclasses import FrozenInstanceError, dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planexec.plans import Blocked, Plan, PlanError, Step, changes, fill, references, same_goal
from planexec.tools import empty, found


@dataclass
class Result:
    found: bool
    text: str
    data: Any = None


RESULTS = {
    1: Result(True, "one kilo", {"grams": 1000.0, "half": 0.5, "none": None}),
    2: Result(False, "nothing there"),
    3: Result(
        True, "two parks", {"parks": ["East", "West"], "area": {"East": "3 ha", "西园": 4}, "pages": [{"url": "u"}]}
    ),
}


# steps and plans


def test_a_step_cannot_be_changed_and_does_not_share_its_args():
    args = {"terms": ["1"]}
    step = Step(1, "add", "sum", args)
    args["terms"].append("2")
    assert step.args == {"terms": ["1"]}
    with pytest.raises(FrozenInstanceError):
        step.goal = "other"
    assert hash(step) == hash(Step(1, "add", "sum", {"terms": ["1"]}))


@pytest.mark.parametrize("wrong", [(-1, "a"), (True, "a"), ("1", "a"), (1, ""), (1, "  "), (1, None)])
def test_a_step_needs_a_whole_number_and_words(wrong):
    with pytest.raises(ValueError):
        Step(*wrong)
    assert Step(0, "a").id == 0


def test_a_plan_is_in_the_order_of_its_needs_and_otherwise_as_given():
    plan = Plan([Step(5, "e", needs=(2,)), Step(1, "a"), Step(2, "b", needs=(3,)), Step(3, "c")])
    assert [step.id for step in plan] == [1, 3, 2, 5]
    assert len(plan) == 4
    assert plan.get(2).goal == "b"
    assert plan.get(9) is None


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        ([Step(1, "a"), Step(1, "b")], "same_id"),
        ([Step(1, "a", needs=(2,))], "unknown_need"),
        ([Step(1, "a", needs=(1,))], "cycle"),
        ([Step(1, "a", needs=(2,)), Step(2, "b", needs=(3,)), Step(3, "c", needs=(1,))], "cycle"),
        ([Step(1, "a", "t", {"q": "$2.x"})], "unknown_reference"),
        ([Step(1, "a", "t", {"q": "$2.x"}), Step(2, "b", "t", {"q": "$1"})], "cycle"),
    ],
)
def test_a_plan_that_cannot_be_carried_out_is_refused(steps, code):
    with pytest.raises(PlanError) as problem:
        Plan(steps)
    assert problem.value.code == code
    assert isinstance(problem.value, ValueError)


def test_a_reference_is_a_need_and_money_is_not():
    plan = Plan(
        [Step(1, "a"), Step(2, "b", "t", {"q": ["about $1", "below $3 or $9"]}), Step(3, "c", "t", {"q": "$2"})]
    )
    assert [step.needs for step in plan] == [(), (1,), (2,)]


def test_finished_steps_may_be_needed_but_not_repeated():
    assert [step.id for step in Plan([Step(4, "d", "t", {"q": "$1.x"}, (2,))], finished=(1, 2))] == [4]
    with pytest.raises(PlanError):
        Plan([Step(1, "again")], finished=(1,))


graphs = st.lists(st.sets(st.integers(0, 7), max_size=3), min_size=1, max_size=8)


@settings(deadline=None)
@given(graphs, st.randoms(use_true_random=False))
def test_every_graph_without_a_circle_can_be_ordered_and_written_down(graph, dice):
    steps = [Step(n, f"goal {n}", needs=tuple(sorted(m for m in needs if m < n))) for n, needs in enumerate(graph)]
    dice.shuffle(steps)
    plan = Plan(steps)
    place = {step.id: at for at, step in enumerate(plan)}
    assert all(place[need] < place[step.id] for step in plan for need in step.needs)
    assert Plan.from_list(json.loads(json.dumps(plan.to_list()))) == plan
    assert pickle.loads(pickle.dumps(plan)) == plan


# references


@pytest.mark.parametrize(
    ("args", "filled"),
    [
        ("$1", "one kilo"),
        ("$1.grams", 1000.0),
        ("$3.parks", ["East", "West"]),
        ("$3.area.East", "3 ha"),
        ("$3.area.西园", 4),
        ("$3.pages[0].url", "u"),
        ("$3.pages.0.url", "u"),
        ("paths in $3.parks.", "paths in East, West."),
        ("$3.parks的小路", "East, West的小路"),
        ("areas: $3.area", "areas: East: 3 ha, 西园: 4"),
        ("$1.grams * 25%", "1000 * 25%"),
        ("$1.half + $1.half", "0.5 + 0.5"),
        ({"a": ["$1", {"b": "$3.parks"}], "c": 5}, {"a": ["one kilo", {"b": ["East", "West"]}], "c": 5}),
        ("$$1 and $$", "$1 and $"),
        ("$$$1", "$one kilo"),
        ("costs $, $x or US$1", "costs $, $x or US$1"),
    ],
)
def test_fill(args, filled):
    assert fill(args, RESULTS) == filled


@pytest.mark.parametrize(
    "money", ["$5", "at most $5.", "$5 million", "$1 million", "$1.50", "$1,000", "$1bn", "$12345678901"]
)
def test_money_stays_money(money):
    assert fill({"q": money}, RESULTS) == {"q": money}


@pytest.mark.parametrize(
    ("reference", "step", "why"),
    [
        ("$2", 2, "found nothing"),
        ("see $2.x", 2, "found nothing"),
        ("$1.weight", 1, "no field 'weight'; it has: grams, half, none"),
        ("$1.none", 1, "null"),
        ("$1.grams.x", 1, "no named fields"),
        ("$3.parks.East", 3, "no field 'East'"),
        ("$3.pages[1]", 3, "no field '1'"),
        ("$3.area.西园的路", 3, "no field '西园的路'"),
        ("$9.name", 9, "no step 9"),
    ],
)
def test_what_cannot_be_filled_in_blocks(reference, step, why):
    with pytest.raises(Blocked) as blocked:
        fill({"q": [reference]}, RESULTS)
    assert blocked.value.step_id == step
    assert why in blocked.value.why
    assert blocked.value.reference in reference


def test_a_needed_step_without_a_result_blocks():
    with pytest.raises(Blocked, match="no result yet"):
        fill("about $5", RESULTS, needs=(5,))
    with pytest.raises(Blocked, match="还没有结果"):
        fill("about $5", RESULTS, needs=(5,), lang="zh")


def test_an_observation_is_a_result():
    assert fill("$1.n", {1: found("seven", {"n": 7})}) == 7
    with pytest.raises(Blocked):
        fill("$1", {1: empty()})


def test_references_are_listed_once_in_order():
    assert references({"q": "$2.sectors and $1, $$9", "r": ["$2", "$7 million"]}) == (2, 1)
    assert references(None) == ()


@settings(deadline=None)
@given(st.recursive(st.none() | st.integers() | st.text(st.characters(exclude_characters="$")), st.lists))
def test_args_without_references_stay_as_they_are(args):
    assert fill(args, RESULTS) == args
    assert references(args) == ()


# the difference of two plans


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Compare A, B.", "compare a b"),
        ("看看（2026）的现状", "看看(2026) 的现状！"),
        ("ＡＢＣ　５％", "abc 5%"),
        ("降到 −5 度", "降到-5度"),
        ("“what” it means", "what it means"),
        ("GPT-4", "GPT 4"),
        ("lines 1, 2", "Lines 1; 2."),
        ("for 2, no more", "for 2 no more"),
    ],
)
def test_same_goal(one, other):
    assert same_goal(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("+5%", "-5%"),
        (".5 kg", "5 kg"),
        ("1,000", "1000"),
        ("10:30", "1030"),
        ("x > 5", "x < 5"),
        ("$5", "€5"),
        ("??", "!!"),
        ("lines 1, 2", "lines 12"),
        ("pages 10 - 20", "pages 1020"),
        ("（3）、（4）", "（34）"),
    ],
)
def test_other_goal(one, other):
    assert not same_goal(one, other)


@settings(deadline=None)
@given(st.text("abc甲乙 ", min_size=1), st.integers(0, 10**6), st.integers(0, 10**6), st.sampled_from("，。!?「」*_ "))
def test_punctuation_does_not_matter_and_numbers_do(words, number, another, mark):
    assert same_goal(f"{words}{mark} {number} x", f"{words} {number}{mark}x{mark}")
    assert same_goal(f"{words} {number}", f"{words} {another}") == (number == another)


def test_changes_by_goal_and_id():
    a, b, c = Step(1, "a"), Step(2, "b"), Step(3, "c")
    assert not changes([a, b, c], [a, b, c])
    difference = changes([a, b, c], [Step(3, "c"), Step(1, "A!"), Step(7, "d")])
    assert [step.id for step in difference.kept] == [3, 1]
    assert [step.id for step in difference.removed] == [2]
    assert [step.id for step in difference.added] == [7]
    assert difference.reordered
    assert [step.goal for step in changes([a], [Step(1, "z")]).reworded] == ["z"]
    assert [step.id for step in changes([a, b], [Step(1, "b"), Step(2, "a")]).kept] == [1, 2]  # renumbered only


steps = st.lists(st.tuples(st.integers(1, 6), st.sampled_from("pqrstu")), max_size=5, unique_by=lambda pair: pair[0])


@settings(deadline=None)
@given(steps, steps)
def test_changes_account_for_every_step(old, new):
    before, after = [Step(*pair) for pair in old], [Step(*pair) for pair in new]
    difference = changes(before, after)
    assert len(difference.kept) + len(difference.reworded) + len(difference.added) == len(after)
    assert len(difference.kept) + len(difference.reworded) + len(difference.removed) == len(before)
    assert not changes(before, before)
