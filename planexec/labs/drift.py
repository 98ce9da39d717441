"""The drift lab: the survey by ReAct and by a plan, the same model, seed and searches; how far each gets round.

Beside the two runs stand many: how many sides both have covered after each search, on average over the seeds. A run
with fewer searches is the beginning of the one with more, so they are carried out once for every place of that dial.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from statistics import mean
from typing import TYPE_CHECKING, Any

from planexec.agent import PlanExecuteAgent
from planexec.labs.piles import Pile, checked, grown
from planexec.labs.places import place
from planexec.limits import Limits
from planexec.models.simulated import SimulatedModel
from planexec.react_loop import react
from planexec.result import Result
from planexec.trials.survey import SIDES, covered, shipped, sides_by_round

if TYPE_CHECKING:
    from planexec.labs.panel import Panel
    from planexec.show.paths import Path
    from planexec.show.picture import Picture

STEPS = 20  # room enough for any plan: only the searches are rationed
MOST = 12  # searches: the right end of the dial
SHOWN = (10, 50, 100)  # after so many seeds there is a new picture
Sides = tuple[tuple[str, ...], tuple[str, ...]]  # the side of each search, by ReAct and by the plan


@dataclass(frozen=True)
class DriftView:
    """Both runs of the survey. Sides are those of `trials.survey`; `rounds` is how many searches each may make.

    `seeds`: the sides that many such pairs went to, search by search, with as many searches as the dial has.
    """

    drift: float
    rounds: int
    react: Result
    plan: Result
    lang: str = "en"
    seeds: tuple[Sides, ...] = ()

    @property
    def results(self) -> dict[str, Result]:
        return {"ReAct": self.react, "plan": self.plan}

    @property
    def sides(self) -> dict[str, tuple[str, ...]]:
        """The sides each has covered, in the order in which it reached them."""
        return {name: covered(result, shipped(self.lang)) for name, result in self.results.items()}

    @property
    def text(self) -> str:
        """Coverage and cost of both, in one sentence."""
        one = "; ".join(
            f"{path.name} {len(self.sides[path.name])} of {len(SIDES)} sides, {path.note}" for path in self.paths
        )
        many = f"; {self._on_average}" if self.seeds else ""
        return f"drift = {self.drift:g}, {self.rounds} searches: {one}{many}"

    @cached_property
    def coverage(self) -> dict[str, list[tuple[float, float]]]:
        """Points (searches, sides covered by then, on average over the seeds) of both."""
        return {
            name: [(n, mean(len(set(pair[which][:n]) - {""}) for pair in self.seeds)) for n in range(1, MOST + 1)]
            for which, name in enumerate(self.results)
        }

    @property
    def _on_average(self) -> str:
        """over 100 seeds: ReAct 1.4 sides, plan 5.0"""
        each = ", ".join(f"{name} {points[self.rounds - 1][1]:.1f}" for name, points in self.coverage.items())
        return f"over {len(self.seeds)} seeds: {each} sides on average"

    @property
    def paths(self) -> list[Path]:
        """Which side each search was about."""
        from planexec.show.paths import Path

        return [
            Path(name, sides_by_round(result, shipped(self.lang)), _cost(result))
            for name, result in self.results.items()
        ]

    @property
    def _title(self) -> str:
        counts = {name: len(sides) for name, sides in self.sides.items()}
        return f"ReAct covers {counts['ReAct']} of {len(SIDES)} sides, the plan {counts['plan']}"

    @property
    def picture(self) -> Picture:
        from planexec.show.paths import paths_picture

        return paths_picture(self.paths, SIDES, self._title, "search")

    @property
    def svg(self) -> str:
        from planexec.show.paths import paths_svg
        from planexec.show.svg import chart

        drawn = paths_svg(self.paths, SIDES, self._title, "search")
        if not self.seeds:
            return drawn
        title = f"O{self._on_average[1:]} after {self.rounds} searches"
        held = {"top": len(SIDES), "marked": self.rounds}
        return f"{drawn}<div>{chart(self.coverage, title, 'search', 'sides covered', **held)}</div>"

    def __repr__(self) -> str:
        return self.text


def _cost(result: Result) -> str:
    return f"{result.usage.model_calls} model calls, ${result.usage.usd or 0:.4f}"


def drift(drift: float = 0.9, rounds: int = 6, seed: int = 0, lang: str = "en", *, runs: int = 0) -> DriftView:
    """Survey with `rounds` searches, by ReAct and by a plan; `drift` is the model's (0 to 1). Simulated: no cost.

    `runs` (0 to 100): so many pairs more, seeds 0, 1, 2 and so on. Errors: ValueError for `runs` outside that, and
    with runs for more than 12 searches.
    """
    pairs: tuple[Sides, ...] = ()
    if checked(runs, SHOWN[-1]):
        if not 1 <= rounds <= MOST:
            raise ValueError(f"the runs are made for 1 to {MOST} searches; got {rounds!r}")
        pairs = _many(drift, lang).first(runs)
    return DriftView(drift, rounds, *_both(drift, rounds, seed, lang), lang, pairs)


@lru_cache(maxsize=32)
def _both(drift: float, rounds: int, seed: int, lang: str) -> tuple[Result, Result]:
    world = place("research", lang)
    model = SimulatedModel("articles", seed=seed, drift=drift)
    room = Limits(max_tool_calls=rounds, max_steps=STEPS)
    alone = react(world.question, model, world.tools, room, guards=(), lang=lang, date=world.date)
    agent = PlanExecuteAgent(model, world.tools, room, lang, guards=(), date=world.date, loop="plan")
    return alone, agent.run(world.question)


@lru_cache(maxsize=32)
def _many(drift: float, lang: str) -> Pile[Sides]:
    def sides(seed: int) -> Sides:
        alone, planned = (sides_by_round(each, shipped(lang)) for each in _both(drift, MOST, seed, lang))
        return alone, planned

    return Pile(sides)


def growing(drift: float = 0.9, rounds: int = 6, seed: int = 0, lang: str = "en") -> Iterator[dict[str, Any] | None]:
    """The pairs of `drift` for a panel; they depend on the model and the language only."""
    return grown(_many(drift, lang), SHOWN)


def panel() -> Panel:
    """The lab with live dials."""
    from planexec.labs.panel import Dial, Panel

    dials = (Dial("drift", 0.9, 0, 1, 0.05), Dial("rounds", 6, 1, MOST), Dial("seed", 0, 0, 99))
    return Panel(drift, dials, refine=growing)
