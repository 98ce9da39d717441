"""The client: deadlines on real sockets, streams, proxies, and errors that say what to do."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from model_servers import ASK, SEARCH, RawServer, Service, chunk, completion, http
from pytest_httpserver import HTTPServer

from planexec.chat import Message, Price, ServiceError
from planexec.models.openai_model import OpenAIModel

Script = Callable[[socket.socket, threading.Event], None]
ANSWER = completion("It will rain.")
STREAM_HEAD = http("", "text/event-stream", -1)


def drip(head: bytes, drop: bytes, pause: float = 0.05) -> Script:
    """A server that keeps the connection alive with small drops, far longer than any test waits."""

    def script(connection: socket.socket, stop: threading.Event) -> None:
        connection.sendall(head)
        while not stop.wait(pause):
            connection.sendall(drop)

    return script


# ---------------------------------------------------------------------------------------- deadlines


@pytest.mark.parametrize(
    ("head", "drop", "stream"),
    [
        (http("", length=-1), b"\n", False),  # blank lines before a JSON body
        (STREAM_HEAD, b": keep-alive\n\n", True),
        (STREAM_HEAD, b"data: {}\n\n", True),
        (b"HTTP/1.1 200 OK\r\n", b"x-wait: 1\r\n", False),  # even the headers never end
    ],
)
def test_keep_alive_lines_do_not_stretch_the_deadline(head: bytes, drop: bytes, stream: bool) -> None:
    with RawServer(drip(head, drop)) as server:
        begun = time.monotonic()
        with pytest.raises(ServiceError, match="no complete answer within 0.3 s") as caught:
            server.model(0.3, stream=stream).reply(ASK)
        assert 0.3 <= time.monotonic() - begun < 1.3
        assert (caught.value.kind, server.requests) == ("transient", 1)


def test_an_answer_that_comes_in_time_after_keep_alive_lines_is_taken() -> None:
    def script(connection: socket.socket, stop: threading.Event) -> None:
        body = '{"choices": [{"message": {"content": "Rain."}, "finish_reason": "stop"}]}'
        connection.sendall(http("\n\n" + body))

    with RawServer(script) as server:
        assert server.model(5.0).reply(ASK, timeout=None).text == "Rain."


def test_a_hanging_stream_shows_what_came_and_is_cut() -> None:
    def script(connection: socket.socket, stop: threading.Event) -> None:
        connection.sendall(STREAM_HEAD + chunk(content="It will ").encode())
        stop.wait(30)

    shown: list[str] = []
    with RawServer(script) as server, pytest.raises(ServiceError, match="no complete answer within 0.3 s"):
        server.model(0.3, on_text=shown.append).reply(ASK)
    assert shown == ["It will "]


def test_every_thread_has_its_own_deadline() -> None:
    waited: dict[float, float] = {}
    with RawServer(drip(http("", length=-1), b"\n")) as server:
        model = server.model(60.0)

        def ask(seconds: float) -> None:
            begun = time.monotonic()
            with pytest.raises(ServiceError, match=f"within {seconds} s"):
                model.reply(ASK, timeout=seconds)
            waited[seconds] = time.monotonic() - begun

        threads = [threading.Thread(target=ask, args=(seconds,)) for seconds in (0.2, 0.4, 0.6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(waited) == [0.2, 0.4, 0.6] and all(s <= passed < s + 0.5 for s, passed in waited.items())


@pytest.mark.parametrize(
    "sent", [http('{"choices": [', length=500), STREAM_HEAD + chunk(content="It wi").encode(), b""]
)
def test_a_connection_lost_in_the_middle_is_transient(sent: bytes) -> None:
    server = RawServer(lambda connection, stop: connection.sendall(sent))
    with server, pytest.raises(ServiceError, match="lost") as caught:
        server.model(5.0).reply(ASK)
    assert (caught.value.kind, server.requests) == ("transient", 1)


def test_an_endless_answer_is_given_up() -> None:
    def script(connection: socket.socket, stop: threading.Event) -> None:
        connection.sendall(http("", length=-1))
        while not stop.is_set():
            connection.sendall(b" " * 2**20)

    with RawServer(script) as server, pytest.raises(ServiceError, match="larger than 16 MiB") as caught:
        server.model(30.0).reply(ASK)
    assert caught.value.kind == "permanent"


# ---------------------------------------------------------------------------------------- streams


def test_text_is_shown_as_it_comes_with_thoughts_and_usage_apart(httpserver: HTTPServer) -> None:
    usage = 'data: {"choices": [], "usage": {"prompt_tokens": 20, "completion_tokens": 9}}\n\n'
    pieces = [chunk(reasoning_content=""), ": keep-alive\n\n", chunk(reasoning_content="Clouds.")]
    pieces += [chunk(content="It "), chunk(content="will "), chunk("stop", content="rain."), usage, "data: [DONE]\n\n"]
    service, shown = Service(httpserver, {"stream": pieces}), list[str]()
    reply = service.model(on_text=shown.append).reply(ASK)
    assert (shown, reply.text, reply.reasoning) == (["It ", "will ", "rain."], "It will rain.", "Clouds.")
    assert (reply.finish, reply.usage.prompt_tokens, reply.usage.completion_tokens) == ("stop", 20, 9)
    assert (service.bodies[0]["stream"], service.bodies[0]["stream_options"]) == (True, {"include_usage": True})


def test_streamed_calls_are_put_together(httpserver: HTTPServer) -> None:
    def piece(index: int, arguments: str, **named: Any) -> str:
        function = {"arguments": arguments} | ({"name": named["name"]} if named else {})
        return chunk(tool_calls=[{"index": index, "function": function} | ({"id": named["id"]} if named else {})])

    pieces = [piece(0, "", id="a", name="search"), piece(0, '{"q": '), piece(1, '{"q": "snow"}', id="b", name="search")]
    stream = {"stream": [*pieces, piece(0, '"rain"}'), chunk("tool_calls"), "data: [DONE]\n\n"]}
    reply = Service(httpserver, stream).model(stream=True).reply(ASK, tools=(SEARCH,))
    assert [(call.id, call.args) for call in reply.tool_calls] == [("a", {"q": "rain"}), ("b", {"q": "snow"})]


def test_letters_split_between_chunks_arrive_whole() -> None:
    def script(connection: socket.socket, stop: threading.Event) -> None:
        for byte in (
            STREAM_HEAD + (chunk("stop", content="会下雨。") + "data: [DONE]\n\n").replace("\n", "\r\n").encode()
        ):
            connection.sendall(bytes([byte]))

    shown: list[str] = []
    with RawServer(script) as server:
        assert server.model(5.0, on_text=shown.append).reply(ASK).text == "".join(shown) == "会下雨。"


# ---------------------------------------------------------------------------------------- where it goes


def test_proxies_of_the_environment_leave_this_machine_alone(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # nobody answers there
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    service = Service(httpserver, ANSWER, ANSWER)
    for host in ("127.0.0.1", "localhost"):
        model = OpenAIModel("m", f"http://{host}:{httpserver.port}/v1", timeout=5.0)
        assert model.reply(ASK).text == "It will rain."
    assert len(service.bodies) == 2


def test_proxies_of_the_environment_are_used_for_other_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    body = '{"choices": [{"message": {"content": "From the proxy."}, "finish_reason": "stop"}]}'
    with RawServer(lambda connection, stop: connection.sendall(http(body))) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        monkeypatch.setenv("HTTP_PROXY", proxy.url.removesuffix("/v1"))
        model = OpenAIModel("m", "http://service.invalid/v1", timeout=5.0)
        assert (model.reply(ASK).text, proxy.requests) == ("From the proxy.", 1)


def test_nobody_there_and_no_such_host(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(ServiceError, match=f"Nothing answers at 127.0.0.1:{port}: is the server running") as caught:
        OpenAIModel("m", f"http://127.0.0.1:{port}/v1").reply(ASK)
    assert caught.value.kind == "transient"

    def unknown(*given: Any, **options: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ServiceError, match="No host named no.such.invalid was found") as other:
        OpenAIModel("m", "http://no.such.invalid/v1").reply(ASK)
    assert other.value.kind == "transient"


# ---------------------------------------------------------------------------------------- how it is made


@pytest.mark.parametrize("url", ["localhost:8000/v1", "ftp://host/v1", "http://", "file:///etc/passwd"])
def test_an_address_that_is_none_is_an_error_at_once(url: str) -> None:
    with pytest.raises(ValueError, match="begins with http:// or https://"):
        OpenAIModel("m", url)


def test_a_model_nobody_knows_needs_an_address() -> None:
    with pytest.raises(ValueError, match="where is 'm' served\\? Give base_url="):
        OpenAIModel("m")


def test_a_key_with_letters_no_key_has_is_refused_without_showing_it() -> None:
    with pytest.raises(ServiceError, match="copy it again") as caught:
        OpenAIModel("m", "http://127.0.0.1:9/v1", api_key="sk-“0a1b2c3d”")
    assert "0a1b" not in str(caught.value)


def test_too_many_tools_and_half_a_letter(httpserver: HTTPServer) -> None:
    service = Service(httpserver, ANSWER)
    with pytest.raises(ServiceError, match="at most 128 tools in a request, not 129"):
        service.ask(tools=[SEARCH] * 129)
    broken: list[Message] = [*ASK, {"role": "user", "content": "rain \ud83c"}]
    assert service.ask(messages=broken).text == "It will rain."
    assert (len(service.bodies), service.bodies[0]["messages"][2]["content"]) == (1, "rain ?")


def test_price_given_listed_free_and_unknown() -> None:
    at = "http://127.0.0.1:9/v1"
    assert OpenAIModel("m", at).price is None
    assert OpenAIModel("m", at, price=Price(1, 2)).price == Price(1, 2)
    assert OpenAIModel("deepseek-v4-flash", at).price == Price(0.30, 1.20)  # an alias, at the peak rate
    assert OpenAIModel("m", "http://localhost:11434/v1").price == Price()
