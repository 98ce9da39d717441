"""The planner: a question becomes an ordered list of steps, before anything is done.

What cannot be used is asked for once more, with the reason. After that the run goes on with less - one step, or the
first lines - and says so (`degraded`). How a reply is read is in `plans.py`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from planexec.chat import Message, system, user
from planexec.limits import Limits
from planexec.plans import Plan, Step, read_plan
from planexec.plans.words import say
from planexec.run import Run
from planexec.verdicts import Stop, advice

PROMPT = {
    "en": (
        "You plan, you do not do the work. Break the task into 3 to 5 ordered steps (at most {most}) that together "
        "cover every side of it, without digging into one of them. Answer with a JSON array and nothing else. An item "
        'is a text, or an object {{"id": 1, "goal": "...", "tool": "...", "args": {{...}}, "needs": []}} when one call '
        'of one of the tools listed settles it. Arguments may refer to earlier results: "$1" is the result of step 1, '
        '"$3.weights" a '
        "named field of the result of step 3. A step that does no harm when it finds nothing gets "
        '"expects": "optional". '
        "Do not guess what only a tool can tell. A task of one step gets one item. "
        "Today is {date}."
    ),
    "zh": (
        "你只做计划，不执行。把任务拆成 3 到 5 个有先后顺序的步骤（最多 {most} 个），"
        "合起来覆盖任务的每个方面，不要深挖其中一个。只输出一个 JSON 数组。"
        '每一项是一句话；如果所列工具的一次调用就能完成，则写成对象 {{"id": 1, "goal": "...", '
        '"tool": "...", "args": {{...}}, "needs": []}}。参数可以引用前面的结果：'
        '"$1" 是第 1 步的结果，"$3.weights" 是第 3 步结果中的字段。'
        '查不到也无妨的步骤写上 "expects": "optional"。'
        "只有工具才能查到的内容不要猜。一步就能完成的任务只写一项。今天是 {date}。"
    ),
}

AGAIN = {
    "en": (
        "This plan cannot be used: {why}. Send the whole plan again as one JSON array of at most {most} items, "
        "nothing else."
    ),
    "zh": "这个计划无法使用：{why}。请重新输出完整计划：一个 JSON 数组，最多 {most} 项，不要其他内容。",
}


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan that can be carried out. `degraded` says why it is less than what was asked for; "" when it is not."""

    plan: Plan
    degraded: str = ""


def make_plan(run: Run, question: str) -> Planned:
    """Ask for a plan, at most twice; never fails for what the model wrote. Raises `Ended` when a limit stops it."""
    if run.limits.max_plan_steps == 0:
        run.end(Stop("max_plan_steps", 0, 0, "plan", advice("max_plan_steps", run.lang)), conclude=True)
    scope, most = run.within("plan"), longest_plan(run.limits)
    messages = [system(PROMPT[run.lang].format(most=most, date=run.date)), task_message(run, question, most)]
    steps, why = _ask(scope, messages, most)
    if why:
        messages.append(user(AGAIN[run.lang].format(why=why, most=most)))
        again, still = _ask(scope, messages, most)
        steps, why = (again, still) if again or not steps else (steps, why)
    if not steps:
        steps = (Step(1, question),)
    planned = Planned(Plan(Plan(steps).steps[:most]), why)
    run.note("plan", steps=planned.plan.to_list(), degraded=why)
    return planned


def longest_plan(limits: Limits) -> int:
    """How many lines a plan may have; without a limit a number that no plan reaches, because a prompt needs one."""
    return 1_000 if limits.max_plan_steps is None else limits.max_plan_steps


def task_message(run: Run, question: str, most: int) -> Message:
    """The task, the date and the tools, as one JSON object."""
    tools = [_card(schema["function"]) for schema in run.toolbox.schemas]
    data = {"task": question, "date": run.date, "tools": tools, "max_plan_steps": most}
    return user(json.dumps(data, ensure_ascii=False))


def _card(function: dict[str, Any]) -> dict[str, Any]:
    arguments = function["parameters"].get("properties", {})
    named = {name: entry.get("description", "") for name, entry in arguments.items()}
    return {"name": function["name"], "description": function["description"], "arguments": named}


def _ask(scope: Run, messages: list[Message], most: int) -> tuple[tuple[Step, ...], str]:
    """One reply: its steps, and what is wrong with them ("" when they can be used as they are)."""
    reply = scope.model(messages, thinking=False)
    messages.append(reply.message)
    if not reply.complete:
        return (), say("unfinished", scope.lang)
    read = read_plan(reply.text, scope.lang)
    if read.status != "parsed":
        return (), read.why if read.status == "unreadable" else say("no_steps", scope.lang)
    unknown = [step.tool for step in read.steps if step.tool and step.tool not in scope.toolbox]
    if unknown:
        tools = ", ".join(scope.toolbox) or "-"
        return (), say("unknown_tool", scope.lang, name=unknown[0], tools=tools)
    if len(read.steps) > most:
        return read.steps, say("too_long", scope.lang, size=len(read.steps), limit=most)
    return read.steps, ""
