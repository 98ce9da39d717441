"""The person lab: a run that comes to a call it may not make alone, and waits in a file until somebody answers.

`person("approve")` runs it and gives the answers at once; `Desk()` keeps the run open, so that buttons, this process or
any other (`planexec answer`) can answer. The refund goes to nobody: it is a line in a file that is counted.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from planexec import store
from planexec.agent import PlanExecuteAgent
from planexec.journal import Journal, Record
from planexec.labs.lane_view import LaneView
from planexec.limits import Limits
from planexec.models.simulated import SimulatedModel
from planexec.person import Answer
from planexec.result import Result
from planexec.show.lanes import Lane, Mark
from planexec.verdicts import describe
from planexec.worlds import load

if TYPE_CHECKING:
    from planexec.labs.person_panel import PersonPanel

WORLD, CASE = "orders", "refund"
RUN, DONE = "run.db", "done.jsonl"
ROWS = {"model": "model", "tool": "tools", "ask": "person"}


@dataclass(frozen=True, repr=False)
class DeskView(LaneView):
    """How the run stands. `state`: "waiting" (`request` is the open question), "complete" or "stopped".

    `asked`: each question that was answered, with the decision. `answers`: all that people have said, in this process
    or in another, a grant of more to a stopped run too. `done`: what the tools did to the world.
    """

    state: str
    request: dict[str, Any] | None
    result: Result
    asked: tuple[tuple[str, str], ...]
    done: tuple[dict[str, Any], ...]
    lanes: tuple[Lane, ...]
    answers: tuple[Answer, ...] = ()
    axis = "things that happened, in order"

    @property
    def text(self) -> str:
        """What is to be answered, or what became of it, in one sentence."""
        if self.request is not None:
            return f"waits for a person: {self.request['text']}"
        stop = "" if self.state == "complete" or self.result.stop is None else f" - {describe(self.result.stop)}"
        return f"{self.state}: {self.outcome}; asked {len(self.asked)} time{'' if len(self.asked) == 1 else 's'}{stop}"

    @property
    def outcome(self) -> str:
        """What was done to the world, in words."""
        paid = [f"{each['amount_yuan']:g} yuan paid back" for each in self.done]
        return ", ".join(paid) or "nothing paid back"

    @property
    def said(self) -> str:
        """The last line of the answer: what the agent makes of the person's decision."""
        return self.result.answer.strip().splitlines()[-1] if self.result.answer.strip() else ""

    @property
    def title(self) -> str:
        decided = ", ".join(decision for _, decision in self.asked) or "nobody has answered yet"
        return f"{self.state}: {self.outcome} ({decided})"


class Desk:
    """One run in a file of its own; whoever answers, the next `look` goes on with it as far as it can.

    `question`: default the world's own refund. `max_steps`, `confirm_first`: limits of the run. `folder`: where the
    file lies, default a temporary one that goes when the desk does.
    """

    def __init__(
        self,
        question: str = "",
        max_steps: int = 8,
        confirm_first: bool = False,
        lang: str = "en",
        folder: Path | None = None,
    ):
        self._kept = TemporaryDirectory(prefix="planexec-", ignore_cleanup_errors=True) if folder is None else None
        self.folder = Path(self._kept.name) if self._kept is not None else Path(folder or ".")
        self.path = self.folder / RUN
        world = load(WORLD, lang, outbox=self.folder / DONE)
        self.question = question or world.questions[CASE]
        limits = Limits(max_steps=max_steps, confirm_first=confirm_first)
        self._agent = PlanExecuteAgent(SimulatedModel("careful"), world.tools, limits, lang, date=world.date)

    def look(self) -> DeskView:
        """Begin the run, or go on with it; what was answered in the meantime, here or elsewhere, counts."""
        with Journal(self.path) as journal:
            result = self._agent.run(self.question, journal)
            pending = journal.pending()
            records, grants = journal.records(), journal.grants
        state = "waiting" if pending else "complete" if result.complete else "stopped"
        request = pending[0] if pending else None
        said = (*_answers(records), *(Answer("grant", limits=limits) for limits in grants))
        return DeskView(state, request, result, _asked(records), self.done, _lanes(records), said)

    def answer(self, given: Answer | str, text: str = "", **more: Any) -> DeskView:
        """Answer the open question, or grant a stopped run more, and go on: `answer("reject", "too much")`.

        `more`: `args` of an edit, `limits` of a grant. ValueError when nothing waits or the answer makes no sense.
        """
        self.give(given if isinstance(given, Answer) else Answer(given, text, **more))
        return self.look()

    def give(self, answer: Answer) -> None:
        """Leave an answer in the file, as another process would; the next `look` goes on. ValueError as in `answer`."""
        waiting = self.waiting
        if waiting is not None:
            store.answer(self.path, waiting["id"], answer)
        elif answer.decision == "grant" and self.path.exists():
            store.grant(self.path, answer.limits or {})
        else:
            raise ValueError(f"nothing waits for an answer, so there is nothing to {answer.decision}")

    @property
    def waiting(self) -> dict[str, Any] | None:
        """The question that nobody has answered yet, as the file has it now."""
        return next(iter(Journal.read(self.path).pending()), None) if self.path.exists() else None

    @property
    def done(self) -> tuple[dict[str, Any], ...]:
        """What the tools did to the world so far."""
        file = self.folder / DONE
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        return tuple(json.loads(line) for line in lines)

    @property
    def command(self) -> str:
        """What to type in a terminal to answer instead."""
        return f'planexec answer "{self.path}" approve'


def person(
    *answers: Answer | str, question: str = "", max_steps: int = 8, confirm_first: bool = False, lang: str = "en"
) -> DeskView:
    """The run with these answers given one after the other: `person()` waits, `person("approve")` goes on.

    An answer is an `Answer`, or the word of one that needs nothing else. ValueError when one is given and none is due.
    """
    desk = Desk(question, max_steps, confirm_first, lang)
    view = desk.look()
    for given in answers:
        view = desk.answer(given)
    return view


def panel(**settings: Any) -> PersonPanel:
    """The desk with buttons; `settings` are those of `Desk`."""
    from planexec.labs.person_panel import PersonPanel

    return PersonPanel(**settings)


def _answers(records: list[Record]) -> tuple[Answer, ...]:
    return tuple(Answer.from_dict((each.result or {})["answer"]) for each in _answered(records))


def _asked(records: list[Record]) -> tuple[tuple[str, str], ...]:
    return tuple((each.request["text"], (each.result or {})["answer"]["decision"]) for each in _answered(records))


def _answered(records: list[Record]) -> list[Record]:
    return [each for each in records if each.kind == "ask" and (each.result or {}).get("answer")]


def _lanes(records: list[Record]) -> tuple[Lane, ...]:
    """Model, tools and person, each with what it did, in the order of the journal."""
    marks: dict[str, list[Mark]] = {row: [] for row in ROWS.values()}
    shown = [record for record in records if record.kind in ROWS]
    for turn, record in enumerate(shown, 1):
        marks[ROWS[record.kind]].append(Mark(turn, *_mark(record)))
    return tuple(Lane(row, tuple(listed)) for row, listed in marks.items())


def _mark(record: Record) -> tuple[str, str]:
    if record.kind == "ask":
        return ("asked" if record.result is not None else "waiting"), str(record.request["text"])
    if record.kind == "model":
        return "model", record.scope
    seen = (record.result or {}).get("observation", {"kind": "unknown"})
    return seen["kind"], f"{record.name}: {seen.get('text', '')}"
