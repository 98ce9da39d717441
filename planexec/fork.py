"""A fork: a new file that begins with the records of a saved run, and with its parts; then both go their own way.

The fork keeps the run's name and its ledger, so that what one branch did to the world is asked about in the other. A
question that the run has not gone on from yet is open in the fork; an answer belongs to the run it was given to.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from planexec.journal_file import explained, part_files
from planexec.records import JournalError, Record, is_in_doubt

if TYPE_CHECKING:
    from planexec.journal import Journal


def fork(source: Journal, path: Path, upto: int | None) -> Journal:
    """A copy of the records with `seq` < `upto`, and of the parts that are noted among them; None: of everything."""
    with explained(path):
        for place in (path, *part_files(path)):
            if place.exists():
                raise JournalError(f"{place} already exists; a fork needs a new file")
    records = [record for record in source.records() if upto is None or record.seq < upto]
    noted = [record.part for record in records]
    parts = source.parts()
    kept = {number: part for number, part in parts.items() if upto is None or number in noted}
    doubts = _doubts(source, upto)
    for number, part in parts.items():
        doubts += _doubts(part, 0) if number not in kept else []
    other = type(source)(path)
    _copy(source, other, records, upto, doubts)
    for number, part in kept.items():
        with other.part(number) as copy:
            _copy(part, copy, part.records(), None, _doubts(part, None))
    return other


def _copy(
    source: Journal, other: Journal, records: list[Record], upto: int | None, doubts: list[dict[str, Any]]
) -> None:
    """Fill a new journal with a run so far."""
    if source.durable:
        other._kin |= {name: source.header[name] for name in ("run", "ledger") if name in source.header}
    header = {**source.header, "forked_at": upto}
    if doubts:
        copied = 2 + len(source.grants) + 2 * len(records)  # rows at most; no success among them is a later one
        header["doubts"] = [{**each, "seq": copied} for each in doubts]
    other.start(header)
    for limits in source.grants:
        other.grant(limits)
    for record in records:
        _copy_record(source, other, record)
    if upto is None and source.outcome is not None:
        other.conclude(source.outcome)


def _doubts(source: Journal, upto: int | None) -> list[dict[str, Any]]:
    """The world-changing calls of a journal that are not among the copied records, and of which nobody knows whether
    they happened: the fork asks before it makes them, too.
    """
    left_out = [record for record in source.records() if upto is not None and record.seq >= upto]
    made = [*source.earlier_in_doubt(), *(record for record in left_out if is_in_doubt(record))]
    known = [{"name": each.name, "args": each.request["args"], "key": each.request["key"]} for each in made]
    return [*source.header.get("doubts", ()), *known]


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
