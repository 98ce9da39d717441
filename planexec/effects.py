"""World-changing calls must not happen twice unasked: the key of each, and why one may have happened already.

Used by `tool_gate.py`; what a person says about it is asked in `approval.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from planexec.admission import Asked
from planexec.canonical import call_key, digest
from planexec.chat import ToolCall
from planexec.languages import either
from planexec.plain import dumps
from planexec.records import Record
from planexec.tools import Observation

if TYPE_CHECKING:
    from planexec.run import Run


def keyed(run: Run, asked: Asked) -> str:
    """The idempotency key of a call: (root run, step, tool, canonical arguments, n-th identical call of that step)."""
    if not asked.key:
        level, call = run._level, _same_call(asked)
        count = level.effects[call] = level.effects.get(call, 0) + 1
        asked.key = digest(f"{run.journal.header.get('run', '')}|{level.name}|{call}|{count}")
    return asked.key


def doubts(run: Run, asked: Asked, earlier: Record | None) -> Iterator[tuple[str, str]]:
    """Why a world-changing call may have happened already: a word for each reason, and the question to a person.

    `earlier`: what it came to before the run was taken up again at an earlier place.
    """
    call, in_doubt = asked.call, run.journal.in_doubt
    if earlier is None and asked.seen.key in in_doubt and not asked.agreed:
        yield "again", _again(run, call)
    if branch := run.journal.claim(asked.key):
        yield "branch", _once_more(run, call, branch)
    if earlier is not None and earlier.result is None:
        in_doubt.setdefault(asked.seen.key, asked.key)
        yield "unknown", whether(run, call)


def agree(run: Run, asked: Asked) -> None:
    """A person agreed that this call is made (again); a service gets the key by which it may know the first one."""
    asked.agreed, asked.handed = True, run.journal.in_doubt.get(asked.seen.key, "")


def remember(run: Run, asked: Asked, observation: Observation, *, again: bool = False) -> None:
    """Keep in mind what a world-changing call came to: the model may ask for the very same once more.

    `again`: it was interrupted, and is to be made again now.
    """
    if asked.tool is None or not asked.tool.effect or asked.tool.idempotent:
        return
    if observation.kind == "unknown":
        run.journal.in_doubt.setdefault(asked.seen.key, asked.key)
    elif observation.kind in ("found", "empty"):
        run.journal.in_doubt.pop(asked.seen.key, None)
    if again:
        agree(run, asked)


def remember_earlier(run: Run) -> None:
    """What was superseded, and may have happened, is in doubt wherever it is asked for now."""
    for record in run.journal.earlier_in_doubt():
        tool = run.toolbox.get(record.name)
        if tool is not None and tool.effect and not tool.idempotent:
            key = call_key(record.name, record.request["args"], tool.ignore)
            run.journal.in_doubt[key] = record.request["key"]


def _same_call(asked: Asked) -> str:
    return f"{asked.call.name}:{asked.fingerprint}"


def _again(run: Run, call: ToolCall) -> str:
    made = f"{call.name}({dumps(call.args)})"
    en = f"{made} was asked for before in this run, and nobody knows whether it happened. Carry it out (again)?"
    return either(run.lang, en, f"{made} 在本次运行中已经请求过，但无人知道是否完成。要（再）执行一次吗？")


def whether(run: Run, call: ToolCall) -> str:
    made = f"{call.name}({dumps(call.args)})"
    en = f"{made} began and nobody knows whether it happened. Carry it out (again)?"
    return either(run.lang, en, f"{made} 已经开始，但无人知道是否完成。要（再）执行一次吗？")


def _once_more(run: Run, call: ToolCall, branch: str) -> str:
    made = f"{call.name}({dumps(call.args)})"
    en = f"Another branch of this run ({branch}) has already made this call: {made}. Make it once more?"
    return either(run.lang, en, f"本次运行的另一分支（{branch}）已经做过这个调用：{made}。要再执行一次吗？")


def made_earlier(record: Record) -> Observation:
    """What a call brought before the run was taken up again at an earlier place: it must not happen twice."""
    return replace(Observation.from_dict((record.result or {})["observation"]), note="")
