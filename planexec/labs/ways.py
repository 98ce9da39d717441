"""The ways lab: one question, worked on by one reply full of calls, by ReAct, and by a plan; what each comes to.

A way answers the question when it found something and its answer names nothing as not found; otherwise its bar says
"incomplete". That is read off the simulated model's own words, so it does not hold for other models.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planexec import worlds
from planexec.agent import PlanExecuteAgent, answer_directly
from planexec.labs.places import place
from planexec.limits import Limits
from planexec.models.simulated import SimulatedModel
from planexec.react_loop import react
from planexec.result import Result
from planexec.router import route
from planexec.run import Run
from planexec.show.strips import Strip, strips_picture, strips_svg
from planexec.show.svg import fitted

if TYPE_CHECKING:
    from planexec.labs.panel import Panel
    from planexec.show.picture import Picture

UNIT = "requests to the model"
ROOM = 76  # columns for the question in a picture
MISSING = ("Not found:", "没有查到：")  # how a line of an answer begins that says what is missing
ONE_REPLY = Limits(max_steps=1)  # the agent's direct way goes on when nothing was found; here it may not


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
    def missing(self) -> dict[str, int]:
        """How many things each way's answer names as not found."""
        return {
            name: sum(line.startswith(MISSING) for line in result.answer.splitlines())
            for name, result in self.results.items()
        }

    @property
    def cheapest(self) -> tuple[str, ...]:
        """The ways that answered with the fewest requests; () when none answered."""
        answered = [name for name in self.results if self._answered(name)]
        least = min((self.requests[name] for name in answered), default=0)
        return tuple(name for name in answered if self.requests[name] == least)

    def _answered(self, name: str) -> bool:
        return self.missing[name] == 0 and any(call.kind == "found" for call in self.results[name].calls)

    @property
    def text(self) -> str:
        """What it came to, in one sentence."""
        each = [f"{name}: {self._said(name)}" for name in self.results]
        return f"{'; '.join(each)}. The router says: {self.route}"

    @property
    def _title(self) -> str:
        if not self.cheapest:
            return f"None of the three answers it in full; the router says {self.route}"
        least = self.requests[self.cheapest[0]]
        return f"Cheapest that answers: {' and '.join(self.cheapest)}, {least} requests; the router says {self.route}"

    @property
    def _strips(self) -> list[Strip]:
        return [Strip(name, count, self._said(name), name in self.cheapest) for name, count in self.requests.items()]

    def _said(self, name: str) -> str:
        requests, calls = self.requests[name], len(self.results[name].calls)
        said = f"{requests} request{'s' if requests != 1 else ''}, {calls} tool call{'s' if calls != 1 else ''}"
        return said if self._answered(name) else f"{said}, incomplete"

    @property
    def _axis(self) -> str:
        return f'{UNIT}, for "{fitted(self.question, ROOM)}"'

    @property
    def picture(self) -> Picture:
        return strips_picture(self._strips, self._title, self._axis)

    @property
    def svg(self) -> str:
        return strips_svg(self._strips, self._title, self._axis)

    def __repr__(self) -> str:
        return self.text


def ways(
    question: str = "", world: str = "finance", preset: str = "articles", seed: int = 0, lang: str = "en"
) -> WaysView:
    """Work on `question` (default: the world's own) in three ways; the model is simulated, so no cost."""
    here = place(world, lang)
    asked = question or here.question

    def run(limits: Limits | None = None) -> Run:
        model = SimulatedModel(preset, seed=seed, worlds=None)
        return Run(asked, model=model, tools=here.tools, limits=limits, seed=seed, lang=lang, date=here.date)

    model = SimulatedModel(preset, seed=seed, worlds=None)
    agent = PlanExecuteAgent(model, here.tools, lang=lang, seed=seed, date=here.date, loop="plan")
    results = {
        "one reply": answer_directly(run(ONE_REPLY), asked),
        "ReAct": react(asked, model, here.tools, seed=seed, lang=lang, date=here.date),
        "plan": agent.run(asked),
    }
    return WaysView(asked, route(run(), asked).kind, results)


def panel() -> Panel:
    """The lab with live dials, and a box for any question."""
    from planexec.labs.panel import Dial, Panel

    dials = (
        Dial("question", "", label="a question of your own"),
        Dial("world", "finance", options=worlds.NAMES),
        Dial("preset", "articles", options=("articles", "careful", "reckless")),
        Dial("seed", 0, 0, 99),
    )
    return Panel(ways, dials)
