"""Limits that contradict each other: one that can never bind, because another always comes first or nothing asks it.

It decides nothing in a run; whoever sets such limits is told so in a sentence each.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from dataclasses import fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planexec.limits import Limits

SMALLER = (("max_calls_per_tool", "max_tool_calls"), ("max_replans", "max_model_calls"))  # a part of the other
UNUSED = {
    "max_plan_steps": "a line of the plan has no plan of its own",
    "confirm_first": "a person agrees to the whole plan",
}  # in the limits of one step


def never_binding(limits: Limits, usd_per_call: float = 0.0, seconds_per_call: float = 0.0) -> Iterator[str]:
    """One sentence for each; with a price and a pace of one model call also for those that only these make so.

    Without these, a value that is only the default is not named: nobody chose it.
    """
    for small, large in SMALLER:
        if _above(limits, small, limits, large):
            yield f"{_is(limits, small)} can never bind: {_is(limits, large)} ends the run before"
    if limits.per_step is not None:
        yield from _of_a_step(limits.per_step, limits)
    if usd_per_call or seconds_per_call:
        yield from _at_this_pace(limits, limits.ends_at(usd_per_call, seconds_per_call))


def _of_a_step(step: Limits, whole: Limits) -> Iterator[str]:
    """The same for the limits of one line of the plan."""
    for each in fields(step):
        if each.name in UNUSED:
            if _chosen(step, each.name):
                yield f"per_step.{_is(step, each.name)} can never bind: {UNUSED[each.name]}"
        elif each.name != "per_step" and _above(step, each.name, whole, each.name):
            yield f"per_step.{_is(step, each.name)} can never bind: the whole run has {_is(whole, each.name)}"
    small, large = SMALLER[0]
    if _above(step, small, step, large):
        yield f"per_step.{_is(step, small)} can never bind: per_step.{_is(step, large)} ends the step before"
    elif _above(step, small, whole, large):
        yield f"per_step.{_is(step, small)} can never bind: {_is(whole, large)} ends the run before"


def _at_this_pace(limits: Limits, ends: dict[str, int]) -> Iterator[str]:
    """What another limit makes unreachable when every call costs and takes as much; `ends`: see `Limits.ends_at`."""
    first = min(ends, key=lambda name: (ends[name], name), default="")
    for name in ends:
        if ends[name] > ends[first]:
            yield (
                f"{name} = {getattr(limits, name):g} can never bind: at this price and pace {first} = "
                f"{getattr(limits, first):g} ends the run at {ends[first]} calls, {name} at {ends[name]}"
            )


def _is(limits: Limits, name: str) -> str:
    return f"{name} = {getattr(limits, name)}"


def _chosen(limits: Limits, name: str) -> bool:
    return getattr(limits, name) not in (None, type(limits).__dataclass_fields__[name].default)


def _above(mine: Limits, name: str, other: Limits, limit: str) -> bool:
    most = getattr(other, limit)
    return _chosen(mine, name) and most is not None and getattr(mine, name) > most


def warn_about(limits: Limits, *, own_loop: bool = False) -> None:
    """A Python warning for each limit that can never bind, at the line that called what takes the limits.

    `own_loop`: it is `Run` that takes them; where this package made the run, the limits came through something that
    has warned of them, and nothing is said twice.
    """
    if own_loop and sys._getframe(2).f_globals.get("__name__", "").startswith("planexec."):
        return
    for sentence in never_binding(limits):
        warnings.warn(sentence, UserWarning, stacklevel=3)
