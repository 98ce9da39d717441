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
# what to look at in each of them
SEEN = (
    "Count the calls, each with its tool and its arguments: max(Counter(...).values()).",
    "The first, third and fifth call are the same: another order of the arguments (sort them), other calls in between.",
    "Another date is another call: the arguments count, not the tool alone.",
    "The first and the third call are the same. Other calls may stand in between.",
    "Nothing to count here: max(..., default=0).",
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
        "identical(calls) -> how often was the most frequent call made?\n"
        "`calls` is a list of pairs (tool, arguments), where arguments is a dict.\n"
        "Two calls are the same when tool and arguments are; the order of the arguments does not matter, and other\n"
        "calls may stand between them. No calls: 0."
    ),
    (
        "A dict cannot be counted, because it can change. A tuple can: tuple(args.items()).",
        "(tool, tuple(sorted(args.items()))) is the same for the same call.",
    ),
)
def _identical(answer: Callable[[Any], Any], seed: int) -> list[Tried]:
    turn = seed % len(RUNS)
    runs = [_given(run) for run in RUNS[turn:] + RUNS[:turn]]
    hints = SEEN[turn:] + SEEN[:turn]
    tried = zip(runs, hints, strict=True)
    return [expect(f"identical({run})", answer(run), most_identical(run), hint) for run, hint in tried]


NEEDS = {"delay": "flight_status", "weather": "weather"}
FOUND = "That a tool was called is not enough: its call must be of the kind 'found'."
EACH = "Look at each claim on its own: the tool that *it* needs must have found something."
# claims of an answer, calls of its run, and a hint for whoever is wrong about them
CLAIMS: tuple[tuple[tuple[str, ...], tuple[tuple[str, str], ...], str], ...] = (
    (("delay", "weather"), (("flight_status", "found"), ("weather", "found")), "Both claims have what they need: []."),
    (("delay", "weather"), (("weather", "found"),), EACH),
    (("delay",), (("flight_status", "empty"), ("flight_status", "empty")), FOUND),
    (("delay", "weather"), (("flight_status", "found"), ("weather", "failed")), FOUND),
    (
        ("delay", "weather"),
        (("flight_history", "found"), ("flight_status", "failed"), ("flight_status", "found")),
        "One found call of the right tool is enough, whatever else failed; flight_history is the wrong tool.",
    ),
    (("delay", "weather"), (), "No call at all: nothing backs any claim."),
    ((), (("flight_status", "empty"),), "No claim, so none that is not backed: []."),
)


@exercise(
    "14.2",
    "unbacked",
    lambda seed: (
        "unbacked(claims, calls) -> the list of claims that no call backs, in their order.\n"
        "A claim is 'delay' or 'weather'. `calls` is a list of pairs (tool, kind); a kind is found, empty, failed or\n"
        f"refused. {NEEDS}:\neach needs a call of its tool that found something."
    ),
    (
        "The tools that found something: {tool for tool, kind in calls if kind == 'found'}",
        "Keep those claims whose tool is not among the tools that found something.",
    ),
)
def _unbacked(answer: Callable[[list[str], list[tuple[str, str]]], Any], seed: int) -> list[Tried]:
    turn = seed % len(CLAIMS)
    tried = []
    for claims, calls, hint in CLAIMS[turn:] + CLAIMS[:turn]:
        right = [claim for claim in claims if (NEEDS[claim], "found") not in calls]
        got = answer(list(claims), list(calls))
        tried.append(expect(f"unbacked({list(claims)}, {list(calls)})", got, right, hint))
    return tried


TABLE: tuple[tuple[str, bool], ...] = (
    ("weather", True),
    ("on_time", False),
    ("weather", True),
    ("on_time", True),
    ("no_data", False),
    ("on_time", False),
    ("other", True),
    ("other", False),
    ("other", True),
)


@exercise(
    "14.3",
    "rates",
    lambda seed: (
        "rates(rows) -> {group: per cent of its runs that are right, rounded to a whole number}, groups in the order\n"
        f"in which they first appear. `rows` is a list of pairs (group, right): {list(_rows(seed))[:3]} ..."
    ),
    (
        "dict.fromkeys(group for group, right in rows) gives the groups in order.",
        "[right for of, right in rows if of == group] are the results of one group; sum() counts the True ones.",
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
        tried.append(expect(f"rates({list(rows)})", got, wanted, _about(got, wanted)))
        if isinstance(got, dict) and got == wanted:
            order = "The first row's group comes first, then the next new one: dict.fromkeys(...) keeps that order."
            tried.append(expect("the order of its groups", list(got), list(wanted), order))
    return tried


def _about(got: Any, wanted: dict[str, int]) -> str:
    """A hint for the mistake that these rates show."""
    if not isinstance(got, dict):
        return "A dict: {group: per cent, ...}."
    missing = [group for group in wanted if group not in got]
    if missing:
        return f"{missing[0]!r} is missing: a group with no right run has a rate, too, 0."
    if all(isinstance(got[group], (int, float)) and abs(got[group] - wanted[group]) <= 1 for group in wanted):
        return "Round, do not cut: round(66.7) is 67, int(66.7) is 66."
    return "Divide by the number of the runs of this group, not of all; then times 100."


def _rows(seed: int) -> tuple[tuple[str, bool], ...]:
    turn = seed % len(TABLE)
    return TABLE[turn:] + TABLE[:turn]


quiz(
    "14.q1",
    "Of the flights that were not delayed, bare runs are right in a few, fully protected ones in all. What did it?",
    "This comparison cannot say: turns, attempts, guards and the last word changed together.",
    (
        ("The default guards.", "alone, in six turns, they left these runs as they were"),
        ("The twelve turns.", "twelve turns alone make about half of these runs right"),
    ),
)
quiz(
    "14.q2",
    "A run has its answer and goes on looking. Which guard ends it within six turns?",
    "The one that counts calls once something was found.",
    (
        ("The one that counts calls without a result.", "its calls do have results"),
        ("The one that counts the same call.", "it lets two rounds pass, and six turns hold no more"),
    ),
)
quiz(
    "14.q3",
    "An agent answers all five flights of the first group rightly. What do you know?",
    "Little: one that never looks at the flight does so, too.",
    (
        ("That it reads weather and delay rightly.", "the shortcut never looked at the delay"),
        ("That it is right about delayed flights.", "the shortcut was wrong about all that were late in good weather"),
    ),
)
