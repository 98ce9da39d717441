"""The limits lab: the loop that cost $12.30, with each of the published hard limits on or off.

Published: 238 model calls, 47:00 minutes, $12.30, and how it went: two searches, a report that fails on the network, is
tried again, fails, is taken for missing data, and everything starts over. Calibrated: every model call, with the tool
call that follows it, takes the same seconds and costs the same dollars, so that 238 of them come to 47:00 and $12.30.
What follows: the cycle itself, which the simulated model falls into (dial `panic` at 1), and where each limit ends it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Any

from planexec.gate import Event
from planexec.guards import DEFAULT_GUARDS, Guard
from planexec.labs.places import place
from planexec.labs.remembering import Remembering
from planexec.limits import Limits
from planexec.models.simulated import SimulatedModel
from planexec.react_loop import react
from planexec.result import Result
from planexec.tools import Observation, Tool
from planexec.trials.pace import Pace, Paced

if TYPE_CHECKING:
    from planexec.labs.panel import Panel
    from planexec.show.picture import Picture
    from planexec.show.strips import Strip

CALLS, SECONDS, DOLLARS = 238, 47 * 60, 12.30  # as published
PACE = Pace(SECONDS / CALLS, DOLLARS / CALLS)  # calibrated: one model call and the tool call after it
OFF = Limits.none().with_(max_attempts=1)  # the agent of the incident retries by itself; the gate does not
PERSON = "a person"  # what ended it where no limit did
LEAST_SECONDS = 10.0  # a call may not be quicker here: 47 minutes would hold more calls than a lab can work out

BRAKES = ("max_steps", "max_model_calls", "max_tool_calls", "max_seconds", "max_usd")  # of the article's six limits


@dataclass(frozen=True)
class Ending:
    """How the incident ended: the reason, what had been used by then, and the result unless somebody pulled the plug.

    `reason` is that of the stop, or `PERSON` when nothing but a person, after 47 minutes, ended it.
    """

    reason: str
    model_calls: int
    seconds: float
    usd: float
    result: Result | None = None

    @property
    def text(self) -> str:
        return f"{self.model_calls} calls, {clock(self.seconds)}, ${self.usd:.2f}"

    @property
    def answer(self) -> str:
        """What the run still said; "" when the plug was pulled."""
        return self.result.answer if self.result is not None else ""

    @property
    def by(self) -> str:
        """What ended it, in words: a limit by its name, a counter with what it saw, or a person."""
        return self.reason if self.reason == PERSON or self.reason.startswith("max_") else f"a counter ({self.reason})"

    def __repr__(self) -> str:
        return f"ended by {self.by} after {self.text}"


class _PlugPulled(BaseException):
    """A person looked at the clock. Not an `Exception`: nothing in the run may catch it, as nothing in it knew."""


def incident(
    limits: Limits = OFF,
    guards: Sequence[Guard] = (),
    *,
    pace: Pace = PACE,
    lang: str = "en",
    seed: int = 0,
    on_event: Callable[[Event], None] | None = None,
) -> Ending:
    """The incident under `limits` and `guards`. Where nothing ends it, a person does when 47:00 are over.

    `on_event` sees every effect as it happens. Errors: ValueError for a pace of less than 10 seconds a call.
    """
    if pace.seconds_per_call < LEAST_SECONDS:
        raise ValueError(f"a call takes {LEAST_SECONDS:g} seconds or more here; got {pace.seconds_per_call:g}")
    world, seen = place("rivals", lang), {"calls": 0, "seconds": 0.0, "usd": 0.0}

    def watch(event: Event) -> None:
        if on_event is not None:
            on_event(event)
        seen["seconds"] += event.record.seconds
        if event.record.kind == "model":
            seen["calls"] += 1
            seen["usd"] += pace.usd_per_call
        if seen["seconds"] >= SECONDS - 1e-6:
            raise _PlugPulled

    model = Paced(Remembering(SimulatedModel("articles", seed=seed, panic=1), f"{lang} {seed}"), pace)
    tools = _timeless(lang)
    held: dict[str, Any] = {"guards": guards, "lang": lang, "date": world.date, "on_event": watch}
    try:
        result = react(world.question, model, tools, limits, **held)
    except _PlugPulled:
        return Ending(PERSON, int(seen["calls"]), seen["seconds"], round(seen["usd"], 2))
    used, reason = result.usage, result.stop.reason if result.stop else "complete"
    return Ending(reason, used.model_calls, used.seconds, round(used.usd or 0.0, 2), result)


@lru_cache(maxsize=2)
def _timeless(lang: str) -> tuple[Tool, ...]:
    return tuple(_without_time(tool) for tool in place("rivals", lang).tools)


def _without_time(tool: Tool) -> Tool:
    """The tool, taking no time of its own: the published minutes are all on the model calls."""

    @wraps(tool.function)
    def function(**args: Any) -> Observation:
        observation: Observation = tool.function(**args)
        return replace(observation, seconds=0.0)

    return replace(tool, function=function)


def clock(seconds: float) -> str:
    """clock(2820) -> "47:00" """
    whole = int(seconds + 1e-6)
    return f"{whole // 60}:{whole % 60:02d}"


@dataclass(frozen=True)
class LimitsView:
    """The incident under some limits together (`ending`), under each of them alone, and under the counters alone.

    `max_attempts` is no brake of its own: it says how often the gate tries one call, and holds in all of them.
    """

    limits: Limits
    pace: Pace
    ending: Ending
    alone: Mapping[str, Ending]
    counters: Ending | None = None

    @property
    def never_binding(self) -> tuple[str, ...]:
        """The limits that cannot be reached at this price and pace, a sentence each."""
        return self.limits.never_binding(self.pace.usd_per_call, self.pace.seconds_per_call)

    @property
    def text(self) -> str:
        """What ended it, at what price, and which limits never counted, in one sentence."""
        late = [name for name, end in self.alone.items() if end.model_calls > self.ending.model_calls]
        unused = f"; never reached: {', '.join(late)}" if late else ""
        return f"{self.ending.by} ends it after {self.ending.text}{unused}"

    @property
    def table(self) -> str:
        """The limits that can never bind, a line each."""
        return "\n".join(self.never_binding)

    @property
    def strips(self) -> list[Strip]:
        """One for each limit alone, the one that ends it lit; then the one for no limit at all."""
        from planexec.show.strips import Strip

        shown = [
            Strip(f"{name} = {getattr(self.limits, name):g}", end.model_calls, end.text, name == self.ending.reason)
            for name, end in self.alone.items()
        ]
        if self.counters is not None:
            lit = self.ending.reason not in (*self.alone, PERSON)
            shown.append(Strip("the counters", self.counters.model_calls, self.counters.text, lit))
        free = alone("", 0, 1 if self.limits.max_attempts is None else self.limits.max_attempts, self.pace)
        return [*shown, Strip("no limit", free.model_calls, free.text, self.ending.reason == PERSON)]

    @property
    def _title(self) -> str:
        return f"{self.ending.by} ends the incident after {self.ending.text}"

    @property
    def picture(self) -> Picture:
        from planexec.show.strips import strips_picture

        return strips_picture(self.strips, self._title, _AXIS)

    @property
    def svg(self) -> str:
        from planexec.show.strips import strips_svg

        return strips_svg(self.strips, self._title, _AXIS)

    def __repr__(self) -> str:
        return self.text


_AXIS = "model calls until each limit alone ends it"


@lru_cache(maxsize=8)
def _endless(attempts: int, lang: str) -> tuple[tuple[bool, float], ...]:
    """The incident without a limit at the quickest pace: of each effect, whether it is a model call, and seconds."""
    effects: list[tuple[bool, float]] = []

    def note(event: Event) -> None:
        model = event.record.kind == "model"
        effects.append((model, 0.0 if model else event.record.seconds))

    incident(OFF.with_(max_attempts=attempts), pace=Pace(LEAST_SECONDS, 0.0), lang=lang, on_event=note)
    return tuple(effects)


def without_limits(attempts: int = 1, pace: Pace = PACE, lang: str = "en") -> Ending:
    """The incident that a person ends after 47:00; at every pace it is the same calls, so it is carried out once.

    `attempts`: of each call, 1 or more; with none at all it would end by itself.
    """
    calls, seconds, usd = 0, 0.0, 0.0
    for model, own in _endless(attempts, lang):
        calls, seconds = calls + model, seconds + (pace.seconds_per_call if model else own)
        usd += pace.usd_per_call if model else 0.0
        if seconds >= SECONDS - 1e-6:
            break
    return Ending(PERSON, calls, seconds, round(usd, 2))


@lru_cache(maxsize=512)
def alone(name: str, value: float, attempts: int = 1, pace: Pace = PACE, lang: str = "en") -> Ending:
    """The incident under one limit, all others off; "" is no limit at all. `attempts`: of each call, by the gate."""
    if not name and attempts:
        return without_limits(attempts, pace, lang)
    held = OFF.with_(max_attempts=attempts)
    return incident(held.with_(**{name: value}) if name else held, pace=pace, lang=lang)


def limits(
    max_steps: int | None = 30,
    max_model_calls: int | None = 50,
    max_tool_calls: int | None = 40,
    max_seconds: float | None = 300.0,
    max_usd: float | None = 1.0,
    max_attempts: int | None = None,
    *,
    usd_per_call: float = PACE.usd_per_call,
    seconds_per_call: float = PACE.seconds_per_call,
    guards: bool = False,
    lang: str = "en",
) -> LimitsView:
    """The incident under these limits; None is off. The defaults are the article's, all but its 3 attempts.

    `max_attempts` off: one attempt, as in the incident, whose agent tries again by itself. `guards`: the counters too.
    `usd_per_call` and `seconds_per_call` stand for a dearer model or a slower one. The model is simulated: no cost.
    """
    given = (max_steps, max_model_calls, max_tool_calls, max_seconds, max_usd)
    attempts = 1 if max_attempts is None else max_attempts
    chosen = {name: value for name, value in zip(BRAKES, given, strict=True) if value is not None}
    held, pace = OFF.with_(max_attempts=attempts, **chosen), Pace(seconds_per_call, usd_per_call)
    ending = incident(held, DEFAULT_GUARDS if guards else (), pace=pace, lang=lang)
    each = {name: alone(name, value, attempts, pace, lang) for name, value in chosen.items()}
    counters = incident(OFF.with_(max_attempts=attempts), DEFAULT_GUARDS, pace=pace, lang=lang) if guards else None
    return LimitsView(held, pace, ending, each, counters)


def panel() -> Panel:
    """The lab with live dials: each limit can be switched off."""
    from planexec.labs.panel import Dial, Panel

    dials = (
        Dial("max_steps", 30, 1, 60, optional=True),
        Dial("max_model_calls", 50, 1, 100, optional=True),
        Dial("max_tool_calls", 40, 1, 100, optional=True),
        Dial("max_seconds", 300.0, 30, 2_820, 30, optional=True),
        Dial("max_usd", 1.0, 0.1, 12.3, 0.1, optional=True),
        Dial("max_attempts", 3, 1, 5, optional=True, on=False),
        Dial("usd_per_call", 0.0517, 0.0017, 0.2017, 0.005, label="price of a call, $"),  # rounded, as calibrated
        Dial("seconds_per_call", 11.85, 10.85, 59.85, 1.0, label="pace of a call, s"),
        Dial("guards", False, options=(True, False), label="the counters"),
    )
    return Panel(limits, dials)
