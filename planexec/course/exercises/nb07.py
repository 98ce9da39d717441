"""Exercises and quiz of 07_step_budgets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from planexec.course.checks import Tried, exercise, expect
from planexec.course.quiz import quiz

# plans as id -> ids it needs; by seed, so that a copied number does not pass
PLANS: tuple[Mapping[int, Sequence[int]], ...] = (
    {1: (), 2: (1,), 3: (2,), 4: (1,)},
    {1: (), 2: (), 3: (1, 2), 4: (3,), 5: (4,)},
    {1: (), 2: (1,), 3: (1,), 4: (1,)},
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
    lambda seed: f"longest_chain({dict(_plan(seed))}) -> how many steps does the longest chain have?",
    (
        "A step that needs nothing is a chain of one.",
        "The chain that ends in a step is one longer than the longest chain of those it needs.",
        "longest_chain = the largest of these numbers over all steps; an empty plan has 0.",
    ),
)
def _longest_chain(answer: Callable[[Any], Any], seed: int) -> list[Tried]:
    plans = [_plan(seed + turn) for turn in range(len(PLANS))] + [{}, {7: ()}, {3: (), 1: (3,), 2: (1,)}]
    return [expect(f"longest_chain({dict(plan)})", answer(dict(plan)), longest(plan)) for plan in plans]


@exercise(
    "07.2",
    "admit",
    lambda seed: "admit(used, limit) -> may one more step begin when `used` have begun and `limit` is the budget?",
    (
        "A budget of 3 admits the first, second and third step, and not the fourth.",
        "None means that there is no limit; 0 means that nothing may begin.",
        "Ask before the step begins: used < limit.",
    ),
)
def _admit(answer: Callable[[int, int | None], Any], seed: int) -> list[Tried]:
    limit = 3 + seed
    cases: list[tuple[int, int | None, bool]] = [(0, limit, True), (limit - 1, limit, True), (limit, limit, False)]
    cases += [(limit + 1, limit, False), (0, 0, False), (0, None, True), (1_000, None, True)]
    return [expect(f"admit({used}, {most})", answer(used, most), right) for used, most, right in cases]


quiz(
    "07.q1",
    "With max_steps = 3 the allocation is never reached. What would help?",
    "A larger budget: the chain is longer than three steps.",
    (
        ("A better model: this one is too weak for the task.", "the same model succeeds with a budget of 8"),
        ("A line in the prompt: hurry up.", "the steps are needed; a prompt does not make the chain shorter"),
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
    "A run that cannot succeed would use all of it before anybody hears of it.",
    (
        ("Every run would become more expensive.", "a run that is done ends by itself and does not use the rest"),
        ("The model would plan 1,000 steps.", "the length of a plan has a limit of its own"),
    ),
)
