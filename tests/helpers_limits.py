"""Runs that never end by themselves, with tools that find, fail and time out, and how much of each limit one used.

What was used is read from the records of the journal, not from the counters that the limits themselves go by.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from helpers_control import asked, role_of

from planexec.agent import PlanExecuteAgent
from planexec.chat import REPLY_TOKENS, Message, Price, ServiceError, Usage, user
from planexec.clock import VirtualClock
from planexec.journal import Journal
from planexec.limits import Limits
from planexec.models.scripted import ScriptedModel, calls, says
from planexec.person import Answer, Request
from planexec.react_loop import react
from planexec.records import Record
from planexec.result import Result, RunUsage, StepDone
from planexec.run import Run
from planexec.tools import Observation, Tool, found

UNIT = Price(0.0, 1e6 / REPLY_TOKENS)
"""Prices by which a reply that uses all it may costs one dollar, and the report two."""


class TimeOut(ServiceError, TimeoutError):
    """A service that does not answer, and wants to be left alone for one second."""

    def __init__(self) -> None:
        super().__init__("no answer", "transient", retry_after=1.0)


def finds(query: str) -> Observation:
    return found(f"fact about {query}", seconds=1.0)


def refuses(query: str) -> str:
    raise ValueError("no such thing")


def times_out(query: str) -> str:
    raise TimeOut


TOOLS: dict[str, Callable[[str], Any]] = {
    "finds": finds,
    "fails": refuses,
    "times out": times_out,
}

# ------------------------------------------------------------------------------------- runs that never end


def model_of(line: Callable[[Sequence[Message]], Any], price: Price = UNIT) -> ScriptedModel:
    """A model whose every reply takes a second and uses all the tokens it may."""

    def billed(messages: Sequence[Message], tools: Any) -> Any:
        if len(model.requests) > 300:
            raise AssertionError("300 requests, and nothing stopped it")
        said = line(messages) if model.requests[-1]["tool_choice"] != "none" else "what there is"
        if isinstance(said, Exception):
            return said
        usage = Usage(0, model.requests[-1]["max_tokens"], seconds=1.0)
        return says(said, usage=usage) if isinstance(said, str) else calls(said, usage=usage)

    model = ScriptedModel(billed, price=price)
    return model


def looks(messages: Sequence[Message]) -> Any:
    """Another look-up every turn; the turn is read from the messages, as after a kill it has to be."""
    turn = sum(message["role"] == "assistant" for message in messages)
    return ("look", {"query": f"{turn} of {messages[1]['content'][-40:]}"})


def plans(messages: Sequence[Message]) -> Any:
    """Two lines, one more after each step, look-ups without end inside of each, a report."""
    role = role_of(messages)
    if role == "executor":
        return looks(messages)
    data = asked(messages)
    if role == "replanner":
        return json.dumps([*data["remaining"], {"id": None, "goal": f"one more after {len(data['done'])}"}])
    return '["one", "two"]' if role == "planner" else "the report"


def agrees(request: Request) -> Answer:
    return Answer("approve")


def by_react(limits: Limits, tool: Tool, journal: Journal, price: Price = UNIT, line: Any = looks) -> Any:
    model, clock = model_of(line, price), VirtualClock()
    return react("q", model, [tool], limits, guards=(), journal=journal, clock=clock, person=agrees)


def by_plan(limits: Limits, tool: Tool, journal: Journal, price: Price = UNIT) -> Any:
    model, clock = model_of(plans, price), VirtualClock()
    return PlanExecuteAgent(model, [tool], limits, loop="plan", guards=(), clock=clock).run("q", journal, agrees)


def by_dead_model(limits: Limits, tool: Tool, journal: Journal, price: Price = UNIT) -> Any:
    return by_react(limits, tool, journal, price, lambda messages: TimeOut())


def by_itself(limits: Limits, tool: Tool, journal: Journal, price: Price = UNIT) -> Any:
    """A loop of one's own: it asks for ever, in a step, whether the plan is still right."""
    model, clock = model_of(lambda messages: "as it was", price), VirtualClock()
    run = Run("q", model=model, tools=[tool], limits=limits, guards=(), journal=journal, clock=clock)
    with run, run.within("step-1", step=True) as step:
        while True:
            step.within("replan").model([user("still right?")], replan=True)
    stop = run.stop or step.stop
    here = StepDone(1, "still right?", "stopped", stop=step.stop)
    return Result("", False, stop, RunUsage.of(run.used, run.priced), steps=(here,), replans=run.used.replans)


# --------------------------------------------------------------------------------- how much of a limit was used


def records_in(journal: Journal, scope: str) -> list[Record]:
    """The effects of a step, its conclusion included; "" is the whole run. Calls that were not let through are not."""
    inside = [each for each in journal.records() if not scope or f"{each.scope}/".startswith(f"{scope}/")]
    return [each for each in inside if each.kind != "tool" or (each.result or {}).get("admitted", True)]


def bill(record: Record) -> list[Any]:
    """Prompt tokens, completion tokens and dollars of a call, answered or given up."""
    result = record.result or {}
    return result["reply"]["usage"] if "reply" in result else result.get("usage", [0, 0, 0.0])


def turns(records: Sequence[Record]) -> list[Record]:
    """The executor's turns: what was asked in a step, or by ReAct, and was answered; a conclusion is none."""
    asked_ = [each for each in records if each.kind == "model" and each.request["tool_choice"] == "auto"]
    return [each for each in asked_ if each.scope.startswith(("run", "step")) and "reply" in (each.result or {})]


def cut_off(record: Record) -> bool:
    """True for a call that a kill interrupted: it counts as a call, and neither as an attempt nor as a replan."""
    result = record.result or {}
    return bool(result.get("interrupted") or result.get("error", {}).get("interrupted"))


def attempts(records: Sequence[Record]) -> int:
    """The most attempts that one call had."""
    made = [each for each in records if each.kind == "tool"] or [each for each in records if each.kind == "model"]
    tried = Counter((each.scope, each.fingerprint) for each in made if not cut_off(each))
    return max(tried.values(), default=0)


def used(journal: Journal, name: str, scope: str = "") -> float:
    """What the records of a scope add up to, in the unit of a limit; tokens in whole replies of the longest kind."""
    records = records_in(journal, scope)
    models = [each for each in records if each.kind == "model"]
    units: dict[str, Callable[[], float]] = {
        "max_steps": lambda: len(turns(records)),
        "max_model_calls": lambda: len(models),
        "max_tool_calls": lambda: sum(each.kind == "tool" for each in records),
        "max_calls_per_tool": lambda: sum(each.kind == "tool" for each in records),
        "max_seconds": lambda: round(sum(each.seconds for each in records), 3),
        "max_usd": lambda: round(sum(bill(each)[2] for each in models), 6),
        "max_tokens": lambda: sum(bill(each)[0] + bill(each)[1] for each in models) // REPLY_TOKENS,
        "max_attempts": lambda: attempts(records),
        "max_replans": lambda: sum("replan" in each.scope and not cut_off(each) for each in models),
        "max_plan_steps": lambda: sum((each.kind, each.name) == ("note", "step") for each in records),
    }
    return units[name]()


def told(result: Result) -> dict[str, float | None]:
    """The same of a whole run, as its result tells it; turns, which need not be answered, are left out."""
    usage = result.usage
    counts = {"max_model_calls": usage.model_calls, "max_tool_calls": usage.tool_calls}
    spent = (usage.prompt_tokens + usage.completion_tokens) // REPLY_TOKENS
    return {**counts, "max_seconds": usage.seconds, "max_usd": usage.usd, "max_tokens": spent}
