"""Pictures that move: SVG as text, drawn in milliseconds, in the colours of the page they stand on.

Text and axes take `currentColor`, so a dark theme needs nothing; every picture carries its numbers in `aria-label`.
All texts are escaped: what a model or a tool wrote is shown, never run. Nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from unicodedata import east_asian_width

from planexec.result import Result
from planexec.show.picture import BLUE, GREEN, GREY, ORANGE, PINK, RED, SKY

COLOURS = {"found": GREEN, "empty": ORANGE, "failed": RED, "refused": GREY, "unknown": SKY}
SERIES = (BLUE, ORANGE, GREEN, RED, PINK, SKY)
WIDTH = 720
BULLET = "●"
LEGIBLE = 640  # pixels: in a narrower picture texts cannot be read; on a narrow screen it is moved sideways instead


def svg(height: float, alt: str, *shapes: str, title: str = "", width: float = WIDTH) -> str:
    """One picture, which says `alt` to a screen reader. It scales as far down as it can be read; a page that may be
    narrower shows it in a box that scrolls.
    """
    head = f'<text x="8" y="18" font-size="14" font-weight="bold">{escape(title)}</text>' if title else ""
    least = LEGIBLE * width / WIDTH
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img" '
        f'aria-label="{escape(alt, quote=True)}" '
        f'style="display:block;width:100%;min-width:{least:.0f}px;max-width:{width:g}px;height:auto">'
        f'<g font-family="sans-serif" font-size="12" fill="currentColor">{head}{"".join(shapes)}</g></svg>'
    )


def mark(x: float, y: float, kind: str, said: str = "", radius: float = 8) -> str:
    """One tool call: the colour and the shape tell its kind, the tooltip tells the rest."""
    colour, tip = COLOURS.get(kind, GREY), f"<title>{escape(said)}</title>" if said else ""
    if kind == "empty":
        shape = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius - 1}" fill="none" stroke="{colour}" stroke-width="3">'
        return f"{shape}{tip}</circle>"
    if kind == "failed":
        r = radius * 0.8
        path = f"M{x - r:.1f} {y - r:.1f}L{x + r:.1f} {y + r:.1f}M{x - r:.1f} {y + r:.1f}L{x + r:.1f} {y - r:.1f}"
        return f'<path d="{path}" stroke="{colour}" stroke-width="4">{tip}</path>'
    if kind in ("refused", "unknown"):
        r = radius * 0.8
        box = f'<rect x="{x - r:.1f}" y="{y - r:.1f}" width="{2 * r:.1f}" height="{2 * r:.1f}"'
        turn = f' transform="rotate(45 {x:.1f} {y:.1f})"' if kind == "unknown" else ""
        return f'{box}{turn} fill="none" stroke="{colour}" stroke-width="3">{tip}</rect>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{colour}">{tip}</circle>'


def label(x: float, y: float, text: str, *, anchor: str = "start", colour: str = "currentColor", size: int = 12) -> str:
    """Words. In a colour of the palette they could not be read on every page, so they take the colour of the page, grey
    ones a paler one; a bullet at their beginning has the colour of what it stands for. "black", "white": as it is.
    """
    words, pale = escape(text), ' fill-opacity="0.75"' if colour == GREY else ""
    ink = "currentColor" if colour in (*SERIES, GREY) else colour
    if text.startswith(BULLET) and ink != colour:
        words = f'<tspan fill="{colour}">{BULLET}</tspan>{escape(text.removeprefix(BULLET))}'
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {place} fill="{ink}"{pale} font-size="{size}">{words}</text>'


def line(x1: float, y1: float, x2: float, y2: float, colour: str = "currentColor", dash: str = "") -> str:
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"{dashed}/>'


def timeline(result: Result, title: str, most: int = 12) -> str:
    """Every tool call of a run, one row a step of the plan, in the order in which they were made."""
    left, top, row = 330.0, 44.0, 26.0
    across = (WIDTH - left - 20) / max(most, len(result.calls))
    shapes, turn = [], 0
    for number, step in enumerate(result.steps):
        y = top + row * number
        shapes.append(label(left - 14, y + 4, f"{step.id}. {fitted(step.goal, 32)} [{step.status}]", anchor="end"))
        for call in step.calls:
            shapes.append(mark(left + across * (turn + 0.5), y, call.kind, f"{call.tool} {call.args} → {call.kind}"))
            turn += 1
    bottom = top + row * max(1, len(result.steps))
    if result.stop is not None:
        shapes += _stop(left + across * turn, top + row * _last_row(result), bottom + 32, result.stop.reason)
    shapes += [line(left, bottom - 8, WIDTH - 12, bottom - 8), *_ticks(left, bottom, across, max(most, turn))]
    rows = "; ".join(f"step {s.id} {s.status}: {', '.join(c.kind for c in s.calls) or 'no call'}" for s in result.steps)
    return svg(
        bottom + 40, f"{title}. {rows}.", *shapes, legend(bottom + 32, ("found", "empty", "failed")), title=title
    )


def _last_row(result: Result) -> int:
    """The row in which a run was stopped: that of its last call."""
    return max((number for number, step in enumerate(result.steps) if step.calls), default=0)


def _stop(x: float, y: float, legend_y: float, reason: str) -> list[str]:
    """A triangle behind the last call, and below what it stands for."""
    spots = ((x, y), (316.0, legend_y - 4))
    drawn = [f'<path d="M{a - 6:.1f} {b - 6:.1f}h12l-6 12z" fill="{RED}"/>' for a, b in spots]
    return [*drawn, label(328, legend_y, f"stopped here by {reason}")]


def _ticks(left: float, bottom: float, across: float, most: int) -> list[str]:
    every = 1 if most <= 20 else 5 * (1 + most // 100)
    return [
        label(left + across * (turn - 0.5), bottom + 8, str(turn), anchor="middle", size=10)
        for turn in range(1, most + 1)
        if turn % every == 0
    ]


def legend(y: float, kinds: Sequence[str]) -> str:
    """What the marks mean."""
    return "".join(
        mark(16 + 96 * i, y - 4, kind, radius=6) + label(28 + 96 * i, y, kind) for i, kind in enumerate(kinds)
    )


def chart(
    series: Mapping[str, Sequence[tuple[float, float]]],
    title: str,
    x: str,
    y: str,
    *,
    top: float,
    marked: float | None = None,
    height: float = 250,
) -> str:
    """One line for each named series of (x, y) points; `marked` draws a vertical line at one x."""
    points = [point for listed in series.values() for point in listed]
    low, high = min((p[0] for p in points), default=0.0), max((p[0] for p in points), default=1.0)
    left, right, head, foot = 56.0, WIDTH - 16.0, 40.0, height - 44.0

    def place(px: float, py: float) -> tuple[float, float]:
        return left + (px - low) / ((high - low) or 1) * (right - left), foot - min(py, top) / top * (foot - head)

    shapes = [line(left, foot, right, foot), line(left, head, left, foot)]
    for share in (0.0, 0.5, 1.0):
        shapes.append(label(left - 6, foot - share * (foot - head) + 4, f"{share * top:g}", anchor="end", size=10))
    for px in sorted({p[0] for p in points}):
        shapes.append(label(place(px, 0)[0], foot + 16, f"{px:g}", anchor="middle", size=10))
    if marked is not None:
        shapes.append(line(place(marked, 0)[0], head, place(marked, 0)[0], foot, GREY, "4 4"))
    for number, ((name, listed), colour) in enumerate(zip(series.items(), SERIES, strict=False)):
        placed = [place(*point) for point in listed]
        path = " ".join(f"{px:.1f},{py:.1f}" for px, py in placed)
        dash = ("", "7 4", "2 3", "9 3 2 3")[number % 4]
        shapes.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.5" stroke-dasharray="{dash}"/>'
        )
        shapes += [f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3.5" fill="{colour}"/>' for px, py in placed]
        shapes.append(label(left + 12 + 150 * number, height - 6, f"● {name}", colour=colour))
    shapes += [label(right, foot + 32, x, anchor="end"), label(8, head - 8, y)]
    said = "; ".join(f"{name}: {', '.join(f'{a:g} → {b:g}' for a, b in listed)}" for name, listed in series.items())
    return svg(height, f"{title}. {y} by {x}. {said}.", *shapes, title=title)


def fitted(text: str, room: int) -> str:
    """A text cut to `room` columns; a Chinese character takes two of them."""
    used = 0
    for place, sign in enumerate(text):
        used += 2 if east_asian_width(sign) in "WF" else 1
        if used > room:
            return text[: max(0, place - 1)] + "…"
    return text
