"""Which branch of a run made which world-changing call: forks and copies of one journal must not repeat it unasked.

All branches of a run share one small table, in the file of the run they come from. Each branch goes by the path of
its own file. When the first file is gone, a branch keeps its own table and can only vouch for itself. And where an
older copy is put back over the first file, the table is the older one too: what was done since, nobody knows.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

_TABLE = "CREATE TABLE IF NOT EXISTS effects (key TEXT PRIMARY KEY, branch TEXT NOT NULL)"
PATIENCE = 10.0  # seconds to wait for another branch that is writing


def claim(ledger: Path, key: str, branch: str) -> str:
    """Note that `branch` is about to make the call `key`; "" when it is the first, else the branch that made it."""
    with closing(sqlite3.connect(ledger, timeout=PATIENCE, isolation_level=None)) as db:
        db.execute(_TABLE)
        db.execute("INSERT OR IGNORE INTO effects VALUES (?, ?)", (key, branch))
        (owner,) = db.execute("SELECT branch FROM effects WHERE key = ?", (key,)).fetchone()
    return "" if owner == branch else str(owner)
