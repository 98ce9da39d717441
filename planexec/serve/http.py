"""The HTTP side of the server, on tornado: bytes in, bytes out, and what must never be read or believed.

The only module that imports tornado; it is imported when a server starts. The door comes before any rule: a foreign
Host or Origin (a web page that made its own name point to this machine), a body that is too large, a path or method
that is not there.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
from collections.abc import Awaitable
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from tornado.httpserver import HTTPServer
from tornado.iostream import IOStream, StreamClosedError
from tornado.web import Application, RequestHandler, stream_request_body

from planexec.serve.book import Request
from planexec.serve.desk import Answer, Desk
from planexec.serve.faults import Canned, Fault
from planexec.serve.refusal import Refusal

MOST_CONNECTIONS = 256
DRAINED = 64 * 2**20  # bytes of a body that is too large are read and dropped up to here, so that the sender hears why
TRACE = {"deepseek": "x-ds-trace-id", "openai": "x-request-id"}  # the header that names a request
ALIVE_SECONDS = 0.1  # between two signs of life


class Bounded(HTTPServer):
    """Turns connections away when there are too many, before they cost anything."""

    def initialize(self, *args: Any, **options: Any) -> None:
        self.streams: set[IOStream] = set()
        super().initialize(*args, **options)

    def handle_stream(self, stream: IOStream, address: Any) -> None:
        self.streams = {each for each in self.streams if not each.closed()}
        if len(self.streams) >= MOST_CONNECTIONS:
            stream.close()
            return
        self.streams.add(stream)
        super().handle_stream(stream, address)


def is_own_name(address: str) -> bool:
    """is_own_name("//127.0.0.1:80") -> True; "//127.example.com" is not: it only looks like an address."""
    try:
        host = (urlsplit(address).hostname or "").rstrip(".")
        return host == "localhost" or host.endswith(".localhost") or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@stream_request_body
class Endpoint(RequestHandler):
    """What all endpoints share: the door, the body as it comes, the answer as it goes, the book."""

    METHOD = ""  # the only one it takes; "" for an address where there is nothing

    def initialize(self, desk: Desk, any_host: bool, max_body: int, stopping: asyncio.Event) -> None:
        self.desk, self.any_host, self.max_body, self.stopping = desk, any_host, max_body, stopping
        self.number = 0
        self.received: list[bytes] = []
        self.size = 0
        self.complete = False  # the whole request has come, or will not be waited for
        self.gone = asyncio.Event()

    def prepare(self) -> None:
        self.number = self.desk.book.number()
        length = self.request.headers.get("content-length", "")
        if length.isdecimal() and int(length[:20]) > self.max_body:
            self.size = self.max_body + 1  # so nothing of it is kept

    def _turned_away(self) -> tuple[str, int, str] | None:
        """Why the door stays shut: (case, status, words). Said when the body is in, or its sender would not listen."""
        if not self.any_host and not self._is_ours():
            return "host", 403, "This server answers only to the names of this machine."
        if not self.METHOD:
            return "path", 404, "There is nothing here; try /v1/chat/completions."
        if self.request.method != self.METHOD:
            return "method", 405, f"This address takes {self.METHOD}."
        if self.size > self.max_body:
            return "size", 413, f"A request may have {self.max_body:,} bytes."
        return None

    def _is_ours(self) -> bool:
        origin = self.request.headers.get("origin")
        return is_own_name(f"//{self.request.host}") and (origin is None or is_own_name(origin))

    def data_received(self, chunk: bytes) -> Awaitable[None] | None:
        self.size += len(chunk)
        if self.size <= self.max_body:
            self.received.append(chunk)
        else:
            self.received.clear()
        return None

    async def carry_out(self) -> None:
        """Answer one request whose body has come."""
        self.complete = True
        if turned := self._turned_away():
            self.turn_away(*turned)
            return
        raw = b"".join(self.received)
        self.received.clear()
        with self.desk.book.flight() as in_flight:
            answer = await self.answer(raw, self.request.headers.get("authorization", ""), in_flight)
            self._note(raw, answer.whole.status, answer.outcome, answer.refusal)
            if trace := TRACE.get(self.desk.profile.family):
                self.set_header(trace, f"{self.number:032x}")
            with suppress(StreamClosedError):  # the client has hung up: nobody is left to be told
                await self._send(answer.whole, answer.fault)

    get = post = put = patch = delete = head = options = carry_out

    async def answer(self, raw: bytes, authorization: str, in_flight: int) -> Answer:
        raise NotImplementedError

    # ------------------------------------------------------------------------------------ sending

    async def _send(self, whole: Canned, fault: Fault) -> None:
        if fault.name == "silence":
            await self._wait(fault.seconds)
            self._hang_up()
            return
        self.set_status(whole.status)
        for name, value in whole.headers.items():
            self.set_header(name, value)
        if fault.name == "keep-alive":
            await self._keep_alive(whole, fault.seconds)
        pieces = list(whole.pieces)
        if fault.name == "drop":
            pieces = self._half(pieces)
        pause = fault.seconds if fault.name == "slow" else 0.0
        for at, piece in enumerate(pieces):
            if pause and at:
                await self._wait(pause)
            self.write(piece)
            if whole.events or fault.name == "drop":
                await self.flush()
        if fault.name == "drop":
            self._hang_up()
        elif not self._finished:
            await self.finish()

    def _half(self, pieces: list[bytes]) -> list[bytes]:
        """The first half; of one piece its first half, under the length of the whole."""
        if len(pieces) > 1:
            return pieces[: len(pieces) // 2]
        self.set_header("content-length", str(len(pieces[0])))
        return [pieces[0][: len(pieces[0]) // 2]]

    async def _keep_alive(self, whole: Canned, seconds: float) -> None:
        """Signs of life that are no answer: they reset the time-outs of every HTTP client."""
        sign = b": keep-alive\n\n" if whole.events else b"\n"
        rounds = max(1, round(seconds / ALIVE_SECONDS))
        for _ in range(rounds):
            self.write(sign)
            await self.flush()
            await self._wait(seconds / rounds)

    async def _wait(self, seconds: float) -> None:
        """Let time pass, but not for a client that has gone nor for a server that stops."""
        waiting = [asyncio.ensure_future(event.wait()) for event in (self.gone, self.stopping)]
        await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for each in waiting:
            each.cancel()
        if self.gone.is_set():
            raise StreamClosedError

    def _hang_up(self) -> None:
        connection: Any = self.request.connection
        connection.stream.close()

    def on_connection_close(self) -> None:
        self.gone.set()
        if not self.complete:
            self._note(b"", 0, "given up: the request did not come to its end")
        super().on_connection_close()

    # ------------------------------------------------------------------------------------ the door, the book

    def turn_away(self, case: str, status: int, words: str) -> None:
        """Refuse before any rule; `case` is "host", "path", "method" or "size"."""
        error = {"message": words, "type": "invalid_request_error", "param": None, "code": None}
        body = json.dumps({"error": error})
        sent = {"content-type": "application/json"} | ({"allow": self.METHOD} if case == "method" else {})
        self._note(b"", status, f"refused {case}", Refusal(case, self.desk.profile.name, status, body, sent))
        self.set_status(status)
        for name, value in sent.items():
            self.set_header(name, value)
        self.finish(body)

    def _note(self, raw: bytes, status: int, outcome: str, refusal: Refusal | None = None) -> None:
        kept = Request(self.number, str(self.request.method), self.request.path[:200], raw, status, outcome)
        self.desk.book.keep(kept, refusal)

    def set_default_headers(self) -> None:
        self.set_header("server", "planexec")

    def compute_etag(self) -> None:
        """No answer is ever the same as one before."""

    def write_error(self, status_code: int, **details: Any) -> None:
        """What tornado itself refuses (an unknown method), or a mistake of ours: JSON too."""
        self.complete = True
        self.set_header("content-type", "application/json")
        words = self._reason if status_code < 500 else "The server made a mistake."
        self.finish(json.dumps({"error": {"message": words, "type": "server_error", "param": None, "code": None}}))

    def log_exception(self, *error: Any) -> None:
        """Kept for whoever started the server; nothing is printed into a notebook."""
        if error[1] is not None and not hasattr(error[1], "status_code"):
            self.desk.book.problems.append(repr(error[1])[:500])


class Chat(Endpoint):
    METHOD = "POST"

    async def answer(self, raw: bytes, authorization: str, in_flight: int) -> Answer:
        return await self.desk.chat(raw, authorization, in_flight, self.number)


class Search(Endpoint):
    METHOD = "POST"

    async def answer(self, raw: bytes, authorization: str, in_flight: int) -> Answer:
        return await self.desk.web_search(raw, authorization, in_flight)


class Models(Endpoint):
    METHOD = "GET"

    async def answer(self, raw: bytes, authorization: str, in_flight: int) -> Answer:
        return self.desk.models(authorization)


def application(desk: Desk, any_host: bool, max_body: int, stopping: asyncio.Event) -> Application:
    """The addresses. Without a model there is only the search."""
    shared = {"desk": desk, "any_host": any_host, "max_body": max_body, "stopping": stopping}
    chat = [
        (r"(?:/v1|/beta)?/chat/completions", Chat, shared),
        (r"(?:/v1|/beta)?/models", Models, shared),
    ]
    search = [(r"/v1/web-search", Search, shared)]
    return Application(
        [*(chat if desk.model is not None else []), *search],
        default_handler_class=Endpoint,
        default_handler_args=shared,
        log_function=lambda handler: None,
    )
