"""Paths: which of a few places each move of a run went to, one line a run, and how many places it had seen by then.

    Path("ReAct", ("chemistry", "chemistry", "energy"), "7 model calls")

Drawn as SVG, which moves with a dial, and as a printed figure. A move to no place is drawn below the last row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planexec.show.picture import BLUE, GREY, ORANGE, Picture, canvas
from planexec.show.svg import WIDTH, label, line, svg

LEFT, TOP, ROW = 130.0, 48.0, 26.0
STYLES = ((ORANGE, "s", "6 3"), (BLUE, "o", ""))  # told apart by mark and dash too
NOWHERE = "none of them"


@dataclass(frozen=True, slots=True)
class Path:
    """One run: the place of each move in order ("" for none), and words about it."""

    name: str
    places: tuple[str, ...]
    note: str = ""

    @property
    def seen(self) -> tuple[int, ...]:
        """How many different places after each move: ("a", "a", "b") -> (1, 1, 2)."""
        return tuple(len(set(self.places[: n + 1]) - {""}) for n in range(len(self.places)))

    @property
    def words(self) -> str:
        return f"{self.name}: {self.note}" if self.note else self.name


def alt_text(paths: Sequence[Path], title: str) -> str:
    """Every move in words: 'T. ReAct (7 calls): chemistry, energy; seen 1, 2.'"""
    said = "; ".join(
        f"{each.words}: {', '.join(place or NOWHERE for place in each.places) or 'no move'}; "
        f"seen {', '.join(map(str, each.seen)) or '0'}"
        for each in paths
    )
    return f"{title}. {said}."


def paths_svg(paths: Sequence[Path], rows: Sequence[str], title: str, axis: str) -> str:
    """The paths over `rows` from top to bottom, as SVG; below each move how many rows were seen by then."""
    listed, most = [*rows, ""], max((len(each.places) for each in paths), default=0) or 1
    across, foot = (WIDTH - LEFT - 30) / most, TOP + ROW * (len(rows) + 1)
    shapes = []
    for number, row in enumerate(listed):
        y = TOP + ROW * number
        shapes += [label(LEFT - 10, y + 4, row or NOWHERE, anchor="end"), line(LEFT, y, WIDTH - 12, y, GREY, "1 5")]
    for number, (each, (colour, _, dash)) in enumerate(zip(paths, STYLES, strict=False)):
        y0 = foot + 18 + 18 * number
        shapes.append(label(LEFT - 10, y0, f"{each.name}, seen", anchor="end"))
        spots = [
            (LEFT + across * (n + 0.5), TOP + ROW * listed.index(place) + 5 * number - 2)
            for n, place in enumerate(each.places)
        ]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
        shapes.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>'
        )
        for (x, y), seen in zip(spots, each.seen, strict=True):
            shapes += [_spot(x, y, number, colour), label(x, y0, str(seen), anchor="middle")]
    foot += 18 * (len(paths) + 1)
    shapes += [label(WIDTH - 12, foot + 4, axis, anchor="end", size=10)]
    for number, (each, (colour, _, _)) in enumerate(zip(paths, STYLES, strict=False)):
        shapes += [_spot(16, foot + 20 + 18 * number, number, colour), label(28, foot + 24 + 18 * number, each.words)]
    return svg(foot + 18 * len(paths) + 20, alt_text(paths, title), *shapes, title=title)


def _spot(x: float, y: float, number: int, colour: str) -> str:
    if number:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}"/>'
    return f'<rect x="{x - 5:.1f}" y="{y - 5:.1f}" width="10" height="10" fill="{colour}"/>'


def paths_picture(paths: Sequence[Path], rows: Sequence[str], title: str, axis: str) -> Picture:
    """The same as a printed figure."""
    listed = [*rows, ""]
    figure, axes = canvas(7.2, 1.5 + 0.34 * len(listed), title)
    most = max((len(each.places) for each in paths), default=0)
    for number, (each, (colour, sign, dash)) in enumerate(zip(paths, STYLES, strict=False)):
        heights = [listed.index(place) + 0.16 * number - 0.08 for place in each.places]
        style = {"linestyle": "--" if dash else "-", "color": colour, "marker": sign}
        axes.plot(range(1, len(heights) + 1), heights, label=each.words, **style)
    axes.set_yticks(range(len(listed)), [row or NOWHERE for row in listed])
    axes.set_ylim(len(listed) - 0.5, -0.5)
    axes.set_xticks(range(1, max(most, 1) + 1))
    axes.set_xlabel(axis)
    axes.grid(axis="y", color=GREY, alpha=0.3, linestyle=":")
    figure.legend(loc="outside lower left", frameon=False)
    return Picture(figure, alt_text(paths, title))
