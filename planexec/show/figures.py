"""Figures of runs: what was called when, how far a budget carries, how even a survey is.

They draw what they are given and compute nothing: counts come from results and trials.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from planexec.result import Result
from planexec.show.picture import BLUE, GREEN, GREY, ORANGE, RED, SKY, Picture, canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# kind of an observation -> (colour, shape, filled)
MARKS = {
    "found": (GREEN, "o", True),
    "empty": (ORANGE, "o", False),
    "failed": (RED, "X", True),
    "refused": (GREY, "s", False),
    "unknown": (SKY, "D", True),
}
LINES = ((BLUE, "o", "-"), (ORANGE, "s", "--"), (GREEN, "^", "-."), (RED, "D", ":"))


def run_timeline(result: Result, title: str = "") -> Picture:
    """Every tool call of a run, one row a step of the plan, in the order in which they were made."""
    steps = result.steps
    state = "complete" if result.complete else f"stopped by {result.stop.reason}" if result.stop else "not complete"
    title = title or f"{state}: {sum(s.status == 'done' for s in steps)} of {len(steps)} steps done"
    figure, axes = canvas(8.0, 1.3 + 0.4 * max(2, len(steps)), title)
    draw_timeline(axes, result)
    kinds = dict.fromkeys(call.kind for call in result.calls)
    if kinds:
        figure.legend(loc="outside lower left", ncols=len(kinds), frameon=False)
    return Picture(figure, timeline_alt(result, title))


def timeline_alt(result: Result, title: str) -> str:
    """The title, and what the calls of each step brought."""
    rows = (f"step {s.id} {s.status}: {', '.join(c.kind for c in s.calls) or 'no call'}" for s in result.steps)
    return f"{title}. {'; '.join(rows)}."


def draw_timeline(axes: Axes, result: Result) -> None:
    """The marks of `run_timeline` on given axes, each kind of mark with its name for a legend."""
    steps, turn = result.steps, 0
    for row, step in enumerate(steps):
        for call in step.calls:
            turn += 1
            colour, shape, full = MARKS[call.kind]
            face = colour if full else "white"
            axes.plot(turn, row, shape, color=colour, markerfacecolor=face, markersize=10, markeredgewidth=2)
    axes.set_yticks(range(len(steps)), [f"{step.id}. {_short(step.goal)} [{step.status}]" for step in steps])
    axes.set_ylim(len(steps) - 0.5, -0.5)
    axes.set_xlim(0.5, max(turn, 8) + 0.5)
    axes.set_xticks(range(1, max(turn, 8) + 1))
    axes.set_xlabel("tool call")
    kinds = dict.fromkeys(call.kind for call in result.calls)
    for kind in kinds:
        colour, shape, full = MARKS[kind]
        axes.plot([], [], shape, color=colour, markerfacecolor=colour if full else "white", label=kind)


def curves(
    series: Mapping[str, Sequence[tuple[float, float]]],
    title: str,
    x: str,
    y: str,
    *,
    mark: float | None = None,
    top: float | None = None,
) -> Picture:
    """One line for each named series of (x, y) points; `mark` draws a vertical line, `top` fixes the upper end of y."""
    figure, axes = canvas(6.4, 3.4, title)
    for (name, points), (colour, shape, line) in zip(series.items(), LINES, strict=False):
        axes.plot([p[0] for p in points], [p[1] for p in points], line, color=colour, marker=shape, label=name)
    if mark is not None:
        axes.axvline(mark, color=GREY, linestyle=":")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_ylim(0, top)
    axes.locator_params(axis="x", integer=True)
    if len(series) > 1:
        axes.legend(frameon=False)
    said = "; ".join(f"{name}: {', '.join(f'{px:g} → {py:g}' for px, py in pts)}" for name, pts in series.items())
    return Picture(figure, f"{title}. {y} by {x}. {said}.")


def bars(values: Mapping[str, float], title: str, y: str, *, top: float | None = None) -> Picture:
    """One bar for each name, with its number written on it."""
    figure, axes = canvas(6.4, 3.2, title)
    drawn = axes.bar(list(values), list(values.values()), color=BLUE)
    axes.bar_label(drawn, fmt="{:g}")
    axes.set_ylabel(y)
    axes.set_ylim(0, top)
    return Picture(figure, f"{title}. {y}: {', '.join(f'{name} {value:g}' for name, value in values.items())}.")


def _short(text: str, room: int = 44) -> str:
    return text if len(text) <= room else text[: room - 1] + "…"
