"""The replan lab: what the replanner answers, how often it may be asked, and what becomes of the plan.

The run is a real one, through the gate. Its model is scripted: it plans five steps, carries each out in words, and
answers as the dial `says` has it when it is asked about the rest.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from planexec.agent import PlanExecuteAgent
from planexec.chat import Message
from planexec.journal import Journal
from planexec.limits import Limits
from planexec.models.scripted import ScriptedModel
from planexec.plans import Step, changes
from planexec.plans.changes import goal_key
from planexec.plans.words import say
from planexec.result import Result
from planexec.show.plan_diff import diff_figure, diff_svg, diff_text

if TYPE_CHECKING:
    from planexec.labs.panel import Panel
    from planexec.show.picture import Picture

TASK = "Survey this year's electric-vehicle batteries."
GOALS = (
    "Energy density and the models on sale",
    "Battery chemistries",
    "Makers with more than 1.5 % of the market",
    "Fast charging",
    "Safety and standards",
)
NEW = ("Prices of cells", "Recycling", "Supply of lithium", "Swapping stations", "Second life", "Jobs", "Grid storage")

HEADS = ("the first plan", "what was carried out")

Data = Mapping[str, Any]
Lines = list[dict[str, Any]]


def _rest(data: Data) -> Lines:
    return [dict(each) for each in data["remaining"]]


def _one_more(data: Data) -> Lines:
    used = {str(each["goal"]) for each in (*data["done"], *data["remaining"])}
    return [*_rest(data), {"id": None, "goal": next(goal for goal in NEW if goal not in used)}]


def _all_again(data: Data) -> Lines:
    return [{"id": None, "goal": str(each["goal"])} for each in data["done"]] + _rest(data)


def _said(data: Data, change: Callable[[str], str]) -> Lines:
    return [{**each, "goal": change(str(each["goal"]))} for each in _rest(data)]


# what the replanner answers, each time it is asked about the rest
SAYS: dict[str, Callable[[Data], Lines | str]] = {
    "the plan as it is": _rest,
    "one step less": lambda data: _rest(data)[1:],
    "one step more": _one_more,
    "the last step first": lambda data: [*_rest(data)[-1:], *_rest(data)[:-1]],
    "nothing is left": lambda data: [],
    "all from the beginning": _all_again,
    "the same in capitals": lambda data: _said(data, lambda goal: goal.upper() + "!"),
    "another percentage": lambda data: _said(data, lambda goal: goal.replace("1.5 %", "15 %")),
    "small talk": lambda data: "The rest of the plan still looks good to me.",
}
CHOICES = tuple(SAYS)


@dataclass(frozen=True)
class Asked:
    """One time the rest of the plan was asked about: what was made of the answer, and the remark on it."""

    status: str
    why: str


@dataclass(frozen=True)
class ReplanView:
    """One run: the plan as it was made, the steps as they were carried out, and what was not taken back in."""

    says: str
    limit: int
    before: tuple[Step, ...]
    result: Result
    asked: tuple[Asked, ...]

    @property
    def after(self) -> tuple[Step, ...]:
        """The steps that were carried out, in their order."""
        return tuple(Step(step.id, step.goal) for step in self.result.steps)

    @property
    def refused(self) -> tuple[str, ...]:
        """Goals that were asked for again although they are finished, each once."""
        remarks = " ".join(goal_key(each.why) for each in self.asked)
        return tuple(s.goal for s in self.after if goal_key(say("finished_dropped", goal=s.goal[:80])) in remarks)

    @property
    def unused(self) -> int:
        """How many answers could not be used: not read, or more steps than there is room for."""
        return sum(each.status == "unreadable" for each in self.asked)

    @property
    def changed(self) -> str:
        """What became of the plan: "2 added, 1 removed", "another order", or "nothing changed"."""
        found = changes(self.before, self.after)
        counts = {"removed": found.removed, "added": found.added, "reworded": found.reworded}
        said = [f"{len(steps)} {name}" for name, steps in counts.items() if steps]
        return ", ".join([*said, *(["another order"] if found.reordered else [])]) or "nothing changed"

    @property
    def text(self) -> str:
        """What happened, in one sentence."""
        words = [
            f"Asked {len(self.asked)} of at most {self.limit} times: {self.changed}",
            f"steps carried out: {len(self.after)}",
            f"answers that could not be used: {self.unused}" if self.unused else "",
            f"different finished steps kept out: {len(self.refused)}" if self.refused else "",
        ]
        return "; ".join(each for each in words if each)

    @property
    def _title(self) -> str:
        unused = f"; {self.unused} answers not used" if self.unused else ""
        kept_out = f"; different finished steps kept out: {len(self.refused)}" if self.refused else ""
        return f"{self.changed[0].upper()}{self.changed[1:]}, {len(self.asked)} times asked{unused}{kept_out}"

    @property
    def diff(self) -> str:
        """The two plans, one line a step."""
        return diff_text(self.before, self.after, self.refused)

    @property
    def svg(self) -> str:
        return diff_svg(self.before, self.after, self._title, self.refused, HEADS)

    @property
    def picture(self) -> Picture:
        return diff_figure(self.before, self.after, self._title, self.refused, HEADS)

    def __repr__(self) -> str:
        return f"{self.text}\n{self.diff}"


def replan(says: str = "all from the beginning", limit: int = 6, answer: str = "") -> ReplanView:
    """Carry out a plan of five steps; after each, the rest may be asked about, `limit` times at the most.

    `says`: what the replanner answers, one of `CHOICES`. `answer`: a text of your own that it gives the first time,
    whatever the dial says. ValueError for a choice that there is not. No model is called, so no cost.
    """
    if says not in SAYS:
        raise ValueError(f"the replanner says one of: {', '.join(CHOICES)}; got {says!r}")
    journal = Journal()
    model = ScriptedModel(_script(SAYS[says], answer))
    limits = Limits(max_replans=limit)
    result = PlanExecuteAgent(model, (), limits, loop="plan", date="2026-11-02").run(TASK, journal)
    notes = [record.result or {} for record in journal.records() if (record.kind, record.name) == ("note", "replan")]
    before = tuple(Step(number, goal) for number, goal in enumerate(GOALS, 1))
    return ReplanView(says, limit, before, result, tuple(Asked(note["status"], note["why"]) for note in notes))


def _script(said_next: Callable[[Data], Lines | str], answer: str) -> Callable[[Sequence[Message], Any], str]:
    """The scripted model: which role it plays follows from the data it is sent."""

    def reply(messages: Sequence[Message], tools: Any) -> str:
        data = json.loads(messages[1]["content"])
        if "results" in data:
            return "\n".join(str(each["goal"]) for each in data["results"])
        if "remaining" in data:
            said = answer if answer and len(data["done"]) == 1 else said_next(data)
            return said if isinstance(said, str) else json.dumps(said)
        return f"Found: {data['step']['goal']}." if "step" in data else json.dumps(GOALS)

    return reply


def panel() -> Panel:
    """The lab with live dials."""
    from planexec.labs.panel import Dial, Panel

    dials = (
        Dial("says", "all from the beginning", options=CHOICES, label="the replanner answers"),
        Dial("limit", 6, 0, 8, label="limit (times asked)"),
        Dial("answer", "", label="its first answer in your own words"),
    )
    return Panel(replan, dials)
