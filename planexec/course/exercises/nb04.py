"""Exercises and quiz of 04_executor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from planexec.course.checks import Tried, exercise, expect
from planexec.course.quiz import quiz

# what a plan's line asks for, and which fields the results so far have
LINES: tuple[tuple[Mapping[str, Any], Mapping[int, Sequence[str]]], ...] = (
    ({"expression": "1000 * x", "each": "$3.weights"}, {3: ("sectors", "weights")}),
    ({"expression": "$1", "each": "$3.weights"}, {3: ("sectors",)}),
    ({"query": "parks", "limit": 5}, {}),
    ({"each": "$2.areas", "query": "$4"}, {2: ("areas",), 4: ("text",)}),
    ({"each": "$12.areas"}, {1: ("areas",), 2: ("areas",)}),
)


def unfilled(args: Mapping[str, Any], found: Mapping[int, Sequence[str]]) -> list[str]:
    """unfilled({"q": "$1", "e": "$2.x"}, {2: ("x",)}) -> ["$1"]; without a field the result itself is meant."""
    lacking = []
    for value in args.values():
        if not isinstance(value, str) or not value.startswith("$"):
            continue
        number, _, field = value[1:].partition(".")
        if int(number) not in found or (field and field not in found[int(number)]):
            lacking.append(value)
    return lacking


def _turned(listed: Sequence[Any], seed: int) -> Sequence[Any]:
    turn = seed % len(listed)
    return [*listed[turn:], *listed[:turn]]


def _fields(found: Mapping[int, Sequence[str]]) -> dict[int, list[str]]:
    return {number: list(fields) for number, fields in found.items()}


@exercise(
    "04.1",
    "missing_references",
    lambda seed: (
        f"missing_references({dict(LINES[seed % 2][0])}, {_fields(LINES[seed % 2][1])}) -> the list of the values "
        '"$number" or "$number.field" that cannot be filled in, in their order'
    ),
    (
        'A reference is a text that begins with "$". Other values, numbers among them, need nothing.',
        '"$3.weights" needs step 3 in `found` and "weights" among its fields; "$3" needs step 3 only.',
        'number, _, field = value[1:].partition("."); the number may have more than one digit',
    ),
)
def _missing(answer: Callable[[Any, Any], Any], seed: int) -> list[Tried]:
    return [
        expect(
            f"missing_references({dict(args)}, {_fields(found)})",
            answer(dict(args), _fields(found)),
            unfilled(args, found),
        )
        for args, found in _turned(LINES, seed)
    ]


PLANS: tuple[tuple[Mapping[int, Sequence[int]], Sequence[int]], ...] = (
    ({1: (), 2: (1,), 3: (), 4: (2, 3)}, (1,)),
    ({1: (), 2: (), 3: (1, 2), 4: (3,), 5: (2,)}, (1,)),
    ({1: (), 2: (1,), 3: (1,)}, ()),
    ({4: (2,), 2: (1,), 1: (), 3: ()}, (1, 3)),
)


def waiting_in_vain(needs: Mapping[int, Sequence[int]], failed: Sequence[int]) -> list[int]:
    """waiting_in_vain({1: (), 2: (1,), 3: (2,)}, [1]) -> [2, 3]: what builds on a failed step, however far away."""
    lost = set(failed)
    for _ in needs:
        lost |= {step for step, waits in needs.items() if lost & set(waits)}
    return sorted(lost - set(failed))


@exercise(
    "04.2",
    "blocked_by",
    lambda seed: (
        f"blocked_by({_fields_of(seed)[0]}, {_fields_of(seed)[1]}) -> the sorted list of the steps that are blocked; "
        "a failed step itself is failed, not blocked"
    ),
    (
        "A step is blocked when it needs a failed one. What of a step that needs a blocked one?",
        "Repeat until nothing is added: steps that need something lost are lost as well.",
        "At the end take the failed ones out and sort.",
    ),
)
def _blocked(answer: Callable[[Any, Any], Any], seed: int) -> list[Tried]:
    return [
        expect(
            f"blocked_by({_given(needs)}, {list(failed)})",
            answer(_given(needs), list(failed)),
            waiting_in_vain(needs, failed),
        )
        for needs, failed in _turned(PLANS, seed)
    ]


def _given(needs: Mapping[int, Sequence[int]]) -> dict[int, list[int]]:
    return {step: list(waits) for step, waits in needs.items()}


def _fields_of(seed: int) -> tuple[dict[int, list[int]], list[int]]:
    needs, failed = PLANS[seed % 2]
    return _given(needs), list(failed)


def status_of(kinds: Sequence[str], answer: str) -> str:
    """status_of(["empty", "found"], "25 %") -> "done"; the kinds decide, and then whether there is an answer."""
    if "found" in kinds:
        return "done" if answer else "failed"
    return "no_data" if "empty" in kinds else "failed"


@exercise(
    "04.3",
    "status",
    lambda seed: (
        'status(kinds, answer) -> "done": a tool found something, and there is an answer; "no_data": nothing was '
        'found, and at least one tool worked ("empty"); else "failed"'
    ),
    (
        "What the answer says does not count, only whether there is one. First look for a 'found' among the kinds.",
        "Nothing found: did at least one tool work ('empty'), or did all of them fail?",
        "Something found and no answer is a failure, too: there is nothing to hand over.",
    ),
)
def _status(answer: Callable[[list[str], str], Any], seed: int) -> list[Tried]:
    cases: list[tuple[list[str], str]] = [
        (["found"], "banks 25%"),
        (["empty", "empty"], "It is probably 90 trillion."),
        (["failed", "failed"], "The service is down."),
        (["failed", "empty"], "Nothing there."),
        (["empty", "found", "failed"], "banks 25%"),
        (["found"], ""),
    ]
    return [
        expect(f"status({kinds}, {said!r})", answer(list(kinds), said), status_of(kinds, said))
        for kinds, said in _turned(cases, seed)
    ]


quiz(
    "04.q1",
    "Why is the last request of a cut step made without tools?",
    "So that the reply must be words: what was found is summed up instead of searched on.",
    (
        ("Because tools cost more than words.", "a search is cheap here; the point is what is handed over"),
        ("Because the model has forgotten its tools.", "it would call one again, and the rounds are used up"),
    ),
)
quiz(
    "04.q2",
    'Step 4 has the argument "$3.weights", and step 3 found nothing. What happens?',
    "Step 4 is blocked, with the reference and the reason; no tool is called.",
    (
        ("The model is asked for likely weights.", "a likely figure looks like a found one, and nobody can tell"),
        ("The reference is passed on as it is.", "a calculator cannot work with it, and the failure names no cause"),
    ),
)
quiz(
    "04.q3",
    "A step's text holds a clear figure, its tools brought nothing. Which status has it?",
    '"no_data", because the status comes from what the tools brought.',
    (
        ('"done", because it has an answer.', "an answer that no observation stands behind must not travel on"),
        ('"blocked", because later steps cannot use it.', "blocked are the later steps; this one was carried out"),
    ),
)
