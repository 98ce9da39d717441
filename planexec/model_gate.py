"""How one question to the model passes the gate: admitted, asked, bounded, charged, recorded, asked again.

Used by `Run.model()` only; the tools' side is in `tool_gate.py`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from planexec.chat import Message, Reply, ToolCall, Usage, assistant
from planexec.deadline import bounded
from planexec.failures import classify, in_words
from planexec.gate import ROOT
from planexec.limits import Need
from planexec.mending import mended
from planexec.own_code import how_to_go_on, no_reply, told
from planexec.plain import TEXT_CAP, cut, plain
from planexec.records import Record, question
from planexec.verdicts import Stop, advice

if TYPE_CHECKING:
    from planexec.run import Run


class Unanswered(Exception):
    """A model call that the run can do without failed for good; the text says how."""


@dataclass(slots=True)
class Asking:
    """One question to the model: what every attempt at it has in common. `last`: it is a concluding call."""

    messages: list[Message]
    schemas: Sequence[dict[str, Any]]
    options: dict[str, Any]
    fingerprint: str
    last: bool


def ask_model(run: Run, asking: Asking, size: int, step: bool, replan: bool, needed: bool) -> Reply:
    """Ask until there is a usable answer, within the attempts allowed. `size`: bytes of the request."""
    attempt, steps = 1, int(step)
    while True:
        need = run._gate.model_need(size, asking.options["max_tokens"], steps)
        if replan:
            need = replace(need, replans=1)
        record, reply = _attempt(run, asking, need)
        if reply is not None and _usable(reply):
            return reply
        error = (record.result or {}).get("error") or {"kind": "transient", "text": "the answer was empty or cut"}
        wait = run._wait_before(attempt, error)
        if wait is None:
            if reply is not None:
                return reply
            if not mended(run, error, attempt):
                if not needed and "cut" not in error:
                    raise Unanswered(error["text"])
                _give_up(run, error, asking.last)
        elif wait:
            run._wait(wait, asking.last)
        attempt, steps, replan = attempt + (not error.get("interrupted")), 0, False


def _attempt(run: Run, asking: Asking, need: Need) -> tuple[Record, Reply | None]:
    """One attempt, recorded or carried out."""
    gate = run._gate
    name = getattr(gate.model, "name", "model")
    position, record = run._next("model", "model", asking.fingerprint)
    if record is not None:
        if record.result is None:
            interrupted = {"kind": "transient", "text": "the process ended during this call", "interrupted": True}
            gate.journal.finish(record, _unpaid(run, interrupted, need, asking), 0.0)
        gate.count(run._level, need)
        run._talk.take_unsent()
        recorded = record.result or {}
        reply = Reply.from_dict(recorded["reply"]) if "reply" in recorded else None
        gate.settle_model(run._level, record.seconds, reply.usage if reply else _charged(recorded))
        gate.tell(record, True)
        return record, reply
    if gate.model is None:
        raise ValueError("this run has no model, and the recording ends here")
    gate.admit(run.scope, position, run._level, need, asking.last)
    request = question(name, asking.options, run._talk.take_unsent())
    record = gate.journal.begin(run.scope, position, "model", "model", asking.fingerprint, request)
    result, seconds = _request(run, asking, need)
    if isinstance(result, Reply):
        gate.settle_model(run._level, seconds, result.usage)
        gate.tell(gate.journal.finish(record, result.fields(), seconds), False)
        return record, result
    gate.settle_model(run._level, seconds, _charged(result))
    gate.tell(gate.journal.finish(record, result, seconds), False)
    return record, None


def _request(run: Run, asking: Asking, need: Need) -> tuple[Reply | dict[str, Any], float]:
    """Make one request: the reply, or what became of it instead, and the seconds it took. Nothing is raised."""
    gate = run._gate
    left, holder = gate.seconds_left(run._level, asking.last) if gate.timed else (None, gate.run_level)
    assert gate.model is not None
    ask, begun = gate.model.reply, gate.clock.now()
    try:
        if left is None or gate.clock.virtual:
            reply = ask(asking.messages, tools=asking.schemas, timeout=left, **asking.options)
        else:
            reply = bounded(partial(ask, asking.messages, tools=asking.schemas, timeout=left, **asking.options), left)
        if not isinstance(reply, Reply):
            raise TypeError(no_reply(reply))
        usage = gate.billed(reply.usage, need, asking.options["max_tokens"])
        kept = _kept(run, reply, usage)
    except Exception as problem:
        failure = classify(problem)
        text = told(problem) if failure.bug else failure.text
        error: dict[str, Any] = {"kind": failure.kind, "text": gate.journal.kept(cut(text))}
        if failure.bug:
            error["bug"] = True
        if failure.retry_after is not None:
            error["retry_after"] = failure.retry_after
        result = _unpaid(run, error, need, asking) if isinstance(problem, TimeoutError) else {"error": error}
        return result, run._passed(begun, getattr(problem, "seconds", None))
    seconds = run._passed(begun, usage.seconds)
    if left is not None and seconds > left:
        text = f"cut: the answer would have taken {seconds:.1f} s, {left:.1f} s were left for it"
        error = {"kind": "permanent", "text": text, "cut": holder.name}
        return _unpaid(run, error, need, asking), left
    return kept, seconds


def _unpaid(run: Run, error: dict[str, Any], need: Need, asking: Asking) -> dict[str, Any]:
    """The result of a call that was given up: its cost is not known, so it is charged what was reserved."""
    usage = run._gate.reserved(need, asking.options["max_tokens"])
    charge = {"usage": [usage.prompt_tokens, usage.completion_tokens, usage.usd]} if usage is not None else {}
    return {"error": error, **charge}


def _give_up(run: Run, error: dict[str, Any], last: bool) -> None:
    """The model failed for good: the run ends with the reason, and without a concluding call.

    A call that was cut because the time was over ends what had no time left, the run or the step; the time for
    the conclusion was kept back.
    """
    if "cut" not in error:
        how = how_to_go_on(run) if error.get("bug") else ""
        run.end(Stop("failed", where=run.scope, advice=error["text"] + how))
    whole_run = error["cut"] == ROOT
    limits, meter = (run.limits, run.used) if whole_run else (run._level.limits, run._level.meter)
    most = limits.max_seconds if limits is not None else None
    stop = Stop("max_seconds", most, meter.seconds, run.scope, advice("max_seconds", run.lang))
    run._end(stop, "halt" if last else "conclude", run._gate.run_level if whole_run else run._level)


def _usable(reply: Reply) -> bool:
    """False for an empty or a cut answer, which may come out better the next time; a filtered one will not."""
    if reply.tool_calls or reply.finish == "filtered":
        return True
    return reply.finish not in ("length", "unknown") and bool(reply.text.strip())


def _charged(result: dict[str, Any]) -> Usage | None:
    """What a call without a reply was charged, if anything."""
    return Usage(*result["usage"]) if "usage" in result else None


def _kept(run: Run, reply: Reply, usage: Usage) -> Reply:
    """A reply as the journal gives it back, and as the loop sees it.

    It is billed as the gate says, is plain JSON, has ids of its own and no key in it, and its longest texts are cut.
    """
    text, message = cut(reply.text), _bounded(plain(reply.message))
    calls = []
    for call in reply.tool_calls or ():
        calls.append(_kept_call(call))
    if not message:
        message = assistant(text, calls, [json.dumps(each.args, ensure_ascii=False) for each in calls])
    if calls:
        _give_own_ids(calls, message, run._talk.ids)
    reasoning = cut(reply.reasoning) if reply.reasoning else ""
    kept = Reply(text, tuple(calls), plain(reply.finish), usage, reasoning, plain(reply.model), message)
    if not run._gate.journal.hides:
        return kept
    data = kept.to_dict()
    without = run._gate.journal.without_keys(data)
    if without is data:
        return kept
    again = Reply.from_dict(without)
    _give_own_ids(again.tool_calls, again.message, run._talk.ids)  # two keys may have become one text
    return again


def _kept_call(call: ToolCall) -> ToolCall:
    """A call in plain JSON; arguments that are no JSON (NaN, which some parsers let pass) are told."""
    if type(call.name) is not str:  # no tool has such a name
        return _kept_call(replace(call, name=in_words(call.name)))
    try:
        return ToolCall(plain(call.id), plain(call.name), plain(call.args), plain(call.error))
    except (TypeError, ValueError, RecursionError) as problem:
        return ToolCall(*plain((call.id, call.name, None, f"its arguments are no JSON: {problem}")))


def _give_own_ids(calls: Sequence[ToolCall], message: Message, taken: set[str]) -> None:
    """Give each tool call of a reply an id that no other call of its conversation has: servers refuse anything else."""
    for call, sent in zip(calls, message.get("tool_calls") or ()):  # noqa: B905 - naming it doubles the time
        own = str(call.id)
        if not call.id or own in taken:
            number = len(taken) + 1
            while f"call_{number}" in taken:
                number += 1
            own = call.id = sent["id"] = f"call_{number}"
        taken.add(own)


def _bounded(message: Message) -> Message:
    """A message whose texts beyond the cap are cut."""
    for text in message.values():
        if type(text) is str and len(text) > TEXT_CAP:
            return {name: cut(each) if isinstance(each, str) else each for name, each in message.items()}
    return message
