"""Builds the body of one request: the conversation as this kind of service accepts it.

The conversation itself is never changed. What a profile says is applied to a copy: names of tools and ids that a
service would refuse, thoughts it demands or refuses, contents it cannot read, calls it wants one at a time.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from planexec.chat import Message, ServiceError
from planexec.models import json_action
from planexec.models.profiles import Profile

THOUGHTS = ("reasoning_content", "reasoning", "reasoning_details")
PUBLISHED = frozenset({"role", "content", "name", "tool_calls", "tool_call_id", "refusal"})
NO_PARAMETERS = {"type": "object", "properties": {}}


def build(
    profile: Profile,
    model: str,
    messages: Sequence[Message],
    *,
    tools: Sequence[dict[str, Any]] = (),
    tool_choice: str = "auto",
    max_tokens: int | None = None,
    thinking: bool | None = None,
    stream: bool = False,
    extra: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The JSON body. `tool_choice` is "auto", "none", "required" or a tool's name; `extra` are further body fields."""
    if len(tools) > profile.max_tools:
        raise ServiceError(f"This service takes at most {profile.max_tools} tools in a request, not {len(tools)}.")
    body: dict[str, Any] = {"model": model, "messages": [dict(message) for message in messages], **(extra or {})}
    if profile.native_tools:
        body["messages"] = wire_messages(profile, messages)
        forced = _add_tools(body, profile, tools, tool_choice)
    else:
        told = json_action.conversation(messages, tools, tool_choice, profile.remind)
        body["messages"] = wire_messages(profile, told)
        forced = False
        if tools:
            body |= json_action.response_format(profile.json_mode, tools, tool_choice)
    if max_tokens is not None:
        body[profile.max_tokens] = min(max_tokens, profile.max_output_tokens or max_tokens)
    stream = _add_thinking(body, profile, thinking, forced, stream)
    if stream:
        body |= {"stream": True} | ({"stream_options": {"include_usage": True}} if profile.stream_usage else {})
    return body


def _add_tools(body: dict[str, Any], profile: Profile, tools: Sequence[dict[str, Any]], choice: str) -> bool:
    """Offer the tools (an empty list is refused everywhere); True when the model is forced to call one."""
    if not tools or (choice == "none" and not profile.tool_choice_none):
        return False
    body["tools"] = [_with_parameters(tool) for tool in tools]
    if choice == "none":
        body["tool_choice"] = "none"
    elif choice != "auto" and profile.forced_choice != "no":
        named = {"type": "function", "function": {"name": choice}}
        body["tool_choice"] = choice if choice == "required" else named
        return True
    return False


def _with_parameters(tool: dict[str, Any]) -> dict[str, Any]:
    function = tool["function"]
    return {**tool, "function": {**function, "parameters": function.get("parameters") or NO_PARAMETERS}}


def _add_thinking(body: dict[str, Any], profile: Profile, thinking: bool | None, forced: bool, stream: bool) -> bool:
    """Say in the service's own words whether to think; returns whether the request must be streamed."""
    if forced and profile.forced_choice == "without thinking":
        thinking = False
    if "response_format" in body and not profile.json_while_thinking:
        thinking = False
    if profile.thinking_needs_stream:
        thinking = bool(thinking)  # left unsaid it may be on, which an unstreamed request must not be
        stream = stream or thinking
    if thinking is not None:
        body |= profile.thinking.get("on" if thinking else "off", {})
    return stream


def wire_messages(profile: Profile, messages: Sequence[Message]) -> list[Message]:
    """The conversation in the form this profile's service accepts."""
    ids: dict[str, str] = {}
    wired = [_wire(profile, message, ids) for message in messages]
    return _one_call_each(wired) if profile.one_call_per_message else wired


def _wire(profile: Profile, message: Message, ids: dict[str, str]) -> Message:
    sent = {key: value for key, value in message.items() if value is not None or key == "content"}
    if sent["role"] == "assistant":
        _wire_calls(profile, sent, ids)
        _wire_thoughts(profile, sent)
        if isinstance(sent.get("content"), list) and not profile.list_content:
            sent["content"] = "".join(str(part.get("text") or "") for part in sent["content"] if isinstance(part, dict))
        if sent.get("content") is None and not (profile.null_content and "tool_calls" in sent):
            sent["content"] = ""
    if sent["role"] == "tool":
        given = str(sent.get("tool_call_id"))
        sent["tool_call_id"] = ids.get(given) or _fitting(given, profile.id_pattern)
    if not profile.unknown_keys:
        sent = {key: value for key, value in sent.items() if key in PUBLISHED}
    if isinstance(sent.get("content"), str):
        sent["content"] = _encodable(sent["content"])
    return sent


def _wire_calls(profile: Profile, sent: Message, ids: dict[str, str]) -> None:
    """Ids, names and arguments that no service refuses; `ids` remembers how the answers must be addressed."""
    calls = sent.pop("tool_calls", None)
    if not calls:  # an empty list is refused
        return
    wired = []
    for call in calls:
        function = call["function"]
        given = str(call["id"])
        ids[given] = _fitting(str(call.get("wire_id") or given), profile.id_pattern)
        kept = {key: value for key, value in call.items() if profile.unknown_keys and key not in ("wire_id", "index")}
        name = re.sub(r"[^A-Za-z0-9_-]", "_", function["name"])[:64]
        said = {"name": name, "arguments": _json_text(function.get("arguments"))}
        extra = {key: value for key, value in function.items() if profile.unknown_keys}
        wired.append(kept | {"id": ids[given], "type": "function", "function": extra | said})
    sent["tool_calls"] = wired


def _wire_thoughts(profile: Profile, sent: Message) -> None:
    if profile.reasoning == "drop":
        for key in THOUGHTS:
            sent.pop(key, None)
    elif profile.reasoning == "require all" or (profile.reasoning == "require" and "tool_calls" in sent):
        given = sent.get("reasoning_content") or sent.get("reasoning")
        sent["reasoning_content"] = given if isinstance(given, str) else profile.empty_reasoning


def _fitting(id_: str, pattern: str) -> str:
    """The id itself where the service takes its shape, else nine letters and digits made from it, always the same."""
    if not pattern or re.fullmatch(pattern, id_):
        return id_
    number, letters = int.from_bytes(hashlib.sha256(id_.encode()).digest()[:8], "big"), ""
    while len(letters) < 9:
        number, digit = divmod(number, 36)
        letters += "0123456789abcdefghijklmnopqrstuvwxyz"[digit]
    return letters


def _json_text(arguments: Any) -> str:
    """Arguments as JSON text: what a model once wrote wrongly is quoted, because some services parse it again."""
    if isinstance(arguments, dict):
        return json.dumps(arguments, ensure_ascii=False)
    text = str(arguments or "{}")
    try:
        return text if isinstance(json.loads(text), dict) else json.dumps({"unreadable": text}, ensure_ascii=False)
    except (ValueError, RecursionError):
        return json.dumps({"unreadable": text}, ensure_ascii=False)


def _encodable(text: str) -> str:
    """Half a surrogate pair, as a cut JSON text may leave one, cannot be sent; it becomes "?"."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _one_call_each(messages: list[Message]) -> list[Message]:
    """[two calls], answer, answer -> [first call], answer, [second call], answer"""
    out: list[Message] = []
    at = 0
    while at < len(messages):
        message, at = messages[at], at + 1
        calls = message.get("tool_calls") or ()
        if len(calls) < 2:
            out.append(message)
            continue
        answers = []
        while at < len(messages) and messages[at]["role"] == "tool":
            answers.append(messages[at])
            at += 1
        for position, call in enumerate(calls):
            out.append({**message, "tool_calls": [call]} | ({"content": ""} if position else {}))
            out += [answer for answer in answers if answer["tool_call_id"] == call["id"]]
    return out
