"""The edge: whatever a chat-completions server sends becomes one `Reply`, or a `ServiceError` that says what was wrong.

Nothing behind this line has to know that ids can be missing, arguments cut, thoughts mixed into the answer, or an error
dressed as a success. The raw message is kept for the echo, with keys we do not know; only what would make the next
request illegal is put right in it. An empty or half answer never passes as a success.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from planexec.chat import Message, Reply, ServiceError, ToolCall
from planexec.models.arguments import read_arguments
from planexec.models.markup import TextCall, calls_apart, split_glued_name, thoughts_apart
from planexec.models.service_errors import Reported, complaint, is_page, read_json, refusal

FINISHES = {
    "stop": {"stop", "eos", "end_turn", "stop_sequence", "completed"},
    "tool_calls": {"tool_calls", "tool_call", "tool_use", "function_call"},
    "length": {"length", "max_tokens", "model_length"},
    "filtered": {"content_filter", "sensitive", "safety", "recitation", "refusal"},
}
FAILED = {"error", "network_error", "insufficient_system_resource", "abort", "timeout"}
UNNAMED = "unnamed"


@dataclass(frozen=True, slots=True)
class Counts:
    """Tokens as the service counted them; `known` is False when it did not say."""

    prompt: int = 0
    cached: int = 0
    completion: int = 0
    known: bool = False


def read_body(text: str, content_type: str = "") -> Any:
    """The JSON of a successful response; a web page or a broken text is a `ServiceError`."""
    body = read_json(text.strip() or "null")
    if body is not None:
        return body
    if is_page(text) or "html" in content_type:
        raise refusal(
            "The address answered with a web page (HTML) instead of JSON: is the base URL right?", "permanent"
        )
    if not text.strip():
        raise refusal("The service sent an empty body.", "transient")
    raise refusal(f"The service sent something that is not JSON: {text.strip()[:80]!r}.", "transient")


def normalise(body: Any, messages: Sequence[Message] = ()) -> Reply:
    """The `Reply` in a response body. `messages` is the conversation so far: new ids must not repeat one of its ids."""
    choice, outer = _choice(_sound(body))
    raw = choice.get("message") or choice.get("delta") or {"content": choice.get("text")}
    raw = raw if isinstance(raw, dict) else {"content": raw}
    cut = _finish(choice.get("finish_reason"), False) == "length"
    text, reasoning = _texts(raw)
    text, written = calls_apart(text, cut)
    calls, sent = _calls(raw, written, messages, cut)
    finish = _finish(choice.get("finish_reason"), bool(calls))
    refused = raw.get("refusal")
    if isinstance(refused, str) and refused.strip() and not text.strip():
        text, finish = calls_apart(thoughts_apart(refused)[0])[0], "filtered"
    if not calls and not text.strip() and finish in ("stop", "unknown"):
        raise _nothing(reasoning)
    message = _echo(raw, text, calls, sent, bool(written))
    return Reply(text, calls, finish, reasoning=reasoning, model=str(outer.get("model") or ""), message=message)


def _sound(body: Any) -> Any:
    """A copy that can be stored and sent: halves of a letter are joined, and one without the other is replaced."""
    try:
        text = json.dumps(body, ensure_ascii=False)
        return json.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"), parse_constant=_null)
    except RecursionError:
        raise refusal("The service sent an answer that is nested too deeply.", "transient") from None


def _null(word: str) -> None:
    """NaN and Infinity are no JSON; as values they say nothing."""


def counts(body: Any) -> Counts:
    """Tokens of a response body; absent, negative or odd numbers count as not said."""
    usage: dict[str, Any] = next((each["usage"] for each in _layers(body) if isinstance(each.get("usage"), dict)), {})
    hit, miss = _number(usage.get("prompt_cache_hit_tokens")), _number(usage.get("prompt_cache_miss_tokens"))
    details = usage.get("prompt_tokens_details")
    cached = hit if hit is not None else _number(details.get("cached_tokens")) if isinstance(details, dict) else None
    prompt = _number(usage.get("prompt_tokens"))
    prompt = prompt if prompt is not None or hit is None or miss is None else hit + miss
    completion = _number(usage.get("completion_tokens"))
    if prompt is None or completion is None:
        return Counts()
    return Counts(prompt, cached or 0, completion, True)


def _number(value: Any) -> int | None:
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e12 else None


def _layers(body: Any) -> Iterator[dict[str, Any]]:
    """The body, and what a gateway may have wrapped it in."""
    if isinstance(body, dict):
        yield body
        for key in ("data", "result", "response"):
            if isinstance(body.get(key), dict):
                yield body[key]


def _choice(body: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The first choice and the layer it was found in; anything else is an error, also under HTTP 200."""
    for layer in _layers(body):
        choices = layer.get("choices")
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            _raise_failed(choices[0])
            return choices[0], layer
        if isinstance(layer.get("message"), dict):  # the native form of one local server
            return {"message": layer["message"], "finish_reason": layer.get("done_reason") or "stop"}, layer
    said = complaint(body)
    if said:
        raise Reported(said)  # under HTTP 200
    raise refusal("The service answered without an answer: no choices in its reply.", "transient")


def _raise_failed(choice: dict[str, Any]) -> None:
    said = complaint({"error": choice["error"]}) if choice.get("error") else None
    if said:
        raise Reported(said)  # under HTTP 200
    if str(choice.get("finish_reason")).lower() in FAILED:
        raise refusal(f"The service gave up in the middle ({choice['finish_reason']}).", "transient")


def _finish(said: Any, has_calls: bool) -> str:
    """Tool calls decide first: some servers say "stop" beside them. What we do not know is not a success."""
    word = str(said).lower()
    meaning = next((ours for ours, theirs in FINISHES.items() if word in theirs), "unknown")
    if has_calls and meaning in ("stop", "tool_calls", "unknown"):
        return "tool_calls"
    return "unknown" if meaning == "tool_calls" else meaning


def _texts(raw: dict[str, Any]) -> tuple[str, str]:
    """The visible text and the thoughts, wherever they stand."""
    content = raw.get("content")
    parts = content if isinstance(content, list) else [content]
    text = "".join(_part(part, ("text",)) for part in parts)
    inside = "".join(_part(part, ("thinking", "reasoning")) for part in parts if isinstance(part, dict))
    text, thought = thoughts_apart(text)
    field = raw.get("reasoning_content") or raw.get("reasoning") or _details(raw.get("reasoning_details"))
    return text, "\n".join(each for each in (field if isinstance(field, str) else "", inside, thought) if each)


def _part(part: Any, keys: tuple[str, ...]) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return ""
    value = next((part[key] for key in keys if part.get(key)), "")
    return "".join(_part(each, ("text",)) for each in value) if isinstance(value, list) else str(value)


def _details(details: Any) -> str:
    return "".join(_part(each, ("text", "summary")) for each in details) if isinstance(details, list) else ""


def _nothing(reasoning: str) -> ServiceError:
    why = "only thoughts and no answer" if reasoning else "an empty answer"
    return refusal(f"The model gave {why}.", "transient")


def _calls(
    raw: dict[str, Any], written: list[TextCall], messages: Sequence[Message], cut: bool
) -> tuple[tuple[ToolCall, ...], list[dict[str, Any]]]:
    """The calls of a message, and the same calls as they go back into the conversation."""
    sent = _stated(raw)
    read = [_read(each, cut) for each in sent] if sent else written
    sent = sent or [{} for _ in written]
    calls = []
    for each, call, id_ in zip(sent, read, _ids(sent, messages), strict=True):
        name = call.name or UNNAMED
        error = call.error or ("" if call.name else "The call does not say which tool it wants.")
        each |= {"id": id_, "type": "function"}
        _state(each, name, call.args)
        calls.append(ToolCall(id_, name, None if error else call.args, error))
    return tuple(calls), sent


def _stated(raw: dict[str, Any]) -> list[dict[str, Any]]:
    stated = raw.get("tool_calls")
    if isinstance(stated, list) and stated:
        return [each for each in stated if isinstance(each, dict)]
    old = raw.get("function_call")  # the form before there were tools
    return [{"function": old}] if isinstance(old, dict) else []


def _read(stated: dict[str, Any], cut: bool) -> TextCall:
    function = _function(stated)
    name = function.get("name")
    glued = split_glued_name(name) if isinstance(name, str) and "<arg_" in name else None
    return glued or TextCall(name if isinstance(name, str) else "", *read_arguments(function.get("arguments"), cut))


def _function(stated: dict[str, Any]) -> dict[str, Any]:
    function = stated.get("function")
    return function if isinstance(function, dict) else {}


def _state(sent: dict[str, Any], name: str, args: dict[str, Any] | None) -> None:
    """Put name and arguments right for the echo: a text always; unreadable arguments stay as they came."""
    function = _function(sent)
    given = function.get("arguments")
    readable = isinstance(given, str) and read_json(given) == args and args is not None
    if not readable and args is not None:
        given = json.dumps(args, ensure_ascii=False)
    elif not isinstance(given, str):
        given = "" if given is None else json.dumps(given, ensure_ascii=False)
    sent["function"] = {**function, "name": name, "arguments": given}


def _ids(sent: list[dict[str, Any]], messages: Sequence[Message]) -> list[str]:
    """An id for each call, used nowhere else in the conversation; the service's own one wherever that is so.

    An id that an earlier turn had already keeps standing under `wire_id`, and goes back to the service as it came.
    """
    taken = _ids_in(messages)
    given = [str(each["id"]) if each.get("id") not in (None, "") else "" for each in sent]
    first, ids = len(taken) + 1, []
    for at, own in enumerate(given):
        free = own if own and own not in taken else _minted(first + at, taken | set(given))
        if own and own != free and given.count(own) == 1:
            sent[at]["wire_id"] = own
        taken.add(free)
        ids.append(free)
    return ids


def new_id(messages: Sequence[Message]) -> str:
    """An id for one more call: new_id([]) -> "call_1"; the same conversation always gets the same."""
    taken = _ids_in(messages)
    return _minted(len(taken) + 1, taken)


def _ids_in(messages: Sequence[Message]) -> set[str]:
    return {str(call.get("id")) for message in messages for call in message.get("tool_calls") or ()}


def _minted(number: int, taken: set[str]) -> str:
    while f"call_{number}" in taken:
        number += 1
    return f"call_{number}"


def _echo(
    raw: dict[str, Any], text: str, calls: tuple[ToolCall, ...], sent: list[dict[str, Any]], written: bool
) -> Message:
    """The message to put back: the raw one with a role, legal calls, and no call twice, as text and as call."""
    message = {**raw, "role": "assistant"}
    message.pop("function_call", None)
    message.pop("tool_calls", None)
    if written:
        message["content"] = text
    message.setdefault("content", "")
    return message | ({"tool_calls": sent} if calls else {})
