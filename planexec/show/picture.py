"""A drawn figure that can be read without eyes: its title states the finding, its text holds the numbers.

In a notebook it shows as a PNG, which every viewer displays, also for a notebook nobody has run or trusted. Its
`repr` is the text alternative: that is what tests compare, because pixels differ between versions of matplotlib.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from planexec.paths import data_path

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's palette: told apart by colour-blind readers, and never the only sign (shapes and labels carry it too)
BLUE, ORANGE, GREEN, PINK, SKY, RED = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00"
GREY = "#767676"
DPI = 96


class Picture:
    """A matplotlib figure with its text alternative `alt`, which names the finding and the numbers."""

    def __init__(self, figure: Figure, alt: str):
        self.figure, self.alt = figure, alt

    def __repr__(self) -> str:
        return f"Figure: {self.alt}"

    def png(self) -> bytes:
        """The picture; the same bytes for the same figure and version of matplotlib."""
        buffer = io.BytesIO()
        self.figure.savefig(buffer, format="png", dpi=DPI, metadata={"Software": None})
        return buffer.getvalue()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
        return {"text/plain": repr(self), "image/png": self.png()}, {"image/png": {"alt": self.alt}}


CHINESE = "Noto Sans CJK SC"


def use_chinese() -> None:
    """Let matplotlib fall back to the shipped font for signs that its own does not have; done once."""
    from matplotlib import font_manager, rcParams

    if CHINESE not in rcParams["font.family"]:
        font_manager.fontManager.addfont(str(data_path("fonts", "NotoSansSC-subset.otf")))
        rcParams["font.family"] = [*rcParams["font.family"], CHINESE]


def canvas(width: float, height: float, title: str) -> tuple[Figure, Axes]:
    """An empty figure on white paper (legible in a dark theme too), `width` x `height` inches."""
    from matplotlib.figure import Figure

    use_chinese()
    figure = Figure(figsize=(width, height), facecolor="white", layout="constrained")
    axes = figure.subplots()
    figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure, axes
