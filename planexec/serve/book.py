"""What the server keeps: its account (balance, requests in flight), what was asked, what was refused, what is to fail.

Everything is bounded: the newest thousand requests, within 16 MiB of bodies. No header is kept, so no key is.
Safe to read from any thread.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from planexec.models.service_errors import read_json
from planexec.serve.faults import OK, Fault
from planexec.serve.refusal import Refusal

KEPT = 1_000  # requests and refusals
KEPT_BYTES = 16 * 2**20  # of their bodies; the oldest are forgotten first


@dataclass(frozen=True, slots=True)
class Request:
    """One request, in order of arrival. `outcome`: "answered", "refused RULE", "fault NAME" or "failed: why"."""

    number: int
    method: str
    path: str
    raw: bytes = field(default=b"", repr=False)
    status: int = 0
    outcome: str = ""

    @property
    def body(self) -> Any:
        """The parsed body; None when it was not JSON."""
        return read_json(self.raw.decode("utf-8", "replace"))


class Book:
    """The server's memory. `balance_usd` None: nothing is charged."""

    def __init__(
        self,
        faults: Iterable[Fault] = (),
        balance_usd: float | None = None,
        most_in_flight: int | None = None,
        watch: Callable[[Request, Refusal | None], None] | None = None,
    ) -> None:
        self.watch = watch
        self._lock = threading.Lock()
        self._requests: deque[Request] = deque()
        self._bytes = 0
        self._refusals: deque[Refusal] = deque(maxlen=KEPT)
        self._faults = {False: deque[Fault](), True: deque[Fault]()}
        self.balance_usd, self.most_in_flight = balance_usd, most_in_flight
        self.in_flight = 0
        self.count = 0
        self.problems: deque[str] = deque(maxlen=20)  # mistakes of the server itself; there should be none
        self.add_faults(faults)

    def add_faults(self, faults: Iterable[Fault]) -> None:
        """Put more at the end of what is still to come."""
        with self._lock:
            for fault in faults:
                self._faults[fault.search].append(fault)

    def next_fault(self, search: bool) -> Fault:
        """The entry for this request, used up by it."""
        with self._lock:
            return self._faults[search].popleft() if self._faults[search] else OK

    @contextmanager
    def flight(self) -> Iterator[int]:
        """Count one request as long as it takes; gives how many there are with it."""
        with self._lock:
            self.in_flight += 1
            now = self.in_flight
        try:
            yield now
        finally:
            with self._lock:
                self.in_flight -= 1

    def number(self) -> int:
        """1 for the first request, and so on."""
        with self._lock:
            self.count += 1
            return self.count

    def spend(self, usd: float) -> None:
        with self._lock:
            if self.balance_usd is not None:
                self.balance_usd -= usd

    def keep(self, request: Request, refusal: Refusal | None = None) -> None:
        """Write one request down, when its fate is known; and with it why it was refused."""
        with self._lock:
            self._requests.append(request)
            self._bytes += len(request.raw)
            while len(self._requests) > KEPT or self._bytes > KEPT_BYTES:
                self._bytes -= len(self._requests.popleft().raw)
            if refusal is not None:
                self._refusals.append(replace(refusal, number=request.number, tail=""))
        if self.watch is not None:
            self.watch(request, refusal)

    @property
    def requests(self) -> list[Request]:
        with self._lock:
            return list(self._requests)

    @property
    def refusals(self) -> list[Refusal]:
        with self._lock:
            return list(self._refusals)
