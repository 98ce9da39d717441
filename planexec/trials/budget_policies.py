"""Ways to choose a budget, tried on the kept runs: one number for all, three grades, or one for each kind.

outcome(fixed(12)), outcome(graded), outcome(learned())
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from planexec.limits import Limits
from planexec.trials.budgets import KINDS, ROOM, Spread, spreads

Policy = Callable[[str], int]  # a kind of question -> its budget


def fixed(budget: int) -> Policy:
    return lambda kind: budget


def graded(kind: str) -> int:
    """Simple 4, medium 8, complex 12, as published."""
    limits: Limits = getattr(Limits, KINDS[kind].grade)()
    return limits.max_steps or ROOM


def learned(share: float = 0.95, name: str = "bare", blocks: Iterable[int] = (0, 1)) -> Policy:
    """A budget for each kind from its own runs: the least one under which `share` of the good ones stay good."""
    least = {kind: spread.least(share) for kind, spread in spreads(name, blocks).items()}
    return least.__getitem__


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a policy comes to on a mix in which every kind of question is as frequent as the others."""

    success: float
    cut_short: float
    calls_wasted: float
    tokens: float


def outcome(policy: Policy, name: str = "bare", blocks: Iterable[int] = (2, 3)) -> Outcome:
    """`policy` tried on kept runs; by default on other seeds than those that `learned` has seen."""
    kept = spreads(name, blocks)

    def mean(measure: Callable[[Spread, int], float]) -> float:
        return sum(measure(spread, policy(kind)) for kind, spread in kept.items()) / len(kept)

    return Outcome(*map(mean, (Spread.success, Spread.cut_short, Spread.calls_wasted, Spread.tokens_used)))
