"""The failures lab: six prices from a service that fails, and what attempts, waits and a second tool make of it.

Time is the run's virtual clock. The service is ours: it fails in the share of requests that the dial says. What is
tried again, after which wait, and what takes over is decided by the gate, as in every run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from planexec.chat import ServiceError, ToolCall
from planexec.clock import VirtualClock
from planexec.failures import FIRST_WAIT, LONGEST_ASKED, kind_of_status
from planexec.journal import Journal, Record
from planexec.labs.lane_view import LaneView
from planexec.labs.piles import Pile, checked, grown
from planexec.limits import Limits
from planexec.run import Run
from planexec.show.lanes import Lane, Mark
from planexec.tools import Observation, empty, failed, found, tool

if TYPE_CHECKING:
    from planexec.labs.panel import Panel
    from planexec.show.picture import Picture

PRODUCTS = ("Alder Desk", "Birch Desk", "Cedar Desk", "Elm Desk", "Fir Desk", "Larch Desk")  # invented
LIVE, LIST = "live_price", "price_list"
SECONDS, TIMEOUT_SECONDS = 0.3, 10.0  # what an answer takes, and after how long a silent service is given up
SHOWN, AT_ONCE = (20, 200), 10  # seeds after which there is a new picture; those of one slice
Counts = tuple[int, int, float]  # requests, calls answered, seconds waited
KINDS = ("503", "429", "408", "time-out", "401", "404", "nothing found")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one call: how many requests, seconds waited between them, and in words what was decided."""

    product: str
    kind: str
    requests: int
    waited: float
    decided: str


@dataclass(frozen=True, repr=False)
class FailuresView(LaneView):
    """Six calls on the clock: each request, each wait, and what was decided. `seeds`: the counts of many such hours."""

    setting: str
    outcomes: tuple[Outcome, ...]
    lanes: tuple[Lane, ...]
    seeds: tuple[Counts, ...] = ()
    axis = "seconds on the run's clock"

    @property
    def requests(self) -> int:
        return sum(each.requests for each in self.outcomes)

    @property
    def answered(self) -> int:
        return sum(each.kind == "found" for each in self.outcomes)

    @property
    def waited(self) -> float:
        """Seconds spent waiting between attempts."""
        return round(sum(each.waited for each in self.outcomes), 1)

    @property
    def text(self) -> str:
        """What it came to, in one sentence."""
        counts = f"{self.requests} requests for {len(self.outcomes)} calls, {self.waited:g} s waited"
        many = f"; {self._on_average}" if self.seeds else ""
        return f"{self.setting}: {counts}, {self.answered} answered{many}"

    @property
    def _on_average(self) -> str:
        """over 200 seeds: 12.1 requests, 9.3 s waited, 4.9 answered"""
        requests, answered, waited = (sum(each) / len(self.seeds) for each in zip(*self.seeds, strict=True))
        counts = f"{requests:.1f} requests, {waited:.1f} s waited, {answered:.1f} answered"
        return f"over {len(self.seeds)} seeds: {counts}"

    @property
    def table(self) -> str:
        """One line a call: what was tried, and why no more than that; then what it comes to on average."""
        lines = [f"{each.product:<12} {each.kind:<7} {each.decided}" for each in self.outcomes]
        return "\n".join([*lines, *([self._on_average] if self.seeds else [])])

    @property
    def title(self) -> str:
        return f"{self.requests} requests, {self.waited:g} s waited: {self.answered} of {len(self.outcomes)} answered"


def failures(
    kind: str = "503",
    rate: float = 0.6,
    down: float = 0.0,
    attempts: int = 3,
    first_wait: float = FIRST_WAIT,
    retry_after: float = 0.0,
    fallback: bool = False,
    seed: int = 0,
    *,
    runs: int = 0,
) -> FailuresView:
    """Ask for six prices while the share `rate` (0 to 1) of requests fails with `kind` (see `KINDS`).

    `down`: for so many seconds from the start every request fails. `attempts`: of one call, the first included.
    `first_wait`: seconds before the second attempt, doubled each time. `retry_after`: seconds that a busy service
    (429, 503) asks for; 0 = it does not ask. `fallback`: a second tool takes over. `runs` (0 to 200): so many times
    more, with the seeds 0, 1, 2 and so on. Errors: ValueError for what is none of these.
    """
    held = (kind, rate, down, attempts, first_wait, retry_after, fallback)
    view = _once(*held, seed)
    return replace(view, seeds=_many(*held).first(runs)) if checked(runs, SHOWN[-1]) else view


@lru_cache(maxsize=32)
def _many(
    kind: str, rate: float, down: float, attempts: int, first_wait: float, retry_after: float, fallback: bool
) -> Pile[Counts]:
    def counts(seed: int) -> Counts:
        view = _once(kind, rate, down, attempts, first_wait, retry_after, fallback, seed)
        return view.requests, view.answered, view.waited

    return Pile(counts)


def growing(**dials: Any) -> Iterator[dict[str, Any] | None]:
    """The counts of `failures` for a panel; they depend on every dial but the seed."""
    held = (dials[name] for name in ("kind", "rate", "down", "attempts", "first_wait", "retry_after", "fallback"))
    return grown(_many(*held), SHOWN, AT_ONCE)


def _once(
    kind: str,
    rate: float,
    down: float,
    attempts: int,
    first_wait: float,
    retry_after: float,
    fallback: bool,
    seed: int,
) -> FailuresView:
    """The six calls with one seed."""
    if kind not in KINDS or not 0 <= rate <= 1:
        raise ValueError(f"kind is one of {', '.join(KINDS)}, rate a number from 0 to 1; got {kind!r}, {rate!r}")
    journal, limits = Journal(), Limits.none().with_(max_attempts=attempts)
    clock = VirtualClock()

    def fails(product: str, request: int) -> bool:
        return round(clock.now(), 6) < down or _share(seed, product, request) < rate

    live = tool(name=LIVE, description="Today's price.", fallback=LIST if fallback else "")
    tools = [live(_service(fails, kind, retry_after))]
    tools += [tool(name=LIST, description="The price in the printed list.")(_price_list)] if fallback else []
    settings: dict[str, Any] = {"clock": clock, "seed": seed, "first_wait": first_wait}
    run = Run("prices", tools=tools, limits=limits, guards=(), journal=journal, **settings)
    for number, product in enumerate(PRODUCTS, 1):
        run.tools([ToolCall(f"call-{number}", LIVE, {"product": product})])
    share = f"{kind} in {rate:.0%} of requests" if not down else _down(kind, rate, down)
    return _view(f"{share}, {attempts} attempts at most", journal.records())


def _down(kind: str, rate: float, down: float) -> str:
    """_down("503", 0, 3) -> "503 in every request of the first 3 s, then in none" """
    return f"{kind} in every request of the first {down:g} s, then in {f'{rate:.0%}' if rate else 'none'}"


def compared(views: Mapping[str, FailuresView], down: float) -> Picture:
    """The six calls of each view in one row, all on one axis; a line stands where the service is back, after `down` s.

    A mark stands where an answer arrives; dotted is waiting.
    """
    from planexec.show.lanes import lanes_picture

    lanes = []
    for name, view in views.items():
        marks = sorted((mark for lane in view.lanes for mark in lane.marks), key=lambda mark: mark.at)
        waits = sorted(wait for lane in view.lanes for wait in lane.waits)
        lanes.append(Lane(name, tuple(marks), tuple(waits)))
    said = (f"{name} {view.answered} of {len(view.outcomes)} answered" for name, view in views.items())
    return lanes_picture(lanes, f"Down for {down:g} s: {', '.join(said)}", FailuresView.axis, line_at=down)


def panel() -> Panel:
    """The lab with live dials."""
    from planexec.labs.panel import Dial, Panel

    dials = (
        Dial("kind", "503", options=KINDS, label="how it fails"),
        Dial("rate", 0.6, 0, 1, 0.05, label="share of requests that fail"),
        Dial("down", 0.0, 0, 20, 1, label="down for the first, s"),
        Dial("attempts", 3, 1, 6, label="attempts of a call"),
        Dial("first_wait", FIRST_WAIT, 0, 4, 0.5, label="first wait, s"),
        Dial("retry_after", 0.0, 0, 150, 5, label="the service asks for, s"),
        Dial("fallback", False, options=(True, False), label="a second tool takes over"),
        Dial("seed", 0, 0, 99),
    )
    return Panel(failures, dials, refine=growing)


# ------------------------------------------------------------------------------------------------- the service


def _service(fails: Callable[[str, int], bool], kind: str, retry_after: float) -> Callable[[str], Observation]:
    """Today's price of a product; `fails` decides about the n-th request for it."""
    asked: dict[str, int] = {}

    def live_price(product: str) -> Observation:
        asked[product] = asked.get(product, 0) + 1
        if fails(product, asked[product]):
            return _failure(kind, retry_after)
        return found(f"{product}: {_price(product)} yuan today", seconds=SECONDS)

    return live_price


def _price_list(product: str) -> Observation:
    return found(f"{product}: {_price(product)} yuan, as printed last year", seconds=SECONDS)


def _failure(kind: str, retry_after: float) -> Observation:
    """One way to fail. What a status means, and whether it may pass, is looked up where every run looks it up."""
    if kind == "nothing found":
        return empty(seconds=SECONDS)
    if kind == "time-out":
        return failed(f"no answer within {TIMEOUT_SECONDS:g} s", "transient", seconds=TIMEOUT_SECONDS)
    status = int(kind)
    asks = retry_after if retry_after and status in (429, 503) else None
    error = ServiceError(f"HTTP {status}", kind_of_status(status), retry_after=asks, status=status)
    error.seconds = SECONDS  # type: ignore[attr-defined]
    raise error


def _share(*parts: object) -> float:
    """A number from 0 to 1 that depends on nothing but `parts`."""
    text = ":".join(map(str, parts))
    return int.from_bytes(blake2b(text.encode(), digest_size=4).digest(), "big") / 2**32


def _price(product: str) -> int:
    return 1_000 + round(1_000 * _share(product))


# ------------------------------------------------------------------------------------------------- the view


def _view(setting: str, records: list[Record]) -> FailuresView:
    """The journal of the six calls on a time axis: a lane for each product, and one for the second tool."""
    marks: dict[str, list[Mark]] = {product: [] for product in PRODUCTS}
    waits: dict[str, list[tuple[float, float]]] = {product: [] for product in PRODUCTS}
    second: list[Mark] = []
    seen: dict[str, list[Record]] = {product: [] for product in PRODUCTS}
    now, product = 0.0, PRODUCTS[0]
    for record in records:
        begun, now = now, now + record.seconds
        if record.kind == "wait":
            waits[product].append((begun, now))
            continue
        product = str((record.request["args"] or {})["product"])
        observation = Observation.from_dict((record.result or {})["observation"])
        (second if record.name == LIST else marks[product]).append(Mark(now, observation.kind, observation.text))
        seen[product].append(record)
    lanes = [Lane(name, tuple(marks[name]), tuple(waits[name])) for name in PRODUCTS]
    lanes += [Lane(f"{LIST} (second tool)", tuple(second))] if second else []
    outcomes = [_outcome(name, seen[name], sum(end - begin for begin, end in waits[name])) for name in PRODUCTS]
    return FailuresView(setting, tuple(outcomes), tuple(lanes))


def _outcome(product: str, records: list[Record], waited: float) -> Outcome:
    tried = [record for record in records if record.name == LIVE]
    replaced = len(records) > len(tried)
    last = Observation.from_dict((tried[-1].result or {})["observation"])
    kind = "found" if replaced else last.kind
    return Outcome(product, kind, len(records), waited, _decided(last, len(tried), replaced))


def _decided(last: Observation, tried: int, replaced: bool) -> str:
    """What was decided about a call whose `tried`-th request brought `last`."""
    if last.kind == "empty":
        return "nothing there: an answer, not a failure"
    if last.kind == "found":
        return "answered at once" if tried == 1 else f"answered at attempt {tried}"
    end = "the second tool answered" if replaced else "reported as failed"
    return f"{last.text}: {_why_no_more(last, tried)}; {end}"


def _why_no_more(last: Observation, tried: int) -> str:
    if last.failure == "person":
        return "a person has to act first, not repeated"
    if last.failure == "permanent":
        return "it would fail again, not repeated"
    if last.retry_after is not None and last.retry_after > LONGEST_ASKED:
        return f"it asks to wait {last.retry_after:g} s, longer than is worth it"
    return "it may pass, tried once" if tried == 1 else f"it may pass, tried {tried} times"
