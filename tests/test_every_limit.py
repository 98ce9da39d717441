"""Every limit and every preset, one table: exactly N is used, whatever the tools do and wherever the run is killed.

Each row names a limit, its number and a run that would never end. The run goes once undisturbed and is then killed at
several effects, at every moment of an effect, and started again. Before or after an effect nothing is lost: the resumed
run ends as the undisturbed one did, to the last token. In the middle of one the call counts as made, so that the number
is the same and a run that was killed cannot get more out of a limit than one that was not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from itertools import product
from typing import Any

import pytest
from helpers_control import OFF, Counting, Killed
from helpers_kill import MOMENTS, Fused
from helpers_limits import TOOLS, UNIT, by_dead_model, by_itself, by_plan, by_react, told, used

from planexec.chat import REPLY_TOKENS, Price
from planexec.journal import Journal
from planexec.limits import Limits
from planexec.result import Result
from planexec.tools import Tool


@dataclass(frozen=True)
class Row:
    """One limit, and a run that it ends.

    `uses`: how much of it a run needs with tools that find, that fail and that time out; None: not in this row.
    `ends`: the reason of the run, or of each step for a limit `per_step`; "" where this limit ends nothing.
    `spare`: what is held back beyond a conclusion's need, so that one that was interrupted can be had again.
    """

    name: str
    limits: Limits
    uses: tuple[float | None, float | None, float | None]
    go: Callable[[Limits, Tool, Journal, Price], Any] = by_react
    price: Price = UNIT
    ends: str | None = None
    spare: float = 0

    @property
    def per_step(self) -> bool:
        return self.limits.per_step is not None

    @property
    def reason(self) -> str:
        return ("per_step." * self.per_step + self.name) if self.ends is None else self.ends

    @property
    def most(self) -> float:
        return getattr(self.limits.per_step or self.limits, self.name)


TWO = OFF.with_(max_attempts=2)
THREE = OFF.with_(max_attempts=3)


def step(**limits: Any) -> Limits:
    """Limits of each line, in a run whose plan has two lines and stays as it is."""
    return OFF.with_(max_plan_steps=2, max_replans=0, per_step=TWO.with_(**limits))


def tokens(replies: int, words: int) -> int:
    """A limit with room for so many of the longest replies, and for what is asked in words."""
    return replies * REPLY_TOKENS + words


BY_REACT = [
    Row("max_steps", TWO.with_(max_steps=3), (3, 3, 3)),
    Row("max_model_calls", TWO.with_(max_model_calls=4), (4, 4, 4)),
    Row("max_tool_calls", TWO.with_(max_tool_calls=5), (5, 5, 5)),
    Row("max_calls_per_tool", TWO.with_(max_calls_per_tool=5), (5, 5, 5)),
    Row("max_seconds", TWO.with_(max_seconds=6.0), (6, 6, 6)),
    Row("max_usd", TWO.with_(max_usd=6.0), (6, 6, 6)),
    Row("max_tokens", TWO.with_(max_tokens=tokens(6, 4_000)), (6, 6, 6)),
    Row("max_attempts", THREE.with_(max_steps=3), (1, 1, 3), ends="max_steps"),
]
BY_PLAN = [
    Row("max_steps", TWO.with_(max_steps=5), (5, 5, 5), by_plan),
    Row("max_model_calls", TWO.with_(max_model_calls=8), (8, 8, 8), by_plan),
    Row("max_tool_calls", TWO.with_(max_tool_calls=5), (5, 5, 5), by_plan),
    Row("max_calls_per_tool", TWO.with_(max_calls_per_tool=5), (5, 5, 5), by_plan),
    Row("max_seconds", TWO.with_(max_seconds=11.0), (11, 11, 11), by_plan),
    Row("max_usd", TWO.with_(max_usd=11.0), (11, 11, 11), by_plan),
    Row("max_tokens", TWO.with_(max_tokens=tokens(11, 6_000)), (11, 11, 11), by_plan),
    Row("max_attempts", THREE.with_(max_steps=3), (1, 1, 3), by_plan, ends="max_steps"),
    Row("max_replans", TWO.with_(max_replans=2), (2, 2, 2), by_plan, ends=""),
    Row("max_plan_steps", TWO.with_(max_plan_steps=4), (4, 4, 4), by_plan, ends=""),
]
PER_STEP = [
    # Where nothing was found, what is held back for the step's conclusion is not used.
    Row("max_steps", step(max_steps=2), (2, 2, 2), by_plan),
    Row("max_model_calls", step(max_model_calls=3), (3, 2, 2), by_plan),
    Row("max_tool_calls", step(max_tool_calls=3), (3, 3, 3), by_plan),
    Row("max_calls_per_tool", step(max_calls_per_tool=3), (3, 3, 3), by_plan),
    Row("max_seconds", step(max_seconds=5.0), (5, 4, 4), by_plan),
    # Held back are two replies: the one that is being asked for stands in the prompt of the conclusion.
    Row("max_usd", step(max_usd=6.0), (5, 4, 4), by_plan, spare=1),
    Row("max_tokens", step(max_tokens=tokens(6, 6_000)), (5, 4, 4), by_plan, spare=1),
    Row("max_attempts", step(max_attempts=3, max_steps=2), (1, 1, 3), by_plan, ends="per_step.max_steps"),
    Row("max_replans", step(max_replans=3).with_(max_replans=None), (3, None, None), by_itself),
]
NO_MODEL = [
    Row("max_model_calls", OFF.with_(max_model_calls=4), (4, None, None), by_dead_model),
    Row("max_seconds", OFF.with_(max_seconds=6.0), (6, None, None), by_dead_model),
    Row("max_usd", OFF.with_(max_usd=6.0), (6, None, None), by_dead_model),
    Row("max_tokens", OFF.with_(max_tokens=tokens(6, 4_000)), (6, None, None), by_dead_model),
    Row("max_attempts", THREE, (3, None, None), by_dead_model, ends="failed"),
    Row("max_replans", OFF.with_(max_replans=3), (3, None, None), by_itself),
]
CENT = Price(0.0, 1e4 / REPLY_TOKENS)
PRESETS = [
    Row("max_steps", Limits.simple(), (4, 4, 4)),
    Row("max_steps", Limits.medium(), (8, 8, 8)),
    Row("max_steps", Limits.complex(), (12, 12, None)),
    Row("max_tool_calls", Limits.complex(), (None, None, 30)),
    Row("max_steps", Limits.article(), (30, 30, None), price=CENT),
    Row("max_tool_calls", Limits.article(), (None, None, 40), price=CENT),
    Row("max_steps", Limits.simple(), (4, 4, 4), by_plan),
    Row("max_steps", Limits.medium(), (8, 8, 8), by_plan),
    Row("max_steps", Limits.complex(), (12, 12, None), by_plan),
    Row("max_tool_calls", Limits.complex(), (None, None, 30), by_plan),
    Row("max_plan_steps", Limits.article(), (8, 8, None), by_plan, CENT, ends=""),
    Row("max_tool_calls", Limits.article(), (None, None, 40), by_plan, CENT),
]
ROWS = [
    pytest.param(row, function, uses, id=f"{row.reason or row.name} {row.go.__name__} {weather}")
    for row in (*BY_REACT, *BY_PLAN, *PER_STEP, *NO_MODEL, *PRESETS)
    for (weather, function), uses in zip(TOOLS.items(), row.uses, strict=True)
    if uses is not None
]


def check(row: Row, result: Result, journal: Journal, uses: float, spare: float = 0) -> None:
    """The limit was used to its number, in every scope that it bounds, and it is the reason that is given."""
    scopes = [f"step-{each.id}" for each in result.steps] if row.per_step else [""]
    for scope in scopes:
        assert uses <= used(journal, row.name, scope) <= uses + spare
    for name, said in told(result).items():
        assert said == used(journal, name), f"{name}: what the result says is what the journal holds"
    stops = [each.stop for each in result.steps] if row.per_step else [result.stop]
    if row.reason:
        assert [stop and stop.reason for stop in stops] == [row.reason] * len(stops)
    if row.ends is None:
        assert [stop and stop.limit for stop in stops] == [row.most] * len(stops)


def kills(effects: int) -> list[int]:
    """Which effects a run is killed at: near its beginning, on both sides of its middle, and its last one."""
    return sorted({min(2, effects), min(3, effects), max(1, effects // 2), effects // 2 + 1, effects})


@pytest.mark.filterwarnings("ignore:.*can never bind")
@pytest.mark.parametrize(("row", "function", "uses"), ROWS)
def test_row_29_exactly_n_undisturbed_and_killed_anywhere(
    row: Row, function: Callable[[str], Any], uses: float
) -> None:
    undisturbed, whole = Fused(None), Counting(function)
    expected = row.go(row.limits, whole.tool(), undisturbed, row.price)
    check(row, expected, undisturbed, uses)
    for effect, moment in product(kills(undisturbed.begun), MOMENTS):
        journal, tool = Fused(None, effect, moment), Counting(function)
        with pytest.raises(Killed):
            row.go(row.limits, tool.tool(), journal, row.price)
        journal.effect = 0
        result = row.go(row.limits, tool.tool(), journal, row.price)
        check(row, result, journal, uses, row.spare if moment in ("begun", "done") else 0)
        if moment in ("before", "after"):
            assert result == expected, "nothing was in the air, so nothing may differ, the usage least of all"
            assert tool.seen == whole.seen, "what is recorded is not carried out again"


@pytest.mark.parametrize("name", [row.name for row in BY_REACT])
def test_0_lets_none_of_it_happen_in_a_run_and_in_a_step(name: str) -> None:
    """Where no call of a model may be made the digest answers; where no tool may be called, the model does."""
    for go, limits, prefix in (
        (by_react, OFF.with_(**{name: 0}), ""),
        (by_plan, step(**{name: 0}), "per_step."),
    ):
        journal = Fused(None)
        result = go(limits, Counting(TOOLS["finds"]).tool(), journal)
        stops = [each.stop for each in result.steps]
        assert [stop and (stop.reason, stop.limit) for stop in stops] == [(prefix + name, 0)] * len(stops)
        assert all(used(journal, name, f"step-{each.id}" if prefix else "") == 0 for each in result.steps)


def test_no_limit_is_left_out_of_the_table() -> None:
    names = {each.name for each in fields(Limits)} - {"per_step", "confirm_first"}
    assert {row.name for row in (*BY_REACT, *BY_PLAN)} == names
    assert {row.name for row in PER_STEP} == names - {"max_plan_steps"}, "a line of a plan has no plan of its own"
