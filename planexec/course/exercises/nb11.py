"""Exercises and quiz of 11_when_a_step_fails."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

from planexec.course.checks import Tried, exercise, expect
from planexec.course.quiz import quiz
from planexec.failures import kind_of_status

STATUSES = (503, 404, 429, 401, 408, 422, 500, 402, 504, 400)


@exercise(
    "11.1",
    "again",
    lambda seed: (
        "again(status, attempt, most) -> True or False: is another request worth it after the attempt number `attempt` "
        "(1, 2, ...) came back with HTTP `status`, when `most` attempts are allowed? Any status from 400 on may come. "
        f"For example again({_statuses(seed)[0]}, 1, 3)"
    ),
    (
        "Two things must hold: the failure may pass, and an attempt is left.",
        'kind_of_status(status) == "transient" says whether it may pass.',
        "After attempt 3 of 3 nothing is left: attempt < most.",
    ),
)
def _again(answer: Callable[[int, int, int], Any], seed: int) -> list[Tried]:
    tried = [(status, 1 + place % 3, 3) for place, status in enumerate(_statuses(seed))]
    tried += [(503, 1, 1), (503, 1, 2), (503, 2, 2), (404, 1, 9), (403, 1, 2), (425, 1, 2), (409, 1, 2), (507, 1, 2)]
    return [_one_again(answer, *each) for each in tried]


def _one_again(answer: Callable[[int, int, int], Any], status: int, attempt: int, most: int) -> Tried:
    got, kind = answer(status, attempt, most), kind_of_status(status)
    right = kind == "transient" and attempt < most
    hint = ""
    if not isinstance(got, bool):
        hint = "" if got is None else "The answer is True or False, nothing else."
    elif not right:
        left = f"Attempt {attempt} of {most} was the last one: is any left?"
        hint = left if kind == "transient" else f"kind_of_status({status}) is {kind!r}: the same request fails again."
    elif attempt < most:
        hint = f"kind_of_status({status}) is {kind!r}, and attempt {attempt} of {most} is not the last: it is worth it."
    return expect(f"again({status}, {attempt}, {most})", got, right, hint)


def _statuses(seed: int) -> tuple[int, ...]:
    turn = seed % len(STATUSES)
    return STATUSES[turn:] + STATUSES[:turn]


@exercise(
    "11.2",
    "waits",
    lambda seed: (
        f"waits(attempts, first, longest) -> the list of waits, in seconds, between that many attempts: `first`, then "
        f"doubled each time, none above `longest`; nothing is taken off. For example waits({3 + seed % 3}, "
        f"{1 + seed % 2}, 30)"
    ),
    (
        "Between three attempts there are two waits.",
        "The n-th wait, counted from 0, is first * 2**n, and at most `longest`.",
        "min(first * 2**n, longest) for each n in range(attempts - 1).",
    ),
)
def _waits(answer: Callable[[int, float, float], Any], seed: int) -> list[Tried]:
    cases = ((3 + seed % 3, 1 + seed % 2, 30), (1, 1, 30), (8, 1, 30), (4, 0.5, 1), (4, 3, 100), (3, 0, 30))
    tried = []
    for attempts, first, longest in cases:
        right = _doubled(attempts - 1, first, longest)
        got = answer(attempts, first, longest)
        got = list(got) if isinstance(got, tuple) else got
        hint = _miswaited(got, attempts, first, longest)
        tried.append(expect(f"waits({attempts}, {first}, {longest})", got, right, hint))
    return tried


def _doubled(count: int, first: float, longest: float = inf) -> list[float]:
    return [min(first * 2**n, longest) for n in range(count)]


def _miswaited(got: Any, attempts: int, first: float, longest: float) -> str:
    """What was done instead."""
    if not isinstance(got, list):
        return "" if got is None else "The answer is a list, also when it is empty or has one wait."
    if got == [wait for wait in _doubled(attempts - 1, first) if wait <= longest] and len(got) < attempts - 1:
        return f"A wait above longest = {longest} is cut down to it, not left out."
    if len(got) != attempts - 1:
        after = "after the last one nobody waits" if len(got) == attempts else "one between each two"
        return f"{attempts} attempts have {attempts - 1} waits: {after}."
    if got == _doubled(attempts - 1, first):
        return f"None may be above longest = {longest}."
    if got and got[0] != min(first, longest):
        return f"The first wait is {min(first, longest)}: `first`, or `longest` where that is less."
    return "Doubled each time: 1, 2, 4, 8, with first = 1."


@exercise(
    "11.3",
    "requests",
    lambda seed: (
        "requests(attempts, retries, passes) -> how many requests reach a service that never answers well. The "
        "application calls its client `attempts` times, whatever comes. The client retries inside each call: after its "
        "request it makes up to `retries` more, but only when the failure may pass (`passes`). requests(3, 2, True) is "
        f"the nine of above; what is requests({4 + seed % 3}, 2, True)?"
    ),
    (
        "A client that retries twice makes three requests when the failure may pass, and one when it will not.",
        "The application does not look: each of its attempts is a call of the client.",
        "So it is attempts * (retries + 1) when it may pass, and attempts when it will not.",
    ),
)
def _requests(answer: Callable[[int, int, bool], Any], seed: int) -> list[Tried]:
    cases = ((4 + seed % 3, 2, True), (3, 2, True), (3, 2, False), (1, 0, True), (4, 1, True), (1, 5, False))
    tried = []
    for attempts, retries, passes in cases:
        got, right = answer(attempts, retries, passes), attempts * (retries + 1 if passes else 1)
        hint = _miscounted(got, attempts, retries, passes)
        tried.append(expect(f"requests({attempts}, {retries}, {passes})", got, right, hint))
    return tried


def _miscounted(got: Any, attempts: int, retries: int, passes: bool) -> str:
    """What was counted instead."""
    if not passes:
        if got == 1:
            return "The application does not look at the class: each of its attempts reaches the service once."
        return "What will not pass, the client asks once and raises; only the application repeats it."
    if got == attempts * retries:
        return f"retries = {retries} comes on top of the first request: {retries + 1} requests in each call."
    if got in (attempts + retries, attempts + retries + 1):
        return "The client retries inside each of the application's attempts; do the two numbers add up or multiply?"
    return "How many calls does the application make, and how many requests does one call make?"


quiz(
    "11.q1",
    "A model's own service answers 401: the key is wrong. What does the gate do?",
    "No second request: the run ends and says what a person has to do.",
    (
        (
            "It waits and asks again, longer each time, three times in all.",
            "the key is as wrong after a wait as before it",
        ),
        (
            "It tells the model, which then decides whether to ask again.",
            "it is the model that cannot be reached; and code knows the class of a failure, the model guesses",
        ),
        (
            "It leaves this step out and goes on with the next one.",
            "the next step needs the same model, which has the same wrong key",
        ),
    ),
    why="401 is of the class for which a person has to act, and without its model the run cannot go on",
)
quiz(
    "11.q2",
    "A look-up times out, and its tool names a fallback. In which order?",
    "Attempts with waits, then the fallback, and the model hears who answered.",
    (
        (
            "The fallback at once; the tool again only if that fails, too.",
            "a time-out may pass within seconds, and the fallback is the second choice",
        ),
        (
            "The model is asked after each attempt whether to take the fallback.",
            "neither needs the model: the gate counts the attempts, and the tool names its fallback",
        ),
        (
            "The rest of the plan first; the fallback if it names it.",
            "a replan comes when the step has failed, and with the fallback it may not fail",
        ),
    ),
    why="a look-up may be made twice, and a time-out may pass; only after the last attempt is a second tool needed",
)
quiz(
    "11.q3",
    "Step 3 failed for good. What becomes of steps 1 and 2?",
    "Their results stay, also when the model asks to start over.",
    (
        (
            "They run again, since their data may be why step 3 failed.",
            "that guess made the run a loop; a time-out of the report says nothing about the prices",
        ),
        (
            "They run again only if the replanner puts them back.",
            "it may ask for that, as it did above; code does not let a finished step back in",
        ),
        ("They are thrown away, because the plan has failed.", "what was found is the best part of the answer"),
    ),
    why="code compares the new rest of the plan with what is over, by number and by goal, and leaves those steps out",
)
