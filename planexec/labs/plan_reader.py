"""The plan reader lab: a planner's reply, tidy or not, or any text; which stage takes it and what comes out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from planexec import worlds
from planexec.chat import Message, system
from planexec.models.simulated import SimulatedModel
from planexec.planner import PROMPT, longest_plan, task_message
from planexec.plans import ReadPlan, read_plan
from planexec.plans.reading import stage_of
from planexec.run import Run
from planexec.show.stages import Column

if TYPE_CHECKING:
    from planexec.labs.panel import Panel
    from planexec.show.picture import Picture

TITLES = {  # stage -> what it is called in the picture
    "whole": "JSON as it is",
    "inside": "JSON inside text",
    "repaired": "repaired JSON",
    "lines": "a list in lines",
    "none": "unreadable",
}


@dataclass(frozen=True)
class PlanReading:
    """One reply and what becomes of it. `naive`: what a bare `json.loads` gives, as a text, or its complaint."""

    reply: str
    read: ReadPlan
    stage: str
    naive: str

    @property
    def goals(self) -> tuple[str, ...]:
        """The steps that came out, in words."""
        return tuple(step.goal for step in self.read.steps)

    @property
    def text(self) -> str:
        """What happened, in one sentence."""
        return f"{self._title}. json.loads alone: {self.naive}"

    @property
    def _title(self) -> str:
        count = len(self.read.steps)
        got = f"{count} step{'s' if count != 1 else ''}" if count else self.read.status
        return f"{got}: {self.read.why}" if self.stage == "none" else f"{got}, from {TITLES[self.stage]}"

    @property
    def _columns(self) -> Sequence[Column]:
        steps = "\n".join(f"{step.id}. {step.goal}" for step in self.read.steps)
        out = steps or self.read.why or "nothing is left to do"
        return Column("the reply", self.reply), Column("read_plan", out), Column("json.loads alone", self.naive)

    @property
    def svg(self) -> str:
        from planexec.show.stages import stages_svg

        return stages_svg(list(TITLES.values()), TITLES[self.stage], self._columns, self._title)

    @property
    def picture(self) -> Picture:
        from planexec.show.stages import stages_figure

        return stages_figure(list(TITLES.values()), TITLES[self.stage], self._columns, self._title)

    def __repr__(self) -> str:
        return self.text


def plan_reader(sloppy: float = 0.2, text: str = "", seed: int = 0, lang: str = "en") -> PlanReading:
    """Read `text`, or, when it is blank, what a simulated planner says whose output is untidy with chance `sloppy`.

    The planner is asked for the battery survey. Errors: ValueError for a `sloppy` outside 0 to 1.
    """
    reply = text if text.strip() else planner_reply(sloppy, seed, lang)
    read = read_plan(reply, lang)
    stage = "none" if read.status == "unreadable" else stage_of(reply)
    return PlanReading(reply, read, stage, naive(reply))


def planner_reply(sloppy: float, seed: int = 0, lang: str = "en", world: str = "research") -> str:
    """The text of one reply of the simulated planner to the question of a world; of "research", the battery survey."""
    return SimulatedModel("careful", seed=seed, sloppy=sloppy).reply(_request(lang, world)).text


@lru_cache(maxsize=4)
def _request(lang: str, world: str) -> tuple[Message, ...]:
    """What the planner is asked; made once, because loading a world takes longer than a dial may."""
    place = worlds.load(world, lang)
    run = Run(place.question, tools=place.tools, lang=lang, date=place.date)
    most = longest_plan(run.limits)
    return system(PROMPT[lang].format(most=most, date=place.date)), task_message(run, place.question, most)


def naive(text: str) -> str:
    """naive('["a", "b"]') -> "a list of 2 texts"; naive("Sure") -> "Expecting value: line 1 column 1 (char 0)"."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as problem:
        return str(problem)
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return f"a list of {len(value)} texts"
    kinds: dict[type, str] = {dict: "an object", list: "a list, but not of texts", str: "a text"}
    return f"{kinds.get(type(value), 'a single value')}: not a plan yet"


def panel() -> Panel:
    """The lab with live dials, and a box for any reply."""
    from planexec.labs.panel import Dial, Panel

    box = Dial("text", "", label="a reply of your own")
    return Panel(plan_reader, (Dial("sloppy", 1.0, 0, 1, 0.05), Dial("seed", 1, 0, 99), box))
