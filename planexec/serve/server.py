"""A server that runs beside the caller: `start()` returns when it can be reached, `stop()` when nothing is left of it.

    with start(SimulatedModel("articles"), profile="deepseek") as server:
        model = OpenAIModel("deepseek-flash", server.url, server.key, profile="deepseek")
        ...
        server.refusals

It has a thread and an event loop of its own, so it works in a notebook whose own loop is busy, and several at once.
"""

from __future__ import annotations

import asyncio
import ipaddress
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

from planexec.chat import Model
from planexec.serve import faults as fault_list
from planexec.serve.bocha import Search
from planexec.serve.book import Book, Request
from planexec.serve.desk import Desk
from planexec.serve.faults import Fault
from planexec.serve.profiles import named
from planexec.serve.refusal import Refusal
from planexec.serve.rules import switched
from planexec.tools import Tool

if TYPE_CHECKING:
    from planexec.models.openai_model import OpenAIModel

KEY = "sk-5e2f8a41c0d7"  # the key of a server that only this machine can reach; no secret
MAX_BODY = 8 * 2**20  # bytes of one request
PATIENCE = 30.0  # seconds a request may take to come in
STOPPING = 5.0  # seconds to wait for models that are at work


class Server:
    """A running server. Made by `start`. `url` is the base URL that clients want, `key` the only key it takes."""

    def __init__(self, desk: Desk, host: str, port: int, max_body: int, patience: float) -> None:
        self._desk, self._host, self._max_body, self._patience = desk, host, max_body, patience
        self._loop = asyncio.SelectorEventLoop()  # the kind that works alike on every system
        self._stopping: asyncio.Event | None = None
        self._ended = False
        self._problem: BaseException | None = None
        self.port = port
        ready = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(ready,), daemon=True, name="planexec-serve")
        self._thread.start()
        ready.wait()
        if self._problem is not None:
            self._thread.join()
            raise self._problem

    def __repr__(self) -> str:
        state = "stopped" if self._ended else "running"
        return f"<Server {self.url} as {self._desk.profile.name}, {state}, {self._desk.book.count} requests>"

    @property
    def url(self) -> str:
        """The base URL: http://127.0.0.1:PORT/v1"""
        host = "127.0.0.1" if self._host in ("", "0.0.0.0") else self._host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/v1"

    @property
    def search_url(self) -> str:
        """The address of the search endpoint."""
        return f"{self.url}/web-search"

    @property
    def key(self) -> str:
        return self._desk.key

    @property
    def refusals(self) -> list[Refusal]:
        """What was refused and how it was answered, the newest thousand: `.rule`, `.status`, `.message`, `.body`."""
        return self._desk.book.refusals

    @property
    def requests(self) -> list[Request]:
        """What was asked, the newest thousand: `.body`, `.status`, `.outcome`."""
        return self._desk.book.requests

    @property
    def problems(self) -> list[str]:
        """Mistakes of the server itself. There should be none."""
        return list(self._desk.book.problems)

    @property
    def balance_usd(self) -> float | None:
        """Dollars left on the account; None when none is kept."""
        return self._desk.book.balance_usd

    def add_faults(self, *faults: str | Mapping[str, Any] | Fault) -> None:
        """What is to go wrong with the requests to come, after what is already on the list."""
        self._desk.book.add_faults(fault_list.read(faults))

    def model(self, name: str | None = None, **options: Any) -> OpenAIModel:
        """A client of this server: its first model and its profile, unless told otherwise."""
        from planexec.models.openai_model import OpenAIModel

        profile = self._desk.profile
        if self._desk.model is None:
            raise ValueError("this server has no model; it only searches")
        options = {"profile": profile.name} | options
        return OpenAIModel(name or profile.models[0], self.url, self.key, **options)

    # ------------------------------------------------------------------------------------ its life

    def wait(self) -> None:
        """Until somebody stops the server or presses Ctrl-C."""
        while self._thread.is_alive():
            self._thread.join(0.5)  # not for ever in one go: that could not be interrupted on Windows

    def stop(self) -> None:
        """Close every connection and end the thread. May be called twice."""
        if self._ended or self._stopping is None:
            return
        self._ended = True
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join()
        until = time.monotonic() + STOPPING
        for thread in self._desk.threads:
            thread.join(max(0.0, until - time.monotonic()))

    def __enter__(self) -> Server:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def _run(self, ready: threading.Event) -> None:
        try:
            self._loop.run_until_complete(self._serve(ready.set))
        except BaseException as problem:  # an address in use: the caller has to hear of it
            self._problem = problem
        finally:
            self._loop.close()
            ready.set()

    async def _serve(self, ready: Callable[[], None]) -> None:
        from tornado.netutil import bind_sockets

        from planexec.serve.http import DRAINED, Bounded, application

        self._stopping = asyncio.Event()
        sockets = bind_sockets(self.port, self._host or None)
        self.port = sockets[0].getsockname()[1]
        app = application(self._desk, not _is_loopback(self._host), self._max_body, self._stopping)
        limits = {"max_body_size": max(DRAINED, self._max_body), "max_header_size": 65_536}
        waits = {"body_timeout": self._patience, "idle_connection_timeout": self._patience}
        server = Bounded(app, **limits, **waits)
        server.add_sockets(sockets)
        ready()
        await self._stopping.wait()
        server.stop()
        await server.close_all_connections()
        left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)


def start(
    model: Model | None = None,
    *,
    profile: str = "deepseek",
    port: int = 0,
    host: str = "127.0.0.1",
    key: str | None = None,
    rules: Mapping[str, bool] | None = None,
    faults: Iterable[str | Mapping[str, Any] | Fault] = (),
    search: Search | Tool | None = None,
    lang: str = "en",
    balance_usd: float | None = None,
    usd_per_search: float = 0.0,
    most_in_flight: int | None = None,
    context_tokens: int | None = None,
    max_body: int = MAX_BODY,
    patience: float = PATIENCE,
    watch: Callable[[Request, Refusal | None], None] | None = None,
) -> Server:
    """Serve `model` (anything with `reply`) as one of the services would, and web pages as Bocha would.

    `model` None: only the search. `profile`: "deepseek", "deepseek-2025", "openai" or "bocha". `port` 0: a free one.
    `host`: others than this machine's own names open the server to the network; a key is then made up unless given.
    `rules`: {"reasoning": False} switches a rule off, {"reasoning_every_turn": True} one on. `faults`: see faults.py.
    `search`: a function of the query that returns pages (title, url, date, source, summary), or a world's tool; by
    default the research world, in `lang`. `balance_usd`: what the account holds; None keeps none; the search costs
    `usd_per_search`. `most_in_flight`: requests at once; None as many as come. `context_tokens`: None = the
    profile's. `max_body`: bytes. `patience`: seconds a request may take to come in. `watch`: told of each request.
    Errors: ValueError for a setting that makes no sense, OSError for a port in use, ImportError without tornado.
    """
    from importlib.util import find_spec

    if find_spec("tornado") is None:
        raise ImportError("the local server needs the package tornado, which comes with Jupyter: pip install tornado")
    service, bocha = named(profile), named("bocha")
    changes = dict(rules or {})
    desk = Desk(
        model=model if service.models else None,
        profile=service,
        search_profile=bocha,
        on=switched(service, changes),
        search_on=switched(bocha, changes),
        key=key or (KEY if _is_loopback(host) else f"sk-{secrets.token_hex(12)}"),
        book=Book(fault_list.read(faults), balance_usd, most_in_flight, watch),
        search=search,
        lang=lang,
        context_tokens=context_tokens or service.context_tokens,
        usd_per_search=usd_per_search,
    )
    return Server(desk, host, port, max_body, patience)


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
