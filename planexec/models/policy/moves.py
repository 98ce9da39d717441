"""Moves: the calls of one reply, and how a need becomes calls of the tools offered."""

from __future__ import annotations

import re
from dataclasses import dataclass

from planexec.models.policy.amounts import plain
from planexec.models.policy.hands import ToolUse, ToolView, choose, fill, fill_fields, table_argument
from planexec.models.policy.phrases import say
from planexec.models.policy.state import State
from planexec.models.policy.tasks import PLACE, Wanted
from planexec.models.policy.writing import body


@dataclass(frozen=True, slots=True)
class Move:
    """Calls to make, or none: then the conversation ends in words. `thought`: the reasoning that is shown."""

    calls: tuple[ToolUse, ...]
    thought: str


def end(state: State) -> Move:
    """No more calls: what there is has to do."""
    return Move((), say("thought_say", state.lang))


def bare(text: str) -> str:
    """bare("Sector  Weights") -> "sectorweights": two wordings that differ only in spaces and case are one."""
    return "".join(plain(text).lower().split())


def search_tool(state: State) -> ToolView | None:
    return choose(state.task.known.tools.get("search"), state.tools)


def search_for(state: State, text: str) -> ToolUse | None:
    """A search for `text`, if a tool that searches is offered."""
    tool = search_tool(state)
    return (tool.name, fill(state.task.known.tools["search"], tool, text)) if tool is not None else None


def search_lang(state: State) -> str:
    """The language that the searching tool is described in, in which it is best asked."""
    tool = search_tool(state)
    return tool.lang if tool is not None else state.lang


def unused(state: State, texts: tuple[str, ...] | list[str]) -> list[str]:
    """Those wordings that no call of this conversation has used."""
    used = {bare(each.asked) for each in state.calls}
    return [text for text in texts if bare(text) not in used]


def filled(state: State, wanted: Wanted, text: str) -> str:
    """An argument with the question's words and what earlier results say put in; "" when something is not known."""
    values = {**state.task.shown, "names": wanted.name, "question": state.task.question}

    def put(match: re.Match[str]) -> str:
        need, _, name = match[1].partition(".")
        if name:
            return state.read(need, name)
        return body(state.task, (*state.earlier, *state.calls)) if need == "answer" else values.get(need, "")

    parts = [put(match) for match in PLACE.finditer(text)]
    return PLACE.sub(put, text) if all(parts) else ""


def uses(state: State, wanted: Wanted) -> list[ToolUse]:
    """The call that brings `wanted`; several where a calculator takes one value at a time; [] when no tool fits."""
    tool = state.tool_for(wanted)
    if tool is None:
        return []
    hand = state.task.known.tools[wanted.need.tool]
    if wanted.need.args:
        values = {field: filled(state, wanted, said[tool.lang]) for field, said in wanted.need.args.items()}
        return [(tool.name, fill_fields(hand, tool, values))] if all(values.values()) else []
    if not wanted.expression:
        texts = state.task.queries(wanted, tool.lang, state.names(wanted))
        return [(tool.name, fill(hand, tool, texts[0]))] if texts else []
    if "x" not in wanted.expression.split():
        return [(tool.name, fill(hand, tool, wanted.expression))]
    rows = {name: value for each in state.task.waits(wanted) for name, value in state.rows(each)}
    if not rows:
        return []
    if table_argument(hand, tool):
        return [(tool.name, fill(hand, tool, wanted.expression, rows))]
    return [(tool.name, fill(hand, tool, re.sub(r"\bx\b", value, wanted.expression))) for value in rows.values()]
