"""The local server among others: many clients, clients that leave, other servers, a busy loop; a clean end."""

from __future__ import annotations

import asyncio
import gc
import http.client
import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest
from serving import HELLO, TALK, body, send, serve

from planexec.chat import user
from planexec.models.scripted import ScriptedModel, says
from planexec.serve import start
from planexec.serve.book import KEPT, KEPT_BYTES, Book, Request

POST = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"


def test_many_clients_at_once_get_each_their_own_answer() -> None:
    marks = [f"mark-{number}" for number in range(120)]
    with serve(model=ScriptedModel(lambda messages, tools: says(messages[-1]["content"]))) as server:
        with ThreadPoolExecutor(16) as pool:
            came = list(pool.map(lambda mark: send(server, body(messages=[user(mark)])).message["content"], marks))
        assert came == marks
        assert sorted(request.number for request in server.requests) == list(range(1, 121))


@pytest.mark.parametrize(
    ("profile", "words"),
    [("deepseek", "Your current concurrency is 3, which exceeds"), ("openai", "Rate limit reached")],
)
def test_a_request_above_the_limit_of_requests_at_once_is_refused_and_one_at_it_is_not(
    profile: str, words: str
) -> None:
    release, arrived = threading.Event(), threading.Semaphore(0)

    def held(messages: Any, tools: Any) -> Any:
        arrived.release()
        assert release.wait(20)
        return says("Rain.")

    with serve(profile, ScriptedModel(held), most_in_flight=2) as server:
        came: list[int] = []
        asking = [threading.Thread(target=lambda: came.append(send(server, body(profile)).status)) for _ in range(2)]
        for thread in asking:
            thread.start()
        assert arrived.acquire(timeout=20) and arrived.acquire(timeout=20)
        refused = send(server, body(profile))
        release.set()
        for thread in asking:
            thread.join()
        assert (refused.status, refused.error["message"][: len(words)], came) == (429, words, [200, 200])
        limits = [name for name in refused.headers if name.startswith(("x-ratelimit", "retry-after"))]
        assert bool(limits) == (profile == "openai")  # the other service sends none
        assert send(server, body(profile)).status == 200


def test_a_client_that_hangs_up_is_no_trouble() -> None:
    with serve(faults=["silence", "keep-alive=20", "slow=5"]) as server:
        for stream in (False, False, True):
            content = json.dumps(body(stream=stream)).encode()
            head = f"{POST}Authorization: Bearer {server.key}\r\nContent-Length: {len(content)}\r\n\r\n"
            with socket.create_connection(("127.0.0.1", server.port), 10) as connection:
                connection.sendall(head.encode() + content)
        assert send(server, body()).status == 200 and server.problems == []


def test_two_servers_at_once_know_nothing_of_each_other() -> None:
    with serve(key="sk-11111111") as one, serve("openai", key="sk-22222222") as other:
        assert send(one, body()).status == send(other, body("openai")).status == 200
        assert send(other, body("openai"), key=one.key).status == 401
        assert (len(one.requests), len(other.requests), one.refusals) == (1, 2, [])


def test_a_port_in_use_is_an_error_that_the_caller_sees() -> None:
    with serve() as server, pytest.raises(OSError, match=r"[Aa]ddress already in use|10048"):
        serve(port=server.port)


def test_stopping_leaves_no_thread_no_socket_and_no_port() -> None:
    before = set(threading.enumerate())
    server = serve(faults=["silence", "keep-alive=60"])
    with socket.create_connection(("127.0.0.1", server.port), 10) as idle:
        waiting = [threading.Thread(target=lambda: suppressed(lambda: send(server, body()))) for _ in range(2)]
        for thread in waiting:
            thread.start()
        while len(server.requests) < 2:
            assert all(thread.is_alive() for thread in waiting)
        server.stop()
        server.stop()
        for thread in waiting:
            thread.join(10)
        assert idle.recv(10) == b""
    assert not set(threading.enumerate()) - before  # one that another test left may have ended meanwhile
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", server.port), 1)
    assert "stopped" in repr(server)
    gc.collect()  # a loop or socket left open would be reported here


def suppressed(call: Any) -> None:
    with suppress(OSError, http.client.HTTPException):  # the connection is closed under it, which is what is tested
        call()


@pytest.mark.parametrize("name", ["HTTP_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"])
def test_proxies_in_the_environment_do_not_stand_between(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "http://127.0.0.1:9")  # nothing answers there
    with serve() as server:
        assert server.model().reply(HELLO).text


def test_a_server_runs_beside_a_loop_that_is_busy() -> None:
    async def cell() -> int:
        with start(ScriptedModel([says("Rain.")])) as server:
            return send(server, body()).status

    assert asyncio.run(cell()) == 200


def test_only_so_much_is_kept_of_what_was_asked() -> None:
    book = Book()
    for number in range(KEPT + 5):
        book.keep(Request(number, "POST", "/"))
    assert (len(book.requests), book.requests[0].number) == (KEPT, 5)
    for number in range(3):
        book.keep(Request(number, "POST", "/", b"x" * (KEPT_BYTES // 2)))
    assert sum(len(each.raw) for each in book.requests) == KEPT_BYTES


def test_nothing_of_the_talk_changes_on_its_way_to_the_model() -> None:
    model = ScriptedModel([says("Rain.")])
    with serve(model=model) as server:
        send(server, body(messages=TALK))
    assert model.requests[0]["messages"] == TALK
