"""A person agrees before anything is done: what `limits.confirm_first` promises.

With a plan, to the plan, and to its rest again whenever the replanner puts in what nobody agreed to. Without a plan, to
beginning at all. A rejection ends the run, and so does nobody being there; a saved run waits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planexec.gate import ROOT
from planexec.person import Request
from planexec.plain import dumps
from planexec.plans import Step
from planexec.verdicts import Stop

if TYPE_CHECKING:
    from planexec.run import Run

WORDS = {
    "en": {
        "plan": "Carry out this plan?",
        "rest": "The plan has changed. Carry out this rest of it?",
        "new": "new",
        "begin": "There is no plan: the model chooses each call as it goes. Begin?",
        "question": "Question: {}",
        "tools": "Tools: {}",
        "none": "none",
        "nobody": "limits.confirm_first needs a person, and nobody is there.",
        "rejected": "A person rejected the plan.",
        "rejected_begin": "A person did not want it to begin.",
    },
    "zh": {
        "plan": "是否按此计划执行？",
        "rest": "计划有变。是否执行以下剩余步骤？",
        "new": "新",
        "begin": "没有计划：每次调用都由模型临时决定。是否开始？",
        "question": "问题：{}",
        "tools": "工具：{}",
        "none": "无",
        "nobody": "limits.confirm_first 需要人确认，但无人在场。",
        "rejected": "计划被人拒绝。",
        "rejected_begin": "有人不同意开始。",
    },
}


def confirm(run: Run, goals: Sequence[str]) -> None:
    """Ask about a plan before any of it is done."""
    _agreed(run, [WORDS[run.lang]["plan"], *_numbered(goals)], "rejected")


def confirm_rest(run: Run, agreed: Sequence[Step], rest: Sequence[Step]) -> None:
    """Ask about the rest of a plan if a step in it is not one of those `agreed` to.

    What was agreed to may be left out, or come in another order, without a question.
    """
    words, known = WORDS[run.lang], [_what(step) for step in agreed]
    if not run.limits.confirm_first or all(_what(step) in known for step in rest):
        return
    lines = []
    for step in rest:
        call = f": {step.tool}({dumps(step.args)})" if step.tool else ""
        lines.append(step.goal if _what(step) in known else f"{step.goal} ({words['new']}{call})")
    _agreed(run, [words["rest"], *_numbered(lines)], "rejected")


def confirm_begin(run: Run, question: str) -> None:
    """Where nothing is planned: ask once whether to begin, with the question and the tools in view."""
    if not run.limits.confirm_first:
        return
    words = WORDS[run.lang]
    tools = words["tools"].format(", ".join(run.toolbox) or words["none"])
    _agreed(run, [words["begin"], words["question"].format(question), tools], "rejected_begin")


def _agreed(run: Run, lines: Sequence[str], rejected: str) -> None:
    """Return when a person agrees, with more room or without; otherwise the run ends here, or waits."""
    scope = run.within("confirm")
    answer = scope.ask(Request(f"{scope.scope}:0", "confirm", "\n".join(lines)))
    if answer is None:
        run.end(Stop("stopped", where=ROOT, advice=WORDS[run.lang]["nobody"]))
    elif answer.decision == "grant":
        run.grant(answer.limits or {})
    elif answer.decision != "approve":
        run.end(Stop("stopped", where=ROOT, advice=answer.text or WORDS[run.lang][rejected]))


def _what(step: Step) -> tuple[str, str, object]:
    """What is done in a step; its number and what it waits for are no part of that."""
    return step.goal, step.tool, step.args


def _numbered(lines: Sequence[str]) -> list[str]:
    """One line a step, whatever its goal is made of."""
    return [f"{number}. {' '.join(line.split())}" for number, line in enumerate(lines, 1)]
