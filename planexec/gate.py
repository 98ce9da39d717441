"""What all scopes of one run share, and the three questions every effect is asked.

1. Is it recorded?      Then it is not carried out: the recorded result comes back and is counted as it was.
2. May it happen?       Limits and pending stops decide, before; what is admitted is counted, also when it fails.
3. What did it cost?    Seconds, tokens and dollars are settled afterwards.

`run.py` builds on this the operations that loops use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from planexec.chat import REPORT_TOKENS, Model, Price, Usage
from planexec.clock import Clock
from planexec.guards import Guard, GuardState
from planexec.journal import Journal, JournalError, Record
from planexec.limits import NOTHING, Limits, Meter, Need, limit_stop, violations
from planexec.person import Person
from planexec.tools import Toolbox
from planexec.verdicts import Noted, Stop, Verdict, describe, strongest

ROOT = "run"


class Ended(BaseException):
    """Private: a run or a step is over. Not an `Exception`, so that no tool's `except Exception` can swallow it.

    `level` is the scope that ends; "run" ends everything. `conclude` says whether one last model call is due.
    """

    def __init__(self, stop: Stop, level: str, conclude: bool):
        super().__init__(f"{stop.reason} in {level}")
        self.stop, self.level, self.conclude = stop, level, conclude


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
        self.pending: list[Verdict] = []  # decided after a result, carried out before the next effect
        self.refused = 0
        self.effects: dict[str, int] = {}  # identical world-changing calls so far, for their idempotency keys


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
    ):
        self.model, self.toolbox, self.journal, self.person, self.clock = model, toolbox, journal, person, clock
        self.seed, self.lang, self.replay, self.on_event = seed, lang, replay, on_event
        self.limits = limits
        self.step_guards = tuple(guard for guard in guards if guard.scope in ("step", "line"))
        self.root_guards = tuple(guard for guard in guards if guard.scope == "step")
        self.meter = Meter()
        self.run_level = Level(ROOT, None, [guard for guard in guards if guard.scope == "run"], self.meter)
        self.names: dict[str, int] = {}
        self.first_difference = ""
        self.verdicts: list[Noted] = []
        self.price: Price | None = getattr(model, "price", None)
        self.charges = limits.max_usd is not None or limits.max_tokens is not None
        self.hold = Need(model_calls=1)
        if limits.max_usd is not None and self.price is None and model is not None:
            raise ValueError(
                "max_usd is set, but the price of this model is not known; give the model a price "
                "(Price(input_usd_per_million=..., output_usd_per_million=...)) or set max_usd=None"
            )

    # ------------------------------------------------------------------------------------ 1. recorded?

    def recorded(self, scope: str, position: int, kind: str, name: str, fingerprint: str) -> Record | None:
        """The record at this address, checked against what the loop is about to do."""
        record = self.journal.take(scope, position)
        if record is None:
            return None
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
                    "the journal, replay it with replay='follow', or start a new file."
                )
        return record

    # ------------------------------------------------------------------------------------ 2. may it?

    def admit(self, scope: str, position: int, level: Level, need: Need, *, last: bool = False) -> None:
        """Count `need` on the run and its step, or record the stop and raise `Ended`.

        `last` is the run's concluding call: it may use what was held back, and pending verdicts do not hold it up.
        """
        hold = NOTHING if last else self.hold
        broken = violations(self.limits, self.meter, need, hold)
        if broken:
            self.run_level.pending.append(Verdict("conclude", stop=limit_stop(broken, scope, self.lang)))
        if not last and level.limits is not None and (broken := violations(level.limits, level.meter, need)):
            level.pending.append(Verdict("conclude", stop=limit_stop(broken, scope, self.lang)))
        if broken or (not last and (self.run_level.pending or level.pending)):
            self.end(scope, position, level)
        self.count(level, need)

    def end(self, scope: str, position: int, level: Level) -> None:
        """Record why it ends here and raise: the run's reason before the step's, a limit before a counter."""
        ending = self.run_level if self.run_level.pending else level
        best = strongest(ending.pending)
        assert best is not None and best.stop is not None
        others = [verdict.stop.reason for verdict in level.pending if verdict.stop and level is not ending]
        also = dict.fromkeys(reason for reason in (*best.stop.also, *others) if reason != best.stop.reason)
        stop = replace(best.stop, also=tuple(also))
        ending.pending.clear()
        conclude = best.action != "halt"
        result = {"stop": stop.to_dict(), "level": ending.name, "conclude": conclude}
        self.tell(self.journal.add(scope, position, "stop", stop.reason, "", result), False)
        raise self._ended(stop, ending.name, conclude)

    def _ended(self, stop: Stop, level: str, conclude: bool) -> Ended:
        self.verdicts.append(Noted("conclude" if conclude else "halt", stop.where, describe(stop), stop))
        return Ended(stop, level, conclude)

    def count(self, level: Level, need: Need) -> None:
        """Admitted: it counts from here on, whatever becomes of it."""
        for meter in self._meters(level):
            meter.steps += need.steps
            meter.model_calls += need.model_calls
            meter.tool_calls += need.tool_calls
            meter.replans += need.replans
            if need.tool:
                meter.per_tool[need.tool] = meter.per_tool.get(need.tool, 0) + need.tool_calls

    def _meters(self, level: Level) -> tuple[Meter, ...]:
        return (self.meter,) if level.meter is self.meter else (self.meter, level.meter)

    # ------------------------------------------------------------------------------------ 3. what did it cost?

    def settle(self, level: Level, seconds: float, usage: Usage | None = None) -> None:
        """Add what an effect really used, fresh or recorded."""
        for meter in self._meters(level):
            meter.seconds += seconds
            if usage is not None:
                meter.prompt_tokens += usage.prompt_tokens
                meter.completion_tokens += usage.completion_tokens
                meter.usd += usage.usd or 0.0

    def model_need(self, request_bytes: int, cap: int, steps: int) -> Need:
        """The most a model call can use: a token is at least one byte, so the bytes bound the prompt's tokens."""
        if not self.charges:
            return _MODEL_STEP if steps else _MODEL_CALL
        price = self.price or Price()
        self.hold = Need(
            model_calls=1, tokens=request_bytes + REPORT_TOKENS, usd=price.usd(request_bytes, REPORT_TOKENS)
        )
        return Need(steps=steps, model_calls=1, tokens=request_bytes + cap, usd=price.usd(request_bytes, cap))

    def seconds_left(self) -> float | None:
        most = self.limits.max_seconds
        return None if most is None else max(0.0, most - self.meter.seconds)

    def tell(self, record: Record, replayed: bool) -> None:
        if self.on_event is not None:
            self.on_event(Event(record, replayed))


_MODEL_CALL = Need(model_calls=1)
_MODEL_STEP = Need(steps=1, model_calls=1)
