"""The replanner: after a step, is the rest of the plan still right?

Conservative: it deletes what is already covered, adds what the task needs and the plan lacks, reorders what is plainly
out of order, and otherwise returns the rest unchanged. It sees a digest of each result, so that its context grows
slowly. A finished step cannot come back; "[]" means nothing is left; what cannot be read leaves the plan as it is.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from planexec.chat import Message, system, user
from planexec.consent import confirm_rest
from planexec.planner import longest_plan
from planexec.plans import Step, read_remainder
from planexec.plans.words import say
from planexec.result import StepDone, _short
from planexec.run import Run, Unanswered

DIGEST = 300  # characters of each result that the replanner sees

PROMPT = {
    "en": (
        "You check the rest of a plan after a step. Be conservative: delete a remaining step whose goal the results "
        "already cover, add one that the task needs and the plan lacks, reorder what is plainly out of order; "
        "otherwise return the remaining steps unchanged. Finished steps never come back. Answer with a JSON array of "
        'the remaining steps as {{"id": ..., "goal": "..."}} and nothing else; a new step has "id": null; [] means '
        "nothing is left. At most {room} steps. Today is {date}."
    ),
    "zh": (
        "你在每一步之后检查剩余计划。保守处理：剩余步骤若已被结果覆盖就删除，"
        "任务需要而计划缺少的就补上，顺序明显不对的就调整；否则原样返回。已完成的步骤不得再出现。"
        '只输出剩余步骤的 JSON 数组，每项为 {{"id": ..., "goal": "..."}}；新步骤的 "id" 为 null；'
        "[] 表示没有剩余步骤。最多 {room} 项。今天是 {date}。"
    ),
}


@dataclass(frozen=True, slots=True)
class Replanned:
    """The rest of the plan. `status`: "parsed", "empty" or "unreadable" (then `steps` are the old ones)."""

    steps: tuple[Step, ...]
    status: str
    why: str = ""


def replan(run: Run, question: str, done: Sequence[StepDone], remaining: Sequence[Step]) -> Replanned:
    """Ask once about `remaining`; when the model fails, the plan stays. Raises `Ended` when the run is over.

    Where `limits.confirm_first` is set, a person is asked about a rest that holds more than `remaining`.
    """
    most = longest_plan(run.limits)
    room = max(0, most - len(done))
    messages = [
        system(PROMPT[run.lang].format(room=room, date=run.date)),
        _message(run, question, done, remaining, most),
    ]
    try:
        reply = run.within("replan").model(messages, thinking=False, replan=True, needed=False)
    except Unanswered as problem:
        run.note("replan", status="unreadable", why=str(problem), steps=[[step.id, step.goal] for step in remaining])
        return Replanned(tuple(remaining), "unreadable", str(problem))
    finished = [Step(each.id, each.goal) for each in done]
    read = read_remainder(reply.text, remaining, finished, run.lang)
    if not reply.complete:
        answer = Replanned(tuple(remaining), "unreadable", say("unfinished", run.lang))
    elif read.status == "unreadable":
        answer = Replanned(tuple(remaining), "unreadable", read.why)
    elif len(read.steps) > room:
        why = say("too_long", run.lang, size=len(read.steps), limit=room)
        answer = Replanned(tuple(remaining), "unreadable", why)
    else:
        confirm_rest(run, remaining, read.steps)
        answer = Replanned(read.steps, read.status, read.why)
    run.note("replan", status=answer.status, why=answer.why, steps=[[step.id, step.goal] for step in answer.steps])
    return answer


def _message(run: Run, question: str, done: Sequence[StepDone], remaining: Sequence[Step], most: int) -> Message:
    data = {
        "task": question,
        "date": run.date,
        "done": [
            {"id": each.id, "goal": each.goal, "status": each.status, "result": _short(each.answer, DIGEST)}
            for each in done
        ],
        "remaining": [{"id": step.id, "goal": step.goal} for step in remaining],
        "max_plan_steps": most,
    }
    return user(json.dumps(data, ensure_ascii=False))
