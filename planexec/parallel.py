"""A question that is parallel by nature: independent runs, each with its share of every limit, joined in one report.

Each part has a journal of its own (`run.db` -> `run.part-1.db`), so that a part resumes without the others. Parts run
one after the other here, without threads; whoever wants them side by side gives each to a worker.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields

from planexec.gate import ROOT, Ended
from planexec.journal import Journal
from planexec.limits import COUNTED, Limits, Meter
from planexec.react_loop import make_result
from planexec.reporter import digest, report
from planexec.result import Result, StepDone
from planexec.run import Run
from planexec.verdicts import Stop

Part = Callable[[str, Limits, Journal], Result]


def answer_in_parts(run: Run, question: str, parts: Sequence[str], answer: Part) -> Result:
    """Answer each part by `answer(part, its limits, its journal)` and write one report over all of them."""
    share = share_of(run.limits, run.used, len(parts))
    done: list[StepDone] = []
    stop: Stop | None = None
    for number, part in enumerate(parts, 1):
        journal = part_journal(run.journal, number)
        try:
            result = answer(part, share, journal)
        finally:
            journal.close()
        charge(run.used, result)
        run.note("part", number=number, question=part, complete=result.complete, answer=result.answer)
        status = "done" if result.complete else result.stop.reason if result.stop else "stopped"
        status = status if status in ("done", "no_data", "failed") else "stopped"
        done.append(StepDone(number, part, status, result.answer, result.calls, stop=result.stop))
        if result.stop is not None and result.stop.reason in ("paused", "stopped"):
            stop = result.stop
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


def share_of(limits: Limits, used: Meter, parts: int) -> Limits:
    """An equal share of what is left, after the report's one call is set aside; whole things are rounded down."""
    changes: dict[str, float | int] = {}
    for name, spent in COUNTED.items():
        limit = getattr(limits, name)
        if limit is None:
            continue
        aside = 1 if name == "max_model_calls" else 0
        left = max(0.0, limit - getattr(used, spent) - aside) / parts
        changes[name] = left if name in ("max_usd", "max_seconds") else int(left)
    return limits.with_(**changes)


def charge(meter: Meter, result: Result) -> None:
    """What a part used counts for the whole."""
    for each in fields(Meter):
        if each.name not in ("per_tool", "replans"):
            setattr(meter, each.name, getattr(meter, each.name) + (getattr(result.usage, each.name) or 0))
    meter.replans += result.replans
    for call in result.calls:
        meter.per_tool[call.tool] = meter.per_tool.get(call.tool, 0) + 1


def part_journal(journal: Journal, number: int) -> Journal:
    """The journal of one part: a file beside the whole run's file, or in memory like it."""
    if journal.path is None:
        return journal.part(number)
    return Journal(journal.path.with_name(f"{journal.path.stem}.part-{number}{journal.path.suffix}"))
