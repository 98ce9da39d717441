"""C: the loop that cost $12.30, found by the model itself in the rivals world, and what stops it.

Published are 238 model calls, 47:00 minutes and $12.30, and the cycle: two prices, a report that times out, once more,
and all from the start. Calibrated is the pace: each model call is given the same seconds and dollars, such that 238 of
them with the tool calls between take 47:00 and cost $12.30. That the model falls into the cycle is the dial `panic`.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass

from planexec.gate import Event
from planexec.limits import Limits
from planexec.result import Result
from planexec.trials.engine import trials
from planexec.trials.pace import Pace
from planexec.trials.published.lines import PRESET, SEED, bare, line, lines
from planexec.trials.scenario import NO_LIMITS, Scenario, Setting, carry_out
from planexec.trials.table import Table
from planexec.worlds.rivals import SECONDS, TIMEOUT_SECONDS

CALLS, WORKING_SECONDS, DOLLARS = 238, 47 * 60, 12.30  # as published
CYCLE = ("search_price", "search_price", "write_report", "write_report")
_TAKES = {"search_price": SECONDS, "write_report": TIMEOUT_SECONDS}
_IN_TOOLS = sum(_TAKES[CYCLE[n % len(CYCLE)]] for n in range(CALLS - 1))  # between the first and the last model call
PACE = Pace((WORKING_SECONDS - _IN_TOOLS) / CALLS, DOLLARS / CALLS)
PANIC = {"panic": 1.0, "amnesia": 1.0}  # starts over whenever the report fails, after one retry
ENDLESS = Setting("nothing", PRESET, PANIC, limits=NO_LIMITS, guards=(), pace=PACE, last_word=False)
SETTINGS = (
    Setting("max_steps = 30", PRESET, PANIC, NO_LIMITS.with_(max_steps=30), (), pace=PACE),
    Setting("max_usd = 1", PRESET, PANIC, NO_LIMITS.with_(max_usd=1.0), (), pace=PACE),
    Setting("max_seconds = 300", PRESET, PANIC, NO_LIMITS.with_(max_seconds=300.0), (), pace=PACE),
    Setting("the six of the article", PRESET, PANIC, Limits.article(), (), pace=PACE),
    Setting("the counters", PRESET, PANIC, NO_LIMITS, pace=PACE),
    Setting("the defaults", PRESET, PANIC, pace=PACE),
)


def question(lang: str = "en", loop: str = "react") -> Scenario:
    return Scenario("rivals", "compare", lang, loop)


@dataclass(frozen=True)
class Watched:
    """What an observer saw until the run was stopped: model calls, seconds and dollars, and the tools called."""

    model_calls: int
    seconds: float
    usd: float
    tools: tuple[str, ...]

    @property
    def clock(self) -> str:
        """ "47:00" """
        return f"{int(self.seconds + 0.5) // 60}:{int(self.seconds + 0.5) % 60:02d}"


class _PlugPulled(BaseException):
    """A person who looks at the clock and has seen enough."""


def watched(seed: int = SEED, lang: str = "en", seconds: float = WORKING_SECONDS) -> Watched:
    """The run with nothing to hold it; an observer stops it when `seconds` are over."""
    seen: dict[str, float] = {"calls": 0, "seconds": 0.0, "usd": 0.0}
    tools: list[str] = []

    def look(event: Event) -> None:
        if event.record.kind not in ("model", "tool") or event.record.result is None:
            return
        seen["seconds"] += event.record.seconds
        if event.record.kind == "tool":
            tools.append(event.record.name)
            return
        seen["calls"] += 1
        seen["usd"] += PACE.usd_per_call
        if seen["seconds"] >= seconds - 1e-6:
            raise _PlugPulled

    with suppress(_PlugPulled):
        carry_out(question(lang), ENDLESS, seed, on_event=look)
    return Watched(int(seen["calls"]), seen["seconds"], seen["usd"], tuple(tools))


def guarded(seed: int = SEED, lang: str = "en", loop: str = "react") -> Result:
    """The same run with the limits and counters that are the default."""
    return carry_out(question(lang, loop), SETTINGS[-1], seed)


def c(seeds: Iterable[int], lang: str = "en", executor: Executor | None = None) -> Table:
    incident = watched(lang=lang)
    listed = tuple(seeds)
    done = trials([question(lang)], SETTINGS, listed, executor=executor)
    cycle = trials([question(lang)], [bare("as fitted", 12)], listed, executor=executor)
    head = [
        line("nothing: model calls until the observer came", incident.model_calls, "calls", "238", "C", fitted=True),
        line("nothing: minutes", incident.seconds / 60, "minutes", "47", "C", fitted=True),
        line("nothing: dollars", incident.usd, "dollars", "12.30", "C", fitted=True),
        line(
            "the preset alone: the cycle shows in 12 calls", cycle.share("repeated_calls", 6), "% of runs", "yes", "C"
        ),
    ]
    for setting in SETTINGS:
        part = done.where(setting=setting.name)
        head.append(line(f"{setting.name}: model calls", part.median("model_calls"), "median", "-", "C1"))
        head.append(line(f"{setting.name}: dollars", part.median("usd"), "median", "-", "C1"))
        head.append(
            line(f"{setting.name}: both prices and what is missing", part.percent(success=True), "%", "-", "C1")
        )
    return lines(*head)
