"""The budgets lab: many runs of one kind of question, one dial `max_steps`, and what it does to all of them.

The runs are kept (`trials/budgets.py`), so that a move of the dial costs nothing. Where runs end by themselves, what
they need and what they use is seen at once: too small a budget cuts good runs short, too large a one lets calls be
wasted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from planexec.show.budgets import Panels, panels_picture, panels_svg
from planexec.trials.budgets import BUDGETS, KINDS, SETTINGS, Spread, spreads

if TYPE_CHECKING:
    from planexec.labs.panel import Panel
    from planexec.show.picture import Picture

SHOWN = BUDGETS[:-1]  # the budgets of the dial
MOST = SHOWN[-1]


@dataclass(frozen=True)
class BudgetsView:
    """All runs of one kind under one budget, and where that budget stands among the others."""

    max_steps: int
    kind: str
    spread: Spread

    @property
    def text(self) -> str:
        """What the budget does, in one sentence."""
        good, cut = self.spread.success(self.max_steps), self.spread.cut_short(self.max_steps)
        wasted = self.spread.calls_wasted(self.max_steps)
        done = f"{round(good, 1):g} % right, {round(cut, 1):g} % cut short, {wasted:.1f} calls wasted a run"
        return f"{self.kind}, max_steps = {self.max_steps}: {done}, {self.spread.runs} runs"

    @property
    def _panels(self) -> Panels:
        spread = self.spread
        return Panels(
            self.text,
            self.max_steps,
            _shares(spread.used, spread.runs),
            _shares(spread.needed, spread.runs),
            [(n, spread.success(n)) for n in SHOWN],
            [(n, spread.cut_short(n)) for n in SHOWN],
            [(n, spread.calls_wasted(n)) for n in SHOWN],
        )

    @property
    def picture(self) -> Picture:
        return panels_picture(self._panels)

    @property
    def svg(self) -> str:
        return panels_svg(self._panels)

    def __repr__(self) -> str:
        return self.text


def _shares(counts: Mapping[int, int], runs: int) -> dict[str, float]:
    """Turns -> per cent of the runs, every number of turns that the dial has, and one for all beyond."""
    shares = {str(turns): 100 * counts.get(turns, 0) / runs for turns in SHOWN}
    return {**shares, f"{MOST + 1}+": 100 * sum(count for turns, count in counts.items() if turns > MOST) / runs}


def budgets(max_steps: int = 8, kind: str = "flights", guards: bool = False) -> BudgetsView:
    """What `max_steps` (1 to 14) does to the kept runs of one kind of question (see `trials.budgets.KINDS`).

    `guards`: the counters are on as well; otherwise the budget is the only brake. Errors: ValueError for what the
    dials do not have.
    """
    if kind not in KINDS:
        raise ValueError(f"no kind is called {kind!r}; there are {', '.join(KINDS)}")
    if max_steps not in SHOWN:
        raise ValueError(f"max_steps goes from {SHOWN[0]} to {MOST} here; got {max_steps!r}")
    return BudgetsView(max_steps, kind, spreads(SETTINGS[guards])[kind])


def panel() -> Panel:
    """The lab with live dials."""
    from planexec.labs.panel import Dial, Panel

    dials = (
        Dial("max_steps", 8, SHOWN[0], MOST),
        Dial("kind", "flights", options=tuple(KINDS), label="kind of question"),
        Dial("guards", False, options=(True, False), label="counters on"),
    )
    return Panel(budgets, dials)
