"""Rows on disk: written as they come, read again after an interruption. One JSON line a row, with the key of its run.

A last line that was cut (the process was killed in the middle of it) counts as not written and is removed before
anything is added. One process at a time writes: a second one is told so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from planexec.filelock import FileLock


class SavedRows:
    """`with SavedRows(path) as saved:` `saved.rows` is what is there, by key; `saved.add(key, row)` writes one more."""

    def __init__(self, path: Path):
        self.path = path
        self.rows: dict[str, Mapping[str, Any]] = {}
        self._lock = FileLock(path)

    def __enter__(self) -> SavedRows:
        if not self._lock.acquire():
            raise RuntimeError(f"{self.path} is being written by another process; wait for it, or save elsewhere")
        try:
            self.rows = _whole_lines(self.path)
            self._file = self.path.open("a", encoding="utf-8", newline="\n")
        except BaseException:
            self._lock.release()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        self._lock.release()

    def add(self, key: str, row: Mapping[str, Any]) -> None:
        """One row, handed to the operating system before the next run begins."""
        self.rows[key] = row
        self._file.write(json.dumps({"key": key, "row": row}, ensure_ascii=False) + "\n")
        self._file.flush()


def _whole_lines(path: Path) -> dict[str, Mapping[str, Any]]:
    """The rows of the file by key; a last line without its end is cut off. A file of another kind is an error."""
    if not path.exists():
        return {}
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    rows: dict[str, Mapping[str, Any]] = {}
    for number, line in enumerate(whole.decode("utf-8").splitlines(), 1):
        try:
            entry = json.loads(line)
            rows[entry["key"]] = entry["row"]
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"{path}, line {number}, is no saved row; save to another file") from None
    if len(whole) != len(content):
        with path.open("r+b") as file:
            file.truncate(len(whole))
    return rows
