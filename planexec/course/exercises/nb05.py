"""Exercises and quiz of 05_replanner."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from planexec.course.checks import Tried, exercise, expect
from planexec.course.quiz import quiz

Goals = Mapping[int, str]

# plans before and after, as id -> goal
CHANGES: tuple[tuple[Goals, Goals], ...] = (
    ({2: "measure", 3: "halve", 4: "write"}, {2: "measure", 4: "write", 5: "draw"}),
    ({2: "measure", 3: "halve"}, {3: "halve", 2: "measure"}),
    ({2: "measure", 3: "halve"}, {}),
    ({}, {1: "find the map"}),
    ({2: "above 1.5 %", 3: "write"}, {2: "above 15 %", 3: "write"}),
)


def told_apart(old: Goals, new: Goals) -> dict[str, list[int]]:
    """told_apart({1: "a", 2: "b"}, {2: "c", 3: "d"}) -> kept [], reworded [2], removed [1], added [3]"""
    both = [step for step in new if step in old]
    return {
        "kept": [step for step in both if new[step] == old[step]],
        "reworded": [step for step in both if new[step] != old[step]],
        "removed": [step for step in old if step not in new],
        "added": [step for step in new if step not in old],
    }


def _turned(listed: Sequence[Any], seed: int) -> Sequence[Any]:
    turn = seed % len(listed)
    return [*listed[turn:], *listed[:turn]]


@exercise(
    "05.1",
    "difference",
    lambda seed: (
        f"difference({dict(CHANGES[seed % 2][0])}, {dict(CHANGES[seed % 2][1])}) -> a dict with the lists of ids "
        '"kept", "reworded", "removed" and "added"; removed ids in the order of the old plan, the others in that of '
        "the new one"
    ),
    (
        "An id that is in both plans is kept when its goal is the same, else reworded.",
        "An id that is only in the old plan is removed, one that is only in the new plan is added.",
        'Four lists: "removed" from [step for step in old if step not in new], and so on.',
    ),
)
def _difference(answer: Callable[[Any, Any], Any], seed: int) -> list[Tried]:
    return [
        expect(f"difference({dict(old)}, {dict(new)})", answer(dict(old), dict(new)), told_apart(old, new))
        for old, new in _turned(CHANGES, seed)
    ]


def rest_of(status: str, said: Sequence[str], rest: Sequence[str]) -> list[str]:
    """rest_of("empty", [], ["write"]) -> []; rest_of("unreadable", [], ["write"]) -> ["write"]"""
    return list(rest) if status == "unreadable" else list(said)


@exercise(
    "05.2",
    "new_rest",
    lambda seed: (
        "new_rest(status, said, rest) -> the list of the steps that are left. `status` is what the reader made of "
        'the answer: "parsed" (then `said` holds the steps), "empty" or "unreadable"; `rest` is the plan so far'
    ),
    (
        "Only one of the three leaves the plan as it was.",
        '"empty" means that nothing is left to do: the rest is [].',
        '`said or rest` would bring the old plan back when nothing is left; ask for status == "unreadable".',
    ),
)
def _new_rest(answer: Callable[[str, list[str], list[str]], Any], seed: int) -> list[Tried]:
    cases: list[tuple[str, list[str], list[str]]] = [
        ("parsed", ["write"], ["measure", "write"]),
        ("empty", [], ["measure", "write"]),
        ("unreadable", [], ["measure", "write"]),
        ("unreadable", ["half a st"], ["write"]),
        ("parsed", ["draw", "write"], ["write"]),
        ("unreadable", [], []),
    ]
    return [
        expect(
            f"new_rest({status!r}, {said}, {rest})",
            answer(status, list(said), list(rest)),
            rest_of(status, said, rest),
        )
        for status, said, rest in _turned(cases, seed)
    ]


TEXTS = (
    "Find makers above 1.5 % of 2,000 cars.",
    "Find makers above 15 % of 2,000 cars.",
    "Cool to -5 degrees, then wait 10 minutes.",
    "Write the report.",
    "Compare 2025, 2026.",
    "Charge at 800 V in 11.5 minutes; note the price: 1,234.50",
)
_FIGURE = re.compile(r"(?<![\w.,])-?\d+(?:[.,]\d+)*")


def figures_in(goal: str) -> list[str]:
    """figures_in("above 1.5 % of 2,000 cars.") -> ["1.5", "2,000"]: points and commas between digits belong to it."""
    return _FIGURE.findall(goal)


@exercise(
    "05.3",
    "figures",
    lambda seed: (
        f"figures({TEXTS[seed % 3]!r}) -> the list of the figures as they stand there, as texts: a minus before a "
        "figure, and points and commas between digits, belong to it; a full stop after it does not"
    ),
    (
        "A figure begins with a digit, or with a minus right before a digit.",
        "It goes on over digits, and over a point or comma that is followed by a digit.",
        r're.findall(r"-?\d+(?:[.,]\d+)*", goal)',
    ),
)
def _figures(answer: Callable[[str], Any], seed: int) -> list[Tried]:
    return [expect(f"figures({text!r})", answer(text), figures_in(text)) for text in _turned(TEXTS, seed)]


quiz(
    "05.q1",
    "The replanner's answer lists only steps that are finished. What happens?",
    "The plan stays as it was: finished steps cannot come back, and nothing else was said.",
    (
        ("The run ends, because nothing new is left.", 'that has a form of its own, "[]"; a mistake must end no run'),
        ("The finished steps are carried out again.", "that is how the loop of this notebook went round for ever"),
    ),
)
quiz(
    "05.q2",
    'Why is "1.5 %" kept apart from "15 %" when goals are compared?',
    "Taking out the point changes what the goal says, and the wrong step would count as done.",
    (
        ("Because plans must not hold figures.", "many goals hold one; it has to be the right one"),
        ("Because punctuation always makes a new plan.", "a comma between words says nothing and is ignored"),
    ),
)
quiz(
    "05.q3",
    "max_replans = 0. What becomes of a run whose plan is right?",
    "It runs as planned and needs fewer requests.",
    (
        ("It stops before its second step.", "the rest is carried out unasked; 0 allows no replan, not no step"),
        ("It cannot fail any more.", "a step can fail all the same; then nothing can mend the rest"),
    ),
)
