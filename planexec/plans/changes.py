"""What changed between two plans.

Steps are told apart by id and by goal. Goals are compared without spaces, punctuation, case and width, because a
comma is no new plan; what changes a number is kept, because 1.5% is not 15%.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planexec.plans import Step

_SIGNS = "%‰#$€£¥°"
_DASHES = str.maketrans("−‐‑‒–—―", "-------")


@dataclass(frozen=True, slots=True)
class Changes:
    """From an old plan to a new one. `kept`, `reworded` and `added` are steps of the new plan, `removed` of the old.

    `reworded`: the id stayed, the goal says something else. `reordered`: the kept steps stand in another order.
    A `Changes` is true when anything changed.
    """

    kept: tuple[Step, ...] = ()
    reworded: tuple[Step, ...] = ()
    removed: tuple[Step, ...] = ()
    added: tuple[Step, ...] = ()
    reordered: bool = False

    def __bool__(self) -> bool:
        return bool(self.reworded or self.removed or self.added or self.reordered)


def same_goal(one: str, other: str) -> bool:
    """same_goal("Compare A, B.", "compare a b") -> True; same_goal("1.5%", "15%") -> False"""
    return goal_key(one) == goal_key(other)


@lru_cache(maxsize=4_096)
def goal_key(goal: str) -> str:
    """What is left of a goal for comparing: letters, digits, signs, and whatever stands between two digits.

    goal_key("降温到 -5 度，（约 1.5％）。") -> "降温到-5度约1.5%"; goal_key("Lines 1, 2") -> "lines1 2", not "lines12"
    """
    text = "".join(c if unicodedata.category(c) == "No" else unicodedata.normalize("NFKC", c) for c in goal)
    text = re.sub(r"\s+", " ", text.casefold().translate(_DASHES)).strip()
    key, gap = "", False
    for at, c in enumerate(text):
        if c.isalnum() or _counts(text, at):
            key += " " + c if gap and c.isdigit() and key[-1:].isdigit() else c
            gap = False
        else:
            gap = True
    return key or text


def _counts(text: str, at: int) -> bool:
    """True when the character at `at` is not a letter or digit and still changes what is said."""
    c, before, after = text[at], text[at - 1] if at else " ", text[at + 1 : at + 2]
    if before.isdigit() and after.isdigit():
        return True  # 1.5, 1,000, 10-20, 3/4, 10:30, and the space in "2025 10 cities"
    if c in "-." and after.isdigit():
        return not (before.isascii() and before.isalnum())  # -5 and .5, but not the joint of GPT-4
    kind = unicodedata.category(c)
    return c in _SIGNS or kind.startswith("M") or (kind == "Sm" and c not in "|~")


def changes(old: Iterable[Step], new: Iterable[Step]) -> Changes:
    """Compare two plans: first the steps whose id and goal are the same, then the same goal, then the same id."""
    before, after = list(old), list(new)
    partner: dict[int, int] = {}  # place in the new plan -> place in the old one
    for alike in (_same_step, _same_goal, _same_id):
        index: dict[object, list[int]] = {}
        for place, step in enumerate(before):
            if place not in partner.values():
                index.setdefault(alike(step), []).append(place)
        for place, step in enumerate(after):
            if place not in partner and index.get(alike(step)):
                partner[place] = index[alike(step)].pop(0)
    places = [partner[place] for place in range(len(after)) if place in partner]
    kept = [(before[partner[place]], step) for place, step in enumerate(after) if place in partner]
    return Changes(
        kept=tuple(step for was, step in kept if same_goal(was.goal, step.goal)),
        reworded=tuple(step for was, step in kept if not same_goal(was.goal, step.goal)),
        removed=tuple(step for place, step in enumerate(before) if place not in places),
        added=tuple(step for place, step in enumerate(after) if place not in partner),
        reordered=places != sorted(places),
    )


def _same_step(step: Step) -> object:
    return step.id, goal_key(step.goal)


def _same_goal(step: Step) -> object:
    return goal_key(step.goal)


def _same_id(step: Step) -> object:
    return step.id
