"""From a model's text to the items of a plan: thoughts off, candidates found, the last complete one taken.

A candidate is a JSON array of texts or step objects, or an object with exactly one list under one of `PLAN_KEYS`
(or one text that is a list in lines); without any, a list in lines (`lines.py`). A bracketed piece that was
meant as a plan and is broken is repaired or makes the whole text unreadable; it is never passed over for an earlier
list. Lists of numbers are citations, not plans. Where two readings are possible, the text is unreadable.

It knows nothing of tools, of ids already used or of how many steps are too many: see `plans.py` and `planner.py`.
"""

from __future__ import annotations

import json
import re
from typing import Any

from planexec.plans.items import Item, get, is_number, kind_of, make_items
from planexec.plans.json_text import (
    GOAL_KEYS,
    MAX_CHARS,
    PLAN_KEYS,
    Found,
    depth_of,
    json_values,
    unquoted,
    without_thoughts,
)
from planexec.plans.lines import Lines, find_lists, read_lines, several
from planexec.plans.repair import MAX_DEPTH
from planexec.plans.words import PlanError, Remark

# The whole text is JSON; JSON stands inside other text; it was broken and could be repaired; a list in lines; no plan.
STAGES = ("whole", "inside", "repaired", "lines", "none")

_LABEL = re.compile(r"(?:^|[:：=`]|```\w*|\bis|为|是)$")
_GLUE_BEFORE = re.compile(r"[\]}\"'”’](?:\s*,\s*|[^\S\n]*)\Z")
_CITATION = re.compile(r"\[[\d,\s-]*\]\s*\Z")
_NAMED = re.compile(r"\b(?:plan|steps|tasks)\b|计划|步骤|任务", re.I)
_NEWER = re.compile(r"\b(?:new|revised|updated|better|final)\b|新|改|修订|最终", re.I)
_GLUE_AFTER = re.compile(r"\s*+,\s*+[\[{\"'“]|[^\S\n]*+[\"'“‘]|[A-Za-z]")
_SENTENCE = re.compile(r"[^\"“”\[\]{}]*[\s.。:：]")
_BRACKET = re.compile(r"[\[\]]")
_REST = re.compile(r"[ \t.。;；!！`]*(?:\n|$)")
_END = re.compile(r"[\s.。;；!！`]*$")


def read_items(text: object, any_start: bool = False) -> tuple[list[Item], list[Remark]]:
    """The items of the plan in `text` and remarks; an empty list is a plan with nothing in it.

    `any_start`: a numbered list may begin with another number than 1. Raises PlanError when it is unreadable.
    """
    spoken = _spoken(text)
    values, remarks = _from_json(spoken) or _from_lines(spoken, any_start)
    return make_items(values, remarks), remarks


def stage_of(text: object) -> str:
    """Which of `STAGES` takes the plan in `text`: stage_of('Sure: ["a"]') -> "inside"; "none" when none does."""
    try:
        spoken = _spoken(text)
        found = _from_json(spoken)
        values, remarks = found or _from_lines(spoken, False)
        make_items(values, [])
    except PlanError:
        return "none"
    if found is None:
        return "lines"
    if ("repaired", {}) in remarks:
        return "repaired"
    return "whole" if _is_json(text) else "inside"


def _is_json(text: object) -> bool:
    try:
        json.loads(text if isinstance(text, str) else "")
    except (ValueError, RecursionError):
        return False
    return True


def _spoken(text: object) -> str:
    """What the model says after its thoughts; PlanError when that is nothing, or too much."""
    if not isinstance(text, str):
        raise PlanError("not_text", kind=kind_of(text))
    if len(text) > MAX_CHARS:
        raise PlanError("too_big", size=len(text), limit=MAX_CHARS)
    if not text.strip():
        raise PlanError("blank")
    spoken = without_thoughts(unquoted(text))
    if not spoken.strip():
        raise PlanError("only_thought")
    return spoken


def _from_lines(text: str, any_start: bool) -> tuple[list[Any], list[Remark]]:
    goals, remarks = read_lines(text, any_start)
    return list(goals), remarks


def _from_json(text: str) -> tuple[list[Any], list[Remark]] | None:
    """The values of the last JSON list in `text` that is a plan, with remarks; None when there is no such list."""
    plans: list[tuple[Found, list[Any]]] = []
    broken: PlanError | None = None
    for found in json_values(text, mend=True):
        try:
            values = _plan_in(found, text)
        except PlanError as problem:
            broken = problem
            continue
        if values is not None:
            broken = None
            plans.append((found, values))
    if broken:
        raise broken
    lists = _lists_beside(plans[-1][0], text) if plans else []
    if not plans or not _is_meant(plans, lists, text):
        return None
    found, values = plans[-1]
    remarks = several(len(plans))
    if found.repaired:
        remarks.append(("repaired", {}))
    if lists:
        remarks.append(("lines_beside", {}))
    return values, remarks


def _is_meant(plans: list[tuple[Found, list[Any]]], lists: list[Lines], text: str) -> bool:
    """False when a list in lines is the plan and the last JSON list is not; PlanError when that cannot be told."""
    found, values = plans[-1]
    label = text[text.rfind("\n", 0, found.start) + 1 : found.start].strip()
    alone = bool(_LABEL.search(label) and _REST.match(text, found.end))
    if any("\0" in goal for each in lists for goal in each.goals):
        raise PlanError("mixed")
    if not values:
        if lists or (not alone and any(earlier for _, earlier in plans)):
            raise PlanError("empty_unclear")
        ends = _END.match(text, found.end) and _SENTENCE.fullmatch(text, 0, found.start)
        return alone or bool(ends) or isinstance(found.value, dict)
    lists = [each for each in lists if not each.aside]
    below = lists[-1] if lists and lists[-1].line > text.count("\n", 0, found.start) else None
    if below and _NAMED.search(below.heading) and isinstance(found.value, list):
        if label and not _NAMED.search(label):
            return False
        if _NEWER.search(below.heading):
            raise PlanError("mixed")
    if alone or not lists:
        return True
    if below and below.numbered:
        return False
    raise PlanError("mixed")


def _lists_beside(found: Found, text: str) -> list[Lines]:
    """The lists in lines of two or more items, the JSON itself being only a mark."""
    return [each for each in find_lists(f"{text[: found.start]}\0{text[found.end :]}") if len(each.items) > 1]


def _is_index(text: str, place: int) -> bool:
    """True for the bracket in plan["steps"]: it picks something out of a name."""
    return place > 0 and (text[place - 1] in "_)]" or (text[place - 1].isascii() and text[place - 1].isalnum()))


def _is_torn(found: Found, text: str) -> bool:
    """True for a list that a bracket too many cut out of a longer one: ["a"], "b"] and ["a"] "b"]"""
    before = text[max(0, found.start - 20) : found.start]
    if _GLUE_BEFORE.search(before) and not _CITATION.search(before):
        return True
    if _GLUE_AFTER.match(text, found.end):
        return True
    if found.repaired and text[found.end : found.end + 1].isalnum():
        return True
    following = _BRACKET.search(text, found.end)
    return following is not None and following[0] == "]"


def _plan_in(found: Found, text: str) -> list[Any] | None:
    """The list of steps a JSON value holds; None when it is something else (a citation, a link, other data)."""
    value = found.value
    if found.problem:
        raise found.problem
    if depth_of(value) > MAX_DEPTH:
        raise PlanError("deep", limit=MAX_DEPTH)
    if isinstance(value, list):
        numbers = bool(value) and all(is_number(each) for each in value)
        link = text[found.end : found.end + 1] == "("
        if numbers or link or (len(value) == 1 and _is_index(text, found.start)):
            return None
        if value and _is_torn(found, text):
            raise PlanError("broken")
        return value
    lists = _plan_lists(value) if value else []
    if len(lists) > 1:
        raise PlanError("two_lists", keys=", ".join(key for key, _ in lists))
    if value and not lists and any(isinstance(get(value, key), str) for key in GOAL_KEYS):
        raise PlanError("stray_step")
    if lists and _is_torn(found, text):
        raise PlanError("broken")
    return lists[0][1] if lists else None


def _plan_lists(value: dict[str, Any], depth: int = 3) -> list[tuple[str, list[Any]]]:
    """Every list under a plan key; else every text under one that is a list in lines; else the same one level down."""
    own = [(key, inner) for key, inner in value.items() if key.strip().casefold() in PLAN_KEYS]
    lists = [(key, inner) for key, inner in own if isinstance(inner, list)]
    lists = lists or [(key, goals) for key, inner in own if isinstance(inner, str) and (goals := _lines_of(inner))]
    if lists or depth == 1:
        return lists
    return [each for inner in value.values() if isinstance(inner, dict) for each in _plan_lists(inner, depth - 1)]


def _lines_of(text: str) -> list[Any]:
    try:
        return list(read_lines(text)[0])
    except PlanError:
        return []
