"""The letter box of a saved run: where any process may leave an answer while another one has the run open.

Only the process that holds the run's lock writes the record, so numbering and order stay its own. Whoever else has
something to say puts a letter into a small table beside it; the holder writes it down when it next looks.
"""

from __future__ import annotations

import json
import sqlite3
from typing import Any

TABLE = "CREATE TABLE IF NOT EXISTS letters (number INTEGER PRIMARY KEY, request TEXT NOT NULL, body TEXT NOT NULL)"
GRANT = ""  # the request of a letter that answers none: larger limits for a run that stopped

Letter = tuple[int, str, dict[str, Any]]


def put(db: sqlite3.Connection, request: str, body: dict[str, Any]) -> None:
    """Leave a letter: the answer to `request`, or a grant."""
    db.execute(TABLE)
    db.execute("INSERT INTO letters (request, body) VALUES (?, ?)", (request, json.dumps(body, ensure_ascii=False)))


def waiting(db: sqlite3.Connection) -> list[Letter]:
    """The letters nobody has taken out yet, oldest first: (number, request, body)."""
    if db.execute("SELECT 1 FROM sqlite_master WHERE type='table' AND name='letters'").fetchone() is None:
        return []
    rows = db.execute("SELECT number, request, body FROM letters ORDER BY number").fetchall()
    return [(number, request, json.loads(body)) for number, request, body in rows]


def remove(db: sqlite3.Connection, number: int) -> None:
    """Take a letter out, once it is written down."""
    db.execute("DELETE FROM letters WHERE number = ?", (number,))
