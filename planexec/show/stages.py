"""Stages: a row of boxes of which one took what came in, above columns of text - what came in, what came out.

    stages_svg(("whole", "inside", "none"), "inside", [Column("reply", "Sure: ..."), Column("steps", "1. a")], "Title")

Drawn as SVG, which moves with a dial, and as a printed figure. Nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planexec.show.columns import clean, fit, wrap
from planexec.show.picture import GREY, ORANGE, Picture, canvas
from planexec.show.svg import WIDTH, label, line, svg

ROOM = 100  # columns of text that stand side by side
MOST = 9  # lines of a column; more is cut with a visible mark
MARKED = ORANGE  # dark letters on it are legible in both themes


@dataclass(frozen=True, slots=True)
class Column:
    """Some text under a heading. `text` may be anything, of any length: it is wrapped, cut and escaped."""

    heading: str
    text: str


def alt_text(names: Sequence[str], taken: str, columns: Sequence[Column], title: str) -> str:
    """alt_text(["a", "b"], "b", [Column("c", "x")], "T") -> "T. Of the stages a, b: b. c: x." """
    said = " ".join(f"{column.heading}: {fit(clean(column.text), 400)}." for column in columns)
    return f"{title}. Of the stages {', '.join(names)}: {taken}. {said}"


def _shown(columns: Sequence[Column]) -> list[tuple[str, list[str]]]:
    """Each column's heading and its lines as they fit."""
    room = ROOM // max(1, len(columns)) - 2
    return [(column.heading, wrap(column.text, room, MOST)) for column in columns]


def stages_svg(names: Sequence[str], taken: str, columns: Sequence[Column], title: str) -> str:
    """The stages as SVG."""
    wide, top, shapes = (WIDTH - 16.0) / len(names), 34.0, []
    for number, name in enumerate(names):
        left, chosen = 8 + wide * number, name == taken
        fill, edge = (MARKED, 3) if chosen else ("none", 1)
        shapes.append(
            f'<rect x="{left:.1f}" y="{top}" width="{wide - 18:.1f}" height="30" rx="5" fill="{fill}" '
            f'stroke="{MARKED if chosen else GREY}" stroke-width="{edge}"/>'
        )
        colour = "#000000" if chosen else "currentColor"
        shapes.append(label(left + (wide - 18) / 2, top + 20, name, anchor="middle", colour=colour))
        if number:
            shapes.append(line(left - 16, top + 15, left - 2, top + 15, GREY))
    shown = _shown(columns)
    for number, (heading, lines) in enumerate(shown):
        left = 8 + (WIDTH - 16.0) / len(shown) * number
        shapes.append(label(left, top + 58, heading, colour=GREY))
        shapes += [label(left, top + 78 + 18 * row, each) for row, each in enumerate(lines)]
    height = top + 84 + 18 * MOST
    return svg(height, alt_text(names, taken, columns, title), *shapes, title=title)


def stages_figure(names: Sequence[str], taken: str, columns: Sequence[Column], title: str) -> Picture:
    """The same as a printed figure."""
    figure, axes = canvas(8.0, 3.0, title)
    axes.set_axis_off()
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    for number, name in enumerate(names):
        chosen = name == taken
        box = {"boxstyle": "round,pad=0.5", "facecolor": MARKED if chosen else "white", "edgecolor": GREY}
        middle = (number + 0.5) / len(names)
        weight = "bold" if chosen else "normal"
        axes.text(middle, 0.9, name, ha="center", va="center", bbox=box, fontsize=9, weight=weight)
    shown = _shown(columns)
    for number, (heading, lines) in enumerate(shown):
        left = number / len(shown)
        axes.text(left, 0.7, heading, color=GREY, fontsize=9, va="top")
        drawn = "\n".join(lines).replace("$", r"\$")  # a dollar sign is no formula here
        axes.text(left, 0.6, drawn, fontsize=8, va="top", linespacing=1.4)
    return Picture(figure, alt_text(names, taken, columns, title))
