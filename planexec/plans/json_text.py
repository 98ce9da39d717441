"""Finds the JSON values in a model's text: complete ones as they are, broken ones where a plan was meant.

Thoughts are taken off first. The work is bounded for any input: every place is decoded once, tries in vain are
counted, repair has its own limit (`repair.py`). What a value means is not decided here.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from math import isfinite
from typing import Any, NamedTuple

from planexec.plans.repair import MAX_DEPTH, find_region, repair
from planexec.plans.words import PlanError

MAX_CHARS = 500_000  # of one answer
MAX_DIGITS = 300  # of one number
MAX_FAILURES = 2_000  # places where JSON was tried in vain

# The first key with a fitting value counts; case does not matter.
PLAN_KEYS = ("plan", "steps", "tasks", "remaining", "subtasks", "计划", "步骤", "任务", "子任务", "剩余步骤")
GOAL_KEYS = (
    *("goal", "subtask", "sub_task", "task", "instruction", "description", "step", "title"),
    *("目标", "子任务", "任务", "描述", "步骤", "标题"),
)

_QUOTE = "[\"'“”‘’「『]"
_START = re.compile(r"[\[{](?=\s*(?:[\"'“”‘’「『\[\]{}\d-]|true|false|null|NaN|\w++\s*+[:：]))")
MEANT = re.compile(
    rf"\[\s*+(?:\[\s*+)*+(?:{_QUOTE}|\{{\s*+(?:{_QUOTE}|\w++\s*+[:：]))|\{{\s*+(?:{_QUOTE}|\w++\s*+[:：])"
)
_BARE_KEY = re.compile(r"(?<!\w)\w++(?=\s*+[:：])")
_TAG = re.compile(r"<(/?)(?:think|thinking|thoughts?|reasoning|reflection|analysis|思考)>", re.I)
_AFTER_LONE_CLOSE = re.compile(r"\s*(?:\n|$|[\[{`])")
_CHECKBOX = re.compile(r"(?:[-*+•]|\d[.)]) *$")


class Found(NamedTuple):
    """A JSON value in the text. `problem`: a plan was meant, but it is broken; `repaired`: it was, and is no more."""

    start: int
    end: int
    value: Any
    problem: PlanError | None = None
    repaired: bool = False


def without_thoughts(text: str) -> str:
    """The text without <think>...</think>; an unclosed thought lasts to the end, a lone closing tag ends one.

    Tags inside a complete JSON value are words of that value: ["explain <think>"] stays whole.
    """
    if not _TAG.search(text):
        return text
    spans = [(found.start, found.end) for found in json_values(text, mend=False)]
    starts = [start for start, _ in spans]
    kept, at, opened = [""], 0, -1
    for tag in _TAG.finditer(text):
        inside = bisect_right(starts, tag.start()) - 1
        if inside >= 0 and tag.start() < spans[inside][1]:
            continue
        before = text[max(at, text.rfind("\n", 0, tag.start()) + 1) : tag.start()].strip()
        first = not before or before[-1] in "]}"
        if tag[1] and opened >= 0:
            kept.append(text[at:opened])
            at, opened = tag.end(), -1
        elif tag[1] and (first or _AFTER_LONE_CLOSE.match(text, tag.end())):
            kept, at = [""], tag.end()
        elif not tag[1] and opened < 0 and first:
            opened = tag.start()
    return "\n".join([*kept, text[at : opened if opened >= 0 else None]])


def unquoted(text: str) -> str:
    """A whole answer that is one JSON string holds its text inside: '"[\\"a\\"]"' -> '["a"]'"""
    try:
        inner = json.loads(text) if text.lstrip().startswith('"') else text
    except ValueError:
        return text
    return inner if isinstance(inner, str) else text


def json_values(text: str, mend: bool) -> Iterator[Found]:
    """The outermost JSON values in `text`, left to right; with `mend`, broken ones that were meant as a plan too.

    The work is bounded: every place is decoded at most once, vain tries are counted, a region left open ends it.
    """
    at = failures = wasted = 0
    while start := _START.search(text, at):
        place = start.start()
        try:
            value, end = DECODER.raw_decode(text, place)
        except RecursionError:
            failures, wasted, at = failures + 1, wasted + MAX_FAILURES, place + 1
            if mend:
                raise PlanError("deep", limit=MAX_DEPTH) from None
        except json.JSONDecodeError as problem:
            failures, wasted, at = failures + 1, wasted + problem.pos - place, place + 1
            if MEANT.match(text, place) and mend:
                yield (found := _mended(text, place))
                at = found.end
        except PlanError:
            if mend:
                raise
            at = place + 1
        else:
            at = end
            if not (value == [] and _CHECKBOX.search(text[max(0, place - 8) : place])):
                yield Found(place, end, value)
        if failures > MAX_FAILURES or wasted > 4 * MAX_CHARS:
            raise PlanError("tangled")


def _mended(text: str, place: int) -> Found:
    """What became of a broken piece. Without any of our keys an object is other people's data, not our problem."""
    region = find_region(text, place)
    words = {word.casefold() for word in [*region.texts, *_BARE_KEY.findall(region.marks)]}
    if text[place] == "{" and not words & {*PLAN_KEYS, *GOAL_KEYS}:
        return Found(place, region.end, None)
    try:
        return Found(place, region.end, repair(region, DECODER), repaired=True)
    except PlanError as problem:
        return Found(place, region.end, None, problem)


def depth_of(value: Any) -> int:
    """How deep lists and objects are nested, without recursion: [[1]] -> 2"""
    depth, layer = 0, [value]
    while layer := [each for each in layer if isinstance(each, (list, dict))]:
        depth += 1
        layer = [inner for each in layer for inner in (each.values() if isinstance(each, dict) else each)]
    return depth


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise PlanError("number", digits=len(digits))
    return int(digits)


def _real(digits: str) -> float:
    if len(digits) > MAX_DIGITS:
        raise PlanError("number", digits=len(digits))
    return float(digits) if isfinite(float(digits)) else _constant(digits)


def _constant(name: str) -> Any:
    raise PlanError("constant", name=name)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        keys = [key for key, _ in pairs]
        raise PlanError("same_key", key=next(key for key in keys if keys.count(key) > 1))
    return value


DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_whole, parse_float=_real, parse_constant=_constant, strict=False
)
