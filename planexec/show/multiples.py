"""Small multiples: several measures of the same few things, each on a scale of its own.

multiples({"sides": {"ReAct": 2, "plan": 5}, "dollars": {"ReAct": 0.01, "plan": 0.03}}, "The plan covers more")
"""

from __future__ import annotations

from collections.abc import Mapping

from planexec.show.picture import BLUE, GREEN, ORANGE, SKY, Picture, canvas

COLOURS = (ORANGE, BLUE, GREEN, SKY)
HATCHES = ("//", "", "..", "xx")  # told apart without colour too


def multiples(values: Mapping[str, Mapping[str, float]], title: str) -> Picture:
    """One little bar chart a measure, one bar a thing, its number on top; `values` is measure -> thing -> number."""
    figure, first = canvas(8.0, 3.0, title)
    first.remove()
    for place, (measure, things) in enumerate(values.items(), 1):
        axes = figure.add_subplot(1, len(values), place)
        drawn = axes.bar(list(things), list(things.values()), color=COLOURS[: len(things)], width=0.7)
        for bar, hatch in zip(drawn, HATCHES, strict=False):
            bar.set_hatch(hatch)
            bar.set_edgecolor("white")
        axes.bar_label(drawn, fmt="{:,.6g}", fontsize=9)
        axes.set_title(measure, fontsize=10)
        axes.set_yticks([])
        axes.margins(y=0.18)
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
    said = "; ".join(
        f"{measure}: {', '.join(f'{name} {number:,.6g}' for name, number in things.items())}"
        for measure, things in values.items()
    )
    return Picture(figure, f"{title}. {said}.")
