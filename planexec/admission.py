"""May this tool call be made? Limits and guards are asked, before and after, and what they decide is recorded.

A person's part in it is in `approval.py`, carrying it out in `tool_gate.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from planexec.canonical import canonical, digest
from planexec.chat import ToolCall
from planexec.failures import in_words
from planexec.guards import Call, GuardState
from planexec.languages import either
from planexec.limits import limit_stop, tool_need, violations
from planexec.own_code import how_to_go_on, told
from planexec.plain import cut
from planexec.records import Record
from planexec.tools import Observation, Tool
from planexec.verdicts import Noted, Stop, Verdict, strongest

if TYPE_CHECKING:
    from planexec.run import Run


@dataclass(slots=True)
class Earlier:
    """A failure for which something else is tried; the model gets it after all when that is turned away."""

    call: Call
    observation: Observation
    due: bool = True  # the guards are to hear of it then
    replaced: bool = True  # False when what was tried instead was not carried out


class Asked:
    """One call on its way through the gate, and what every station needs of it, worked out once."""

    __slots__ = (
        *("tool", "call", "seen", "fingerprint", "to_be_approved", "falls_back", "key", "turned_away"),
        *("tried", "earlier", "need", "agreed", "first", "order"),
    )

    def __init__(self, run: Run, call: ToolCall, tried: tuple[str, ...] = (), earlier: Earlier | None = None):
        gate = run._gate
        try:
            tool: Tool | None = gate.toolbox[call.name]
        except (KeyError, TypeError):  # TypeError: a name that is no text
            tool = None
        ignore, polling, second = (tool.ignore, tool.polling, tool.fallback) if tool is not None else ((), False, "")
        try:
            text = canonical(call.args, ignore) if call.args is not None else call.error
        except (TypeError, RecursionError, ValueError) as problem:
            en, zh = f"its arguments cannot be used: {problem}", f"参数无法使用：{problem}"
            call, text = replace(call, args=None, error=either(gate.lang, en, zh)), "unusable"
        key = f"{call.name}:{digest(text)}"
        self.tool, self.call = tool, call
        self.need = tool_need(call.name if tool is not None else "")
        self.to_be_approved = False  # a guard wants a person to agree
        self.turned_away = False  # by a limit, a guard or a person, at this attempt
        self.tried, self.earlier = tried, earlier  # the tools that failed and fell back on this one; what they came to
        self.key = ""  # of a world-changing call, the same for all its attempts
        self.agreed = False  # a person agreed that it is made although it may have happened before
        self.first = ""  # the key of that earlier call, for a service that carries out one key once
        self.order = 0  # which of the calls of the run that must not be repeated unasked this is
        # The name of the tool that takes over when this one fails for good; "" when there is none left.
        self.falls_back = second if second and second in gate.toolbox and second not in (call.name, *tried) else ""
        self.fingerprint = digest(canonical(call.args)) if ignore and call.args is not None else key[-16:]
        self.seen = Call(call.name, call.args, run.scope, gate.lang, polling, ignore, text, key)

    @property
    def marks(self) -> dict[str, Any]:
        """What the record of a world-changing call says besides, once its key is known (`effects.keyed`)."""
        if not self.key:
            return {}
        once = {"order": self.order, "same": self.seen.key} if self.order else {}
        return {"key": self.key, **once, **({"again": self.first} if self.first else {})}

    def needs_person(self) -> bool:
        """True when the tool's own policy wants a person to agree; a policy that cannot decide lets nothing pass."""
        tool = self.tool
        if tool is None or (tool.approve is False and type(tool) is Tool) or self.call.args is None:
            return False
        try:
            return bool(tool.needs_person(self.call.args))
        except Exception:
            return True


def refusal_of(run: Run, asked: Asked) -> Observation | None:
    """What the model gets, recorded, when a limit or a guard does not let this call through. None: it may pass, and
    it is noted whether a guard wants a person to agree.
    """
    whole, step = run._gate.run_level, run._level
    of_whole, told_whole = len(whole.pending), whole.refused_in
    of_step, told_step = len(step.pending), step.refused_in
    observation = _over_limit(run, asked)
    if observation is None:
        verdict = judge(run, asked.seen, None)
        asked.to_be_approved = verdict is not None and verdict.action == "ask" and asked.tool is not None
        if verdict is None or verdict.action == "nudge" or asked.to_be_approved:
            return None
        observation = Observation("refused", verdict.note or refused(run, "refused", "已拒绝").text)
    before = (whole, of_whole, told_whole), (step, of_step, told_step)
    ends: list[Any] = [[level is whole, each.to_dict()] for level, count, _ in before for each in level.pending[count:]]
    ends += [[level is whole, None] for level, _, told in before if level.refused_in != told]
    position, _ = run._next("tool", asked.call.name, asked.fingerprint)
    return not_admitted(run, asked, position, observation, ends)


def _over_limit(run: Run, asked: Asked) -> Observation | None:
    """Refused by a limit, or because the end is decided already.

    Where other tools may still be of use, a call beyond the limit of one tool ends the run or step only when the
    model was told so in an earlier turn.
    """
    gate, level, need = run._gate, run._level, asked.need
    for holder in (gate.run_level, level):
        if holder.limits is None or not (broken := violations(holder.limits, holder.meter, need, gate.hold)):
            continue
        stop = limit_stop(broken, run.scope, run.lang, step=holder is not gate.run_level)
        turn = gate.meter.model_calls + gate.meter.steps
        if broken[0][0] == "max_calls_per_tool" and not stop.also and holder.refused_in in (None, turn):
            holder.refused_in = turn
        else:
            holder.pending.append(Verdict("conclude", stop=stop))
        name = f"{stop.reason} = {stop.limit:g}"
        return refused(run, f"{name} is reached", f"已达到 {name}")
    if gate.run_level.pending or level.pending:
        return refused(run, "the run is about to conclude", "运行即将收尾")
    return None


def refused(run: Run, en: str, zh: str) -> Observation:
    return Observation("refused", either(run.lang, f"[guard] Not carried out: {en}.", f"[守卫] 未执行：{zh}。"))


def not_admitted(run: Run, asked: Asked, position: int, observation: Observation, ends: list[Any]) -> Observation:
    """Write down a call that was not carried out, and what was decided with it; back comes what the model gets.

    `ends`: pairs of (does it concern the whole run, the verdict that will end it); None for a verdict: the model has
    been told that a tool is at its limit.
    """
    _turn_away(run, asked, observation)
    earlier, verdict = _stands(asked, observation), None
    if observation.kind == "unknown":
        verdict = judge(run, asked.seen, observation)
    elif earlier is not None and earlier.due:
        verdict = judge(run, earlier.call, earlier.observation)
    if verdict is not None:
        observation = with_note(observation, verdict.note)
    result = {"observation": observation.to_dict(), "final": True, "admitted": False, "ends": ends}
    if verdict is not None:
        result["verdict"] = noted(run, verdict)
    gate, request = run._gate, {"args": asked.call.args, **asked.marks}
    gate.tell(gate.journal.add(run.scope, position, "tool", asked.call.name, asked.fingerprint, result, request), False)
    return _after_all(earlier, observation)


def not_admitted_again(run: Run, asked: Asked, record: Record, observation: Observation) -> Observation:
    """The same from the journal; what was decided then is decided now."""
    for whole, each in (record.result or {})["ends"]:
        holder = run._gate.run_level if whole else run._level
        if each is None:
            holder.refused_in = run._gate.meter.model_calls + run._gate.meter.steps
        else:
            holder.pending.append(Verdict.from_dict(each))
    _turn_away(run, asked, observation)
    earlier = _stands(asked, observation)
    if observation.kind == "unknown":
        judge(run, asked.seen, replace(observation, note=""))
    elif earlier is not None and earlier.due:
        judge(run, earlier.call, earlier.observation)
    if "verdict" in (record.result or {}):
        notice(run, *(record.result or {})["verdict"])
    run._gate.tell(record, True)
    return _after_all(earlier, observation)


def _turn_away(run: Run, asked: Asked, observation: Observation) -> None:
    asked.turned_away = True
    if asked.earlier is not None:
        asked.earlier.replaced = False
    notice(run, "refuse", observation.text)


def _stands(asked: Asked, refusal: Observation) -> Earlier | None:
    """The failure that the model gets instead of this refusal; what a person replied is no refusal."""
    return asked.earlier if refusal.kind == "refused" else None


def _after_all(earlier: Earlier | None, refusal: Observation) -> Observation:
    """What the model gets: the refusal, or the failure before it with the line that the guards added."""
    if earlier is None:
        return refusal
    earlier.observation = with_note(earlier.observation, refusal.note)
    return earlier.observation


def with_note(observation: Observation, note: str) -> Observation:
    """The observation with one more line for the model."""
    return replace(observation, note="\n".join(filter(None, (observation.note, note)))) if note else observation


def notice(run: Run, action: str, text: str) -> None:
    """A conclusion is noticed when it is carried out; until then the step may still end by itself."""
    if action in ("nudge", "refuse", "fallback"):
        run._gate.verdicts.append(Noted(action, run.scope, text))


def noted(run: Run, verdict: Verdict) -> list[str]:
    """A guard's verdict on what came back, as the journal keeps it."""
    notice(run, verdict.action, verdict.note)
    return [verdict.action, verdict.note]


def judge(run: Run, call: Call, observation: Observation | None) -> Verdict | None:
    """Ask every guard, before (`observation` is None) or after; keep what ends the step or the run for later."""
    verdicts: list[Verdict] = []
    asked, seen = call, observation
    step, whole = run._level, run._gate.run_level
    for level in (step, whole) if whole.guards else (step,):
        for guard in level.asked_before if observation is None else level.guards:
            if level.foreign:  # what somebody's guard does to them is neither for the others nor for the model
                asked, seen = replace(call), observation.copy() if observation is not None else None
            try:
                verdict = guard.before(asked) if seen is None else guard.after(asked, seen)
                if verdict is None:
                    continue
                if not isinstance(verdict, Verdict):
                    raise TypeError(f"a guard gives a Verdict or None, not {in_words(verdict)[:100]}")
                holder = level
            except (Exception, SystemExit) as problem:  # a guard that cannot decide must not let things pass
                holder, verdict = run._gate.run_level, _undecided(run, guard, call, problem)
            verdicts.append(verdict)
            if verdict.stop is not None:
                holder.pending.append(replace(verdict, action="halt" if verdict.action == "halt" else "conclude"))
    return strongest(verdicts) if verdicts else None


def _undecided(run: Run, guard: GuardState, call: Call, problem: BaseException) -> Verdict:
    """What becomes of a run whose guard raised."""
    name, error = type(guard).__name__, told(problem)
    text = cut(either(call.lang, f"the guard {name} raised {error}", f"守卫 {name} 出错（{error}）"))
    return Verdict("halt", text, Stop("guard_failed", where=call.where, advice=text + how_to_go_on(run)))
