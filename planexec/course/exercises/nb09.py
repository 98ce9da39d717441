"""Exercises and quiz of 09_the_loop_that_cost_12_30."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from planexec.course.checks import Tried, exercise, expect
from planexec.course.quiz import quiz
from planexec.limits import Limits


@exercise(
    "09.1",
    "may_start",
    lambda seed: (
        "may_start(used, need, held, limit) -> True when one more call may begin. `used`: what is gone so far; `need`: "
        "what this call will take; `held`: what is kept back for the last word. A limit of None is no limit."
    ),
    (
        "What is used, what this call needs and what is held back must fit into the limit together. None is no limit.",
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


CAPS = (0.50, 0.60, 1.00)  # dollars: a number that fits one of them does not fit the others
HONEST = 0.47  # dollars, rounded up: the honest run at the price of the incident
DEARER = 2  # times the price of the incident: a number of calls that fits one price does not fit the other


@exercise(
    "09.2",
    "brakes",
    lambda seed: (
        "brakes(dollars) -> Limits under which the incident costs at most `dollars` (0.50 or more), whatever one call\n"
        "costs. The honest run above must still be answered in full, at the price of the incident and at any other\n"
        "price at which it costs less than `dollars`."
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
        prices = [times for times in (1, DEARER) if times * HONEST < dollars]
        tried += [_honest_run_is_answered(limits, dollars, seed, times) for times in prices]
    return tried


def _incident_costs(limits: Limits, dollars: float, times: int) -> Tried:
    from planexec.labs.limits import PACE, incident

    end = incident(limits, pace=replace(PACE, usd_per_call=times * PACE.usd_per_call))
    dearer = "" if times == 1 else f", at {times} times the price of a call"
    hint = "" if times == 1 else "It holds at one price of a call, not at another. Which limit does not mind the price?"
    what = f"the incident under brakes({dollars}){dearer}"
    return Tried(what, end, f"at most ${dollars:.2f}", end.usd <= dollars, hint)


def _honest_run_is_answered(limits: Limits, dollars: float, seed: int, times: int) -> Tried:
    from planexec import worlds
    from planexec.agent import PlanExecuteAgent
    from planexec.labs.limits import PACE
    from planexec.models.simulated import SimulatedModel
    from planexec.trials.pace import Paced

    world, model = worlds.load("finance"), SimulatedModel(seed=seed)
    pace = replace(PACE, usd_per_call=times * PACE.usd_per_call)
    result = PlanExecuteAgent(Paced(model, pace), world.tools, limits, date=world.date).run(world.question)
    by = result.stop.reason if result.stop else "nothing"
    got = f"complete: {result.complete}, ended by {by} after ${result.usage.usd or 0.0:.2f}"
    hint = "" if result.complete else f"{by} is too tight: it cuts an honest run that needs less than the sum."
    dearer = "" if times == 1 else f", at {times} times the price of a call"
    return Tried(f"the honest run under brakes({dollars}){dearer}", got, "complete: True", result.complete, hint)


quiz(
    "09.q1",
    "Somebody changes two limits to max_steps=60 and max_model_calls=50, all others off. Which ends the incident?",
    "max_model_calls, at every price: 50 model calls come before 60 turns, as each turn makes one.",
    (
        ("max_steps, at every price: turns always come first.", "they do where their number is the smaller one"),
        ("That depends on the price of a call.", "a price concerns max_usd only, and that is off"),
    ),
    why="these two count and know no price; and the last word is held back within the 50, while it would come on top "
    "of the 60",
)
quiz(
    "09.q2",
    "Why does the run under a limit of one dollar cost a little less than a dollar?",
    "No call begins that would go past it, and the price of the last word was kept back.",
    (
        ("The bill is rounded down.", "the bill is exact: it is the number of calls times the price of one"),
        ("The run was ended a moment too late.", "then it would cost more than the dollar, not less"),
    ),
    why="code reckons beforehand with the most that a call can cost, and what was left did not hold one more",
)
quiz(
    "09.q3",
    "Which of this was put in to match the published incident?",
    "The seconds and the dollars of one model call.",
    (
        ("That a stopped run gets one more call to answer.", "that is what the package's limits do in every run"),
        ("Where each limit ends the run.", "that follows from the price, the pace and the code of the limits"),
    ),
    why="they are the published minutes and dollars divided by the published calls; where a limit ends the run "
    "follows from them",
)
