"""Exercises and quiz of 14_fifteen_flights: count what repeats, and let nothing be said that no call has brought."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from planexec.course.checks import Tried, exercise, expect
from planexec.course.quiz import quiz

Call = tuple[str, Mapping[str, str]]

# calls of runs: (tool, arguments), in order
RUNS: tuple[tuple[Call, ...], ...] = (
    tuple(("flight_status", {"flight": "KITE431", "date": "2026-10-16"}) for _ in range(6)),
    (
        ("flight_status", {"flight": "KITE321", "date": "2026-10-15"}),
        ("weather", {"airport": "MQ3", "date": "2026-10-15"}),
        ("flight_status", {"date": "2026-10-15", "flight": "KITE321"}),
        ("weather", {"airport": "HB1", "date": "2026-10-15"}),
        ("flight_status", {"flight": "KITE321", "date": "2026-10-15"}),
    ),
    (
        ("weather", {"airport": "HB1", "date": "2026-10-12"}),
        ("weather", {"airport": "HB1", "date": "2026-10-13"}),
        ("weather", {"airport": "HB1", "date": "2026-10-14"}),
    ),
    (
        ("flight_history", {"flight": "KITE101"}),
        ("flight_status", {"flight": "KITE101"}),
        ("flight_history", {"flight": "KITE101"}),
    ),
    (),
)


def most_identical(calls: Sequence[Call]) -> int:
    """How often the most frequent of all calls was made: the same tool with the same arguments, in any order."""
    return max(Counter((tool, tuple(sorted(args.items()))) for tool, args in calls).values(), default=0)


def _given(run: Sequence[Call]) -> list[tuple[str, dict[str, str]]]:
    return [(tool, dict(args)) for tool, args in run]


@exercise(
    "14.1",
    "identical",
    lambda seed: (
        "identical(calls) -> how often was the most frequent call made? `calls` is a list of (tool, arguments).\n"
        "Two calls are the same when tool and arguments are; the order of the arguments does not matter, and other\n"
        "calls may stand between them. No calls: 0."
    ),
    (
        "A dict cannot be counted, because it can change. A tuple can.",
        "(tool, tuple(sorted(args.items()))) is the same for the same call.",
        "max(Counter(...).values(), default=0)",
    ),
)
def _identical(answer: Callable[[Any], Any], seed: int) -> list[Tried]:
    turn = seed % len(RUNS)
    runs = [_given(run) for run in RUNS[turn:] + RUNS[:turn]]
    return [expect(f"identical({run})", answer(run), most_identical(run)) for run in runs]


NEEDS = {"delay": "flight_status", "weather": "weather"}
CLAIMS: tuple[tuple[tuple[str, ...], tuple[tuple[str, str], ...]], ...] = (
    (("delay", "weather"), (("flight_status", "found"), ("weather", "found"))),
    (("delay", "weather"), (("weather", "found"),)),
    (("delay",), (("flight_status", "empty"), ("flight_status", "empty"))),
    (("delay", "weather"), (("flight_status", "found"), ("weather", "failed"))),
    (("delay", "weather"), (("flight_history", "found"), ("flight_status", "failed"), ("flight_status", "found"))),
    (("delay", "weather"), ()),
    ((), (("flight_status", "empty"),)),
)


@exercise(
    "14.2",
    "unbacked",
    lambda seed: (
        "unbacked(claims, calls) -> the list of claims that no call backs, in order. A claim is 'delay' or 'weather';\n"
        f"`calls` is a list of (tool, kind). {NEEDS}: each needs a call of its tool that found something."
    ),
    (
        "That a tool was called is not enough: look at the kind.",
        "The tools that found something: {tool for tool, kind in calls if kind == 'found'}",
        "Keep the claims whose tool is not among them.",
    ),
)
def _unbacked(answer: Callable[[list[str], list[tuple[str, str]]], Any], seed: int) -> list[Tried]:
    turn = seed % len(CLAIMS)
    tried = []
    for claims, calls in CLAIMS[turn:] + CLAIMS[:turn]:
        right = [claim for claim in claims if (NEEDS[claim], "found") not in calls]
        got = answer(list(claims), list(calls))
        tried.append(expect(f"unbacked({list(claims)}, {list(calls)})", got, right))
    return tried


TABLE: tuple[tuple[str, bool], ...] = (
    ("weather", True),
    ("on_time", False),
    ("weather", True),
    ("on_time", True),
    ("no_data", False),
    ("on_time", False),
)


@exercise(
    "14.3",
    "rates",
    lambda seed: (
        "rates(rows) -> {group: per cent of its runs that are right, as a whole number}, groups in the order in which\n"
        f"they first appear. `rows` is a list of (group, right): {list(_rows(seed))[:3]} ..."
    ),
    (
        "For each group: the number of its rows with True, divided by the number of its rows.",
        "round(100 * right / of)",
        "dict.fromkeys(group for group, right in rows) gives the groups in order.",
    ),
)
def _rates(answer: Callable[[Any], Any], seed: int) -> list[Tried]:
    tried = []
    for rows in (_rows(seed), _rows(seed + 1), ()):
        groups: dict[str, list[bool]] = {}
        for group, right in rows:
            groups.setdefault(group, []).append(right)
        wanted = {group: round(100 * sum(rights) / len(rights)) for group, rights in groups.items()}
        got = answer(list(rows))
        tried.append(expect(f"rates({list(rows)})", got, wanted))
        if isinstance(got, dict) and got == wanted:
            tried.append(expect("the order of its groups", list(got), list(wanted)))
    return tried


def _rows(seed: int) -> tuple[tuple[str, bool], ...]:
    turn = seed % len(TABLE)
    return TABLE[turn:] + TABLE[:turn]


quiz(
    "14.q1",
    "A model makes the same empty call six times. Why does telling it to stop not settle the matter?",
    "It decides anew each time from what it reads; only code keeps count.",
    (
        ("It does not read the prompt.", "it may heed a line in the prompt, some of the time: notebook 08"),
        ("The tool gives no answer.", "the tool answers plainly, six times, that there is no record"),
    ),
)
quiz(
    "14.q2",
    "Which guard helps a run that has its answer and goes on looking?",
    "One that ends a step when something was found and enough calls were made.",
    (
        ("The one against calls without a result.", "its calls do have results"),
        ("None: it needs more steps.", "with more steps it goes on looking for longer"),
    ),
)
quiz(
    "14.q3",
    "An agent answers all five flights of the first group rightly. What do you know?",
    "Little: one that always gives that answer does so too.",
    (
        ("That it reads weather and delay rightly.", "the shortcut never looked at the delay"),
        ("That it is right in general.", "the other four groups are there because they have other answers"),
    ),
)
