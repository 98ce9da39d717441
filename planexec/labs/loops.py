"""The loops lab: one finished run, the thresholds of the detector, where it fires, and what the thresholds cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from planexec.loops import Loop, LoopDetector, LoopRules, first_loop
from planexec.trials.loop_runs import Score, by_name, samples, score
from planexec.trials.made_runs import Sample, made
from planexec.trials.public_runs import public_runs

if TYPE_CHECKING:
    from planexec.labs.panel import Panel
    from planexec.show.picture import Picture


@dataclass(frozen=True)
class LoopsView:
    """One run under some rules: the alarm and its place, and how the rules do on all runs of the lab.

    `public`: rule -> per cent of the successful public runs of six or more calls in which it fires by itself, where
    that was counted: "same" (so many same calls with the same result in a row) and "cycle".
    """

    sample: Sample
    rules: LoopRules
    at: int | None
    alarm: Loop | None
    score: Score
    public: Mapping[str, float]

    @property
    def text(self) -> str:
        """Where it fires and why, and what the thresholds cost, in one sentence."""
        where = f"alarm at call {self.at + 1}: {self.alarm.text}" if self.alarm and self.at is not None else "no alarm"
        counted = " and ".join(f"{rule} in {percent:g} %" for rule, percent in self.public.items())
        public = f"; in good public runs of six or more calls, {counted}" if counted else ""
        return f"{self.sample.name} ({self.sample.about}): {where}. On all runs: {self.score}{public}"

    @property
    def table(self) -> str:
        """Which loops go unnoticed and which honest runs are called one, by name."""
        named = (("loops not caught", self.score.missed), ("honest runs called a loop", self.score.wrong))
        return "\n".join(f"{what}, {len(names)}: {', '.join(names) or 'none'}" for what, names in named)

    @property
    def _title(self) -> str:
        if self.alarm is None or self.at is None:
            return f"{self.sample.name}: {len(self.sample.calls)} calls, no alarm"
        return f"{self.sample.name}: alarm at call {self.at + 1} of {len(self.sample.calls)} (rule {self.alarm.rule})"

    @property
    def picture(self) -> Picture:
        from planexec.show.keys import keys_picture, squares

        return keys_picture(squares(self.sample.calls), self.at, self._title)

    @property
    def svg(self) -> str:
        from planexec.show.keys import keys_svg, squares

        return keys_svg(squares(self.sample.calls), self.at, self._title)

    def __repr__(self) -> str:
        return self.text


def choices() -> tuple[str, ...]:
    """The names of the runs: made ones first, then the simulated model's, then recorded ones."""
    return tuple(run.name for run in samples())


def loops(
    run: str = "exact",
    same: int | None = 3,
    cycle: int | None = 3,
    alike: float | None = 0.95,
    polling: bool = True,
) -> LoopsView:
    """Look at `run` (one of `choices()`) with these thresholds; None switches a rule off.

    `same`, `cycle`: times from which on it is a loop. `alike`: how alike two wordings must be, 0 to 1, to count as the
    same. `polling`: heed that a tool says it is polled. Errors: ValueError for a run that there is not, or thresholds
    that make no sense.
    """
    sample = made().get(run) or by_name().get(run)
    if sample is None:
        raise ValueError(f"no run is named {run!r}; there are {', '.join(choices())}")
    times = None if alike is None else same or 3
    rules = LoopRules(same, cycle, alike=alike or 1.0, alike_times=times, blind=None)
    at, alarm = _first(sample, rules, polling)
    return LoopsView(sample, rules, at, alarm, _score(rules), _public(same, cycle))


def _public(same: int | None, cycle: int | None) -> Mapping[str, float]:
    """{"same": 0.6, "cycle": 0.0}: what each of the two costs; without a rule that is off, or a k nobody counted."""
    runs = public_runs()
    asked = (("same", "same_result", same), ("cycle", "cycle", cycle))
    found = ((name, runs.percent(rule, k, long=True)) for name, rule, k in asked if k is not None)
    return {name: percent for name, percent in found if percent is not None}


def _first(sample: Sample, rules: LoopRules, polling: bool) -> tuple[int | None, Loop | None]:
    detector = LoopDetector(rules)
    for index, (tool, args, result, kind) in enumerate(sample.calls):
        alarm = detector.add(tool, args, result, kind, polling and tool in sample.polling)
        if alarm is not None:
            return index, alarm
    return None, None


@lru_cache(maxsize=256)
def _score(rules: LoopRules) -> Score:
    return score(lambda calls: first_loop(calls, rules), samples())


def panel() -> Panel:
    """The lab with live dials; every run of `choices()` can be looked at."""
    from planexec.labs.panel import Dial, Panel

    dials = (
        Dial("run", "exact", options=choices()),
        Dial("same", 3, 2, 8, optional=True, label="same call in a row"),
        Dial("cycle", 3, 2, 6, optional=True, label="rounds of a cycle"),
        Dial("alike", 0.95, 0.8, 1, 0.01, optional=True, label="nearly equal from"),
        Dial("polling", True, options=(True, False), label="heed polling"),
    )
    return Panel(loops, dials)
