"""Exercises and quiz of 06_the_whole_loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from planexec.course.checks import Tried, exercise, expect
from planexec.course.quiz import quiz

# ((sides, dollars) of the cheaper run, (sides, dollars) of the dearer one)
PAIRS: tuple[tuple[tuple[int, float], tuple[int, float]], ...] = (
    ((1, 0.01), (5, 0.05)),
    ((2, 0.02), (4, 0.05)),
    ((5, 0.02), (5, 0.03)),
    ((0, 0.0), (1, 0.25)),
    ((3, 0.02), (2, 0.06)),
)


def _price(one: tuple[int, float], other: tuple[int, float]) -> float | None:
    more = other[0] - one[0]
    return (other[1] - one[1]) / more if more > 0 else None


@exercise(
    "06.1",
    "price_of_a_side",
    lambda seed: (
        f"price_of_a_side{PAIRS[seed % len(PAIRS)]} -> pairs of (sides covered, dollars). How many more dollars does "
        "the second run cost for each side that it covers more? None when it covers no more."
    ),
    (
        "Only the differences count: sides more, dollars more.",
        "No side more: there is no price, and nothing to divide by.",
        "(other[1] - one[1]) / (other[0] - one[0]) if other[0] > one[0] else None",
    ),
)
def _price_of_a_side(answer: Callable[..., Any], seed: int) -> list[Tried]:
    tried = []
    for turn in range(len(PAIRS)):
        one, other = PAIRS[(seed + turn) % len(PAIRS)]
        got, right = answer(one, other), _price(one, other)
        close = got is not None and right is not None and not isinstance(got, bool) and abs(got - right) < 1e-9
        what = f"price_of_a_side({one}, {other})"
        tried.append(Tried(what, got, right, close or (got is None and right is None)))
    return tried


# (report, observations): a figure is the same in whatever unit it is written
REPORTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("The pack holds 205 Wh/kg, 18 % more.", ("Measured: 205 Wh/kg.",)),
    ("It sold 250,000 cars and costs 0.34 yuan.", ("Sold: 25万.", "It costs 0.34 yuan.")),
    ("Prices fell by 12 % to 88 yuan.", ("down 12%", "now 88 yuan", "was 100 yuan")),
    ("Growth of 7.5 % is expected.", ()),
    ("Nothing was found.", ("306 Wh/kg",)),
    ("One line makes 0.5 GWh, two lines 1.5 GWh.", ("lines of 0.5 GWh", "and 15 more")),
)


def _expected(report: str, observations: Sequence[str]) -> list[str]:
    from planexec.trials.figures import untraced

    return [figure.text for figure in untraced(report, observations)]


@exercise(
    "06.2",
    "invented",
    lambda seed: (
        f"invented{REPORTS[seed % len(REPORTS)]} -> the figures of the report, as written and in order, whose value "
        "no observation holds."
    ),
    (
        "figures(text) from planexec.trials.figures gives each figure with its `text` and its `value`.",
        "25万 and 250,000 are written differently and have one value.",
        "known = {f.value for seen in observations for f in figures(seen)}",
    ),
)
def _invented(answer: Callable[..., Any], seed: int) -> list[Tried]:
    turn = seed % len(REPORTS)
    return [
        expect(f"invented({report!r}, {list(seen)})", answer(report, list(seen)), _expected(report, seen))
        for report, seen in REPORTS[turn:] + REPORTS[:turn]
    ]


quiz(
    "06.q1",
    "The model follows the striking word. What does the plan change about that?",
    "Nothing in the model; but every side has its own step, whatever the last result says.",
    (
        ("The model no longer drifts.", "it is the same model with the same dial; inside a step it could still drift"),
        ("The searches return other pages.", "tools and data are the same in both runs"),
    ),
)
quiz(
    "06.q2",
    "Every figure of a report can be traced to an observation. What does that prove?",
    "That none was made up; it may still be old, or wrong at its source.",
    (
        ("That the figures are right.", "a page can be wrong or stale, and the report repeats it faithfully"),
        ("That the report is complete.", "what was never searched is in no report, and nothing is missing to a tracer"),
    ),
)
quiz(
    "06.q3",
    "With drift at 0, what did the plan buy on this survey?",
    "No further side: only more calls, more tokens and a higher bill.",
    (
        ("Twice the coverage.", "without drift ReAct covers all five sides by itself"),
        ("A cheaper run.", "the planner, the replanner and the reporter are calls too"),
    ),
)
