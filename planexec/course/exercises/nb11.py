"""Exercises and quiz of 11_when_a_step_fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planexec.course.checks import Tried, exercise, expect
from planexec.course.quiz import quiz
from planexec.failures import kind_of_status

STATUSES = (503, 404, 429, 401, 408, 422, 500, 402, 504, 400)


@exercise(
    "11.1",
    "again",
    lambda seed: (
        f"again(status, attempt, most) -> is another request worth it after the attempt number `attempt` (1, 2, ...) "
        f"came back with HTTP `status`, when `most` attempts are allowed? For example again({_statuses(seed)[0]}, 1, 3)"
    ),
    (
        "Two things must hold: the failure may pass, and an attempt is left.",
        "408, 409, 425, 429 and everything from 500 on may pass; 400, 401, 402, 403, 404, 422 will not.",
        "After attempt 3 of 3 nothing is left: attempt < most.",
    ),
)
def _again(answer: Callable[[int, int, int], Any], seed: int) -> list[Tried]:
    tried = []
    for place, status in enumerate(_statuses(seed)):
        attempt, most = 1 + place % 3, 3
        right = kind_of_status(status) == "transient" and attempt < most
        tried.append(expect(f"again({status}, {attempt}, {most})", answer(status, attempt, most), right))
    edges = ((503, 1, 1, False), (503, 1, 2, True), (503, 2, 2, False), (404, 1, 9, False), (425, 1, 2, True))
    return tried + [expect(f"again({s}, {a}, {m})", answer(s, a, m), right) for s, a, m, right in edges]


def _statuses(seed: int) -> tuple[int, ...]:
    turn = seed % len(STATUSES)
    return STATUSES[turn:] + STATUSES[:turn]


@exercise(
    "11.2",
    "waits",
    lambda seed: (
        f"waits({3 + seed % 3}, {1 + seed % 2}, 30) -> the list of waits, in seconds, between that many attempts: the "
        "first one, then doubled each time, none longer than 30"
    ),
    (
        "Between three attempts there are two waits.",
        "The n-th wait, counted from 0, is first * 2**n, and at most `longest`.",
        "After the last attempt nobody waits: there is nothing to wait for.",
    ),
)
def _waits(answer: Callable[[int, float, float], Any], seed: int) -> list[Tried]:
    cases = ((3 + seed % 3, 1 + seed % 2, 30), (1, 1, 30), (8, 1, 30), (4, 0.5, 1), (3, 0, 30))
    tried = []
    for attempts, first, longest in cases:
        right = [min(first * 2**n, longest) for n in range(attempts - 1)]
        got = answer(attempts, first, longest)
        tried.append(
            expect(f"waits({attempts}, {first}, {longest})", list(got) if isinstance(got, tuple) else got, right)
        )
    return tried


@exercise(
    "11.3",
    "requests",
    lambda seed: (
        f"requests({2 + seed % 3}, 2, True) -> how many requests reach a service that never answers well, when the "
        "application makes that many attempts (first argument), the client library inside retries so often (second), "
        "and the failure may pass (third)? Both loops try what may pass; only the outer one repeats everything else"
    ),
    (
        "A client that retries twice makes three requests when the failure may pass, and one when it will not.",
        "The application does not look: each of its attempts is a call of the client.",
        "So the two numbers multiply: attempts * (retries + 1).",
    ),
)
def _requests(answer: Callable[[int, int, bool], Any], seed: int) -> list[Tried]:
    cases = ((2 + seed % 3, 2, True), (3, 2, True), (3, 2, False), (1, 0, True), (4, 1, True), (1, 5, False))
    return [expect(f"requests{each}", answer(*each), each[0] * (each[1] + 1 if each[2] else 1)) for each in cases]


quiz(
    "11.q1",
    "A service answers 401. What should happen?",
    "No second request: the run ends and says that a person has to act first.",
    (
        ("Three attempts with longer and longer waits.", "the key is as wrong after a wait as before it"),
        ("The plan starts again from its first step.", "nothing was wrong with the steps that were done"),
        ("The model decides.", "it has only the words of the error; the class of a failure is known in code"),
    ),
)
quiz(
    "11.q2",
    "Why does a wait before another attempt get longer each time, and why is a random part taken off?",
    "A service that is down needs time, and many clients must not come back at the same moment.",
    (
        ("So that the model has time to think.", "the model is not asked between two attempts of one call"),
        ("Because every failure gets worse with time.", "it is the other way round: with time most of them pass"),
    ),
)
quiz(
    "11.q3",
    "Step 3 failed for good. What is done with steps 1 and 2?",
    "Nothing: their results stay, the rest of the plan is looked at once, and the report names what is missing.",
    (
        ("They are carried out again, because the data may be incomplete.", "that is how the run became a loop"),
        ("They are thrown away, because the plan failed.", "what was found is the best part of the answer"),
    ),
)
