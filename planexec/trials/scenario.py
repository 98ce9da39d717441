"""What is tried (a question in a world) and how (a model's dials, limits, guards, pace)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, is_dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from planexec import worlds
from planexec.agent import PlanExecuteAgent
from planexec.canonical import digest
from planexec.chat import Model
from planexec.gate import Event
from planexec.guards import Guard
from planexec.journal import Journal
from planexec.limits import Limits
from planexec.models.policy.dials import dials_of
from planexec.models.simulated import SimulatedModel
from planexec.person import Person
from planexec.react_loop import react
from planexec.result import Result
from planexec.trials.pace import Pace, Paced
from planexec.worlds import World

STATEFUL = "outbox"  # the one option that keeps what a run did: a world with it is made anew each time


@dataclass(frozen=True)
class Scenario:
    """A question in a world. `question` is one of the world's own by name, or any text.

    `loop`: "auto", "plan" or "react". `options` go to the world's tools ("data" replaces what the world ships).
    `answer`: the name of the question whose rule judges a text that is none of the world's own. `case` is what the
    table calls it, `group` what it belongs to there.
    """

    world: str
    question: str = ""
    lang: str = "en"
    loop: str = "auto"
    case: str = ""
    group: str = ""
    answer: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.case or f"{self.world}/{self.question or 'question'}/{self.lang}"

    def load(self) -> tuple[World, str]:
        """The world and the question as text. Worlds hold no state, so one serves many runs; an outbox is fresh."""
        world = _world(self)
        return world, world.questions.get(self.question, self.question) or world.question

    @cached_property
    def data(self) -> Any:
        """The parsed data that replaces the world's own, or None."""
        given = self.options.get("data")
        return json.loads(Path(given).read_text("utf-8")) if isinstance(given, (str, Path)) else given

    @cached_property
    def key(self) -> str:
        """Everything that can change a run of it, in a few characters."""
        options = {name: value for name, value in self.options.items() if name not in ("data", STATEFUL)}
        return digest(_text([self.world, self.question, self.lang, self.loop, self.answer, options, self.data]))

    @cached_property
    def place(self) -> str:
        """What its world is made of, in a few characters: scenarios that differ in their questions only share one."""
        return self.key if self.options else f"{self.world} {self.lang}"

    def __getstate__(self) -> dict[str, Any]:
        """What travels to another process: with the key, so that it is worked out once."""
        _ = self.key
        return dict(self.__dict__)


@dataclass(frozen=True)
class Setting:
    """A model and what holds it: dials on top of a preset, limits, guards (None: the defaults, (): none).

    `prompt` replaces ReAct's system message, for asking what a line in a prompt changes. `person`: who is asked, a
    function known by its name. `pace`: seconds and dollars of every model call, in place of the model's own.
    `last_word`: False lets a limit end the run without an answer, as the recursion limit of a framework does.
    `make_model`: seed -> any other model, a real one for example; a function known by its name.
    """

    name: str = "default"
    preset: str = "articles"
    dials: Mapping[str, float] = field(default_factory=dict)
    limits: Limits = Limits()
    guards: tuple[Guard, ...] | None = None
    prompt: str | None = None
    person: Person | None = None
    pace: Pace | None = None
    last_word: bool = True
    make_model: Callable[[int], Model] | None = None

    @cached_property
    def key(self) -> str:
        """Everything that can change a run under it: saved results of other settings are not mixed in."""
        guards = None if self.guards is None else [_plain(guard) for guard in self.guards]
        dials = asdict(dials_of(self.preset, self.dials))
        pace = None if self.pace is None else asdict(self.pace)
        held = [self.limits.to_dict(), guards, _name(self.person), self.last_word]
        return digest(_text([self.name, dials, held, self.prompt, pace, _name(self.make_model)]))

    def model(self, seed: int) -> Model:
        """The model of one run."""
        dials: dict[str, Any] = dict(self.dials)
        model: Model
        if self.make_model is not None:
            model = self.make_model(seed)
        else:
            model = SimulatedModel(self.preset, seed=seed, **dials)
        if self.pace is not None:
            model = Paced(model, self.pace)
        return model


NO_LIMITS = Limits.none().with_(max_attempts=1, per_step=Limits.none())
UNGUARDED = Setting("unguarded", limits=NO_LIMITS.with_(max_steps=30), guards=(), last_word=False)


def _name(function: Any) -> str:
    return "" if function is None else f"{function.__module__}.{getattr(function, '__qualname__', function)}"


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=repr)


def _plain(guard: Guard) -> dict[str, Any]:
    values: dict[str, Any] = asdict(guard) if is_dataclass(guard) and not isinstance(guard, type) else {}
    return {"guard": type(guard).__name__, **values}


_worlds: dict[str, World] = {}
MOST_WORLDS = 64  # kept at a time; reading one costs more than a run in it


def _world(scenario: Scenario) -> World:
    """The scenario's world: made once a process, and anew for every run where it keeps what was done."""
    if STATEFUL in scenario.options:
        return worlds.load(scenario.world, scenario.lang, **scenario.options)
    known = _worlds.get(scenario.place)
    if known is None:
        while len(_worlds) >= MOST_WORLDS:
            del _worlds[next(iter(_worlds))]
        known = _worlds[scenario.place] = worlds.load(scenario.world, scenario.lang, **scenario.options)
    return known


def carry_out(
    scenario: Scenario,
    setting: Setting,
    seed: int,
    journal: Journal | None = None,
    on_event: Callable[[Event], None] | None = None,
) -> Result:
    """One run, from nothing: its own model and journal. `on_event` sees every effect as it happens."""
    result = _run(scenario, setting, seed, journal, on_event)
    if setting.last_word or result.stop is None or not result.stop.reason.startswith("max_"):
        return result
    return replace(result, answer="", complete=False)


def _run(
    scenario: Scenario,
    setting: Setting,
    seed: int,
    journal: Journal | None,
    on_event: Callable[[Event], None] | None,
) -> Result:
    world, question = scenario.load()
    model = setting.model(seed)
    common: dict[str, Any] = {"guards": setting.guards, "lang": scenario.lang, "seed": seed, "date": world.date}
    common["on_event"] = on_event
    if scenario.loop == "react":
        held: dict[str, Any] = {"journal": journal, "person": setting.person, "prompt": setting.prompt}
        return react(question, model, world.tools, setting.limits, **held, **common)
    agent = PlanExecuteAgent(model, world.tools, setting.limits, loop=scenario.loop, **common)
    return agent.run(question, journal, setting.person)
