"""Pictures of budgets over many runs: how many turns runs take and need, what a budget does to them, what it costs.

They draw what they are given: shares in per cent by number of turns, and points (budget, value).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from planexec.show.picture import BLUE, GREY, ORANGE, Picture, canvas
from planexec.show.svg import label, line, svg

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Panels:
    """What is drawn. `used` and `needed`: turns ("1", ... "15+") -> per cent; the curves: points (budget, value)."""

    title: str
    chosen: int
    used: Mapping[str, float]
    needed: Mapping[str, float]
    success: Points
    cut_short: Points
    wasted: Points

    @property
    def alt(self) -> str:
        """The numbers, for who does not see the picture."""
        bars = [f"{name}: {_listed(shares)}" for name, shares in (("turns used", self.used), ("needed", self.needed))]
        curves = (("right, %", self.success), ("cut short, %", self.cut_short), ("calls wasted", self.wasted))
        said = [f"{name}: {', '.join(f'{x:g} → {y:.3g}' for x, y in points)}" for name, points in curves]
        return f"{self.title}. Per cent of runs by {'; '.join(bars)}. By max_steps, {'; '.join(said)}."


def _listed(shares: Mapping[str, float]) -> str:
    return ", ".join(f"{turns} {share:.3g}" for turns, share in shares.items() if share)


def panels_picture(panels: Panels) -> Picture:
    """Three small diagrams side by side; a dotted line stands at the budget that was chosen."""
    figure, first = canvas(9.6, 3.2, panels.title)
    first.remove()
    histogram, shares, calls = (figure.add_subplot(1, 3, place) for place in (1, 2, 3))
    names = list(panels.used)
    histogram.bar(names, [panels.used[name] for name in names], color="white", edgecolor=GREY, label="used")
    histogram.bar(names, [panels.needed.get(name, 0) for name in names], color=BLUE, width=0.5, label="needed")
    histogram.set_xlabel("turns")
    histogram.set_ylabel("runs, %")
    histogram.set_xticks(range(0, len(names), 2))  # every second one, or the numbers would touch
    histogram.tick_params(axis="x", labelsize=8)
    for axes, curves in (
        (shares, (("right", panels.success, BLUE, "o-"), ("cut short", panels.cut_short, ORANGE, "s--"))),
        (calls, (("calls wasted a run", panels.wasted, ORANGE, "s--"),)),
    ):
        for name, points, colour, style in curves:
            axes.plot([x for x, _ in points], [y for _, y in points], style, color=colour, markersize=4, label=name)
        axes.axvline(panels.chosen, color=GREY, linestyle=":", zorder=0)
        axes.set_xlabel("max_steps")
        axes.locator_params(axis="x", integer=True)
    shares.set_ylim(-3, 105)
    shares.set_ylabel("%")
    calls.set_ylim(0, max([1.0, *(y for _, y in panels.wasted)]) * 1.1)
    calls.set_ylabel("calls wasted a run")
    for axes in (histogram, shares):
        axes.legend(frameon=False, fontsize=8)
    for axes in (histogram, shares, calls):
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    return Picture(figure, panels.alt)


# ------------------------------------------------------------------------------------------------- as SVG

LEFT, ACROSS, GAP, HEAD, DEEP = 34.0, 190.0, 50.0, 54.0, 130.0


def panels_svg(panels: Panels) -> str:
    """The same three diagrams as text."""
    shapes = [
        *_histogram(panels),
        *_curves(1, panels, (("right, %", panels.success, BLUE), ("cut short, %", panels.cut_short, ORANGE)), 100),
    ]
    most = max([1.0, *(y for _, y in panels.wasted)])
    shapes += _curves(2, panels, (("calls wasted a run", panels.wasted, ORANGE),), most)
    return svg(HEAD + DEEP + 52, panels.alt, *shapes, title=panels.title)


def _frame(place: int, top: float, below: str) -> list[str]:
    left, foot = LEFT + place * (ACROSS + GAP), HEAD + DEEP
    return [
        line(left, foot, left + ACROSS, foot),
        line(left, HEAD, left, foot),
        label(left - 5, HEAD + 4, f"{top:.3g}", anchor="end", size=10),
        label(left - 5, foot, "0", anchor="end", size=10),
        label(left + ACROSS, foot + 30, below, anchor="end", size=11),
    ]


def _histogram(panels: Panels) -> list[str]:
    names, foot = list(panels.used), HEAD + DEEP
    top = max([1.0, *panels.used.values(), *panels.needed.values()])
    wide = ACROSS / max(1, len(names))
    shapes = _frame(0, top, "turns")
    for number, name in enumerate(names):
        x = LEFT + wide * number
        for share, part, style in (
            (panels.used[name], 0.9, f'fill="none" stroke="{GREY}"'),
            (panels.needed.get(name, 0.0), 0.5, f'fill="{BLUE}"'),
        ):
            tall = DEEP * share / top
            at = x + wide * (1 - part) / 2
            shapes.append(
                f'<rect x="{at:.1f}" y="{foot - tall:.1f}" width="{wide * part:.1f}" height="{tall:.1f}" {style}/>'
            )
        if number % 2 == 0:  # every second one, or the numbers would touch
            shapes.append(label(x + wide / 2, foot + 14, name, anchor="middle", size=9))
    return [*shapes, label(LEFT, HEAD - 10, "runs, %: needed (full), used (empty)", size=11)]


def _curves(place: int, panels: Panels, curves: Sequence[tuple[str, Points, str]], top: float) -> list[str]:
    left, foot = LEFT + place * (ACROSS + GAP), HEAD + DEEP
    budgets = [x for x, _ in curves[0][1]]
    low, span = min(budgets), (max(budgets) - min(budgets)) or 1

    def at(x: float) -> float:
        return left + (x - low) / span * ACROSS

    shapes = _frame(place, top, "max_steps")
    shapes += [line(at(panels.chosen), HEAD, at(panels.chosen), foot, GREY, "3 3")]
    shapes += [label(at(x), foot + 14, f"{x:g}", anchor="middle", size=9) for x in budgets[::2]]
    for number, (name, points, colour) in enumerate(curves):
        placed = [(at(x), foot - DEEP * y / top) for x, y in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
        dash = "6 4" if colour == ORANGE else ""
        shapes.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>'
        )
        shapes += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>' for x, y in placed]
        shapes.append(label(left + 96 * number, HEAD - 10, f"● {name}", colour=colour, size=11))
    return shapes


# ------------------------------------------------------------------------------------------------- the frontier


def frontier_picture(points: Mapping[str, tuple[float, float]], title: str, x: str, y: str) -> Picture:
    """One mark for each named (cost, success). Those that no other beats are joined; the others stay empty."""
    figure, axes = canvas(6.8, 3.8, title)
    best = undominated(points)
    joined = sorted(points[name] for name in best)
    axes.plot([cost for cost, _ in joined], [good for _, good in joined], "-", color=BLUE)
    for place, (name, (cost, good)) in enumerate(sorted(points.items(), key=lambda each: each[1])):
        axes.plot(cost, good, "o", color=BLUE, markerfacecolor=BLUE if name in best else "white", markersize=8)
        axes.annotate(
            name, (cost, good), textcoords="offset points", xytext=(0, (8, -16)[place % 2]), ha="center", fontsize=9
        )
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_xlim(0, 1.15 * max((cost for cost, _ in points.values()), default=1.0))
    axes.set_ylim(0, 115)
    said = ", ".join(f"{name} {cost:.4g} → {good:.3g}" for name, (cost, good) in points.items())
    return Picture(figure, f"{title}. {y} by {x}: {said}. Beaten by nobody: {', '.join(best)}.")


def undominated(points: Mapping[str, tuple[float, float]]) -> list[str]:
    """The names that no other beats: no one else costs no more and succeeds no less, one of the two being better."""

    def beaten(cost: float, good: float) -> bool:
        return any(c <= cost and g >= good and (c, g) != (cost, good) for c, g in points.values())

    return [name for name, (cost, good) in points.items() if not beaten(cost, good)]
