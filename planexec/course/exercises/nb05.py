"""Exercises and quiz of 05_replanner."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from planexec.course.checks import Tried, exercise, expect
from planexec.course.quiz import quiz
from planexec.plans import same_goal

Goals = Mapping[int, str]

# plans before and after, as id -> goal
CHANGES: tuple[tuple[Goals, Goals], ...] = (
    ({2: "measure", 3: "halve", 4: "write"}, {2: "Measure.", 4: "write", 5: "draw"}),
    ({2: "measure", 3: "halve"}, {3: "halve", 2: "measure"}),
    ({2: "measure", 3: "halve"}, {}),
    ({}, {1: "find the map"}),
    ({2: "above 1.5 %", 3: "write"}, {2: "above 15 %", 3: "write"}),
)


def told_apart(old: Goals, new: Goals) -> dict[str, list[int]]:
    """told_apart({1: "a", 2: "b"}, {2: "c", 3: "d"}) -> kept [], reworded [2], removed [1], added [3]"""
    both = [step for step in new if step in old]
    return {
        "kept": [step for step in both if same_goal(new[step], old[step])],
        "reworded": [step for step in both if not same_goal(new[step], old[step])],
        "removed": [step for step in old if step not in new],
        "added": [step for step in new if step not in old],
    }


def _turned(listed: Sequence[Any], seed: int) -> Sequence[Any]:
    turn = seed % len(listed)
    return [*listed[turn:], *listed[:turn]]


@exercise(
    "05.1",
    "difference",
    lambda seed: (
        f"difference({dict(CHANGES[seed % 2][0])}, {dict(CHANGES[seed % 2][1])})\n"
        '-> a dict with the lists of ids "kept", "reworded", "removed" and "added". An id of both plans is kept when '
        "same_goal(one, other) from planexec.plans says that its goals are the same, else reworded. Removed ids in the "
        "order of the old plan, the others in that of the new one."
    ),
    (
        "An id of both plans: ask same_goal(old[id], new[id]); == takes a capital or a full stop for new words.",
        "An id that is only in the old plan is removed, one that is only in the new plan is added.",
        'Four lists: "removed" from [step for step in old if step not in new], and so on.',
    ),
)
def _difference(answer: Callable[[Any, Any], Any], seed: int) -> list[Tried]:
    tried = []
    for old, new in _turned(CHANGES, seed):
        got, right = answer(dict(old), dict(new)), told_apart(old, new)
        tried.append(expect(f"difference({dict(old)}, {dict(new)})", got, right, _difference_hint(got, right)))
    return tried


def _difference_hint(got: Any, right: dict[str, list[int]]) -> str:
    """What helps with the first list that is not right; "" when the answer is no such dict."""
    if not isinstance(got, dict) or set(got) != set(right):
        return ""
    if not all(isinstance(ids, list) for ids in got.values()):
        return "Four lists, please: a set has no order."
    if got["kept"] != right["kept"] and got["removed"] == right["removed"]:
        return 'Ids decide first, then same_goal: "Measure." is "measure", and "above 15 %" is not "above 1.5 %".'
    return ""


def rest_of(said: Sequence[str] | None, rest: Sequence[str], finished: Sequence[str], room: int) -> list[str]:
    """rest_of(["map", "write"], ["write"], ["map"], 5) -> ["write"]; rest_of([], ["write"], [], 5) -> []"""
    left = [goal for goal in said or () if goal not in finished]
    refused = said is None or (said and not left) or len(left) > room
    return list(rest) if refused else left


# the goals of the answer, the open ones, the finished ones, the room, and what helps whoever fails here
ANSWERED: tuple[tuple[list[str] | None, list[str], list[str], int, str], ...] = (
    (["write"], ["measure", "write"], ["find the map"], 7, "What the answer says is the new rest."),
    (None, ["measure", "write"], ["find the map"], 7, "None: nothing could be read, so the plan stays as it was."),
    ([], ["measure", "write"], ["find the map"], 7, "[] is an answer: nothing is left. Ask `said is None` for None."),
    (["find the map", "write"], ["measure", "write"], ["find the map"], 7, "Finished goals are taken out."),
    (["find the map"], ["write"], ["find the map"], 7, "Only finished goals: that is not [], so the plan stays."),
    (["measure", "draw", "write"], ["write"], ["find the map"], 2, "Too many: the whole answer is refused."),
    (["draw", "write"], ["write"], ["find the map"], 2, "Just as many as there is room for: they are taken."),
    (["find the map", "draw", "write"], ["write"], ["find the map"], 2, "Take finished goals out, then count."),
)


@exercise(
    "05.2",
    "new_rest",
    lambda seed: (
        "new_rest(said, rest, finished, room) -> the list of the goals that are left to do. `said`: the goals in the "
        "replanner's answer, None when it could not be read; `rest`: the open goals so far; `finished`: those carried "
        "out, each perhaps named again in the answer; `room`: how many goals may be left at most, counted when the "
        "finished ones are out. No goal is named twice in an answer. Compare goals with ==."
    ),
    (
        "Take the finished goals out first; then ask when the answer cannot be used. Then the plan stays: return rest.",
        "It cannot be used when it is None, when it held goals and none is left, or when more are left than fit.",
        "left = [goal for goal in said or [] if goal not in finished]",
    ),
)
def _new_rest(answer: Callable[[list[str] | None, list[str], list[str], int], Any], seed: int) -> list[Tried]:
    tried = []
    for said, rest, finished, room, hint in _turned(ANSWERED, seed):
        given = None if said is None else list(said)
        got = answer(given, list(rest), list(finished), room)
        what = f"new_rest({said}, {rest}, {finished}, {room})"
        tried.append(expect(what, got, rest_of(said, rest, finished, room), hint))
    return tried


TEXTS = (
    "Find makers above 1.5 % of 2,000 cars.",
    "Find makers above 15 % of 2,000 cars.",
    "Cool to -5 degrees, then wait 10 minutes.",
    "Write the report.",
    "Compare 2025, 2026.",
    "Charge at 800 V in 11.5 minutes; note the price: 1,234.50",
)
_FIGURE = re.compile(r"(?<![\w.,])-?\d+(?:[.,]\d+)*")


def figures_in(goal: str) -> list[str]:
    """figures_in("above 1.5 % of 2,000 cars.") -> ["1.5", "2,000"]: points and commas between digits belong to it."""
    return _FIGURE.findall(goal)


@exercise(
    "05.3",
    "figures",
    lambda seed: (
        f"figures({TEXTS[seed % 3]!r}) -> the list of the figures as they stand there, as texts: a minus before a "
        "figure, and points and commas between digits, belong to it; a full stop after it does not. "
        "No ranges (3-5) occur."
    ),
    (
        "A figure begins with a digit, or with a minus right before a digit.",
        "It goes on over digits, and over a point or comma that is followed by a digit.",
        r're.findall(r"-?\d+(?:[.,]\d+)*", goal)',
    ),
)
def _figures(answer: Callable[[str], Any], seed: int) -> list[Tried]:
    tried = []
    for text in _turned(TEXTS, seed):
        got, right = answer(text), figures_in(text)
        tried.append(expect(f"figures({text!r})", got, right, _figures_hint(got, right)))
    return tried


def _figures_hint(got: Any, right: list[str]) -> str:
    """What helps with the form of the figures; "" when the form is right, or it is no list."""
    if not isinstance(got, list) or not got:
        return ""
    if not all(isinstance(each, str) for each in got):
        return "Texts, just as they stand in the goal, not numbers."
    if any("%" in each for each in got):
        return 'The "%" says what the figure counts; it does not belong to it.'
    if any(each.endswith((".", ",")) for each in got):
        return "A point or a comma belongs to the figure only when a digit follows."
    if not all(any(digit.isdigit() for digit in each) for each in got):
        return "A figure has at least one digit."
    if [each.lstrip("-") for each in got] == [each.lstrip("-") for each in right]:
        return "A minus right before a digit belongs to the figure."
    return "Points and commas between digits belong to it: 1.5 is one figure, not two." if len(got) > len(right) else ""


quiz(
    "05.q1",
    "Step 3 has failed, step 4 is still open. The replanner answers with the words of step 3, and with nothing else. "
    "What happens?",
    "The plan stays as it was, and step 4 is next; another try of 3 would need other words.",
    (
        (
            "Step 3 is carried out again, and step 4 is deleted.",
            "a step that was carried out cannot come back in the same words, done or failed",
        ),
        (
            "Nothing is left to do, so step 4 is deleted and the run ends.",
            'that is said with "[]"; an answer that cannot be used deletes nothing',
        ),
    ),
    why="an answer that names only finished steps cannot be used, and finished means carried out, done or failed",
)
quiz(
    "05.q2",
    'Step 3, "Find makers above 1.5 %", is still open. The answer names id 3 with "above 15 %". What happens?',
    "Step 3 gets the new words: an open step may be reworded.",
    (
        ("Step 3 stays as it is: only a point has gone.", "a point between two digits is no punctuation: another goal"),
        ("The answer is refused.", "only what was carried out may not come back; this step is open"),
    ),
    why="its number says which step is meant, and the replanner is asked in order to change open steps; the change is "
    "shown",
)
quiz(
    "05.q3",
    "A plan may have 8 lines, and 6 steps are done. The replanner names 3 steps. What becomes of the rest?",
    "It stays as it was before the answer.",
    (
        ("The first two of the three are taken.", "nobody knows which two are meant: the whole answer is refused"),
        ("The run stops with an error.", "an answer that cannot be used ends no run"),
    ),
    why="done and open lines count together, and 6 done and 3 named are more than 8; such an answer is not used at all",
)
