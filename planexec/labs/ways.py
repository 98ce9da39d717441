"""The ways lab: one question, worked on by one reply full of calls, by ReAct, and by a plan; what each comes to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planexec import worlds
from planexec.agent import PlanExecuteAgent, answer_directly
from planexec.models.simulated import SimulatedModel
from planexec.react_loop import react
from planexec.result import Result
from planexec.router import route
from planexec.run import Run
from planexec.show.strips import Strip, strips_picture, strips_svg

if TYPE_CHECKING:
    from planexec.show.picture import Picture

UNIT = "requests to the model"


@dataclass(frozen=True)
class WaysView:
    """One question worked on in three ways; `route` is what the router would have chosen."""

    question: str
    route: str
    results: dict[str, Result]

    @property
    def requests(self) -> dict[str, int]:
        """Requests to the model that each way took."""
        return {name: result.usage.model_calls for name, result in self.results.items()}

    @property
    def text(self) -> str:
        """What it came to, in one sentence."""
        each = [f"{name}: {self._said(name)}" for name in self.results]
        return f"{'; '.join(each)}. The router says: {self.route}"

    @property
    def _title(self) -> str:
        least = min(self.requests.values())
        cheapest = " and ".join(name for name, count in self.requests.items() if count == least)
        return f"Cheapest: {cheapest}, {least} requests; the router says {self.route}"

    @property
    def _strips(self) -> list[Strip]:
        least = min(self.requests.values())
        return [Strip(name, count, self._said(name), count == least) for name, count in self.requests.items()]

    def _said(self, name: str) -> str:
        calls = len(self.results[name].calls)
        return f"{self.requests[name]} requests, {calls} tool call{'s' if calls != 1 else ''}"

    @property
    def picture(self) -> Picture:
        return strips_picture(self._strips, self._title, UNIT)

    @property
    def svg(self) -> str:
        return strips_svg(self._strips, self._title, UNIT)

    def __repr__(self) -> str:
        return self.text


def ways(
    question: str = "", world: str = "finance", preset: str = "articles", seed: int = 0, lang: str = "en"
) -> WaysView:
    """Work on `question` (default: the world's own) in three ways; the model is simulated, so no cost."""
    place = worlds.load(world, lang)
    asked = question or place.question

    def run() -> Run:
        model = SimulatedModel(preset, seed=seed, worlds=None)
        return Run(asked, model=model, tools=place.tools, seed=seed, lang=lang, date=place.date)

    model = SimulatedModel(preset, seed=seed, worlds=None)
    agent = PlanExecuteAgent(model, place.tools, lang=lang, seed=seed, date=place.date, loop="plan")
    results = {
        "one reply": answer_directly(run(), asked),
        "ReAct": react(asked, model, place.tools, seed=seed, lang=lang, date=place.date),
        "plan": agent.run(asked),
    }
    return WaysView(asked, route(run(), asked).kind, results)
