"""What all scopes of one run share, and the three questions every effect is asked.

1. Is it recorded?      Then it is not carried out: the recorded result comes back and is counted as it was.
2. May it happen?       Limits and pending stops decide, before; what is admitted is counted, also when it fails.
3. What did it cost?    Seconds, tokens and dollars are settled afterwards.

`run.py` builds on this the operations that loops use.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from planexec.chat import REPORT_TOKENS, Model, Price, Usage
from planexec.clock import Clock
from planexec.guards import Guard, GuardState
from planexec.journal import Journal, JournalError, Record
from planexec.limits import NOTHING, Limits, Meter, Need, limit_stop, violations
from planexec.person import Person
from planexec.tools import Observation, Toolbox
from planexec.verdicts import Noted, Stop, Verdict, describe, strongest, with_also

ROOT = "run"


class Ended(BaseException):
    """Private: a run or a step is over. Not an `Exception`, so that no tool's `except Exception` can swallow it.

    `level` is the scope that ends; "run" ends everything. `conclude` says whether one last model call is due.
    """

    def __init__(self, stop: Stop, level: str, conclude: bool):
        super().__init__(f"{stop.reason} in {level}")
        self.stop, self.level, self.conclude = stop, level, conclude
        self.observations: list[Observation] = []  # of the batch that it ended in the middle


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened, for whoever watches: `record` as the journal holds it, `replayed` or fresh."""

    record: Record
    replayed: bool


class Level:
    """Where counting starts anew: the run itself, or one step of it."""

    def __init__(self, name: str, limits: Limits | None, guards: Sequence[Guard], meter: Meter | None = None):
        self.name = name
        self.limits = limits
        self.meter = meter if meter is not None else Meter()
        self.guards: list[GuardState] = [guard.start() for guard in guards]
        self.asked_before = [state for state in self.guards if _looks_ahead(state)]
        self.foreign = any(type(state).__module__ != GuardState.__module__ for state in self.guards)  # not our own
        self.pending: list[Verdict] = []  # decided after a result, carried out before the next effect
        self.refused_in: int | None = None  # the turn in which a tool was first refused at its own limit
        self.effects: dict[str, int] = {}  # identical world-changing calls so far, for their idempotency keys


def _looks_ahead(state: GuardState) -> bool:
    """False for a guard that only looks at what comes back: it inherits a `before` that decides nothing."""
    own = "before" in getattr(state, "__dict__", ())
    return own or getattr(type(state), "before", None) is not GuardState.before


class Gate:
    """The shared state of one run."""

    def __init__(
        self,
        *,
        model: Model | None,
        toolbox: Toolbox,
        limits: Limits,
        guards: Sequence[Guard],
        journal: Journal,
        person: Person | None,
        clock: Clock,
        seed: int,
        lang: str,
        replay: str,
        on_event: Callable[[Event], None] | None,
        first_wait: float,
    ):
        self.model, self.toolbox, self.journal, self.person, self.clock = model, toolbox, journal, person, clock
        self.seed, self.lang, self.replay, self.on_event = seed, lang, replay, on_event
        self.first_wait = first_wait
        self.step_guards = tuple(guard for guard in guards if guard.scope in ("step", "line"))
        self.root_guards = tuple(guard for guard in guards if guard.scope == "step")
        self.meter = Meter()
        self.run_level = Level(ROOT, None, [guard for guard in guards if guard.scope == "run"], self.meter)
        self.names: dict[str, int] = {}
        self.first_difference = ""
        self.verdicts: list[Noted] = []
        self.price: Price | None = getattr(model, "price", None)
        self.hold = _MODEL_CALL
        self._asked = 0  # model calls so far, and the seconds they took
        self._asked_seconds = 0.0
        self.limit(limits)

    def limit(self, limits: Limits) -> None:
        """Go by these limits from here on. ValueError for dollars without a price."""
        both = (limits, limits.per_step or limits)
        if any(each.max_usd is not None for each in both) and self.price is None and self.model is not None:
            raise ValueError(
                "max_usd is set, but the price of this model is not known; give the model a price "
                "(Price(input_usd_per_million=..., output_usd_per_million=...)) or set max_usd=None"
            )
        self.limits = self.run_level.limits = limits
        self.timed = any(each.max_seconds is not None for each in both)
        self.charges = any(each.max_usd is not None or each.max_tokens is not None for each in both)

    # ------------------------------------------------------------------------------------ 1. recorded?

    def checked(self, record: Record, kind: str, name: str, fingerprint: str) -> Record:
        """A record, checked against what the loop is about to do in its place."""
        if record.kind == "stop" and record.result is not None:
            self.tell(record, True)
            stop = Stop.from_dict(record.result["stop"])
            raise self._ended(stop, record.result["level"], record.result["conclude"])
        if (record.kind, record.name) != (kind, name):
            raise JournalError(
                f"the run differs from its journal at {record.address}: recorded is {record.kind} {record.name!r}, "
                f"now comes {kind} {name!r}. Use the code and settings that made the journal, or a new file."
            )
        if record.fingerprint != fingerprint and not self.first_difference:
            self.first_difference = f"{record.address} ({kind} {name}): its contents differ from the recording"
            if self.replay == "strict":
                raise JournalError(
                    f"the run differs from its journal: {self.first_difference}. Use the code and settings that made "
                    "the journal, follow it all the same (replay='follow', --follow), or start a new file."
                )
        return record

    # ------------------------------------------------------------------------------------ 2. may it?

    def admit(self, scope: str, position: int, level: Level, need: Need, last: bool = False) -> None:
        """Count `need` on the run and its step, or record the stop and raise `Ended`.

        `last` is a concluding call, of the run or of a step: it may use what was held back there, and what is pending
        does not hold it up, unless that is a halt.
        """
        over = violations(self.limits, self.meter, need, NOTHING if last and level.name == ROOT else self.hold)
        if over:
            self.run_level.pending.append(Verdict("conclude", stop=limit_stop(over, scope, self.lang)))
        if level.limits is not None:
            within = violations(level.limits, level.meter, need, NOTHING if last else self.hold)
            if within:
                level.pending.append(Verdict("conclude", stop=limit_stop(within, scope, self.lang, step=True)))
                over = within
        if self.run_level.pending or level.pending:
            waiting = (*self.run_level.pending, *level.pending)
            if over or not last or any(verdict.action == "halt" for verdict in waiting):
                self.end(scope, position, level)
        self.count(level, need)

    def end(self, scope: str, position: int, level: Level) -> None:
        """Record why it ends here and raise: the run's reason before the step's, a limit before a counter."""
        ending = self.run_level if self.run_level.pending else level
        best = strongest(ending.pending)
        assert best is not None and best.stop is not None
        stop = with_also(best.stop, [each.stop.reason for each in level.pending if each.stop and level is not ending])
        ending.pending.clear()
        conclude = best.action != "halt"
        result = {"stop": stop.to_dict(), "level": ending.name, "conclude": conclude}
        self.tell(self.journal.add(scope, position, "stop", stop.reason, "", result), False)
        raise self._ended(stop, ending.name, conclude)

    def _ended(self, stop: Stop, level: str, conclude: bool) -> Ended:
        self.verdicts.append(Noted("conclude" if conclude else "halt", stop.where, describe(stop, self.lang), stop))
        return Ended(stop, level, conclude)

    def count(self, level: Level, need: Need) -> None:
        """Admitted: it counts from here on, whatever becomes of it."""
        self.meter.count(need)
        if level.meter is not self.meter:
            level.meter.count(need)

    # ------------------------------------------------------------------------------------ 3. what did it cost?

    def settle(self, level: Level, seconds: float, usage: Usage | None = None) -> None:
        """Add what an effect really used, fresh or recorded."""
        self.meter.settle(seconds, usage)
        if level.meter is not self.meter:
            level.meter.settle(seconds, usage)

    def settle_model(self, level: Level, seconds: float, usage: Usage | None) -> None:
        """The same for a model call, whose pace tells how long the conclusion will take."""
        self.settle(level, seconds, usage)
        if self.timed:
            self._asked, self._asked_seconds = self._asked + 1, self._asked_seconds + seconds
            self.hold = replace(self.hold, seconds=self._asked_seconds / self._asked)

    def model_need(self, request_bytes: int, cap: int, steps: int) -> Need:
        """The most a model call can use: a token is at least one byte, so the bytes bound the prompt's tokens."""
        if not self.charges and not self.timed:
            return _MODEL_STEP if steps else _MODEL_CALL
        pace, price = self.hold.seconds, self.price or Price()
        tokens, usd = request_bytes + REPORT_TOKENS, price.usd(request_bytes, REPORT_TOKENS)
        self.hold = Need(model_calls=1, tokens=tokens, usd=usd, seconds=pace)
        usd = price.usd(request_bytes, cap)
        return Need(steps=steps, model_calls=1, tokens=request_bytes + cap, usd=usd, seconds=pace)

    def billed(self, usage: Usage, need: Need, cap: int) -> Usage:
        """What a reply is charged: its bill where that can be right, else what was reserved for it.

        A bill that is missing, negative or not a number would otherwise lift the limits on dollars and tokens.
        """
        prompt, completion, usd, seconds = usage.prompt_tokens, usage.completion_tokens, usage.usd, usage.seconds
        counted, priced = is_amount(prompt) and is_amount(completion), usd is not None and is_amount(usd)
        if not counted or (self.charges and not prompt and not completion):
            if reserved := self.reserved(need, cap):
                return replace(reserved, seconds=seconds if is_amount(seconds) else None)
            prompt, completion, usd, priced = 0, 0, None, False
        elif (priced or (usd is None and self.price is None)) and (seconds is None or is_amount(seconds)):
            return usage if type(usage) is Usage else Usage(prompt, completion, usd, seconds)
        if not priced:
            usd = self.price.usd(prompt, completion) if self.price is not None else None
        return Usage(prompt, completion, usd, seconds if is_amount(seconds) else None)

    @cached_property
    def schema_bytes(self) -> int:
        """What the tools add to a request that offers them."""
        return len(json.dumps(self.toolbox.schemas, ensure_ascii=False).encode("utf-8", "surrogatepass"))

    def reserved(self, need: Need, cap: int) -> Usage | None:
        """The charge for a call whose cost nobody knows: all that was reserved; None when nothing is."""
        return Usage(need.tokens - cap, cap, need.usd if self.price is not None else None) if self.charges else None

    def seconds_left(self, level: Level, last: bool = False) -> tuple[float | None, Level]:
        """How long an effect may take, and whose limit says so; what the conclusion will need is kept back."""
        if not self.timed:
            return None, self.run_level
        found: list[tuple[float, Level]] = []
        for limits, meter, holder in ((self.limits, self.meter, self.run_level), (level.limits, level.meter, level)):
            if limits is not None and limits.max_seconds is not None:
                hold = 0.0 if meter.seconds == 0 or (last and level.name in (holder.name, ROOT)) else self.hold.seconds
                found.append((max(0.0, limits.max_seconds - meter.seconds - hold), holder))
        return min(found, key=lambda pair: pair[0]) if found else (None, self.run_level)

    def tell(self, record: Record, replayed: bool) -> None:
        if self.on_event is not None:
            self.on_event(Event(record, replayed))


def is_amount(number: object) -> bool:
    """True for a number that a bill or a clock can show: finite, and not below 0."""
    return isinstance(number, _NUMBERS) and 0 <= number <= _MOST


_NUMBERS, _MOST = (int, float), sys.float_info.max
_MODEL_CALL = Need(model_calls=1)
_MODEL_STEP = Need(steps=1, model_calls=1)
