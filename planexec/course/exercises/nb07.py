"""Exercises and quiz of 07_step_budgets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from planexec.course.checks import Tried, exercise, expect
from planexec.course.quiz import quiz

# plans as line -> lines it waits for; by seed, so that a copied number does not pass
PLANS: tuple[Mapping[int, Sequence[int]], ...] = (
    {1: (), 2: (1,), 3: (2,), 4: (1,)},
    {1: (), 2: (), 3: (1, 2), 4: (3,), 5: (4,)},
    {1: (), 2: (1,), 3: (1,), 4: (1,)},
)
# lines out of order; a line that waits for two, with the longer way first and last
MORE: tuple[Mapping[int, Sequence[int]], ...] = (
    {3: (), 1: (3,), 2: (1,)},
    {1: (), 2: (1,), 3: (), 4: (2, 3)},
    {1: (), 2: (1,), 3: (), 4: (3, 2)},
)


def longest(needs: Mapping[int, Sequence[int]]) -> int:
    """longest({1: (), 2: (1,)}) -> 2: steps on the longest way through the needs."""
    return max((1 + longest_to(needs, step) for step in needs), default=0)


def longest_to(needs: Mapping[int, Sequence[int]], step: int) -> int:
    return max((1 + longest_to(needs, each) for each in needs[step]), default=0)


def _plan(seed: int) -> Mapping[int, Sequence[int]]:
    return PLANS[seed % len(PLANS)]


@exercise(
    "07.1",
    "longest_chain",
    lambda seed: f"longest_chain({dict(_plan(seed))}) -> {longest(_plan(seed))}, the lines of its longest chain",
    (
        "The chain that ends in a line is one longer than the longest chain of those it waits for.",
        "Put that into a function of one line, which calls itself; a line that waits for nothing is a chain of one.",
        "Answer the largest of these numbers over all lines.",
    ),
)
def _longest_chain(answer: Callable[[Any], Any], seed: int) -> list[Tried]:
    plans = [_plan(seed + turn) for turn in range(len(PLANS))]
    return [_one(answer, plan) for plan in ({7: ()}, *plans, *MORE, {})]


def _one(answer: Callable[[Any], Any], plan: Mapping[int, Sequence[int]]) -> Tried:
    """One plan; `max` of nothing raises, which is told apart because the way out is so short."""
    what, right = f"longest_chain({dict(plan)})", longest(plan)
    try:
        got = answer(dict(plan))
    except ValueError as problem:
        hint = "max(..., default=0) gives 0 where there is nothing to compare."
        return Tried(what, problem, right, False, hint, f"tried {what}: ValueError: {problem}; expected {right}")
    return expect(what, got, right, "" if got == right else _miscounted(got, plan))


def _miscounted(got: Any, plan: Mapping[int, Sequence[int]]) -> str:
    """What was counted instead of the longest chain."""
    needs = list(plan.values())
    if len(needs) == 1:
        return "A line that waits for nothing is a chain of one."
    counted = {
        len(plan): "That is the number of all lines; one that stands beside the chain does not make it longer.",
        sum(bool(each) for each in needs): "Those are the lines that wait; are they all in one chain?",
        max(map(len, needs), default=0) + 1: "A line may wait for several; a chain goes back through one of them.",
    }
    if plan in MORE and any(len(each) > 1 for each in needs):
        return "A line may wait for several: its chain is one longer than the longest of theirs, be it first or last."
    return counted.get(got, "") if type(got) is int else ""


@exercise(
    "07.2",
    "admit",
    "admit(used, limit) -> True when one more turn may begin: `used` have begun, `limit` is the budget.\n"
    "limit None: no limit. limit 0: nothing may begin.",
    (
        "None cannot be compared with a number: ask for it first, with `is None`.",
        "A budget of 3 admits the first, second and third turn, and not the fourth.",
        "True when limit is None, else whether used is smaller than limit.",
    ),
)
def _admit(answer: Callable[[int, int | None], Any], seed: int) -> list[Tried]:
    limit = 3 + seed
    one_more = f"With {limit} begun, the budget of {limit} is used up."
    zero = "0 is a budget, and None is none: `not limit` is true for both, `limit is None` for one."
    cases: list[tuple[int, int | None, bool, str]] = [
        (0, limit, True, ""),
        (limit - 1, limit, True, f"The budget admits {limit}; only {limit - 1} have begun."),
        (limit, limit, False, one_more),
        (limit + 1, limit, False, one_more),
        (0, 0, False, zero),
        (0, None, True, ""),
        (1_000, None, True, ""),
    ]
    return [expect(f"admit({used}, {most})", answer(used, most), right, hint) for used, most, right, hint in cases]


quiz(
    "07.q1",
    "With max_steps = 3 the allocation is never reached. What would help?",
    "A larger budget: the five lines of the plan need seven turns here.",
    (
        (
            "A better model: this one is too weak for the task.",
            "the same model succeeds with a budget of 8, and a careful one fails with 3, too",
        ),
        ("A line in the prompt: hurry up.", "each line takes a turn at least, however the model is spoken to"),
    ),
)
quiz(
    "07.q2",
    "What does one step of max_steps count?",
    "One executor turn: a model reply with its tool calls, or one direct call of the plan.",
    (
        ("One line of the plan.", "the first line alone took three turns here"),
        ("One request to the model.", "planning, replanning and the report ask the model too and are no steps"),
    ),
)
quiz(
    "07.q3",
    "Why is a budget of 1,000 steps not simply the safe choice?",
    "A run that goes on for nothing would spend far more of it before anybody hears of it.",
    (
        ("Every run would become more expensive.", "a run that is done ends by itself and does not use the rest"),
        ("The model would plan 1,000 steps.", "the length of a plan has a limit of its own"),
    ),
)
