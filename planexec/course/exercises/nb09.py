"""Exercises and quiz of 09_the_loop_that_cost_12_30."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from planexec.course.checks import Tried, exercise, expect
from planexec.course.quiz import quiz
from planexec.limits import Limits

# (limit, what one call takes of it): seconds or dollars; 0.3 / 0.1 is a hair below 3 in binary
FITS: tuple[tuple[float, float], ...] = (
    (1.0, 0.3),
    (0.3, 0.1),
    (300.0, 12.0),
    (2.0, 0.75),
    (0.05, 0.06),
    (1.0, 0.1),
    (0.7, 0.1),
)


@exercise(
    "09.1",
    "calls_within",
    lambda seed: (
        f"calls_within{FITS[seed % len(FITS)]} -> how many whole calls fit into a limit, when each takes so much?"
    ),
    (
        "A call that goes past the limit does not count: cut off, do not round.",
        "0.3 / 0.1 is 2.9999999999999996 for a computer, and three calls do fit.",
        "math.floor(limit / each + 1e-9)",
    ),
)
def _calls_within(answer: Callable[[float, float], Any], seed: int) -> list[Tried]:
    turn = seed % len(FITS)
    return [
        expect(f"calls_within({limit}, {each})", answer(limit, each), math.floor(limit / each + 1e-9))
        for limit, each in FITS[turn:] + FITS[:turn]
    ]


@exercise(
    "09.2",
    "may_start",
    lambda seed: (
        "may_start(used, need, held, limit) -> may a call that needs `need` begin, when `used` is gone and `held` "
        "is kept back for the last word? None is no limit."
    ),
    (
        "What is used, what this call needs and what is held back must fit together.",
        "Exactly at the limit still fits; a limit of 0 is a limit.",
        "limit is None or used + need + held <= limit",
    ),
)
def _may_start(answer: Callable[..., Any], seed: int) -> list[Tried]:
    most = 10 + seed
    cases = [
        (0, 2, 3, most, True),
        (most - 5, 2, 3, most, True),
        (most - 4, 2, 3, most, False),
        (most - 2, 2, 0, most, True),
        (most, 1, 0, most, False),
        (0, 1, 0, 0, False),
        (10_000, 2, 3, None, True),
    ]
    return [
        expect(f"may_start({used}, {need}, {held}, {limit})", answer(used, need, held, limit), right)
        for used, need, held, limit, right in cases
    ]


CAPS = (0.50, 0.60, 0.55)  # dollars


@exercise(
    "09.3",
    "brakes",
    lambda seed: (
        f"brakes(dollars) -> Limits under which the incident costs no more (say {CAPS[seed % len(CAPS)]:.2f} dollars), "
        "while the allocation question of notebook 07 is still answered in full."
    ),
    (
        "One limit is enough, and it has the unit of the task.",
        "A limit on steps would do for one price; for any price there is a limit that counts dollars.",
        "Limits(max_usd=dollars)",
    ),
)
def _brakes(answer: Callable[[float], Any], seed: int) -> list[Tried]:
    tried = []
    for turn in range(len(CAPS)):
        dollars = CAPS[(seed + turn) % len(CAPS)]
        limits = answer(dollars)
        if not isinstance(limits, Limits):
            return [Tried(f"brakes({dollars})", limits, "Limits(...)", False)]
        tried += [_incident_costs(limits, dollars), _allocation_is_answered(limits, seed)]
    return tried


def _incident_costs(limits: Limits, dollars: float) -> Tried:
    from planexec.labs.limits import incident

    end = incident(limits)
    return Tried("the incident", end, f"at most ${dollars:.2f}", end.usd <= dollars)


def _allocation_is_answered(limits: Limits, seed: int) -> Tried:
    from planexec import worlds
    from planexec.agent import PlanExecuteAgent
    from planexec.models.simulated import SimulatedModel

    world = worlds.load("finance")
    result = PlanExecuteAgent(SimulatedModel(seed=seed), world.tools, limits, date=world.date).run(world.question)
    return Tried("the allocation question", result, "a complete run", result.complete)


quiz(
    "09.q1",
    "With all of the article's limits on, at this price and pace: what does the limit of 50 model calls do?",
    "Nothing: the dollar is used up long before.",
    (
        ("It ends the run at 50 calls.", "the run never gets there: another limit ends it before"),
        ("It makes the model plan fewer calls.", "a limit is not told to the model; it counts in code"),
    ),
)
quiz(
    "09.q2",
    "Why does the run under a limit of one dollar cost a little less than a dollar?",
    "No call begins that would go past it, and the price of the last word was kept back.",
    (
        ("The bill is rounded down.", "the bill is exact: it is the number of calls times the price of one"),
        ("The run was ended a moment too late.", "then it would cost more than the dollar, not less"),
    ),
)
quiz(
    "09.q3",
    "Which of this was put in to match the published incident?",
    "The seconds and the dollars of one model call.",
    (
        ("That the agent starts over.", "the simulated model does that by itself when a step fails (dial panic)"),
        ("Where each limit ends the run.", "that follows from the price, the pace and the code of the limits"),
    ),
)
