"""Exercises and quiz of 15_choosing_a_budget: from a distribution to a number, and what a number costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from planexec.course.checks import Tried, exercise, expect
from planexec.course.quiz import quiz

# turns needed -> runs; 0 counts the runs that are never right, whatever they get
NEEDED: tuple[Mapping[int, int], ...] = (
    {1: 60, 2: 30, 4: 8, 9: 2},
    {0: 25, 3: 19, 5: 1},
    {0: 40, 2: 10, 6: 10},
    {10: 100},
    {2: 50, 3: 45, 11: 5},
    {0: 7},
)
SHARES = (0.95, 0.5, 1.0)


def least_budget(needed: Mapping[int, int], share: float) -> int:
    """least_budget({1: 90, 4: 10}, 0.95) -> 4; 0 when no run is ever right."""
    good = sum(runs for turns, runs in needed.items() if turns)
    for budget in sorted(turns for turns in needed if turns):
        if sum(runs for turns, runs in needed.items() if 0 < turns <= budget) >= share * good:
            return budget
    return 0


@exercise(
    "15.1",
    "least",
    lambda seed: (
        f"least({dict(NEEDED[seed % len(NEEDED)])}, 0.95) -> the least budget that makes at least this share of the\n"
        "good runs right. `needed` maps turns to the number of runs that need so many; under 0 stand the runs that\n"
        "are never right: they are no good runs. No good run at all: 0."
    ),
    (
        "How many good runs are there? The sum of all numbers but the one under 0.",
        "Go through the turns in order and add up their runs, until the sum is at least share * good.",
        "Turns that do not occur need not be tried: the least budget is one of the keys.",
    ),
)
def _least(answer: Callable[[dict[int, int], float], Any], seed: int) -> list[Tried]:
    turn = seed % len(NEEDED)
    cases = [(dict(needed), share) for needed in NEEDED[turn:] + NEEDED[:turn] for share in SHARES]
    return [
        expect(f"least({needed}, {share})", answer(dict(needed), share), least_budget(needed, share))
        for needed, share in cases
    ]


# (turns needed to be right, turns used when nothing stops it), one pair a run
RUNS: tuple[tuple[tuple[int, int], ...], ...] = (
    ((2, 2), (2, 5), (4, 4), (9, 12)),
    ((1, 30), (1, 6), (2, 3)),
    ((10, 10), (10, 10), (11, 14)),
    (),
)


def cut_and_wasted(runs: Sequence[tuple[int, int]], budget: int) -> tuple[int, int]:
    """cut_and_wasted([(2, 5), (9, 9)], 4) -> (1, 2): one run is cut short, the other goes on for two turns."""
    cut = sum(needed > budget for needed, _ in runs)
    return cut, sum(min(used, budget) - needed for needed, used in runs if needed <= budget)


@exercise(
    "15.2",
    "price",
    lambda seed: (
        f"price({list(RUNS[seed % 3])}, budget) -> (runs cut short, turns wasted). A run is a pair (needed, used):\n"
        "it is right from `needed` turns on and ends by itself after `used`. A run that needs more than the budget is\n"
        "cut short and wastes nothing that could be saved; any other wastes what it goes on for, as far as it may."
    ),
    (
        "Cut short: needed > budget.",
        "A run of 5 turns takes only 4 of them under a budget of 4: min(used, budget).",
        "wasted = sum(min(used, budget) - needed for the runs that are not cut)",
    ),
)
def _price(answer: Callable[[list[tuple[int, int]], int], Any], seed: int) -> list[Tried]:
    turn = seed % len(RUNS)
    tried = []
    for runs in RUNS[turn:] + RUNS[:turn]:
        for budget in (1, 2, 4, 8, 12):
            got = answer(list(runs), budget)
            got = tuple(got) if isinstance(got, list) else got
            tried.append(expect(f"price({list(runs)}, {budget})", got, cut_and_wasted(runs, budget)))
    return tried


# name -> (cost, success)
POINTS: tuple[Mapping[str, tuple[float, float]], ...] = (
    {"4": (35, 57), "8": (54, 71), "12": (64, 100), "none": (72, 100)},
    {"a": (1, 10), "b": (2, 10), "c": (2, 20), "d": (3, 15)},
    {"one": (5, 50)},
    {"x": (3, 90), "y": (2, 90), "z": (1, 90)},
    {},
)


@exercise(
    "15.3",
    "frontier",
    lambda seed: (
        f"frontier({dict(POINTS[seed % 2])}) -> the names, in order, of the points that no other beats. A point is\n"
        "(cost, success). One beats another when it costs no more and succeeds no less, and is better in one of them."
    ),
    (
        "Compare each point with every other one.",
        "b beats a when b_cost <= a_cost and b_good >= a_good and (b_cost, b_good) != (a_cost, a_good).",
        "Keep the names for which no other point does so: not any(...).",
    ),
)
def _frontier(answer: Callable[[dict[str, tuple[float, float]]], Any], seed: int) -> list[Tried]:
    from planexec.show.budgets import undominated

    turn = seed % len(POINTS)
    return [
        expect(f"frontier({dict(points)})", answer(dict(points)), undominated(points))
        for points in POINTS[turn:] + POINTS[:turn]
    ]


quiz(
    "15.q1",
    "Most runs of a kind end after 3 turns, some after 30. Which number sets the budget?",
    "How many turns the good ones need to be right.",
    (
        (
            "The largest number of turns that was seen.",
            "the long runs had their answer, or there was none, and went on",
        ),
        ("The mean number of turns.", "half of what a chain needs is as good as nothing"),
    ),
)
quiz(
    "15.q2",
    "What does a dynamic budget need that a fixed one does not?",
    "The distribution of turns for each kind of question, and a way to tell the kind.",
    (
        ("A better model.", "the same model was used; only the number differs from kind to kind"),
        ("A person who watches.", "a person confirms long runs; the number comes from a table"),
    ),
)
quiz(
    "15.q3",
    "Why was the learned budget tried on other seeds than those it was learned from?",
    "On the seeds it has seen it would look good in any case.",
    (
        ("To have more runs.", "that would also be had by taking all of them for both"),
        ("Because the first seeds are easier.", "seeds differ by chance only"),
    ),
)
