"""The rounds lab: one step, one dial - how many rounds it gets - and what it hands over when they are used up."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from planexec.executor import carry_out_step
from planexec.labs.places import place
from planexec.limits import Limits
from planexec.models.simulated import SimulatedModel
from planexec.plans import Step
from planexec.result import StepDone
from planexec.run import Run
from planexec.show.strips import Strip, strips_picture, strips_svg

if TYPE_CHECKING:
    from planexec.labs.panel import Panel
    from planexec.show.picture import Picture

MOST = 6  # the right end of the dial
GOAL = {
    "en": "Find which sectors benefit from the cut, and the weight of each",
    "zh": "查哪些板块受益于降准，以及各板块的权重",
}
UNIT = "tool calls in the step"


@dataclass(frozen=True)
class RoundsView:
    """The step under every number of rounds from 1 to `MOST`; `rounds` is the number chosen."""

    rounds: int
    steps: dict[int, StepDone]

    @property
    def step(self) -> StepDone:
        """The step with the rounds chosen."""
        return self.steps[self.rounds]

    @property
    def text(self) -> str:
        """What happened, in one sentence."""
        return f"{_counted(self.rounds)}: {_outcome(self.step)}"

    @property
    def _strips(self) -> list[Strip]:
        return [
            Strip(_counted(rounds), len(step.calls), _outcome(step), rounds == self.rounds)
            for rounds, step in self.steps.items()
        ]

    @property
    def picture(self) -> Picture:
        return strips_picture(self._strips, self.text, UNIT)

    @property
    def svg(self) -> str:
        return strips_svg(self._strips, self.text, UNIT)

    def __repr__(self) -> str:
        return self.text


def rounds(most: int = 3, greed: float = 0.93, seed: int = 0, lang: str = "en") -> RoundsView:
    """Carry out one step of the allocation question with `most` rounds; the model is simulated, so no cost.

    `greed`: how likely it goes on although it has the answer. No guards are set, so that the rounds alone decide.
    Errors: ValueError when `most` is not from 1 to 6.
    """
    if most not in range(1, MOST + 1):
        raise ValueError(f"rounds go from 1 to {MOST}; got {most!r}")
    return RoundsView(most, _steps(greed, seed, lang))


@lru_cache(maxsize=64)
def _steps(greed: float, seed: int, lang: str) -> dict[int, StepDone]:
    """The step under every number of rounds: the dial `most` only chooses among them."""
    world = place("finance", lang)

    def step(number: int) -> StepDone:
        limits = Limits(per_step=Limits.none().with_(max_steps=number))
        model = SimulatedModel("articles", seed=seed, greed=greed)
        settings: dict[str, Any] = {"tools": world.tools, "guards": (), "lang": lang, "date": world.date, "seed": seed}
        run = Run(world.question, model=model, limits=limits, **settings)
        return carry_out_step(run, world.question, Step(3, GOAL[lang]), {})

    return {number: step(number) for number in range(1, MOST + 1)}


def _counted(rounds: int) -> str:
    """1 -> "1 round", 2 -> "2 rounds"."""
    return f"{rounds} round{'s' if rounds != 1 else ''}"


def _outcome(step: StepDone) -> str:
    """step cut after two calls -> "cut, summed up in 1,635 characters"."""
    size = f"{len(step.answer):,} characters"
    return f"cut, summed up in {size}" if step.stop is not None else f"ended by itself, {size}"


def panel() -> Panel:
    """The lab with live dials."""
    from planexec.labs.panel import Dial, Panel

    return Panel(rounds, (Dial("most", 3, 1, MOST), Dial("greed", 0.93, 0, 1, 0.05), Dial("seed", 0, 0, 99)))
