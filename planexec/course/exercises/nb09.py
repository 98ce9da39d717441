"""Exercises and quiz of 09_the_loop_that_cost_12_30."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from planexec.course.checks import Tried, exercise, expect
from planexec.course.quiz import quiz
from planexec.limits import Limits

# (limit, what one call takes of it): seconds or dollars; 0.3 / 0.1 is a hair below 3 in binary
FITS: tuple[tuple[float, float], ...] = (
    (0.3, 0.1),
    (1.0, 0.3),
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
        f"calls_within{FITS[seed % len(FITS)]} -> {_fit(*FITS[seed % len(FITS)])}: how many whole calls fit into a "
        "limit, when each takes so much."
    ),
    (
        "Divide the limit by what one call takes, and leave out the call that would go past it.",
        "0.3 / 0.1 is 2.9999999999999996 for a computer, and three calls do fit.",
        "Add a very small number to the quotient, such as 1e-9, before you cut it off.",
    ),
)
def _calls_within(answer: Callable[[float, float], Any], seed: int) -> list[Tried]:
    turn = seed % len(FITS)
    tried = []
    for limit, each in FITS[turn:] + FITS[:turn]:
        got = answer(limit, each)
        tried.append(expect(f"calls_within({limit}, {each})", got, _fit(limit, each), _off_by(got, limit, each)))
    return tried


def _fit(limit: float, each: float) -> int:
    """_fit(0.3, 0.1) -> 3: the quotient of the two binary fractions is a hair below 3."""
    return math.floor(limit / each + 1e-9)


def _off_by(got: Any, limit: float, each: float) -> str:
    """What went wrong, when it is one call too many or a fraction of a call too few."""
    if type(got) not in (int, float):
        return ""
    if got > _fit(limit, each):
        return "That goes past the limit: a call that does not fit as a whole does not count."
    hair = f"{limit} / {each} is {limit / each!r} for a computer. What cuts off must not cut that."
    return hair if got == int(limit / each) else ""


@exercise(
    "09.2",
    "may_start",
    lambda seed: (
        "may_start(used, need, held, limit) -> True when one more call may begin. `used`: what is gone so far; `need`: "
        "what this call will take; `held`: what is kept back for the last word. A limit of None is no limit."
    ),
    (
        "What is used, what this call needs and what is held back must fit into the limit together.",
        "Ask for None first, with `is None`: it cannot be compared with a number.",
        "Three numbers are added, and their sum may be the limit or less.",
    ),
)
def _may_start(answer: Callable[..., Any], seed: int) -> list[Tried]:
    most = 10 + seed
    at = "Exactly at the limit still fits."
    after = "After this call there would be no room for the last word."
    zero = "A limit of 0 is a limit: `not limit` is true for 0 and for None."
    cases = [
        (0, 2, 3, most, True, ""),
        (most - 5, 2, 3, most, True, at),
        (most - 4, 2, 3, most, False, after),
        (most - 2, 2, 0, most, True, at),
        (most, 1, 0, most, False, ""),
        (0, 1, 0, 0, False, zero),
        (10_000, 2, 3, None, True, "None is no limit: everything may begin."),
    ]
    return [
        expect(f"may_start({used}, {need}, {held}, {limit})", answer(used, need, held, limit), right, hint)
        for used, need, held, limit, right, hint in cases
    ]


CAPS = (0.50, 0.60, 0.55)  # dollars; the honest run costs 0.47 at the price of the incident
DEARER = 2  # times the price of the incident: a number of calls that fits one price does not fit the other


@exercise(
    "09.3",
    "brakes",
    lambda seed: (
        "brakes(dollars) -> Limits under which the incident costs at most `dollars`, whatever one call costs, while "
        f"the honest run above is still answered in full. Tried with {CAPS[seed % len(CAPS)]:.2f} dollars and others."
    ),
    (
        "One limit is enough: the one that counts in the unit of the task.",
        "A limit on turns or calls holds a sum at one price of a call only.",
        "The limit on dollars is called max_usd; its value is what the function is given.",
    ),
)
def _brakes(answer: Callable[[float], Any], seed: int) -> list[Tried]:
    tried = []
    for turn in range(len(CAPS)):
        dollars = CAPS[(seed + turn) % len(CAPS)]
        limits = answer(dollars)
        if not isinstance(limits, Limits):
            return [Tried(f"brakes({dollars})", limits, "Limits(...)", False, "Return limits: OFF.with_(...).")]
        tried += [_incident_costs(limits, dollars, times) for times in (1, DEARER)]
        tried.append(_honest_run_is_answered(limits, dollars, seed))
    return tried


def _incident_costs(limits: Limits, dollars: float, times: int) -> Tried:
    from planexec.labs.limits import PACE, incident

    end = incident(limits, pace=replace(PACE, usd_per_call=times * PACE.usd_per_call))
    dearer = "" if times == 1 else f", at {times} times the price of a call"
    hint = "" if times == 1 else "It holds at one price of a call, not at another. Which limit does not mind the price?"
    what = f"the incident under brakes({dollars}){dearer}"
    return Tried(what, end, f"at most ${dollars:.2f}", end.usd <= dollars, hint)


def _honest_run_is_answered(limits: Limits, dollars: float, seed: int) -> Tried:
    from planexec import worlds
    from planexec.agent import PlanExecuteAgent
    from planexec.labs.limits import PACE
    from planexec.models.simulated import SimulatedModel
    from planexec.trials.pace import Paced

    world, model = worlds.load("finance"), Paced(SimulatedModel(seed=seed), PACE)
    result = PlanExecuteAgent(model, world.tools, limits, date=world.date).run(world.question)
    by = result.stop.reason if result.stop else "nothing"
    got = f"complete: {result.complete}, ended by {by} after ${result.usage.usd or 0.0:.2f}"
    hint = "" if result.complete else f"{by} is too tight: it cuts an honest run that needs less than the sum."
    return Tried(f"the honest run under brakes({dollars})", got, "complete: True", result.complete, hint)


quiz(
    "09.q1",
    "With all of the article's limits on, at this price and pace: what does the limit of 50 model calls do?",
    "Nothing: dollars, seconds and turns all end the run before.",
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
        ("That a stopped run still names both prices.", "that follows from the call held back for the last word"),
        ("Where each limit ends the run.", "that follows from the price, the pace and the code of the limits"),
    ),
)
