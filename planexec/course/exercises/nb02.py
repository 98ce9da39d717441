"""Exercises and quiz of 02_react_drifts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from planexec.course.checks import Tried, exercise, expect
from planexec.course.quiz import quiz

# what the searches of some runs were about, in order; "" is a search that was about none of the sides
RUNS: tuple[tuple[str, ...], ...] = (
    ("chemistry", "chemistry", "chemistry", "chemistry", "charging"),
    ("energy", "chemistry", "makers", "charging", "safety"),
    ("", "safety", "safety", "", "makers"),
    (),
    ("chemistry",),
    ("safety", "energy", "safety", "charging", "safety"),
)


def _runs(seed: int) -> Sequence[tuple[str, ...]]:
    turn = seed % len(RUNS)
    return RUNS[turn:] + RUNS[:turn]


@exercise(
    "02.1",
    "coverage",
    lambda seed: f'coverage({list(_runs(seed)[0])}) -> how many different sides were searched? "" is no side.',
    (
        "A side that was searched three times counts once.",
        "A set holds each thing once.",
        'len(set(sides) - {""})',
    ),
)
def _coverage(answer: Callable[[list[str]], Any], seed: int) -> list[Tried]:
    tries = []
    for run in _runs(seed):
        got, right = answer(list(run)), len(set(run) - {""})
        tries.append(expect(f"coverage({list(run)})", got, right, _other_count(got, run)))
    return tries


def _other_count(got: Any, run: Sequence[str]) -> str:
    """What came back instead of the number of different sides."""
    if isinstance(got, (set, frozenset, list, tuple, dict)):
        return "Those are the sides themselves: return how many they are."
    return 'Leave out "": it is no side.' if got == len(set(run)) and "" in run else ""


def longest_streak(rounds: Sequence[str]) -> int:
    """longest_streak(["a", "b", "b"]) -> 2; "" breaks a streak."""
    best = streak = 0
    before = ""
    for side in rounds:
        streak = streak + 1 if side and side == before else int(bool(side))
        best, before = max(best, streak), side
    return best


# streaks that end in the middle, at "" or at the end of the list
STAYS: tuple[tuple[str, ...], ...] = (("safety", "", "safety"), ("", "", "energy"), ("makers", "makers", "energy"))


@exercise(
    "02.2",
    "streak",
    lambda seed: (
        f"streak({list(_runs(seed)[0])}) -> how many searches in a row, at most, were about one side? "
        '"" is no side and ends a streak; [] gives 0.'
    ),
    (
        "Go through the list and remember the side before.",
        'The same side again: one more. Another side: start again at 1. "": start again at 0.',
        "Keep the largest number you have seen.",
    ),
)
def _streak(answer: Callable[[list[str]], Any], seed: int) -> list[Tried]:
    return [_one_streak(answer, run) for run in (*_runs(seed), *STAYS)]


def _one_streak(answer: Callable[[list[str]], Any], run: Sequence[str]) -> Tried:
    what, right = f"streak({list(run)})", longest_streak(run)
    try:
        got = answer(list(run))
    except (ValueError, IndexError) as problem:
        if run:
            raise
        words = f"{what}: {type(problem).__name__}: {problem}"
        return Tried(what, words, right, False, "The list may be empty; there is no streak in it: 0.", words)
    return expect(what, got, right, _other_stay(got, run))


def _other_stay(got: Any, run: Sequence[str]) -> str:
    """What was counted instead of the longest streak."""
    sides = [side for side in run if side]
    if got == longest_streak(sides):
        return '"" stands between these searches, so they are not in a row.'
    if got == longest_streak([side or "none" for side in run]):
        return '"" is no side: it is no streak of its own.'
    if got == max(map(sides.count, sides), default=0):
        return "That counts all searches about one side; they have to stand one after another."
    return ""


quiz(
    "02.q1",
    "Why does ReAct stay with one topic here?",
    "Nothing in the loop says what is still missing, and this model follows the striking word it has just read.",
    (
        ("Its tools only know that topic.", "the same tools return all five sides when they are asked"),
        (
            "It runs out of rounds, or else it would have gone on to the other sides.",
            "it ended by itself, with rounds to spare",
        ),
    ),
    why="each result showed the word again; with the dial `drift` at 0 the same loop covered all five sides with the "
    "same tools",
)
quiz(
    "02.q2",
    "When is ReAct the right choice all the same?",
    "When nobody knows the number of steps beforehand and each depends on the last result.",
    (
        (
            "When the task has several sides and every one of them must be covered in the end.",
            "that is where a plan pays",
        ),
        (
            "When steps change the world and a person is to review them beforehand.",
            "a plan can be reviewed before it is carried out",
        ),
    ),
    why='ReAct decided on the mail right after it had read the order; the plan had to write an "if", and made more '
    "requests",
)
quiz(
    "02.q3",
    "What does the run with drift=0 show?",
    "That the same loop covers all sides when the model goes on to what is missing.",
    (
        (
            "That real models, too, cover all the sides without a plan.",
            "it says nothing about real models: the dial is ours",
        ),
        ("That other tools were used, which brought pages on all the sides.", "the tools are the same in both runs"),
    ),
    why="only the dial was changed, so the drifting took both: a model with this fault, and a loop that does not hold "
    "it",
)
