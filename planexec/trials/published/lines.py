"""The lines of a table of published figures, and what all tables share."""

from __future__ import annotations

from typing import Any

from planexec.models.policy.dials import presets
from planexec.trials.scenario import NO_LIMITS, Setting
from planexec.trials.table import Table

PRESET = "articles"
SEEDS = range(200)  # of every table
SEED = 0  # the one run that illustrates each of them

Line = dict[str, Any]


def line(figure: str, ours: float, unit: str, published: str, source: str, fitted: bool | None = None) -> Line:
    """One line. `source`: the published figure it belongs to (A1, B3, ...), whose mark the preset gives.

    `fitted`: True for what was calibrated beside the preset, False for what the preset's figure is not about.
    """
    return {
        "figure": figure,
        "ours": round(float(ours), 1),
        "unit": unit,
        "published": published,
        "source": source,
        "mark": mark(source) if fitted is None else "fitted" if fitted else "predicted",
    }


def mark(source: str) -> str:
    """ "fitted" when the preset's dials were set by this figure, else "predicted"."""
    fitted = presets()[PRESET]["fitted"]
    return "fitted" if source in fitted else "predicted"


def lines(*each: Line) -> Table:
    return Table(each)


def bare(name: str, max_steps: int, prompt: str | None = None) -> Setting:
    """The model alone: no counters, no limits but one on its turns, and no last word when that is reached."""
    return Setting(name, PRESET, limits=NO_LIMITS.with_(max_steps=max_steps), guards=(), prompt=prompt, last_word=False)
