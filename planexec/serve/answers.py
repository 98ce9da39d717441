"""A model's `Reply` as the body that the imitated service would send, whole or as a stream of events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from planexec.chat import Message, Reply
from planexec.serve.asked import BYTES_PER_TOKEN, Asked

CREATED = 1_793_577_600  # every answer says it was made on 2 November 2026: the same request, the same answer
FINISH = {"filtered": "content_filter"}
PIECE = 24  # letters in one event of a stream, more when the text is very long
MOST_EVENTS = 400  # for one text
BLANKS = 16
SSE = "data: {}\n\n"


def completion(asked: Asked, reply: Reply, number: int) -> dict[str, Any]:
    """The whole response body of one answer."""
    message = _message(asked, reply)
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish(asked, reply)}
    body: dict[str, Any] = {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": CREATED,
        "model": asked.answering_model,
        "choices": [choice],
        "usage": _usage(asked, reply, message),
    }
    return body | ({} if asked.profile.family == "openai" else {"system_fingerprint": "fp_local"})


def _message(asked: Asked, reply: Reply) -> Message:
    content: str | None = reply.text
    wanted = asked.body.get("response_format")
    json_mode = isinstance(wanted, dict) and wanted.get("type") == "json_object"
    if json_mode and asked.profile.blank_unless_json and not reply.tool_calls and not _is_object(reply.text):
        content = " " * BLANKS  # what does not parse is replaced, and the answer still counts as finished
    if asked.profile.family == "openai" and reply.tool_calls and not content:
        content = None
    message: Message = {"role": "assistant", "content": content}
    if asked.thinking:
        message["reasoning_content"] = reply.reasoning
    if asked.profile.family == "openai":
        filtered = reply.finish == "filtered"
        message |= {"refusal": reply.text if filtered else None} | ({"content": None} if filtered else {})
    return message | ({"tool_calls": _calls(reply)} if reply.tool_calls else {})


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _calls(reply: Reply) -> list[dict[str, Any]]:
    """The calls with the arguments as the model wrote them: a model that writes broken JSON is passed on as it is."""
    written = {str(call.get("id")): call for call in reply.message.get("tool_calls") or ()}
    calls = []
    for call in reply.tool_calls:
        raw = (written.get(call.id) or {}).get("function", {}).get("arguments")
        arguments = raw if isinstance(raw, str) and raw else json.dumps(call.args or {}, ensure_ascii=False)
        calls.append({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
    return calls


def _finish(asked: Asked, reply: Reply) -> str:
    """One service says "stop" when it was told which function to call, although it calls it."""
    named = isinstance(asked.body.get("tool_choice"), dict)
    if named and reply.finish == "tool_calls" and asked.profile.family == "openai":
        return "stop"
    return FINISH.get(reply.finish, reply.finish)


def _usage(asked: Asked, reply: Reply, message: Message) -> dict[str, Any]:
    """What the model counted, else a token for every four bytes. Nothing is ever served from a cache."""
    thought = _tokens(str(message.get("reasoning_content") or ""))
    written = str(message.get("content") or "") + json.dumps(message.get("tool_calls") or "")
    prompt = reply.usage.prompt_tokens or asked.prompt_tokens
    answer = reply.usage.completion_tokens or thought + _tokens(written)
    usage: dict[str, Any] = {
        "prompt_tokens": prompt,
        "completion_tokens": answer,
        "total_tokens": prompt + answer,
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": min(thought, answer)},
    }
    if asked.profile.family == "deepseek":
        usage |= {"prompt_cache_hit_tokens": 0, "prompt_cache_miss_tokens": prompt}
    return usage


def _tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)


# ------------------------------------------------------------------------------------------------ as a stream


def events(body: dict[str, Any], asked: Asked) -> list[str]:
    """The same answer as server-sent events; put together again they are `body`.

    With `stream_options: {"include_usage": true}` the usage comes in an event of its own without choices; without
    it, one family sends it in the last event of the answer and the other not at all.
    """
    choice, usage = body["choices"][0], body.get("usage")
    wanted = asked.body.get("stream_options")
    apart = isinstance(wanted, dict) and bool(wanted.get("include_usage"))
    outer = {key: value for key, value in body.items() if key not in ("choices", "usage")}
    outer["object"] = "chat.completion.chunk"

    def event(delta: Message, finish: str | None = None, **more: Any) -> str:
        stated = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return _event({**outer, "choices": [stated], **more})

    last = {"usage": usage} if usage and not apart and asked.profile.family == "deepseek" else {}
    sent = [event(delta) for delta in _deltas(choice["message"])]
    sent.append(event({}, choice["finish_reason"], **last))
    if apart and usage:
        sent.append(_event({**outer, "choices": [], "usage": usage}))
    return [*sent, SSE.format("[DONE]")]


def _event(value: dict[str, Any]) -> str:
    return SSE.format(json.dumps(value))


def _deltas(message: Message) -> Iterator[Message]:
    """What changes from event to event: the role, the thoughts, the text, then call after call."""
    thinks = isinstance(message.get("reasoning_content"), str)
    content = message.get("content")
    first = "" if isinstance(content, str) and not thinks else None
    yield {"role": "assistant", "content": first} | ({"reasoning_content": ""} if thinks else {})
    if thinks:
        yield from ({"content": None, "reasoning_content": piece} for piece in _pieces(message["reasoning_content"]))
    if isinstance(content, str):
        yield from ({"content": piece} for piece in _pieces(content))
    if isinstance(message.get("refusal"), str):
        yield from ({"refusal": piece} for piece in _pieces(message["refusal"]))
    for index, call in enumerate(message.get("tool_calls") or ()):
        function = call["function"]
        begun = {"index": index, "id": call["id"], "type": "function", "function": {**function, "arguments": ""}}
        yield {"tool_calls": [begun]}
        for piece in _pieces(function["arguments"]):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _pieces(text: str) -> list[str]:
    size = max(PIECE, -(-len(text) // MOST_EVENTS))
    return [text[at : at + size] for at in range(0, len(text), size)]
