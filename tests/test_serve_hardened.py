"""Nothing that is sent to the local server takes it down: odd bodies, sizes, paths, hosts, senders."""

from __future__ import annotations

import json
import socket
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from model_servers import SEARCH
from serving import ASKS, HELLO, TOLD, Came, body, send, serve

from planexec.serve import Server
from planexec.serve.http import MOST_CONNECTIONS

FUZZ = settings(max_examples=120, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12)
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
)
FIELDS = ["model", "messages", "tools", "tool_choice", "stream", "stream_options", "response_format", "thinking"]
FIELDS += ["max_tokens", "max_completion_tokens", "stop", "top_logprobs", "logprobs", "user_id", "temperature"]
FIELDS += ["query", "freshness", "summary", "count", "include", "exclude"]
MESSAGE_FIELDS = ["role", "content", "tool_calls", "tool_call_id", "reasoning_content", "name"]
MESSAGES = st.lists(
    st.sampled_from([*HELLO, ASKS, TOLD, {"role": "assistant", "content": ""}])
    | st.dictionaries(st.sampled_from(MESSAGE_FIELDS), JSON | st.just("assistant") | st.just([{}]), max_size=5),
    max_size=5,
)
POST = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
ODD_RULES = dict.fromkeys(("types", "messages", "tools", "tool_calls", "model", "pairing", "parameters", "json"), False)


@pytest.fixture(scope="module")
def strict() -> Iterator[Server]:
    with serve(search=lambda query: []) as server:
        yield server


@pytest.fixture(scope="module")
def lax() -> Iterator[Server]:
    """The same with the rules off that would catch odd bodies: what comes behind them must stand them too."""
    with serve(rules=ODD_RULES, search=lambda query: []) as server:
        yield server


def is_well(server: Server) -> bool:
    return send(server, body()).status == 200 and server.problems == []


def answered(came: Came) -> None:
    """An answer, or a refusal that says why; a mistake of the server would be a 500 without a cause."""
    assert came.status in (200, 400, 401, 404, 422, 500), came.text
    assert came.text and "The server made a mistake" not in came.text


@FUZZ
@given(changes=st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=4), messages=MESSAGES)
def test_fuzzed_bodies_are_answered(strict: Server, lax: Server, changes: dict[str, Any], messages: list[Any]) -> None:
    content = json.dumps(body(messages=messages, tools=[SEARCH]) | changes).encode("utf-8", "surrogatepass")
    for server in (strict, lax):
        answered(send(server, content))
        answered(send(server, content, "/v1/web-search"))
    assert strict.problems == lax.problems == []


@FUZZ
@given(content=st.binary(max_size=200) | JSON.map(lambda value: json.dumps(value).encode()))
def test_fuzzed_bytes_are_answered(strict: Server, lax: Server, content: bytes) -> None:
    answered(send(strict, content))
    answered(send(lax, content))
    assert strict.problems == lax.problems == []


def test_after_all_that_the_servers_still_answer(strict: Server, lax: Server) -> None:
    assert is_well(strict) and is_well(lax)


def exchange(server: Server, *pieces: bytes, seconds: float = 10.0, half_closed: bool = True) -> bytes:
    """Send bytes as they are; all that comes back until the server hangs up, or has said nothing for a while.

    `half_closed`: say that nothing more will come. Tornado may take that for a client that has gone.
    """
    with socket.create_connection(("127.0.0.1", server.port), seconds) as connection:
        came = b""
        with suppress(OSError):  # the server may hang up before everything is sent
            for piece in pieces:
                connection.sendall(piece)
            if half_closed:
                connection.shutdown(socket.SHUT_WR)
            while piece := connection.recv(65_536):
                came += piece
        return came


@pytest.mark.parametrize(
    "sent",
    [
        b"\r\n\r\n",
        b"GET\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5, 6\r\n\r\nhello!",
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9e9\r\n\r\n",
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + b"9" * 4_000 + b"\r\n\r\n",
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: [::1\r\n\r\n",
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 200_000 + b"\r\n\r\n",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST /v1/chat/completions HTTP/9.9\r\nHost: localhost\r\n\r\n",
        b"POST http://[::1/v1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"FOO /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ],
)
def test_what_is_hardly_http_does_no_harm(strict: Server, sent: bytes) -> None:
    came = exchange(strict, sent)
    assert not came or came.startswith(b"HTTP/1.1 4")
    assert is_well(strict)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "//",
        "/v1",
        "/v1/chat/completions/",
        "/v2/chat/completions",
        "/v1/chat/completions/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/v1/chat/completions%00",
        "/v1/%ff%fe",
        "/v1/chat/completions;x=1",
        "http://127.0.0.1/other",
        "*",
        "/v1/models?" + "a" * 5_000,
    ],
)
def test_odd_paths_are_not_found(strict: Server, path: str) -> None:
    came = send(strict, body(), path)
    assert came.status in (400, 404, 405) and strict.problems == []
    assert came.status == 400 or came.error["message"]


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE"])
def test_other_methods_are_refused_by_name(strict: Server, method: str) -> None:
    came = send(strict, None, method=method)
    assert came.status == 405
    assert came.headers.get("allow") == "POST" or method == "TRACE"  # which tornado itself refuses


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "LOCALHOST:80", "[::1]", "me.localhost", "127.0.0.1:9", "localhost."]
)
def test_a_name_of_this_machine_is_let_in(strict: Server, host: str) -> None:
    assert send(strict, body(), Host=host).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "example.com",
        "127.0.0.1.example.com",
        "127.example.com",
        "localhost.example.com",
        "10.0.0.1",
        "0.0.0.0",
        "x" * 300,
    ],
)
def test_a_foreign_name_that_points_here_is_turned_away(strict: Server, host: str) -> None:
    came = send(strict, body(), Host=host)
    assert came.status == 403 and came.error["message"].startswith("This server answers only")
    assert strict.refusals[-1].rule == "host"


@pytest.mark.parametrize(
    ("origin", "status"), [("https://example.com", 403), ("null", 403), ("http://localhost:8888", 200)]
)
def test_a_web_page_of_others_may_not_ask(strict: Server, origin: str, status: int) -> None:
    assert send(strict, body(), Origin=origin).status == status


def test_a_server_that_is_open_to_the_network_takes_any_name_and_makes_up_a_key() -> None:
    with serve(host="0.0.0.0") as one, serve(host="0.0.0.0") as other:
        assert send(one, body(), Host="my-laptop").status == 200
        assert one.key != other.key and len(one.key) > 20
        assert send(one, body(), key=other.key, Host="my-laptop").status == 401


def test_a_body_at_the_limit_is_read_and_one_above_it_is_not() -> None:
    fits = json.dumps(body()).encode()
    with serve(max_body=len(fits)) as server:
        assert send(server, fits).status == 200
        came = send(server, fits + b" ")
        assert (came.status, came.error["message"]) == (413, f"A request may have {len(fits):,} bytes.")
        assert (server.refusals[-1].rule, len(server.requests[-1].raw)) == ("size", 0)
        chunked = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        came = exchange(
            server, chunked, b"%x\r\n%s\r\n0\r\n\r\n" % (len(fits) + 1, fits + b" ")
        )  # its length is not said
        assert came.startswith(b"HTTP/1.1 413")


def test_fifty_megabytes_are_refused_without_being_kept() -> None:
    head = f"{POST}Connection: close\r\nContent-Length: 50000000\r\n\r\n".encode()
    with serve() as server:
        is_well(server)
        tracemalloc.start()
        try:
            came = exchange(server, head, *[b"x" * 500_000] * 100, seconds=60.0, half_closed=False)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert [refusal.case for refusal in server.refusals] == ["size"] and peak < 3_000_000
        assert came.startswith(b"HTTP/1.1 413")
        assert is_well(server)


def test_slow_senders_run_out_of_time_and_hold_up_nobody() -> None:
    head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\n"
    with serve(patience=0.3) as server:
        slow = [socket.create_connection(("127.0.0.1", server.port), 10) for _ in range(3)]
        slow[0].sendall(head + b'{"model": ')
        slow[1].sendall(head[:30])
        assert is_well(server)  # while the three are waiting
        began = time.monotonic()
        assert [connection.recv(100) for connection in slow] == [b""] * 3
        assert time.monotonic() - began < 5
        for connection in slow:
            connection.close()
    assert sorted(each.outcome[:8] for each in server.requests) == ["answered", "given up"]


def test_more_connections_than_it_takes_are_turned_away_and_then_it_goes_on() -> None:
    with serve() as server:
        crowd = [socket.create_connection(("127.0.0.1", server.port), 10) for _ in range(MOST_CONNECTIONS)]
        assert exchange(server, b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n") == b""
        for connection in crowd:
            connection.close()
        for _ in range(50):  # the server notices one after the other
            with suppress(OSError):
                if send(server, body()).status == 200:
                    break
        assert is_well(server)
