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
# a line before the one it waits for; numbers out of order; a line that waits for two, the longer way first and last
BACKWARDS: Mapping[int, Sequence[int]] = {3: (2,), 2: (1,), 1: ()}
MORE: tuple[Mapping[int, Sequence[int]], ...] = (
    BACKWARDS,
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
        max(map(len, needs), default=0) + 1: "A chain goes back through one of those waited for; it has a chain, too.",
    }
    if plan is BACKWARDS and got in (1, 2):
        return "Here each line stands before the one it waits for: ask for that one's chain, do not rely on the order."
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
    "A run ends with no_data, done, done, stopped, open; its stop is max_steps, limit 5. What now?",
    "A larger budget: the last two lines were cut before they were through.",
    (
        (
            "A better model: it did not find what the last two lines ask for.",
            "`stopped` and `open` say that the run was cut there, not that it looked in vain",
        ),
        (
            "Nothing: it ended in good order, as `done` and `no_data` show.",
            "every line that has to find something must be done, and two were not even finished",
        ),
    ),
    why="the stop names the budget: its turns were used up when line 4 wanted another, and line 5 never began",
)
quiz(
    "07.q2",
    "Four direct calls; the first finds nothing, nor do two other wordings, and its line ends there. How many steps?",
    "Six: three for the first line, and one for each of the others.",
    (
        ("Four: one for each line of the plan, whatever happens in it.", "each wording in the first line is a turn"),
        ("Nine or more: plan and report are requests to the model, too.", "requests that are no turn are no steps"),
    ),
    why="a step is one turn: the direct call of each line, and in line 1 two replies of the model, each with one more "
    "search",
)
quiz(
    "07.q3",
    "Why is a budget of 1,000 steps not simply the safe choice?",
    "A run that never ends by itself would spend all of it.",
    (
        ("Every run would become more expensive than before.", "a run that is done ends by itself and leaves the rest"),
        ("The model would write plans of up to 1,000 lines.", "the length of a plan has a limit of its own"),
    ),
    why="the doubting run took all of 8, of 30 and of 100 turns for the same answer; nothing but the budget ended it",
)
