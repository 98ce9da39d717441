"""The process that the crash lab kills, and the run that both it and the one that goes on carry out.

    python -m planexec.labs.crash_child FOLDER AT MOMENT saved|unsaved

It works on an order ("look it up, mail me if it has shipped"). Model and tools write down each thing they really do
into a file, so that repeats can be counted; a mail is a line in a file that the tool itself appends to. At the chosen
moment it says so and waits to be killed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

from planexec.agent import PlanExecuteAgent
from planexec.chat import Message, Reply
from planexec.gate import Event
from planexec.journal import Journal
from planexec.models.simulated import SimulatedModel
from planexec.result import Result
from planexec.tools import Tool
from planexec.worlds import load
from planexec.worlds.common import post

MOMENTS = ("begun", "done", "recorded")  # written down that it begins; carried out; written down how it ended
HERE = b"here\n"  # what it says when it has come to the moment
DEEDS, MAILS, RUN = "deeds.jsonl", "mails.jsonl", "run.db"


class Halt:
    """Counts the effects of one process; at the chosen moment of effect number `at` it waits to be killed. 0: never."""

    def __init__(self, at: int = 0, moment: str = "recorded"):
        self.at, self.moment, self.count = at, moment, 0

    def reached(self, moment: str) -> None:
        self.count += moment == "begun"
        if self.at and (self.count, moment) == (self.at, self.moment):
            sys.stdout.buffer.write(HERE)
            sys.stdout.flush()
            sys.stdin.read()  # the parent kills; should it die itself, this ends
            os._exit(70)

    def watch(self, event: Event) -> None:
        """An observer of the run: an effect has been written down."""
        record = event.record
        if record.kind in ("model", "tool") and not event.replayed and record.result is not None:
            self.reached("recorded")


class Telling:
    """A model that writes down each request it really gets."""

    def __init__(self, model: SimulatedModel, deeds: Path, process: str, halt: Halt):
        self.model, self.deeds, self.process, self.halt = model, deeds, process, halt
        self.name, self.price, self.make_clock = model.name, model.price, model.make_clock

    def reply(self, messages: Sequence[Message], **options: Any) -> Reply:
        self.halt.reached("begun")
        reply = self.model.reply(messages, **options)
        post(self.deeds, {"process": self.process, "effect": "model"})
        self.halt.reached("done")
        return reply


def _telling(tool: Tool, deeds: Path, process: str, halt: Halt) -> Tool:
    """The same tool; it writes down each call that it really carries out."""

    @wraps(tool.function)
    def function(*args: Any, **kwargs: Any) -> Any:
        halt.reached("begun")
        observation = tool.function(*args, **kwargs)
        post(deeds, {"process": process, "effect": tool.name})
        halt.reached("done")
        return observation

    return replace(tool, function=function)


def go_on(
    folder: Path, process: str, halt: Halt | None = None, saved: bool = True, run: str = RUN
) -> tuple[Result, list[dict[str, Any]]]:
    """Begin the run in `folder`, or go on with it: (result, the questions that are open). This is all a resume is."""
    halt, deeds = halt or Halt(), folder / DEEDS
    world = load("orders", outbox=folder / MAILS)
    model = Telling(SimulatedModel("careful", worlds=("orders",)), deeds, process, halt)
    tools = [_telling(tool, deeds, process, halt) for tool in world.tools]
    agent = PlanExecuteAgent(model, tools, date=world.date, on_event=halt.watch)
    with Journal(folder / run if saved else None) as journal:
        return agent.run(world.question, journal), journal.pending()


def main(folder: str, at: str, moment: str, saved: str) -> None:
    go_on(Path(folder), "first", Halt(int(at), moment), saved == "saved")


if __name__ == "__main__":
    main(*sys.argv[1:])
