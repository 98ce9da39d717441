"""Lanes: what happened when, one row for each call or actor, along an axis of seconds or of turns.

    Lane("search", (Mark(0.3, "failed", "HTTP 503"), Mark(1.4, "found")), waits=((0.3, 1.1),))

Drawn as SVG, which moves with a dial, and as a printed figure. Nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby

from planexec.show.columns import clean, fit
from planexec.show.figures import MARKS
from planexec.show.picture import BLUE, GREY, ORANGE, PINK, RED, Picture, canvas
from planexec.show.svg import WIDTH, fitted, label, line, mark, svg

# beside the kinds of observations: a model's reply, a question to a person, one that nobody has answered yet
SHAPES = {**MARKS, "model": (BLUE, "s", True), "asked": (PINK, "^", True), "waiting": (PINK, "^", False)}
SHAPES |= {"wait": (GREY, "_", True), "stop": (RED, "v", True)}
SHAPES |= {"first process": (BLUE, "s", True), "second process": (ORANGE, "s", False)}
WORDS = {"found": "found", "empty": "nothing", "failed": "failed", "refused": "refused", "unknown": "not known"}
LEFT, TOP, ROW = 190.0, 44.0, 28.0
TIP = 160  # columns of a tooltip


@dataclass(frozen=True, slots=True)
class Mark:
    """One thing that happened at `at`; `kind` is that of an observation, or "model", "asked", "waiting"."""

    at: float
    kind: str
    said: str = ""


@dataclass(frozen=True, slots=True)
class Lane:
    """One row. `waits` are spans of waiting: (from, to)."""

    name: str
    marks: tuple[Mark, ...] = ()
    waits: tuple[tuple[float, float], ...] = ()


def alt_text(lanes: Sequence[Lane], title: str, axis: str) -> str:
    """alt_text([Lane("a", (Mark(1, "found"), Mark(2, "found")))], "T", "s") -> "T. By s: a: found at 1, 2." """
    rows = "; ".join(f"{lane.name}: {_said(lane.marks) or 'nothing'}" for lane in lanes)
    return f"{title}. By {axis}: {rows}."


def _said(marks: Sequence[Mark]) -> str:
    grouped = groupby(marks, key=lambda each: each.kind)
    return ", ".join(f"{kind} at {', '.join(f'{each.at:.3g}' for each in some)}" for kind, some in grouped)


def last_moment(lanes: Sequence[Lane]) -> float:
    """Where the axis ends: the last mark or wait, at least 1."""
    ends = [each.at for lane in lanes for each in lane.marks] + [end for lane in lanes for _, end in lane.waits]
    return max([*ends, 1.0])


def lanes_svg(lanes: Sequence[Lane], title: str, axis: str, *, line_at: float | None = None) -> str:
    """The lanes as SVG; `line_at` marks one moment with a vertical line."""
    across = (WIDTH - LEFT - 24) / last_moment(lanes)
    foot = TOP + ROW * max(1, len(lanes))
    shapes = [line(LEFT, foot, WIDTH - 12, foot), *_axis(lanes, across, foot, axis)]
    for number, lane in enumerate(lanes):
        y = TOP + ROW * number + 4
        shapes.append(label(LEFT - 14, y + 4, fitted(lane.name, 26), anchor="end"))
        shapes += [line(LEFT + a * across, y, LEFT + b * across, y, GREY, "3 3") for a, b in lane.waits]
        shapes += [shape(LEFT + each.at * across, y, each.kind, f"{each.kind}: {each.said}") for each in lane.marks]
    if line_at is not None:
        shapes.append(line(LEFT + line_at * across, TOP - 12, LEFT + line_at * across, foot, GREY, "5 3"))
    shapes.append(legend(foot + 46, kinds_of(lanes)))
    return svg(foot + 58, alt_text(lanes, title, axis), *shapes, title=title)


def _axis(lanes: Sequence[Lane], across: float, foot: float, axis: str) -> Iterable[str]:
    most = last_moment(lanes)
    every = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, most) if most / step <= 12)
    ticks = [label(LEFT + n * every * across, foot + 14, f"{n * every:g}", anchor="middle", size=10) for n in range(13)]
    return [*ticks[: int(most / every) + 1], label(WIDTH - 12, foot + 28, axis, anchor="end", size=10)]


def shape(x: float, y: float, kind: str, said: str = "", radius: float = 7) -> str:
    """One mark as SVG; kinds of observations look as they do everywhere. `said` is its tooltip, cut to one line."""
    said = fit(clean(said), TIP)
    if kind in MARKS:
        return mark(x, y, kind, said, radius)
    colour, _, full = SHAPES.get(kind, (GREY, "o", True))
    tip = f"<title>{escape(said)}</title>" if said else ""
    points = f"{x:.1f},{y - radius:.1f} {x - radius:.1f},{y + radius:.1f} {x + radius:.1f},{y + radius:.1f}"
    fill = colour if full else "none"
    if kind in ("asked", "waiting", "stop"):
        if kind == "stop":
            points = f"{x - radius:.1f},{y - radius:.1f} {x + radius:.1f},{y - radius:.1f} {x:.1f},{y + radius:.1f}"
        return f'<polygon points="{points}" fill="{fill}" stroke="{colour}" stroke-width="2">{tip}</polygon>'
    r = radius * 0.7
    box = f'<rect x="{x - r:.1f}" y="{y - r:.1f}" width="{2 * r:.1f}" height="{2 * r:.1f}"'
    return f'{box} fill="{fill}" stroke="{colour}" stroke-width="2">{tip}</rect>'


def kinds_of(lanes: Sequence[Lane]) -> tuple[str, ...]:
    """The kinds that occur, in the order in which they are met first."""
    return tuple(dict.fromkeys(each.kind for lane in lanes for each in lane.marks))


def legend(y: float, kinds: Sequence[str]) -> str:
    """What the marks mean."""
    return "".join(
        shape(16 + 104 * place, y - 4, kind, radius=6) + label(28 + 104 * place, y, WORDS.get(kind, kind))
        for place, kind in enumerate(kinds)
    )


def lanes_picture(lanes: Sequence[Lane], title: str, axis: str, *, line_at: float | None = None) -> Picture:
    """The lanes as a printed figure."""
    figure, axes = canvas(8.0, 1.5 + 0.34 * max(2, len(lanes)), title)
    for row, lane in enumerate(lanes):
        for begin, end in lane.waits:
            axes.plot([begin, end], [row, row], ":", color=GREY, linewidth=2, zorder=1)
        for each in lane.marks:
            colour, sign, full = SHAPES.get(each.kind, (GREY, "o", True))
            face = colour if full else "white"
            axes.plot(each.at, row, sign, color=colour, markerfacecolor=face, markersize=9, markeredgewidth=2)
    axes.set_yticks(range(len(lanes)), [fitted(lane.name, 34) for lane in lanes])
    axes.set_ylim(max(1, len(lanes)) - 0.5, -0.5)
    axes.set_xlim(-0.03 * last_moment(lanes), 1.03 * last_moment(lanes))
    axes.set_xlabel(axis)
    if line_at is not None:
        axes.axvline(line_at, color=GREY, linestyle="--")
    kinds = kinds_of(lanes)
    for kind in kinds:
        colour, sign, full = SHAPES.get(kind, (GREY, "o", True))
        face = colour if full else "white"
        axes.plot([], [], sign, color=colour, markerfacecolor=face, label=WORDS.get(kind, kind))
    if kinds:
        figure.legend(loc="outside lower left", ncols=len(kinds), frameon=False)
    return Picture(figure, alt_text(lanes, title, axis))
