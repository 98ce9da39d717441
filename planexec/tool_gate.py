"""How one tool call passes the gate: judged, approved, carried out, retried, replaced, recorded.

Used by `Run.tools()` only.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from planexec.canonical import canonical, digest
from planexec.chat import ToolCall
from planexec.deadline import bounded
from planexec.failures import classify, in_words
from planexec.gate import is_amount
from planexec.guards import Call
from planexec.limits import NOTHING, limit_stop, tool_need, violations
from planexec.person import Answer, Request
from planexec.records import Record, cut, dumps, plain
from planexec.tools import KINDS, Observation, Tool, failed, found
from planexec.verdicts import Noted, Stop, Verdict, strongest

if TYPE_CHECKING:
    from planexec.run import Run

EDITS = 3  # times in a row that a person may turn a call into another one that needs a person
GRANTS = 10  # answers in a row that only raise limits; then the question counts as rejected
DATA_CAP = 262_144  # characters of JSON that an observation's data may have


class Asked:
    """One call on its way through the gate, and what every station needs of it, worked out once."""

    __slots__ = ("tool", "call", "seen", "fingerprint", "to_be_approved", "falls_back", "key", "turned_away")

    def __init__(self, run: Run, call: ToolCall, tried: tuple[str, ...] = ()):
        tool = run.toolbox.get(call.name)
        ignore = tool.ignore if tool is not None else ()
        try:
            text = canonical(call.args, ignore) if call.args is not None else call.error
        except (TypeError, RecursionError, ValueError) as problem:
            call, text = replace(call, args=None, error=f"its arguments cannot be used: {problem}"), "unusable"
        key = f"{call.name}:{digest(text)}"
        polling = tool is not None and tool.polling
        self.tool, self.call = tool, call
        self.to_be_approved = False  # a guard wants a person to agree
        self.turned_away = False  # by a limit or a guard, at this attempt
        self.key = ""  # of a world-changing call, the same for all its attempts
        second = tool.fallback if tool is not None else ""
        # The name of the tool that takes over when this one fails for good; "" when there is none left.
        self.falls_back = second if second and second in run.toolbox and second not in (call.name, *tried) else ""
        self.fingerprint = digest(canonical(call.args)) if ignore and call.args is not None else key[-16:]
        self.seen = Call(call.name, call.args, run.scope, run.lang, polling, ignore, text, key)

    @property
    def needs_person(self) -> bool:
        """True when the tool's own policy wants a person to agree; a policy that cannot decide lets nothing pass."""
        if self.tool is None or self.call.args is None:
            return False
        try:
            return bool(self.tool.needs_person(self.call.args))
        except Exception:
            return True


def carry_out(run: Run, call: ToolCall, tried: tuple[str, ...] = ()) -> Observation:
    """One observation for one call, whatever happens. `tried`: tools that failed and fell back on this one."""
    asked, note = Asked(run, call, tried), ""
    record = run.journal.take(run.scope, run._position)
    if record is None and (refusal := _refusal(run, asked)) is not None:
        return refusal
    if asked.to_be_approved or asked.needs_person or (record is not None and record.kind == "ask"):
        answer, asked = _approval(run, asked)
        if isinstance(answer, Observation):
            return answer if asked.turned_away else _refuse(run, asked, answer)
        note = answer
    observation = _attempts(run, asked, note)
    if observation.kind == "failed" and asked.falls_back:
        second = carry_out(run, replace(call, name=asked.falls_back), (*tried, call.name))
        return observation if second.kind == "refused" else _instead(run, call.name, asked.falls_back, second)
    return observation


def _instead(run: Run, first: str, second: str, observation: Observation) -> Observation:
    """Tell the model that another tool answered than the one it asked."""
    en, zh = f"[guard] {first} failed; {second} was called instead.", f"[守卫] {first} 失败，已改用 {second}。"
    return replace(observation, note="\n".join(filter(None, (observation.note, zh if run.lang == "zh" else en))))


def recorded_next(run: Run) -> bool:
    return run.journal.take(run.scope, run._position) is not None


# --------------------------------------------------------------------------------------------- judged


def _refusal(run: Run, asked: Asked) -> Observation | None:
    """The refused observation, recorded, when a limit or a guard does not let this call through."""
    whole, step = run._gate.run_level, run._level
    before = (whole, len(whole.pending), whole.refused_in), (step, len(step.pending), step.refused_in)
    observation = _over_limit(run, asked) or _judged(run, asked)
    if observation is None:
        return None
    ends: list[Any] = [[level is whole, each.to_dict()] for level, count, _ in before for each in level.pending[count:]]
    ends += [[level is whole, None] for level, _, told in before if level.refused_in != told]
    return _not_admitted(run, asked, run._next(), observation, ends)


def _over_limit(run: Run, asked: Asked) -> Observation | None:
    """Refused by a limit, or because the end is decided already.

    Where other tools may still be of use, a call beyond the limit of one tool ends the run or step only when the
    model was told so in an earlier turn.
    """
    gate, level, need = run._gate, run._level, tool_need(asked.call.name)
    for holder, limits, used in ((gate.run_level, gate.limits, gate.meter), (level, level.limits, level.meter)):
        if limits is None or not (broken := violations(limits, used, need, gate.hold)):
            continue
        stop = limit_stop(broken, run.scope, run.lang, step=holder is not gate.run_level)
        turn = gate.meter.model_calls + gate.meter.steps
        if broken[0][0] == "max_calls_per_tool" and not stop.also and holder.refused_in in (None, turn):
            holder.refused_in = turn
        else:
            holder.pending.append(Verdict("conclude", stop=stop))
        name = f"{stop.reason} = {stop.limit:g}"
        return _refused(run, f"{name} is reached", f"已达到 {name}")
    if gate.run_level.pending or level.pending:
        return _refused(run, "the run is about to conclude", "运行即将收尾")
    return None


def _judged(run: Run, asked: Asked) -> Observation | None:
    """Refused by a guard; or else noted whether one wants a person to agree."""
    verdict = judge(run, asked.seen, None)
    asked.to_be_approved = verdict is not None and verdict.action == "ask" and asked.tool is not None
    if verdict is None or verdict.action == "nudge" or asked.to_be_approved:
        return None
    return Observation("refused", verdict.note or _refused(run, "refused", "已拒绝").text)


def _refused(run: Run, en: str, zh: str) -> Observation:
    return Observation("refused", f"[守卫] 未执行：{zh}。" if run.lang == "zh" else f"[guard] Not carried out: {en}.")


def _refuse(run: Run, asked: Asked, observation: Observation) -> Observation:
    """Record a call that was not carried out; it is not counted as one."""
    position = run._next()
    record = run._gate.recorded(run.scope, position, "tool", asked.call.name, asked.fingerprint)
    if record is None:
        return _not_admitted(run, asked, position, observation, [])
    return _again(run, asked, record)[0]


def _not_admitted(run: Run, asked: Asked, position: int, observation: Observation, ends: list[Any]) -> Observation:
    """Write down a call that was not carried out, and what was decided with it.

    `ends`: pairs of (does it concern the whole run, the verdict that will end it); None for a verdict: the model has
    been told that a tool is at its limit.
    """
    result = {"observation": observation.to_dict(), "final": True, "admitted": False, "ends": ends}
    gate, request = run._gate, {"args": asked.call.args} | ({"key": asked.key} if asked.key else {})
    gate.tell(gate.journal.add(run.scope, position, "tool", asked.call.name, asked.fingerprint, result, request), False)
    _notice(run, "refuse", observation.text)
    return observation


def _not_admitted_again(run: Run, asked: Asked, record: Record, observation: Observation) -> Observation:
    """The same from the journal; what was decided then is decided now."""
    asked.turned_away = True
    for whole, each in (record.result or {})["ends"]:
        holder = run._gate.run_level if whole else run._level
        if each is None:
            holder.refused_in = run._gate.meter.model_calls + run._gate.meter.steps
        else:
            holder.pending.append(Verdict.from_dict(each))
    _notice(run, "refuse", observation.text)
    run._gate.tell(record, True)
    return observation


def _notice(run: Run, action: str, text: str) -> None:
    """A conclusion is noticed when it is carried out; until then the step may still end by itself."""
    if action in ("nudge", "refuse"):
        run._gate.verdicts.append(Noted(action, run.scope, text))


def judge(run: Run, call: Call, observation: Observation | None) -> Verdict | None:
    """Ask every guard, before (`observation` is None) or after; keep what ends the step or the run for later."""
    verdicts: list[Verdict] = []
    for level in (run._level, run._gate.run_level):
        for guard in level.guards:
            try:
                verdict = guard.before(call) if observation is None else guard.after(call, observation)
            except Exception as problem:  # a guard that cannot decide must not let things pass
                text = f"the guard {type(guard).__name__} raised {type(problem).__name__}: {problem}"
                verdict = Verdict("halt", text, Stop("guard_failed", where=call.where, advice=text))
                run._gate.run_level.pending.append(verdict)
                verdicts.append(verdict)
                continue
            if verdict is not None:
                verdicts.append(verdict)
                if verdict.stop is not None:
                    level.pending.append(replace(verdict, action="halt" if verdict.action == "halt" else "conclude"))
    return strongest(verdicts)


# --------------------------------------------------------------------------------------------- approved


def _approval(run: Run, asked: Asked) -> tuple[str | Observation, Asked]:
    """Ask the person of this run. Text: carry out the call with this note; an Observation: do not carry it out."""
    note = ""
    for _ in range(EDITS + 1):
        call = asked.call
        answer = _decision(run, "approve", f"{call.name}({dumps(call.args)})", asked)
        if answer is None:
            nobody = ("this call needs a person, and nobody is there", "此调用需要人确认，但无人在场")
            return _refused(run, *nobody), asked
        if answer.decision == "approve":
            break
        if answer.decision != "edit":
            return _not_approved(run, answer), asked
        asked = Asked(run, replace(call, name=answer.tool or call.name, args=answer.args))
        head = "[人工] 已改为" if run.lang == "zh" else "[person] This call was changed to"
        note = f"{head} {asked.call.name}({dumps(asked.call.args)})"
        if asked.call.name == call.name or not asked.needs_person:
            break
    else:
        return _refused(run, f"changed {EDITS + 1} times and never approved", f"改了 {EDITS + 1} 次仍未获批准"), asked
    if note and not recorded_next(run) and (refusal := _refusal(run, asked)) is not None:
        asked.turned_away = True
        return refusal, asked
    return note, asked


def _decision(run: Run, kind: str, text: str, asked: Asked) -> Answer | None:
    """What a person decides about a call. A grant is given at once and leaves the question open: it is asked again."""
    for _ in range(GRANTS + 1):
        id_, call = f"{run.scope}:{run._position}", asked.call
        answer = run.ask(Request(id_, kind, text, run.scope, call.name, call.args, run.expires))
        if answer is None or answer.decision != "grant":
            return answer
        run.grant(answer.limits or {})
    return Answer("reject", f"{GRANTS} grants in a row and no decision")


def _not_approved(run: Run, answer: Answer) -> Observation:
    if answer.decision == "reply":
        return found(answer.text)
    if answer.decision == "stop":
        run.end(Stop("stopped", where=run.scope, advice=answer.text))
    reason = answer.text or ("无理由" if run.lang == "zh" else "no reason given")
    return _refused(run, f"a person rejected it: {reason}", f"被人拒绝：{reason}")


# --------------------------------------------------------------------------------------------- carried out


def _attempts(run: Run, asked: Asked, note: str) -> Observation:
    """Carry out one call until it worked, cannot work, or has been tried often enough."""
    attempt, before = 1, None
    while True:
        observation, final, interrupted = _attempt(run, asked, attempt, note)
        if final:  # that there was no room for another attempt says less than why one was needed
            return before if before is not None and asked.turned_away else observation
        before = observation
        if not interrupted:
            if not recorded_next(run) and violations(run.limits, run.used, NOTHING, run._gate.hold):
                return observation  # the time is over: the next effect says so
            error = {"kind": "transient", "retry_after": observation.retry_after}
            run.wait(run._wait_before(attempt, error) or 0.0)
            attempt += 1
        if not recorded_next(run) and _refusal(run, asked) is not None:
            return observation


def _attempt(run: Run, asked: Asked, attempt: int, note: str) -> tuple[Observation, bool, bool]:
    """One attempt, recorded or carried out: (observation, is it the last word, was it interrupted)."""
    gate, position, call = run._gate, run._next(), asked.call
    record = gate.recorded(run.scope, position, "tool", call.name, asked.fingerprint)
    if record is not None:
        return _again(run, asked, record)
    request: dict[str, Any] = {"args": call.args, "call": call.id}
    if asked.tool is not None and asked.tool.effect:
        request["key"] = _keyed(run, asked)
    if "key" in request and (branch := gate.journal.claim(request["key"])):
        text = f"Another branch of this run ({branch}) has already made this call: {call.name}({dumps(call.args)}). "
        refusal = _made_before(run, asked, f"branch-{position}", text + "Make it once more?")
        if refusal is not None:
            return _not_admitted(run, asked, position, refusal, []), True, False
    gate.count(run._level, tool_need(call.name))
    record = gate.journal.begin(run.scope, position, "tool", call.name, asked.fingerprint, request)
    observation, seconds = _perform(run, asked)
    gate.settle(run._level, seconds)
    final = not _worth_retrying(run, asked.tool, observation, attempt)
    observation = journaled(run, observation, note)
    return _finish(run, asked, record, observation, final, seconds)


def _finish(
    run: Run, asked: Asked, record: Record, observation: Observation, final: bool, seconds: float
) -> tuple[Observation, bool, bool]:
    """Let the guards see the last word, then write it down with what they decided."""
    gate, verdict = run._gate, None
    if final and not (observation.kind == "failed" and asked.falls_back):
        verdict = judge(run, asked.seen, observation)
    if verdict is not None and verdict.note:
        observation = replace(observation, note="\n".join(filter(None, (observation.note, verdict.note))))
    result = {"observation": observation.to_dict(), "final": final}
    if verdict is not None:
        result["verdict"] = [verdict.action, verdict.note]
        _notice(run, verdict.action, verdict.note)
    gate.tell(gate.journal.finish(record, result, seconds), False)
    return observation, final, False


def _again(run: Run, asked: Asked, record: Record) -> tuple[Observation, bool, bool]:
    """What the journal says about this attempt; a call that only began is unknown."""
    gate = run._gate
    if "key" in record.request:
        _keyed(run, asked)
    if record.result is None:
        gate.count(run._level, tool_need(asked.call.name))
        return _unknown(run, asked, record)
    observation = Observation.from_dict(record.result["observation"])
    final = bool(record.result["final"])
    if not record.result.get("admitted", True):
        return _not_admitted_again(run, asked, record, observation), True, False
    gate.count(run._level, tool_need(asked.call.name))
    gate.settle(run._level, record.seconds)
    if final and not (observation.kind == "failed" and asked.falls_back):
        judge(run, asked.seen, replace(observation, note=""))
    if "verdict" in record.result:
        _notice(run, *record.result["verdict"])
    gate.tell(record, True)
    return observation, final, bool(record.result.get("interrupted"))


def _unknown(run: Run, asked: Asked, record: Record) -> tuple[Observation, bool, bool]:
    """It began in a process that died. Harmless calls are made again; for others a person is asked first.

    Making it again is an attempt of its own, with its own record: killed once more, it is asked about once more.
    """
    gate, tool, call = run._gate, asked.tool, asked.call
    observation = failed("the process ended during this call", "transient")
    if tool is not None and tool.effect and not tool.idempotent:
        text = f"{tool.name}({dumps(call.args)}) began and nobody knows whether it happened. Carry it out (again)?"
        refusal = _made_before(run, asked, f"unknown-{record.position}", text)
        if refusal is not None:
            return _finish(run, asked, record, refusal, True, 0.0)
        observation = Observation("unknown", "the process ended during this call")
    result = {"observation": observation.to_dict(), "final": False, "interrupted": True}
    gate.tell(gate.journal.finish(record, result, 0.0), False)
    return observation, False, True


def _made_before(run: Run, asked: Asked, name: str, text: str) -> Observation | None:
    """Ask whether a call that may have happened is to be made (again); None: yes, else what to say instead."""
    child = run.within(name)
    answer = _decision(child, "unknown", text, asked)
    if answer is None:
        return Observation("unknown", "It may have happened before; nobody knows, and nobody is there to ask.")
    return None if answer.decision == "approve" else _not_approved(run, answer)


def _worth_retrying(run: Run, tool: Tool | None, observation: Observation, attempt: int) -> bool:
    """A failure that may pass, of a call that may safely be repeated, within the attempts allowed."""
    if observation.kind != "failed" or observation.failure != "transient" or tool is None:
        return False
    if tool.effect and not tool.idempotent:
        return False
    return run._wait_before(attempt, {"kind": "transient", "retry_after": observation.retry_after}) is not None


def _perform(run: Run, asked: Asked) -> tuple[Observation, float]:
    """Call the function, within the time there is; never raises."""
    tool, call = asked.tool, asked.call
    if tool is None:
        names = ", ".join(sorted(run.toolbox)) or "none"
        return failed(f"There is no tool named {call.name!r}. The tools are: {names}."), 0.0
    if call.args is None:
        return failed(f"{tool.name} was not run: {call.error or 'its arguments could not be read'}"), 0.0
    gate, (left, _), args = run._gate, run._gate.seconds_left(run._level), call.args
    most = min((each for each in (left, tool.timeout) if each is not None), default=None)
    begun = gate.clock.now()
    try:
        if type(args) is dict and any(isinstance(value, (dict, list)) for value in args.values()):
            args = plain(args)  # a copy: what a tool does to its arguments must not change the record
        observation = bounded(lambda: tool.carry_out(args, asked.key), None if gate.clock.virtual else most)
    except (Exception, SystemExit) as problem:
        failure = classify(problem)
        observation = failed(failure.text, failure.kind, retry_after=failure.retry_after)
        if tool.effect and not tool.idempotent and failure.kind == "transient":
            observation = Observation("unknown", f"{failure.text} - it may have happened all the same")
        observation = replace(observation, seconds=getattr(problem, "seconds", None))
    seconds = run._passed(begun, observation.seconds)
    if most is not None and seconds > most:
        text, seconds = f"{tool.name} was cut off after {most:g} s", most
        once = tool.effect and not tool.idempotent
        observation = Observation("unknown", text) if once else failed(text, "transient")
    return observation, seconds


def journaled(run: Run, observation: Observation, note: str = "") -> Observation:
    """The observation as a replay will see it: plain JSON, bounded in size, without keys."""
    text, data, kept = observation.text, observation.data, run.journal.kept
    try:
        data = kept(data) if data is not None and data != "" else None
        if isinstance(data, (str, list, dict)) and len(data) > 500 and len(dumps(data)) > DATA_CAP:
            data = None
    except (TypeError, ValueError, RecursionError) as problem:
        return failed(f"The tool returned data that cannot be written as JSON: {problem}")
    if observation.kind not in KINDS:
        return failed(f"The tool returned an observation of the unknown kind {cut(in_words(observation.kind))}.")
    text = kept(cut(text if isinstance(text, str) else in_words(text)))
    after = observation.retry_after if is_amount(observation.retry_after) else None
    said = observation.note if isinstance(observation.note, str) else ""
    failure, note = in_words(observation.failure), note or (kept(cut(said)) if said else "")
    return Observation(observation.kind, text, data, failure, after, note=note)


def _keyed(run: Run, asked: Asked) -> str:
    """The idempotency key of a call: (root run, step, tool, canonical arguments, n-th identical call of that step)."""
    if not asked.key:
        level, call = run._level, f"{asked.call.name}:{asked.fingerprint}"
        count = level.effects[call] = level.effects.get(call, 0) + 1
        asked.key = digest(f"{run.journal.header.get('run', '')}|{level.name}|{call}|{count}")
    return asked.key
