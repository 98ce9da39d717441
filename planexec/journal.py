"""The journal: an append-only record of every effect of one run, in memory or in one SQLite file.

It is the trace that pictures are drawn from, the checkpoint a crash resumes from, and the recording that replays a
real model offline. Each record has an address, (scope, position): "the third effect of step-2". Resuming is running
the same loop again with the same journal: what is recorded returns at once, the first address without a record is
carried out.
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from planexec import letters
from planexec.canonical import digest
from planexec.doubts import Doubts
from planexec.fork import fork
from planexec.journal_file import (
    SCHEMA,
    JournalFile,
    begun,
    changed_world,
    connected,
    explained,
    holds_journal,
    part_files,
    part_path,
    rows,
    whole_path,
)
from planexec.ledger import claim
from planexec.limits import Limits
from planexec.plain import TEXT_CAP, cut, dumps, hidden_values, plain
from planexec.questions import Questions
from planexec.records import Fields, JournalError, Record
from planexec.verdicts import PER_STEP

__all__ = ["SCHEMA", "TEXT_CAP", "Journal", "JournalError", "Record", "cut", "dumps", "explained", "plain"]

_ASIDE = ("request", "answer", "grant")  # rows after which a run that has ended is still ended
_NO_RECORDS: dict[int, Record] = {}
_MAY_PASS = ("failed", "stopped")  # stops that may be gone when the run goes on, without more of anything


def _led_to(reason: str, record: Record) -> bool:
    """What belongs to a stop: to a failure the failed attempts, the waits between and what a person was asked about
    them, to a person's the question, to a limit the calls that it refused.
    """
    result = record.result or {}
    if reason == "stopped":
        return record.kind == "ask"
    if reason == "failed":
        asked = (record.kind, record.name) == ("ask", "mend")
        return asked or record.kind == "wait" or (record.kind == "model" and "error" in result)
    return record.kind == "tool" and not result.get("admitted", True)


def _may_have_happened(record: Record) -> bool:
    result = record.result or {"observation": {"kind": "unknown"}}
    return bool(result.get("admitted", True)) and result["observation"]["kind"] not in ("failed", "refused")


class Journal:
    """`Journal()` lives in memory; `Journal("run.db")` in a file that any later process can resume from."""

    def __init__(self, path: str | os.PathLike[str] | None = None, wall: Callable[[], float] = time.time):
        """`wall`: seconds since some fixed moment, the same in every process; only for questions that expire."""
        self.path = Path(path) if path is not None else None
        self.header: dict[str, Any] = {}
        self.grants: list[dict[str, Any]] = []
        self.outcome: dict[str, Any] | None = None  # how the run ended; None while it goes on or was interrupted
        self._live: dict[str, dict[int, Record]] = {}  # scope -> position -> the record that counts there
        self._earlier: dict[str, Record] = {}  # superseded world-changing calls, by their idempotency key
        self.doubts = Doubts()
        self._wall, self._questions = wall, Questions(wall)
        self._parts: dict[int, Journal] = {}
        self._part_of: tuple[Journal, int] | None = None  # the whole run, and the number that this part has there
        self._kin: dict[str, Any] = {}  # what its header has in common with the run that it is a part or a fork of
        self._seq, self._read_only = 0, False
        self._hide = hidden_values()
        self.hides = bool(self._hide)  # the environment holds keys, which must not be written down
        self._file = JournalFile(self.path) if self.path is not None else None
        if self._file is not None and not self._file.new:
            self._take_up(self._file)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Journal:
        """A saved run as it is now, to look at: it takes no lock and writes nothing, so others may have it open."""
        place = Path(path)
        with explained(place):
            if place.is_dir():
                raise JournalError(f"there is no saved run {place}: it is a folder; `planexec runs` lists it")
            if not place.is_file():
                raise JournalError(f"there is no saved run {place}")
            with closing(connected(place)) as db:
                return cls.view(db, place)

    @classmethod
    def view(cls, db: sqlite3.Connection, path: Path) -> Journal:
        """What a connection to the file `path` can see now, letters included; it cannot be written to."""
        view = cls()
        if not holds_journal(db, path):
            raise ValueError("it holds no records")
        view._read(db)
        for _, request, body in letters.waiting(db):
            view._take_in(request, body)
        view.path, view._read_only = path, True
        return view

    @property
    def durable(self) -> bool:
        """True when another process can go on from here."""
        return self.path is not None

    # ---------------------------------------------------------------------------------------- one run

    def start(self, header: dict[str, Any]) -> None:
        """Bind the journal to one question, or check that it is the one it already belongs to."""
        if not self.header:
            header = {**header, "run": digest(f"{header.get('question')}|{header.get('seed')}")}
            if self.path is not None:  # a call out in the world must never be taken for one of another run
                header |= {"run": secrets.token_hex(8), "ledger": str(self.path.resolve())}
            self.header = self.kept(header | self._kin)
            self._row("header", self.header)
            return
        self._collect(grants=True)
        old, new = self.header.get("question"), self.kept(header.get("question"))
        if old != new:
            raise JournalError(
                f"{self.path or 'this journal'} holds the run of another question.\n  recorded: {old}\n  asked now: "
                f"{new}\nUse another file, or ask the recorded question to go on with it."
            )

    def take(self, scope: str, position: int) -> Record | None:
        """The record at this address, or None: then the effect has not happened yet."""
        return self._live.get(scope, _NO_RECORDS).get(position)

    def begin(
        self, scope: str, position: int, kind: str, name: str, fingerprint: str, request: dict[str, Any] | Fields
    ) -> Record:
        """Write down that an effect begins, before it does."""
        record = Record(scope, position, kind, name, fingerprint, request, None, 0.0, self._seq + 1)
        self._row("begun", record)
        self._live.setdefault(scope, {})[position] = record
        return record

    def finish(self, record: Record, result: dict[str, Any] | Fields, seconds: float) -> Record:
        """Write down how it ended."""
        record._result, record.seconds = result, seconds
        self._row("finished", record)
        return record

    def add(
        self,
        scope: str,
        position: int,
        kind: str,
        name: str,
        fingerprint: str,
        result: dict[str, Any],
        request: dict[str, Any] | None = None,
    ) -> Record:
        """Write down something that takes no time and cannot be half done: a note, a stop, a refused call."""
        record = Record(scope, position, kind, name, fingerprint, request or {}, result, seq=self._seq + 1)
        self._row("added", record)
        self._live.setdefault(scope, {})[position] = record
        return record

    def records(self) -> list[Record]:
        """Every record that counts, in the order in which they were made; superseded ones are left out."""
        # Copied as they stand: another thread may look on while the run goes on.
        live = [record for scope in list(self._live.values()) for record in list(scope.values())]
        return sorted(live, key=lambda record: record.seq)

    def earlier(self, key: str) -> Record | None:
        """A world-changing call of this run that no longer counts, but was made or begun all the same."""
        return self._earlier.get(key)

    def superseded(self) -> list[Record]:
        """All these calls: what has not failed for certain, in the order in which it was made."""
        return sorted(self._earlier.values(), key=lambda record: record.seq)

    def claim(self, key: str) -> str:
        """Announce a world-changing call; "" or the file of another branch of this run that has made it already."""
        if self.path is None:
            return ""
        first = Path(self.header.get("ledger", self.path))
        return claim(first if first.exists() else self.path, key, str(self.path.resolve()))

    # ------------------------------------------------------------------------------- going on after a stop

    def grant(self, limits: dict[str, Any]) -> None:
        """Give a stopped run other limits: its stop, and what came after it, no longer count.

        Where only a step ran out of its own limits, and these are granted, its stop no longer counts.

        ValueError for limits that make no sense; then nothing is written.
        """
        Limits().changed(limits)
        self._row("grant", limits)
        self.grants.append(limits)
        if not self.reopen() and "per_step" in limits:
            self._supersede_stop(lambda stop: stop.name.startswith(PER_STEP), last=True)

    def reopen(self) -> bool:
        """Mark the stop of the run and all later records as superseded; False when it was not stopped.

        Where a failure or a person stopped it, so are the failed attempts or the question just before: otherwise the
        same failure, or the same answer, would stop it again. Parts that a failure or a person stopped are reopened
        with it.
        """
        # The first stop of the run: what comes after it is its conclusion, which may have been stopped too.
        found = self._supersede_stop(lambda stop: stop.result is not None and stop.result["level"] == "run", last=False)
        for number in [number for number, part in self.parts().items() if part.may_pass]:
            with self.part(number) as part:
                found |= part.reopen()
        return found

    @property
    def may_pass(self) -> bool:
        """True for a run that a failure or a person stopped: it may go on without more of anything."""
        return ((self.outcome or {}).get("stop") or {}).get("reason") in _MAY_PASS

    def _supersede_stop(self, chosen: Callable[[Record], bool], last: bool) -> bool:
        records = self.records()
        stops = [at for at, record in enumerate(records) if record.kind == "stop" and chosen(record)]
        if not stops:
            return False
        first = stop = stops[-1 if last else 0]
        while first and _led_to(records[stop].name, records[first - 1]):
            first -= 1
        self.supersede_from(records[first].seq)
        return True

    def supersede_from(self, seq: int) -> None:
        """Everything recorded or asked at `seq` or later no longer counts. The rows stay in the file."""
        self._row("superseded", {"from": seq})
        self._drop_from(seq)

    def _drop_from(self, seq: int) -> None:
        live, self._live = self.records(), {}
        for record in live:
            if record.seq < seq:
                self._live.setdefault(record.scope, {})[record.position] = record
            elif record.key and _may_have_happened(record):
                self._earlier[record.key] = record
        self._questions.drop_from(seq)

    def conclude(self, outcome: dict[str, Any]) -> None:
        """Write down how the run ended, without what the records hold; whatever is recorded later makes it void."""
        outcome = self.kept(outcome)
        if outcome != self.outcome:
            if not self._read_only:
                self._row("result", outcome)
            self.outcome = outcome

    # ------------------------------------------------------------------------------------------- a person

    def ask(self, request: dict[str, Any]) -> None:
        """Leave a question for a person; `request` has an `id`."""
        if request["id"] not in self._questions:
            request = self._questions.dated(request)
            self._row("request", request)
            self._questions.put(json.loads(dumps(request)), self._seq)

    def pending(self) -> list[dict[str, Any]]:
        """The questions nobody has answered yet and that still wait for an answer."""
        self._collect()
        return self._questions.pending()

    def expired(self, request_id: str) -> bool:
        """True when nobody answered a kept question within its `expires` seconds; then it counts as rejected."""
        return self._questions.expired(request_id)

    def answer(self, request_id: str, answer: dict[str, Any]) -> None:
        """Answer a pending question, once."""
        self._questions.check(request_id)
        self._accept(request_id, answer)

    def _accept(self, request_id: str, answer: dict[str, Any]) -> None:
        self._row("answer", {"id": request_id, **answer})
        self._questions.accept(request_id, answer)

    def answer_to(self, request_id: str) -> dict[str, Any] | None:
        self._collect()
        return self._questions.answer_to(request_id)

    def _collect(self, grants: bool = False) -> None:
        """Write down what other processes left in the letter box. A grant counts from the next start of the run."""
        if self._file is None:
            return
        for number, request, body in letters.waiting(self._file.db):
            if grants or request != letters.GRANT:
                self._take_in(request, body)
                letters.remove(self._file.db, number)

    def _take_in(self, request: str, body: dict[str, Any]) -> None:
        if request == letters.GRANT:
            self.grant(body)
        elif self._questions.waits(request):
            self._accept(request, body)  # it was in time when it was left there

    # --------------------------------------------------------------------------------------------- parts

    def part(self, number: int) -> Journal:
        """The journal of one independent part of this run, to go on with: in a file beside this one's, or in memory.

        Its header follows from this run's, so that a fork knows the calls of its parts again.
        """
        path = part_path(self.path, number) if self.path is not None else None
        part = self._parts.setdefault(number, Journal()) if path is None else Journal(path, self._wall)
        if not self._owns(part):
            part.close()
            raise JournalError(
                f"{path} belongs to another run than {self.path}: an earlier one of this name left it there. Delete "
                "it, or move it away, or give the new run another name."
            )
        whole = self.header.get("run", "")
        part.doubts, part._part_of = self.doubts, (self, number)
        part._kin = {"run": f"{whole}/part-{number}", "part_of": whole}
        part._kin |= {"ledger": self.header["ledger"]} if "ledger" in self.header else {}
        return part

    def parts(self, without: int | None = None, which: Callable[[Path], bool] = begun) -> dict[int, Journal]:
        """The parts of this run as they are now, by their numbers, to look at: all but the part `without`, and of those
        in files the ones that `which` chooses.
        """
        if self.path is None:
            return {number: part for number, part in self._parts.items() if number != without}
        files = part_files(self.path).items()
        seen = {number: Journal.read(path) for number, path in files if number != without and which(path)}
        return {number: part for number, part in seen.items() if self._owns(part)}

    @property
    def is_part(self) -> bool:
        return self._part_of is not None

    def family(self) -> list[Journal]:
        """The whole run that this is, or is a part of, and its parts that changed the world, as they are now."""
        whole, number = self._part_of or self._whole_beside() or (self, None)
        others = list(whole.parts(number, changed_world).values())
        return [whole, *others, self] if whole is not self else [self, *others]

    def _whole_beside(self) -> tuple[Journal, int] | None:
        """The run beside a part that was opened by itself, to look at, and the number of the part."""
        found = whole_path(self.path) if self.path is not None and "part_of" in self.header else None
        if found is not None and found[0].is_file() and begun(found[0]):
            whole = Journal.read(found[0])
            if whole._owns(self):
                return whole, found[1]
        return None

    def _owns(self, part: Journal) -> bool:
        """True unless the part says that it is another run's; those of earlier versions do not say."""
        whole = self.header.get("run", "")
        return bool(part.header.get("part_of", whole) == whole)

    # --------------------------------------------------------------------------------------------- files

    def close(self) -> None:
        """Give the file free for others. A closed journal cannot be written to."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Journal({str(self.path)!r})" if self.path else f"<Journal in memory, {len(self.records())} records>"

    def lines(self) -> Iterator[str]:
        """The header, then every record that counts, as readable JSON lines; what was superseded stays in the file."""
        header = {name: value for name, value in self.header.items() if name != "ledger"}
        yield dumps({"planexec_journal": SCHEMA, **header})
        for record in self.records():
            yield self._redact(dumps(record.to_dict()))

    def fork(self, path: str | os.PathLike[str], upto: int | None = None) -> Journal:
        """A new journal in `path` with this one's records (those with `seq` < `upto`); both can go their own way.

        The parts of a split run go with it, into files beside `path`: those that are noted among these records.
        JournalError when one of these files is there already.
        """
        return fork(self, Path(path), upto)

    def _row(self, phase: str, what: Record | dict[str, Any]) -> None:
        """The next row: in memory only its number. Whatever is recorded makes an outcome void, but what stands aside.

        `what`: a record, or the body of a row that is none.
        """
        if self._file is None and self.path is not None:
            how = "was opened for reading only; open it with Journal(path)" if self._read_only else "is closed"
            raise JournalError(f"{self.path} {how}")
        self._seq += 1
        if self.outcome is not None and phase not in _ASIDE:
            self.outcome = None
        if self._file is None:
            return
        row = what.row(phase) if isinstance(what, Record) else ("", "", "", "", "", dumps(what))
        if self.hides:
            row = *row[:-1], self._redact(row[-1])
        self._file.write((self._seq, phase, *row))

    def kept(self, value: Any) -> Any:
        """A value as it will be read again: `plain`, and without any key of the environment.

        TypeError or ValueError as `plain`.
        """
        return self.without_keys(plain(value)) if self._hide else plain(value)

    def without_keys(self, value: Any) -> Any:
        """A plain value, in which no key of the environment stands any more."""
        if not self._hide:
            return value
        text = dumps(value)
        without = self._redact(text)
        return value if without == text else json.loads(without)

    def _redact(self, text: str) -> str:
        for secret in self._hide:
            if secret in text:
                text = text.replace(secret, "[key removed]")
        return text

    def _take_up(self, file: JournalFile) -> None:
        """Everything the file holds so far; it is left as it is when that cannot be read."""
        try:
            with explained(file.path):
                self._read(file.db)
                self._collect(grants=True)
        except BaseException:
            self.close()
            raise

    def _read(self, db: sqlite3.Connection) -> None:
        for row in rows(db):
            self._fold(*row)

    def _fold(
        self, seq: int, phase: str, scope: str, position: Any, kind: str, name: str, fingerprint: str, body: str
    ) -> None:
        """Take one row of the file into memory."""
        self._seq, data = seq, json.loads(body)
        if not isinstance(data, dict):
            raise ValueError(f"row {seq} has no named fields")
        self.outcome = self.outcome if phase in _ASIDE else None
        if phase == "begun":
            self._live.setdefault(scope, {})[position] = Record(scope, position, kind, name, fingerprint, data, seq=seq)
        elif phase == "finished":
            record = self._live[scope][position]
            record._result, record.seconds = data["result"], data["seconds"]
        elif phase == "added":
            request, result = data["request"], data["result"]
            record = Record(scope, position, kind, name, fingerprint, request, result, seq=seq)
            self._live.setdefault(scope, {})[position] = record
        elif phase == "superseded":
            self._drop_from(data["from"])
        elif phase == "header":
            self.header = data
        elif phase == "grant":
            self.grants.append(data)
        elif phase == "request":
            self._questions.put(data, seq)
        elif phase == "answer":
            self._questions.accept(data.pop("id"), data)
        elif phase == "result":
            self.outcome = data
        else:
            raise ValueError(f"row {seq} has the unknown phase {phase!r}")
