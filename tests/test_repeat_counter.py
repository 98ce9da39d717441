"""RepeatCounter: how often one call has come back with the result it brought last."""

from __future__ import annotations

import pytest

from planexec.loops import KEPT_CALLS, RepeatCounter


def test_the_counter_counts_one_call_whatever_comes_between() -> None:
    counter = RepeatCounter()
    assert counter.seen("t", {"q": 1}) == 0
    for expected in (1, 2, 3):
        assert counter.add("t", {"q": 1}, "same") == expected
        assert counter.add("t", {"q": expected + 10}, "other") == 1
        assert counter.seen("t", {"q": "1.0"}) == expected
    assert counter.seen("u", {"q": 1}) == 0


def test_a_new_result_starts_the_count_again() -> None:
    counter = RepeatCounter()
    assert [counter.add("t", 1, result) for result in ("a", "a", "b", "b", "b", "a")] == [1, 2, 1, 2, 3, 1]


def test_an_unknown_result_is_no_repeat() -> None:
    counter = RepeatCounter()
    assert [counter.add("t", 1, "a"), counter.add("t", 1, None), counter.seen("t", 1)] == [1, 0, 0]
    assert [counter.add("t", 1, "a"), counter.add("t", 1, "a", kind="unknown"), counter.seen("t", 1)] == [1, 0, 0]


def test_the_counter_ignores_what_the_tool_says_does_not_count() -> None:
    counter = RepeatCounter()
    counter.add("t", {"q": 1, "note": "a"}, "r", ignore=("note",))
    assert counter.add("t", {"q": 1, "note": "b"}, "r", ignore=("note",)) == 2


@pytest.mark.parametrize(("others", "expected"), [(2, 1), (3, 0)])
def test_the_counter_forgets_the_call_that_came_back_longest_ago(others: int, expected: int) -> None:
    counter = RepeatCounter(kept=3)
    counter.add("t", "old", "r")
    for number in range(others):
        counter.add("t", number, "r")
    assert counter.seen("t", "old") == expected


def test_a_call_that_keeps_coming_back_is_not_forgotten() -> None:
    counter = RepeatCounter()
    for number in range(3 * KEPT_CALLS):
        counter.add("t", number, "r")
        assert counter.add("t", "again", "r") == number + 1
