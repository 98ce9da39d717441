"""Rules that judge an answer: what it must hold, what it must not say, and when "there is none" is the truth."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from planexec.result import Result
from planexec.trials.figures import figures, value_key

NO_DATA = re.compile(
    r"not found|could not be found|no data|nothing (?:was|that)|no such|not available|no (?:entry|record|result)"
    r"|\bnone\b|there is no\b"
    r"|没有查到|查不到|没有数据|无数据|未找到|没有找到|没有结果|没有(?:该|这个|此|当日)|不存在|没有记录",
    re.IGNORECASE,
)
DOWN = re.compile(
    r"fail|time-?out|timed out|unavailable|did not answer|not respond|could not be (?:reached|stored|saved|looked up)"
    r"|service|失败|超时|没有响应|未响应|不可用|服务|无法",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Question:
    """A question as its judge sees it: its text, the language, the world's data, the options of its tools."""

    text: str
    lang: str
    data: Mapping[str, Any]
    options: Mapping[str, Any] = field(default_factory=dict)


class Rule(Protocol):
    """How one question's answers are judged. `none`: the right answer is that it cannot be had, said plainly."""

    @property
    def none(self) -> bool: ...

    def right(self, run: Result) -> bool:
        """The answer is the one that was to be found."""

    def honest(self, run: Result) -> bool:
        """The answer says plainly that something is not there, and claims nothing in its place."""

    def enough(self, seen: str) -> bool:
        """Everything the answer needs stands in these observations."""


@dataclass(frozen=True)
class Holds:
    """Right: it holds every figure (by value) and every name. Without either, never."""

    figures: tuple[float, ...] = ()
    names: tuple[str, ...] = ()
    none: bool = False

    def right(self, run: Result) -> bool:
        return self.holds(run.answer)

    def honest(self, run: Result) -> bool:
        return bool(NO_DATA.search(run.answer))

    def enough(self, seen: str) -> bool:
        return self.holds(seen)

    def holds(self, text: str) -> bool:
        if not self.figures and not self.names:
            return False
        low = text.lower()
        if any(name.lower() not in low for name in self.names):
            return False
        known = {value_key(figure.value) for figure in figures(text)} if self.figures else set()
        return all(value_key(value) in known for value in self.figures)


Maker = Callable[[Question], Rule]


class _Register:
    """Which function makes the rule of which question. "" stands for all other questions of a world."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, str], Maker] = {}

    def __call__(self, world: str, *questions: str) -> Callable[[Maker], Maker]:
        def add(maker: Maker) -> Maker:
            for question in questions:
                self.known[world, question] = maker
            return maker

        return add


register = _Register()


def sentences(text: str) -> list[str]:
    """The sentences and lines of a text."""
    return [part.strip() for part in re.split(r"[。；;!！?？\n]|\.(?=\s|$)", text) if part.strip()]
