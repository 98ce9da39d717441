"""Asking a person, now or another day.

A person is any function that takes a `Request` and returns an `Answer`, or None for "not now". Nobody there and a
durable journal: the run pauses, and any process may answer later (`planexec answer`). Nobody there and no durable
journal: what needed a person is refused, and the refusal says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

DECISIONS = ("approve", "reject", "edit", "reply", "stop", "grant")
TAKES = {  # by the kind of a question; any other takes all of them
    "unknown": ("approve", "reject", "reply", "stop", "grant"),
    "confirm": ("approve", "reject", "stop", "grant"),
    "mend": ("approve", "reject"),
}


@dataclass(frozen=True, slots=True)
class Request:
    """A question for a person. `kind`: "approve" a call, "unknown" (did a begun call happen?), "confirm" a plan,
    "mend" (a call failed for want of a key, a balance or a permission: try again?), "question".

    `expires`: seconds after which an unanswered request counts as rejected; None means it waits for ever.
    """

    id: str
    kind: str
    text: str
    where: str = ""
    tool: str = ""
    args: dict[str, Any] | None = None
    expires: float | None = None

    def to_dict(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person decided: one of approve, reject, edit, reply, stop, grant.

    `text` is the reason of a rejection or the words of a reply; `args` (and `tool`) the edited call; `limits` a grant.
    """

    decision: str
    text: str = ""
    args: dict[str, Any] | None = None
    tool: str = ""
    limits: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.decision not in DECISIONS:
            raise ValueError(f"a person answers one of {', '.join(DECISIONS)}; got {self.decision!r}")
        if self.decision == "edit" and not isinstance(self.args, dict):
            raise ValueError("an edit needs the new arguments: Answer('edit', args={...})")
        if self.decision == "grant" and not self.limits:
            raise ValueError("a grant needs limits: Answer('grant', limits={'max_steps': 8})")

    def to_dict(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Answer:
        return cls(**{each.name: data[each.name] for each in fields(cls) if each.name in data})


def check_answer(kind: str, answer: Answer) -> None:
    """ValueError for an answer that this kind of question has no use for: it would count as a rejection."""
    takes = TAKES.get(kind, DECISIONS)
    if answer.decision not in takes:
        raise ValueError(f"a question of the kind {kind!r} takes {', '.join(takes)}; got {answer.decision!r}")


Person = Callable[[Request], Answer | None]
