"""The counters lab: runs that cannot stop, a line in the prompt, two counters in code, and honest chains beside them.

Three runs by ReAct cannot stop: what is looked for is not there; the answer is there and is not enough; the answer is
there and is not believed. Two honest chains are carried out by a plan with the same counters: a stop there is a false
alarm. The model is simulated; its dials `stubborn` and `greed` are ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from planexec.agent import PlanExecuteAgent
from planexec.guards import Enough, Guard, NoResult
from planexec.labs.lane_view import LaneView
from planexec.labs.places import place
from planexec.limits import Limits
from planexec.models.simulated import SimulatedModel
from planexec.react_loop import PROMPT, react
from planexec.result import Result
from planexec.show.lanes import Lane, Mark

if TYPE_CHECKING:
    from planexec.labs.panel import Panel

PROMPT_LINE = {
    "en": "If a search finds nothing twice, stop searching for it and answer from what you have.",
    "zh": "同一内容搜索两次没有结果，就停止搜索，根据已有信息作答。",
}
ROOM = Limits.none().with_(max_steps=8, max_attempts=1)  # of a run by ReAct
CASES = {
    "cannot find": ("finance", "allocation"),
    "found, goes on": ("finance", "sectors"),
    "found, doubts": ("flights", "on_time"),
}
CHAINS = {"five-step chain": ("finance", "allocation"), "four-step chain": ("finance", "split")}
SCOPES = ("step", "run")
COUNTED = ("no_data", "enough")  # the reasons of the two counters


def by_react(
    case: str = "cannot find",
    guards: tuple[Guard, ...] = (),
    *,
    prompt_line: bool = False,
    seed: int = 0,
    lang: str = "en",
    **dials: Any,
) -> Result:
    """One run that cannot stop (one of `CASES`), by ReAct with room for eight steps. KeyError for another case."""
    name, question = CASES[case]
    world = place(name, lang)
    prompt = f"{PROMPT[lang]} {PROMPT_LINE[lang]}" if prompt_line else None
    model, held = SimulatedModel("articles", seed=seed, **dials), {"guards": guards, "lang": lang, "date": world.date}
    return react(world.questions[question], model, world.tools, ROOM, prompt=prompt, **held)


def by_plan(chain: str = "five-step chain", guards: tuple[Guard, ...] = (), *, lang: str = "en") -> Result:
    """An honest chain (one of `CHAINS`), by a plan and a careful model, which needs every one of its calls."""
    name, question = CHAINS[chain]
    world, model = place(name, lang), SimulatedModel("careful")
    held: dict[str, Any] = {"guards": guards, "date": world.date, "loop": "plan"}
    return PlanExecuteAgent(model, world.tools, Limits(max_steps=20), lang, **held).run(world.questions[question])


@dataclass(frozen=True, repr=False)
class CountersView(LaneView):
    """All five runs under one setting; `guards` are the counters in force."""

    guards: tuple[Guard, ...]
    runs: dict[str, Result]
    chains: dict[str, Result]
    axis = "tool call"

    @property
    def false_alarms(self) -> tuple[str, ...]:
        """The honest chains that a counter cut."""
        return tuple(name for name, result in self.chains.items() if _fired(result) and not result.complete)

    @property
    def calls(self) -> dict[str, int]:
        """Tool calls of each run."""
        return {name: len(result.calls) for name, result in {**self.runs, **self.chains}.items()}

    @property
    def lanes(self) -> tuple[Lane, ...]:  # type: ignore[override]
        return tuple(Lane(name, _marks(result)) for name, result in {**self.runs, **self.chains}.items())

    @property
    def text(self) -> str:
        """Calls and ends of all runs, in one sentence."""
        said = [f"{name}: {_count(result)}, {_end(result)}" for name, result in self.runs.items()]
        said += [
            f"{name}: {_count(result)}, {'FALSE ALARM' if name in self.false_alarms else _end(result)}"
            for name, result in self.chains.items()
        ]
        return "; ".join(said)

    @property
    def title(self) -> str:
        held = sum(_fired(result) for result in self.runs.values())
        alarms = f"{len(self.false_alarms)} of {len(self.chains)} honest chains cut"
        return f"{held} of {len(self.runs)} runs ended by a counter, {alarms}"


def _fired(result: Result) -> bool:
    """A counter ended the run. A run in which nothing was found ends as "no_data" by itself, too, without a limit."""
    return result.stop is not None and result.stop.reason in COUNTED and result.stop.limit is not None


def _end(result: Result) -> str:
    return "ended by itself" if result.stop is None else result.stop.reason


def _count(result: Result) -> str:
    """5 calls, or 5 calls (2 empty)"""
    empty = sum(call.kind == "empty" for call in result.calls)
    return f"{len(result.calls)} calls" + (f" ({empty} empty)" if empty else "")


def _marks(result: Result) -> tuple[Mark, ...]:
    """The calls, and half a call later the stop, where something stopped it."""
    calls = [Mark(number, call.kind, f"{call.tool} {call.args}") for number, call in enumerate(result.calls, 1)]
    if result.stop is not None:
        calls.append(Mark(len(calls) + 0.5, "stop", result.stop.reason))
    return tuple(calls)


def counters(
    no_result: int | None = 3,
    enough: int | None = 4,
    scope: str = "step",
    prompt_line: bool = False,
    stubborn: float = 0.97,
    greed: float = 0.93,
    seed: int = 0,
    lang: str = "en",
) -> CountersView:
    """Five runs under two counters: `no_result` empty results in a row, `enough` calls with something found; None: off.

    `scope`: "step" counts anew in each line of a plan, "run" over everything, as articles print it. `prompt_line`: the
    model is told to stop after two empty searches. Errors: ValueError for another scope or a dial outside 0 to 1.
    """
    if scope not in SCOPES:
        raise ValueError(f"scope is one of {', '.join(SCOPES)}; got {scope!r}")
    guards: list[Guard] = []
    if no_result is not None:
        guards.append(NoResult(nudge=max(1, no_result - 1), stop=no_result, scope=scope))
    if enough is not None:
        guards.append(Enough(calls=enough, scope=scope))
    held, dials = tuple(guards), {"stubborn": stubborn, "greed": greed}
    runs = {case: by_react(case, held, prompt_line=prompt_line, seed=seed, lang=lang, **dials) for case in CASES}
    return CountersView(held, runs, {chain: by_plan(chain, held, lang=lang) for chain in CHAINS})


def panel() -> Panel:
    """The lab with live dials; each counter can be switched off."""
    from planexec.labs.panel import Dial, Panel

    dials = (
        Dial("no_result", 3, 1, 8, optional=True, label="empty results in a row"),
        Dial("enough", 4, 1, 8, optional=True, label="calls, once found"),
        Dial("scope", "step", options=SCOPES, label="counted over"),
        Dial("prompt_line", False, options=(True, False), label="the line in the prompt"),
        Dial("stubborn", 0.97, 0, 1, 0.01),
        Dial("greed", 0.93, 0, 1, 0.01),
        Dial("seed", 0, 0, 99),
    )
    return Panel(counters, dials)
