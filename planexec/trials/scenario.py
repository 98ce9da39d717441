"""What is tried (a question in a world) and how (a model's dials, limits, guards)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, is_dataclass
from typing import Any

from planexec import worlds
from planexec.agent import PlanExecuteAgent
from planexec.guards import Guard
from planexec.journal import Journal
from planexec.limits import Limits
from planexec.models.simulated import SimulatedModel
from planexec.person import Person
from planexec.react_loop import react
from planexec.result import Result
from planexec.worlds import World


@dataclass(frozen=True)
class Scenario:
    """A question in a world. `question` is one of the world's own by name, or any text.

    `loop`: "auto", "plan" or "react". `options` go to the world's tools; `case` names what the judge needs to know.
    """

    world: str
    question: str = ""
    lang: str = "en"
    loop: str = "auto"
    case: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.case or f"{self.world}/{self.question or 'question'}/{self.lang}"

    def load(self) -> tuple[World, str]:
        """The world, fresh, and the question as text."""
        world = worlds.load(self.world, self.lang, **self.options)
        return world, world.questions.get(self.question, self.question) or world.question


@dataclass(frozen=True)
class Setting:
    """A simulated model and what holds it: dials on top of a preset, limits, guards (None: the defaults, (): none).

    `prompt` replaces ReAct's system message, for asking what a line in a prompt changes.
    """

    name: str = "default"
    preset: str = "articles"
    dials: Mapping[str, float] = field(default_factory=dict)
    limits: Limits = Limits()
    guards: tuple[Guard, ...] | None = None
    prompt: str | None = None
    person: Person | None = None

    def key(self) -> dict[str, Any]:
        """What makes this setting itself, as plain values: saved results of another setting are not mixed in."""
        guards = None if self.guards is None else [_plain(guard) for guard in self.guards]
        dials = dict(sorted(self.dials.items()))
        return {"preset": self.preset, "dials": dials, "limits": self.limits.to_dict(), "guards": guards}


UNGUARDED = Setting("unguarded", limits=Limits.none().with_(max_steps=30, max_attempts=1), guards=())


def _plain(guard: Guard) -> dict[str, Any]:
    values: dict[str, Any] = asdict(guard) if is_dataclass(guard) and not isinstance(guard, type) else {}
    return {"guard": type(guard).__name__, **values}


def carry_out(scenario: Scenario, setting: Setting, seed: int, journal: Journal | None = None) -> Result:
    """One run, from nothing: its own world, model and journal."""
    world, question = scenario.load()
    model = SimulatedModel(setting.preset, seed=seed, worlds=None, **dict(setting.dials))
    common: dict[str, Any] = {"guards": setting.guards, "lang": scenario.lang, "seed": seed, "date": world.date}
    if scenario.loop == "react":
        held: dict[str, Any] = {"journal": journal, "person": setting.person, "prompt": setting.prompt}
        return react(question, model, world.tools, setting.limits, **held, **common)
    agent = PlanExecuteAgent(model, world.tools, setting.limits, loop=scenario.loop, **common)
    return agent.run(question, journal, setting.person)
