"""The budget lab: one question, one dial `max_steps`, and what the run becomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planexec import worlds
from planexec.agent import PlanExecuteAgent
from planexec.limits import Limits
from planexec.models.simulated import SimulatedModel
from planexec.result import Result
from planexec.verdicts import describe

if TYPE_CHECKING:
    from planexec.labs.panel import Panel
    from planexec.show.picture import Picture

MOST = 12  # the right end of the dial


@dataclass(frozen=True)
class BudgetView:
    """One run under one budget: its result, one sentence about it, and its picture."""

    max_steps: int
    result: Result

    @property
    def text(self) -> str:
        """What happened, in one sentence."""
        used, of = self.result.usage.steps, self.max_steps
        if self.result.complete:
            return f"max_steps = {of}: complete after {used} steps"
        return f"max_steps = {of}: {describe(self.result.stop)}" if self.result.stop else f"max_steps = {of}: no answer"

    @property
    def _title(self) -> str:
        state = f"stopped by {self.result.stop.reason}" if self.result.stop else "complete"
        return f"max_steps = {self.max_steps}: {state} after {self.result.usage.steps} steps"

    @property
    def picture(self) -> Picture:
        from planexec.show.figures import run_timeline

        return run_timeline(self.result, self._title)

    @property
    def svg(self) -> str:
        from planexec.show.svg import timeline

        return timeline(self.result, self._title, MOST)

    def __repr__(self) -> str:
        return self.text


def budget(
    max_steps: int = 8,
    question: str = "",
    world: str = "finance",
    preset: str = "articles",
    seed: int = 0,
    lang: str = "en",
) -> BudgetView:
    """Run `question` (default: the world's own) with `max_steps` executor turns; the model is simulated, so no cost."""
    place = worlds.load(world, lang)
    limits = Limits(max_steps=max_steps)
    agent = PlanExecuteAgent(SimulatedModel(preset, seed=seed), place.tools, limits, lang, seed=seed, date=place.date)
    return BudgetView(max_steps, agent.run(question or place.question))


def panel() -> Panel:
    """The lab with live dials."""
    from planexec.labs.panel import Dial, Panel

    presets = ("articles", "careful", "reckless")
    dials = (Dial("max_steps", 8, 1, MOST), Dial("preset", "articles", options=presets), Dial("seed", 0, 0, 99))
    return Panel(budget, dials)
