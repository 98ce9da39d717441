"""The one SQLite file that a durable journal lives in: locked against others, checked, written row by row.

Every row is committed before the run goes on, so a killed process loses nothing that was recorded. A power cut may
lose the last rows (SQLite's WAL with synchronous=NORMAL); it does not damage the file.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from glob import escape
from pathlib import Path
from typing import Any

from planexec.filelock import FileLock
from planexec.records import JournalError

SCHEMA = 1
_PAGE = 1_024  # bytes: every commit writes whole pages, and most rows are a few hundred bytes
_TABLE = (
    "CREATE TABLE records (seq INTEGER PRIMARY KEY, phase TEXT, scope TEXT, position INTEGER, "
    "kind TEXT, name TEXT, fingerprint TEXT, body TEXT)"
)
_CHANGED_WORLD = (  # these have a key; and a fork's header may list some that it left behind
    "SELECT 1 FROM records WHERE kind = 'tool' AND instr(body, '\"key\":') "
    "OR phase = 'header' AND instr(body, '\"doubts\":') LIMIT 1"
)

_OUTSIDE = {  # SQLite's codes for what is no fault of the file's contents
    *(sqlite3.SQLITE_PERM, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY),
    *(sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL),
}


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """What goes wrong with the file, in words."""
    try:
        yield
    except OSError as problem:
        raise JournalError(f"{path} cannot be used ({problem.strerror or problem}); take another place") from problem
    except (sqlite3.DatabaseError, ValueError, KeyError, TypeError) as problem:
        if getattr(problem, "sqlite_errorcode", 0) & 0xFF in _OUTSIDE:
            raise JournalError(
                f"{path} cannot be opened ({problem}): see whether file and folder may be written to, and whether "
                "another program holds the file"
            ) from problem
        raise JournalError(
            f"{path} is not a planexec journal, or it is damaged ({problem}). It was left as it is; use another file."
        ) from problem


def connected(path: Path) -> sqlite3.Connection:
    """For reading only; leaves no files behind, and needs no right to write in the folder."""
    real = path.resolve()
    alone = not real.with_name(real.name + "-wal").exists()  # then nothing is missing from the file itself
    mode = "mode=ro&immutable=1" if alone else "mode=ro"
    return sqlite3.connect(f"{real.as_uri()}?{mode}", uri=True, isolation_level=None)


def part_path(path: Path, number: int) -> Path:
    """The file of one independent part of a run: run.db, 2 -> run.part-2.db"""
    return path.with_name(f"{path.stem}.part-{number}{path.suffix}")


def whole_path(path: Path) -> tuple[Path, int] | None:
    """The file of the run that a part belongs to, and its number there: run.part-2.db -> (run.db, 2)"""
    name, _, number = path.stem.rpartition(".part-")
    return (
        (path.with_name(f"{name}{path.suffix}"), int(number))
        if name and number.isdecimal() and number.isascii()
        else None
    )


def part_files(path: Path) -> dict[int, Path]:
    """The files of the parts that lie beside a run: run.db -> {1: run.part-1.db, 2: run.part-2.db}"""
    found = {}
    for part in path.parent.glob(f"{escape(path.stem)}.part-*{escape(path.suffix)}"):
        whole = whole_path(part)
        if whole is not None and whole[0] == path and part.is_file():
            found[whole[1]] = part
    return dict(sorted(found.items()))


def holds_journal(db: sqlite3.Connection, path: Path) -> bool:
    """True when the file holds a journal, False when it holds nothing yet; an error for anything else."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type='table'")}
    if tables and "records" not in tables:
        raise ValueError("it holds other tables")
    if version > SCHEMA:
        raise JournalError(
            f"{path} was written by a newer planexec (schema {version}; this one knows {SCHEMA}). Update planexec."
        )
    return bool(tables)


def begun(path: Path) -> bool:
    """False for a file that is just being made, or whose maker was killed at that: it holds nothing yet."""
    with explained(path), closing(connected(path)) as db:
        return holds_journal(db, path)


def changed_world(path: Path) -> bool:
    """False for a file without any world-changing call; told without reading it row by row."""
    with explained(path), closing(connected(path)) as db:
        return holds_journal(db, path) and db.execute(_CHANGED_WORLD).fetchone() is not None


def rows(db: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
    """(seq, phase, scope, position, kind, name, fingerprint, body) of every row, in the order they were written."""
    return db.execute("SELECT * FROM records ORDER BY seq")


def _check_place(path: Path) -> None:
    """JournalError where no file can be: a mistyped folder is not made."""
    if path.is_dir():
        raise JournalError(f"{path} is a folder; a run is saved in a file, as {path / 'run.db'}")
    if not path.parent.is_dir():
        what = "is no folder" if path.parent.exists() else "is not there"
        raise JournalError(f"{path} cannot be made: the folder {path.parent} {what}; make it first, or save elsewhere")


def _only_name(path: Path) -> None:
    """JournalError for a file with a second name (a hard link): the lock, and SQLite's own log, belong to one name."""
    if path.exists() and path.stat().st_nlink > 1:
        raise JournalError(
            f"{path} is one of {path.stat().st_nlink} names of the same file (hard links), and under another name "
            "another process could carry out the same calls. Remove the other name, or fork the run into a new file."
        )


class JournalFile:
    """The file, open for writing. JournalError when another process has it, or when it is no journal."""

    def __init__(self, path: Path):
        self.path = path
        with explained(path):
            _check_place(path)
            self._lock, self._guard = FileLock(path), threading.Lock()
            free = self._lock.acquire()
        if not free:
            raise JournalError(f"{path} is in use by another process; wait for it, or fork the run")
        try:
            _only_name(path)
            with explained(path):
                self.db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
                self._rows = self.db.cursor()  # kept: one for every row costs more than the call
                self._prepare()
        except BaseException:
            self.close()
            raise

    def _prepare(self) -> None:
        self.new = not self.path.stat().st_size or not holds_journal(self.db, self.path)
        self.db.execute("PRAGMA synchronous=NORMAL")
        if self.new:
            self.db.execute(f"PRAGMA page_size={_PAGE}")
            self.db.execute("PRAGMA journal_mode=MEMORY")  # for its first page alone: there is nothing to go back to
        self.db.execute("PRAGMA journal_mode=WAL")
        if self.new:
            self.db.execute("BEGIN")
            self.db.execute(_TABLE)
            self.db.execute(f"PRAGMA user_version={SCHEMA}")
            self.db.execute("COMMIT")

    def write(self, row: tuple[Any, ...]) -> None:
        """One row, committed when this returns."""
        try:
            with self._guard:
                self._rows.execute("INSERT INTO records VALUES (?,?,?,?,?,?,?,?)", row)
        except sqlite3.Error as problem:
            raise JournalError(f"{self.path} cannot be written to ({problem}); the run ends here") from problem

    def close(self) -> None:
        if hasattr(self, "db"):
            self.db.close()
        self._lock.release()
