"""Exercises and quiz of 04_executor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from planexec.course.checks import Tried, exercise, expect
from planexec.course.quiz import quiz

Fields = Mapping[int, "Sequence[str] | None"]

# what a plan's line asks for, which fields the results so far have, and the hint for whoever gets just this one wrong
LINES: tuple[tuple[Mapping[str, Any], Fields, str], ...] = (
    (
        {"expression": "1000 * x", "each": "$3.weights"},
        {3: ("sectors", "weights")},
        '"$3.weights" asks for step 3 in `found` and for "weights" among its fields; a text without "$" for nothing.',
    ),
    (
        {"expression": "$1", "each": "$3.weights"},
        {1: None, 3: ("sectors",)},
        "Step 1 found nothing (None), and step 3 has no field of that name.",
    ),
    ({"query": "parks", "limit": 5}, {}, "Only texts can be references; 5 is a number."),
    (
        {"each": "$2.areas", "query": "$4"},
        {2: ("areas",), 4: ("text",)},
        '"$4" asks for no field: it is enough that step 4 found something.',
    ),
    ({"each": "$12.areas"}, {1: ("areas",), 2: ("areas",)}, "The number of a step may have more than one digit."),
    (
        {"price": "$5 million", "query": "$2"},
        {2: None},
        'After "$" come digits and perhaps ".field", nothing else: "$5 million" is money. number.isdigit() tells.',
    ),
    (
        {"query": "$7", "each": "$1"},
        {1: ()},
        "No step 7 is in `found`: nothing can be filled in for it, whether it asks for a field or not.",
    ),
    ({"query": "$1"}, {1: ()}, "Step 1 found something, although without named fields: an empty list is not None."),
)


def unfilled(args: Mapping[str, Any], found: Fields) -> list[str]:
    """unfilled({"q": "$1", "e": "$2.x"}, {2: ("x",)}) -> ["$1"]; without a field the result itself is meant."""
    lacking = []
    for value in args.values():
        if not isinstance(value, str) or not value.startswith("$"):
            continue
        number, _, field = value[1:].partition(".")
        fields = found.get(int(number)) if number.isdigit() else ()
        if fields is None or (number.isdigit() and field and field not in fields):
            lacking.append(value)
    return lacking


def _turned(listed: Sequence[Any], seed: int) -> Sequence[Any]:
    turn = seed % len(listed)
    return [*listed[turn:], *listed[:turn]]


def _fields(found: Fields) -> dict[int, list[str] | None]:
    return {number: None if fields is None else list(fields) for number, fields in found.items()}


@exercise(
    "04.1",
    "missing_references",
    lambda seed: (
        f"missing_references({dict(LINES[1][0])}, {_fields(LINES[1][1])}) -> {unfilled(*LINES[1][:2])}, the list of "
        "the references that cannot be filled in, as they are written, in the order of the arguments. `found`: step -> "
        "the fields of its result, None when it found nothing; a step that is not in it has no result. A reference is "
        'here every whole text "$number" or "$number.field", with such a step or without; "$5 million" is money'
    ),
    (
        'A reference is a text: "$", digits, perhaps ".field", no more. All else ("$5 million", 5) needs nothing.',
        '"$3.weights" needs step 3 in `found` and "weights" among its fields; "$3" needs step 3 only.',
        'number, _, field = value[1:].partition("."); found.get(int(number)) is None for a step that is not there',
    ),
)
def _missing(answer: Callable[[Any, Any], Any], seed: int) -> list[Tried]:
    return [
        expect(
            f"missing_references({dict(args)}, {_fields(found)})",
            answer(dict(args), _fields(found)),
            unfilled(args, found),
            hint,
        )
        for args, found, hint in _turned(LINES, seed)
    ]


PLANS: tuple[tuple[Mapping[int, Sequence[int]], Sequence[int], str], ...] = (
    (
        {1: (), 2: (1,), 3: (), 4: (2, 3)},
        (1,),
        "Step 2 is blocked, so it has no result either: what of step 4? A failed step itself is failed, not blocked.",
    ),
    (
        {1: (), 2: (), 3: (1, 2), 4: (3,), 5: (2,)},
        (1,),
        "One missing result is enough to block a step, and a blocked step has none. Step 5 uses step 2 only.",
    ),
    ({1: (), 2: (1,), 3: (1,)}, (), "Nothing failed, so nothing is blocked."),
    (
        {4: (2,), 2: (1,), 1: (), 3: ()},
        (1, 3),
        "The steps stand in another order here: go over them again and again until nothing is added.",
    ),
)


def waiting_in_vain(uses: Mapping[int, Sequence[int]], failed: Sequence[int]) -> list[int]:
    """waiting_in_vain({1: (), 2: (1,), 3: (2,)}, [1]) -> [2, 3]: what refers to a failed step, however far away."""
    lost = set(failed)
    for _ in uses:
        lost |= {step for step, steps in uses.items() if lost & set(steps)}
    return sorted(lost - set(failed))


@exercise(
    "04.2",
    "blocked_by",
    lambda seed: (
        f"blocked_by({_given(PLANS[seed % 2][0])}, {list(PLANS[seed % 2][1])}) -> "
        f"{waiting_in_vain(*PLANS[seed % 2][:2])}, the sorted list of the steps that are blocked. `uses`: step -> the "
        "steps to whose results its arguments refer. A failed step itself is failed, not blocked"
    ),
    (
        "A step is blocked when it uses a failed one. What of a step that uses a blocked one?",
        "Repeat until nothing is added: steps that use something lost are lost as well.",
        "At the end take the failed ones out and sort.",
    ),
)
def _blocked(answer: Callable[[Any, Any], Any], seed: int) -> list[Tried]:
    return [
        expect(
            f"blocked_by({_given(uses)}, {list(failed)})",
            answer(_given(uses), list(failed)),
            waiting_in_vain(uses, failed),
            hint,
        )
        for uses, failed, hint in _turned(PLANS, seed)
    ]


def _given(uses: Mapping[int, Sequence[int]]) -> dict[int, list[int]]:
    return {step: list(steps) for step, steps in uses.items()}


def status_of(kinds: Sequence[str], answer: str) -> str:
    """status_of(["empty", "found"], "25 %") -> "done"; the kinds decide, and then whether there is an answer."""
    if "found" in kinds:
        return "done" if answer else "failed"
    return "no_data" if "empty" in kinds else "failed"


ENDED: tuple[tuple[Sequence[str], str, str], ...] = (
    (("found",), "banks 25%", "Something was found, and there is an answer."),
    (("empty", "empty"), "It is probably 90 trillion.", "What the answer says does not count: no tool found anything."),
    (("failed", "failed"), "The service is down.", "No tool worked, so nobody knows whether there is something."),
    (("failed", "empty"), "Nothing there.", "One tool worked and had nothing: that is enough for no_data."),
    (("empty", "found", "failed"), "banks 25%", "One finding is enough, wherever it stands among the kinds."),
    (("found",), "", "Something was found, but there is no answer to hand over: that is a failure, too."),
    (("found", "empty"), "", "Something was found, so it is not no_data; without an answer it is failed."),
    (("empty",), "", "Nothing was found, and a tool worked: no_data asks for no answer."),
)


@exercise(
    "04.3",
    "status",
    lambda seed: (
        f"status({list(ENDED[4][0])}, {ENDED[4][1]!r}) -> 'done', the first that fits (at least one tool was called): "
        '"done", a tool found something, and there is an answer; "no_data", nothing was found, and at least one tool '
        'worked; "failed", everything else. `kinds` is a list of "found", "empty" (it worked, there is nothing) and '
        '"failed"; `answer` is a text, "" when there is none'
    ),
    (
        "What the answer says does not count, only whether there is one. First look for a 'found' among the kinds.",
        "Nothing found: did at least one tool work ('empty'), or did all of them fail?",
        "Something found and no answer is a failure, too: there is nothing to hand over.",
    ),
)
def _status(answer: Callable[[list[str], str], Any], seed: int) -> list[Tried]:
    return [
        expect(f"status({list(kinds)}, {said!r})", answer(list(kinds), said), status_of(kinds, said), hint)
        for kinds, said, hint in _turned(ENDED, seed)
    ]


quiz(
    "04.q1",
    "Why are the tools forbidden in the last request of a cut step?",
    "So that the reply must be words: it sums up and does not search on.",
    (
        (
            "Because a reply with tool calls costs more tokens than one in words.",
            "a call is short; the point is what is handed over",
        ),
        (
            "Because the model no longer knows which tools there are.",
            "they are still listed; it would call one again, and the rounds are used up",
        ),
    ),
    why="a model that is told that its round is the last may search all the same; with the tools forbidden, only "
    "words are left",
)
quiz(
    "04.q2",
    'Step 4 has the argument "$3.weights", and step 3 found nothing. What happens?',
    "Step 4 is blocked, with the reference and the reason.",
    (
        (
            "The model is asked for weights that are likely, and says so.",
            "a likely figure looks like a found one, and nobody can tell",
        ),
        (
            "The reference is passed on as it is, and the tool complains.",
            "no tool is called; its complaint would not name the cause",
        ),
    ),
    why="code fills the reference in before the call, and step 3 has the status of its tools: nothing found, nothing "
    "to put in",
)
quiz(
    "04.q3",
    "A step's text holds a clear figure, its tools found nothing, one of them worked. Which status has it?",
    '"no_data", because nothing was found.',
    (
        ('"done", because it has an answer.', "an answer is not enough: no tool stands behind this one"),
        ('"blocked", because later steps cannot use it.', "blocked are the later steps; this one was carried out"),
    ),
    why="the status follows the tools, not the text: no reference can carry the figure on; one tool worked, or it "
    "would be failed",
)
