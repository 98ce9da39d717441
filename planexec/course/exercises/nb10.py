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
    (("search", {}),),
)


@exercise(
    "10.1",
    "key",
    lambda seed: (
        "key(tool, args) -> a text that is equal for equal calls: the order of the arguments and spaces at the ends of "
        f"texts do not matter. For example {SPELLED[seed % 2][0]} and {SPELLED[seed % 2][1]} are one call."
    ),
    (
        "json.dumps(..., sort_keys=True) puts the arguments in one order.",
        "The tool's name belongs in the text, and a name belongs to its value.",
        "args = {name: v.strip() if isinstance(v, str) else v for name, v in args.items()}",
    ),
)
def _key(answer: Callable[..., Any], seed: int) -> list[Tried]:
    listed = [(group, call) for group, calls in enumerate(SPELLED) for call in calls]
    turn = seed % len(listed)
    tried = []
    for (a, one), (b, other) in combinations(listed[turn:] + listed[:turn], 2):
        same = answer(*_copy(one)) == answer(*_copy(other))
        tried.append(expect(f"key{one} == key{other}", same, a == b))
    return tried


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
        f"rounds({list(ENDS[seed % len(ENDS)][0])}, {ENDS[seed % len(ENDS)][1]}) -> how many times in a row, at the "
        "end, do the last so many keys come? 0 when there are not so many."
    ),
    (
        "Take the last `period` keys; compare them with the `period` keys before, and so on backwards.",
        "Stop at the first that differ, or when fewer than `period` are left.",
        "Slices help: keys[len(keys) - 2 * period : len(keys) - period] are the ones before.",
    ),
)
def _rounds(answer: Callable[..., Any], seed: int) -> list[Tried]:
    turn = seed % len(ENDS)
    return [
        expect(f"rounds({list(keys)}, {period})", answer(list(keys), period), rounds_at_the_end(keys, period))
        for keys, period in ENDS[turn:] + ENDS[:turn]
    ]


ENOUGH = 0.9  # share of the loops that a detector has to catch


@exercise(
    "10.3",
    "detector",
    lambda seed: (
        "detector(calls) -> index of the call at which you are sure that it is a loop, or None. A call is "
        "(tool, args, result, kind). Catch nine loops of ten, and call no honest run one."
    ),
    (
        "Same tool, same arguments, same result: any two of the three occur in honest work.",
        "The cycles count too. You need not look for them: count how often each (tool, args, result) has come.",
        "Fire when one has come for the third time.",
    ),
)
def _detector(answer: Callable[..., Any], seed: int) -> list[Tried]:
    from planexec.trials.loop_runs import samples, score

    runs = samples()
    turn = seed % len(runs)
    done = score(answer, runs[turn:] + runs[:turn])
    examples = f"; wrong about {', '.join(sorted(done.wrong)[:2])}" if done.wrong else ""
    examples = examples or (f"; missed {', '.join(sorted(done.missed)[:2])}" if done.missed else "")
    good = done.alarms == 0 and done.caught >= ENOUGH * done.loops
    wanted = "nine of ten loops caught, no honest run called a loop"
    return [Tried("your detector on all runs", f"{done.text}{examples}", wanted, good)]


quiz(
    "10.q1",
    "The same call three times in a row, each time with another result. What is it?",
    "Work, most likely: polling, paging or scrolling.",
    (
        ("A loop: the third call is superfluous.", "each of these calls brought something new"),
        ("Impossible: the same call brings the same result.", "a job goes on, a page turns: the world changes"),
    ),
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
)
quiz(
    "10.q3",
    "629 files are read, one after the other, each with a new result. What should end it, if anything?",
    "A budget: a limit on calls, seconds or dollars.",
    (
        ("The loop detector.", "no call repeats; a rule that fires here would stop honest work too"),
        ("A line in the prompt.", "a prompt guides; whether the model heeds it nobody knows"),
    ),
)
