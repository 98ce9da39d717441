"""What the simulated model knows of a world: `data/WORLD/knows.json`, read once and compiled.

A world is a list of needs. A need says which questions call for it (`when`), what has to be known before (`after`),
which kind of tool brings it (`tool`), how to ask and ask again (`ask`), and what a result must hold to meet it
(`proof`). No file holds a figure, or a name that only an answer could hold. Adding a world means adding a file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from planexec.models.policy.amounts import FIGURE_PARTS
from planexec.paths import data_path

LANGUAGES = ("en", "zh")
Pattern = re.Pattern[str]
Said = Mapping[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Slot:
    """A place in a question that a figure, a text or names fill; `otherwise`: which figure if no pattern fits."""

    patterns: Mapping[str, tuple[Pattern, ...]]
    otherwise: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Hand:
    """A kind of tool: words its name and description hold, words they must not, and its arguments by meaning."""

    words: Pattern
    never: Pattern | None
    arg: Pattern
    table: Pattern | None
    fields: Mapping[str, Pattern]


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """What the result of a need has to say: `words` by language."""

    need: str
    words: Mapping[str, Pattern]


@dataclass(frozen=True, slots=True, eq=False)
class Conclusion:
    """A sentence that answers the question when all its conditions hold."""

    conditions: tuple[Condition, ...]
    say: Said


@dataclass(frozen=True, slots=True, eq=False)
class Need:
    """One thing a question may need; every text is keyed by language.

    A need with `ask` is searched for in words, one with `expression` is calculated, one with `args` is a look-up or an
    act with fixed arguments: "{flight}" is a slot of the question, "{roster.post}" what `reads` finds in that need's
    result. `only_if`: not needed unless another result says so. `doubts`: what greed looks up once more, round and
    round, when the result says what `doubted_if` holds.
    """

    id: str
    tool: str
    goal: Said
    label: Said
    words: Mapping[str, Pattern]
    when: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    proof: str = "text"
    ask: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    more: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    everyone: Said = field(default_factory=dict)
    question: Said = field(default_factory=dict)
    expression: str = ""
    check: str = ""
    table: Pattern | None = None
    table_field: str = ""
    list_field: str = ""
    per: str = ""
    args: Mapping[str, Said] = field(default_factory=dict)
    reads: Mapping[str, Mapping[str, Pattern]] = field(default_factory=dict)
    only_if: Condition | None = None
    doubts: tuple[str, ...] = ()
    doubted_if: Mapping[str, Pattern] = field(default_factory=dict)
    together: bool = False
    dispensable: bool = False
    side: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Lead:
    """A striking word that draws a reader on: how to find it in a text, and what one then looks up about it."""

    name: Said
    words: Mapping[str, Pattern]
    ask: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """One world as the model knows it."""

    world: str
    name: Said
    topic: Mapping[str, Pattern]
    tools: Mapping[str, Hand]
    units: Said
    slots: Mapping[str, Slot]
    patterns: Mapping[str, Mapping[str, Pattern]]
    needs: tuple[Need, ...]
    leads: tuple[Lead, ...]
    head: Mapping[str, Said]
    conclusions: tuple[Conclusion, ...]
    overview: Mapping[str, tuple[str, ...]]

    def need(self, name: str) -> Need | None:
        return next((need for need in self.needs if need.id == name), None)


@lru_cache(maxsize=1)
def worlds_with_knowledge() -> tuple[str, ...]:
    """The names of all worlds that come with a knows.json, in alphabetical order."""
    return tuple(sorted(path.parent.name for path in data_path().glob("*/knows.json")))


@lru_cache(maxsize=64)
def _load(path: Path) -> Known:
    return compile_world(json.loads(path.read_text(encoding="utf-8")))


def known_worlds(worlds: Iterable[str | Mapping[str, Any]] | None = None) -> tuple[Known, ...]:
    """The worlds by name, or parsed `knows.json` objects given in their place; None = all that are shipped."""
    if worlds is None:
        return _shipped()
    return tuple(
        _load(data_path(name, "knows.json")) if isinstance(name, str) else compile_world(name) for name in worlds
    )


@lru_cache(maxsize=1)
def _shipped() -> tuple[Known, ...]:
    return tuple(_load(data_path(name, "knows.json")) for name in worlds_with_knowledge())


def compile_world(data: Mapping[str, Any]) -> Known:
    """A parsed knows.json with its patterns compiled. A pattern that is no regular expression raises `re.error`."""
    return Known(
        world=data["world"],
        name=data["name"],
        topic=_patterns(data["topic"]),
        tools={name: _hand(spec) for name, spec in data["tools"].items()},
        units=data.get("units", {}),
        slots={name: _slot(spec) for name, spec in data.get("slots", {}).items()},
        patterns={name: _patterns(spec) for name, spec in data["patterns"].items()},
        needs=tuple(_need(spec) for spec in data["needs"]),
        leads=tuple(
            Lead(spec["name"], _patterns(spec["words"]), _texts(spec["ask"])) for spec in data.get("leads", ())
        ),
        head=data.get("head", {}),
        conclusions=tuple(_conclusion(spec) for spec in data.get("conclusions", ())),
        overview=_texts(data.get("overview", {})),
    )


def _need(spec: Mapping[str, Any]) -> Need:
    values = dict(spec)
    for name in ("ask", "more"):
        values[name] = _texts(spec.get(name, {}))
    for name in ("when", "unless", "after", "doubts"):
        values[name] = tuple(spec.get(name, ()))
    values["table_field"], values["list_field"] = values.pop("field", ""), values.pop("list", "")
    values["args"] = {field: _both(said) for field, said in spec.get("args", {}).items()}
    values["reads"] = {name: _patterns(_both(said)) for name, said in spec.get("reads", {}).items()}
    values["only_if"] = _condition(*next(iter(spec["only_if"].items()))) if "only_if" in spec else None
    values["doubted_if"] = _patterns(spec.get("doubted_if", {}))
    values["words"] = _patterns(spec["words"])
    values["table"] = _pattern(spec["table"]) if "table" in spec else None
    return Need(**values)


def _both(said: str | Said) -> Said:
    """One text for both languages, or one each."""
    return dict.fromkeys(LANGUAGES, said) if isinstance(said, str) else said


def _condition(need: str, words: Said) -> Condition:
    return Condition(need, _patterns(words))


def _conclusion(spec: Mapping[str, Any]) -> Conclusion:
    return Conclusion(tuple(_condition(need, words) for need, words in spec["if"].items()), spec["say"])


def _lead(spec: Mapping[str, Any]) -> Lead:
    return Lead(spec["name"], _patterns(spec["words"]), _texts(spec["ask"]))


def _hand(spec: Mapping[str, Any]) -> Hand:
    optional = {name: _pattern(spec[name]) if name in spec else None for name in ("not", "table")}
    fields = {name: _pattern(text) for name, text in spec.get("fields", {}).items()}
    return Hand(_pattern(spec["words"]), optional["not"], _pattern(spec.get("arg", ".")), optional["table"], fields)


def _slot(spec: Mapping[str, Any]) -> Slot:
    patterns = {lang: tuple(_pattern(text) for text in spec.get(lang, ())) for lang in LANGUAGES}
    return Slot(patterns, spec.get("else", ""))


def _patterns(spec: Said) -> dict[str, Pattern]:
    return {lang: _pattern(text) for lang, text in spec.items()}


def _texts(spec: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    return {lang: tuple(texts) for lang, texts in spec.items()}


def _pattern(text: str) -> Pattern:
    """A regular expression in which {amount}, {percent}, {names}, {pairs} and {text} stand for what they say."""
    for name, pattern in FIGURE_PARTS.items():
        text = text.replace("{" + name + "}", pattern)
    return re.compile(text, re.IGNORECASE)
