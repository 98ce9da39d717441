"""For tests of models: a service that answers from a script over HTTP, and refuses what it is told to refuse.

`Service` sits on pytest-httpserver. Its `answers` are dicts: {"json": ..} or {"text": .., "type": ..} or
{"stream": [..]}, with "status" and "headers" where needed; the fixtures in data/serve/quirks have the same form.
"""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from planexec.chat import Message, Reply, system, user
from planexec.models.openai_model import OpenAIModel
from planexec.paths import data_path

pytest.importorskip("openai")  # loaded here, so that no test's deadline has to pay for it

QUIRKS = data_path("serve", "quirks")  # the local server sends them too
ASK: list[Message] = [system("Answer in one sentence."), user("Will it rain?")]
SEARCH = {
    "type": "function",
    "function": {
        "name": "search",
        "description": "Looks something up.",
        "parameters": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]},
    },
}
KEY = "sk-0a1b2c3d4e5f60718293"


class Service:
    """`bodies` are the requests that came. `refuses`: a function of a body that says whether it is refused."""

    def __init__(self, server: HTTPServer, *answers: dict[str, Any]) -> None:
        self.server, self.answers = server, list(answers)
        self.bodies: list[dict[str, Any]] = []
        self.refuses: Callable[[dict[str, Any]], bool] = lambda body: False
        self.refusal: dict[str, Any] = {}
        server.expect_request("/v1/chat/completions", method="POST").respond_with_handler(self._handle)

    def _handle(self, request: Request) -> Response:
        body = json.loads(request.get_data(as_text=True))
        self.bodies.append(body)
        return response(self.refusal if self.refuses(body) else self.answers.pop(0))

    def model(self, profile: Any = "plain", **options: Any) -> OpenAIModel:
        options = {"api_key": KEY, "timeout": 10.0} | options
        return OpenAIModel("m", self.server.url_for("/v1"), profile=profile, **options)

    def ask(self, *, profile: Any = "plain", messages: list[Message] = ASK, tools: Any = (SEARCH,)) -> Reply:
        return self.model(profile).reply(messages, tools=tools)


def response(answer: dict[str, Any]) -> Response:
    status, headers = answer.get("status", 200), answer.get("headers", {})
    if "stream" in answer:
        pieces = (piece.encode() for piece in answer["stream"])
        return Response(pieces, status, headers, content_type=answer.get("type", "text/event-stream"))
    text = answer["text"] if "text" in answer else json.dumps(answer["json"], ensure_ascii=False)
    return Response(text, status, headers, content_type=answer.get("type", "application/json"))


def completion(content: Any = None, finish: Any = "stop", **message: Any) -> dict[str, Any]:
    """An ordinary answer."""
    choice = {"index": 0, "message": {"role": "assistant", "content": content, **message}, "finish_reason": finish}
    usage = {"prompt_tokens": 20, "completion_tokens": 9, "total_tokens": 29}
    return {"json": {"id": "c1", "object": "chat.completion", "model": "m", "choices": [choice], "usage": usage}}


def chunk(finish: str | None = None, **delta: Any) -> str:
    """One event of a streamed answer."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return "data: " + json.dumps({"model": "m", "choices": [choice]}, ensure_ascii=False) + "\n\n"


def quirk(server: HTTPServer, number: str) -> Service:
    """The service of one row of the table, answering with the fixture of that number."""
    fixture = json.loads((QUIRKS / f"{number}.json").read_text(encoding="utf-8"))
    service = Service(server, *fixture["answers"])
    service.refusal = fixture.get("refusal", {})
    return service


def continued(reply: Reply, messages: list[Message] = ASK, results: str = "rain") -> list[Message]:
    """The conversation after the calls of `reply` were answered, as the loops of the package write it."""
    answers = [{"role": "tool", "tool_call_id": call.id, "content": results} for call in reply.tool_calls]
    return [*messages, reply.message, *answers]


class RawServer:
    """A server that speaks no HTTP by itself: `script(connection, stop)` decides every byte after a request came.

    `stop` is set when the test is over, so that a script that keeps quiet can wait for it. `requests` counts.
    """

    def __init__(self, script: Callable[[socket.socket, threading.Event], None]) -> None:
        self.script, self.stop, self.requests = script, threading.Event(), 0
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.threads = [threading.Thread(target=self._serve, daemon=True)]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.listening.getsockname()[1]}/v1"

    def model(self, seconds: float, **options: Any) -> OpenAIModel:
        return OpenAIModel("m", self.url, api_key=KEY, timeout=seconds, **options)

    def __enter__(self) -> RawServer:
        self.threads[0].start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop.set()
        with suppress(OSError):  # wakes the thread that waits for a connection
            socket.create_connection(self.listening.getsockname(), 1).close()
        for thread in self.threads:
            thread.join(5)
        self.listening.close()

    def _serve(self) -> None:
        while not self.stop.is_set():
            connection, _ = self.listening.accept()
            thread = threading.Thread(target=self._answer, args=(connection,), daemon=True)
            self.threads.append(thread)
            thread.start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):  # the client may hang up at any moment; that is what is tested
            head, _, rest = self._until_blank_line(connection).partition(b"\r\n\r\n")
            found = re.search(rb"content-length: (\d+)", head, re.I)
            missing = int(found[1]) - len(rest) if found else 0
            while missing > 0:
                missing -= len(connection.recv(65536))
            if head:
                self.requests += 1
                self.script(connection, self.stop)

    @staticmethod
    def _until_blank_line(connection: socket.socket) -> bytes:
        came = b""
        while b"\r\n\r\n" not in came:
            piece = connection.recv(65536)
            if not piece:
                return b""
            came += piece
        return came


def http(text: str, content_type: str = "application/json", length: int | None = None) -> bytes:
    """An HTTP answer as bytes; with a `length` of its own it ends too early or has no end of its own."""
    size = f"content-length: {len(text.encode()) if length is None else length}\r\n" if length != -1 else ""
    return f"HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\n{size}\r\n{text}".encode()
