"""Mistakes that learners made in 01: the message names the plan that was tried, the hint is about the mistake."""

from __future__ import annotations

from planexec.course.checks import check, task


def deepest(needs):
    def depth(step):
        return 1 + max((depth(each) for each in needs[step]), default=0)

    return max(depth(step) for step in needs)


def how_many(needs):
    return sum(not waits for waits in needs.values())


def test_code_that_raises_is_told_for_which_plan():
    checked = check("01.2", deepest)
    assert checked.status == "not yet" and "turns_needed({}): got ValueError" in checked.text


def test_a_number_of_steps_is_told_that_a_list_is_wanted():
    checked = check("01.1", how_many)
    assert checked.status == "not yet" and "A list of steps is wanted" in checked.hint


def test_the_order_of_the_steps_is_part_of_the_task():
    assert "order of the plan" in task("01.1")
