"""The smallest loops that can drive a model with tools: for tests of the simulated model that need no agent of ours."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from planexec.chat import Model, assistant, system, tool_message, user
from planexec.tools import Tool

REACT = "Answer the question with the tools, one call at a time, then answer in plain text."
PLAN = 'Plan the task. Answer with a JSON array; an item is a text or an object with "id", "goal", "tool", "args".'
STEP = "Carry out this one step with the tools and report what was found."
REPORT = "Write the answer from these results only."


@dataclass
class Done:
    """What a loop did: its answer, and (tool, args, kind) of each call in order."""

    answer: str = ""
    calls: list[tuple[str, dict[str, Any], str]] = field(default_factory=list)
    plan: list[Any] = field(default_factory=list)

    @property
    def queries(self) -> list[str]:
        return [next(iter(args.values())) for _, args, _ in self.calls]

    @property
    def kinds(self) -> list[str]:
        return [kind for _, _, kind in self.calls]


def schemas(tools: list[Tool]) -> list[dict[str, Any]]:
    return [tool.schema for tool in tools]


def cards(tools: list[Tool]) -> list[dict[str, Any]]:
    """The tools as a planner's data lists them."""
    functions = [tool.schema["function"] for tool in tools]
    return [
        {
            "name": each["name"],
            "description": each["description"],
            "arguments": {name: spec.get("description", "") for name, spec in each["parameters"]["properties"].items()},
        }
        for each in functions
    ]


def data(**values: Any) -> dict[str, Any]:
    """A user message that holds its data as JSON, as the core sends it."""
    return user(json.dumps({"date": "2026-11-02", **values}, ensure_ascii=False))


def plan_message(task: str, tools: list[Tool], most: int = 8) -> dict[str, Any]:
    return data(task=task, tools=cards(tools), max_plan_steps=most)


def step_message(task: str, goal: str, earlier: list[dict[str, Any]] | None = None, number: int = 1) -> dict[str, Any]:
    return data(task=task, step={"id": number, "goal": goal}, earlier_results=earlier or [])


def work(model: Model, messages: list[dict[str, Any]], tools: list[Tool], turns: int = 12) -> Done:
    """Call and observe until the model answers in words, at most `turns` replies; then it must answer."""
    box = {tool.name: tool for tool in tools}
    done = Done()
    for turn in range(turns + 1):
        reply = model.reply(messages, tools=schemas(tools), tool_choice="auto" if turn < turns else "none")
        messages.append(reply.message)
        if not reply.tool_calls:
            done.answer = reply.text
            return done
        for call in reply.tool_calls:
            observation = box[call.name].carry_out(dict(call.args or {}))
            messages.append(tool_message(call, observation.text))
            done.calls.append((call.name, dict(call.args or {}), observation.kind))
    return done


def react(model: Model, question: str, tools: list[Tool], turns: int = 12, prompt: str = REACT) -> Done:
    return work(model, [system(prompt), user(question)], tools, turns)


def plan_execute(model: Model, question: str, tools: list[Tool], prompt: str = STEP) -> Done:
    """Plan, carry out each line (its call, or a small loop), report: no limits, no guards, no replanning."""
    planned = json.loads(model.reply([system(PLAN), plan_message(question, tools)]).text)
    box = {tool.name: tool for tool in tools}
    results: list[dict[str, Any]] = []
    found: dict[int, Any] = {}
    done = Done(plan=planned)
    for number, line in enumerate(planned, 1):
        line = {"goal": line} if isinstance(line, str) else line
        messages = [system(prompt), step_message(question, line["goal"], list(results), number)]
        text, kind = "", ""
        if "tool" in line:
            args = _filled(line["args"], found)
            observation = box[line["tool"]].carry_out(args)
            done.calls.append((line["tool"], args, observation.kind))
            text, kind = observation.text, observation.kind
            found[number] = observation.data if kind == "found" else None
            messages += _as_asked(line["tool"], args, text)
        if kind != "found":
            inner = work(model, messages, tools)
            done.calls += inner.calls
            kinds = [kind, *inner.kinds]
            text, kind = inner.answer, next((k for k in ("found", "empty", "failed") if k in kinds), "found")
        status = {"found": "done", "empty": "no_data"}.get(kind, kind)
        results.append({"id": number, "goal": line["goal"], "status": status, "result": text})
    done.answer = model.reply([system(REPORT), data(task=question, results=results)]).text
    return done


def _as_asked(name: str, args: dict[str, Any], text: str) -> list[dict[str, Any]]:
    from planexec.chat import ToolCall

    call = ToolCall("direct", name, args)
    return [assistant("", [call], [json.dumps(args, ensure_ascii=False)]), tool_message(call, text)]


def _filled(args: dict[str, Any], found: dict[int, Any]) -> dict[str, Any]:
    """References like "$3.weights": a whole one keeps its type, one inside a text becomes text."""

    def one(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        whole = re.fullmatch(r"\$(\d+)\.(\w+)", value)
        if whole:
            return found[int(whole[1])][whole[2]]
        return re.sub(r"\$(\d+)\.(\w+)", lambda match: ", ".join(found[int(match[1])][match[2]]), value)

    return {name: one(value) for name, value in args.items()}
