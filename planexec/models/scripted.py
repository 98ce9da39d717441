"""A model that answers from a script: for tests, and for showing one behaviour at a time.

It does not look at what it is asked unless the script is a function, and it never goes round: a list that has run out
is an error that names the position, because a test whose script is too short would otherwise prove nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from planexec.chat import Message, Price, Reply, ToolCall, Usage, assistant

Pair = tuple[str, dict[str, Any]]
Line = Reply | str | Pair | ToolCall | Sequence[Pair | ToolCall] | BaseException
Script = Sequence[Any] | Callable[[Sequence[Message], Sequence[dict[str, Any]]], Line]

NO_USAGE = Usage()


class ScriptEnded(BaseException):
    """The list of replies has run out: the caller asked more often than the script foresaw.

    Not an `Exception`: it must end the test, and a loop that survives failing services must not take it for one.
    """


def says(text: str, *, finish: str = "stop", reasoning: str = "", usage: Usage = NO_USAGE) -> Reply:
    """A reply in words. says("", finish="length") is one cut before its first word."""
    return Reply(text, finish=finish, reasoning=reasoning, usage=usage)


def calls(*pairs: Pair | ToolCall, text: str = "", reasoning: str = "", usage: Usage = NO_USAGE) -> Reply:
    """A reply that asks for tools: calls(("search", {"q": 1}), ("search", {"q": 2})). Ids are given when it is sent."""
    asked = tuple(pair if isinstance(pair, ToolCall) else ToolCall("", *pair) for pair in pairs)
    return Reply(text, asked, "tool_calls", usage, reasoning)


class ScriptedModel:
    """Answers from `replies`: a list, one entry a request, or a function of (messages, tools).

    An entry is a `Reply` (see `says` and `calls`), a text, one `(tool, args)` pair or a list of them, an exception to
    raise, or a function of (messages, tools) that returns one of these. Raises `ScriptEnded` past the end of a list.
    `usage` counts for every entry that states none; dollars follow from `price` when one is set.
    `requests` keeps what was asked: a dict each with messages, tools, tool_choice, max_tokens, thinking, timeout.
    """

    def __init__(
        self, replies: Script, *, name: str = "scripted", price: Price | None = None, usage: Usage = NO_USAGE
    ) -> None:
        self.replies = replies if callable(replies) else list(replies)
        self.name = name
        self.price = price
        self.usage = usage
        self.requests: list[dict[str, Any]] = []

    def __repr__(self) -> str:
        size = "a function" if callable(self.replies) else f"{len(self.replies)} replies"
        return f"ScriptedModel({size}, {len(self.requests)} asked)"

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
        """The next entry of the script, as the `Model` protocol words it."""
        asked: dict[str, Any] = {"messages": list(messages), "tools": list(tools), "tool_choice": tool_choice}
        self.requests.append(asked | {"max_tokens": max_tokens, "thinking": thinking, "timeout": timeout})
        line = self._line()
        while callable(line) and not isinstance(line, BaseException):
            line = line(messages, tools)
        if isinstance(line, BaseException):
            raise line
        return self._finished(_as_reply(line), messages)

    def _line(self) -> Any:
        if callable(self.replies):
            return self.replies
        position = len(self.requests)
        if position > len(self.replies):
            raise ScriptEnded(f"request {position} has no reply: the script holds {len(self.replies)} of them")
        return self.replies[position - 1]

    def _finished(self, reply: Reply, messages: Sequence[Message]) -> Reply:
        """Fill in what a server would have sent along: ids, the raw message, the model's name, usage and dollars."""
        count = sum(len(message.get("tool_calls") or ()) for message in messages)
        tool_calls = tuple(
            call if call.id else replace(call, id=f"call_{count + position}")
            for position, call in enumerate(reply.tool_calls, 1)
        )
        usage = self.usage if reply.usage == NO_USAGE else reply.usage
        if usage.usd is None and self.price is not None:
            usage = replace(usage, usd=self.price.usd(usage.prompt_tokens, usage.completion_tokens))
        arguments = ["" if call.args is None else json.dumps(call.args, ensure_ascii=False) for call in tool_calls]
        message = reply.message or assistant(reply.text, tool_calls, arguments)
        name = reply.model or self.name
        return replace(reply, tool_calls=tool_calls, usage=usage, message=message, model=name)


def _as_reply(line: Any) -> Reply:
    """_as_reply("hello") -> says("hello"); _as_reply([("search", {"q": 1})]) -> calls(("search", {"q": 1}))"""
    if isinstance(line, Reply):
        return line
    if isinstance(line, str):
        return says(line)
    if isinstance(line, ToolCall) or (isinstance(line, tuple) and line and isinstance(line[0], str)):
        return calls(line)
    if isinstance(line, (list, tuple)) and line:
        return calls(*line)
    raise TypeError(f"a script holds replies, texts, (tool, args) pairs and exceptions, not {line!r}")
