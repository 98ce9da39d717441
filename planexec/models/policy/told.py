"""Calls and results told in words: how a conversation looks where a framework does not use tool messages.

    told_calls('Action: {"tool": "search", "args": {"query": "x"}}') -> (("search", {"query": "x"}),)
    told_result("Observation:\\nNothing found.") -> "Nothing found."

Read as far as text allows. Results of several calls in one message are told apart only when each has one line.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

LONGEST = 16_000  # characters of a message that are looked through for calls
_RESULT = re.compile(
    r"\s*(?:observations?|tool (?:result|response|output)s?|观察(?:结果)?|工具结果)\s*[:：]\s*", re.IGNORECASE
)
_COMPLAINT = re.compile(r"(?:^|\n)Error:\n.*", re.DOTALL)  # what a framework itself adds after the results


@lru_cache(maxsize=1_024)
def told_calls(text: str) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """The calls that an assistant's text is a record of: a list or an object, in JSON or as Python writes it."""
    starts = [at for at in (text.find("["), text.find("{")) if at >= 0]
    if not starts or len(text) > LONGEST:
        return ()
    record = text[min(starts) : max(text.rfind("]"), text.rfind("}")) + 1]
    value = _literal(record)
    items = value if isinstance(value, list) else [value] if value else [_literal(line) for line in record.split("\n")]
    calls = [_call(each) for each in items]
    return tuple(each for each in calls if each is not None) if all(calls) else ()


def told_result(text: str) -> str | None:
    """What a user's message brings as the result of calls, without its label; None when it is not such a message."""
    match = _RESULT.match(text)
    if match is None:
        return None
    rest = text[match.end() :]
    return _COMPLAINT.sub("", rest).strip() or rest.strip()


def shared_out(result: str, calls: int) -> list[str]:
    """One text for each call: a line each when there are as many lines as calls, else the whole for all of them."""
    lines = result.split("\n")
    return lines if len(lines) == calls else [result] * calls


def _literal(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass  # not JSON; Python's own way of writing it is tried next
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None


def _call(value: Any) -> tuple[str, Mapping[str, Any]] | None:
    """(name, arguments) of {"function": {...}}, {"name", "arguments"} or {"tool", "args"}, or None."""
    if not isinstance(value, Mapping):
        return None
    inner = value.get("function")
    spec: Mapping[str, Any] = inner if isinstance(inner, Mapping) else value
    name = spec.get("name", spec.get("tool"))
    args = spec.get("arguments", spec.get("args"))
    if isinstance(args, str):
        args = _literal(args)
    return (name, args) if isinstance(name, str) and isinstance(args, Mapping) else None
