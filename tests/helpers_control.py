"""Stubs for the tests of control: endless models, counting tools, a kill that is no exception, a legal history."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from planexec.agent import PlanExecuteAgent
from planexec.chat import Message, Price, ToolCall, Usage
from planexec.clock import VirtualClock
from planexec.gate import Event
from planexec.journal import Journal
from planexec.limits import Limits
from planexec.models.scripted import ScriptedModel
from planexec.react_loop import react
from planexec.result import Result
from planexec.tools import Observation, Tool, empty, found, tool

SMALL = Usage(100, 50)
"""What one reply of a stub costs, well inside any cap on its size."""
SECOND = Usage(100, 50, seconds=1.0)
OFF = Limits.none()


class Killed(BaseException):
    """Stands for SIGKILL inside one process: nothing between the effect and the test may catch it."""


class Runaway(BaseException):
    """The fuse of an endless model: the limit under test never came."""


FUSE = 300  # requests after which an endless model gives the test up


class Counting:
    """A function behind a tool that remembers every call of it."""

    def __init__(self, answer: Callable[..., Any] = lambda query: f"fact about {query}"):
        self.answer = answer
        self.seen: list[str] = []

    def __call__(self, query: str) -> Any:
        self.seen.append(query)
        return self.answer(query)

    def tool(self, name: str = "look", **options: Any) -> Tool:
        def function(query: str) -> Any:
            return self(query)

        return tool(name=name, description=f"Look something up ({name}).", **options)(function)


def facts(name: str = "look", **options: Any) -> Tool:
    """A tool that finds something else for every question."""
    return Counting().tool(name, **options)


def nothing(name: str = "look", **options: Any) -> Tool:
    """A tool that never finds anything."""
    return Counting(lambda query: empty()).tool(name, **options)


def raises(error: Exception, name: str = "look", **options: Any) -> Tool:
    """A tool that always fails in the same way."""

    def answer(query: str) -> Any:
        raise error

    return Counting(answer).tool(name, **options)


def slow(seconds: float, name: str = "look", **options: Any) -> Tool:
    """A tool that reports how long it took, for a virtual clock."""
    return Counting(lambda query: found(f"fact about {query}", seconds=seconds)).tool(name, **options)


def last_choice(model: ScriptedModel) -> str:
    return str(model.requests[-1]["tool_choice"])


def endless(
    tool_name: str = "look",
    *,
    usage: Usage = SMALL,
    price: Price | None = None,
    concluding: Any = "what there is",
    args: Callable[[int], dict[str, Any]] = lambda turn: {"query": f"q{turn}"},
    batch: int = 1,
) -> ScriptedModel:
    """A model that never ends by itself: a fresh call every turn, words only when calls are forbidden.

    The turn is read from the messages, so that a model made anew after a kill goes on where the old one was.
    """

    def line(messages: Sequence[Message], tools: Sequence[dict[str, Any]]) -> Any:
        if last_choice(model) == "none":
            return concluding
        if len(model.requests) > FUSE:
            raise Runaway(f"{FUSE} requests, and nothing stopped it")
        turn = 1 + sum(message["role"] == "assistant" for message in messages)
        return [(tool_name, args(turn * batch + each)) for each in range(batch)]

    model = ScriptedModel(line, usage=usage, price=price)
    return model


def always(tool_name: str, args: dict[str, Any], concluding: Any = "what there is", **options: Any) -> ScriptedModel:
    """A model that makes the very same call for ever."""
    return endless(tool_name, args=lambda turn: args, concluding=concluding, **options)


def asked(messages: Sequence[Message]) -> dict[str, Any]:
    """The data of a role's request: the first user message, which is one JSON object."""
    return json.loads(next(message["content"] for message in messages if message["role"] == "user"))


def role_of(messages: Sequence[Message]) -> str:
    """Which role a request plays, read from the form of its data as the simulated model does."""
    data = asked(messages)
    for name, role in (("step", "executor"), ("remaining", "replanner"), ("results", "reporter"), ("tools", "planner")):
        if name in data:
            return role
    return "router"


def roles(
    plan: Any,
    executor: Any = "done",
    replanner: Any = None,
    reporter: Any = "the report",
    router: Any = '{"route": "chain"}',
    **options: Any,
) -> ScriptedModel:
    """A model with one line (or function of the messages) a role; without a replanner the plan stays as it is."""
    lines = {"planner": plan, "executor": executor, "reporter": reporter, "router": router}
    lines["replanner"] = replanner if replanner is not None else keep

    def line(messages: Sequence[Message], tools: Sequence[dict[str, Any]]) -> Any:
        chosen = lines[role_of(messages)]
        if callable(chosen) and not isinstance(chosen, BaseException):
            return chosen(messages)
        return (
            json.dumps(chosen, ensure_ascii=False)
            if isinstance(chosen, list)
            and role_of(messages)
            in (
                "planner",
                "replanner",
            )
            else chosen
        )

    return ScriptedModel(line, usage=options.pop("usage", SMALL), **options)


def keep(messages: Sequence[Message]) -> str:
    """The replanner's answer that changes nothing."""
    return json.dumps(asked(messages)["remaining"], ensure_ascii=False)


def once_each(tool_name: str = "look") -> Callable[[Sequence[Message]], Any]:
    """An executor that makes one call a step and then reports."""

    def line(messages: Sequence[Message]) -> Any:
        if messages[-1]["role"] == "tool":
            return f"found: {messages[-1]['content']}"
        return [(tool_name, {"query": asked(messages)["step"]["goal"]})]

    return line


def legal(messages: Sequence[Message]) -> bool:
    """True when a server would take this history: each call answered once, in order, with nothing in between."""
    due: list[str] = []
    seen: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            if not due or message["tool_call_id"] != due.pop(0):
                return False
            continue
        if due:
            return False
        due = [call["id"] for call in message.get("tool_calls") or ()]
        if len(set(due) | seen) != len(due) + len(seen):
            return False
        seen.update(due)
    return not due


def asks(*pairs: tuple[str, Any], start: int = 1) -> list[ToolCall]:
    """Tool calls with ids, as a reply would hold them."""
    return [ToolCall(f"call_{start + place}", name, args) for place, (name, args) in enumerate(pairs)]


def kinds(observations: Sequence[Observation]) -> list[str]:
    return [each.kind for each in observations]


def notes_of(journal: Journal, name: str) -> list[dict[str, Any]]:
    """The notes of one name in a journal, in order."""
    return [record.result or {} for record in journal.records() if (record.kind, record.name) == ("note", name)]


def made(journal: Journal, kind: str) -> int:
    """How many effects of a kind the journal holds, refused calls left out."""
    return sum(record.kind == kind and (record.result or {}).get("admitted", True) for record in journal.records())


def killed_at(effect: int) -> Callable[[Event], None]:
    """An observer that kills the run at its `effect`-th fresh event."""
    left = [effect]

    def watch(event: Event) -> None:
        if not event.replayed:
            left[0] -= 1
            if left[0] == 0:
                raise Killed

    return watch


def endless_run(
    limits: Limits, journal: Journal | None = None, model: ScriptedModel | None = None, **settings: Any
) -> Result:
    """An endless model without guards, on a virtual clock; a model call takes a second, a look-up no time."""
    tools = settings.pop("tools", None) or [facts()]
    chosen = model or endless(usage=SECOND)
    return react("q", chosen, tools, limits, guards=(), journal=journal, clock=VirtualClock(), **settings)


def short_run(journal: Journal, question: str = "q", **settings: Any) -> Any:
    """Three turns and a conclusion."""
    return react(question, endless(), [facts()], OFF.with_(max_steps=3), guards=(), journal=journal, **settings)


def saved(path: Path, **settings: Any) -> Any:
    with Journal(path) as journal:
        return short_run(journal, **settings)


# ------------------------------------------------------------------------------------------- append and read


def planned(
    model: ScriptedModel, tools: Any, limits: Limits | None = None, journal: Journal | None = None, **settings: Any
) -> Result:
    """A planned run of the question "q", on a virtual clock."""
    agent = PlanExecuteAgent(model, tools, limits, loop="plan", clock=VirtualClock(), **settings)
    return agent.run("q", journal)


def replies(*turns: Any) -> ScriptedModel:
    """A model that goes by the turns the conversation already holds."""
    return ScriptedModel(lambda messages, tools: turns[sum(m["role"] == "assistant" for m in messages)])
