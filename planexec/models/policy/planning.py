"""The planner, the replanner and the router: what a task needs, written as JSON.

A line of a plan is a direct call where the question and earlier results give all its arguments, else a line in words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planexec.models.policy.dials import Dice
from planexec.models.policy.facts import for_goal, of_results
from planexec.models.policy.hands import ToolView, carries, choose, fill, fill_fields, table_argument, views
from planexec.models.policy.knowledge import Hand
from planexec.models.policy.reading import Reading, records
from planexec.models.policy.roles import wants_strings
from planexec.models.policy.tasks import ALWAYS, EVERYONE, PLACE, Task, Wanted

Item = str | dict[str, Any]
MOST_STEPS = 8


def plan(task: Task | None, reading: Reading) -> list[Item]:
    """The plan for the question of the data; a question that is not known is one step, itself."""
    if task is None:
        return [reading.question]
    most = _most(reading.data)
    wanted = task.wanted
    if len(wanted) > most:  # the last line takes what does not fit
        goals = [each.goal for each in wanted]
        return [*goals[: most - 1], "; ".join(goals[most - 1 :])]
    if task.survey or wants_strings(reading.system):
        return [each.goal for each in wanted]
    tools = views(records(reading.data, "tools"))
    return [_line(task, each, tools) for each in wanted]


def _most(data: Mapping[str, Any]) -> int:
    most = data.get("max_plan_steps", MOST_STEPS)
    return most if isinstance(most, int) and most > 0 else MOST_STEPS


def _line(task: Task, wanted: Wanted, tools: Sequence[ToolView]) -> Item:
    """One line of the plan, with the tool and arguments that settle it when they can be known beforehand."""
    before = [task.wanted.index(each) + 1 for each in task.waits(wanted)]
    line: dict[str, Any] = {"id": task.wanted.index(wanted) + 1, "goal": wanted.goal}
    hand = task.known.tools.get(wanted.need.tool)
    tool = choose(hand, tools)
    if hand is not None and tool is not None and wanted.need.args:
        if args := _fixed(task, wanted, hand, tool, tools):
            line |= {"tool": tool.name, "args": args}
    elif hand is not None and tool is not None:
        ready, text, table = _arguments(task, wanted, tool, tools)
        if ready:
            line |= {"tool": tool.name, "args": fill(hand, tool, text, table)}
    if before:
        line["needs"] = before
    if wanted.need.dispensable:
        line["expects"] = "optional"
    return line if len(line) > 2 else wanted.goal


def _fixed(task: Task, wanted: Wanted, hand: Hand, tool: ToolView, tools: Sequence[ToolView]) -> dict[str, Any]:
    """The arguments of a look-up, with references to earlier lines; {} when it takes a look at their results."""
    used = _slots_of(wanted)
    condition = wanted.need.only_if
    blocked_else = condition is None or any(name.startswith(condition.need + ".") for name in used)
    if not blocked_else or any(name in used for name in ALWAYS):
        return {}
    values: dict[str, str] = {}
    for field, said in wanted.need.args.items():
        places = {place: _place(task, wanted, place, tools) for place in PLACE.findall(said[tool.lang])}
        if not all(places.values()):
            return {}
        values[field] = PLACE.sub(lambda match, places=places: places[match[1]], said[tool.lang])  # type: ignore[misc]
    return fill_fields(hand, tool, values)


def _slots_of(wanted: Wanted) -> list[str]:
    return [name for said in wanted.need.args.values() for text in said.values() for name in PLACE.findall(text)]


def _place(task: Task, wanted: Wanted, place: str, tools: Sequence[ToolView]) -> str:
    """What stands for {place}: words of the question, or "$1.field" if that line's tool carries such a field."""
    need, _, field = place.partition(".")
    if not field:
        return wanted.name if need == "names" else task.shown.get(need, "")
    source = next((each for each in task.wanted if each.need.id == need), None)
    brings = choose(task.known.tools.get(source.need.tool), tools) if source else None
    return f"${task.wanted.index(source) + 1}.{field}" if source and carries(brings, field) else ""


def _arguments(task: Task, wanted: Wanted, tool: ToolView, tools: Sequence[ToolView]) -> tuple[bool, str, Any]:
    """(can this be one call, its text, its table). A result still to come is referred to as "$3.field"."""
    hand = task.known.tools[wanted.need.tool]
    before = task.waits(wanted)
    source = before[0] if before else None
    place = task.wanted.index(source) + 1 if source else 0
    brings = choose(task.known.tools.get(source.need.tool), tools) if source else None
    if wanted.expression:
        if "x" not in wanted.expression.split():
            return True, wanted.expression, None
        direct = source is not None and carries(brings, source.need.table_field) and table_argument(hand, tool) != ""
        if task.names or source is None or not direct:
            return False, "", None  # only some of its rows are asked for: that takes a look at the result first
        return True, wanted.expression, f"${place}.{source.need.table_field}"
    wordings = task.wordings(wanted, tool.lang)
    if not wordings:
        return False, "", None
    text = wordings[0]
    if EVERYONE not in text:
        return True, text, None
    if source is None or not carries(brings, source.need.list_field):
        return False, "", None
    return True, text.replace(EVERYONE, f"${place}.{source.need.list_field}"), None


def replan(task: Task | None, reading: Reading, dice: Dice) -> list[dict[str, Any]]:
    """The remaining steps, changed only where they must be: covered ones dropped, missing sides added, order mended."""
    done, remaining = records(reading.data, "done"), records(reading.data, "remaining")
    rest = [{"id": each.get("id"), "goal": str(each.get("goal", ""))} for each in remaining]
    if task is None:
        return rest
    failures = sum(each.get("status") in ("failed", "error") for each in done)
    if failures and dice.strikes("panic", failures - 1):
        return [{"id": None, "goal": str(each.get("goal", ""))} for each in done] + rest
    covered = {id(each.wanted) for each in of_results(task, done) if each.wanted and each.kind == "found"}
    kept = [each for each in rest if id(for_goal(task, each["goal"])) not in covered]
    return [*_in_order(task, kept), *_missing(task, done, rest, _most(reading.data))]


def _in_order(task: Task, steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Steps as they are, unless one stands before another that it waits for."""
    ordered: list[dict[str, Any]] = []
    rest = list(steps)
    while rest:
        ahead = [for_goal(task, each["goal"]) for each in rest]
        free = next(
            (
                each
                for each, own in zip(rest, ahead, strict=True)
                if own is None or not set(task.waits(own)) & set(ahead)
            ),
            rest[0],
        )
        ordered.append(free)
        rest.remove(free)
    return ordered


def _missing(task: Task, done: Sequence[Any], rest: Sequence[Any], most: int) -> list[dict[str, Any]]:
    """Sides of a survey that neither the results nor the rest of the plan touch, as far as there is room."""
    if not task.survey:
        return []
    touched = [for_goal(task, str(each.get("goal", ""))) for each in (*done, *rest)]
    if sum(each is not None for each in touched) < 2:
        return []  # a plan in words of its own: no ground to judge what it lacks
    lacking = [each for each in task.wanted if each.need.side and each not in touched]
    return [{"id": None, "goal": each.goal} for each in lacking[: max(0, most - len(done) - len(rest))]]


def route(task: Task | None) -> dict[str, Any]:
    """Does the next step wait for the last one's result? One need: direct; chain or survey: chain; else parallel."""
    if task is None or len(task.wanted) == 1:
        return {"route": "direct", "parts": []}
    if task.survey or any(task.waits(each) for each in task.wanted):
        return {"route": "chain", "parts": []}
    return {"route": "parallel", "parts": [part(task, each) for each in task.wanted]}


def part(task: Task, wanted: Wanted) -> str:
    """One part of a question as a question of its own."""
    asked = wanted.need.question.get(task.lang, "")
    return task.fill(asked, wanted.name) if asked else wanted.goal
