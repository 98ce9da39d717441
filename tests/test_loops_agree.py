"""The incremental detector, `first_loop` and the rules written down naively say the same, in bounded memory."""

from __future__ import annotations

import pickle
from difflib import SequenceMatcher
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planexec.loops import KEPT_CALLS, LoopDetector, LoopRules, RepeatCounter, first_loop

Calls = list[tuple[str, Any, str | None, str | None]]

SENTENCES = ["the total market value of all shares", "the total market value of all sharez", "something else", "x"]
ENTRIES = st.tuples(
    st.sampled_from(["look", "poll"]), st.sampled_from(SENTENCES), st.sampled_from(["r", "s", None]), st.none()
)
ROUNDS = st.lists(ENTRIES, min_size=1, max_size=5).flatmap(
    lambda cycle: st.integers(1, 6).map(lambda rounds: cycle * rounds)
)
RUNS = st.lists(ROUNDS | st.lists(ENTRIES, max_size=6), max_size=3).map(lambda parts: sum(parts, []))
SMALL = LoopRules(same=3, cycle=3, longest_cycle=4, alike_times=4, polling=5, blind=4)


def naive(past: Calls) -> bool:
    """Is there a loop at the end of `past`? Straight from the words of `LoopRules`, with nothing remembered."""

    def needed(cycle: Calls, otherwise: int) -> int:
        if any(tool == "poll" for tool, *_ in cycle):
            return SMALL.polling or 0
        return (SMALL.blind or 0) if any(result is None for _, _, result, _ in cycle) else otherwise

    for period in range(1, SMALL.longest_cycle + 1):
        cycle = past[-period:]
        if period > 1 and all(call == cycle[0] for call in cycle):
            continue
        rounds = needed(cycle, (SMALL.same if period == 1 else SMALL.cycle) or 0)
        if len(past) >= period * rounds and past[-period * rounds :] == cycle * rounds:
            return True
    times = (SMALL.polling if past[-1][0] == "poll" else SMALL.alike_times) or 0
    last = past[-times:]
    if len(last) < times or len({(tool, result) for tool, _, result, _ in last}) > 1 or last[0][2] is None:
        return False
    pairs = zip(last, last[1:], strict=False)
    return all(
        SequenceMatcher(None, a[1].replace(" ", ""), b[1].replace(" ", "")).ratio() >= SMALL.alike for a, b in pairs
    )


@settings(max_examples=300, deadline=None)
@given(RUNS)
def test_incremental_first_loop_and_naive_agree(run: Calls) -> None:
    expected = [index for index in range(len(run)) if naive(run[: index + 1])]
    detector = LoopDetector(SMALL)
    assert [i for i, call in enumerate(run) if detector.add(*call, polling=call[0] == "poll")] == expected
    assert first_loop(run, SMALL, polling={"poll"}) == (expected[0] if expected else None)


@settings(max_examples=200, deadline=None)
@given(RUNS)
def test_what_a_loop_says_is_true_of_the_run(run: Calls) -> None:
    detector = LoopDetector(SMALL)
    for index, call in enumerate(run):
        loop = detector.add(*call, polling=call[0] == "poll")
        if loop:
            part = run[loop.first_index : index + 1]
            assert loop.count == len(part) // loop.period
            assert loop.tools == tuple(each[0] for each in part[-loop.period :])
            if loop.rule == "alike":
                assert len({(tool, result) for tool, _, result, _ in part}) == 1
            else:
                assert all(part[n] == part[n % loop.period] for n in range(len(part)))


@pytest.mark.parametrize("letters", ["A", "AB", "ABCDE"])
def test_defect_112_memory_does_not_grow_with_the_run(letters: str) -> None:
    detector, counter, sizes = LoopDetector(), RepeatCounter(), []
    for number in range(20_000):
        args, result = {"q": letters[number % len(letters)] * 500}, "r" * 5_000
        detector.add("t", args, result)
        counter.add("t", args, result)
        if number in (99, 19_999):
            sizes.append(len(pickle.dumps((detector, counter))))
    assert sizes[1] <= sizes[0] + 64  # longer numbers, no longer lists


def test_memory_after_100_000_different_calls() -> None:
    detector, counter = LoopDetector(), RepeatCounter()
    for number in range(100_000):
        detector.add("t", {"n": number}, f"r{number}")
        counter.add("t", {"n": number}, f"r{number}")
    assert len(pickle.dumps(detector)) < 2_000
    assert len(pickle.dumps(counter)) < 100 * KEPT_CALLS
