"""The experiment of the shipped recordings: ten questions about invented things, one search tool, four settings.

The tool either returns the fact that answers the question ("answer") or nothing whatever is asked ("nothing"). What
is watched is whether the model stops.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from planexec.guards import DEFAULT_GUARDS, Guard, Repeats
from planexec.limits import Limits
from planexec.paths import data_path
from planexec.tools import Observation, Tool, empty, found, tool

TOOLS = ("answer", "nothing")  # what the search tool does
_ADMITS = re.compile(
    r"\b(nothing (was |is |could be )?found|no tool (can|could) help|no \w+ (was |were )?found|"
    r"not (be )?(found|available|known|provided)|no (information|data|results?|record)|"
    r"(can|could)( ?not|n't)|(don't|do not) know|unable|unknown)\b",
    re.I,
)
LIMITS = Limits(max_steps=8, max_attempts=1)  # it always answers alike, so that a second attempt is of no use


def stricter(nudge: int) -> tuple[Guard, ...]:
    """The default guards, but a call that brought the same result `nudge` times is refused from then on."""
    return tuple(Repeats(nudge=nudge) if isinstance(guard, Repeats) else guard for guard in DEFAULT_GUARDS)


@dataclass(frozen=True, slots=True)
class Setting:
    """How the ten questions were put. `remind`: each result is followed by a sentence that asks not to repeat."""

    name: str
    about: str
    guards: tuple[Guard, ...]
    remind: bool = False


SETTINGS = {
    setting.name: setting
    for setting in (
        Setting("no-guards", "only the limit of eight steps", ()),
        Setting("guards", "the default guards", DEFAULT_GUARDS),
        Setting("one-repeat", "the default guards with Repeats(nudge=2): one repeat is let through", stricter(2)),
        Setting("no-repeat", "the default guards with Repeats(nudge=1): a nudge after the first result", stricter(1)),
        Setting("reminder", "no guards; after each result a sentence asks not to repeat a call", (), remind=True),
    )
}


@dataclass(frozen=True, slots=True)
class Question:
    """`key` is the word by which the search tool finds `fact`; `right` is what an answer must contain."""

    id: str
    question: str
    key: str
    fact: str
    right: str

    def answered_by(self, answer: str) -> bool:
        """Question(..., right="212").answered_by("It is 212 km long.") -> True"""
        return re.search(rf"\b{re.escape(self.right)}\b", answer, re.I) is not None


def admits(answer: str) -> bool:
    """admits("Nothing found") -> True; admits("Charles Dickens") -> False: does it say that there is no answer?"""
    return _ADMITS.search(answer) is not None


@cache
def questions() -> tuple[Question, ...]:
    return tuple(Question(**entry) for entry in _stored()["questions"])


def date() -> str:
    """What counted as today."""
    return str(_stored()["date"])


def search_tool(does: str) -> Tool:
    """The tool of the experiment; `does` is one of `TOOLS`."""

    @tool
    def search(query: str) -> Observation:
        """Look something up in an encyclopedia.

        Args:
            query: what to look for
        """
        words = query.lower()
        facts = [each.fact for each in questions() if each.key.lower() in words]
        return found("\n".join(facts)) if facts and does == "answer" else empty()

    return search


@cache
def _stored() -> dict[str, Any]:
    return json.loads(data_path("recordings", "questions.json").read_text(encoding="utf-8"))
