"""The wire: what goes to a model and what comes back.

Messages stay plain dicts in the chat-completions form, because that is what every endpoint, log and test
understands. This module only names the few things that come back: a `Reply`, its `ToolCall`s, its `Usage`.

What comes back are values: nothing changes them. Replies and calls are not frozen all the same, because a frozen
dataclass takes five times as long to make, and every step makes several.

It does not talk to a network, does not repair what servers send (see `models/normalise.py`) and does not
count anything (see `guards.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

Message = dict[str, Any]

REPLY_TOKENS = 4_096  # cap on one ordinary reply, thinking included
REPORT_TOKENS = 8_192  # cap on a report or a concluding answer


@dataclass(frozen=True, slots=True)
class Usage:
    """What one call cost. `usd` is None when no price is known; `seconds` is None when the clock must measure."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float | None = None
    seconds: float | None = None


@dataclass(slots=True)
class ToolCall:
    """One call that a model asks for. `args` is None when the arguments could not be read; `error` says why."""

    id: str
    name: str
    args: dict[str, Any] | None
    error: str = ""


@dataclass(slots=True)
class Reply:
    """One answer of a model.

    `finish` is "stop", "tool_calls", "length" (cut at `max_tokens`), "filtered", or "unknown"; only the first
    two are successes. `message` is the assistant message to put back into the conversation, unchanged: some
    servers refuse a conversation whose messages lost a field.
    """

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish: str = "stop"
    usage: Usage = Usage()
    reasoning: str = ""
    model: str = ""
    message: Message = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """True when the model ended by itself: neither cut, nor filtered, nor for an unknown reason."""
        return self.finish in ("stop", "tool_calls")

    def fields(self) -> tuple[Any, ...]:
        """All that it says, for `in_json`: a tuple, which stays as it is whatever becomes of this reply."""
        said: tuple[Any, ...] = (self.message, self.text, self.finish, self.usage, self.model, self.reasoning)
        for call in self.tool_calls:
            said += (call.id, call.name, call.args, call.error)
        return said

    @staticmethod
    def in_json(fields: tuple[Any, ...]) -> dict[str, Any]:
        """The reply as the journal shows it: plain JSON values only."""
        message, text, finish, usage, model, reasoning, *calls = fields
        bill = [usage.prompt_tokens, usage.completion_tokens, usage.usd, usage.seconds]
        data = {"message": message, "text": text, "finish": finish, "usage": bill, "model": model}
        if calls:
            data["tool_calls"] = [calls[at : at + 4] for at in range(0, len(calls), 4)]
        if reasoning:
            data["reasoning"] = reasoning
        return data

    def to_dict(self) -> dict[str, Any]:
        return self.in_json(self.fields())

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Reply:
        calls = tuple([ToolCall(*call) for call in data["tool_calls"]]) if "tool_calls" in data else ()
        usage, reasoning = Usage(*data["usage"]), data.get("reasoning", "")
        return cls(data["text"], calls, data["finish"], usage, reasoning, data["model"], data["message"])


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens, at the dearest rate that may apply, and per call where a call itself costs."""

    input_usd_per_million: float = 0.0
    output_usd_per_million: float = 0.0
    usd_per_call: float = 0.0

    def usd(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Price(1, 2).usd(1_000_000, 500_000) -> 2.0"""
        tokens = prompt_tokens * self.input_usd_per_million + completion_tokens * self.output_usd_per_million
        return self.usd_per_call + tokens / 1_000_000


class Model(Protocol):
    """Anything that answers a conversation once. It makes exactly one request and never retries by itself."""

    name: str
    price: Price | None

    def reply(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[dict[str, Any]] = (),
        tool_choice: str = "auto",
        max_tokens: int | None = None,
        thinking: bool | None = None,
        timeout: float | None = None,
    ) -> Reply:
        """Answer `messages`; raise `ServiceError` when the service fails. `timeout` is the seconds left."""


class ServiceError(Exception):
    """A model service or a tool's service failed, and this is what is known about it.

    `kind`: "transient" (worth another try), "permanent" (the same request will fail again) or "person"
    (somebody has to act first: a key, a balance). `retry_after`: seconds the service asked to wait.
    """

    def __init__(
        self, message: str, kind: str = "permanent", *, retry_after: float | None = None, status: int | None = None
    ):
        super().__init__(message)
        self.kind = kind
        self.retry_after = retry_after
        self.status = status


def system(text: str) -> Message:
    return {"role": "system", "content": text}


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def assistant(text: str, tool_calls: Sequence[ToolCall] = (), arguments: Sequence[str] = ()) -> Message:
    """The assistant message that says `text` and asks for `tool_calls`, whose JSON texts are `arguments`."""
    message: Message = {"role": "assistant", "content": text}
    if tool_calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": text_of}}
            for call, text_of in zip(tool_calls, arguments, strict=True)
        ]
    return message


def tool_message(call: ToolCall, text: str) -> Message:
    """The one tool message that answers `call`."""
    return {"role": "tool", "tool_call_id": call.id, "content": text}
