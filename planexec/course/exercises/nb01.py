"""Exercises and quiz of 01_one_step_or_a_chain."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from planexec.course.checks import Tried, exercise, expect
from planexec.course.quiz import quiz

Needs = Mapping[int, Sequence[int]]

# plans as id -> ids it waits for; by seed, so that a copied number does not pass
PLANS: tuple[Needs, ...] = (
    {1: (), 2: (1,), 3: (), 4: (2, 3)},
    {5: (), 6: (), 7: ()},
    {1: (), 2: (1,), 3: (), 4: (3,)},
    {9: ()},
    {3: (), 1: (3,), 2: (1,)},
    {1: (), 2: (), 3: (2,)},
)


def ready(needs: Needs) -> list[int]:
    """ready({1: (), 2: (1,)}) -> [1]: the steps that wait for nothing, in their order."""
    return [step for step, waits in needs.items() if not waits]


def fitting(needs: Needs) -> str:
    """fitting({1: (), 2: (1,)}) -> "chain"; "direct" when nothing waits, "parallel" when it falls into groups."""
    if not any(needs.values()):
        return "direct"
    groups: list[set[int]] = []
    for step, waits in needs.items():
        linked = [group for group in groups if group & {step, *waits}]
        groups = [group for group in groups if group not in linked] + [set().union({step, *waits}, *linked)]
    return "parallel" if len(groups) > 1 else "chain"


def _plans(seed: int) -> Sequence[Needs]:
    turn = seed % len(PLANS)
    return PLANS[turn:] + PLANS[:turn]


def _given(needs: Needs) -> dict[int, list[int]]:
    return {step: list(waits) for step, waits in needs.items()}


@exercise(
    "01.1",
    "first_reply",
    lambda seed: f"first_reply({_given(_plans(seed)[0])}) -> the list of the steps that one first reply can hold",
    (
        "A call can be written when its arguments are known. When are they?",
        "A step that waits for nothing is ready; keep the order of the plan.",
        "[step for step, waits in needs.items() if not waits]",
    ),
)
def _first_reply(answer: Callable[[Any], Any], seed: int) -> list[Tried]:
    tries = [expect(f"first_reply({_given(plan)})", answer(_given(plan)), ready(plan)) for plan in _plans(seed)]
    return [*tries, expect("first_reply({})", answer({}), [])]


@exercise(
    "01.2",
    "choose",
    lambda seed: (
        f'choose({_given(_plans(seed)[0])}) -> "direct" when no step waits for another; "parallel" when the steps '
        'fall into groups that have nothing to do with each other; else "chain"'
    ),
    (
        "First the easy case: when no step waits for anything, one reply will do, however many steps there are.",
        "Start with no group. Each step joins all groups that hold it or a step it waits for, and makes them one.",
        'At the end: more than one group is "parallel", one group is "chain".',
    ),
)
def _choose(answer: Callable[[Any], Any], seed: int) -> list[Tried]:
    late_link: Needs = {1: (), 2: (), 3: (1,), 4: (2,), 5: (3, 4)}
    plans = [*_plans(seed), late_link]
    return [expect(f"choose({_given(plan)})", answer(_given(plan)), fitting(plan)) for plan in plans]


quiz(
    "01.q1",
    "Why can one reply not do the split of the inflow?",
    "Its second call needs the result of its first, and both are written before either is carried out.",
    (
        ("The model is too weak to ask for two tools at once.", "it asked for three quotes in one reply"),
        ("The calculator cannot multiply by a share.", "in the next turn it did just that"),
    ),
)
quiz(
    "01.q2",
    'A second call came back "found", with a figure the model had filled in itself. What do you know?',
    "That it was calculated correctly from an argument that nothing stands behind.",
    (
        ("That the figure is right, because a tool found it.", "the tool only worked out what it was given"),
        ("That the first call failed.", "the first call may be fine; the second did not wait for it"),
    ),
)
quiz(
    "01.q3",
    "Twelve quotes are wanted. What do you choose?",
    "One reply with twelve calls, if the service allows that many.",
    (
        ("A plan of twelve steps.", "a plan asks the model several times and gains nothing when no step waits"),
        ("ReAct, one quote a turn.", "every turn is a request, and no turn uses what an earlier one brought"),
    ),
)
