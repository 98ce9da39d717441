"""How one tool call passes the gate: admitted, approved, carried out, retried, replaced, recorded.

Used by `Run.tools()` only.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from planexec.admission import (
    Asked,
    Earlier,
    judge,
    not_admitted,
    not_admitted_again,
    noted,
    notice,
    refusal_of,
    refused,
    with_note,
)
from planexec.approval import approval, made_before, recorded_next
from planexec.chat import ToolCall
from planexec.deadline import bounded
from planexec.effects import agree, doubts, hear, keyed, made_earlier, may_be_repeated, whether
from planexec.failures import classify, in_words
from planexec.gate import is_amount
from planexec.languages import either
from planexec.limits import NOTHING, violations
from planexec.mending import may_be_mended, mended
from planexec.plain import cut, dumps, plain
from planexec.records import Fields, Record
from planexec.tools import KINDS, Observation, failed

if TYPE_CHECKING:
    from planexec.run import Run

_ATOMS = frozenset((str, int, float, bool, type(None)))
DATA_CAP = 262_144  # characters of JSON that an observation's data may have


def carry_out(run: Run, call: ToolCall, tried: tuple[str, ...] = (), earlier: Earlier | None = None) -> Observation:
    """One observation for one call, whatever happens. `tried`: tools that failed and fell back on this one, and
    `earlier` what they came to.
    """
    asked, note = Asked(run, call, tried, earlier), ""
    record = run._gate.journal.take(run.scope, run._position)
    if record is None and (refusal := refusal_of(run, asked)) is not None:
        return refusal
    if record.kind == "ask" if record is not None else asked.to_be_approved or asked.needs_person():
        answer, asked = approval(run, asked)
        if isinstance(answer, Observation):
            return answer if asked.turned_away else _refuse(run, asked, answer)
        note = answer
    observation = _attempts(run, asked, note)
    if observation.kind == "failed" and asked.falls_back:
        mine, first = Earlier(asked.seen, observation), asked.call
        second = carry_out(run, replace(first, name=asked.falls_back), (*tried, first.name), mine)
        return _instead(run, first.name, asked.falls_back, second) if mine.replaced else second
    return observation


def _instead(run: Run, first: str, second: str, observation: Observation) -> Observation:
    """Tell the model, and whoever reads the result, that another tool answered than the one that was asked."""
    en, zh = f"[guard] {first} failed; {second} was called instead.", f"[守卫] {first} 失败，已改用 {second}。"
    line = either(run.lang, en, zh)
    notice(run, "fallback", line)
    return with_note(observation, line)


def _refuse(run: Run, asked: Asked, observation: Observation) -> Observation:
    """Record a call that was not carried out; it is not counted as one."""
    position, record = run._next("tool", asked.call.name, asked.fingerprint)
    if record is None:
        return not_admitted(run, asked, position, observation, [])
    return _again(run, asked, record)[0]


def _attempts(run: Run, asked: Asked, note: str) -> Observation:
    """Carry out one call until it worked, cannot work, or has been tried often enough."""
    attempt = 1
    while True:
        observation, final, interrupted = _attempt(run, asked, attempt, note)
        if interrupted and observation.kind == "unknown":
            agree(run, asked)  # else it would not be made again
        if final:
            return observation
        # That there was no room for another attempt says less than why one was needed.
        asked.earlier = Earlier(asked.seen, observation, due=not asked.falls_back)
        if observation.failure == "person":
            if not mended(run, {"kind": "person", "text": observation.text}, attempt, asked.call):
                return _refuse(run, asked, refused(run, "nobody has mended what failed", "失败的原因无人处理"))
            attempt += 1
        elif not interrupted:
            if not recorded_next(run) and violations(run.limits, run.used, NOTHING, run._gate.hold):
                return observation  # the time is over: the next effect says so
            error = {"kind": "transient", "retry_after": observation.retry_after}
            run.wait(run._wait_before(attempt, error) or 0.0)
            attempt += 1
        if not recorded_next(run) and (refusal := refusal_of(run, asked)) is not None:
            return refusal


def _attempt(run: Run, asked: Asked, attempt: int, note: str) -> tuple[Observation, bool, bool]:
    """One attempt, recorded or carried out: (observation, is it the last word, was it interrupted)."""
    gate, call = run._gate, asked.call
    position, record = run._next("tool", call.name, asked.fingerprint)
    if record is not None:
        return _again(run, asked, record)
    request: Fields | dict[str, Any] = (call.args, call.id)
    earlier: Record | None = None
    if asked.tool is not None and asked.tool.effect:
        earlier = gate.journal.earlier(keyed(run, asked))
        for name, question in doubts(run, asked, earlier):
            refusal = made_before(run, asked, f"{name}-{position}", question)
            if refusal is not None:
                hear(run, asked, refusal, admitted=False)
                return not_admitted(run, asked, position, refusal, []), True, False
            agree(run, asked)
        request = {"args": call.args, "call": call.id, **asked.marks}
        if earlier is not None and earlier.result is None:
            earlier = None  # a person agreed to make it again
    gate.count(run._level, asked.need)
    record = gate.journal.begin(run.scope, position, "tool", call.name, asked.fingerprint, request)
    observation, seconds = _perform(run, asked) if earlier is None else (made_earlier(earlier), 0.0)
    gate.settle(run._level, seconds)
    observation = journaled(run, observation, note)
    final = observation.kind != "failed" or not _worth_retrying(run, asked, observation, attempt)
    if asked.key and earlier is None:
        hear(run, asked, observation)
    return _finish(run, asked, record, observation, final, seconds)


def _finish(
    run: Run, asked: Asked, record: Record, observation: Observation, final: bool, seconds: float
) -> tuple[Observation, bool, bool]:
    """Let the guards see the last word, then write it down with what they decided."""
    gate, verdict = run._gate, None
    if final and not (observation.kind == "failed" and asked.falls_back):
        verdict = judge(run, asked.seen, observation)
    if verdict is not None:
        observation = with_note(observation, verdict.note)
    result: Fields | dict[str, Any] = observation.fields()
    if verdict is not None or not final:
        result = {"observation": observation.to_dict(), "final": final}
        if verdict is not None:
            result["verdict"] = noted(run, verdict)
    gate.tell(gate.journal.finish(record, result, seconds), False)
    return observation, final, False


def _again(run: Run, asked: Asked, record: Record) -> tuple[Observation, bool, bool]:
    """What the journal says about this attempt; a call that only began is unknown."""
    gate = run._gate
    if record.key:
        keyed(run, asked)
    if record.result is None:
        gate.count(run._level, asked.need)
        return _unknown(run, asked, record)
    observation = Observation.from_dict(record.result["observation"])
    final = bool(record.result["final"])
    if not record.result.get("admitted", True):
        return not_admitted_again(run, asked, record, observation), True, False
    if again := record.request.get("again"):
        agree(run, asked, again)
    gate.count(run._level, asked.need)
    gate.settle(run._level, record.seconds)
    if final and not (observation.kind == "failed" and asked.falls_back):
        judge(run, asked.seen, replace(observation, note=""))
    if "verdict" in record.result:
        notice(run, *record.result["verdict"])
    gate.tell(record, True)
    return observation, final, bool(record.result.get("interrupted"))


def _unknown(run: Run, asked: Asked, record: Record) -> tuple[Observation, bool, bool]:
    """It began in a process that died. Harmless calls are made again; for others a person is asked first.

    Making it again is an attempt of its own, with its own record: killed once more, it is asked about once more.
    """
    gate, tool, call = run._gate, asked.tool, asked.call
    text = either(run.lang, "the process ended during this call", "调用期间进程结束")
    observation = failed(text, "transient")
    if not may_be_repeated(tool):
        refusal = made_before(run, asked, f"unknown-{record.position}", whether(run, call))
        if refusal is not None:
            asked.order = record.order
            hear(run, asked, refusal)
            return _finish(run, asked, record, refusal, True, 0.0)
        observation = Observation("unknown", text)
    result = {"observation": observation.to_dict(), "final": False, "interrupted": True}
    gate.tell(gate.journal.finish(record, result, 0.0), False)
    return observation, False, True


def _worth_retrying(run: Run, asked: Asked, observation: Observation, attempt: int) -> bool:
    """A failure that may pass, or that a person may mend, of a call that may safely be repeated, often enough."""
    if may_be_mended(run, observation.failure, attempt) and not asked.falls_back:
        return True
    tool = asked.tool
    if observation.failure != "transient" or tool is None or not may_be_repeated(tool):
        return False
    return run._wait_before(attempt, {"kind": "transient", "retry_after": observation.retry_after}) is not None


def _perform(run: Run, asked: Asked) -> tuple[Observation, float]:
    """Call the function, within the time there is; never raises."""
    tool, call = asked.tool, asked.call
    if tool is None:
        names = ", ".join(sorted(run.toolbox)) or either(run.lang, "none", "无")
        en = f"There is no tool named {call.name!r}. The tools are: {names}."
        return failed(either(run.lang, en, f"错误：没有名为 {call.name!r} 的工具。可用的工具：{names}。")), 0.0
    if call.args is None:
        why = call.error or either(run.lang, "its arguments could not be read", "参数无法读取")
        return failed(either(run.lang, f"{tool.name} was not run: {why}", f"错误：{tool.name} 未能运行：{why}")), 0.0
    gate, args = run._gate, call.args
    left, _ = gate.seconds_left(run._level) if gate.timed else (None, None)
    most = tool.timeout if left is None else left if tool.timeout is None else min(left, tool.timeout)
    begun = gate.clock.now()
    try:
        if type(args) is dict and not _ATOMS.issuperset(map(type, args.values())):
            args = plain(args)  # a copy: what a tool does to its arguments must not change the record
        if most is None or gate.clock.virtual:
            observation = tool.carry_out(args, asked.first or asked.key, gate.lang)
        else:
            observation = bounded(partial(tool.carry_out, args, asked.first or asked.key, run.lang), most)
    except (Exception, SystemExit) as problem:
        failure = classify(problem)
        observation = failed(failure.text, failure.kind, retry_after=failure.retry_after)
        if not may_be_repeated(tool) and failure.kind == "transient":
            en, zh = f"{failure.text} - it may have happened all the same", f"{failure.text}（可能仍已发生）"
            observation = Observation("unknown", either(run.lang, en, zh))
        observation = replace(observation, seconds=getattr(problem, "seconds", None))
    seconds = run._passed(begun, observation.seconds)
    if most is not None and seconds > most:
        en, zh = f"{tool.name} was cut off after {most:g} s", f"超时：{tool.name} 在 {most:g} 秒后被切断"
        text, seconds = either(run.lang, en, zh), most
        observation = failed(text, "transient") if may_be_repeated(tool) else Observation("unknown", text)
    return observation, seconds


def journaled(run: Run, observation: Observation, note: str = "") -> Observation:
    """The observation as a replay will see it: plain JSON, bounded in size, without keys."""
    text, data, journal = observation.text, observation.data, run._gate.journal
    kept = journal.kept if journal.hides else plain
    try:
        if data is not None:
            data = kept(data) if data != "" else None
            if isinstance(data, (str, list, dict)) and len(data) > 500 and len(dumps(data)) > DATA_CAP:
                data = None
    except (TypeError, ValueError, RecursionError) as problem:
        en, zh = "The tool returned data that cannot be written as JSON", "错误：工具返回的数据不能写成 JSON"
        return failed(f"{either(run.lang, en, zh)}: {problem}")
    if observation.kind not in KINDS:
        kind = cut(in_words(observation.kind))
        en = f"The tool returned an observation of the unknown kind {kind}."
        return failed(either(run.lang, en, f"错误：工具返回的结果类型 {kind} 未知。"))
    text = cut(text if isinstance(text, str) else in_words(text))
    if journal.hides or type(text) is not str:
        text = kept(text)
    failure, after, said = observation.failure, observation.retry_after, observation.note
    failure = failure if type(failure) is str else in_words(failure)
    after = after if after is not None and is_amount(after) else None
    note = note or (kept(cut(said)) if said and isinstance(said, str) else "")
    return Observation(observation.kind, text, data, failure, after, None, note)
