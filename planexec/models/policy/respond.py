"""From a request to what is said: reads the conversation, finds the role, and lets that role answer.

respond(messages, tools, "auto", worlds, dice) -> Said(text, calls, thought)
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from planexec.chat import Message
from planexec.models.policy import roles
from planexec.models.policy.acting import next_move
from planexec.models.policy.breaking import FORMS, dump, untidy
from planexec.models.policy.chapters import step_report
from planexec.models.policy.dials import Dice
from planexec.models.policy.facts import Brought, of_calls, of_results
from planexec.models.policy.handing_in import hand_in, takes_answer
from planexec.models.policy.hands import ToolUse, ToolView, views
from planexec.models.policy.inventing import with_invention
from planexec.models.policy.knowledge import Known
from planexec.models.policy.phrases import say
from planexec.models.policy.planning import plan, replan, route
from planexec.models.policy.reading import Reading, language, read, records, today
from planexec.models.policy.state import State
from planexec.models.policy.tasks import Task, free_need, scope_of, task_of
from planexec.models.policy.writing import answer

Worlds = tuple[Known, ...]
_REASON = re.compile(r"[(（](?P<why>[^()（）]{2,80})[)）]")


@dataclass(frozen=True, slots=True)
class Said:
    """What comes out: text or calls, and the reasoning that goes with it."""

    text: str
    calls: tuple[ToolUse, ...] = ()
    thought: str = ""


def respond(
    messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], tool_choice: str, worlds: Worlds, dice: Dice
) -> Said:
    """The one answer to this request. Same request, worlds, dials and seed: same answer."""
    reading = read(messages)
    role = roles.role_of(reading, bool(tools))
    if role in (roles.REACT, roles.EXECUTE):
        return _with_tools(reading, views(tools), tool_choice if tools else "none", role, worlds, dice)
    task, lang = task_of(reading.question, worlds, today(reading)), language(reading.question)
    if role in (roles.PLAN, roles.REPLAN, roles.ROUTE):
        return Said(_json(_value(role, task, reading, dice), reading, dice, lang), thought=say("thought_plan", lang))
    if role == roles.REPORT:
        return _report(reading, task, worlds, dice)
    return _chat(reading, worlds)


def _value(role: str, task: Task | None, reading: Reading, dice: Dice) -> Any:
    if role == roles.ROUTE:
        return route(task)
    return plan(task, reading) if role == roles.PLAN else replan(task, reading, dice)


def _json(value: Any, reading: Reading, dice: Dice, lang: str) -> str:
    """JSON as asked for, or (`sloppy`) untidy; attempts made and steps finished are the opportunities before."""
    attempt = len(reading.said) + len(records(reading.data, "done"))
    if dice.strikes("sloppy", attempt):
        return untidy(value, dice.pick("sloppy", attempt, len(FORMS)), lang)
    return dump(value)


# ------------------------------------------------------------------------------------------------ with tools


def _with_tools(
    reading: Reading, tools: tuple[ToolView, ...], tool_choice: str, role: str, worlds: Worlds, dice: Dice
) -> Said:
    """Calls or words; words are handed in by a call where a tool takes answers or a call is demanded."""
    takers = {tool.name for tool in tools if takes_answer(tool)}
    if takers:
        reading = replace(reading, seen=tuple(each for each in reading.seen if each.name not in takers))
    others = tuple(tool for tool in tools if tool.name not in takers)
    said = _work(reading, others, tool_choice != "none", role, worlds, dice)
    if said.calls or tool_choice == "none":
        return said
    call = hand_in(said.text, tools, tool_choice)
    thought = said.thought or say("thought_say", language(reading.question))
    return Said("", (call,), thought) if call else said


def _work(reading: Reading, tools: tuple[ToolView, ...], may_call: bool, role: str, worlds: Worlds, dice: Dice) -> Said:
    """The executor of one step, or ReAct on a question: calls, or words when it ends or must."""
    question, since = _asked(reading, worlds)
    task = task_of(question, worlds, today(reading))
    step = reading.data.get("step")
    goal = str(step.get("goal", "")) if isinstance(step, Mapping) else ""
    if task is None and goal:
        task = task_of(goal, worlds, today(reading))
    if task is None:
        return unknown(question, worlds)
    seen = tuple(each for each in reading.seen if each.users >= since)
    scope = scope_of(task, goal, question) if goal else task.wanted
    if not scope:
        scope = (free_need(task, goal),)
        task = task.also(scope)
    earlier = of_results(task, records(reading.data, "earlier_results"))
    state = State(task, scope, seen, reading.system, tools, dice, of_calls(task, seen, scope, tools), earlier)
    if may_call:
        move = next_move(state)
        if move.calls:
            return Said("", move.calls, move.thought)
        if not seen and not any(map(state.tool_for, scope)):
            needs = "; ".join(each.label for each in scope)
            return Said(say("no_tools", task.lang, needs=needs, world=task.known.world))
    why = "" if may_call else _reason(reading)
    return _in_words(state, role, goal != "" and goal != question, why)


def _in_words(state: State, role: str, step: bool, why: str) -> Said:
    """The end of a step or of a question: what was found and what was not."""
    brought = (*state.earlier, *state.calls)
    text = step_report(state.task, state.scope, brought) if step else answer(state.task, brought, why)
    missing = [each for each in state.scope if not state.met(each)]
    text = with_invention(text, state.task, missing, brought, state.dice, len(state.earlier))
    return Said(text, thought=say("thought_say", state.lang))


def _asked(reading: Reading, worlds: Worlds) -> tuple[str, int]:
    """The question, and how many user messages came up to it: the last one that is known, else the first."""
    if reading.data:
        return reading.question, 0
    for index in range(len(reading.users) - 1, 0, -1):
        if task_of(reading.users[index], worlds, today(reading)) is not None:
            return reading.users[index], index + 1
    return reading.question, 0


def _reason(reading: Reading) -> str:
    """Why the caller asks for the end: what its last message says in brackets, or ""."""
    match = _REASON.search(reading.users[-1]) if len(reading.users) > 1 else None
    return match["why"] if match else ""


# ------------------------------------------------------------------------------------------------ without tools


def _report(reading: Reading, task: Task | None, worlds: Worlds, dice: Dice) -> Said:
    if task is None:
        return unknown(reading.question, worlds)
    results = records(reading.data, "results")
    brought: tuple[Brought, ...] = of_results(task, results)
    stopped = str(reading.data.get("stopped") or "")
    if len(brought) == 1 and results[0].get("goal") == task.question and brought[0].kind == "found":
        return Said(brought[0].text, thought=say("thought_say", task.lang))  # one step did it all
    missing = [each for each in task.wanted if not any(b.wanted is each and b.kind == "found" for b in brought)]
    text = with_invention(answer(task, brought, stopped), task, missing, brought, dice, len(brought))
    return Said(text, thought=say("thought_say", task.lang))


def _chat(reading: Reading, worlds: Worlds) -> Said:
    """Ordinary talk: a known question without tools, a greeting, or something it does not know."""
    text = reading.users[-1] if reading.users else ""
    task, lang = task_of(text, worlds), language(text)
    if task is not None:
        needs = "; ".join(each.label for each in task.wanted)
        return Said(say("no_tools", lang, needs=needs, world=task.known.world))
    if _GREETING.match(text.strip()):
        return Said(say("hello", lang, worlds=_names(worlds, lang)))
    return unknown(text, worlds)


_GREETING = re.compile(r"(?:hello|hi|hey|good (?:morning|day|evening)|who are you|你好|您好|你是谁)\b", re.IGNORECASE)


def unknown(question: str, worlds: Worlds) -> Said:
    """What is said about a question that belongs to no world."""
    lang = language(question)
    return Said(say("unknown", lang, worlds=_names(worlds, lang)))


def _names(worlds: Worlds, lang: str) -> str:
    return "; ".join(known.name.get(lang, known.world) for known in worlds)
