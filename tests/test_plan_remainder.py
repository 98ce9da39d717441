"""What a replanner's answer leaves of a plan: old steps stay themselves, finished ones stay finished."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from planexec.plans import Step, read_remainder

OLD = (
    Step(3, "measure the parks", "map", {"what": "parks"}),
    Step(4, "halve the areas", "sum", {"each": "$3.area"}, (3,)),
    Step(5, "write the summary"),
)
DONE = (Step(1, "find the map"), Step(2, "ask the office"))


def remainder(answer, **options):
    return read_remainder(answer if isinstance(answer, str) else json.dumps(answer), OLD, DONE, **options)


def test_an_unchanged_answer_keeps_every_step_with_its_call():
    for answer in (
        [{"id": s.id, "goal": s.goal} for s in OLD],
        [s.goal for s in OLD],
        [s.goal.upper() + "." for s in OLD],
    ):
        read = remainder(answer)
        assert (read.status, read.steps, read.why) == ("parsed", OLD, "")


def test_new_steps_get_ids_above_all_used_ones():
    answer = [{"id": None, "goal": "new one"}, {"id": 5, "goal": "write the summary"}, "another"]
    assert [step.id for step in remainder(answer).steps] == [6, 5, 7]
    assert [step.id for step in remainder(answer, taken=(8,)).steps] == [9, 5, 10]
    assert [step.id for step in remainder([{"id": 20, "goal": "new"}, "another"]).steps] == [20, 21]


def test_a_step_with_new_words_keeps_its_id_and_loses_the_call_that_fitted_the_old_ones():
    read = remainder([{"id": 3, "goal": "measure the lakes instead"}])
    assert read.steps == (Step(3, "measure the lakes instead"),)
    assert "new words" in read.why


def test_the_goal_counts_more_than_a_number_written_anew():
    read = remainder([{"id": 1, "goal": "measure the parks"}, {"id": 2, "goal": "write the summary"}])
    assert [step.id for step in read.steps] == [3, 5]


def test_an_answer_of_finished_steps_only_is_not_the_end():
    assert remainder(["find the map"]).status == "unreadable"
    assert remainder([]).status == "empty"


def test_a_plain_need_for_a_removed_step_falls_away_and_a_reference_does_not():
    old = (Step(1, "a"), Step(2, "b", needs=(1,)), Step(3, "c", "t", {"q": "$1"}, (1,)))
    assert read_remainder('["b"]', old, []).steps == (Step(2, "b"),)
    assert read_remainder('["c"]', old, []).status == "unreadable"


def test_a_numbered_answer_may_go_on_counting():
    assert [step.id for step in remainder("3. measure the parks\n4. halve the areas").steps] == [3, 4]
    assert remainder("Left: 3. measure the parks\n4. halve the areas").status == "unreadable"


@settings(deadline=None)
@given(st.lists(st.sampled_from([*(s.goal for s in OLD + DONE), "new", "newer"]), max_size=6))
def test_no_answer_brings_back_a_finished_step_or_uses_an_id_twice(answer):
    read = remainder(answer)
    ids = [step.id for step in read.steps]
    assert len(set(ids)) == len(ids)
    assert not {1, 2} & set(ids)
    if read.status == "parsed":
        assert {step.goal for step in read.steps} == set(answer) - {step.goal for step in DONE}
