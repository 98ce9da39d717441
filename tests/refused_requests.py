"""Requests that the services refuse, one a line: the rule each breaks, the profile, what is changed in an ordinary
request, the status, and how the message begins."""

from __future__ import annotations

from typing import Any

from model_servers import SEARCH
from serving import ASKS, CALL, HELLO, TALK, TOLD

PAIRING = "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
DESERIALIZE = "Failed to deserialize the JSON body into the target type: "
PASS_BACK = "The `reasoning_content` in the thinking mode must be passed back to the API."


def without_thoughts(*messages: dict[str, Any]) -> list[dict[str, Any]]:
    return [{key: value for key, value in message.items() if key != "reasoning_content"} for message in messages]


BARE = without_thoughts(*TALK)
TWO = [CALL, {**CALL, "id": "call_b"}]
NAMED = {"type": "function", "function": {"name": "search"}}


def tool(name: str) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name}}


def history(*calls: Any, answers: tuple[str, ...] = ("call_a",)) -> list[dict[str, Any]]:
    """An exchange with these calls and these answers."""
    asks = {"role": "assistant", "content": "", "reasoning_content": "", "tool_calls": list(calls)}
    return [*HELLO, asks, *({"role": "tool", "tool_call_id": id_, "content": "rain"} for id_ in answers)]


CASES: list[tuple[str, str, dict[str, Any], int, str]] = [
    ("types", "deepseek", {"messages": ...}, 400, DESERIALIZE + "missing field `messages` at line 1 column"),
    ("types", "deepseek-2025", {"messages": ...}, 422, DESERIALIZE + "missing field `messages` at line 1 column"),
    ("types", "openai", {"messages": ...}, 400, "Missing required parameter: 'messages'."),
    ("types", "deepseek", {"stream": "yes"}, 400, DESERIALIZE + "stream: invalid type: string, expected a boolean"),
    (
        "types",
        "openai",
        {"max_tokens": True},
        400,
        "Invalid type for 'max_tokens': expected an integer, but got boolean",
    ),
    ("types", "deepseek", {"messages": [{"role": "user"}]}, 400, DESERIALIZE + "messages[0]: missing field `content`"),
    ("types", "deepseek", {"messages": [*HELLO, "hi"]}, 400, DESERIALIZE + "messages[1]: invalid type: string"),
    ("types", "deepseek", {"tools": [{"type": "function"}]}, 400, DESERIALIZE + "tools[0]: missing field `function`"),
    ("messages", "deepseek", {"messages": []}, 400, "Empty input messages"),
    ("messages", "openai", {"messages": []}, 400, "Invalid 'messages': empty array."),
    (
        "messages",
        "deepseek",
        {"messages": [{"role": "bot", "content": "hi"}]},
        400,
        DESERIALIZE + "messages[0].role: unknown",
    ),
    ("messages", "openai", {"messages": [{"role": "bot", "content": "hi"}]}, 400, "Invalid value: 'bot'."),
    (
        "messages",
        "deepseek",
        {"messages": [*HELLO, {"role": "assistant", "content": [{"type": "text", "text": "hi"}]}, *HELLO]},
        400,
        DESERIALIZE + "messages[1]: invalid type: sequence, expected a string at line 1 column",
    ),
    (
        "messages",
        "deepseek",
        {"messages": [*TALK[:2], {**TOLD, "content": []}]},
        400,
        DESERIALIZE + "messages[2]: invalid",
    ),
    (
        "messages",
        "openai",
        {"messages": [{"role": "user", "content": None}]},
        400,
        "Invalid value for 'content': expected a",
    ),
    (
        "messages",
        "deepseek",
        {"messages": [*HELLO, {"role": "assistant", "content": None}, *HELLO]},
        400,
        "Invalid assistant",
    ),
    (
        "model",
        "deepseek",
        {"model": "deepseek-chat"},
        400,
        "The supported API model names are deepseek-flash or deepseek-v4-pro",
    ),
    ("model", "deepseek-2025", {"model": "gpt-4.1"}, 400, "Model Not Exist"),
    ("model", "openai", {"model": "deepseek-flash"}, 404, "The model `deepseek-flash` does not exist"),
    ("unknown_keys", "openai", {"thinking": {"type": "disabled"}}, 400, "Unknown parameter: 'thinking'."),
    ("tools", "deepseek", {"tools": []}, 400, "[] is too short - 'tools'"),
    ("tools", "openai", {"tools": []}, 400, "Invalid 'tools': empty array."),
    ("tools", "openai", {"tools": [tool(f"t{n}") for n in range(129)]}, 400, "Invalid 'tools': array too long."),
    (
        "tools",
        "deepseek",
        {"tools": [tool("search the web")]},
        400,
        "Invalid 'tools[0].function.name': string does not",
    ),
    ("tools", "deepseek", {"tools": [tool("s" * 65)]}, 400, "Invalid 'tools[0].function.name'"),
    ("tools", "deepseek", {"tools": [tool("a"), tool("a")]}, 400, "Invalid 'tools': the function name 'a'"),
    ("tools", "deepseek", {"tools": [{"type": "retrieval", "function": {"name": "a"}}]}, 400, "tools[0].type: unknown"),
    ("tool_calls", "deepseek", {"messages": history()[:2]}, 400, "Invalid 'messages[1].tool_calls': empty array."),
    (
        "tool_calls",
        "openai",
        {"messages": without_thoughts(*history()[:2])},
        400,
        "Invalid 'messages[1].tool_calls': empty array",
    ),
    (
        "tool_calls",
        "deepseek",
        {"messages": history({**CALL, "type": None})},
        400,
        DESERIALIZE + "messages[1].tool_calls[0]: missing",
    ),
    (
        "tool_calls",
        "openai",
        {"messages": without_thoughts(*history({"id": "call_a", "type": "function"}))},
        400,
        "Missing required parameter: 'messages[1].tool_calls[0].function'.",
    ),
    (
        "tool_calls",
        "openai",
        {"messages": without_thoughts(*history({**CALL, "function": {"name": "search", "arguments": {"q": 1}}}))},
        400,
        "Missing required parameter: 'messages[1].tool_calls[0].function.arguments'.",
    ),
    (
        "tool_calls",
        "openai",
        {"messages": without_thoughts(*history({**CALL, "function": {"name": "look up", "arguments": "{}"}}))},
        400,
        "Invalid 'messages[1].tool_calls[0].function.name': string does not match pattern.",
    ),
    (
        "tool_choice",
        "deepseek",
        {"tools": [SEARCH], "tool_choice": "required"},
        400,
        "Thinking mode does not support this tool_choice",
    ),
    (
        "tool_choice",
        "deepseek",
        {"tools": [SEARCH], "tool_choice": NAMED},
        400,
        "Thinking mode does not support this tool_choice",
    ),
    (
        "reasoner",
        "deepseek-2025",
        {"model": "deepseek-reasoner", "tools": [SEARCH]},
        400,
        "deepseek-reasoner does not support Function",
    ),
    (
        "reasoner",
        "deepseek-2025",
        {"model": "deepseek-reasoner", "response_format": {"type": "json_object"}},
        400,
        "deepseek-reasoner does not support Json Output.",
    ),
    (
        "reasoner",
        "deepseek-2025",
        {"model": "deepseek-reasoner", "logprobs": True},
        400,
        "deepseek-reasoner does not support logprobs",
    ),
    (
        "json_mode",
        "deepseek",
        {"messages": [{"role": "user", "content": "Will it rain?"}], "response_format": {"type": "json_object"}},
        400,
        "Prompt must contain the word 'json' in some form",
    ),
    (
        "json_mode",
        "openai",
        {"messages": [{"role": "user", "content": "Will it rain?"}], "response_format": {"type": "json_object"}},
        400,
        "'messages' must contain the word 'json' in some form",
    ),
    (
        "json_mode",
        "deepseek",
        {"response_format": {"type": "json_schema"}},
        400,
        "This response_format type is unavailable now",
    ),
    ("json_mode", "openai", {"response_format": {"type": "xml"}}, 400, "Invalid value: 'xml'."),
    (
        "max_tokens",
        "deepseek",
        {"max_tokens": 0},
        400,
        "Invalid max_tokens value, the valid range of max_tokens is [1, 393216]",
    ),
    ("max_tokens", "deepseek", {"max_tokens": 393217}, 400, "Invalid max_tokens value"),
    (
        "max_tokens",
        "openai",
        {"max_completion_tokens": -1},
        400,
        "Invalid 'max_completion_tokens': integer out of range.",
    ),
    (
        "stream_options",
        "deepseek",
        {"stream_options": {"include_usage": True}},
        400,
        "stream_options should be set along with",
    ),
    (
        "stream_options",
        "openai",
        {"stream_options": {}, "stream": False},
        400,
        "The 'stream_options' parameter is only allowed",
    ),
    ("parameters", "deepseek", {"stop": ["."] * 17}, 400, "Invalid 'stop': at most 16 sequences, got 17"),
    ("parameters", "openai", {"stop": ["."] * 5}, 400, "Invalid 'stop': array too long."),
    ("parameters", "deepseek", {"top_logprobs": 5}, 400, "Invalid 'top_logprobs'"),
    ("parameters", "deepseek", {"top_logprobs": 21, "logprobs": True}, 400, "Invalid 'top_logprobs'"),
    ("parameters", "deepseek", {"user_id": "me@home"}, 400, "Invalid 'user_id'"),
    (
        "pairing",
        "deepseek",
        {"messages": TALK[:2]},
        400,
        PAIRING + " (insufficient tool messages following tool_calls message)",
    ),
    ("pairing", "deepseek", {"messages": history(*TWO)}, 400, PAIRING),
    ("pairing", "deepseek", {"messages": [*TALK[:2], *HELLO, TOLD]}, 400, PAIRING),
    (
        "pairing",
        "openai",
        {"messages": BARE[:2]},
        400,
        PAIRING + " The following tool_call_ids did not have response messages: call_a",
    ),
    (
        "pairing",
        "deepseek",
        {"messages": [*HELLO, TOLD]},
        400,
        "Messages with role 'tool' must be a response to a preceding message",
    ),
    (
        "pairing",
        "openai",
        {"messages": [*HELLO, TOLD]},
        400,
        "Invalid parameter: messages with role 'tool' must be a response to a prec",
    ),
    (
        "pairing",
        "deepseek",
        {"messages": [*TALK, TOLD]},
        400,
        "Messages with role 'tool' must be a response to a preceding message",
    ),
    (
        "pairing",
        "openai",
        {"messages": [*BARE, TOLD]},
        400,
        "Invalid parameter: Duplicate value for 'tool_call_id' of 'call_a', in mess",
    ),
    (
        "ids",
        "openai",
        {"messages": without_thoughts(*history({**CALL, "id": "c" * 41}, answers=("c" * 41,)))},
        400,
        "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got",
    ),
    ("reasoning", "deepseek", {"messages": BARE, "tools": [SEARCH]}, 400, PASS_BACK),
    (
        "reasoning",
        "deepseek",
        {"messages": [*HELLO, {**ASKS, "reasoning_content": None}, TOLD], "tools": [SEARCH]},
        400,
        PASS_BACK,
    ),
    ("reasoning_without_tools", "deepseek", {"messages": BARE}, 400, PASS_BACK),
    ("reasoning_sent", "deepseek-2025", {"messages": TALK}, 400, "messages[1]: reasoning_content must not be sent"),
    (
        "context",
        "deepseek",
        {"messages": [{"role": "user", "content": "x" * 4_000}]},
        400,
        "This model's maximum context length is 900",
    ),
    (
        "context",
        "openai",
        {"messages": [{"role": "user", "content": "x" * 4_000}]},
        400,
        "This model's maximum context length is 900",
    ),
    ("context", "deepseek", {"max_tokens": 890}, 400, "This model's maximum context length is 900 tokens."),
]
