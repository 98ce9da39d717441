"""Counters against agents that cannot stop, decided in code, never in a prompt.

A guard is a small frozen setting; `start()` makes its counting state for one step (or one run). The gate (`run.py`)
asks `before` each tool call and tells `after` each result; each answers with a `Verdict`, or None for "go on".
Nothing here knows a model, a clock or a journal. The limits of a run are in `limits.py`.

What it does not see: whether an answer is right, and loops of meaning whose texts differ every time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from planexec.languages import either
from planexec.loops import KEPT_CALLS, LoopDetector, LoopRules, RepeatCounter
from planexec.tools import Observation
from planexec.verdicts import Stop, Verdict, advice


@dataclass(slots=True)
class Call:
    """A tool call as guards see it. `text` and `key` are its canonical arguments and its name for all spellings."""

    tool: str
    args: Any
    where: str
    lang: str = "en"
    polling: bool = False
    ignore: tuple[str, ...] = ()
    text: str = ""
    key: str = ""


class Standing(NamedTuple):
    """How far a counter has come: `value` of `most`, at which it acts. For those who watch; it decides nothing."""

    name: str
    value: int
    most: int


class GuardState(Protocol):
    """Counts for one step or one run. A class that inherits this leaves out the one it does not need.

    The states below also say how far they have come, in `standing()`.
    """

    def before(self, call: Call) -> Verdict | None:
        """May this call be made? "refuse" it, "ask" a person, "conclude" or "halt"; None: yes.

        A nudge has no place here, for there is no result yet to add it to; it is dropped. A class that inherits this
        looks only at what comes back, and is not asked before.
        """
        return None

    def after(self, call: Call, observation: Observation) -> Verdict | None:
        """What follows from what came back? A "nudge" for the model, "conclude" or "halt"; None: nothing.

        The call has been made: to "refuse" it or to "ask" about it comes too late, and is a nudge.
        """
        return None


class Guard(Protocol):
    """A setting. `scope` says where it counts: "step" (anew in each line of a plan, and in a loop without a plan),
    "line" (only in the lines of a plan) or "run" (over everything).
    """

    @property
    def scope(self) -> str: ...

    def start(self) -> GuardState: ...


SCOPES = ("step", "line", "run")
_WHAT = 'a guard has a `scope` ("step", "line" or "run") and a `start()` that makes its counting state'


def checked_guards(guards: Iterable[Guard] | None) -> tuple[Guard, ...]:
    """The guards of a run; those of everybody for None. TypeError for what is no guard, ValueError for a scope that
    there is not: such a guard would never be asked.
    """
    if guards is None:
        return DEFAULT_GUARDS
    if isinstance(guards, (str, dict)) or not isinstance(guards, Iterable):
        raise TypeError(f"guards is a list: guards=[...], () for none; got {type(guards).__name__}")
    given = tuple(guards)
    for each in given:
        if isinstance(each, type):
            raise TypeError(f"guards holds the class {each.__name__}; a guard is an instance of it: {each.__name__}()")
        if not hasattr(each, "scope") or not callable(getattr(each, "start", None)):
            raise TypeError(f"guards holds {each!r}, which is none: {_WHAT}")
        _check_scope(each)
    return given


def _check_scope(guard: Guard) -> None:
    if guard.scope not in SCOPES:
        name = type(guard).__name__
        raise ValueError(f'the scope of a guard is "step", "line" or "run"; {name} has {guard.scope!r}')


def _check_count(guard: Guard, *names: str) -> None:
    """ValueError when a guard would act before anything happened, or never."""
    for name in names:
        count = getattr(guard, name)
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise ValueError(f"{name} of {type(guard).__name__} is a number of calls, 1 or more; got {count!r}")
    _check_scope(guard)


@dataclass(frozen=True)
class NoResult:
    """Cannot find, cannot stop: `nudge` empty results of one tool in a row, a nudge; `stop`, the end.

    A failed call counts with the empty ones when its text is always the same: new words, one error.
    """

    nudge: int = 2
    stop: int = 3
    scope: str = "step"

    def __post_init__(self) -> None:
        _check_count(self, "nudge", "stop")

    def start(self) -> GuardState:
        return _NoResult(self)


class _NoResult(GuardState):
    def __init__(self, rule: NoResult):
        self.rule = rule
        self.in_a_row: dict[str, tuple[str, int]] = {}  # tool -> its error ("": empty), how often; oldest first

    def after(self, call: Call, observation: Observation) -> Verdict | None:
        if observation.kind == "empty":
            key = ""
        elif observation.kind == "failed":
            key = observation.text
        else:
            self.in_a_row.pop(call.tool, None)
            return None
        count = self._counted(call.tool, key)
        if count >= self.rule.stop:
            reason = "no_data" if observation.kind == "empty" else "failed"
            stop = Stop(reason, self.rule.stop, count, call.where, advice(reason, call.lang))
            return Verdict("conclude", stop=stop)
        if count == self.rule.nudge:
            return Verdict("nudge", either(call.lang, _NOTHING_EN, _NOTHING_ZH).format(count=count, tool=call.tool))
        return None

    def _counted(self, tool: str, error: str) -> int:
        """How often this tool has now come back so; only so many tools are remembered, for names can be invented."""
        if self.in_a_row.get(tool, (error, 0))[0] != error:
            del self.in_a_row[tool]
        _, count = self.in_a_row.get(tool, (error, 0))
        self.in_a_row[tool] = error, count + 1
        if len(self.in_a_row) > KEPT_CALLS:
            del self.in_a_row[next(iter(self.in_a_row))]
        return count + 1

    def standing(self) -> list[Standing]:
        counts = self.in_a_row.items()
        return [Standing(f"{tool} without a result, in a row", count, self.rule.stop) for tool, (_, count) in counts]


_NOTHING_EN = (
    "[guard] {tool} brought nothing {count} times in a row. It is probably not there. "
    "Say so and go on without it, or try one clearly different question."
)
_NOTHING_ZH = (
    "[守卫] {tool} 已连续 {count} 次没有结果，很可能没有这项数据。请说明查不到并继续，或只再换一个明显不同的问法。"
)


@dataclass(frozen=True)
class Enough:
    """Found, cannot stop: once something was found and `calls` calls were made, the answer is due.

    It counts inside one line of a plan. With `scope="run"`, as the article prints it, it also cuts an honest chain of
    five steps after the fourth call, and a search without a plan that needs more than four.
    """

    calls: int = 4
    scope: str = "line"

    def __post_init__(self) -> None:
        _check_count(self, "calls")

    def start(self) -> GuardState:
        return _Enough(self)


class _Enough(GuardState):
    def __init__(self, rule: Enough):
        self.rule = rule
        self.calls = 0
        self.found = False

    def after(self, call: Call, observation: Observation) -> Verdict | None:
        self.calls += 1
        self.found = self.found or observation.kind == "found"
        if self.found and self.calls >= self.rule.calls:
            stop = Stop("enough", self.rule.calls, self.calls, call.where, advice("enough", call.lang))
            return Verdict("conclude", stop=stop)
        return None

    def standing(self) -> list[Standing]:
        name = "calls, and something was found" if self.found else "calls, and nothing was found yet"
        return [Standing(name, self.calls, self.rule.calls)] if self.calls else []


@dataclass(frozen=True)
class Repeats:
    """The very same call with the very same result: a nudge after `nudge`, then refused, and the step ends.

    Other calls in between do not help. A polling tool may come back unchanged `polling` times.
    """

    nudge: int = 3
    polling: int = 20
    scope: str = "step"

    def __post_init__(self) -> None:
        _check_count(self, "nudge", "polling")

    def start(self) -> GuardState:
        return _Repeats(self)


class _Repeats(GuardState):
    def __init__(self, rule: Repeats):
        self.rule = rule
        self.counter = RepeatCounter()
        self.last = 0  # how often the last call has brought its result

    def before(self, call: Call) -> Verdict | None:
        most = self.rule.polling if call.polling else self.rule.nudge
        seen = self.counter.seen(call.tool, call.args, call.ignore, key=call.key)
        if seen < most:
            return None
        stop = Stop("loop", most, seen, call.where, advice("loop", call.lang))
        note = either(call.lang, _REFUSED_EN, _REFUSED_ZH).format(count=seen)
        return Verdict("refuse", note, stop)

    def after(self, call: Call, observation: Observation) -> Verdict | None:
        seen = self.counter.add(call.tool, call.args, observation.text, call.ignore, observation.kind, key=call.key)
        self.last = seen
        if seen != (self.rule.polling if call.polling else self.rule.nudge):
            return None
        return Verdict("nudge", either(call.lang, _SAME_EN, _SAME_ZH).format(count=seen))

    def standing(self) -> list[Standing]:
        return [Standing("the same call with the same result", self.last, self.rule.nudge)] if self.last else []


_SAME_EN = (
    "[guard] This very call has now brought the very same result {count} times. It will be refused from here on: "
    "answer from what you have, or do something else."
)
_SAME_ZH = "[守卫] 完全相同的调用已 {count} 次得到完全相同的结果，之后会被拒绝：请用已有信息回答，或换一种做法。"
_REFUSED_EN = "[guard] Refused: this call already brought the same result {count} times."
_REFUSED_ZH = "[守卫] 已拒绝：这个调用已 {count} 次得到相同结果。"


@dataclass(frozen=True)
class Loops:
    """The loop detector of `loops.py`: a nudge at the first alarm, an end of the step at the second."""

    rules: LoopRules = field(default_factory=LoopRules)
    scope: str = "step"

    def __post_init__(self) -> None:
        _check_scope(self)
        if not isinstance(self.rules, LoopRules):
            raise TypeError(f"the rules of Loops are LoopRules(...); got {self.rules!r}")

    def start(self) -> GuardState:
        return _Loops(self)


class _Loops(GuardState):
    def __init__(self, rule: Loops):
        self.detector = LoopDetector(rule.rules)
        self.alarms = 0

    def after(self, call: Call, observation: Observation) -> Verdict | None:
        loop = self.detector.add(
            call.tool, call.args, observation.text, observation.kind, call.polling, call.ignore, text=call.text
        )
        if loop is None:
            return None
        self.alarms += 1
        if self.alarms > 1:
            stop = Stop("loop", loop.count, loop.count, call.where, advice("loop", call.lang))
            return Verdict("conclude", stop=stop)
        return Verdict("nudge", either(call.lang, _LOOP_EN, _LOOP_ZH).format(why=loop.say(call.lang)))

    def standing(self) -> list[Standing]:
        return [Standing("alarms of the loop detector", self.alarms, 2)] if self.alarms else []


_LOOP_EN = "[guard] This looks like a loop ({why}). Answer from what you have, or do something clearly different."
_LOOP_ZH = "[守卫] 看起来在循环（{why}）。请用已有信息回答，或换一种明显不同的做法。"

DEFAULT_GUARDS: tuple[Guard, ...] = (NoResult(), Enough(), Repeats(), Loops())
