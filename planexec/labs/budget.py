"""The budget lab: one question, a dial `max_steps`; what the run becomes, and what 500 such runs become.

The single run is carried out at once. The many take seconds, so the panel lets them grow while it is looked at; they
are the same for every place of the dial (`budget_runs.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from planexec import worlds
from planexec.labs.budget_runs import Ladder, budget_runs, setting, spread_at
from planexec.labs.piles import Pile, checked, grown
from planexec.result import Result
from planexec.show.budget_curve import Curve
from planexec.trials.budgets import Spread
from planexec.trials.scenario import Scenario, carry_out
from planexec.verdicts import describe

if TYPE_CHECKING:
    from planexec.labs.panel import Panel
    from planexec.show.picture import Picture

MOST = 12  # the right end of the dial
LOOPS = ("auto", "plan", "react")
AT_ONCE = {"flights": 3, "orders": 4, "duty": 2}  # runs of a slice, where one of them is quick
PRESETS = ("articles", "careful", "reckless")


@dataclass(frozen=True)
class BudgetView:
    """One run under one budget, one sentence about it and its picture; with `spread`, many runs of the same question.

    `spread` says for every budget how many of the runs are right, cut short, and waste calls (see `trials.budgets`).
    """

    max_steps: int
    result: Result
    spread: Spread | None = None

    @property
    def text(self) -> str:
        """What happened, in one sentence."""
        return f"{self._one}; {self._many}" if self.spread else self._one

    @property
    def _one(self) -> str:
        used, of = self.result.usage.steps, self.max_steps
        if self.result.complete:
            return f"max_steps = {of}: complete after {used} steps"
        return f"max_steps = {of}: {describe(self.result.stop)}" if self.result.stop else f"max_steps = {of}: no answer"

    @property
    def _many(self) -> str:
        if self.spread is None or self.max_steps > MOST:
            return ""
        good, cut = self.spread.success(self.max_steps), self.spread.cut_short(self.max_steps)
        wasted = self.spread.calls_wasted(self.max_steps)
        done = f"{good:.0f} % right, {cut:.0f} % good ones cut short, {wasted:.1f} calls wasted a run"
        return f"of {self.spread.runs} runs: {done}"

    @property
    def _title(self) -> str:
        state = f"stopped by {self.result.stop.reason}" if self.result.stop else "complete"
        return f"max_steps = {self.max_steps}: {state} after {self.result.usage.steps} steps"

    @property
    def _curve(self) -> Curve | None:
        if self.spread is None:
            return None
        budgets, spread = range(1, MOST + 1), self.spread
        return Curve(
            f"O{self._many[1:]}",
            self.max_steps,
            [(n, spread.success(n)) for n in budgets],
            [(n, spread.cut_short(n)) for n in budgets],
            [(n, spread.calls_wasted(n)) for n in budgets],
        )

    @property
    def picture(self) -> Picture:
        from planexec.show.budget_curve import run_and_curve
        from planexec.show.figures import run_timeline

        curve = self._curve
        return run_and_curve(self.result, self._title, curve) if curve else run_timeline(self.result, self._title)

    @property
    def svg(self) -> str:
        from planexec.show.budget_curve import curve_svg
        from planexec.show.svg import timeline

        curve = self._curve
        return timeline(self.result, self._title, MOST) + (f"<div>{curve_svg(curve)}</div>" if curve else "")

    def __repr__(self) -> str:
        return self.text


def budget(
    max_steps: int = 8,
    question: str = "",
    world: str = "finance",
    preset: str = "articles",
    seed: int = 0,
    lang: str = "en",
    *,
    loop: str = "auto",
    guards: bool = True,
    runs: int = 0,
) -> BudgetView:
    """Run `question` (default: the world's own) with `max_steps` executor turns; the model is simulated, so no cost.

    `loop`: "plan", "react", or "auto", which lets the router choose. `guards`: the counters are on as well; without
    them only the limits hold a model that goes on, and a line of a plan has three turns of its own. `runs` (0 to 500):
    so many runs of it, seeds 0, 1, 2 and so on, under every budget from 1 to 12, which takes 5 to 50 milliseconds each.
    Errors: ValueError for `runs` outside that, or of a question that is none of the world's, because nobody knows what
    would be right.
    """
    spread = None
    if checked(runs):
        if not 1 <= max_steps <= MOST:
            raise ValueError(f"the runs are made for max_steps from 1 to {MOST}; got {max_steps!r}")
        spread = spread_at(_runs(question, world, preset, loop, guards, lang), runs)
    result = _one_run(max_steps, question, world, preset, seed, loop, guards, lang)
    return BudgetView(max_steps, result, spread)


@lru_cache(maxsize=64)
def _one_run(
    max_steps: int, question: str, world: str, preset: str, seed: int, loop: str, guards: bool, lang: str
) -> Result:
    """The single run, kept: while the many grow it is asked for again and again."""
    if loop not in LOOPS:
        raise ValueError(f"loop is one of {', '.join(LOOPS)}; got {loop!r}")
    asked = _name(question, world, lang) or question
    return carry_out(Scenario(world, asked, lang, loop), setting(max_steps, preset, guards), seed)


def _runs(question: str, world: str, preset: str, loop: str, guards: bool, lang: str) -> Pile[Ladder]:
    name = _name(question, world, lang)
    if not name:
        known = ", ".join(Scenario(world, lang=lang).load()[0].questions)
        raise ValueError(f"runs can be judged for the questions of the world only: {known}")
    return budget_runs(world, name, preset, loop, guards, lang)


def _name(question: str, world: str, lang: str) -> str:
    """The name of a question in its world, which may be given by its text; "" for one that is none of its own."""
    here, _ = Scenario(world, lang=lang).load()
    asked = question or here.question
    return next((name for name, text in here.questions.items() if asked in (text, name)), "")


def growing(
    max_steps: int = 8,
    question: str = "",
    world: str = "finance",
    preset: str = "articles",
    seed: int = 0,
    lang: str = "en",
    *,
    loop: str = "auto",
    guards: bool = True,
) -> Iterator[dict[str, Any] | None]:
    """The runs of `budget` for a panel, one a slice; they depend neither on `max_steps` nor on `seed`."""
    if not _name(question, world, lang):
        return iter([{}])
    return grown(_runs(question, world, preset, loop, guards, lang), at_once=AT_ONCE.get(world, 1))


def panel() -> Panel:
    """The lab with live dials."""
    from planexec.labs.panel import Dial, Panel

    dials = (
        Dial("max_steps", 8, 1, MOST),
        Dial("world", "finance", options=worlds.NAMES),
        Dial("preset", "articles", options=PRESETS),
        Dial("loop", "auto", options=LOOPS),
        Dial("guards", True, options=(True, False), label="counters on"),
        Dial("seed", 0, 0, 99),
    )
    return Panel(budget, dials, refine=growing)
