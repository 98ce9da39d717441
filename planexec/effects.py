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
from planexec.doubts import Made, made_in, tells
from planexec.languages import either
from planexec.plain import dumps
from planexec.records import Record
from planexec.tools import Observation, Tool

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

    `earlier`: what it came to before the run was taken up again at an earlier place; a result is given back, unasked.
    One agreement is enough.
    """
    if earlier is not None and earlier.result is not None:
        asked.order = earlier.order
        return
    call, once = asked.call, not may_be_repeated(asked.tool)
    in_doubt = run.journal.doubts.first(asked.seen.key) if once else ""
    asked.order = run.journal.doubts.next_order() if once else 0
    branch = run.journal.claim(asked.key)
    # First of all, for what was agreed to before a fork may have been made by the other branch since.
    if branch and not asked.agreed:
        asked.first = in_doubt or asked.key
        yield "branch", _once_more(run, call, branch)
    if earlier is None and in_doubt and not asked.agreed:
        asked.first = in_doubt
        yield "again", _again(run, call)
    if earlier is not None and once and not asked.agreed:
        asked.first = in_doubt or asked.key
        yield f"earlier-{earlier.seq}", whether(run, call)  # an answer belongs to this one repeat


def may_be_repeated(tool: Tool | None) -> bool:
    return tool is None or not tool.effect or tool.idempotent


def agree(run: Run, asked: Asked, first: str = "") -> None:
    """A person agreed that this call is made (again). A service gets the key by which it may know the first one, and
    no other tool takes over: the first one may have worked. `first`: that key, where it is recorded.
    """
    asked.agreed, asked.falls_back = True, ""
    asked.first = first or asked.first or run.journal.doubts.first(asked.seen.key) or asked.key


def hear(run: Run, asked: Asked, observation: Observation, *, admitted: bool = True) -> None:
    """Keep in mind what a world-changing call came to just now: the model may ask for the very same once more."""
    kind, first = observation.kind, asked.first or asked.key
    if asked.order and tells(kind, admitted, first == asked.key):
        run.journal.doubts.hear(Made(asked.order, asked.seen.key, first, kind != "unknown"))


def gather_doubts(run: Run, resumed: bool) -> None:
    """Begin with the doubts that are recorded, wherever in the run: what is superseded or left behind by a fork, too,
    and what later parts hold when an earlier one is taken up again. Nothing lies beside a run that is not resumed.
    """
    journal = run.journal
    family = journal.family() if resumed or journal.is_part else [journal]
    journal.doubts.gather(made for each in family for made in made_in(each))


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
