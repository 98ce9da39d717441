"""Loops: the same call that keeps bringing the same result.

A call's key is (tool, canonical arguments, digest of its result). Three rules look at the keys in the order of the
calls: the same key in a row (`same`), a short cycle that comes round again (`cycle`), and nearly the same arguments
with the same result in a row (`alike`). Equal arguments with new results (polling, paging, scrolling) are no loop,
and what a model writes between its calls changes nothing. Where results were not recorded, only calls can be compared,
and more of them are asked for (`blind`).

What this does not see: "nothing found" for ever new arguments (a guard of its own counts that), results that differ
only in a time of day, cycles of more than `longest_cycle` calls. A limit on calls has to stand behind it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from planexec.canonical import arguments, call_key, canonical, digest, fixed_part, form, likeness, wording

__all__ = ["Loop", "LoopDetector", "LoopRules", "RepeatCounter", "call_key", "canonical", "digest", "first_loop"]

KEPT_CALLS = 1_000  # distinct calls that one RepeatCounter remembers
PASSED_BY = ("think", "transient")  # no call at all; a failed attempt whose retries the gate counts itself
SHORT = 64  # a text up to so many characters stands for itself; a longer one is held as its digest


@dataclass(frozen=True, slots=True)
class LoopRules:
    """From how many times on it is a loop; None switches a rule off.

    `same`: equal calls with equal results in a row. `cycle`: rounds of a cycle of 2 to `longest_cycle` calls.
    `alike_times`: calls in a row with one result and arguments at least `alike` (0 to 1) alike, each to the last;
    only free text may differ, because a number, a path or an id with one character changed names another thing.
    `polling`: stands in for each of these numbers where a tool declared `polling` takes part, and `blind` for the
    first two where results are unknown. Three equal calls in a row, whatever they brought, occur in 1.0 % of 2,672
    successful public runs, five in 0.2 %, three with an equal result in 0.1 %: hence 3 and 5.
    Raises ValueError for a number of times below 2 and for `alike` outside 0 to 1.
    """

    same: int | None = 3
    cycle: int | None = 3
    longest_cycle: int = 4
    alike: float = 0.95
    alike_times: int | None = 3
    polling: int | None = 20
    blind: int | None = 5

    def __post_init__(self) -> None:
        for name in ("same", "cycle", "longest_cycle", "alike_times", "polling", "blind"):
            value = getattr(self, name)
            if value is None and name != "longest_cycle":
                continue
            if isinstance(value, bool) or not isinstance(value, int) or value < 2:
                raise ValueError(f"{name} must be a whole number of at least 2, got {value!r}")
        if isinstance(self.alike, bool) or not isinstance(self.alike, (int, float)) or not 0 < self.alike <= 1:
            raise ValueError(f"alike must be above 0 and at most 1, got {self.alike!r}")


SENTENCES = {
    "en": {
        "same": "{tools} was called {count} times in a row with the same arguments and brought the same result",
        "cycle": "the same {period} calls ({tools}) came round {count} times with the same results",
        "alike": "{tools} was called {count} times in a row with nearly the same arguments and brought the same result",
        "blind": "the same {period} calls ({tools}) came round {count} times; what they brought is not known",
    },
    "zh": {
        "same": "{tools} 以相同的参数连续调用了 {count} 次，每次结果都一样",
        "cycle": "同样的 {period} 个调用（{tools}）重复了 {count} 轮，每轮结果都一样",
        "alike": "{tools} 以几乎相同的参数连续调用了 {count} 次，每次结果都一样",
        "blind": "同样的 {period} 个调用（{tools}）重复了 {count} 轮，结果不详",
    },
}


@dataclass(frozen=True, slots=True)
class Loop:
    """Why the detector fired.

    `rule`: "same", "cycle", "alike" or "blind". `period`: calls in one round, 1 for same and alike. `count`: rounds so
    far. `first_index`: position of the loop's first call among all entries added, from 0. `tools`: those of one round.
    """

    rule: str
    period: int
    count: int
    first_index: int
    tools: tuple[str, ...]

    @property
    def text(self) -> str:
        return self.say("en")

    def say(self, lang: str) -> str:
        """The reason as one sentence without a full stop, in "en" or "zh"."""
        names = ", ".join(self.tools) if lang == "en" else "、".join(self.tools)
        return SENTENCES[lang][self.rule].format(tools=names, period=self.period, count=self.count)


_NOT_ALIKE = (0, 0)
_What = tuple[str, str, str | None]  # tool, canonical arguments, result (None: unknown); long texts as their digest


_Entry = tuple[_What, int, bool]  # a call, its position among all entries added, whether its tool is polled


class LoopDetector:
    """Takes calls as they come back; says at which one a loop is going on, and again at each call while it lasts.

    It keeps the last `longest_cycle` calls and one counter for each period, however long the run.
    """

    def __init__(self, rules: LoopRules | None = None):
        self.rules = rules or LoopRules()
        self._added = 0
        self._recent: deque[_Entry] = deque(maxlen=self.rules.longest_cycle)  # the latest first
        self._whats: deque[_What] = deque(maxlen=self.rules.longest_cycle)  # of these, to look one up at once
        self._last_args: Any = None
        self._last_text = ""
        self._runs: dict[int, tuple[int, int]] = {}  # period -> calls in a row equal to the one so long before, start
        self._alike = _NOT_ALIKE  # calls in a row that are alike the one before, index of the first of all

    def add(
        self,
        tool: str,
        args: Any,
        result: str | None,
        kind: str | None = None,
        polling: bool = False,
        ignore: Collection[str] = (),
        *,
        text: str = "",
    ) -> Loop | None:
        """Take note of one finished call; a `Loop` when a rule fires.

        A `result` of None, or `kind` "unknown", means that nobody knows it: only the rule `blind` counts such calls.
        `kind` "think" (no call) and "transient" (a failure that is being retried) pass by without a trace.
        Raises TypeError when `args` hold anything that JSON does not know. `text` is `canonical(args, ignore)`, for
        callers that have it already.
        """
        index = self._added
        self._added += 1
        if kind in PASSED_BY:
            return None
        plain = args if type(args) is dict and not ignore else arguments(args, ignore)
        text = text or form(plain)
        brought = None
        if result is not None and kind != "unknown":
            brought = result if len(result) <= SHORT else digest(result)
        what = (tool, text if len(text) <= SHORT else digest(text), brought)
        self._runs = self._longer_runs(what) if what in self._whats else {}
        equal = brought is not None and self._whats and self._whats[0][2] == brought
        self._alike = self._longer_alike(what, plain) if equal else _NOT_ALIKE
        self._recent.appendleft((what, index, polling))
        self._whats.appendleft(what)
        self._last_args, self._last_text = plain, text
        return self._verdict() if self._runs or self._alike[0] else None

    def _longer_runs(self, what: _What) -> dict[int, tuple[int, int]]:
        """One more for every period at which this call equals the one so long ago; every other run is over."""
        runs: dict[int, tuple[int, int]] = {}
        for period, (past, position, _) in enumerate(self._recent, 1):
            if past == what:
                run, first = self._runs.get(period, (0, position))
                runs[period] = (run + 1, first)
        return runs

    def _longer_alike(self, what: _What, plain: Any) -> tuple[int, int]:
        """One more call with the result of the last one."""
        (tool, call, _), (last_tool, last_call, _) = what, self._whats[0]
        if tool != last_tool:
            return _NOT_ALIKE
        if call != last_call and not self._alike_last(plain):
            return _NOT_ALIKE
        run, first = self._alike
        return run + 1, first if run else self._recent[0][1]

    def _alike_last(self, plain: Any) -> bool:
        """Looked at only after an equal result: names and numbers must be equal, the wording as a whole alike."""
        if form(self._last_args) != self._last_text:
            return False  # the caller changed the last arguments in place: what they were is gone
        if form(fixed_part(plain)) != form(fixed_part(self._last_args)):
            return False
        now, before = wording(plain), wording(self._last_args)
        if 2 * min(len(now), len(before)) < self.rules.alike * (len(now) + len(before)):
            return False  # so different in length that nothing else matters
        return likeness(now, before) >= self.rules.alike

    def _verdict(self) -> Loop | None:
        alone = self._runs.get(1, (0, 0))[0] + 1
        for period, (matches, first) in self._runs.items():
            if 1 < period <= alone:
                continue  # one call on its own is no cycle
            past = list(self._recent)[:period]
            rule, least = self._rule(past)
            rounds = matches // period + 1
            if _reached(rounds, least):
                return Loop(rule, period, rounds, first, tuple(tool for (tool, _, _), _, _ in reversed(past)))
        times, ((tool, _, _), _, polling) = self._alike[0] + 1, self._recent[0]
        if _reached(times, self.rules.polling if polling else self.rules.alike_times):
            return Loop("alike", 1, times, self._alike[1], (tool,))
        return None

    def _rule(self, past: Sequence[_Entry]) -> tuple[str, int | None]:
        """Which rule a round of these calls falls under, and how many rounds it takes."""
        blind = any(result is None for (_, _, result), _, _ in past)
        rule = "blind" if blind else "same" if len(past) == 1 else "cycle"
        return rule, self.rules.polling if any(polling for _, _, polling in past) else getattr(self.rules, rule)


def _reached(count: int, least: int | None) -> bool:
    return least is not None and count >= least


class RepeatCounter:
    """How often each call has come back with the result it brought last, whatever other calls came between.

    It remembers the `KEPT_CALLS` calls that came back most recently, so its size does not grow with the run.
    """

    def __init__(self, kept: int = KEPT_CALLS):
        self._kept = kept
        self._results: dict[str, str] = {}  # call -> its last result; oldest first
        self._times: dict[str, int] = {}  # call -> how often in a row it brought that, where more than once

    def seen(self, tool: str, args: Any, ignore: Collection[str] = (), *, key: str = "") -> int:
        """How many times in a row this very call has brought one and the same result; 0 for a new call.

        `key` is `call_key` of it, for callers that have it already.
        """
        key = key or call_key(tool, args, ignore)
        return self._times.get(key, 1) if key in self._results else 0

    def add(
        self,
        tool: str,
        args: Any,
        result: str | None,
        ignore: Collection[str] = (),
        kind: str | None = None,
        *,
        key: str = "",
    ) -> int:
        """Take note of one finished call and return what `seen` now says of it; 0 when its result is unknown."""
        key = key or call_key(tool, args, ignore)
        last, times = self._results.pop(key, None), self._times.pop(key, 1)
        if result is None or kind == "unknown":
            return 0
        now = self._results[key] = result if len(result) <= SHORT else digest(result)
        if len(self._results) > self._kept:
            oldest = next(iter(self._results))
            del self._results[oldest]
            self._times.pop(oldest, None)
        if now != last:
            return 1
        self._times[key] = times + 1
        return times + 1


def first_loop(
    calls: Iterable[Sequence[Any]],
    rules: LoopRules | None = None,
    *,
    polling: Collection[str] = (),
    ignore: Collection[str] = (),
) -> int | None:
    """Index of the call at which the detector first fires in a finished list of (tool, args, result, kind), or None.

    `args` is any JSON value or a text, `result` a text or None (unknown), `kind` may be None. `polling` names tools
    whose equal results are ordinary, `ignore` arguments that do not count.
    """
    detector = LoopDetector(rules)
    for index, (tool, args, result, kind) in enumerate(calls):
        if detector.add(tool, args, result, kind, tool in polling, ignore):
            return index
    return None
