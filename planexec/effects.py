"""World-changing calls must not happen twice unasked: the key of each, and why one may have happened already.

Used by `tool_gate.py`; what a person says about it is asked in `approval.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from planexec.admission import Asked
from planexec.canonical import digest
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
    """Why a world-changing call may have happened already: a word for each reason, and the question to a person."""
    call = asked.call
    if earlier is None and _same_call(asked) in run._gate.in_doubt:
        yield "again", whether(run, call)
    if branch := run._gate.journal.claim(asked.key):
        yield "branch", _once_more(run, call, branch)
    if earlier is not None and earlier.result is None:
        yield "unknown", whether(run, call)


def remember_doubt(run: Run, asked: Asked, observation: Observation) -> None:
    """Keep in mind which world-changing calls came to "unknown": the model may ask for the very same once more."""
    if asked.tool is None or not asked.tool.effect or asked.tool.idempotent:
        return
    if observation.kind == "unknown":
        run._gate.in_doubt.add(_same_call(asked))
    elif observation.kind in ("found", "empty"):
        run._gate.in_doubt.discard(_same_call(asked))


def _same_call(asked: Asked) -> str:
    return f"{asked.call.name}:{asked.fingerprint}"


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
