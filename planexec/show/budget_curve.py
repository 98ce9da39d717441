"""Two curves over a budget: how many runs succeed, and what it costs to be wrong in either direction.

The budget that was chosen is marked in both, with its number. Drawn as SVG, which moves with a dial, and on a printed
figure. Nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from planexec.result import Result
from planexec.show.figures import draw_timeline, timeline_alt
from planexec.show.picture import BLUE, GREY, ORANGE, Picture, canvas
from planexec.show.svg import WIDTH, label, line, svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Points = Sequence[tuple[int, float]]
HEAD, DEEP, LEFT, ACROSS, GAP = 52.0, 110.0, 44.0, 270.0, 76.0


@dataclass(frozen=True)
class Curve:
    """Points (budget, value): per cent right, per cent of good runs cut short, calls wasted a run."""

    title: str
    chosen: int
    success: Points
    cut_short: Points
    wasted: Points

    @property
    def alt(self) -> str:
        """The numbers, for who does not see the picture."""
        named = (("right, %", self.success), ("good runs cut short, %", self.cut_short), ("calls wasted", self.wasted))
        said = "; ".join(f"{name}: {', '.join(f'{x} → {y:.3g}' for x, y in points)}" for name, points in named)
        return f"{self.title}. By max_steps, {said}."

    @property
    def calls(self) -> float:
        """The upper end of the scale of calls wasted: at least 1."""
        return max([1.0, *(y for _, y in self.wasted)])


def curve_svg(curve: Curve) -> str:
    """The curves as SVG. The right one has two scales: per cent at its left end, calls at its right."""
    shapes = [
        *_frame(0, curve, "100"),
        *_points(0, curve.success, 100, BLUE, curve.chosen, lambda y: f"{y:.0f} %"),
        label(LEFT, HEAD - 10, "● right, %", colour=BLUE, size=11),
        *_frame(1, curve, "100"),
        *_points(1, curve.cut_short, 100, BLUE, curve.chosen, lambda y: f"{y:.0f} %"),
        *_points(1, curve.wasted, curve.calls, ORANGE, curve.chosen, lambda y: f"{y:.1f}", "6 4"),
        label(_x(1, 0), HEAD - 10, "● good runs cut short, %", colour=BLUE, size=11),
        label(_x(1, 1) + 24, HEAD - 10, "● calls wasted a run", colour=ORANGE, size=11, anchor="end"),
        label(_x(1, 1) + 6, HEAD + 4, f"{curve.calls:.3g}", colour=ORANGE, size=10),
    ]
    return svg(HEAD + DEEP + 40, curve.alt, *shapes, title=curve.title, width=WIDTH)


def _x(place: int, share: float) -> float:
    return LEFT + place * (ACROSS + GAP) + share * ACROSS


def _at(place: int, budget: int, budgets: Points) -> float:
    low, high = budgets[0][0], budgets[-1][0]
    return _x(place, (budget - low) / ((high - low) or 1))


def _frame(place: int, curve: Curve, top: str) -> list[str]:
    left, right, foot = _x(place, 0), _x(place, 1), HEAD + DEEP
    chosen = _at(place, curve.chosen, curve.success)
    return [
        line(left, foot, right, foot),
        line(left, HEAD, left, foot),
        label(left - 5, HEAD + 4, top, anchor="end", size=10),
        label(left - 5, foot, "0", anchor="end", size=10),
        *(label(_at(place, x, curve.success), foot + 14, str(x), anchor="middle", size=10) for x, _ in curve.success),
        label(right, foot + 30, "max_steps", anchor="end", size=11),
        line(chosen, HEAD, chosen, foot, GREY, "3 3"),
    ]


def _points(
    place: int, points: Points, top: float, colour: str, chosen: int, said: Callable[[float], str], dash: str = ""
) -> list[str]:
    """One curve; the point at the budget chosen is larger and has its value written beside it."""
    placed = [(x, _at(place, x, points), HEAD + DEEP * (1 - y / top), y) for x, y in points]
    path = " ".join(f"{x:.1f},{y:.1f}" for _, x, y, _ in placed)
    shapes = [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>']
    for budget, x, y, value in placed:
        here = budget == chosen
        shapes.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{6 if here else 2.5}" fill="{colour}"/>')
        if here:
            high = y < HEAD + DEEP / 2
            free = place == 1 or not high  # where the line before the point is not in the way of its value
            left = x > _x(place, 0.85) or (colour == BLUE and free and x > _x(place, 0.15))
            beside, height = (x - 9, "end") if left else (x + 9, "start"), y + (16 if high else -9)
            shapes.append(label(beside[0], height, said(value), colour=colour, anchor=beside[1]))
    return shapes


def draw_curve(success: Axes, price: Axes, curve: Curve) -> None:
    """The curves on two axes of a printed figure."""
    calls = price.twinx()
    for axes, points, colour, style, name in (
        (success, curve.success, BLUE, "o-", "right, %"),
        (price, curve.cut_short, BLUE, "o-", "good runs cut short, %"),
        (calls, curve.wasted, ORANGE, "s--", "calls wasted a run"),
    ):
        axes.plot([x for x, _ in points], [y for _, y in points], style, color=colour, markersize=4)
        here = next(y for x, y in points if x == curve.chosen)
        axes.plot(curve.chosen, here, style[0], color=colour, markersize=9)
        axes.annotate(f"{here:.3g}", (curve.chosen, here), textcoords="offset points", xytext=(7, -12), color=colour)
        axes.set_ylabel(name, color=colour, fontsize=9)
    for axes in (success, price):
        axes.axvline(curve.chosen, color=GREY, linestyle=":")
        axes.set_xlabel("max_steps")
        axes.set_xticks([x for x, _ in curve.success])
        axes.set_ylim(-4, 106)
    calls.set_ylim(-0.04 * curve.calls, 1.06 * curve.calls)
    for axes in (success, price, calls):
        axes.spines["top"].set_visible(False)


def run_and_curve(result: Result, title: str, curve: Curve) -> Picture:
    """A printed figure: the timeline of one run above, the curves of many below."""
    rows = 1.3 + 0.4 * max(2, len(result.steps))
    figure, first = canvas(8.0, rows + 2.6, title)
    first.remove()
    upper, lower = figure.subfigures(2, 1, height_ratios=(rows, 2.6))
    draw_timeline(upper.subplots(), result)
    kinds = dict.fromkeys(call.kind for call in result.calls)
    if kinds:
        upper.legend(loc="outside lower left", ncols=len(kinds), frameon=False)
    lower.suptitle(curve.title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    success, price = lower.subplots(1, 2)
    draw_curve(success, price, curve)
    return Picture(figure, f"{timeline_alt(result, title)} {curve.alt}")
