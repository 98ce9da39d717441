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
        'len(set(rounds) - {""})',
    ),
)
def _coverage(answer: Callable[[list[str]], Any], seed: int) -> list[Tried]:
    return [expect(f"coverage({list(run)})", answer(list(run)), len(set(run) - {""})) for run in _runs(seed)]


def longest_streak(rounds: Sequence[str]) -> int:
    """longest_streak(["a", "b", "b"]) -> 2; "" breaks a streak."""
    best = streak = 0
    before = ""
    for side in rounds:
        streak = streak + 1 if side and side == before else int(bool(side))
        best, before = max(best, streak), side
    return best


@exercise(
    "02.2",
    "streak",
    lambda seed: f"streak({list(_runs(seed)[0])}) -> how many searches in a row, at most, were about one side?",
    (
        "Go through the rounds and remember the one before.",
        'The same side again: one more. Another side: start again at 1. "": start again at 0.',
        "Keep the largest number you have seen.",
    ),
)
def _streak(answer: Callable[[list[str]], Any], seed: int) -> list[Tried]:
    return [expect(f"streak({list(run)})", answer(list(run)), longest_streak(run)) for run in _runs(seed)]


quiz(
    "02.q1",
    "Why does ReAct stay with one topic here?",
    "Each round follows from the last result alone: no plan says what is still missing.",
    (
        ("Its tools only know that topic.", "the same tools return all five sides when they are asked"),
        ("It runs out of rounds.", "with more rounds it searches the same topic more often"),
    ),
)
quiz(
    "02.q2",
    "When is ReAct the right choice all the same?",
    "When nobody knows the number of steps beforehand and each depends on the last result.",
    (
        ("When the task has several sides that must all be covered.", "that is where a plan pays"),
        ("When steps change the world and must be reviewed.", "a plan can be reviewed before it is carried out"),
    ),
)
quiz(
    "02.q3",
    "What does drift=0 show?",
    "That here the drift comes from a dial of the simulated model, and by how much it matters.",
    (
        ("That real models do not drift.", "it says nothing about real models: the dial is ours"),
        ("That the tools were changed.", "the tools are the same in both runs"),
    ),
)
