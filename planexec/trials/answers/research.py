"""A right survey: its searches covered every side, the report says something of each, and it invents nothing."""

from __future__ import annotations

from dataclasses import dataclass

from planexec.result import Result
from planexec.trials.answers.rules import NO_DATA, Question, register
from planexec.trials.figures import Traced
from planexec.trials.survey import SIDES, Pages, pages_in, sides_in, sides_named


@dataclass(frozen=True)
class Survey:
    """`pages`: what there is to find. A side is reported when the text names a page of it that was seen."""

    pages: Pages
    question: Question
    none: bool = False

    def right(self, run: Result) -> bool:
        if not run.complete or len(sides_named(run.answer, self.pages)) < len(SIDES):
            return False
        known = Traced([self.question.text, self.question.data.get("date", ""), *(call.text for call in run.calls)])
        return not known.untraced(run.answer)

    def honest(self, run: Result) -> bool:
        return bool(NO_DATA.search(run.answer)) and not sides_named(run.answer, self.pages)

    def enough(self, seen: str) -> bool:
        return len(sides_in(seen, self.pages)) == len(SIDES)


@register("research", "survey")
def survey(question: Question) -> Survey:
    return Survey(pages_in(question.data, question.lang), question)
