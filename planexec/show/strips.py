"""Strips: lying bars, one for each name, with words at the end of each; those that matter are lit.

    Strip("max_usd = 1", 19, "19 calls, $0.98", lit=True)

Drawn as SVG, which moves with a dial, and as a printed figure. Nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planexec.show.picture import BLUE, GREY, ORANGE, Picture, canvas
from planexec.show.svg import WIDTH, fitted, label, svg

LEFT, TOP, ROW = 176.0, 34.0, 28.0
NOTE = 244.0  # room for the words at the end of the longest bar


@dataclass(frozen=True, slots=True)
class Strip:
    """One bar. `note` stands at its end; a `lit` one is orange and has a thick outline."""

    name: str
    value: float
    note: str = ""
    lit: bool = False


def alt_text(strips: Sequence[Strip], title: str, axis: str) -> str:
    """alt_text([Strip("a", 2, "two")], "T", "calls") -> "T. calls: a 2 (two)." """
    said = "; ".join(f"{each.name} {each.value:g}{f' ({each.note})' if each.note else ''}" for each in strips)
    return f"{title}. {axis}: {said or 'nothing'}."


def strips_svg(strips: Sequence[Strip], title: str, axis: str) -> str:
    """The strips as SVG, the axis' name below."""
    most = max([each.value for each in strips], default=0) or 1
    shapes = []
    for number, each in enumerate(strips):
        y, wide = TOP + ROW * number, each.value / most * (WIDTH - LEFT - NOTE)
        colour, edge = (ORANGE, "currentColor") if each.lit else (BLUE, "none")
        shapes.append(label(LEFT - 8, y + 14, fitted(each.name, 26), anchor="end"))
        shapes.append(
            f'<rect x="{LEFT:.1f}" y="{y:.1f}" width="{wide:.1f}" height="18" fill="{colour}" stroke="{edge}" '
            'stroke-width="2"/>'
        )
        shapes.append(label(LEFT + wide + 8, y + 14, fitted(each.note, 38)))
    foot = TOP + ROW * len(strips)
    shapes.append(label(LEFT, foot + 12, axis, size=10))
    return svg(foot + 22, alt_text(strips, title, axis), *shapes, title=title)


def strips_picture(strips: Sequence[Strip], title: str, axis: str) -> Picture:
    """The strips as a printed figure, the first one on top."""
    figure, axes = canvas(8.0, 0.9 + 0.36 * max(2, len(strips)), title)
    values = [each.value for each in strips]
    most = max(values, default=0) or 1
    for row, each in enumerate(strips):
        axes.barh(row, each.value, 0.66, color=ORANGE if each.lit else BLUE, alpha=1.0 if each.lit else 0.45)
        axes.text(each.value + 0.012 * most, row, each.note, va="center", fontsize=9)
    axes.set_yticks(range(len(strips)), [fitted(each.name, 34) for each in strips])
    axes.set_ylim(len(strips) - 0.5, -0.5)
    axes.set_xlim(0, 1.42 * most)
    axes.set_xlabel(axis)
    axes.spines["left"].set_color(GREY)
    return Picture(figure, alt_text(strips, title, axis))
