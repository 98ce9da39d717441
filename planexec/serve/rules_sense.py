"""Rules about fields that do not go together, and about numbers outside their range."""

from __future__ import annotations

import re
from typing import Any, TypeGuard

from planexec.serve.asked import Asked, text_of
from planexec.serve.rules_form import Complaints

USER_ID = re.compile(r"[A-Za-z0-9_-]{1,512}")


def tool_choice(asked: Asked) -> Complaints:
    """a tool call demanded while the model thinks"""
    choice = asked.body.get("tool_choice")
    if asked.thinking and (choice == "required" or isinstance(choice, dict)):
        yield "tool_choice.forced", {}


def json_mode(asked: Asked) -> Complaints:
    """JSON mode without the word json in the prompt, or a format the service does not have"""
    kind = _format(asked)
    offered = {"text", "json_object", *(("json_schema",) if asked.profile.family == "openai" else ())}
    if kind is not None and kind not in offered:
        yield "json_mode.type", {"kind": str(kind)}
    prompt = (text_of(message.get("content")) for _, message in asked.messages)
    if kind == "json_object" and not any("json" in text.lower() for text in prompt):
        yield "json_mode.word", {}


def reasoner(asked: Asked) -> Complaints:
    """tools, JSON mode or log probabilities asked of the model that thinks (first era)"""
    if not asked.thinking:
        return
    words = {"model": asked.model}
    if asked.body.get("tools"):
        yield "reasoner.tools", words
    if _format(asked) == "json_object":
        yield "reasoner.json", words
    if asked.body.get("logprobs") or asked.body.get("top_logprobs") is not None:
        yield "reasoner.logprobs", words


def max_tokens(asked: Asked) -> Complaints:
    """room for an answer outside 1 to the most the service gives"""
    most = asked.profile.max_output
    for name in ("max_tokens", "max_completion_tokens"):
        value = asked.body.get(name)
        if _is_whole(value) and not 1 <= value <= most:
            shown = value if abs(value) < 10**18 else "a number of more than 18 digits"
            yield "max_tokens.range", {"name": name, "value": shown, "most": most}


def stream_options(asked: Asked) -> Complaints:
    """options of a stream where none is asked for"""
    if asked.body.get("stream_options") is not None and not asked.body.get("stream"):
        yield "stream_options.alone", {}


def parameters(asked: Asked) -> Complaints:
    """too many stop texts, log probabilities nobody switched on, a user_id with other letters"""
    stop, most = asked.body.get("stop"), asked.profile.most_stop
    if isinstance(stop, list) and len(stop) > most:
        yield "parameters.stop", {"most": most, "count": len(stop)}
    top = asked.body.get("top_logprobs")
    if top is not None and not (_is_whole(top) and 0 <= top <= 20 and asked.body.get("logprobs")):
        yield "parameters.top_logprobs", {}
    user_id = asked.body.get("user_id")
    if isinstance(user_id, str) and not USER_ID.fullmatch(user_id):
        yield "parameters.user_id", {}


def unknown_keys(asked: Asked) -> Complaints:
    """a field of the body that the service does not know, such as another service's `thinking`"""
    known = asked.profile.body_keys
    for key in asked.body:
        if known and key not in known:
            yield "unknown_keys.key", {"key": key}


def context(asked: Asked) -> Complaints:
    """a conversation longer than the model's context, a token counted for every four bytes"""
    sent, room = asked.prompt_tokens, asked.room if _asks_for_room(asked) else 0
    if sent + room > asked.context_tokens:
        yield "context.overflow", {"most": asked.context_tokens, "asked": sent + room, "sent": sent, "room": room}


def concurrency(asked: Asked) -> Complaints:
    """more requests at once than the account may have"""
    if asked.most_in_flight is not None and asked.in_flight > asked.most_in_flight:
        yield "concurrency.limit", {"count": asked.in_flight, "most": asked.most_in_flight}


def _format(asked: Asked) -> Any:
    wanted = asked.body.get("response_format")
    return wanted.get("type") if isinstance(wanted, dict) else None


def _is_whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _asks_for_room(asked: Asked) -> bool:
    return any(_is_whole(asked.body.get(name)) for name in ("max_tokens", "max_completion_tokens"))
