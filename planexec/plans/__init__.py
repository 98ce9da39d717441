"""Plans: their steps, what a model's text says they are, and what a replanner's answer leaves of them.

Reading never fails and never guesses: `ReadPlan.status` is "parsed", "empty" (the text says that there is nothing to
do) or "unreadable", and `why` says what was wrong or remarked. Asking again, falling back and limiting the length are
the planner's business. Everything about plans is imported from here; the parts live in the files beside.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from planexec.plans.changes import Changes, changes, goal_key, same_goal
from planexec.plans.items import Item
from planexec.plans.reading import read_items
from planexec.plans.references import Blocked, fill, find_references, references
from planexec.plans.steps import Plan, Step
from planexec.plans.words import PlanError, Remark, say, say_all

__all__ = [
    "Blocked",
    "Changes",
    "Plan",
    "PlanError",
    "ReadPlan",
    "Step",
    "changes",
    "fill",
    "read_plan",
    "read_remainder",
    "references",
    "same_goal",
]

MAX_GOAL_CHARS = 1_000  # of one goal; the rest is cut with a visible mark
EXPECTS = ("found", "optional")  # what a step must bring: a finding, or an honest "nothing there" as well


@dataclass(frozen=True, slots=True)
class ReadPlan:
    """What a text says: `status` "parsed", "empty" or "unreadable"; `why` is blank when there is nothing to remark.

    `steps` is filled only when parsed: of an unreadable text not even the part that looked whole is taken.
    """

    status: str
    steps: tuple[Step, ...] = ()
    why: str = ""


def read_plan(text: object, lang: str = "en") -> ReadPlan:
    """Read the plan in a model's answer; see `reading.py` for the forms. Never raises on any input.

    read_plan('Sure: ["find it", "compare"]').steps -> (Step(1, "find it"), Step(2, "compare"))
    """
    try:
        items, remarks = read_items(text)
        items = _without_doubles(items, remarks)
        if not any(item.id is not None for item in items):
            linked = any(item.needs or find_references(item.args) for item in items)
            ids = [item.number if linked else place for place, item in enumerate(items, 1)]
        else:
            fresh = iter(range(max(item.id or 0 for item in items) + 1, 10**10))
            ids = [next(fresh) if item.id is None else item.id for item in items]
        steps = [_step(item, number, remarks, lang) for item, number in zip(items, ids, strict=True)]
        return _read(steps, (), remarks, lang)
    except PlanError as problem:
        return ReadPlan("unreadable", (), problem.say(lang))


def read_remainder(
    text: object, remaining: Sequence[Step], done: Sequence[Step], lang: str = "en", taken: Iterable[int] = ()
) -> ReadPlan:
    """Read a replanner's answer: what is left to do, as {id, goal} objects or bare goals. Never raises.

    An item whose goal is that of a remaining step, else one with its id, is that step; when only the id agrees it
    has new words and loses its call, which fitted the old ones. Steps in `done` cannot return. Everything else is
    new and gets an id above all used ones, `taken` among them. "empty" = nothing is left.
    """
    try:
        items, remarks = read_items(text, any_start=True)
        used = (*(step.id for step in done), *taken)
        left = _without_doubles(_not_finished(items, remaining, done, remarks), remarks)
        if items and not left:
            raise PlanError("only_finished")
        steps = _remainder(left, remaining, used, remarks, lang)
        known = {*used, *(step.id for step in steps)}
        return _read([_without_stale_needs(step, known) for step in steps], used, remarks, lang)
    except PlanError as problem:
        return ReadPlan("unreadable", (), problem.say(lang))


def _read(steps: list[Step], finished: tuple[int, ...], remarks: list[Remark], lang: str) -> ReadPlan:
    plan = Plan(tuple(steps), finished)
    if [step.id for step in plan] != [step.id for step in steps]:
        remarks.append(("sorted", {}))
    return ReadPlan("parsed" if steps else "empty", plan.steps, say_all(remarks, lang))


def _without_doubles(items: list[Item], remarks: list[Remark]) -> list[Item]:
    """An item that says the same as an earlier one is left out, unless another step needs just this one."""
    wanted = {need for item in items for need in (*item.needs, *references(item.args))}
    kept: dict[tuple[Any, ...], Item] = {}
    for item in items:
        key: tuple[Any, ...] = (
            " ".join(item.goal.casefold().split()).rstrip(".。;；!！"),
            item.tool,
            json.dumps(item.args, sort_keys=True) if item.args else repr(item.args),
        )
        own = item.number if item.id is None else item.id
        if key in kept and (own not in wanted or item.id == kept[key].id is not None):
            remarks.append(("same_dropped", {"goal": item.goal[:80]}))
        else:
            kept[key if key not in kept else (*key, item.number)] = item
    return list(kept.values())


def _step(item: Item, number: int, remarks: list[Remark], lang: str) -> Step:
    """The step an item stands for. An over-long goal is cut where everybody can see it."""
    goal = item.goal
    if len(goal) > MAX_GOAL_CHARS:
        mark = say("cut_mark", lang, size=len(goal))
        remarks.append(("goal_cut", {"id": number, "size": len(goal), "limit": MAX_GOAL_CHARS}))
        goal = goal[: MAX_GOAL_CHARS - len(mark)] + mark
    if item.args and not item.tool:
        remarks.append(("args_dropped", {"id": number}))
    args = (item.args or {}) if item.tool else None
    expects = item.expects if item.expects in EXPECTS else "found"
    return Step(number, goal, item.tool, args, item.needs, expects)


def _not_finished(
    items: list[Item], remaining: Sequence[Step], done: Sequence[Step], remarks: list[Remark]
) -> list[Item]:
    """The items without those that are finished: by goal, or by an id that is not followed by a remaining goal."""
    open_goals = {goal_key(step.goal) for step in remaining}
    done_goals = {goal_key(step.goal) for step in done}
    done_ids = {step.id for step in done}
    kept = []
    for item in items:
        key = goal_key(item.goal)
        if key not in open_goals and (key in done_goals or item.id in done_ids):
            remarks.append(("finished_dropped", {"goal": item.goal[:80]}))
        else:
            kept.append(item)
    return kept


def _remainder(
    items: list[Item], remaining: Sequence[Step], used: tuple[int, ...], remarks: list[Remark], lang: str
) -> list[Step]:
    """Give every item its old step, or an id of its own."""
    partner = _partners(items, remaining)
    highest = max((*used, *(step.id for step in remaining)), default=0)
    own = [item.id for item in items if item.number not in partner and (item.id or 0) > highest]
    if len(set(own)) < len(own):
        raise PlanError("same_id", id=next(each for each in own if own.count(each) > 1))
    fresh = iter(range(max(highest, *(each or 0 for each in own), 0) + 1, 10**10))
    steps = []
    for item in items:
        if old := partner.get(item.number):
            steps.append(_renewed(old, item, remarks, lang))
        else:
            new = item.id if item.id is not None and item.id in own else next(fresh)
            steps.append(_step(item, new, remarks, lang))
    return steps


def _partners(items: list[Item], remaining: Sequence[Step]) -> dict[int, Step]:
    """item.number -> the remaining step it is: first by id and goal, then by goal, then by id; each step once."""
    partner: dict[int, Step] = {}
    taken: set[int] = set()
    for by_id, by_goal in ((True, True), (False, True), (True, False)):
        for item in items:
            if item.number in partner:
                continue
            for step in remaining:
                if step.id in taken or (by_id and step.id != item.id):
                    continue
                if not by_goal or same_goal(step.goal, item.goal):
                    partner[item.number] = step
                    taken.add(step.id)
                    break
    return partner


def _renewed(old: Step, item: Item, remarks: list[Remark], lang: str) -> Step:
    """The old step as the answer wants it: its call stays with its words, needs stay unless new ones are given."""
    needs = item.needs or old.needs
    expects = item.expects if item.expects in EXPECTS else old.expects
    if not same_goal(old.goal, item.goal):
        remarks.append(("reworded", {"id": old.id}))
        return replace(_step(item, old.id, remarks, lang), needs=needs, expects=expects)
    if item.tool:
        return replace(old, tool=item.tool, args=item.args or {}, needs=needs, expects=expects)
    if needs == old.needs and expects == old.expects:
        return old
    return replace(old, needs=needs, expects=expects)


def _without_stale_needs(step: Step, known: set[int]) -> Step:
    """A need for a step that was removed falls away with it, unless the step uses its result."""
    if known.issuperset(step.needs):
        return step
    wanted = references(step.args)
    return replace(step, needs=tuple(need for need in step.needs if need in known or need in wanted))
