"""A run that is killed at a chosen moment, inside one process: the journal raises what no code catches."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from helpers_control import SECOND, Killed, asked, role_of

from planexec.agent import PlanExecuteAgent
from planexec.chat import Message
from planexec.clock import VirtualClock
from planexec.journal import Journal, Record
from planexec.limits import Limits
from planexec.models.scripted import ScriptedModel
from planexec.person import Answer, Request
from planexec.result import Result
from planexec.tools import Tool, empty, tool

MOMENTS = ("before", "begun", "done", "after")
"""Of an effect: nothing written; begun written, not carried out; carried out, not finished; finished."""


class Fused(Journal):
    """A journal that kills the run at one moment of its `effect`-th effect (1, 2, ...) since it was opened."""

    def __init__(self, path: Path | None, effect: int = 0, moment: str = ""):
        super().__init__(path)
        self.effect, self.moment, self.begun = effect, moment, 0

    def _kill(self, moment: str) -> None:
        if self.effect and (self.begun, moment) == (self.effect, self.moment):
            raise Killed(f"{moment} effect {self.effect}")

    def begin(self, *args: Any) -> Record:
        self.begun += 1
        self._kill("before")
        record = super().begin(*args)
        self._kill("begun")
        return record

    def finish(self, record: Record, result: dict[str, Any], seconds: float) -> Record:
        self._kill("done")
        finished = super().finish(record, result, seconds)
        self._kill("after")
        return finished


class World:
    """What the tools of a scenario did, outside of any journal; `asked` are the questions to its person."""

    def __init__(self) -> None:
        self.read: list[str] = []
        self.sent: list[str] = []
        self.tried: dict[str, int] = {}
        self.asked: list[Request] = []

    def tools(self) -> list[Tool]:
        @tool
        def look(query: str) -> Any:
            """Look something up."""
            self.read.append(query)
            return empty() if "nothing" in query else f"fact about {query}"

        @tool
        def shaky(query: str) -> str:
            """Look something up in a service that fails twice."""
            self.tried[query] = self.tried.get(query, 0) + 1
            if self.tried[query] < 3:
                raise TimeoutError("no answer")
            return f"at last: {query}"

        @tool(effect=True)
        def send(text: str) -> str:
            """Send a mail."""
            self.sent.append(text)
            return f"sent {text}"

        @tool(effect=True, approve=True)
        def publish(text: str) -> str:
            """Publish something, if a person agrees."""
            self.sent.append(text)
            return f"published {text}"

        return [look, shaky, send, publish]

    def person(self, request: Request) -> Answer:
        """Agrees to what is asked; of a call that may have happened it says what the world shows."""
        self.asked.append(request)
        text = (request.args or {}).get("text", "")
        if request.kind == "unknown" and text in self.sent:
            return Answer("reply", f"{'published' if request.tool == 'publish' else 'sent'} {text}")
        return Answer("approve")


Scenario = Callable[[World, Journal], Result]

TURNS: list[Any] = [
    [("look", {"query": "a"}), ("look", {"query": "b"})],
    [("send", {"text": "first"})],
    [("shaky", {"query": "c"})],
    [("look", {"query": "nothing 1"}), ("send", {"text": "second"}), ("look", {"query": "nothing 2"})],
    [("publish", {"text": "third"}), ("nobody", {})],
    "all done",
]


def react_run(world: World, journal: Journal) -> Result:
    """Six turns: reads, mails, retries, a nudge, an approval, an unknown tool."""

    def line(messages: Sequence[Message], tools: Any) -> Any:
        return TURNS[sum(message["role"] == "assistant" for message in messages)]

    return _run(world, journal, ScriptedModel(line, usage=SECOND), "react")


PLAN = [
    {"id": 1, "goal": "look", "tool": "look", "args": {"query": "a"}},
    {"id": 2, "goal": "tell", "tool": "send", "args": {"text": "$1"}, "needs": [1]},
    "dig into c",
    {"id": 4, "goal": "nothing there", "tool": "look", "args": {"query": "nothing"}, "expects": "optional"},
    {"id": 5, "goal": "publish", "tool": "publish", "args": {"text": "$2"}, "needs": [2]},
]


def planned_run(world: World, journal: Journal) -> Result:
    """Direct calls with references, a step in words, an empty search, a replan that adds a step, a report."""

    def line(messages: Sequence[Message], tools: Any) -> Any:
        role = role_of(messages)
        if role == "planner":
            return json.dumps(PLAN)
        if role == "replanner":
            return _grown(messages)
        if role == "reporter":
            return "report: " + " | ".join(each["result"] for each in asked(messages)["results"])
        return _executor(messages)

    return _run(world, journal, ScriptedModel(line, usage=SECOND), "plan")


def _grown(messages: Sequence[Message]) -> str:
    data = asked(messages)
    grows = len(data["done"]) == 3 and len(data["remaining"]) == 2
    return json.dumps([*data["remaining"], *([{"id": None, "goal": "one more mail"}] if grows else [])])


def _executor(messages: Sequence[Message]) -> Any:
    goal = asked(messages)["step"]["goal"]
    turn = sum(message["role"] == "assistant" for message in messages)
    if goal == "dig into c":
        return [[("shaky", {"query": "c"})], "dug"][min(turn, 1)]
    if goal == "one more mail":
        return [[("send", {"text": "one more"})], "mailed"][min(turn, 1)]
    return "so it is"


def _run(world: World, journal: Journal, model: ScriptedModel, loop: str) -> Result:
    agent = PlanExecuteAgent(
        model, world.tools(), Limits(max_steps=30), loop=loop, clock=VirtualClock(), date="2026-05-01"
    )
    return agent.run("q", journal, world.person)


def effects_of(scenario: Scenario) -> int:
    """How many effects an undisturbed run has."""
    journal = Fused(None)
    scenario(World(), journal)
    return journal.begun
