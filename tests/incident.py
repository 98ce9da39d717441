"""The loop that cost $12.30, on a virtual clock: a scripted policy that falls into the published cycle (facts C).

What is published: 238 model calls, 47:00 minutes, $12.30; steps 1 and 2 search two prices, step 3 fails on the network,
is retried, fails, is taken for missing data, and everything starts again from step 1. What is calibrated: each call is
given the same seconds and the same price, so that 238 of them take 47:00 and cost $12.30. Everything else follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from planexec import Limits, react, tool
from planexec.chat import Message, Price, Reply, ServiceError, ToolCall, Usage, assistant
from planexec.clock import VirtualClock
from planexec.gate import Event
from planexec.guards import DEFAULT_GUARDS, Guard

CALLS, SECONDS, DOLLARS = 238, 47 * 60, 12.30  # as published
PACE, PRICE = SECONDS / CALLS, DOLLARS / CALLS  # calibrated: one model call
QUESTION = "Compare the prices of A and B and write the competitor report."
CYCLE = (
    ("search_price", {"product": "A"}),
    ("search_price", {"product": "B"}),
    ("write_report", {"title": "A against B"}),
    ("write_report", {"title": "A against B"}),  # the retry; then "data must be missing", and from the start
)


@tool
def search_price(product: str) -> str:
    """Search the price of a product.

    Args:
        product: its name
    """
    return f"{product}: 100 yuan (2026-11-02)"


@tool
def write_report(title: str) -> str:
    """Compare and write the report.

    Args:
        title: of the report
    """
    raise ServiceError("network time-out while saving the report", "transient")


class Panicking:
    """Starts again from step 1 whenever step 3 fails; never looks at what it has already done."""

    name = "incident"
    price = Price(usd_per_call=PRICE)

    def __init__(self) -> None:
        self.turn = 0

    def reply(self, messages: Sequence[Message], *, tool_choice: str = "auto", **options: Any) -> Reply:
        usage = Usage(0, 0, PRICE, PACE)
        if tool_choice == "none":
            text = "Prices: A 100 yuan, B 100 yuan. Missing: the comparison could not be saved (network time-out)."
            return Reply(text, usage=usage, message=assistant(text))
        name, args = CYCLE[self.turn % len(CYCLE)]
        self.turn += 1
        call = ToolCall(f"call-{self.turn}", name, args)
        said = "The data is missing; I start again." if name == "search_price" and self.turn > 1 else ""
        text = str(args).replace("'", '"')
        return Reply(said, (call,), "tool_calls", usage, message=assistant(said, [call], [text]))


@dataclass(frozen=True)
class Ending:
    """How the incident ends under some setting."""

    reason: str
    model_calls: int
    minutes: str
    usd: float
    answer: str


class _Watcher(BaseException):
    """A person who looks at the clock after 47 minutes and pulls the plug."""


def run_incident(limits: Limits, guards: Sequence[Guard] = (), watched: bool = False) -> Ending:
    """The incident under `limits` and `guards`; `watched`: an observer stops it when 47:00 are over."""
    seen: dict[str, float] = {"calls": 0, "seconds": 0.0, "usd": 0.0}

    def watch(event: Event) -> None:
        seen["seconds"] += event.record.seconds
        if event.record.kind == "model" and event.record.result is not None:
            seen["calls"] += 1
            seen["usd"] += PRICE
            if watched and seen["seconds"] >= SECONDS - 1e-6:
                raise _Watcher

    try:
        tools = [search_price, write_report]
        result = react(QUESTION, Panicking(), tools, limits, guards=guards, clock=VirtualClock(), on_event=watch)
    except _Watcher:
        return Ending("stopped by a person", int(seen["calls"]), clock(seen["seconds"]), round(seen["usd"], 2), "")
    reason = result.stop.reason if result.stop else "complete"
    usage = result.usage
    return Ending(reason, usage.model_calls, clock(usage.seconds), round(usage.usd or 0.0, 2), result.answer)


def clock(seconds: float) -> str:
    """clock(2820) -> "47:00" """
    return f"{int(seconds + 1e-6) // 60}:{int(seconds + 1e-6) % 60:02d}"


OFF = Limits.none().with_(max_attempts=1)  # the agent of the incident retries by itself; the gate does not

SETTINGS: dict[str, tuple[Limits, Sequence[Guard], bool]] = {
    "nothing": (OFF, (), True),
    "max_steps = 30": (OFF.with_(max_steps=30), (), False),
    "max_model_calls = 50": (OFF.with_(max_model_calls=50), (), False),
    "max_tool_calls = 40": (OFF.with_(max_tool_calls=40), (), False),
    "max_seconds = 300": (OFF.with_(max_seconds=300.0), (), False),
    "max_usd = 1": (OFF.with_(max_usd=1.0), (), False),
    # How many tokens a call had was not published; one that bills none is charged what it could have used.
    "max_tokens = 100,000": (OFF.with_(max_tokens=100_000), (), False),
    # No brakes here: more attempts only make each round longer, and a loop without a plan never replans.
    "max_attempts = 3": (OFF.with_(max_attempts=3), (), True),
    "max_replans = 6": (OFF.with_(max_replans=6), (), True),
    "all six of the article": (Limits.article(), (), False),
    "counters and loop guard": (OFF, DEFAULT_GUARDS, True),
    "the defaults": (Limits(), DEFAULT_GUARDS, False),
}


def table() -> dict[str, Ending]:
    """Every setting and how it ends."""
    return {name: run_incident(*setting) for name, setting in SETTINGS.items()}


def printed(rows: dict[str, Ending]) -> str:
    lines = [f"{'setting':<26} {'ended by':<20} {'calls':>5} {'minutes':>8} {'dollars':>8}"]
    for name, end in rows.items():
        lines.append(f"{name:<26} {end.reason:<20} {end.model_calls:>5} {end.minutes:>8} {end.usd:>8.2f}")
    return "\n".join(lines)


if __name__ == "__main__":
    print(printed(table()))
