"""From the JSON values of a list to the items of a plan: a text is a goal, an object is a step with its fields.

Anything else in the list makes it unreadable. Nothing is made up: an object without words has no goal.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from planexec.plans.json_text import DECODER, GOAL_KEYS, MEANT, PLAN_KEYS
from planexec.plans.words import PlanError, Remark

MAX_ITEMS = 1_000  # of one list

ID_KEYS = ("id", "step_id", "step_number", "task_id", "number", "编号", "序号", "step", "步骤")
NEEDS_KEYS = ("needs", "depends_on", "dependencies", "dependent_task_ids", "依赖")

_ID = re.compile(r"(?:step|task|s|t)?[-_ #]?(\d{1,9})", re.I)
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_PLAN_KEYS = frozenset(PLAN_KEYS)
_NO_TOOL = ("none", "null", "无", "")


@dataclass(frozen=True, slots=True)
class Item:
    """One step as the text has it. `id` is None when it gives none; `number` is its place in the list, from 1."""

    number: int
    goal: str
    id: int | None = None
    tool: str = ""
    args: dict[str, Any] | None = None
    needs: tuple[int, ...] = ()
    expects: str = ""


def make_items(values: list[Any], remarks: list[Remark]) -> list[Item]:
    """The items of a list, blank ones left out with a remark. PlanError when a value is not a step."""
    if len(values) > MAX_ITEMS:
        raise PlanError("too_many", size=len(values), limit=MAX_ITEMS)
    items = [item for number, value in enumerate(values, 1) if (item := _item(value, number))]
    if values and not items:
        raise PlanError("only_blank")
    if len(items) < len(values):
        remarks.append(("blank_dropped", {"count": len(values) - len(items)}))
    return items


def _item(value: Any, number: int) -> Item | None:
    """One item; None when it is blank."""
    if isinstance(value, str):
        if MEANT.match(value.strip()):
            raise PlanError("not_step", number=number, kind="JSON inside a text")
        if value.strip() and not any(c.isalnum() for c in value):
            raise PlanError("not_step", number=number, kind="a text without words")
        return Item(number, _clean(value)) if value.strip() else None
    if not isinstance(value, dict):
        raise PlanError("not_step", number=number, kind=kind_of(value))
    value = {key.strip().casefold(): inner for key, inner in value.items()}
    goal, tool, expects = _goal(value, number), _of(value, "tool", ""), _of(value, "expects", "")
    if goal == "" and not tool:
        return None
    if not goal:
        raise PlanError("no_goal", number=number)
    if not _PLAN_KEYS.isdisjoint(value) and any(isinstance(value.get(key), list) and value[key] for key in PLAN_KEYS):
        raise PlanError("sub_steps", number=number)
    if not isinstance(tool, str):
        raise PlanError("bad_tool", number=number)
    return Item(
        number=number,
        goal=goal,
        id=next((found for key in ID_KEYS if (found := _id(value.get(key))) is not None), None),
        tool="" if tool.strip().casefold() in _NO_TOOL else tool.strip(),
        args=_args(_of(value, "args", value.get("arguments")), number),
        needs=_needs(_first(value, NEEDS_KEYS), number),
        expects=expects if isinstance(expects, str) else "",
    )


def _first(value: dict[str, Any], keys: tuple[str, ...]) -> Any:
    """The first of these fields that is there and not blank; None when there is none."""
    return None if value.keys().isdisjoint(keys) else next((value[key] for key in keys if value.get(key)), None)


def _goal(value: dict[str, Any], number: int) -> str | None:
    """The goal in words; "" when there is only a blank one, None when there is none."""
    goal = None
    for key in GOAL_KEYS:
        text = value.get(key)
        if isinstance(text, (list, dict)):
            raise PlanError("no_goal", number=number)
        if isinstance(text, str) and (key not in ID_KEYS or _id(text) is None):
            goal = _clean(text)
            if goal:
                return goal
    return goal


def _of(value: dict[str, Any], key: str, default: Any) -> Any:
    """value[key] of an object whose keys are plain already; null counts as not given."""
    found = value.get(key)
    return default if found is None else found


def get(value: dict[str, Any], key: str, default: Any = None) -> Any:
    """value[key] whatever its case; null counts as not given."""
    found = next((inner for name, inner in value.items() if name.strip().casefold() == key), None)
    return default if found is None else found


def _id(value: Any) -> int | None:
    """_id(3) -> 3, _id("3") -> 3, _id("step-3") -> 3, _id("three") -> None"""
    if isinstance(value, int) and not isinstance(value, bool):
        return value if 0 <= value < 10**9 else None
    match = _ID.fullmatch(value.strip()) if isinstance(value, str) else None
    return int(match[1]) if match else None


def _args(value: Any, number: int) -> dict[str, Any] | None:
    """The arguments of a call; some models write the object as a JSON text."""
    if isinstance(value, str):
        try:
            value = DECODER.decode(value) if value.strip() else None
        except json.JSONDecodeError:
            raise PlanError("bad_args", number=number) from None
    if value is not None and not isinstance(value, dict):
        raise PlanError("bad_args", number=number)
    return None if value is None else _clean_all(value)


def _needs(value: Any, number: int) -> tuple[int, ...]:
    listed = value if isinstance(value, list) else [] if value is None else [value]
    ids = [_id(each) for each in listed]
    if None in ids:
        raise PlanError("bad_need", number=number)
    return tuple(dict.fromkeys(each for each in ids if each is not None))


def _clean(text: str) -> str:
    """Text without blank ends; what no terminal or file can hold is shown as U+FFFD."""
    return _safe(text).strip()


def _safe(text: str) -> str:
    return text if text.isprintable() else _UNSAFE.sub("\ufffd", text)


def _clean_all(value: Any) -> Any:
    if isinstance(value, str):
        return _safe(value)
    if isinstance(value, dict):
        return {_clean_all(key): _clean_all(inner) for key, inner in value.items()}
    return [_clean_all(inner) for inner in value] if isinstance(value, list) else value


def is_number(value: Any) -> bool:
    """True for what a citation holds: 3, "3", "12-14"."""
    if isinstance(value, str):
        return bool(value.strip()) and not any(c.isalpha() for c in value)
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def kind_of(value: object) -> str:
    """What a value is called in a complaint: None -> "null", 3 -> "a number"."""
    names = {bool: "true/false", int: "a number", float: "a number", list: "a list", dict: "an object", str: "text"}
    return "null" if value is None else names.get(type(value), type(value).__name__)
