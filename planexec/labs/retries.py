"""Two retry loops round one request, and one gate round the same: how many requests arrive, and when.

The service is a counter that always gives the same answer. `client` retries as common client libraries do by default
(twice, what may pass); an application that puts a loop of its own round it multiplies the two. Every request is counted
where it arrives. Time is virtual.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from planexec.chat import Message, Price, Reply, ServiceError
from planexec.clock import VirtualClock
from planexec.failures import kind_of_status
from planexec.labs.lane_view import LaneView
from planexec.react_loop import react
from planexec.show.lanes import Lane, Mark

CLIENT_RETRIES = 2  # what the `openai` client does unless it is told otherwise
CLIENT_WAIT = 0.5  # its first wait, in seconds; doubled each time
APPLICATION_WAIT = 1.0  # the published loop waits 1, 2, 4 s, also after its last attempt


class Service:
    """A service that answers every request with the same HTTP status, and counts them on its clock."""

    def __init__(self, status: int = 503):
        self.status = status
        self.clock = VirtualClock()
        self.times: list[float] = []

    @property
    def requests(self) -> int:
        return len(self.times)

    def answer(self) -> str:
        """One request. 200 brings a text; everything else raises `ServiceError` with its class."""
        self.times.append(self.clock.now())
        if self.status == 200:
            return "well"
        raise ServiceError(f"HTTP {self.status}", kind_of_status(self.status), status=self.status)


def client(service: Service, retries: int = CLIENT_RETRIES) -> str:
    """One call of a client library: it asks again, `retries` times, when the failure may pass."""
    for attempt in range(retries + 1):
        try:
            return service.answer()
        except ServiceError as failure:
            if failure.kind != "transient" or attempt == retries:
                raise
            service.clock.wait(CLIENT_WAIT * 2**attempt)
    raise ValueError(f"retries is a number of 0 or more; got {retries}")


def application(service: Service, attempts: int = 3, retries: int = CLIENT_RETRIES) -> str:
    """The loop that articles put round the client: any error is worth another attempt; "" when all failed."""
    for attempt in range(attempts):
        try:
            return client(service, retries)
        except Exception:  # too much, on purpose: this is what is shown
            service.clock.wait(APPLICATION_WAIT * 2**attempt)
    return ""


class OneRequest:
    """A model that makes exactly one request a call, as this package's models do, and leaves the rest to the gate."""

    name = "one request"
    price: Price | None = None

    def __init__(self, service: Service):
        self.service = service

    def reply(self, messages: Sequence[Message], **options: Any) -> Reply:
        return Reply(self.service.answer())


def gate(service: Service) -> str:
    """The same call through this package's gate: attempts, waits and classes in one place. "" when it failed."""
    result = react("hello", OneRequest(service), clock=service.clock)
    return result.answer if result.complete else ""


@dataclass(frozen=True, repr=False)
class RetriesView(LaneView):
    """The same failing call, made in two ways: when each request arrived."""

    status: int
    lanes: tuple[Lane, ...]

    @property
    def requests(self) -> dict[str, int]:
        return {lane.name: len(lane.marks) for lane in self.lanes}

    @property
    def seconds(self) -> dict[str, float]:
        """Seconds that each spent waiting."""
        return {lane.name: round(sum(end - begin for begin, end in lane.waits), 1) for lane in self.lanes}

    @property
    def text(self) -> str:
        said = {name: f"{count} request{'s' if count > 1 else ''}" for name, count in self.requests.items()}
        each = (f"{name}: {words}, {self.seconds[name]:g} s waited" for name, words in said.items())
        return f"HTTP {self.status}: {'; '.join(each)}"

    @property
    def title(self) -> str:
        return f"One call, HTTP {self.status}: " + ", ".join(f"{name} {n}" for name, n in self.requests.items())


def retries(status: int = 503, attempts: int = 3, client_retries: int = CLIENT_RETRIES) -> RetriesView:
    """One call to a service that always answers `status`: by an application's loop of `attempts` round a client that
    retries `client_retries` times, and by the gate with its default of three attempts.
    """
    ways: dict[str, Callable[[Service], str]] = {
        "two loops": lambda service: application(service, attempts, client_retries),
        "one gate": gate,
    }
    return RetriesView(status, tuple(_lane(name, status, way) for name, way in ways.items()))


def _lane(name: str, status: int, way: Callable[[Service], str]) -> Lane:
    service = Service(status)
    way(service)
    kind = "found" if status == 200 else "failed"
    ends = [*service.times[1:], service.clock.now()]
    waits = tuple((begin, end) for begin, end in zip(service.times, ends, strict=True) if end > begin)
    return Lane(name, tuple(Mark(at, kind, f"HTTP {status}") for at in service.times), waits)
