"""Exercises and quiz of 08_two_bugs_two_counters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from planexec.course.checks import Tried, exercise, expect
from planexec.course.quiz import quiz

E, F = "empty", "found"
# what the calls of one tool brought, in order
RUNS: tuple[tuple[str, ...], ...] = (
    (E, E, F, E, E, E, F),
    (E, E, E, E),
    (F, E, E, F, E, E),
    (F, F, F),
    (E, E, E, E, E, F),
    (),
    (E, F, E, F, E, E, E),
    (E,),
)


def end_by_nothing(kinds: Sequence[str], limit: int) -> int | None:
    """end_by_nothing(["empty", "empty", "empty"], 3) -> 3: the call after which the counter ends it, from 1."""
    row = 0
    for number, kind in enumerate(kinds, 1):
        row = row + 1 if kind == E else 0
        if row >= limit:
            return number
    return None


def end_by_enough(kinds: Sequence[str], calls: int) -> int | None:
    """end_by_enough(["empty", "found", "found"], 2) -> 2: the call after which the answer is due, from 1."""
    for number in range(1, len(kinds) + 1):
        if number >= calls and F in kinds[:number]:
            return number
    return None


@exercise(
    "08.1",
    "no_result",
    lambda seed: (
        f"no_result({list(RUNS[seed % len(RUNS)])}, {2 + seed % 2}) -> after which call (from 1) have so many "
        "empty results come in a row? None when they never do."
    ),
    (
        "Keep a count; an empty result adds one.",
        "Anything found sets the count back to 0.",
        "Return the number of the call at which the count reaches the limit.",
    ),
)
def _no_result(answer: Callable[..., Any], seed: int) -> list[Tried]:
    limit, turn = 2 + seed % 2, seed % len(RUNS)
    return [
        expect(f"no_result({list(kinds)}, {limit})", answer(list(kinds), limit), end_by_nothing(kinds, limit))
        for kinds in RUNS[turn:] + RUNS[:turn]
    ]


@exercise(
    "08.2",
    "enough",
    lambda seed: (
        f"enough({list(RUNS[(seed + 2) % len(RUNS)])}, {3 + seed % 2}) -> after which call (from 1) is the answer "
        "due: so many calls were made, and something was found? None when it never is."
    ),
    (
        "Every call counts, also an empty one.",
        "It is not due before something was found, however many calls there were.",
        "Look at kinds[:number] for number = 1, 2, ...; both conditions must hold.",
    ),
)
def _enough(answer: Callable[..., Any], seed: int) -> list[Tried]:
    calls, turn = 3 + seed % 2, (seed + 2) % len(RUNS)
    return [
        expect(f"enough({list(kinds)}, {calls})", answer(list(kinds), calls), end_by_enough(kinds, calls))
        for kinds in RUNS[turn:] + RUNS[:turn]
    ]


# plans: what the calls of each line would bring, if nothing ended it
PLANS: tuple[tuple[tuple[str, ...], ...], ...] = (
    ((E,), (F,), (F,), (F,), (F,)),
    ((F, F, F, F, F, F), (F,)),
    ((E, E), (F, F, F)),
    ((F,), (F,), (F,), (F,)),
    ((E, E, E, E, E), (F,)),
    ((F, F, F), (F, F, F, F, F)),
)


def carried_out(plan: Sequence[Sequence[str]], calls: int, scope: str) -> int:
    """Calls made under the second counter: over the whole run it ends everything, in a step only that step."""
    if scope == "run":
        everything = [kind for step in plan for kind in step]
        return end_by_enough(everything, calls) or len(everything)
    return sum(end_by_enough(step, calls) or len(step) for step in plan)


@exercise(
    "08.3",
    "made",
    lambda seed: (
        f"made({[list(step) for step in PLANS[seed % len(PLANS)]]}, 4, scope) -> how many calls are made when the "
        'second counter (08.2, with 4) counts over the whole "run" and ends it, or in each "step" and ends only that?'
    ),
    (
        "For the run, put all steps together and let the counter end the list once.",
        "For the step, let it end each list on its own, and add up.",
        "Where the counter does not fire, all calls are made: enough(...) or len(...).",
    ),
)
def _made(answer: Callable[..., Any], seed: int) -> list[Tried]:
    turn, tried = seed % len(PLANS), []
    for plan in PLANS[turn:] + PLANS[:turn]:
        listed = [list(step) for step in plan]
        for scope in ("run", "step"):
            got = answer([list(step) for step in plan], 4, scope)
            tried.append(expect(f'made({listed}, 4, "{scope}")', got, carried_out(plan, 4, scope)))
    return tried


quiz(
    "08.q1",
    'Why does "not found twice: stop" not help the second run?',
    "Its searches find something every time; the rule never applies.",
    (
        ("The model does not read its prompt.", "the same model follows the same line in the first run"),
        ("The line is too short.", "no wording of a rule about empty results applies where nothing is empty"),
    ),
)
quiz(
    "08.q2",
    "A counter ends an honest five-step chain after four calls. What is wrong?",
    "It counts over the whole run; each step should start at 0.",
    (
        (
            "The chain is too long for an agent.",
            "each of its five calls is needed, and with a counter a step all are made",
        ),
        (
            "Four is too few; ten would be right.",
            "then a step that cannot stop makes ten calls, and longer chains are cut",
        ),
    ),
)
quiz(
    "08.q3",
    "What does the code know that the model does not?",
    "How often it has just done this.",
    (
        ("What the answer is.", "a counter knows nothing about answers: it counts calls and results"),
        ("What the tool will bring.", "nobody knows that before the call; the counter looks at what came back"),
    ),
)
