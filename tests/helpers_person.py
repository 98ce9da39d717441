"""A desk with a mail tool behind an approval, a free look-up, and a person with a list of answers."""

from __future__ import annotations

from typing import Any

from helpers_control import SECOND, Counting

from planexec.clock import VirtualClock
from planexec.journal import Journal
from planexec.models.scripted import ScriptedModel
from planexec.person import Answer, Request
from planexec.react_loop import react
from planexec.tools import Tool, tool


class Desk:
    """A mail tool behind an approval, a free look-up, and a person with a list of answers."""

    def __init__(self, *answers: Answer | None, approve: Any = True):
        self.answers, self.asked = list(answers), list[Request]()
        self.look, self.sent, self.approve = Counting(), list[str](), approve

    def tools(self) -> list[Tool]:
        @tool(effect=True, approve=self.approve)
        def send(to: str, text: str) -> str:
            """Send a mail."""
            self.sent.append(f"{to}: {text}")
            return f"sent to {to}"

        @tool(effect=True, approve=lambda args: args["to"].endswith("@outside.example"))
        def forward(to: str) -> str:
            """Forward a mail; outside addresses need a person."""
            self.sent.append(f"forwarded to {to}")
            return f"forwarded to {to}"

        return [send, forward, self.look.tool()]

    def __call__(self, request: Request) -> Answer | None:
        self.asked.append(request)
        return self.answers.pop(0) if self.answers else None


MAIL = ("send", {"to": "ann", "text": "hello"})


TURNS: list[Any] = [[("look", {"query": "a"}), MAIL, ("look", {"query": "b"})], "done"]


def script(turns: list[Any] = TURNS) -> ScriptedModel:
    """A model that goes by the turns the conversation already holds, in this process or a later one."""
    return ScriptedModel(lambda messages, tools: turns[sum(m["role"] == "assistant" for m in messages)], usage=SECOND)


def go(desk: Desk, journal: Journal | None = None, turns: list[Any] = TURNS, person: bool = True, **more: Any) -> Any:
    model = more.pop("model", None) or script(turns)
    asked = desk if person else None
    return react("q", model, desk.tools(), journal=journal, person=asked, clock=VirtualClock(), **more)


# --------------------------------------------------------------------------------------------- in this process
