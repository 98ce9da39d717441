"""Rules about the conversation: every tool call answered once and at once, ids, and the thoughts that must come back.

Calls and answers are paired within a turn, not over the conversation: some services use the same ids in every turn.
"""

from __future__ import annotations

from typing import Any

from planexec.serve.asked import Asked
from planexec.serve.rules_form import Complaints

LONGEST_ID = 40


def pairing(asked: Asked) -> Complaints:
    """a tool call without an answer, an answer without a call, two answers to one call, another message in between"""
    open_ids: list[str] = []
    answered: dict[str, int] = {}
    for at, message in asked.messages:
        if message.get("role") == "tool":
            id_ = str(message.get("tool_call_id"))
            if id_ in open_ids:
                open_ids.remove(id_)
                answered[id_] = at
            elif id_ in answered:
                yield "pairing.twice", {"id": id_, "first": answered[id_], "at": at}
            else:
                yield "pairing.orphan", {"at": at}
            continue
        if open_ids:
            yield "pairing.unanswered", {"ids": ", ".join(open_ids), "next": at}
        open_ids, answered = [str(call.get("id")) for _, call in asked.tool_calls(message)], {}
    if open_ids:
        yield "pairing.unanswered", {"ids": ", ".join(open_ids), "next": len(asked.messages)}


def ids(asked: Asked) -> Complaints:
    """an id of more than 40 characters"""
    for at, message in asked.messages:
        named = {f"messages[{at}].tool_calls[{call}].id": each.get("id") for call, each in asked.tool_calls(message)}
        for path, id_ in {**named, f"messages[{at}].tool_call_id": message.get("tool_call_id")}.items():
            if isinstance(id_, str) and len(id_) > LONGEST_ID:
                yield "ids.long", {"path": path, "length": len(id_)}


def reasoning(asked: Asked) -> Complaints:
    """thoughts missing beside a tool call, in a thinking request that offers tools"""
    if asked.thinking and asked.body.get("tools") and any(_lacks_thoughts(each) for each in _with_calls(asked)):
        yield "reasoning.missing", {}


def reasoning_without_tools(asked: Asked) -> Complaints:
    """the same in a thinking request that offers no tools (the vendor's page says "all subsequent requests")"""
    if asked.thinking and not asked.body.get("tools") and any(_lacks_thoughts(each) for each in _with_calls(asked)):
        yield "reasoning_without_tools.missing", {}


def reasoning_every_turn(asked: Asked) -> Complaints:
    """thoughts missing in any earlier answer (some clients report this; off unless asked for)"""
    said = (message for _, message in asked.messages if message.get("role") == "assistant")
    if asked.thinking and any(_lacks_thoughts(each) for each in said):
        yield "reasoning_every_turn.missing", {}


def reasoning_sent(asked: Asked) -> Complaints:
    """thoughts sent back at all (first era)"""
    for at, message in asked.messages:
        if "reasoning_content" in message:
            yield "reasoning_sent.present", {"at": at}


def _with_calls(asked: Asked) -> list[dict[str, Any]]:
    return [m for _, m in asked.messages if m.get("role") == "assistant" and m.get("tool_calls")]


def _lacks_thoughts(message: dict[str, Any]) -> bool:
    """The key must be there, also where the model thought nothing: "" will do."""
    return not isinstance(message.get("reasoning_content"), str)
