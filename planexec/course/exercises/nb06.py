"""Exercises and quiz of 06_the_whole_loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any

from planexec.course.checks import Tried, exercise, expect
from planexec.course.quiz import quiz

ONLY_MORE = "Only the differences count: what it costs more, divided by the sides more."
# ((sides, cents) of one run, (sides, cents) of the other), and what helps whoever fails here
PAIRS: tuple[tuple[tuple[int, float], tuple[int, float], str], ...] = (
    ((1, 1.27), (5, 2.95), ONLY_MORE),
    ((2, 2.0), (4, 5.0), ONLY_MORE),
    ((5, 2.0), (5, 3.0), "Just as many sides: nothing was bought, and there is no price. Give back None."),
    ((0, 0.0), (1, 25.0), "A run that covers nothing is a run too: 0 is no reason for None."),
    ((3, 2.0), (2, 6.0), "Fewer sides: nothing was bought, and there is no price. Give back None."),
    ((2, 3.0), (3, 2.5), "More sides for less: the price is below 0, and it is a price."),
)


def _price(one: tuple[int, float], other: tuple[int, float]) -> float | None:
    more = other[0] - one[0]
    return (other[1] - one[1]) / more if more > 0 else None


def _asked(seed: int) -> str:
    one, other, _ = PAIRS[seed % 2]
    return f"price_of_a_side({one}, {other}) -> {_price(one, other):.2f}"


def _tried_with(answer: Callable[..., Any], *given: Any) -> Any:
    """What comes back; what was raised counts as that, so that the message names the try it was raised for."""
    try:
        return answer(*given)
    except Exception as problem:  # a learner's code may raise anything
        return problem


def _near(got: Any, right: float | None) -> bool:
    if got is None or right is None:
        return got is right
    return isinstance(got, Real) and not isinstance(got, bool) and abs(float(got) - right) < 1e-9


@exercise(
    "06.1",
    "price_of_a_side",
    lambda seed: (
        f"{_asked(seed)}\nEach pair is (sides covered, cents) of a run. How many cents more does the second run cost "
        "for each side that it covers more? Not rounded; None when it does not cover more sides."
    ),
    (
        ONLY_MORE,
        "As many sides, or fewer: there is no price, and nothing to divide by.",
        "(other[1] - one[1]) / (other[0] - one[0]) if other[0] > one[0] else None",
    ),
)
def _price_of_a_side(answer: Callable[..., Any], seed: int) -> list[Tried]:
    tried = []
    for turn in range(len(PAIRS)):
        one, other, hint = PAIRS[(seed + turn) % len(PAIRS)]
        got, right = _tried_with(answer, one, other), _price(one, other)
        known = not isinstance(got, Exception) or (isinstance(got, ZeroDivisionError) and right is None)
        said = hint if known else ""
        tried.append(Tried(f"price_of_a_side({one}, {other})", got, right, _near(got, right), said))
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
        "as written, the places (from 0, each once) of the observations that hold its value. Observations are the "
        "texts which the tools brought. An empty list is a figure that nobody found."
    ),
    (
        "figures(text) from planexec.trials.figures gives each figure with its `text` and its `value`.",
        "25万 and 250,000 are written differently and have one value.",
        "[n for n, seen in enumerate(observations) if figure.value in [each.value for each in figures(seen)]]",
    ),
)
def _traced(answer: Callable[..., Any], seed: int) -> list[Tried]:
    turn = seed % len(REPORTS)
    tried = []
    for said, seen, hint in REPORTS[turn:] + REPORTS[:turn]:
        got, right = _tried_with(answer, said, list(seen)), _sources_of(said, seen)
        tried.append(expect(f"sources_of({said!r}, {list(seen)})", got, right, _keys(got, right, hint)))
    return tried


def _keys(got: Any, right: dict[str, list[int]], else_: str) -> str:
    """The hint for keys that are not the figures of the report; without that mistake, the try's own."""
    if isinstance(got, Exception):
        return ""
    if not isinstance(got, dict) or set(got) == set(right):
        return else_
    if set(got) < set(right):
        return "A figure that nobody found is a key as well, with an empty list."
    return "The keys are the figures of the report as they are written: figure.text."


quiz(
    "06.q1",
    "Why did the run with a plan cover five sides, with the same model and the same dial?",
    "The planner had named all five before the first page was read.",
    (
        ("The model drifts less when it works by a plan.", "it is the same model with the same dial; the loop differs"),
        ("The replanner added the missing ones.", "it was asked four times and changed nothing here"),
    ),
    why="no striking word had been read by then; and a step has one goal only, in which our model never drifts",
)
quiz(
    "06.q2",
    "Every figure of a report can be traced to a tool's result. What does that prove?",
    "Each value stands in some result; it may be old, wrong, or about something else.",
    (
        ("No figure was invented.", "an invented one may hit a value that stands somewhere, as the 88 % did"),
        ("The figures are right.", "a page can be wrong or out of date, and the report repeats it faithfully"),
    ),
    why="the check compares values and reads nothing: 18 Wh/kg and 18 cars are the same to it, and what a page has "
    "wrong it passes",
)
quiz(
    "06.q3",
    "The run with a plan cost more than twice as much as ReAct. Where did most of its dollars go?",
    "To the steps, and then to the report, which writes again what they wrote.",
    (
        (
            "To looking at the plan again.",
            "a quarter of the calls, but short ones: the table by role shows their cents",
        ),
        ("To more searches.", "both made five searches, so these are not what the plan pays for"),
    ),
    why="writing is the dear part: a written token costs four times a read one, and the plan wrote four times as much "
    "as ReAct",
)
