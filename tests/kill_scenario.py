"""The run that the kill matrix kills: eight lines of a plan, and three calls that change the world.

Whatever is done is also written to a log by whoever does it, so that the journal is not its own witness.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from planexec.agent import PlanExecuteAgent
from planexec.chat import Message, Usage
from planexec.clock import VirtualClock
from planexec.journal import Journal, Record
from planexec.limits import Limits
from planexec.models.scripted import ScriptedModel
from planexec.person import Answer, Request
from planexec.result import Result
from planexec.tools import Tool, empty, tool

MOMENTS = ("before", "begun", "done", "after")
"""Of an effect: nothing is written; it is written that it begins; it is carried out; it is written how it ended."""
MAILS = ("first: fact about a", "second", "third: dug out c")
QUESTION = "compare a with b and tell everybody"
CARELESS = "--careless" in sys.argv


# ------------------------------------------------------------------------------------------------- the world


class World:
    """Two files: the mails that went out, and a log of everything that was carried out."""

    def __init__(self, folder: Path):
        self.mails, self.log = folder / "mails.txt", folder / "log.txt"

    def note(self, file: Path, line: str) -> None:
        with open(file, "a", encoding="utf-8") as out:
            out.write(line + "\n")
            out.flush()

    def read(self, file: Path) -> list[str]:
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []

    def did(self, line: str) -> int:
        """Write down that something was carried out; how often it was before."""
        count = self.read(self.log).count(line)
        self.note(self.log, line)
        return count

    def mail(self, text: str) -> str:
        self.did(f"mail {text}")
        self.note(self.mails, text)
        return f"sent {text}"

    def tools(self) -> list[Tool]:
        @tool
        def look(query: str) -> Any:
            """Look something up."""
            self.did(f"look {query}")
            return empty() if "nothing" in query else f"fact about {query}"

        @tool
        def shaky(query: str) -> str:
            """Look something up in a service that fails twice."""
            if self.did(f"shaky {query}") < 2:
                raise TimeoutError("no answer")
            return f"at last {query}"

        @tool(effect=not CARELESS)
        def send(text: str) -> str:
            """Send a mail."""
            return self.mail(text)

        @tool(effect=not CARELESS, approve=True)
        def publish(text: str) -> str:
            """Send a mail to everybody, if a person agrees."""
            return self.mail(text)

        return [look, shaky, send, publish]

    def person(self, request: Request) -> Answer:
        """Agrees to a call; asked whether one has happened, looks at the mails that went out."""
        self.did(f"ask {request.kind} {request.tool} {request.args}")
        text = str((request.args or {}).get("text"))
        if request.kind == "unknown" and text in self.read(self.mails):
            return Answer("reply", f"sent {text}")
        return Answer("approve")


# ------------------------------------------------------------------------------------------------- the run

PLAN = [
    {"id": 1, "goal": "look at a", "tool": "look", "args": {"query": "a"}},
    {"id": 2, "goal": "tell the first", "tool": "send", "args": {"text": "first: $1"}},
    {"id": 3, "goal": "dig into c"},
    {"id": 4, "goal": "look where nothing is", "tool": "look", "args": {"query": "nothing"}, "expects": "optional"},
    {"id": 5, "goal": "tell the second"},
    {"id": 6, "goal": "look at b", "tool": "look", "args": {"query": "b"}},
    {"id": 7, "goal": "tell everybody", "tool": "publish", "args": {"text": "third: $3"}},
    {"id": 8, "goal": "sum up"},
]
TURNS: dict[str, list[Any]] = {
    "dig into c": [[("look", {"query": "c"}), ("look", {"query": "d"})], [("shaky", {"query": "c"})], "dug out c"],
    "tell the second": [[("look", {"query": "e"})], [("send", {"text": "second"})], "told"],
    "sum up": [[("look", {"query": "f"})], "summed up"],
}


def script(world: World) -> ScriptedModel:
    """The same reply to the same messages, in whatever process."""

    def line(messages: Sequence[Message], tools: Any) -> Any:
        data = json.loads(messages[1]["content"])
        turn = sum(message["role"] == "assistant" for message in messages)
        role = next(name for name in ("step", "remaining", "results", "tools") if name in data)
        where = data["step"]["id"] if role == "step" else len(data.get("done", ()))
        world.did(f"model {role} {where} {turn}")
        if role == "tools":
            return json.dumps(PLAN)
        if role == "remaining":
            return json.dumps(data["remaining"])
        if role == "results":
            return " | ".join(str(each["result"]) for each in data["results"])
        return TURNS.get(data["step"]["goal"], ["nothing there"])[turn if data["step"]["goal"] in TURNS else 0]

    return ScriptedModel(line, usage=Usage(100, 50, seconds=1.0))


class Deadly(Journal):
    """A journal that kills its own process at one moment of its `effect`-th effect; 0: never. It counts them."""

    def __init__(self, path: Path, effect: int, moment: str):
        super().__init__(path)
        self.effect, self.moment, self.begun = effect, moment, 0

    def _die(self, moment: str) -> None:
        if self.effect and (self.begun, moment) == (self.effect, self.moment):
            os.kill(os.getpid(), signal.SIGKILL)

    def begin(self, *args: Any) -> Record:
        self.begun += 1
        self._die("before")
        record = super().begin(*args)
        self._die("begun")
        return record

    def finish(self, record: Record, result: dict[str, Any], seconds: float) -> Record:
        self._die("done")
        finished = super().finish(record, result, seconds)
        self._die("after")
        return finished


def run(path: Path, folder: Path, effect: int = 0, moment: str = "") -> tuple[Result, list[tuple[str, str]]]:
    """Begin the run saved in `path`, or go on with it; its result, and the kind and name of each effect begun now."""
    world, begun = World(folder), list[tuple[str, str]]()
    with Deadly(path, effect, moment) as journal:
        agent = PlanExecuteAgent(
            script(world),
            world.tools(),
            Limits(max_steps=30, per_step=Limits.none()),
            clock=VirtualClock(),
            date="2026-05-01",
            loop="plan",
        )
        result = agent.run(QUESTION, journal, world.person)
        begun += [(each.kind, each.name) for each in journal.records() if each.kind not in ("note", "stop")]
    return result, begun
