"""Exercises and quiz of 06_the_whole_loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from planexec.course.checks import Tried, exercise, expect
from planexec.course.quiz import quiz

# ((sides, dollars) of one run, (sides, dollars) of the other), and what helps whoever fails here
PAIRS: tuple[tuple[tuple[int, float], tuple[int, float], str], ...] = (
    ((2, 0.02), (4, 0.05), "Only the differences count: dollars more, divided by sides more."),
    ((1, 0.01), (5, 0.07), "Only the differences count: dollars more, divided by sides more."),
    ((5, 0.02), (5, 0.03), "Just as many sides: nothing was bought, and there is no price. Give back None."),
    ((0, 0.0), (1, 0.25), "A run that covers nothing is a run too: 0 is no reason for None."),
    ((3, 0.02), (2, 0.06), "Fewer sides: nothing was bought, and there is no price. Give back None."),
)


def _price(one: tuple[int, float], other: tuple[int, float]) -> float | None:
    more = other[0] - one[0]
    return (other[1] - one[1]) / more if more > 0 else None


def _asked(seed: int) -> str:
    one, other, _ = PAIRS[seed % 2]
    return f"price_of_a_side({one}, {other}) -> {_price(one, other):.3f}"


@exercise(
    "06.1",
    "price_of_a_side",
    lambda seed: (
        f"{_asked(seed)}\nEach pair is (sides covered, dollars) of a run. How many dollars more does the second run "
        "cost for each side that it covers more? Not rounded; None when it covers no side more."
    ),
    (
        "Only the differences count: dollars more, divided by sides more.",
        "No side more, or fewer: there is no price, and nothing to divide by.",
        "(other[1] - one[1]) / (other[0] - one[0]) if other[0] > one[0] else None",
    ),
)
def _price_of_a_side(answer: Callable[..., Any], seed: int) -> list[Tried]:
    tried = []
    for turn in range(len(PAIRS)):
        one, other, hint = PAIRS[(seed + turn) % len(PAIRS)]
        got, right = answer(one, other), _price(one, other)
        close = got is not None and right is not None and not isinstance(got, bool) and abs(got - right) < 1e-9
        what = f"price_of_a_side({one}, {other})"
        tried.append(Tried(what, got, right, close or (got is None and right is None), hint))
    return tried


# (report, observations, what helps whoever fails here): a figure is the same however its size is written
BY_VALUE = "Compare values, not texts: 25万 and 250,000 are written differently and have one value."
REPORTS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("It sold 250,000 cars, 18 % more.", ("Sold: 25万.", "No figure here.", "0.25 million"), BY_VALUE),
    ("The pack holds 205 Wh/kg, 18 % more.", ("In May: 205 Wh/kg.", "18 cars"), "18 % has the value 0.18, not 18."),
    ("Prices fell by 12 % to 88 yuan.", ("down 12%", "now 88 yuan", "was 100 yuan"), BY_VALUE),
    ("Growth of 7.5 % is expected.", (), "Without observations every list is empty: the figure was invented."),
    ("Nothing was found.", ("306 Wh/kg",), "A report without figures has nothing to trace."),
    ("One line makes 0.5 GWh, two 1.5 GWh.", ("and 15 more", "0.5 GWh, or 0.5 GWh"), "Name an observation once."),
)


def _sources_of(report: str, observations: Sequence[str]) -> dict[str, list[int]]:
    from planexec.trials.figures import figures

    known = [{figure.value for figure in figures(seen)} for seen in observations]
    return {each.text: [n for n, values in enumerate(known) if each.value in values] for each in figures(report)}


@exercise(
    "06.2",
    "sources_of",
    lambda seed: (
        f"sources_of{REPORTS[seed % 2][:2]}\n-> {_sources_of(*REPORTS[seed % 2][:2])}: for each figure of the report, "
        "as written, the list of the observations that hold its value, by their places from 0. An empty list is a "
        "figure that nobody found."
    ),
    (
        "figures(text) from planexec.trials.figures gives each figure with its `text` and its `value`.",
        "25万 and 250,000 are written differently and have one value.",
        "[n for n, seen in enumerate(observations) if figure.value in [each.value for each in figures(seen)]]",
    ),
)
def _traced(answer: Callable[..., Any], seed: int) -> list[Tried]:
    turn = seed % len(REPORTS)
    return [
        expect(f"sources_of({said!r}, {list(seen)})", answer(said, list(seen)), _sources_of(said, seen), hint)
        for said, seen, hint in REPORTS[turn:] + REPORTS[:turn]
    ]


quiz(
    "06.q1",
    "Why did the run with a plan cover five sides, with the same model and the same dial?",
    "The planner had named all five before the first page was read.",
    (
        ("The model drifts less when it works by a plan.", "it is the same model with the same dial; the loop differs"),
        ("The replanner added the missing ones.", "it was asked four times and changed nothing here"),
    ),
)
quiz(
    "06.q2",
    "Every figure of a report can be traced to a tool's result. What does that prove?",
    "Each value stands in some result; it may be old, wrong, or about something else.",
    (
        ("No figure was invented.", "an invented one may hit a value that stands somewhere, as the 88 % did"),
        ("The figures are right.", "a page can be wrong or out of date, and the report repeats it faithfully"),
    ),
)
quiz(
    "06.q3",
    "With `drift` at 0, what did the plan buy on this survey?",
    "No further side.",
    (
        ("Four sides more.", "that was with drift at 0.9; without drift ReAct covers all five by itself"),
        ("A lower bill.", "planner, replanner and reporter are calls too, so it costs more"),
    ),
)
