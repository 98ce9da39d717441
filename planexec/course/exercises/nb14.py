"""Exercises and quiz of 14_fifteen_flights: count what repeats, back what is said, change one thing at a time."""

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
        "A dict cannot be counted, because it can change. A tuple can: (tool, tuple(sorted(args.items()))).",
        "Counter(...) counts such pairs; max(....values(), default=0) is the most frequent one.",
    ),
)
def _identical(answer: Callable[[Any], Any], seed: int) -> list[Tried]:
    turn = seed % len(RUNS)
    runs = [_given(run) for run in RUNS[turn:] + RUNS[:turn]]
    hints = SEEN[turn:] + SEEN[:turn]
    tried = zip(runs, hints, strict=True)
    return [expect(f"identical({run})", _counted(answer, run), most_identical(run), hint) for run, hint in tried]


def _counted(answer: Callable[[Any], Any], run: Sequence[Call]) -> Any:
    """What comes back; for a run without calls an error, too, so that the hint of this run is given for it."""
    try:
        return answer(run)
    except ValueError as problem:
        if run:
            raise
        return f"{type(problem).__name__}: {problem}"


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
    (("weather", "delay"), (("flight_history", "found"),), "In the order in which the claims were given."),
    ((), (("flight_status", "empty"),), "No claim, so none that is not backed: []."),
)


@exercise(
    "14.2",
    "unbacked",
    lambda seed: (
        "unbacked(said, calls) -> the list of those claims in `said` that no call backs, in their order.\n"
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


Settings = dict[str, dict[str, Any]]
BARE: dict[str, Any] = {"turns": 6, "attempts": 1, "guards": "none", "last_word": False}
FULL: dict[str, Any] = {"turns": 12, "attempts": 3, "guards": "default", "last_word": True}
TWO = "Two things changed at once: nobody can say which of them did it."
# settings, the one to compare with, and a hint for whoever is wrong about them
SETTINGS: tuple[tuple[Settings, str, str], ...] = (
    (
        {"bare": BARE, "more turns": {**BARE, "turns": 12}, "all": FULL, "last word": {**BARE, "last_word": True}},
        "bare",
        "'all' differs in four things; the other two in one each.",
    ),
    (
        {"bare": BARE, "no guard": {**FULL, "guards": "none"}, "all": FULL, "guards": {**BARE, "guards": "default"}},
        "all",
        "Compare with the setting that `base` names, whichever it is.",
    ),
    ({"bare": BARE, "patient": {**BARE, "turns": 12, "attempts": 3}}, "bare", TWO),
    (
        {"bare": BARE, "twin": dict(BARE)},
        "bare",
        "The twin differs in nothing, like `base` itself: no change, no finding.",
    ),
    (
        {"a": {"model": "x", "prompt": "short"}, "b": {"model": "y", "prompt": "short"}},
        "b",
        "Look at whatever things the settings name, not at four fixed ones.",
    ),
)


@exercise(
    "14.3",
    "alone",
    lambda seed: (
        "alone(settings, base) -> the names of the settings that differ from settings[base] in exactly one thing,\n"
        "in their order. `settings` is {name: {thing: value}}, and all of them name the same things, for example\n"
        "{'bare': {'turns': 6, 'tries': 1}, 'both': {'turns': 12, 'tries': 3}, 'long': {'turns': 12, 'tries': 1}}:\n"
        "with base 'bare' that is ['long'], with base 'both' too."
    ),
    (
        "For one setting: sum(setting[thing] != settings[base][thing] for thing in setting) things differ.",
        "Keep the names for which that sum is 1: [name for name, setting in settings.items() if ... == 1].",
    ),
)
def _alone(answer: Callable[[Settings, str], Any], seed: int) -> list[Tried]:
    turn = seed % len(SETTINGS)
    tried = []
    for settings, base, hint in SETTINGS[turn:] + SETTINGS[:turn]:
        differ = {name: sum(each[thing] != settings[base][thing] for thing in each) for name, each in settings.items()}
        right = [name for name, things in differ.items() if things == 1]
        given = {name: dict(each) for name, each in settings.items()}
        tried.append(expect(f"alone({given}, {base!r})", answer(given, base), right, hint))
    return tried


quiz(
    "14.q1",
    "Of the flights that were not delayed, bare runs are right in a few, fully protected ones in all. What did it?",
    "This comparison cannot say: turns, attempts, guards and the last word changed together.",
    (
        ("The default guards.", "in six turns `no result`, `same call` and `loops` left these runs as they were"),
        ("The twelve turns.", "twelve turns alone make about half of these runs right"),
    ),
    why="tried one at a time, the last word alone made all of them right, without any guard and in six turns",
)
quiz(
    "14.q2",
    "A run has its answer and goes on looking. Which guard ends it within six turns?",
    "The one that counts calls once something was found.",
    (
        ("The one that counts calls without a result.", "its calls do have results"),
        ("The one that counts the same call.", "it lets two rounds pass, and six turns hold no more"),
    ),
    why="it needs no empty result and no third round: as something was found, the fourth call is the last",
)
quiz(
    "14.q3",
    "An agent answers all five flights of the first group rightly. What do you know?",
    "That it does well where storm and delay go together.",
    (
        ("That it reads weather and delay rightly.", "the shortcut never looked at the delay, and had five of five"),
        ("That it is right about delayed flights.", "the shortcut was wrong about all that were late in good weather"),
    ),
    why="that group holds only flights that the weather delayed, so a look at the weather alone scores as well as a "
    "look at both",
)
