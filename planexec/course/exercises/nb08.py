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
LATE = ((E, E, E, E, F), (E, E, E, E, E, F, E))  # found only when the number of calls is full


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


USE_IT = "The argument `{}` is {} here; does your code use it?"
FROM_ONE = "That is counted from 0; the first call is number 1: enumerate(kinds, 1)."
A_NUMBER = "Wanted is the number of a call, or None; not True or False."
ROW_FULL = "Wanted is the call that makes the row full, not the one that begins it; the first call is number 1."


@exercise(
    "08.1",
    "no_result",
    lambda seed: (
        f"no_result({list(RUNS[seed % len(RUNS)])}, {2 + seed % 2}) -> "
        f"{end_by_nothing(RUNS[seed % len(RUNS)], 2 + seed % 2)}: the number of the call, from 1,\n"
        f"at which {2 + seed % 2} empty results have come in a row; None when that never happens."
    ),
    (
        "Keep a count while you go through the calls: an empty result adds one, anything found sets it back to 0.",
        "Return the number of the call at which the count reaches the limit; do not go on after that.",
        "for number, kind in enumerate(kinds, 1): ... and `return None` after the loop.",
    ),
)
def _no_result(answer: Callable[..., Any], seed: int) -> list[Tried]:
    tried = []
    for limit in (2 + seed % 2, 3 - seed % 2):
        for kinds in _turned(RUNS, seed):
            got, right = answer(list(kinds), limit), end_by_nothing(kinds, limit)
            tried.append(expect(f"no_result({list(kinds)}, {limit})", got, right, _not_a_row(got, right, kinds, limit)))
    return tried


def _not_a_row(got: Any, right: int | None, kinds: Sequence[str], limit: int) -> str:
    """What was counted instead."""
    if isinstance(got, bool):
        return A_NUMBER
    if got is not None and got in (end_by_nothing(kinds, other) for other in (2, 3) if other != limit):
        return USE_IT.format("limit", limit)
    if got is not None and got == _nth(kinds, E, limit):
        return "In a row: anything found sets the count back to 0."
    if right is not None and got in (right - limit, right - limit + 1):
        return ROW_FULL if got != right - 1 else f"{ROW_FULL} Or it was counted from 0: see enumerate(kinds, 1)."
    return FROM_ONE if right is not None and got == right - 1 else ""


def _turned(cases: Sequence[Any], by: int) -> list[Any]:
    """The cases, beginning with another one for each seed."""
    turn = by % len(cases)
    return [*cases[turn:], *cases[:turn]]


def _nth(kinds: Sequence[str], kind: str, count: int) -> int | None:
    """The call that brings `kind` for the `count`th time, in a row or not."""
    numbers = [number for number, each in enumerate(kinds, 1) if each == kind]
    return numbers[count - 1] if len(numbers) >= count else None


@exercise(
    "08.2",
    "enough",
    lambda seed: (
        f"enough({list(LATE[seed % len(LATE)])}, {3 + seed % 2}) -> "
        f"{end_by_enough(LATE[seed % len(LATE)], 3 + seed % 2)}: the number, from 1, of the first call at which\n"
        f"at least {3 + seed % 2} calls have been made in all, and one or more of them found something; None when\n"
        "that never happens."
    ),
    (
        "Two conditions must hold: so many calls, and something found among them, wherever it stands.",
        "Look at kinds[:number] for number = 1, 2, ..., len(kinds), and return the first number for which both hold.",
        'number >= calls and "found" in kinds[:number]',
    ),
)
def _enough(answer: Callable[..., Any], seed: int) -> list[Tried]:
    tried = []
    for calls in (3 + seed % 2, 4 - seed % 2):
        for kinds in _turned(RUNS, seed + 2):
            got, right = answer(list(kinds), calls), end_by_enough(kinds, calls)
            tried.append(expect(f"enough({list(kinds)}, {calls})", got, right, _not_enough(got, right, kinds, calls)))
    return tried


ALL_COUNT = "All calls count from the first on, also those before something was found."


def _not_enough(got: Any, right: int | None, kinds: Sequence[str], calls: int) -> str:
    """What was counted instead."""
    if isinstance(got, bool):
        return A_NUMBER
    if got == right:
        return ""
    if type(got) is int and 0 < got <= len(kinds) and F not in kinds[:got]:
        return f"After call {got}, nothing was found yet: it goes on until something is."
    if got in (end_by_enough(kinds, other) for other in (3, 4) if other != calls):
        return USE_IT.format("calls", calls)
    if got == _nth(kinds, F, calls) and F in kinds[:calls]:
        return "Every call counts, an empty one, too; one of them must have found something."
    if F in kinds and got == kinds.index(F) + calls:
        return ALL_COUNT
    if got is None:
        return f"The call that finds something may come later than the call that makes the number full. {ALL_COUNT}"
    return FROM_ONE if right is not None and got == right - 1 else ""


# plans: what the calls of each step would bring, if nothing ended it
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


def _made_both(plan: Sequence[Sequence[str]], calls: int) -> str:
    listed = [list(step) for step in plan]
    said = (f'made({listed}, {calls}, "{scope}") -> {carried_out(plan, calls, scope)}' for scope in ("run", "step"))
    return "\n".join(said)


@exercise(
    "08.3",
    "made",
    lambda seed: (
        f"{_made_both(PLANS[seed % len(PLANS)], 4)}\n"
        "How many calls are made in all? A plan is a list of steps, a step the list of what its calls would bring.\n"
        'Scope "run": the second counter counts over all steps, and ends the run. Scope "step": it counts anew in\n'
        "each step, and ends only that step. Where it does not fire, all calls are made."
    ),
    (
        'For "run", put all steps together into one list, and let the counter end that list once. '
        "(Where `enough` gives None it ends nothing, and all calls of the list are made.)",
        'For "step", let it end each step on its own, and add up the calls.',
        "The calls of a list are enough(list, calls), or len(list) where that is None.",
    ),
)
def _made(answer: Callable[..., Any], seed: int) -> list[Tried]:
    tried = []
    for plan in _turned(PLANS, seed):
        listed = [list(step) for step in plan]
        for calls, scope in ((4, "run"), (4, "step"), (3, "run"), (3, "step")):
            got, right = _made_by(answer, plan, calls, scope), carried_out(plan, calls, scope)
            hint = "" if got == right else _miscounted(got, plan, calls, scope)
            tried.append(expect(f'made({listed}, {calls}, "{scope}")', got, right, hint))
    return tried


NONE_ENDS_NOTHING = "A step that the counter does not end makes all of its calls: enough(...) is None there."


def _made_by(answer: Callable[..., Any], plan: Sequence[Sequence[str]], calls: int, scope: str) -> Any:
    """What comes back; None that was added up or compared counts as that, so that the hint can be about it."""
    try:
        return answer([list(step) for step in plan], calls, scope)
    except TypeError as problem:
        if "NoneType" not in str(problem):
            raise
        return problem


def _miscounted(got: Any, plan: Sequence[Sequence[str]], calls: int, scope: str) -> str:
    """What was counted instead of the calls that are made."""
    if isinstance(got, TypeError):
        return NONE_ENDS_NOTHING
    parts = [[kind for step in plan for kind in step]] if scope == "run" else plan
    if scope == "step" and got == _until_the_first(plan, calls):
        return "The counter ends only that step; the next one begins anew, and its calls are made."
    if got == carried_out(plan, 7 - calls, scope):
        return USE_IT.format("calls", calls)
    if got == sum(min(calls, len(step)) for step in parts):
        return "So many calls are not enough: something must have been found, too, before the counter fires."
    if scope == "run" and got == carried_out(plan, calls, "step"):
        return 'With "run", the count goes on from step to step, and where it fires, all is over.'
    if scope == "step" and got == carried_out(plan, calls, "run"):
        return 'With "step", each step begins at 0, and the steps after one that was ended are still carried out.'
    if got == sum(len(step) for step in plan):
        return "Those are all calls, as if nothing were ended."
    if got == sum(end_by_enough(step, calls) or 0 for step in plan):
        return NONE_ENDS_NOTHING
    return ""


def _until_the_first(plan: Sequence[Sequence[str]], calls: int) -> int:
    """The calls when the first step that the counter ends is taken for the end of the run."""
    made = 0
    for step in plan:
        ended = end_by_enough(step, calls)
        made += ended or len(step)
        if ended:
            break
    return made


quiz(
    "08.q1",
    'Why does "not found twice: stop" not help the run about the sectors?',
    "Its searches find something every time; the rule never applies.",
    (
        ("The model does not heed its prompt.", "the same model heeds the same sentence in the first run"),
        (
            "It should be said again after each result.",
            "said again, it still speaks of empty results, and there are none",
        ),
    ),
    why="looking on after a find is another bug; only the sentence that spoke of what was found made its calls fewer",
)
quiz(
    "08.q2",
    "A counter ends an honest five-step chain after four calls. What is wrong?",
    "It counts over the whole run; it should start at 0 in each step.",
    (
        (
            "A plan should have no more steps than the counter allows calls.",
            "each of its five calls is needed; a counter that begins anew in each step makes all of them possible",
        ),
        (
            "Four is too few; ten would be right.",
            "then a step that does not stop makes ten calls, and longer chains are cut",
        ),
    ),
    why="a longer plan makes more calls in all, though each step makes few; only counted in each step did four fit "
    "both chains",
)
quiz(
    "08.q3",
    "What does the loop do that a model cannot be relied on to do?",
    "Count the calls and what they brought, and act on the count.",
    (
        ("Know whether the answer is right.", "a counter knows nothing about answers: it counts calls and results"),
        (
            "See what was called before, and what came back.",
            "the model is shown that as well: all of it is in its messages",
        ),
    ),
    why="a sentence helps only while the model heeds it; a count in code does not depend on that, and code can end "
    "the run",
)
