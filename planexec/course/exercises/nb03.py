"""Exercises and quiz of 03_planner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from planexec.course.checks import Tried, exercise, expect
from planexec.course.quiz import quiz

NAMES = ("goal", "subtask", "task", "description")

# lists as a JSON parser returns them
LISTS: tuple[Sequence[Any], ...] = (
    ["find the map", "measure the parks"],
    [{"id": 1, "subtask": "find the map"}, {"id": 2, "subtask": "measure the parks"}],
    ["find the map", "", "  ", {"task": "measure the parks"}],
    [{"step": 1, "description": "find the map"}, {"goal": "measure the parks"}],
    ["find the map", None],
    ["find the map", 7],
    [{"id": 1}, "measure the parks"],
    [],
)


def goals_of(items: Sequence[Any]) -> list[str] | None:
    """goals_of(["a", {"task": "b"}, ""]) -> ["a", "b"]; None when an item is neither a text nor holds one."""
    found = []
    for item in items:
        if isinstance(item, dict):
            item = next((item[name] for name in NAMES if isinstance(item.get(name), str)), None)
        if not isinstance(item, str):
            return None
        found.append(item)
    return [goal for goal in found if goal.strip()]


def _lists(seed: int) -> Sequence[Sequence[Any]]:
    turn = seed % len(LISTS)
    return LISTS[turn:] + LISTS[:turn]


@exercise(
    "03.1",
    "goals",
    lambda seed: (
        f"goals({_lists(seed)[2]}) -> the list of goals, or None when an item is neither a text nor an object with "
        f"a text under {', '.join(NAMES)}"
    ),
    (
        "Go through the items. For an object, look at the four names in turn and take the first that holds a text.",
        "Return None as soon as an item gives no text: leaving it out would lose a step without a word.",
        "Blank texts are left out at the end: [goal for goal in found if goal.strip()]",
    ),
)
def _goals(answer: Callable[[Any], Any], seed: int) -> list[Tried]:
    return [expect(f"goals({list(items)})", answer(list(items)), goals_of(items)) for items in _lists(seed)]


def move(status: str, asked: int) -> str:
    """move("unreadable", 1) -> "ask again": what the planner does with its reply number `asked`."""
    if status == "parsed":
        return "go on"
    return "ask again" if asked < 2 else "one step"


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
    cases = [(status, asked) for status in ("parsed", "empty", "unreadable") for asked in (1, 2)]
    turn = seed % len(cases)
    ordered = cases[turn:] + cases[:turn]
    return [expect(f"next_move({case[0]!r}, {case[1]})", answer(*case), move(*case)) for case in ordered]


FENCED: tuple[tuple[str, str], ...] = (
    ('```json\n["a", "b"]\n```', '["a", "b"]'),
    ('```\n["a"]\n```', '["a"]'),
    ('```JSON\n[\n "a",\n "b"\n]\n```', '[\n "a",\n "b"\n]'),
    ('["a", "b"]', '["a", "b"]'),
    ('["say ``` twice"]', '["say ``` twice"]'),
    ('Here:\n```json\n["a"]\n```\nShall I start?', '["a"]'),
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
    turn = seed % len(FENCED)
    return [expect(f"unfenced({text!r})", answer(text), inner) for text, inner in FENCED[turn:] + FENCED[:turn]]


quiz(
    "03.q1",
    "A plan was cut in its last step. Why is it not read up to there?",
    "Nobody knows what was still to come, and half a step would be carried out as if it were whole.",
    (
        ("Because JSON that was cut cannot be repaired.", "a repair library closes it without a word"),
        ("Because a plan of four steps is too short.", "a plan of one step is read as well"),
    ),
)
quiz(
    "03.q2",
    'What does "degraded" in a result say?',
    "That the run went on with less than a plan that could be used, and why.",
    (
        ("That the answer is wrong.", "a run with one step may answer well; nobody has judged it"),
        ("That the run was stopped by a limit.", "a limit is named in `stop`; a degraded run goes on"),
    ),
)
quiz(
    "03.q3",
    "Why does the second request name what was wrong with the first plan?",
    "With the reason the model can mend its reply; the same request again tends to bring the same fault.",
    (
        ("Because the service would otherwise refuse it.", "it would take the same request again"),
        ("So that the plan gets shorter.", "only a plan that is too long has to become shorter"),
    ),
)
