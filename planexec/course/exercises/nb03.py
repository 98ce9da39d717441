"""Exercises and quiz of 03_planner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from planexec.course.checks import Tried, exercise, expect
from planexec.course.quiz import quiz

NAMES = ("goal", "subtask", "task", "description")

# lists as a JSON parser returns them, each with the hint for whoever gets just this one wrong
LISTS: tuple[tuple[Sequence[Any], str], ...] = (
    (["find the map", "measure the parks"], "A text is a goal as it stands."),
    (
        [{"id": 1, "subtask": "find the map"}, {"id": 2, "subtask": "measure the parks"}],
        "An object carries its text under one of the four names; what else is in it does not count.",
    ),
    (["find the map", "", "  ", {"task": "measure the parks"}], "A blank text is left out: not goal.strip()."),
    ([{"step": 1, "description": "find the map"}, {"goal": "measure the parks"}], "There are four names, goal first."),
    (
        [{"goal": None, "task": "find the map"}, "measure the parks"],
        "The name may be there and hold no text (null): look on under the next name.",
    ),
    (
        [{"goal": "", "task": "find the map"}, "measure the parks"],
        "The first name may hold a blank text: look on, a later name may hold the words.",
    ),
    ([{"goal": " "}, "measure the parks"], "An object whose text is blank is left out, as a blank text is."),
    (["find the map", None], "An item without a text makes the list unreadable: left out, a step would be lost."),
    (["find the map", 7], "A number is no goal in words: the whole list is unreadable, so the answer is None."),
    ([{"id": 1}, "measure the parks"], "An object without a text makes the whole list unreadable: None."),
    ([], "An empty list is an answer: the answer is an empty list, too."),
    (["", "  "], "Something was written, and all of it is blank: that is not empty but unreadable, so None."),
)


def goals_of(items: Sequence[Any]) -> list[str] | None:
    """goals_of(["a", {"task": "b"}, ""]) -> ["a", "b"]; None when an item holds no text, or all of them are blank."""
    found = []
    for item in items:
        if isinstance(item, dict):
            texts = [item[name] for name in NAMES if isinstance(item.get(name), str)]
            item = next((text for text in texts if text.strip()), texts[0] if texts else None)
        if not isinstance(item, str):
            return None
        found.append(item)
    goals = [goal for goal in found if goal.strip()]
    return None if found and not goals else goals


def _turned(cases: Sequence[Any], seed: int) -> Sequence[Any]:
    turn = seed % len(cases)
    return [*cases[turn:], *cases[:turn]]


@exercise(
    "03.1",
    "goals",
    lambda seed: (
        f"goals({_turned(LISTS, seed)[2][0]}) -> the list of goals, blank ones left out; of an object the first text "
        f"that is not blank, under {', '.join(NAMES)} (with blank ones only it is left out, too). None when an item "
        "holds no text at all, or when there are items and all are blank"
    ),
    (
        "Go through the items. For an object, go through the four names and take the first text that is not blank.",
        "Before you work on a value, ask whether it is a text: isinstance(value, str).",
        "texts = [item[name] for name in names if isinstance(item.get(name), str)]: [] makes the answer None.",
    ),
)
def _goals(answer: Callable[[Any], Any], seed: int) -> list[Tried]:
    return [
        expect(f"goals({list(items)})", answer(list(items)), goals_of(items), hint)
        for items, hint in _turned(LISTS, seed)
    ]


def move(status: str, asked: int) -> str:
    """move("unreadable", 1) -> "ask again": what the planner does with its reply number `asked`."""
    if status == "parsed":
        return "go on"
    return "ask again" if asked < 2 else "one step"


MOVES = {
    ("parsed", 1): "A plan that was read is carried out.",
    ("parsed", 2): "A plan that was read is carried out, after the second request as after the first.",
    ("empty", 1): "There is something to do, so an empty plan is no use at the start: it is asked for again.",
    ("empty", 2): "Empty twice: nobody is asked a third time, and the task itself is the one step.",
    ("unreadable", 1): "What cannot be read is asked for once more.",
    ("unreadable", 2): "Unreadable twice: nobody is asked a third time, and the task itself is the one step.",
}


@exercise(
    "03.2",
    "next_move",
    lambda seed: (
        'next_move(status, asked) -> "go on", "ask again" or "one step" (the task itself). `status` is "parsed", '
        '"empty" or "unreadable", `asked` says how often the planner was asked so far (1 or 2)'
    ),
    (
        'Only a plan that was "parsed" can be carried out.',
        "Everything else is asked for once more: that is, when the planner was asked once so far.",
        'After the second time: "one step".',
    ),
)
def _next_move(answer: Callable[[str, int], Any], seed: int) -> list[Tried]:
    return [
        expect(f"next_move({status!r}, {asked})", answer(status, asked), move(status, asked), MOVES[status, asked])
        for status, asked in _turned(list(MOVES), seed)
    ]


NO_FENCE = "There is no fence here, no line that begins with ```: the text stays as it is, whatever brackets it holds."
INSIDE = "Take all the lines between the two lines that begin with ```, whatever they hold, and nothing else."
FENCED: tuple[tuple[str, str, str], ...] = (
    ('```json\n["a", "b"]\n```', '["a", "b"]', INSIDE),
    ('```\n["a"]\n```', '["a"]', "A fence need not name a language."),
    ('```JSON\n[\n "a",\n "b"\n]\n```', '[\n "a",\n "b"\n]', "The language may be in capitals: drop the whole line."),
    ('["a", "b"]', '["a", "b"]', NO_FENCE),
    ('["say ``` twice"]', '["say ``` twice"]', NO_FENCE),
    ('Here:\n```json\n["a"]\n```\nShall I start?', '["a"]', "What stands before and after the fence is dropped."),
    ('```json\n{"steps": "1. a"}\n```', '{"steps": "1. a"}', INSIDE),
    (
        'I begin with ```\nand end so:\n```json\n["a"]\n```',
        '["a"]',
        "A fence opens where a line begins with ```; at the end of a line they open nothing.",
    ),
    ('My plan is ["a"], as asked.', 'My plan is ["a"], as asked.', NO_FENCE),
    ("I need more information.", "I need more information.", NO_FENCE),
)


@exercise(
    "03.3",
    "unfenced",
    lambda seed: f"unfenced({FENCED[seed % 3][0]!r}) -> what stands inside the fence: {FENCED[seed % 3][1]!r}",
    (
        "A fence is a line that begins with ```; what follows on that line is the name of the language.",
        "Look at the lines: which of them begin with ```? With two of them, take the lines between the two.",
        'lines = text.split("\\n"); marks = [n for n, line in enumerate(lines) if line.startswith("```")]',
    ),
)
def _unfenced(answer: Callable[[str], Any], seed: int) -> list[Tried]:
    return [expect(f"unfenced({text!r})", answer(text), inner, hint) for text, inner, hint in _turned(FENCED, seed)]


quiz(
    "03.q1",
    "A plan was cut in its last step. Why does `read_plan` not close the list and take it?",
    "Half a step would be carried out as if it were whole, and nobody knows what was still to come.",
    (
        (
            "Because JSON that was cut cannot be repaired; a parser needs its closing bracket.",
            "a repair library closes it without a word",
        ),
        (
            "Because a plan may be too short for its task, and the planner had better be asked for a longer one.",
            "a plan of one step is read as well; how long a plan should be, the reader does not judge",
        ),
    ),
    why='the library made "Safety a" of it, a step that nobody wrote; to ask again costs a request, to guess wrong '
    "would cost a run",
)
quiz(
    "03.q2",
    'What does "degraded" in a result say?',
    "The run went on with less than was asked for.",
    (
        ("The answer is wrong, or parts of it are.", "a run with one step may answer well; nobody has judged it"),
        ("The run was stopped by a limit before its end.", "a limit is named in `stop`; a degraded run goes on"),
    ),
    why="without a list the task itself was the only step, of twelve steps the first eight were kept; both went on, "
    "and say why",
)
quiz(
    "03.q3",
    "Why does the second request name what was wrong with the first plan?",
    "So that the model need not guess what to change.",
    (
        ("Because a service does not take the same request twice.", "it takes the same request again"),
        ("So that the second plan gets shorter than the first.", "only a plan that is too long has to become shorter"),
    ),
    why="no list, an empty one and one too long each need another change; a real model can read which, the simulated "
    "one does not",
)
