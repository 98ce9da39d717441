"""A fork: a new file that begins with the records of a saved run, and with its parts; then both go their own way.

The fork keeps the run's name and its ledger, so that what one branch did to the world is asked about in the other. A
question that the run has not gone on from yet is open in the fork; an answer belongs to the run it was given to.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from planexec.doubts import made_in, still_in_doubt
from planexec.journal_file import explained, part_files
from planexec.records import JournalError, Record

if TYPE_CHECKING:
    from planexec.journal import Journal


def fork(source: Journal, path: Path, upto: int | None) -> Journal:
    """A copy of the records with `seq` < `upto`, and of the parts that are noted among them; None: of everything."""
    with explained(path):
        for place in (path, *part_files(path).values()):
            if place.exists():
                raise JournalError(f"{place} already exists; a fork needs a new file")
    records = [record for record in source.records() if upto is None or record.seq < upto]
    noted = [record.part for record in records]
    parts = source.parts()
    kept = {number: part for number, part in parts.items() if upto is None or number in noted}
    copied = [*records, *(record for part in kept.values() for record in part.records())]
    doubts = _left_behind(source.family(), {record.order for record in copied})
    other = type(source)(path)
    _copy(source, other, records, {"forked_at": upto} | ({"doubts": doubts} if doubts else {}))
    for number, part in kept.items():
        with other.part(number) as copy:
            _copy(part, copy, part.records(), {"forked_at": None})
    return other


def _copy(source: Journal, other: Journal, records: list[Record], about: dict[str, Any]) -> None:
    """Fill a new journal with a run so far. `about`: of the fork, for its header."""
    if source.durable:
        other._kin |= {name: source.header[name] for name in ("run", "ledger") if name in source.header}
    header = {name: value for name, value in source.header.items() if name != "doubts"} | about
    other.start(header)
    for limits in source.grants:
        other.grant(limits)
    for record in records:
        _copy_record(source, other, record)
    if about["forked_at"] is None and source.outcome is not None:
        other.conclude(source.outcome)


def _left_behind(family: list[Journal], copied: set[int]) -> list[dict[str, Any]]:
    """The world-changing calls of a run and its parts that are not among the copied ones, and of which nobody knows
    whether they happened: the fork asks before it makes them, too.
    """
    in_doubt = still_in_doubt(each for journal in family for each in made_in(journal))
    left = [each for calls in in_doubt.values() for each in calls if each.order not in copied or not each.order]
    return [{"order": each.order, "same": each.same, "key": each.key} for each in left]


def _copy_record(source: Journal, other: Journal, record: Record) -> None:
    args = (record.scope, record.position, record.kind, record.name, record.fingerprint)
    if record.kind in ("note", "stop"):
        other.add(*args, record.result or {}, record.request)
        return
    copy = other.begin(*args, record.request)
    if record.result is not None:
        other.finish(copy, record.result, record.seconds)
    elif record.kind == "ask" and (question := source._questions.get(record.request["id"])) is not None:
        other.ask(question)
