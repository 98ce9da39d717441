"""Exercises and quiz of 15_choosing_a_budget: from a distribution to a number, and what a number costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from planexec.course.checks import Tried, exercise, expect
from planexec.course.quiz import quiz

# turns needed -> runs, in no order; 0 counts the runs that are never right, whatever they get
NEEDED: tuple[Mapping[int, int], ...] = (
    {1: 60, 2: 30, 4: 8, 9: 2},
    {0: 25, 3: 19, 5: 1},
    {6: 10, 2: 10, 0: 40},
    {10: 100},
    {11: 5, 3: 45, 2: 50},
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


def _ask_least(seed: int) -> str:
    needed = dict(NEEDED[seed % len(NEEDED)])
    return (
        f"least({needed}, 0.95) -> {least_budget(needed, 0.95)}: the least budget that makes at least this share of\n"
        "the good runs right. `needed` says how many runs need how many turns; its keys stand in no order. Under 0\n"
        "stand the runs that are never right: they are no good runs. No good run at all: 0."
    )


@exercise(
    "15.1",
    "least",
    _ask_least,
    (
        "How many good runs are there? The sum of all numbers but the one under 0.",
        "Go through the turns from the smallest up, and add up their runs.",
        "The first number of turns at which the sum is at least share * good is the budget.",
    ),
)
def _least(answer: Callable[[dict[int, int], float], Any], seed: int) -> list[Tried]:
    turn = seed % len(NEEDED)
    cases = [(dict(needed), share) for needed in NEEDED[turn:] + NEEDED[:turn] for share in SHARES]
    came = [answer(dict(needed), share) for needed, share in cases]
    if any(got is not None for got in came):  # one that answers elsewhere has not forgotten its return
        came = ["nothing" if got is None else got for got in came]
    tried = []
    for (needed, share), got in zip(cases, came, strict=True):
        right = least_budget(needed, share)
        tried.append(expect(f"least({needed}, {share})", got, right, _off(needed, share, got, right)))
    return tried


def _off(needed: Mapping[int, int], share: float, got: Any, right: int) -> str:
    """The hint for a budget that is not the least one."""
    if not right:
        return "No run here is ever right: the budget is 0."
    if got == "nothing":
        return "Nothing came back here. At least this share is asked: a sum that just reaches it is enough (>=)."
    if not isinstance(got, int):
        return "Return one number of turns."
    if got not in needed:
        return "The least budget is one of the keys: with fewer turns the runs under that key are not yet right."
    if got == 0 or (0 in needed and got < right):
        return "The runs under 0 are never right: they belong neither to the good runs nor to the sum."
    reached = sum(runs for turns, runs in needed.items() if 0 < turns <= got)
    good = sum(runs for turns, runs in needed.items() if turns)
    if reached < share * good:
        return f"With {got} turns {reached} of {good} good runs are right: fewer than the share."
    return f"{got} turns are enough, but {right} are, too: at least the share is asked, from the smallest turns up."


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
        f"price({list(RUNS[seed % 3])}, 4) -> {cut_and_wasted(RUNS[seed % 3], 4)}: how many runs a budget of 4 cuts\n"
        "short, and how many turns are wasted. A run is a pair (needed, used): it is right from `needed` turns on,\n"
        "and with room it ends by itself after `used`. A run that needs more than the budget is cut short. Every\n"
        "other one wastes the turns that it takes beyond `needed`; the budget ends it when it has not ended itself."
    ),
    (
        "Which runs are cut short does not depend on what they would use.",
        "How many turns does a run really take under the budget? The smaller of two numbers.",
        "Only runs that are not cut short waste turns: leave the others out of the second sum.",
    ),
)
def _price(answer: Callable[[list[tuple[int, int]], int], Any], seed: int) -> list[Tried]:
    turn = seed % len(RUNS)
    tried = []
    for runs in RUNS[turn:] + RUNS[:turn]:
        for budget in (1, 2, 4, 8, 12):
            got, right = answer(list(runs), budget), cut_and_wasted(runs, budget)
            got = tuple(got) if isinstance(got, list) else got
            tried.append(expect(f"price({list(runs)}, {budget})", got, right, _mispriced(got, right)))
    return tried


def _mispriced(got: Any, right: tuple[int, int]) -> str:
    """The hint for a wrong pair of prices."""
    if not (isinstance(got, tuple) and len(got) == 2 and all(isinstance(each, int) for each in got)):
        return "Return two numbers: cut, wasted."
    if got[0] != right[0]:
        return "The first number: a run is cut short when `needed` is larger than the budget, and only then."
    if got[1] > right[1]:
        return "Too many wasted turns: no run takes more turns than the budget, and one that is cut wastes none."
    return "Too few wasted turns: each run that is not cut wastes what it takes beyond `needed`; none saves any."


# name -> (cost, success)
POINTS: tuple[Mapping[str, tuple[float, float]], ...] = (
    {"4": (35, 57), "8": (54, 71), "12": (64, 100), "none": (72, 100)},
    {"a": (1, 10), "b": (2, 10), "c": (2, 20), "d": (3, 15)},
    {"one": (5, 50)},
    {"x": (3, 90), "y": (2, 90), "z": (1, 90)},
    {"p": (1, 5), "q": (1, 5), "r": (2, 5)},
    {"large": (9, 95), "small": (2, 40), "middle": (5, 70), "waste": (6, 70)},
    {},
)


@exercise(
    "15.3",
    "frontier",
    lambda seed: (
        f"frontier({dict(POINTS[seed % 2])}) -> {_unbeaten(POINTS[seed % 2])}:\n"
        "a list of the names of the points that no other beats, in the order in which they were given. A point is\n"
        "(cost, success). One beats another when it costs no more and succeeds no less, and is better in one of them."
    ),
    (
        "Compare each point with every other one.",
        "b beats a when b_cost <= a_cost and b_good >= a_good and (b_cost, b_good) != (a_cost, a_good).",
        "Keep the names for which no other point does so: not any(...).",
    ),
)
def _frontier(answer: Callable[[dict[str, tuple[float, float]]], Any], seed: int) -> list[Tried]:
    turn = seed % len(POINTS)
    tried = []
    for points in POINTS[turn:] + POINTS[:turn]:
        got, right = answer(dict(points)), _unbeaten(points)
        tried.append(expect(f"frontier({dict(points)})", got, right, _misplaced(got, right)))
    return tried


def _unbeaten(points: Mapping[str, tuple[float, float]]) -> list[str]:
    from planexec.show.budgets import undominated

    return undominated(points)


def _misplaced(got: Any, right: list[str]) -> str:
    """The hint for names that are not those of the frontier."""
    if not isinstance(got, (list, tuple, set, dict)):
        return "Return a list of names."
    names = {each for each in got if isinstance(each, str)}
    if names == set(right):
        return "The right names. Give them as a list, in the order in which they were given."
    if names > set(right):
        return f"{sorted(names - set(right))} are beaten, too: no better in one of the two, and worse in the other."
    missing = f"{sorted(set(right) - names)} are missing"
    return f"{missing}: no other beats them. Of two equal points neither beats the other."


quiz(
    "15.q1",
    "Most runs of a kind end after 3 turns, some after 30. Which number sets the budget?",
    "How many turns the good ones need to be right.",
    (
        (
            "The largest number of turns that was seen.",
            "the long runs had their answer, or there was none, and went on",
        ),
        (
            "The mean of all the turns that were used.",
            "it is made of what the long runs wasted, and says nothing about what the good ones need",
        ),
    ),
    why="turns beyond that waste calls, and fewer cut good runs short: these are the two prices of a number",
)
quiz(
    "15.q2",
    "What does a dynamic budget need that a fixed one does not?",
    "Runs of each kind beforehand, and a way to tell the kind.",
    (
        ("A better model for the kinds that need many turns.", "the same model was used; only the number differs"),
        ("A person who raises it while the run goes on.", "the number comes from a table, before the run begins"),
    ),
    why="each number is learned from runs of its kind, and a question taken for another kind gets one that does not "
    "fit",
)
quiz(
    "15.q3",
    "Budgets were learned from a hundred runs and tried on the same hundred: 97 % right. What about new questions?",
    "Not known: the numbers were chosen to fit just these runs.",
    (
        ("They will be right in 97 % of the cases.", "that is how well the numbers fit the runs they were made from"),
        ("They will be cut short less often.", "nothing makes new runs shorter; only trying new ones can tell"),
    ),
    why="any such numbers look good on the runs they come from; so the notebook learned from one hundred seeds and "
    "tried others",
)
