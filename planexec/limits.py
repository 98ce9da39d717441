"""How much a run may use, what it has used, and which limits one more effect would break.

Pure arithmetic: the gate (`run.py`) asks before it admits an effect and counts afterwards.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace
from typing import Any

from planexec.chat import Usage
from planexec.contradictions import never_binding
from planexec.verdicts import PER_STEP, Stop, advice


@dataclass(frozen=True)
class Limits:
    """How much one run may use. None switches a limit off, 0 allows nothing; negative or NaN is an error here.

    Every limit is checked before a thing is done, counted when it is admitted (failures count too), and exact: a
    limit of N admits N. One concluding model call is held back from the start, so that a stopped run can still say
    what it found; with room for one call only, a digest made by code answers instead.
    """

    max_steps: int | None = 12
    """Executor turns: one model reply with its tool calls, or one direct call of a plan's line."""
    max_model_calls: int | None = 40
    """Requests to the model, of every role, each attempt counted."""
    max_tool_calls: int | None = 30
    """Tool calls carried out, each attempt counted."""
    max_calls_per_tool: int | None = None
    """Calls of any one tool."""
    max_seconds: float | None = None
    """Working time: recorded seconds of effects and waits; a person's thinking time is not counted."""
    max_usd: float | None = None
    """Dollars. The price of the model must be known."""
    max_tokens: int | None = None
    """Prompt and completion tokens together."""
    max_attempts: int | None = 3
    """Attempts of one call inside a step, the first included, when its failure may pass."""
    max_replans: int | None = 6
    """Times the rest of the plan may be asked about: once after each step, failed ones too; this bounds their sum."""
    max_plan_steps: int | None = 8
    """Lines of a plan, done and still open together."""
    per_step: Limits | None = None
    """The same limits for each line of the plan on its own; replans, plan length and consent are the whole run's."""
    confirm_first: bool = False
    """A person agrees before anything is done: to the plan and to whatever is put into it later, or, where there is no
    plan, to beginning at all. `react()` and the agent ask; a loop of your own asks by `consent.confirm`."""

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if value is None or name in ("per_step", "confirm_first"):
                continue
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
                raise ValueError(f"{name} must be a number of 0 or more, or None for no limit; got {value!r}")
            if name not in ("max_seconds", "max_usd") and value != int(value):
                raise ValueError(f"{name} counts whole things; got {value!r}")
        if self.per_step is not None and (not isinstance(self.per_step, Limits) or self.per_step.per_step is not None):
            raise ValueError(f"per_step must be Limits without a per_step of their own, or None; got {self.per_step!r}")

    @classmethod
    def none(cls) -> Limits:
        """Every limit off, of attempts too: a call that fails in a way that may pass is tried for ever.

        For showing what happens without limits, never for real use.
        """
        off: dict[str, Any] = {each.name: None for each in fields(cls) if each.name != "confirm_first"}
        return cls(**off)

    @classmethod
    def simple(cls) -> Limits:
        """For a question of one or two calls: the simple one of three published grades."""
        return cls(max_steps=4)

    @classmethod
    def medium(cls) -> Limits:
        """For a chain of four or five dependent steps: the medium grade."""
        return cls(max_steps=8)

    @classmethod
    def complex(cls) -> Limits:
        """For longer chains: the complex grade, where a person looks at the plan first."""
        return cls(max_steps=12, confirm_first=True)

    @classmethod
    def article(cls) -> Limits:
        """The six hard limits of the published article, as printed. See `never_binding` for what is odd about them."""
        return cls(max_steps=30, max_model_calls=50, max_tool_calls=40, max_seconds=300.0, max_usd=1.0, max_attempts=3)

    def ends_at(self, usd_per_call: float, seconds_per_call: float) -> dict[str, int]:
        """How many model calls each limit allows, when every call costs and takes as much: {"max_usd": 19, ...}.

        A call that would go past the limit counts as not allowed. Only limits that are set appear.
        """
        calls: dict[str, int] = {}
        for name, limit, each in (
            ("max_model_calls", self.max_model_calls, 1.0),
            ("max_steps", self.max_steps, 1.0),
            ("max_usd", self.max_usd, usd_per_call),
            ("max_seconds", self.max_seconds, seconds_per_call),
        ):
            if limit is not None and each > 0:
                calls[name] = math.floor(limit / each + 1e-9)
        return calls

    def never_binding(self, usd_per_call: float = 0.0, seconds_per_call: float = 0.0) -> tuple[str, ...]:
        """Limits that can never be reached, because another one always comes first or nothing asks them: one sentence
        each.

        With a price and a pace of one model call also those that only these make unreachable.
        """
        return tuple(never_binding(self, usd_per_call, seconds_per_call))

    def with_(self, **changes: Any) -> Limits:
        """A copy with some limits changed."""
        return replace(self, **changes)

    def changed(self, changes: dict[str, Any]) -> Limits:
        """A copy with what a person granted, as plain JSON. ValueError for a name or a value that makes no sense."""
        unknown = sorted(changes.keys() - {each.name for each in fields(self)})
        if unknown:
            raise ValueError(f"there is no limit named {unknown[0]!r}; see the fields of Limits")
        if not isinstance(changes.get("per_step"), (dict, type(None))):
            raise ValueError(f"per_step must be the limits of a step by name; got {changes['per_step']!r}")
        return Limits.from_dict({**self.to_dict(), **changes})

    def to_dict(self) -> dict[str, Any]:
        data = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "per_step"}
        return {**data, "per_step": self.per_step.to_dict() if self.per_step else None}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Limits:
        nested = data.get("per_step")
        return cls(**{**data, "per_step": cls.from_dict(nested) if nested else None})


@dataclass(slots=True)
class Meter:
    """What has been used so far, in one run or one step."""

    steps: int = 0
    model_calls: int = 0
    tool_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float = 0.0
    seconds: float = 0.0
    replans: int = 0
    per_tool: dict[str, int] = field(default_factory=dict)

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def count(self, need: Need) -> None:
        """Add what was admitted."""
        self.steps += need.steps
        self.model_calls += need.model_calls
        self.replans += need.replans
        if need.tool_calls:
            self.tool_calls += need.tool_calls
            self.per_tool[need.tool] = self.per_tool.get(need.tool, 0) + need.tool_calls

    def settle(self, seconds: float, usage: Usage | None) -> None:
        """Add what it really took."""
        self.seconds += seconds
        if usage is not None:
            self.prompt_tokens += usage.prompt_tokens
            self.completion_tokens += usage.completion_tokens
            self.usd += usage.usd or 0.0


@dataclass(frozen=True, slots=True)
class Need:
    """What one effect would use at the most: asked for before it is admitted."""

    steps: int = 0
    model_calls: int = 0
    tool_calls: int = 0
    tool: str = ""
    tokens: int = 0
    usd: float = 0.0
    seconds: float = 0.0
    replans: int = 0


COUNTED = {
    "max_steps": "steps",
    "max_model_calls": "model_calls",
    "max_tool_calls": "tool_calls",
    "max_seconds": "seconds",
    "max_usd": "usd",
    "max_tokens": "tokens",
    "max_replans": "replans",
}  # limit -> the field of `Meter` that it bounds

NOTHING = Need()
TOOL_NEED: dict[str, Need] = {}


def tool_need(name: str) -> Need:
    """The need of one call of a tool; made once a name, because the gate asks for it at every call.

    Calls of tools that do not exist have one name between them, "": there is no end to the names a model can invent.
    """
    need = TOOL_NEED.get(name)
    if need is None:
        need = TOOL_NEED.setdefault(name, Need(tool_calls=1, tool=name))
    return need


def violations(limits: Limits, used: Meter, need: Need, hold: Need = NOTHING) -> list[tuple[str, float, float]]:
    """Every limit that `need` on top of `used` would break: (name, limit, value reached).

    A limit that stands at its number is broken only by more of what it counts. A model call needs no tool call, so
    that 3 of 3 tool calls are used up is not why the fourth turn may not be: the model might have answered in it.

    `hold` is what is kept back for the conclusion. It is not kept back where that would leave nothing at all. How
    long a call will take nobody knows; `seconds`, needed or kept back, are what the calls so far took on average.
    """
    broken: list[tuple[str, float, float]] = []
    if need.steps and limits.max_steps is not None and used.steps >= limits.max_steps:
        broken.append(("max_steps", limits.max_steps, used.steps))
    most = limits.max_model_calls
    if need.model_calls and most is not None and used.model_calls >= most - (hold.model_calls if most > 1 else 0):
        broken.append(("max_model_calls", most, used.model_calls))
    if need.tool_calls:
        if (most := limits.max_tool_calls) is not None and used.tool_calls >= most:
            broken.append(("max_tool_calls", most, used.tool_calls))
        if (most := limits.max_calls_per_tool) is not None and used.per_tool.get(need.tool, 0) >= most:
            broken.append(("max_calls_per_tool", most, used.per_tool.get(need.tool, 0)))
    if limits.max_seconds is not None and _too_late(limits.max_seconds, used.seconds, need.seconds, hold.seconds):
        broken.append(("max_seconds", limits.max_seconds, used.seconds))
    if limits.max_usd is not None and _too_much(limits.max_usd, used.usd, need.usd, hold.usd):
        broken.append(("max_usd", limits.max_usd, used.usd))
    if limits.max_tokens is not None and _too_much(limits.max_tokens, used.tokens, need.tokens, hold.tokens):
        broken.append(("max_tokens", limits.max_tokens, used.tokens))
    if need.replans and limits.max_replans is not None and used.replans >= limits.max_replans:
        broken.append(("max_replans", limits.max_replans, used.replans))
    if limits.max_attempts == 0 and (need.model_calls or need.tool_calls):
        broken.append(("max_attempts", 0, 0))
    return broken


def _too_much(limit: float, used: float, need: float, hold: float) -> bool:
    """Nothing starts at or beyond the limit; a first thing that fits alone may start even if nothing is left after."""
    if used >= limit:
        return True
    return need > 0 and (used + need > limit or (used > 0 and used + need + hold > limit))


def _too_late(limit: float, used: float, need: float, hold: float) -> bool:
    """The same for time, where what is needed and kept back is a guess: something may always be begun at 0."""
    return used >= limit or (used > 0 and (used + hold >= limit or used + need + hold > limit))


def limit_stop(broken: list[tuple[str, float, float]], where: str, lang: str, step: bool = False) -> Stop:
    """One stop that names the first broken limit and lists all others. `step`: they are limits of one step."""
    prefix = PER_STEP if step else ""
    (name, limit, value), *others = broken
    reason, also = prefix + name, tuple(prefix + other for other, _, _ in others)
    return Stop(reason, limit, value, where, advice(reason, lang), also)
