"""Rules about the form of a request: JSON, types, roles and contents, the model's name, tools and tool calls.

A rule is a function of `Asked` that yields what it does not like, as (case, words for the answer); the first one
counts, and a rule that yields nothing is content. Cases are worded in `data/serve/refusals.json`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from planexec.serve.asked import Asked

Complaints = Iterator[tuple[str, dict[str, Any]]]
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
ROLES = ("system", "user", "assistant", "tool")
OPENAI_ROLES = (*ROLES, "developer", "function")

_KINDS: dict[str, tuple[type, ...]] = {
    "array": (list,),
    "object": (dict,),
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "string or array": (str, list),
    "string or object": (str, dict),
}
_PLAIN = ("boolean", "integer", "number", "string", "array", "object")
_SERDE = {"array": "sequence", "object": "map", "integer": "u32", "number": "f32"}  # the words of one deserialiser
REQUIRED = {"messages": "array", "model": "string"}
OPTIONAL = {
    "tools": "array",
    "tool_choice": "string or object",
    "response_format": "object",
    "thinking": "object",
    "stream": "boolean",
    "stream_options": "object",
    "max_tokens": "integer",
    "max_completion_tokens": "integer",
    "temperature": "number",
    "top_p": "number",
    "presence_penalty": "number",
    "frequency_penalty": "number",
    "logprobs": "boolean",
    "top_logprobs": "integer",
    "stop": "string or array",
    "user": "string",
    "user_id": "string",
}


def auth(asked: Asked) -> Complaints:
    """a missing or wrong key"""
    scheme, _, key = asked.authorization.strip().partition(" ")
    if scheme.lower() != "bearer" or not key.strip():
        yield "auth.missing", {}
    elif key.strip() != asked.key:
        letters = re.sub(r"[^A-Za-z0-9]", "", key)
        yield "auth.wrong", {"tail": letters[-4:] if len(letters) >= 8 else ""}


def balance(asked: Asked) -> Complaints:
    """an account with nothing left on it"""
    if asked.balance_usd is not None and asked.balance_usd <= 0:
        yield "balance.empty", {}


def json_syntax(asked: Asked) -> Complaints:
    """a body that is not JSON"""
    problem = asked.parsed[1]
    if problem is not None:
        why, line, column = problem
        yield "json.syntax", {"why": why, "line": line, "column": column}


def types(asked: Asked) -> Complaints:
    """a missing field, or one of another type"""
    body = asked.parsed[0]
    if not isinstance(body, dict):
        yield _wrong_type(asked, "body", body, "object")
        return
    for name in (name for name in REQUIRED if body.get(name) is None):
        yield "types.missing", {"path": name, "name": name, "within": "", **asked.end}
    for name, expected in (REQUIRED | OPTIONAL).items():
        if body.get(name) is not None and not _is(body[name], expected):
            yield _wrong_type(asked, name, body[name], expected)
    yield from _message_types(asked, body["messages"])
    for at, tool in enumerate(body.get("tools") or ()):
        if not isinstance(tool, dict):
            yield _wrong_type(asked, f"tools[{at}]", tool, "object")
        elif not isinstance(tool.get("function"), dict) and tool.get("type", "function") == "function":
            yield _missing(asked, f"tools[{at}]", "function")


def _message_types(asked: Asked, messages: list[Any]) -> Complaints:
    for at, message in enumerate(messages):
        path = f"messages[{at}]"
        if not isinstance(message, dict):
            yield _wrong_type(asked, path, message, "object")
            continue
        if message.get("role") is None:
            yield _missing(asked, path, "role")
        if message.get("role") == "tool" and message.get("tool_call_id") is None:
            yield _missing(asked, path, "tool_call_id")
        if asked.profile.family != "openai" and message.get("role") != "assistant":
            if "content" not in message:
                yield _missing(asked, path, "content")
            elif message["content"] is None:
                yield _wrong_type(asked, f"{path}.content", None, "string")
        for name, expected in (("role", "string"), ("tool_call_id", "string"), ("tool_calls", "array")):
            if message.get(name) is not None and not _is(message[name], expected):
                yield _wrong_type(asked, f"{path}.{name}", message[name], expected)
        if message.get("content") is not None and not _is(message["content"], "string or array"):
            yield _wrong_type(asked, f"{path}.content", message["content"], "string or array")


def messages(asked: Asked) -> Complaints:
    """no messages, an unknown role, a content nobody can read"""
    if asked.body.get("messages") == []:
        yield "messages.empty", {}
    openai = asked.profile.family == "openai"
    for at, message in asked.messages:
        role, content = message.get("role"), message.get("content")
        if role not in (OPENAI_ROLES if openai else ROLES):
            yield "messages.role", {"path": f"messages[{at}].role", "role": str(role), **asked.end}
        if not openai and isinstance(content, list) and role in ("assistant", "tool"):
            yield "messages.content_list", {"at": at, **asked.end}
        calls = role == "assistant" and bool(message.get("tool_calls") or message.get("function_call"))
        if content is None and not calls and (openai or role == "assistant"):
            yield "messages.content_null", {"at": at}


def model(asked: Asked) -> Complaints:
    """a model that is unknown or retired"""
    if asked.model not in asked.model_names and asked.model not in asked.profile.aliases:
        yield "model.unknown", {"model": asked.model, "names": " or ".join(asked.model_names)}


def tools(asked: Asked) -> Complaints:
    """an empty or too long list of tools, a name no function can have, two of one name"""
    offered, most = asked.body.get("tools"), asked.profile.most_tools
    if offered == []:
        yield "tools.empty", {}
    if isinstance(offered, list) and len(offered) > most:
        yield "tools.many", {"most": most, "count": len(offered)}
    seen = set()
    for at, tool in asked.tools:
        if tool.get("type", "function") != "function":
            yield "tools.kind", {"at": at, "kind": str(tool.get("type"))}
        function = tool.get("function")
        if not isinstance(function, dict):
            continue
        name = function.get("name")
        if not isinstance(name, str) or not NAME.fullmatch(name):
            yield "tools.name", {"at": at}
        if name in seen:
            yield "tools.duplicate", {"name": name}
        seen.add(str(name))


def tool_calls(asked: Asked) -> Complaints:
    """in the history: an empty list of tool calls, a call without type, function or a text as arguments"""
    for at, message in asked.messages:
        if message.get("tool_calls") == []:
            yield "tool_calls.empty", {"at": at}
        stated = message.get("tool_calls")
        for call, entry in enumerate(stated if isinstance(stated, list) else ()):
            missing = _missing_in_call(entry)
            if missing:
                yield "tool_calls.entry", {"at": at, "call": call, "field": missing, **asked.end}
            if asked.profile.family == "openai" and not missing and not NAME.fullmatch(entry["function"]["name"]):
                yield "tool_calls.name", {"at": at, "call": call}


def _missing_in_call(entry: Any) -> str:
    """The first field that a call lacks, or has in another type; "" when it has them all."""
    entry = entry if isinstance(entry, dict) else {}
    for name in ("id", "type"):
        if not isinstance(entry.get(name), str):
            return name
    function = entry.get("function")
    if not isinstance(function, dict):
        return "function"
    return next((f"function.{name}" for name in ("name", "arguments") if not isinstance(function.get(name), str)), "")


def _is(value: Any, expected: str) -> bool:
    """_is(True, "integer") -> False: JSON tells the two apart, Python does not."""
    kinds = _KINDS[expected]
    return isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))


def _missing(asked: Asked, path: str, name: str) -> tuple[str, dict[str, Any]]:
    return "types.missing", {"path": f"{path}.{name}", "name": name, "within": f"{path}: ", **asked.end}


def _wrong_type(asked: Asked, path: str, value: Any, expected: str) -> tuple[str, dict[str, Any]]:
    got = next((kind for kind in _PLAIN if _is(value, kind)), "null")
    serde = (_SERDE.get(got, got), "a " + _SERDE.get(expected, expected))
    article = "an" if expected[0] in "aeio" else "a"
    words = {"got": got, "expected": f"{article} {expected}", "got_serde": serde[0], "expected_serde": serde[1]}
    return "types.type", {"path": path, **words, **asked.end}
