"""One question under every budget, many seeds: what the budget lab draws beside its single run.

    runs = budget_runs("finance", "allocation")
    spread_at(runs, 50).success(8)     # per cent of the first 50 that are right under max_steps = 8

The same run serves every place of the dial: one that ended before its budget is the same under every larger one and is
not carried out again. What is counted, and how, is said in `trials/budgets.py`.
"""

from __future__ import annotations

from functools import lru_cache

from planexec.labs.piles import Pile
from planexec.limits import Limits
from planexec.trials.answers import rule_for
from planexec.trials.budgets import BUDGETS, Spread, spread_of
from planexec.trials.judge import judge
from planexec.trials.scenario import Scenario, Setting, carry_out

Rung = tuple[bool, int, int]  # right or not, turns used, tool calls
Ladder = tuple[Rung, ...]  # one for each of `BUDGETS`


@lru_cache(maxsize=64)
def budget_runs(
    world: str, question: str, preset: str = "articles", loop: str = "auto", guards: bool = True, lang: str = "en"
) -> Pile[Ladder]:
    """The ladders of one question of a world (by its name there), kept from one turn of a dial to the next."""
    scenario = Scenario(world, question, lang, loop)
    settings = [setting(budget, preset, guards) for budget in BUDGETS]

    def climb(seed: int) -> Ladder:
        rungs: list[Rung] = []
        for before, held in zip((0, *BUDGETS), settings, strict=False):
            rungs.append(rungs[-1] if rungs and rungs[-1][1] < before else _rung(scenario, held, seed))
        return tuple(rungs)

    return Pile(climb)


def setting(max_steps: int, preset: str = "articles", guards: bool = True) -> Setting:
    """A budget, with the counters or without."""
    return Setting(preset=preset, limits=Limits(max_steps=max_steps), guards=None if guards else ())


def _rung(scenario: Scenario, setting: Setting, seed: int) -> Rung:
    result, rule = carry_out(scenario, setting, seed), rule_for(scenario)
    outcome = judge(result, rule)
    success = outcome == "right" or (outcome == "no data" and rule.none)
    return success, result.usage.steps, result.usage.tool_calls


@lru_cache(maxsize=64)
def spread_at(runs: Pile[Ladder], count: int) -> Spread:
    """What each budget does to the first `count` runs. Tokens are not counted here."""
    return spread_of([_row(rung) for rung in ladder] for ladder in runs.first(count))


def _row(rung: Rung) -> dict[str, int]:
    right, steps, calls = rung
    return {"success": right, "steps": steps, "tool_calls": calls, "prompt_tokens": 0, "completion_tokens": 0}
