"""Right answers in the duty world: post and hours, the flights in them, the procedures in force, the risks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from planexec.result import Result
from planexec.trials.answers.rules import Holds, Question, register

_NO_DUTY = re.compile(r"not on duty|no duty|off duty|没有值班|不值班|无值班", re.IGNORECASE)


@dataclass(frozen=True)
class Preparation:
    """`due`: everything that has to be known; `old`: procedures that must not be named as if they were in force."""

    due: Holds
    old: tuple[str, ...]
    free: bool

    @property
    def none(self) -> bool:
        return self.free

    def right(self, run: Result) -> bool:
        return not self.free and self.due.holds(run.answer) and not self._obsolete(run.answer)

    def _obsolete(self, answer: str) -> bool:
        """True when a line names a superseded procedure without the one that replaced it or a word about it."""
        lines = [line for line in answer.split("\n") if any(name in line for name in self.old)]
        return any(not re.search(r"supersed|replac|取代|替代|废止", line) for line in lines)

    def honest(self, run: Result) -> bool:
        return self.free and bool(_NO_DUTY.search(run.answer))

    def enough(self, seen: str) -> bool:
        return not self.free and self.due.holds(seen)


@register("duty", "prepare", "no_duty")
def prepare(question: Question) -> Preparation:
    """Followed through the data as the four tools would show it: day, post, hours, categories, procedures, risks."""
    data, lang = question.data, question.lang
    match = re.search(r"\d{4}-\d\d-\d\d", question.text)
    day = match.group() if match else ""
    shift = next((row for row in data["roster"] if row["date"] == day), None)
    old = tuple(row["id"] for row in data["procedures"] if "superseded_by" in row)
    if shift is None:
        return Preparation(Holds(), old, True)
    flights = [row for row in data["flights"] if _in_shift(row, shift, lang)]
    about = {row["category"][lang] for row in flights}
    procedures = [row["id"] for row in data["procedures"] if row["about"][lang] in about and row["id"] not in old]
    risks = [row["text"][lang] for row in data["risks"] if row["procedure"] in procedures]
    names = [shift["post"][lang], shift["from"], shift["to"], *(row["flight"] for row in flights), *procedures, *risks]
    return Preparation(Holds(names=tuple(names)), old, False)


def _in_shift(row: Mapping[str, Any], shift: Mapping[str, Any], lang: str) -> bool:
    here = row["date"] == shift["date"] and row["post"][lang] == shift["post"][lang]
    return here and shift["from"] <= row["departs"] <= shift["to"]
