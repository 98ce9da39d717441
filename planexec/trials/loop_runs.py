"""Runs to try a loop detector on: made ones, runs of the simulated model, and recorded runs of a real small model.

    score(first_loop, samples())

What is a loop is decided here without any detector. A run of a model is a loop when it was still calling as its room
was used up, and honest when it ended by itself after at most twice the calls that the careful model makes for the same
question; what lies between is left out of the score. Of runs with equal calls one is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from planexec.limits import Limits
from planexec.result import Result
from planexec.trials.made_runs import Call, Sample, made
from planexec.trials.scenario import Scenario, Setting, carry_out

Detector = Callable[[Sequence[Call]], int | None]
ROOM = 16  # steps of a run of the simulated model; no question here needs more than six
QUESTIONS = (
    *(("finance", name) for name in ("allocation", "sectors", "split")),
    ("research", "survey"),
    *(("flights", name) for name in ("weather", "other", "on_time", "no_data", "service_down")),
    *(("orders", name) for name in ("shipped", "not_shipped", "unknown")),
    ("rivals", "compare"),
    ("duty", "prepare"),
)
FREE = Limits.none().with_(max_steps=ROOM, max_attempts=1)
CAREFUL = Setting("careful", "careful", {}, FREE, ())
FAULTY = (
    *((Setting("articles", "articles", {}, FREE, ()), seed) for seed in range(3)),
    *((Setting(f"{fault} = 1", "careful", {fault: 1}, FREE, ()), 0) for fault in ("amnesia", "panic", "greed")),
)


@cache
def wind_tunnel() -> tuple[Sample, ...]:
    """Runs of the simulated model by ReAct without guards: careful, as in the articles, and with one fault each."""
    runs: list[Sample] = []
    for world, name in QUESTIONS:
        scenario = Scenario(world, name, loop="react")
        careful = carry_out(scenario, CAREFUL, 0)
        runs.append(_sample(f"{world}/{name}, careful", careful, len(careful.calls)))
        for setting, seed in FAULTY:
            result = carry_out(scenario, setting, seed)
            runs.append(_sample(f"{world}/{name}, {setting.name}, seed {seed}", result, len(careful.calls)))
    return tuple(_distinct(runs))


def _sample(name: str, result: Result, needed: int) -> Sample:
    """What became of a run of the simulated model, where the careful one needed so many calls."""
    calls = calls_of(result)
    if result.usage.steps >= ROOM:
        return Sample(name, calls, True, "still calling when its room was used up", "wind tunnel")
    late = len(calls) > 2 * needed
    about = "ended by itself, late" if late else "ended by itself"
    return Sample(name, calls, None if late else False, about, "wind tunnel")


def calls_of(result: Result) -> tuple[Call, ...]:
    """The calls of a run as detectors take them; those that were not let through are left out."""
    return tuple((call.tool, call.args, call.text, call.kind) for call in result.calls if call.kind != "refused")


def _distinct(runs: Iterable[Sample]) -> Iterable[Sample]:
    seen: list[tuple[Call, ...]] = []
    for run in runs:
        if run.calls and run.calls not in seen:
            seen.append(run.calls)
            yield run


@cache
def recorded() -> tuple[Sample, ...]:
    """Every recorded run of a real small model that no guard held."""
    from planexec.models.local import recordings, replay

    found: list[Sample] = []
    for name in recordings():
        for run in replay(name) if name.endswith("/no-guards") else ():
            loop = run.result.stop is not None and run.result.stop.reason == "max_steps"
            about = "still calling when its room was used up" if loop else "ended by itself"
            found.append(Sample(f"{name}: {run.question.id}", calls_of(run.result), loop, about, "recorded"))
    return tuple(run for run in found if run.calls)


def samples() -> tuple[Sample, ...]:
    """All runs: made, of the simulated model, recorded."""
    return (*made().values(), *wind_tunnel(), *recorded())


def by_name() -> Mapping[str, Sample]:
    return {run.name: run for run in samples()}


@dataclass(frozen=True)
class Score:
    """How a detector did: loops it caught and missed, honest runs it took for a loop (`wrong`)."""

    loops: int
    caught: int
    honest: int
    alarms: int
    missed: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return f"{self.caught} of {self.loops} loops caught, {self.alarms} of {self.honest} honest runs called a loop"

    def __repr__(self) -> str:
        return self.text


def score(detector: Detector, runs: Iterable[Sample]) -> Score:
    """Try a detector (calls -> index of the call at which it fires, or None) on runs; `loop` None is left out."""
    listed = [run for run in runs if run.loop is not None]
    fired = {run.name: detector(list(run.calls)) is not None for run in listed}
    loops = [run.name for run in listed if run.loop]
    honest = [run.name for run in listed if not run.loop]
    missed = tuple(name for name in loops if not fired[name])
    wrong = tuple(name for name in honest if fired[name])
    return Score(len(loops), len(loops) - len(missed), len(honest), len(wrong), missed, wrong)
