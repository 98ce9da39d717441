"""World-changing calls must not happen twice unasked: the key of each, and why one may have happened already.

Used by `tool_gate.py`; what a person says about it is asked in `approval.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from planexec.admission import Asked
from planexec.canonical import call_key, digest
from planexec.chat import ToolCall
from planexec.languages import either
from planexec.plain import dumps
from planexec.records import Doubt, Record, is_in_doubt
from planexec.tools import Observation, Tool

if TYPE_CHECKING:
    from planexec.journal import Journal
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

    `earlier`: what it came to before the run was taken up again at an earlier place. One agreement is enough.
    """
    call = asked.call
    interrupted = earlier is not None and earlier.result is None and not _may_be_repeated(asked.tool)
    if earlier is None and _first_key(run, asked) and not asked.agreed:
        yield "again", _again(run, call)
    branch = run.journal.claim(asked.key)
    if branch and not asked.agreed:
        yield "branch", _once_more(run, call, branch)
    if earlier is not None and interrupted:
        _doubt(run, asked.seen.key, asked.key, earlier.seq)
        if not asked.agreed:
            yield f"earlier-{earlier.seq}", whether(run, call)  # an answer belongs to this one repeat


def _may_be_repeated(tool: Tool | None) -> bool:
    return tool is None or not tool.effect or tool.idempotent


def agree(run: Run, asked: Asked, first: str = "") -> None:
    """A person agreed that this call is made (again). A service gets the key by which it may know the first one, and
    no other tool takes over: the first one may have worked. `first`: that key, where it is recorded.
    """
    asked.agreed = True
    if first := first or _first_key(run, asked):
        asked.handed, asked.falls_back = first, ""


def _first_key(run: Run, asked: Asked) -> str:
    """The key of the first of the same calls that may have happened; "" when there is none."""
    doubt = run.journal.in_doubt.get(asked.seen.key)
    return doubt.key if doubt is not None else run.journal.in_doubt_later.get(asked.seen.key, "")


def remember(run: Run, asked: Asked, observation: Observation, *, again: bool = False) -> None:
    """Keep in mind what a world-changing call came to: the model may ask for the very same once more.

    `again`: it was interrupted, and is to be made again now.
    """
    if _may_be_repeated(asked.tool) or (record := run.journal.take(run.scope, run._position - 1)) is None:
        return
    in_doubt, key = run.journal.in_doubt, asked.seen.key
    if observation.kind == "unknown":
        _doubt(run, key, asked.key, record.seq)
    elif key in in_doubt and _happened(run.journal, record) and _after(run, record, in_doubt[key]):
        del in_doubt[key]
    if again:
        agree(run, asked)


def remember_earlier(run: Run) -> None:
    """What was superseded or left behind by a fork, and may have happened, is in doubt wherever it is asked for now.
    So is what stands in later parts of a split run, when this one is taken up again: until they are replayed, a success
    here does not end it, for nobody knows which came first.
    """
    journal = run.journal
    for call, key, seq in _superseded(run, journal):
        _doubt(run, call, key, seq)
    journal.in_doubt_later.clear()
    for part in journal.later_parts():
        live = [(_call(run, each), each) for each in part.records() if "key" in each.request]
        doubtful = [(call, each.request["key"], each.seq) for call, each in live if call and is_in_doubt(each)]
        for call, key, seq in (*_superseded(run, part), *doubtful):
            if not any(same == call and each.seq > seq and _happened(part, each) for same, each in live):
                journal.in_doubt_later.setdefault(call, key)


def _superseded(run: Run, journal: Journal) -> list[tuple[str, str, int]]:
    """(the call, its key, its number) of what was left behind in a journal and may have happened, the oldest first."""
    by_fork = journal.header.get("doubts", ())
    behind = [(_same(run, each["name"], each["args"]), each["key"], each["seq"]) for each in by_fork]
    behind += [(_call(run, each), each.request["key"], each.seq) for each in journal.earlier_in_doubt()]
    return [each for each in behind if each[0]]


def _call(run: Run, record: Record) -> str:
    return _same(run, record.name, record.request["args"])


def _same(run: Run, name: str, args: Any) -> str:
    """One name for all spellings of a call; "" for one that may be repeated."""
    tool = run.toolbox.get(name)
    return "" if _may_be_repeated(tool) else call_key(name, args, tool.ignore if tool is not None else ())


def _happened(journal: Journal, record: Record) -> bool:
    """True for a call that was made and worked; one whose result is that of an earlier call says nothing."""
    if record.result is None or record.result["observation"]["kind"] not in ("found", "empty"):
        return False
    given_back = journal.earlier(record.request.get("key", ""))
    return given_back is None or given_back.result is None


def _doubt(run: Run, call: str, key: str, seq: int) -> None:
    here, known = run.journal.header.get("run", ""), run.journal.in_doubt.get(call)
    if known is None or known.run != here:
        known = Doubt(known.key if known is not None else key, seq, seq, here)
    first = key if seq < known.first else known.key
    run.journal.in_doubt[call] = Doubt(first, min(known.first, seq), max(known.last, seq), here)


def _after(run: Run, record: Record, doubt: Doubt) -> bool:
    """True for a record that was made after the doubtful ones; the parts of a split run come one after the other."""
    return doubt.run != run.journal.header.get("run", "") or record.seq > doubt.last


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
