"""Which of the tools offered fits a purpose, and how its arguments are filled.

Tools are chosen by what their names and descriptions say, so a renamed tool or another world's works as well.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from planexec.models.policy.knowledge import Hand
from planexec.models.policy.reading import language

_NUMBER = re.compile(r"[\d.]+")
ToolUse = tuple[str, dict[str, Any]]  # a tool's name and its arguments


@dataclass(frozen=True, slots=True, eq=False)
class ToolView:
    """A tool as the model sees it. `arguments`: name -> what is said about it; `objects` take a table."""

    name: str
    description: str
    arguments: Mapping[str, str]
    required: tuple[str, ...]
    objects: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()

    @property
    def lang(self) -> str:
        return language(self.description)


def views(tools: Sequence[Mapping[str, Any]]) -> tuple[ToolView, ...]:
    """The tools of a request (schemas), or those a planner's data lists, in one form."""
    return tuple(_view(each) for each in tools)


def _view(tool: Mapping[str, Any]) -> ToolView:
    function = tool.get("function", tool)
    arguments = function.get("parameters", function.get("arguments", {}))
    return _view_of(str(function.get("name", "")), str(function.get("description", "")), _Frozen(arguments))


class _Frozen:
    """A schema that can be a key: equal when its text is."""

    __slots__ = ("text", "value")

    def __init__(self, value: Any):
        self.value, self.text = value, repr(value)

    def __hash__(self) -> int:
        return hash(self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Frozen) and self.text == other.text


@lru_cache(maxsize=1_024)
def _view_of(name: str, description: str, frozen: _Frozen) -> ToolView:
    schema = frozen.value if isinstance(frozen.value, Mapping) else {}
    if not isinstance(schema.get("properties"), Mapping):  # a planner's list: argument name -> description
        return ToolView(name, description, {key: str(text) for key, text in schema.items()}, ())
    properties: Mapping[str, Any] = schema["properties"]
    said = {key: str(spec.get("description", "")) for key, spec in properties.items()}
    objects = tuple(key for key, spec in properties.items() if "'object'" in repr(spec))
    numbers = tuple(key for key, spec in properties.items() if spec.get("type") in ("number", "integer"))
    return ToolView(name, description, said, tuple(schema.get("required", ())), objects, numbers)


def choose(hand: Hand | None, tools: Sequence[ToolView]) -> ToolView | None:
    """The tool that fits best, or None when none does. A hit in the name counts more than one in the description."""
    if hand is None:
        return None
    rated = [(_fit(hand, tool), -place, tool) for place, tool in enumerate(tools)]
    best = max(rated, key=lambda each: each[:2], default=(0, 0, None))
    return best[2] if best[0] > 0 else None


@lru_cache(maxsize=4_096)
def _fit(hand: Hand, tool: ToolView) -> int:
    if hand.never is not None and hand.never.search(tool.name + " " + tool.description):
        return 0
    named = 4 if hand.words.search(tool.name) else 0
    return named + min(3, len({match.lower() for match in hand.words.findall(tool.description)}))


def fill(hand: Hand, tool: ToolView, text: str, table: Any = None) -> dict[str, Any]:
    """The arguments of a call: `text` in the argument that is meant for it, `table` in the one that takes several."""
    main = _named(hand, tool)
    args: dict[str, Any] = {main: text} if main else {}
    place = table_argument(hand, tool)
    if table is not None and place:
        args[place] = table
    return args


def fill_fields(hand: Hand, tool: ToolView, values: Mapping[str, str]) -> dict[str, Any]:
    """The arguments of a call that takes several texts: each value goes where its field's words stand."""
    args: dict[str, Any] = {}
    for field, value in values.items():
        pattern = hand.fields.get(field)
        fitting = [name for name in tool.arguments if pattern and pattern.search(name) and name not in args]
        if fitting:
            args[fitting[0]] = float(value) if fitting[0] in tool.numbers and _NUMBER.fullmatch(value) else value
    return args


def table_argument(hand: Hand, tool: ToolView) -> str:
    """The argument that takes a table of values, or "" when the tool has none."""
    if hand.table is None:
        return ""
    fitting = [name for name in tool.arguments if hand.table.search(name)]
    return next(iter(tool.objects), fitting[0] if fitting else "")


def _named(hand: Hand, tool: ToolView) -> str:
    names = [name for name in tool.arguments if name not in tool.objects]
    by_name = [name for name in names if hand.arg.search(name)]
    required = [name for name in names if name in tool.required]
    by_text = [name for name in names if hand.arg.search(tool.arguments[name])]
    return next(iter([*by_name, *required, *by_text, *names]), "")


def carries(tool: ToolView | None, field: str) -> bool:
    """True when the tool's description says that its results may carry the named field (so "$3.field" may be used)."""
    if tool is None or not field:
        return False
    return field in _words(tool.description)


@lru_cache(maxsize=1_024)
def _words(text: str) -> frozenset[str]:

    return frozenset(re.findall(r"[A-Za-z_]+", text))
