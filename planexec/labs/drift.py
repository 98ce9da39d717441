"""The drift lab: the survey by ReAct and by a plan, the same model, seed and searches; how far each gets round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planexec.agent import PlanExecuteAgent
from planexec.labs.places import place
from planexec.limits import Limits
from planexec.models.simulated import SimulatedModel
from planexec.react_loop import react
from planexec.result import Result
from planexec.trials.survey import SIDES, covered, shipped, sides_by_round

if TYPE_CHECKING:
    from planexec.labs.panel import Panel
    from planexec.show.paths import Path
    from planexec.show.picture import Picture

STEPS = 20  # room enough for any plan: only the searches are rationed


@dataclass(frozen=True)
class DriftView:
    """Both runs of the survey. Sides are those of `trials.survey`; `rounds` is how many searches each may make."""

    drift: float
    rounds: int
    react: Result
    plan: Result
    lang: str = "en"

    @property
    def results(self) -> dict[str, Result]:
        return {"ReAct": self.react, "plan": self.plan}

    @property
    def sides(self) -> dict[str, tuple[str, ...]]:
        """The sides each has covered, in the order in which it reached them."""
        return {name: covered(result, shipped(self.lang)) for name, result in self.results.items()}

    @property
    def text(self) -> str:
        """Coverage and cost of both, in one sentence."""
        return f"drift = {self.drift:g}, {self.rounds} searches: " + "; ".join(
            f"{path.name} {len(self.sides[path.name])} of {len(SIDES)} sides, {path.note}" for path in self.paths
        )

    @property
    def paths(self) -> list[Path]:
        """Which side each search was about."""
        from planexec.show.paths import Path

        return [
            Path(name, sides_by_round(result, shipped(self.lang)), _cost(result))
            for name, result in self.results.items()
        ]

    @property
    def _title(self) -> str:
        counts = {name: len(sides) for name, sides in self.sides.items()}
        return f"ReAct covers {counts['ReAct']} of {len(SIDES)} sides, the plan {counts['plan']}"

    @property
    def picture(self) -> Picture:
        from planexec.show.paths import paths_picture

        return paths_picture(self.paths, SIDES, self._title, "search")

    @property
    def svg(self) -> str:
        from planexec.show.paths import paths_svg

        return paths_svg(self.paths, SIDES, self._title, "search")

    def __repr__(self) -> str:
        return self.text


def _cost(result: Result) -> str:
    return f"{result.usage.model_calls} model calls, ${result.usage.usd or 0:.4f}"


def drift(drift: float = 0.9, rounds: int = 6, seed: int = 0, lang: str = "en") -> DriftView:
    """Survey with `rounds` searches, by ReAct and by a plan; `drift` is the model's (0 to 1). Simulated: no cost."""
    world = place("research", lang)
    model = SimulatedModel("articles", seed=seed, drift=drift)
    room = Limits(max_tool_calls=rounds, max_steps=STEPS)
    alone = react(world.question, model, world.tools, room, guards=(), lang=lang, date=world.date)
    agent = PlanExecuteAgent(model, world.tools, room, lang, guards=(), date=world.date, loop="plan")
    return DriftView(drift, rounds, alone, agent.run(world.question), lang)


def panel() -> Panel:
    """The lab with live dials."""
    from planexec.labs.panel import Dial, Panel

    return Panel(drift, (Dial("drift", 0.9, 0, 1, 0.05), Dial("rounds", 6, 1, 12), Dial("seed", 0, 0, 99)))
