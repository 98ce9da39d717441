"""A question that is parallel by nature: independent runs, each with its share of every limit, joined in one report.

Each part has a journal of its own (`run.db` -> `run.part-1.db`), so that a part resumes without the others. Parts run
one after the other here, without threads; whoever wants them side by side gives each to a worker.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import fields, replace

from planexec.gate import ROOT, Ended
from planexec.journal import Journal
from planexec.limits import COUNTED, Limits, Meter
from planexec.react_loop import make_result
from planexec.reporter import digest, report
from planexec.result import Result, StepDone
from planexec.run import Run
from planexec.verdicts import Noted, Stop, advice_for_part, describe

Part = Callable[[str, Limits, Journal], Result]

_SHARED = (*COUNTED, "max_calls_per_tool")  # the limits of a run that its parts share
_UNKNOWN = ("max_seconds", "max_usd", "max_tokens")  # nobody knows beforehand how much of these a call takes
_DIGITS = {"max_seconds": 3, "max_usd": 6}  # the decimals of what `RunUsage` shows; everything else is whole


def answer_in_parts(run: Run, question: str, parts: Sequence[str], answer: Part) -> Result:
    """Answer each part by `answer(part, its limits, its journal)` and write one report over all of them."""
    share = share_of(run.limits, run.used, len(parts))
    done: list[StepDone] = []
    stop: Stop | None = None
    for number, part in enumerate(parts, 1):
        with run.journal.part(number) as journal:
            result = answer(part, share, journal)
            charge(run.used, result, journal)
        note(run, number, part, result)
        ended = _of_part(result.stop, number, len(parts), run.lang)
        run.verdicts.extend(_told(each, number, len(parts), run.lang) for each in result.verdicts)
        status = "done" if result.complete else ended.reason if ended else "stopped"
        status = status if status in ("done", "no_data", "failed") else "stopped"
        done.append(StepDone(number, part, status, result.answer, result.calls, stop=ended))
        if ended is not None and ended.reason in ("paused", "stopped"):
            stop = ended
            break
    return _joined(run, question, parts, done, stop)


def _joined(run: Run, question: str, parts: Sequence[str], done: list[StepDone], stop: Stop | None) -> Result:
    if stop is not None:
        text = digest(done, stop, run.lang)
    else:
        try:
            text, stop = report(run, question, done)
        except Ended as ended:
            stop, text = ended.stop, digest(done, ended.stop, run.lang)
    unmet = next((step for step in done if not step.met), None)
    if stop is None and unmet is not None:
        stop = unmet.stop or Stop(unmet.status, where=ROOT)
    rest = (StepDone(number, parts[number - 1], "open") for number in range(len(done) + 1, len(parts) + 1))
    return make_result(run, text, stop, plan=tuple(parts), steps=(*done, *rest), route="parallel")


def note(run: Run, number: int, question: str, result: Result) -> None:
    """Note what became of a part. Where another outcome is noted, that and the report over it no longer count."""
    told = {"number": number, "question": question, "complete": result.complete, "answer": result.answer}
    told = run.journal.kept(told)
    noted = run.journal.take(run.scope, run._position)
    if noted is not None and noted.name == "part" and noted.result != told:
        run.journal.supersede_from(noted.seq)
    run.note("part", **told)


# ------------------------------------------------------------------------------------------- shares of the limits


def share_of(limits: Limits, used: Meter, parts: int) -> Limits:
    """An equal share of what is left, rounded down, after the report's own is set aside: one model call; of seconds,
    dollars and tokens as much as a part has.
    """
    changes: dict[str, float | int] = {}
    for name in _SHARED:
        limit = getattr(limits, name)
        if limit is None:
            continue
        spent = getattr(used, COUNTED[name]) if name in COUNTED else 0  # tools are called by the parts alone
        left = max(0.0, limit - spent - (name == "max_model_calls"))
        share = left / (parts + (name in _UNKNOWN))
        unit = 10 ** _DIGITS.get(name, 0)
        changes[name] = math.floor(share * unit) / unit if unit > 1 else int(share)
    return limits.with_(**changes)


def charge(meter: Meter, result: Result, journal: Journal) -> None:
    """What a part used counts for the whole; the calls of each tool as they were admitted, every attempt."""
    for each in fields(Meter):
        if each.name not in ("per_tool", "replans"):
            setattr(meter, each.name, getattr(meter, each.name) + (getattr(result.usage, each.name) or 0))
    meter.replans += result.replans
    for record in journal.records():
        if record.kind == "tool" and (record.result or {}).get("admitted", True):
            meter.per_tool[record.name] = meter.per_tool.get(record.name, 0) + 1


# ------------------------------------------------------------------------------------------- what a part says


def _of_part(stop: Stop | None, number: int, parts: int, lang: str) -> Stop | None:
    """The stop of a part as the whole run tells it: where, and what to do about a share that was too small."""
    if stop is None:
        return None
    told = advice_for_part(stop.reason, parts, lang) if stop.reason in _SHARED else stop.advice
    return replace(stop, where=_where(stop.where, number), advice=told)


def _told(verdict: Noted, number: int, parts: int, lang: str) -> Noted:
    """A verdict of a part as the whole run tells it."""
    stop = _of_part(verdict.stop, number, parts, lang)
    text = describe(stop, lang) if stop is not None else verdict.text
    return replace(verdict, where=_where(verdict.where, number), text=text, stop=stop)


def _where(scope: str, number: int) -> str:
    """_where("step-1", 2) -> "part-2/step-1"; the whole of a part is "part-2"."""
    return f"part-{number}" if scope in ("", ROOT) else f"part-{number}/{scope}"
