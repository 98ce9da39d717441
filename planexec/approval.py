"""A person's part in a tool call: agree, refuse, change it, answer instead, stop, or let the run have more."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from planexec.admission import Asked, refusal_of, refused
from planexec.languages import either
from planexec.person import Answer, Request
from planexec.plain import dumps
from planexec.tools import Observation, found
from planexec.verdicts import Stop

if TYPE_CHECKING:
    from planexec.run import Run

EDITS = 3  # times in a row that a person may turn a call into another one that needs a person
GRANTS = 10  # answers in a row that only raise limits; then the question counts as rejected


def approval(run: Run, asked: Asked) -> tuple[str | Observation, Asked]:
    """Ask the person of this run. Text: carry out the call with this note; an Observation: do not carry it out."""
    note = ""
    for _ in range(EDITS + 1):
        call = asked.call
        answer = decision(run, "approve", f"{call.name}({dumps(call.args)})", asked)
        if answer is None:
            nobody = ("this call needs a person, and nobody is there", "此调用需要人确认，但无人在场")
            return refused(run, *nobody), asked
        if answer.decision == "approve":
            break
        if answer.decision != "edit":
            return not_approved(run, answer), asked
        edited = replace(call, name=answer.tool or call.name, args=answer.args)
        asked = Asked(run, edited, asked.tried, asked.earlier)
        head = either(run.lang, "[person] This call was changed to", "[人工] 已改为")
        note = f"{head} {asked.call.name}({dumps(asked.call.args)})"
        if asked.call.name == call.name or not asked.needs_person():
            break
    else:
        return refused(run, f"changed {EDITS + 1} times and never approved", f"改了 {EDITS + 1} 次仍未获批准"), asked
    if note and not recorded_next(run) and (refusal := refusal_of(run, asked)) is not None:
        return refusal, asked
    return note, asked


def decision(run: Run, kind: str, text: str, asked: Asked) -> Answer | None:
    """What a person decides about a call. A grant is given at once and leaves the question open: it is asked again."""
    for _ in range(GRANTS + 1):
        id_, call = f"{run.scope}:{run._position}", asked.call
        answer = run.ask(Request(id_, kind, text, run.scope, call.name, call.args, run.expires))
        if answer is None or answer.decision != "grant":
            return answer
        run.grant(answer.limits or {})
    en, zh = f"{GRANTS} grants in a row and no decision", f"连续 {GRANTS} 次只放宽上限，没有决定"
    return Answer("reject", either(run.lang, en, zh))


def made_before(run: Run, asked: Asked, name: str, text: str) -> Observation | None:
    """Ask whether a call that may have happened is to be made (again); None: yes, else what to say instead."""
    child = run.within(name)
    answer = decision(child, "unknown", text, asked)
    if answer is None:
        en = "It may have happened before; nobody knows, and nobody is there to ask."
        return Observation("unknown", either(run.lang, en, "可能之前已经发生；无人知道，也无人可问。"))
    if answer.decision in ("reject", "edit"):  # that it did not happen before is not said by that
        reason = answer.text or either(run.lang, "no reason given", "无理由")
        en = f"Not repeated; it may have happened before. A person says: {reason}"
        return Observation("unknown", either(run.lang, en, f"没有再次执行；可能之前已经发生。人的说明：{reason}"))
    return None if answer.decision == "approve" else not_approved(run, answer)


def not_approved(run: Run, answer: Answer) -> Observation:
    if answer.decision == "reply":
        return found(answer.text)
    if answer.decision == "stop":
        run.end(Stop("stopped", where=run.scope, advice=answer.text))
    reason = answer.text or either(run.lang, "no reason given", "无理由")
    return refused(run, f"a person rejected it: {reason}", f"被人拒绝：{reason}")


def recorded_next(run: Run) -> bool:
    return run.journal.take(run.scope, run._position) is not None
