"""A plan: steps that know what they need, in an order in which every step comes after those."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from planexec.plans.references import find_references
from planexec.plans.words import PlanError


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a plan. With `tool` it is a direct call of that tool with `args`, else a goal to be worked on.

    `needs`: ids of the steps that must be finished before. `expects`: "found" (at least one found observation and
    an answer) or "optional" (finding nothing does no harm).
    """

    id: int
    goal: str
    tool: str = ""
    args: Mapping[str, Any] | None = field(default=None, hash=False)
    needs: tuple[int, ...] = ()
    expects: str = "found"

    def __post_init__(self) -> None:
        if not isinstance(self.id, int) or isinstance(self.id, bool) or self.id < 0:
            raise ValueError(f"a step's id is a whole number from 0; got {self.id!r}")
        if not isinstance(self.goal, str) or not self.goal.strip():
            raise ValueError(f"step {self.id} needs a goal in words; got {self.goal!r}")
        object.__setattr__(self, "args", None if self.args is None else _copied(self.args))
        object.__setattr__(self, "needs", tuple(dict.fromkeys(self.needs)))

    def to_dict(self) -> dict[str, Any]:
        """Step(1, "a").to_dict() -> {"id": 1, "goal": "a"}: fields at their defaults are left out."""
        value: dict[str, Any] = {"id": self.id, "goal": self.goal}
        if self.tool:
            value["tool"] = self.tool
        if self.args is not None:
            value["args"] = _copied(self.args)
        if self.needs:
            value["needs"] = list(self.needs)
        return value if self.expects == "found" else value | {"expects": self.expects}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Step:
        """The inverse of `to_dict`. TypeError when a field is unknown."""
        return cls(**{**value, "needs": tuple(value.get("needs", ()))})


def _copied(value: Any) -> Any:
    """A copy of JSON values that shares nothing with them."""
    if isinstance(value, Mapping):
        return {name: _copied(each) for name, each in value.items()}
    return [_copied(each) for each in value] if isinstance(value, (list, tuple)) else value


@dataclass(frozen=True)
class Plan:
    """Steps in an order that respects their needs; otherwise the order in which they are given.

    A reference in a step's args implies a need. `finished`: ids that needs and references may name although the
    steps are not in this plan any more. Raises PlanError (a ValueError): two steps with one id, a need or reference
    that names no step, a circle.
    """

    steps: tuple[Step, ...] = ()
    finished: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        known = set(self.finished)
        for step in self.steps:
            if step.id in known:
                raise PlanError("same_id", id=step.id)
            known.add(step.id)
        before = set(self.finished)
        steps = []
        for step in self.steps:
            steps.append(_with_needs(step, before, known))
            before.add(step.id)
        object.__setattr__(self, "steps", _in_order(steps, set(self.finished)))
        object.__setattr__(self, "finished", tuple(self.finished))

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def get(self, step_id: int) -> Step | None:
        """The step with that id, or None."""
        return next((step for step in self.steps if step.id == step_id), None)

    def to_list(self) -> list[dict[str, Any]]:
        """The plan as JSON values, one object a step."""
        return [step.to_dict() for step in self.steps]

    @classmethod
    def from_list(cls, values: Iterable[Mapping[str, Any]], finished: Iterable[int] = ()) -> Plan:
        """The inverse of `to_list`."""
        return cls(tuple(Step.from_dict(value) for value in values), tuple(finished))


def _with_needs(step: Step, before: set[int], known: set[int]) -> Step:
    """The step with the needs its references imply. "$5" is money unless step 5 comes before or is needed."""
    needs = list(step.needs)
    for need in needs:
        if need not in known:
            raise PlanError("unknown_need", id=step.id, need=need)
    for reference in find_references(step.args):
        if reference.path and reference.id not in known:
            raise PlanError("unknown_reference", id=step.id, need=reference.id)
        if (reference.path or reference.id in before) and reference.id not in needs:
            needs.append(reference.id)
    return step if tuple(needs) == step.needs else replace(step, needs=tuple(needs))


def _in_order(steps: list[Step], done: set[int]) -> tuple[Step, ...]:
    """Again and again the first step whose needs are all done; PlanError when none is left that could go."""
    order: list[Step] = []
    waiting = list(steps)
    while waiting:
        place = next((place for place, step in enumerate(waiting) if done.issuperset(step.needs)), None)
        if place is None:
            raise PlanError("cycle", ids=", ".join(str(step.id) for step in waiting))
        order.append(waiting.pop(place))
        done.add(order[-1].id)
    return tuple(order)
