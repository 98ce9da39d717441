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


def turns(needs: Needs) -> int:
    """turns({1: (), 2: (1,)}) -> 2: in each turn every step goes out whose needs are met by then."""
    done: set[int] = set()
    count = 0
    while len(done) < len(needs):
        done |= {step for step, waits in needs.items() if done.issuperset(waits)}
        count += 1
    return count


def _plans(seed: int) -> Sequence[Needs]:
    turn = seed % len(PLANS)
    return PLANS[turn:] + PLANS[:turn]


def _given(needs: Needs) -> dict[int, list[int]]:
    return {step: list(waits) for step, waits in needs.items()}


def _tried_with(answer: Callable[[Any], Any], plan: Needs) -> Any:
    """What comes back; what was raised counts as that, so that the message names the plan it was raised for."""
    try:
        return answer(_given(plan))
    except Exception as problem:  # a learner's code may raise anything
        return problem


@exercise(
    "01.1",
    "first_reply",
    lambda seed: (
        f"first_reply({_given(_plans(seed)[0])}) -> the list of the steps that one first reply can hold, "
        "in the order of the plan"
    ),
    (
        "A call can be written when its arguments are known. When are they?",
        "A step that waits for nothing is ready; keep the order of the plan.",
        "[step for step, waits in needs.items() if not waits]",
    ),
)
def _first_reply(answer: Callable[[Any], Any], seed: int) -> list[Tried]:
    tries = []
    for plan in (*_plans(seed), {}):
        got = _tried_with(answer, plan)
        tries.append(expect(f"first_reply({_given(plan)})", got, ready(plan), _other_steps(got, plan)))
    return tries


def _other_steps(got: Any, plan: Needs) -> str:
    """What is amiss with the steps that came back."""
    if isinstance(got, Exception):
        return ""
    if not isinstance(got, list):
        return "A list of steps is wanted: [...] instead."
    if got == [step for step, waits in plan.items() if waits]:
        return "These are the steps that wait; the others are wanted."
    if isinstance(got, list) and sorted(map(repr, got)) == sorted(map(repr, ready(plan))):
        return "The right steps; keep them in the order of the plan."
    return ""


@exercise(
    "01.2",
    "turns_needed",
    lambda seed: (
        f"turns_needed({_given(_plans(seed)[0])}) -> how many turns until every step is done? Each turn sends every "
        "step for which all that it waits for was done in earlier turns; {} takes none."
    ),
    (
        "Keep a set of the steps that are done. A step is ready when all that it waits for is in it.",
        "As long as not every step is done: find all that are ready now, add them to the set, count one turn.",
        "done |= {step for step, waits in needs.items() if set(waits) <= done}",
    ),
)
def _turns_needed(answer: Callable[[Any], Any], seed: int) -> list[Tried]:
    late_link: Needs = {1: (), 2: (), 3: (1,), 4: (2,), 5: (3, 4)}
    shuffled: Needs = {4: (3,), 3: (2,), 2: (1,), 1: ()}
    tries = []
    for plan in (*_plans(seed), late_link, shuffled, {}):
        got = _tried_with(answer, plan)
        tries.append(expect(f"turns_needed({_given(plan)})", got, turns(plan), _miscounted(got, plan)))
    return tries


SHARED = "Was that one turn a step? Steps that are ready at the same time share one."


def _miscounted(got: Any, plan: Needs) -> str:
    """What was counted instead of the turns."""
    if isinstance(got, Exception):
        return ""
    if type(got) is not int:
        return "A whole number is wanted."
    if got == len(plan) == turns(plan) + 1:
        return f"{SHARED} Or did you count the reply with the answer? Only turns with calls count here."
    if got == len(plan):
        return SHARED
    if got == sum(map(bool, plan.values())) + 1:
        return "Steps that wait may share a turn, too, when what they wait for is there."
    if got == turns(plan) + 1:
        return "Only turns with calls count here, not the reply with the answer."
    return ""


quiz(
    "01.q1",
    "Why can the calls of one reply not work out how much of the 200 bn goes to banks?",
    "The second call needs the first one's result, and both are written at the same moment.",
    (
        (
            "The model is too weak to ask for two tools in one and the same reply.",
            "it asked for three quotes in one reply",
        ),
        (
            "The calculator cannot work with shares, whichever model asks it to.",
            "in the next turn it multiplied by the share that was found",
        ),
    ),
    why="the share of banks stands nowhere in front of the model yet, so it could only write a word or a guess in its "
    "place",
)
quiz(
    "01.q2",
    'A second call came back "found", with a figure the model had filled in itself. What do you know?',
    "That it was calculated correctly from an argument that nothing stands behind.",
    (
        (
            "That the figure is right, because a tool has found and confirmed it.",
            "the tool only worked out what it was given",
        ),
        (
            "That the first call failed, or else there had been no need to guess.",
            "the first call may be fine; the second did not wait for it",
        ),
    ),
    why="`found` tells what the tool did with its argument; where the argument came from the tool cannot know",
)
quiz(
    "01.q3",
    "Steps 1 and 2 wait for nothing, 3 waits for both, 4 waits for 3. How many requests does ReAct need at least?",
    "Four: three turns with calls, and one reply with the answer.",
    (
        (
            "Two: one reply with the four calls, and one with the answer.",
            "steps 3 and 4 cannot be written before what they wait for is there",
        ),
        (
            "Five: four turns with one call each, and one reply with the answer.",
            "steps 1 and 2 wait for nothing and share a turn",
        ),
    ),
    why="the longest line of calls that wait for each other sets the turns, here 1, 3, 4; the last request brings "
    "words and no calls",
)
