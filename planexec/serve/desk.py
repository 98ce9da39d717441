"""From a request's bytes to what is answered, without a network: rules first, then faults, then the model.

The HTTP side (`http.py`) brings the bytes and sends what comes back. A model is asked in a thread of its own, so that
one that takes its time holds up nobody else.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeVar

from planexec.chat import Model, Reply, ServiceError
from planexec.models.prices import rate_of
from planexec.serve import bocha, faults
from planexec.serve.answers import completion, events
from planexec.serve.asked import Asked
from planexec.serve.book import Book
from planexec.serve.faults import Canned, Fault
from planexec.serve.profiles import ServiceProfile
from planexec.serve.refusal import Refusal
from planexec.serve.rules import first_refusal
from planexec.tools import Tool

T = TypeVar("T")
MODELS_AT_WORK = 8  # model calls carried out at the same time; the others wait their turn
NOTHING = Canned(0, {}, ())
ERROR_STATUS = {"transient": 503, "person": 401, "permanent": 400}


@dataclass(frozen=True)
class Answer:
    """What is sent, and how. `outcome`: for the book. `fault`: what the sending itself has to get wrong."""

    whole: Canned
    outcome: str
    fault: Fault = faults.OK
    refusal: Refusal | None = None


@dataclass
class Desk:
    """Everything the endpoints share. `on` and `search_on`: the rules of each endpoint, in order, and which are on."""

    model: Model | None
    profile: ServiceProfile
    search_profile: ServiceProfile
    on: Mapping[str, bool]
    search_on: Mapping[str, bool]
    key: str
    book: Book
    search: bocha.Search | Tool | None = None
    lang: str = "en"
    context_tokens: int = 1_000_000
    usd_per_search: float = 0.0
    threads: set[threading.Thread] = field(default_factory=set)

    @cached_property
    def turns(self) -> asyncio.Semaphore:
        return asyncio.Semaphore(MODELS_AT_WORK)

    @cached_property
    def pages(self) -> bocha.Search:
        """The search, made on first use."""
        return bocha.searcher(self.search, self.lang)

    def asked(self, profile: ServiceProfile, raw: bytes, authorization: str, in_flight: int = 1) -> Asked:
        return Asked(
            profile,
            raw,
            authorization,
            key=self.key,
            own_name=str(getattr(self.model, "name", "")),
            balance_usd=self.book.balance_usd,
            in_flight=in_flight,
            most_in_flight=self.book.most_in_flight,
            context_tokens=self.context_tokens,
        )

    # ---------------------------------------------------------------------------------------- the endpoints

    async def chat(self, raw: bytes, authorization: str, in_flight: int, number: int) -> Answer:
        """One chat-completions request."""
        asked = self.asked(self.profile, raw, authorization, in_flight)
        return await self._handled(asked, self.on, lambda: self._completed(asked, number))

    async def web_search(self, raw: bytes, authorization: str, in_flight: int) -> Answer:
        """One search request."""
        asked = self.asked(self.search_profile, raw, authorization, in_flight)
        return await self._handled(asked, self.search_on, lambda: self._searched(asked))

    def models(self, authorization: str) -> Answer:
        """The list of models: for the key that may use them."""
        asked = self.asked(self.profile, b"", authorization)
        if refused := first_refusal(asked, {"auth": self.on.get("auth", True)}):
            return _refused(refused)
        listed = [{"id": name, "object": "model", "owned_by": self.profile.family} for name in asked.model_names]
        return Answer(_json(200, {"object": "list", "data": listed}), "answered")

    async def _handled(self, asked: Asked, on: Mapping[str, bool], work: Callable[[], dict[str, Any]]) -> Answer:
        """Refused, or failed as ordered, or `work` done and sent, spoilt as ordered."""
        if refused := first_refusal(asked, on):
            return _refused(refused)
        fault = self.book.next_fault(asked.profile is self.search_profile)
        outcome = "answered" if fault.name == "ok" else f"fault {fault.name}"
        if whole := faults.canned(fault, asked.profile):
            return Answer(whole, outcome, fault)
        if fault.name == "silence":
            return Answer(NOTHING, outcome, fault)
        async with self.turns:
            done = await self._in_thread(work)
        if isinstance(done, BaseException):
            return _failed(done, asked.profile)
        return Answer(_sent(faults.spoilt(fault, done), asked), outcome, fault)

    # ---------------------------------------------------------------------------------------- the work

    def _completed(self, asked: Asked, number: int) -> dict[str, Any]:
        """Ask the model; the whole body of its answer."""
        assert self.model is not None
        choice = asked.body.get("tool_choice") or "auto"
        if isinstance(choice, dict):
            function = choice.get("function")
            choice = str(function.get("name")) if isinstance(function, dict) else "auto"
        reply = self.model.reply(
            [message for _, message in asked.messages],
            tools=[tool for _, tool in asked.tools],
            tool_choice=choice,
            max_tokens=asked.room,
            thinking=asked.thinking,
        )
        body = completion(asked, reply, number)
        self.book.spend(_usd(asked.answering_model, reply, body["usage"]))
        return body

    def _searched(self, asked: Asked) -> dict[str, Any]:
        from planexec.worlds.research import DATE

        body = bocha.respond(asked.body, self.pages, DATE)
        self.book.spend(self.usd_per_search)
        return body

    async def _in_thread(self, work: Callable[[], T]) -> T | BaseException:
        """What `work()` returns or raises, done in a thread that ends with the process at the latest."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T | BaseException] = loop.create_future()

        def settle(value: T | BaseException) -> None:
            if not future.done():
                future.set_result(value)

        def carry_out() -> None:
            try:
                value: T | BaseException = work()
            except BaseException as problem:  # a script that has run out is no `Exception`
                value = problem
            with suppress(RuntimeError):  # the server was stopped meanwhile: nobody waits any more
                loop.call_soon_threadsafe(settle, value)

        thread = threading.Thread(target=carry_out, daemon=True, name="planexec-serve-model")
        self.threads = {thread, *(each for each in self.threads if each.is_alive())}
        thread.start()
        return await future


def _usd(model: str, reply: Reply, usage: Mapping[str, int]) -> float:
    """What an answer costs: what the model says, else by the table of prices, else nothing."""
    if reply.usage.usd is not None:
        return reply.usage.usd
    rate = rate_of(model)
    return rate.usd(usage["prompt_tokens"], usage["completion_tokens"]) if rate else 0.0


def _sent(body: dict[str, Any], asked: Asked) -> Canned:
    if asked.body.get("stream") is True and "choices" in body:
        pieces = tuple(event.encode() for event in events(body, asked))
        return Canned(200, {"content-type": "text/event-stream; charset=utf-8"}, pieces, events=True)
    return _json(200, body)


def _json(status: int, body: Any, headers: Mapping[str, str] = MappingProxyType({})) -> Canned:
    return Canned(status, {"content-type": "application/json", **headers}, (bocha.encoded(body),))


def _refused(refused: Refusal) -> Answer:
    whole = Canned(refused.status, refused.headers, (refused.wired(),))
    return Answer(whole, f"refused {refused.rule}", refusal=refused)


def _failed(problem: BaseException, profile: ServiceProfile) -> Answer:
    """The model or the search behind the server failed: its status where it has one, else 500."""
    words, status, wait = f"{type(problem).__name__}: {problem}", 500, None
    if isinstance(problem, ServiceError):
        words, status, wait = str(problem), problem.status or ERROR_STATUS[problem.kind], problem.retry_after
    error = {"message": words, "type": "server_error" if status >= 500 else "invalid_request_error", "param": None}
    body = {"code": str(status), "message": words} if profile.family == "bocha" else {"error": {**error, "code": None}}
    headers = {} if wait is None else {"retry-after": f"{wait:g}"}
    return Answer(_json(status, body, headers), f"failed: {words[:200]}")
