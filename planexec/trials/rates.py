"""Rates of single decisions: how often the simulated model, after nothing, a failure or an answer, does what.

    RATES["search reworded after nothing"](Dials(stubborn=0.4), range(200)) -> Rate(hits=..., of=...)

Each rate counts opportunities of one kind in small guardless runs of at most eight steps, so that it can be compared
with the same count in logs of real models. `data/presets_fit.json` holds such comparisons;
`benchmarks/fit_presets.py` makes them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass

from planexec.chat import system, user
from planexec.limits import Limits
from planexec.models.policy.dials import Dials
from planexec.models.simulated import SimulatedModel
from planexec.react_loop import react
from planexec.result import CallDone, Result
from planexec.run import Run
from planexec.tools import Observation, Tool, empty, failed, found

LIMITS = Limits(max_steps=8, max_attempts=1)  # as in the logged runs, and every failure is seen by the model
MISSING = "What is the total market value of the A-share market?"
SECTORS = "Which sectors benefit from a reserve-requirement cut?"
SPLIT = "How much of the 200 bn goes to banks and property each?"
WORDINGS = 5  # ways the model knows to ask MISSING: after them it has no more opportunity to reword
IDEAS = 4  # calls after which it has no idea left what else to look up about SECTORS
PLANNER = "Break the task into short steps. Reply with only a JSON array of strings."
FACTS = "[2026-10-12] Sectors that benefit\nsectors: banks, property\nweights:\n- banks: 60%\n- property: 40%"
SHARES = "[2026-10-12] Share of past inflows\n- banks: 60%\n- property: 40%"
_PERCENT = re.compile(r"\d%")


@dataclass(frozen=True, slots=True)
class Rate:
    """`hits` of so many opportunities. `share` is 0 to 1, None where there was no opportunity."""

    hits: int
    of: int

    @property
    def share(self) -> float | None:
        return self.hits / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class Decision:
    """A call, the ones before it, and what followed: the next call, or None when the model ended by itself."""

    before: tuple[CallDone, ...]
    call: CallDone
    after: CallDone | None

    @property
    def same(self) -> bool:
        """The very same call was made again."""
        return self.after is not None and alike(self.after, self.call)

    @property
    def fresh(self) -> bool:
        """The call was not itself a repetition of the one before."""
        return not self.before or not alike(self.before[-1], self.call)


def alike(one: CallDone, other: CallDone) -> bool:
    """Same tool, same arguments."""
    return (one.tool, one.args) == (other.tool, other.args)


def decisions(result: Result) -> Iterator[Decision]:
    """Every decision of a run; the last call is none when a limit came after it."""
    calls = result.calls
    for index, call in enumerate(calls):
        if index + 1 < len(calls) or ended(result):
            after = calls[index + 1] if index + 1 < len(calls) else None
            yield Decision(tuple(calls[:index]), call, after)


def ended(result: Result) -> bool:
    """The model ended by itself: no limit came first."""
    return result.stop is None or result.stop.reason in ("no_data", "failed")


def _run(question: str, dials: Dials, seed: int) -> Result:
    model = SimulatedModel("careful", seed=seed, worlds=("finance",), **asdict(dials))
    return react(question, model, _TOOLS[question](), LIMITS, guards=(), date="2026-11-02")


def _search(says: Observation) -> Tool:
    return Tool("search_knowledge", "Search the knowledge base of economic facts.", lambda query: says)


def _broken() -> Tool:
    def calculate(expression: str, each: dict[str, str] | None = None) -> Observation:
        return failed("calculate failed: timed out")

    return Tool("calculate", "Calculate an expression, with `each` for every value.", calculate)


_TOOLS: dict[str, Callable[[], list[Tool]]] = {
    MISSING: lambda: [_search(empty("No results found."))],
    SECTORS: lambda: [_search(found(FACTS))],
    SPLIT: lambda: [_search(found(SHARES)), _broken()],
}


def _counted(opportunities: Iterable[bool]) -> Rate:
    listed = list(opportunities)
    return Rate(sum(listed), len(listed))


def _after_nothing(dials: Dials, seeds: Iterable[int]) -> Iterator[Decision]:
    """Decisions after an empty result, while there is a wording left."""
    for seed in seeds:
        for each in decisions(_run(MISSING, dials, seed)):
            if len({str(call.args) for call in (*each.before, each.call)}) < WORDINGS:
                yield each


def reworded(dials: Dials, seeds: Iterable[int]) -> Rate:
    return _counted(each.after is not None and not each.same for each in _after_nothing(dials, seeds))


def same_after_nothing(dials: Dials, seeds: Iterable[int]) -> Rate:
    return _counted(each.same for each in _after_nothing(dials, seeds) if each.same or each.after is None)


def _after_failure(dials: Dials, seeds: Iterable[int]) -> Iterator[Decision]:
    for seed in seeds:
        for each in decisions(_run(SPLIT, dials, seed)):
            if each.call.kind == "failed" and each.fresh:
                yield each


def same_after_failure(dials: Dials, seeds: Iterable[int]) -> Rate:
    return _counted(each.same for each in _after_failure(dials, seeds))


def started_over(dials: Dials, seeds: Iterable[int]) -> Rate:
    fresh = (each for each in _after_failure(dials, seeds) if not each.same and each.before)
    return _counted(each.after is not None and alike(each.after, each.before[0]) for each in fresh)


def went_on(dials: Dials, seeds: Iterable[int]) -> Rate:
    runs = (decisions(_run(SECTORS, dials, seed)) for seed in seeds)
    return _counted(each.after is not None for run in runs for each in run if len(each.before) < IDEAS - 1)


def untidy_plans(dials: Dials, seeds: Iterable[int]) -> Rate:
    return _counted(not plain_array(_planned(dials, seed)) for seed in seeds)


def _planned(dials: Dials, seed: int) -> str:
    model = SimulatedModel("careful", seed=seed, worlds=("finance",), **asdict(dials))
    with Run(MISSING, model=model, date="2026-11-02") as run:
        return run.model([system(PLANNER), user(json.dumps({"task": SECTORS, "tools": [], "max_plan_steps": 5}))]).text
    return ""


def plain_array(text: str) -> bool:
    """plain_array('["a", "b"]') -> True; a fence, prose, quotes of the wrong kind, objects, a cut array: False."""
    try:
        value = json.loads(text)
    except ValueError:
        return False
    return isinstance(value, list) and bool(value) and all(isinstance(each, str) for each in value)


def invented(dials: Dials, seeds: Iterable[int]) -> Rate:
    return _counted(bool(_PERCENT.search(_run(MISSING, dials, seed).answer)) for seed in seeds)


def _whole(question: str, counts: Callable[[Result], bool]) -> Callable[[Dials, Iterable[int]], Rate]:
    return lambda dials, seeds: _counted(counts(_run(question, dials, seed)) for seed in seeds)


def _repeats(question: str) -> Callable[[Dials, Iterable[int]], Rate]:
    """Calls that had been made before, of all calls."""

    def counted(dials: Dials, seeds: Iterable[int]) -> Rate:
        runs = [_run(question, dials, seed).calls for seed in seeds]
        new = sum(len({(call.tool, str(call.args)) for call in calls}) for calls in runs)
        calls = sum(map(len, runs))
        return Rate(calls - new, calls)

    return counted


RATES: dict[str, Callable[[Dials, Iterable[int]], Rate]] = {
    "plan that is no plain array of texts": untidy_plans,
    "search reworded after nothing": reworded,
    "same call after nothing, where not reworded": same_after_nothing,
    "same call after a failure": same_after_failure,
    "first call again after a failure, where not repeated": started_over,
    "another call with the answer in hand": went_on,
    "something claimed although nothing was found": invented,
    "nothing to find: ended by itself within 8 steps": _whole(MISSING, ended),
    "nothing to find: calls made before": _repeats(MISSING),
    "answer at once: ended by itself within 8 steps": _whole(SECTORS, ended),
    "answer at once: calls made before": _repeats(SECTORS),
}
