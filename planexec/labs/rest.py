"""The rest of a plan, asked about once; and a survey whose plan is given, to see what asking about it is worth.

    rest_after({"find the map": "A map of East Park."}, ["measure the parks", "write"], answer="[]")

Each goes through the package's own replanner. Simulated: no cost.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from planexec.agent import PlanExecuteAgent
from planexec.chat import Message, Model, Reply
from planexec.journal import Journal
from planexec.labs.places import place
from planexec.limits import Limits
from planexec.models.scripted import ScriptedModel
from planexec.models.simulated import SimulatedModel
from planexec.plans import Step
from planexec.replanner import replan
from planexec.result import Result, StepDone
from planexec.run import Run
from planexec.show.plan_diff import diff_text

STEPS = 20  # room for any plan: only the replans are rationed


@dataclass(frozen=True)
class RestView:
    """The open plan before and after one answer. `status`: "parsed", "empty" or "unreadable" (then the plan stays).

    `sent`: the data that the replanner was sent.
    """

    before: tuple[Step, ...]
    after: tuple[Step, ...]
    status: str
    why: str
    sent: Mapping[str, Any]

    @property
    def text(self) -> str:
        """What the answer was taken for, and the remark on it, in one sentence."""
        taken = {"unreadable": "not used, the plan stays", "empty": "nothing is left"}.get(self.status, "taken")
        return f"{taken}: {self.why}" if self.why else taken

    @property
    def diff(self) -> str:
        """The open plan, one line a step: "-" deleted, "+" added, "~" reworded."""
        return diff_text(self.before, self.after)

    def __repr__(self) -> str:
        return f"{self.diff}\n-> {self.text}"


def rest_after(done: Mapping[str, str], rest: Sequence[str], answer: str = "", world: str = "research") -> RestView:
    """Ask once whether `rest` (goals) is still right. `done`: goal -> result of the steps before; ids count from 1.

    The simulated model "careful" answers, or `answer` is taken for the replanner's words. `world`: whose question is
    the task.
    """
    task = place(world)
    model: Model = ScriptedModel([answer]) if answer else SimulatedModel("careful")
    journal = Journal()
    run = Run(task.question, model=model, tools=task.tools, date=task.date, journal=journal)
    finished = [StepDone(number, goal, "done", result) for number, (goal, result) in enumerate(done.items(), 1)]
    open_steps = tuple(Step(number, goal) for number, goal in enumerate(rest, len(finished) + 1))
    read = replan(run, task.question, finished, open_steps)
    asked = next(record for record in journal.records() if record.kind == "model")
    return RestView(open_steps, read.steps, read.status, read.why, json.loads(asked.request["added"][-1]["content"]))


def survey_by(goals: Sequence[str], max_replans: int) -> Result:
    """The survey of the research world by a plan of these goals, its rest asked about `max_replans` times at most."""
    world = place("research")
    limits = Limits(max_steps=STEPS, max_replans=max_replans)
    agent = PlanExecuteAgent(_Planned(goals), world.tools, limits, date=world.date, loop="plan")
    return agent.run(world.question)


class _Planned(SimulatedModel):
    """The simulated model with its plan given; whatever else it is asked it answers itself."""

    def __init__(self, goals: Sequence[str]) -> None:
        super().__init__("articles")
        self.plan = json.dumps(list(goals))

    def reply(self, messages: Sequence[Message], **options: Any) -> Reply:
        """As the model answers, but for the one request that only a planner makes: it lists the tools as data."""
        answer = super().reply(messages, **options)
        listed = str(messages[-1].get("content") or "")
        data = json.loads(listed) if listed.startswith("{") else {}
        return replace(answer, text=self.plan) if "tools" in data and "max_plan_steps" in data else answer
