"""Calls as squares in a row: a letter for tool and arguments, a number for the result, so that repetition can be seen.

A1 A1 A1 is one call with one result; A1 A2 A3 one call with new results; A1 B1 A1 B1 a cycle. Where a detector fires,
the square has a thick outline. Drawn as SVG, which moves with a dial, and as a printed figure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from planexec.canonical import call_key
from planexec.show.picture import BLUE, GREEN, GREY, ORANGE, PINK, RED, SKY, Picture, canvas
from planexec.show.svg import WIDTH, label, svg

COLOURS = (ORANGE, SKY, GREEN, PINK, BLUE, RED)
DARK = (BLUE, RED)  # letters on these are white
ACROSS, MOST = 20, 60  # squares in a row, and drawn at all
LEGEND = "Letter: tool and arguments. Number: the result, counted anew for each letter."
SIDE, GAP, TOP = 30.0, 4.0, 40.0


@dataclass(frozen=True, slots=True)
class Square:
    """One call: which one it is (0 for the first), which of its results came, and the call in words."""

    call: int
    result: int
    said: str = ""

    @property
    def name(self) -> str:
        """Square(0, 0).name -> "A1"; after Z comes AA."""
        high, low = divmod(self.call, 26)
        return f"{chr(64 + high) if 0 < high < 27 else ''}{chr(65 + low)}{self.result + 1}"


def squares(calls: Sequence[Sequence[Any]]) -> list[Square]:
    """Of (tool, args, result, kind): equal calls get one letter, equal results of one call one number, as they come."""
    letters: dict[str, int] = {}
    results: dict[str, list[str | None]] = {}
    drawn = []
    for tool, args, result, _ in calls:
        key = call_key(tool, args)
        letters.setdefault(key, len(letters))
        seen = results.setdefault(key, [])
        if result not in seen:
            seen.append(result)
        drawn.append(Square(letters[key], seen.index(result), f"{tool} {args} → {result}"))
    return drawn


def alt_text(row: Sequence[Square], fired: int | None, title: str) -> str:
    names = " ".join(each.name for each in row[:MOST]) + (f" and {len(row) - MOST} more" if len(row) > MOST else "")
    return f"{title}. Calls: {names or 'none'}. {_where(fired)}."


def _where(fired: int | None) -> str:
    return "No alarm" if fired is None else f"Alarm at call {fired + 1}"


def keys_svg(row: Sequence[Square], fired: int | None, title: str) -> str:
    """The calls as SVG. `fired`: index of the call at which the detector fires."""
    shapes = []
    for number, each in enumerate(row[:MOST]):
        line, place = divmod(number, ACROSS)
        x, y = 8 + place * (SIDE + GAP), TOP + line * (SIDE + GAP)
        edge, wide = ("currentColor", 4) if number == fired else (GREY, 1)
        colour = COLOURS[each.call % len(COLOURS)]
        ink = "white" if colour in DARK else "black"
        shapes.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{SIDE}" height="{SIDE}" fill="{colour}" '
            f'stroke="{edge}" stroke-width="{wide}"><title>{escape(each.said[:300])}</title></rect>'
        )
        shapes.append(label(x + SIDE / 2, y + SIDE / 2 + 4, each.name, anchor="middle", colour=ink, size=11))
    foot = TOP + (1 + (min(len(row), MOST) - 1) // ACROSS) * (SIDE + GAP)
    more = f"and {len(row) - MOST} more calls. " if len(row) > MOST else ""
    words = f"{more}{_where(fired)}. {LEGEND}"
    return svg(foot + 30, alt_text(row, fired, title), *shapes, label(8, foot + 18, words), title=title, width=WIDTH)


def keys_picture(row: Sequence[Square], fired: int | None, title: str) -> Picture:
    """The same as a printed figure."""
    from matplotlib.patches import Rectangle

    lines = 1 + (min(max(len(row), 1), MOST) - 1) // ACROSS
    figure, axes = canvas(8.0, 1.0 + 0.42 * lines, title)
    for number, each in enumerate(row[:MOST]):
        line, place = divmod(number, ACROSS)
        edge, wide = ("black", 3.0) if number == fired else (GREY, 0.5)
        colour = COLOURS[each.call % len(COLOURS)]
        axes.add_patch(Rectangle((place, -line), 0.86, 0.86, facecolor=colour, edgecolor=edge, linewidth=wide))
        ink = "white" if colour in DARK else "black"
        axes.text(place + 0.43, -line + 0.43, each.name, ha="center", va="center", fontsize=9, color=ink)
    more = f"And {len(row) - MOST} more calls. " if len(row) > MOST else ""
    alarm = "" if fired is None else " Thick frame: the alarm."
    axes.text(0, -lines + 0.55, f"{more}{LEGEND}{alarm}", fontsize=8, color="#555555")
    axes.set_xlim(-0.1, ACROSS + 0.1)
    axes.set_ylim(-lines + 0.3, 1)
    axes.axis("off")
    return Picture(figure, alt_text(row, fired, title))
