"""Exercises and quiz of 10_loop_detection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

from planexec.course.checks import Tried, exercise, expect
from planexec.course.quiz import quiz

Call = tuple[str, dict[str, Any]]

# groups of calls; those of one group are the same call, spelled differently
SPELLED: tuple[tuple[Call, ...], ...] = (
    (("search", {"query": "EV1", "n": 5}), ("search", {"n": 5, "query": "EV1"}), ("search", {"query": " EV1", "n": 5})),
    (("search", {"query": "EV2", "n": 5}), ("search", {"query": "EV2 ", "n": 5})),
    (("open", {"query": "EV1", "n": 5}),),
    (("search", {"query": "EV1", "n": 6}),),
    (("search", {"n": "EV1", "query": 5}),),
    (("search", {"query": "EV 1", "n": 5}),),
    (("search", {"query": "EV1", "n": "5"}),),
    (("search", {}),),
)


@exercise(
    "10.1",
    "key",
    lambda seed: (
        "key(tool, args) -> a text (or another value) that is equal for equal calls: the order of the arguments and "
        f"spaces at the ends of texts do not matter. For example {SPELLED[seed % 2][0]} and {SPELLED[seed % 2][1]} "
        "are one call. Every other difference makes another call: a space inside a text, or '5' in place of 5."
    ),
    (
        "Tool, names and values belong in the text: each of them makes another call when it differs.",
        "json.dumps(args, sort_keys=True) is one text for every order of the arguments.",
        "A value that is a text (isinstance(value, str)) is stripped first; others stay as they are.",
    ),
)
def _key(answer: Callable[..., Any], seed: int) -> list[Tried]:
    listed = [(group, call) for group, calls in enumerate(SPELLED) for call in calls]
    turn = seed % len(listed)
    tried = []
    for (a, one), (b, other) in combinations(listed[turn:] + listed[:turn], 2):
        same = answer(*_copy(one)) == answer(*_copy(other))
        tried.append(expect(f"key{one} == key{other}", same, a == b, _told_apart(one, other, a == b)))
    return tried


def _told_apart(one: Call, other: Call, same: bool) -> str:
    """The hint for a pair that was taken for two calls, or for one, wrongly."""
    if same:
        order = "Only the order of the arguments differs; json.dumps(..., sort_keys=True) puts them in one."
        return order if one[1] == other[1] else "One value has a space at an end; strip the texts among the values."
    if one[0] != other[0]:
        return "These are two tools: the tool's name belongs in the text."
    if _texts(one, "") == _texts(other, ""):
        return "A text is no number: '5' and 5 are two values. Strip the texts, leave the others as they are."
    if _texts(one, " ") == _texts(other, " "):
        return "A space inside a text makes another text; only those at its ends go: value.strip()."
    values = sorted(map(str, one[1].values())) == sorted(map(str, other[1].values()))
    return "The values have changed places: a name belongs to its value." if values else ""


def _texts(call: Call, without: str) -> dict[str, str]:
    """The arguments as texts, stripped, and without a character."""
    return {name: str(value).strip().replace(without, "") for name, value in call[1].items()}


def _copy(call: Call) -> Call:
    return call[0], dict(call[1])


# the keys of calls, one letter each, and a period
ENDS: tuple[tuple[str, int], ...] = (
    ("ABABAB", 2),
    ("XAAA", 1),
    ("ABCABC", 3),
    ("ABABAC", 2),
    ("CABAB", 2),
    ("AABAAB", 3),
    ("ABA", 2),
    ("A", 2),
    ("ABABA", 2),
    ("", 1),
)


def rounds_at_the_end(keys: Sequence[str], period: int) -> int:
    """rounds_at_the_end("XABAB", 2) -> 2: how many times in a row the last `period` keys came; 0 without so many."""
    last, count = list(keys[-period:]), 0
    if len(last) < period:
        return 0
    while list(keys[len(keys) - (count + 1) * period : len(keys) - count * period]) == last:
        count += 1
        if (count + 1) * period > len(keys):
            break
    return count


@exercise(
    "10.2",
    "rounds",
    lambda seed: (
        f"rounds({list(ENDS[seed % len(ENDS)][0])}, {ENDS[seed % len(ENDS)][1]}) -> "
        f"{rounds_at_the_end(*ENDS[seed % len(ENDS)])}: how many times in a row, at the end, the last `period` keys "
        "come (`period` is the second argument). The last group itself is the first time. 0 when there are fewer keys."
    ),
    (
        "Take the last `period` keys; compare them with the `period` keys before, and so on backwards.",
        "Stop at the first that differ, or when fewer than `period` are left.",
        "Slices help: keys[len(keys) - 2 * period : len(keys) - period] are the ones before.",
    ),
)
def _rounds(answer: Callable[..., Any], seed: int) -> list[Tried]:
    turn = seed % len(ENDS)
    tried = []
    for keys, period in ENDS[turn:] + ENDS[:turn]:
        got, right = answer(list(keys), period), rounds_at_the_end(keys, period)
        tried.append(expect(f"rounds({list(keys)}, {period})", got, right, _off(got, right)))
    return tried


def _off(got: Any, right: int) -> str:
    if type(got) is not int or got == right:
        return ""
    if right == 0:
        return "There are fewer keys than one round has: that is 0."
    if got > right:
        return "Too many: go back from the end a whole round at a time, and stop at the first that differs."
    return "Too few: the last group itself counts, and one that begins with the first key counts as well."


ENOUGH = 0.9  # share of the loops that a detector has to catch
NOTES, TESTS = {"path": "notes.md"}, {"folder": "tests"}
# honest: the tests are run once more, to see whether they fail the same way, and then there is work
TWICE: tuple[tuple[str, dict[str, Any], str, str], ...] = (
    ("list_files", {}, "notes.md, parse.py, tests", "found"),
    ("read_file", NOTES, "dates are read in parse.py", "found"),
    ("run_tests", TESTS, "2 failed", "found"),
    ("run_tests", TESTS, "2 failed", "found"),
    ("read_file", {"path": "parse.py"}, "40 lines", "found"),
    ("write_file", {"path": "parse.py"}, "written", "found"),
    ("run_tests", TESTS, "all passed", "found"),
    ("write_file", NOTES, "written", "found"),
)


@exercise(
    "10.3",
    "detector",
    lambda seed: (
        "detector(calls) -> None, or, once you are sure that the run is a loop, the index of the call at which you are "
        "(it is not checked which). A call is (tool, args, result, kind). Catch nine of ten of the loops in samples(), "
        "and call no honest run one; one more honest run is tried, of eight calls, in which one call comes twice in a "
        "row with the same result, as in many longer good runs."
    ),
    (
        "Same tool, same arguments, same result: any two of the three occur in honest work.",
        "Keep a list: for each call its key (10.1) together with its result.",
        "After each call ask rounds(list, period) of 10.2 for the periods 1 to 4; three rounds are a loop.",
    ),
)
def _detector(answer: Callable[..., Any], seed: int) -> list[Tried]:
    from planexec.trials.loop_runs import samples, score

    runs = samples()
    turn = seed % len(runs)
    done = score(answer, runs[turn:] + runs[:turn])
    examples = _named("; wrong about ", done.wrong) or _named("; missed ", done.missed)
    good = done.alarms == 0 and done.caught >= ENOUGH * done.loops
    wanted = "nine of ten loops caught, no honest run called a loop"
    hint = "" if good else _lacking(done.wrong, done.missed)
    at = answer(list(TWICE))
    once_more = (
        "Twice in a row is no loop yet: it comes in 12.7 % of the longer good public runs. Wait for a third time."
    )
    return [
        Tried("your detector on all runs", f"{done.text}{examples}", wanted, good, hint),
        expect("your detector on the honest run with one call twice", at, None, once_more),
    ]


def _named(words: str, names: Sequence[str]) -> str:
    """Two of the names, and how many more there are."""
    more = f" and {len(names) - 2} more" if len(names) > 2 else ""
    return f"{words}{', '.join(sorted(names)[:2])}{more}" if names else ""


def _lacking(wrong: Sequence[str], missed: Sequence[str]) -> str:
    """The hint for what the detector does not look at; "" when it looks at nothing yet."""
    if set(wrong) - {"polling", "paging"}:
        return "It calls runs a loop in which no call comes again with its arguments and its result. Compare all three."
    if {"polling", "paging"} & set(wrong):
        return "Polling and paging are work: the same call with a new result. Compare the results, too."
    if "exact" in missed:
        return ""
    return "It sees a call that follows itself, and no cycle: ask rounds(...) for the periods 1 to 4."


quiz(
    "10.q1",
    "The same call three times in a row, each time with another result. What is it?",
    "Work, most likely: polling, paging or scrolling.",
    (
        ("A loop: the third call is superfluous.", "each of these calls brought something new"),
        ("Impossible: the same call brings the same result.", "a job goes on, a page turns: the world changes"),
    ),
    why="what is stuck brings the same again; so a detector compares the result, too, and polling and paging raise no "
    "alarm",
)
quiz(
    "10.q2",
    "A rule fires in 4 of 100 successful runs. What does that say about the next alarm?",
    "Not much by itself: it also depends on how many of the runs loop at all.",
    (
        (
            "It is false with a chance of 4 %.",
            "that is the share of good runs flagged, not the share of flags that are wrong",
        ),
        ("It is right: four is few.", "where loops are rare, even a few false alarms outnumber them"),
    ),
    why="with one and the same rule 99% of the alarms were right where half the runs loop, and 67% where 2% do",
)
quiz(
    "10.q3",
    "629 files are read, one after the other, each with a new result. What should end it, if anything?",
    "A budget: a limit on calls, seconds or dollars.",
    (
        ("The loop detector.", "no call repeats; a rule that fires here would stop honest work too"),
        ("A line in the prompt.", "a prompt guides; whether the model heeds it nobody knows"),
    ),
    why="the calls look the same, be it work or an agent that comes to no end; what you want to pay, you can say",
)
