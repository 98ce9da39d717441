"""For tests of the local server: a model that repeats what it was told, and requests without any client in between."""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass
from typing import Any

import pytest

from planexec.chat import Message, Reply, user
from planexec.models.scripted import ScriptedModel, calls, says
from planexec.serve import Server, start

pytest.importorskip("tornado")  # comes with Jupyter

CALL = {"id": "call_a", "type": "function", "function": {"name": "search", "arguments": '{"q": "rain"}'}}
ASKS = {"role": "assistant", "content": "", "reasoning_content": "Clouds.", "tool_calls": [CALL]}
TOLD = {"role": "tool", "tool_call_id": "call_a", "content": "rain"}
HELLO: list[Message] = [user("Will it rain? Say so in JSON.")]
TALK: list[Message] = [*HELLO, ASKS, TOLD]


def echo(messages: Any, tools: Any) -> Reply:
    """Searches once when it may, then repeats the last message; it thinks about every answer."""
    last = str(messages[-1].get("content")) if messages else "nothing"
    if tools and not any(message.get("role") == "tool" for message in messages):
        return calls(("search", {"q": "rain"}), reasoning="I look.")
    return says(json.dumps({"said": last}, ensure_ascii=False), reasoning="I repeat.")


def serve(profile: str = "deepseek", model: Any = None, **options: Any) -> Server:
    return start(model or ScriptedModel(echo), profile=profile, **options)


def body(profile: str = "deepseek", **changes: Any) -> dict[str, Any]:
    """An ordinary request, with `changes`; a change to ... takes the field away."""
    model = {"deepseek": "deepseek-flash", "deepseek-2025": "deepseek-chat"}.get(profile, "gpt-4.1-mini")
    made = {"model": model, "messages": HELLO} | changes
    return {key: value for key, value in made.items() if value is not ...}


@dataclass(frozen=True)
class Came:
    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def error(self) -> Any:
        return self.json["error"]

    @property
    def message(self) -> Any:
        return self.json["choices"][0]["message"]


def send(
    server: Server,
    content: Any,
    path: str = "/v1/chat/completions",
    *,
    key: str | None = None,
    method: str = "POST",
    **headers: str,
) -> Came:
    """One request as it stands: a dict becomes JSON, text and bytes stay. `key` "" sends no key at all."""
    key = server.key if key is None else key
    sent = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {}) | headers
    data = (
        content
        if isinstance(content, (bytes, type(None)))
        else content
        if isinstance(content, str)
        else json.dumps(content)
    )
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    try:
        connection.request(method, path, data.encode() if isinstance(data, str) else data, sent)
        answer = connection.getresponse()
        text = answer.read().decode("utf-8", "replace")
        return Came(answer.status, {name.lower(): value for name, value in answer.getheaders()}, text)
    finally:
        connection.close()


def event_data(text: str) -> list[Any]:
    """The JSON of each event of a stream, without its end mark."""
    lines = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
    assert lines[-1] == "[DONE]"
    return [json.loads(line) for line in lines[:-1]]
