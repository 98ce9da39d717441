"""Saved runs from outside: list them, look at them, answer them. Nothing here needs a run's lock.

`planexec runs`, `show`, `pending` and `answer` are this; going on with a run (`resume`) opens its journal instead.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planexec import letters
from planexec.journal import Journal, JournalError, explained
from planexec.journal_file import part_files
from planexec.limits import Limits
from planexec.person import Answer, check_answer

MAGIC = b"SQLite format 3\0"
PATIENCE = 10.0  # seconds to wait for a process that is writing


@dataclass(frozen=True, slots=True)
class Saved:
    """One saved run. `state`: "complete", "unfinished" (interrupted, or still running), "paused", "answered" (it may
    go on), "unreadable", or the reason of its stop. `steps` and `usd` are None while it is unfinished.
    """

    path: Path
    question: str
    state: str
    steps: int | None = None
    usd: float | None = None


def saved_runs(folder: Path) -> list[Saved]:
    """The runs saved in `folder`, by file name; the parts of a run that was split are not listed on their own."""
    files = [path for path in sorted(folder.iterdir()) if path.is_file() and _is_database(path)]
    hidden = {part for path in files for part in part_files(path).values()}
    return [_saved(path) for path in files if path not in hidden]


def _is_database(path: Path) -> bool:
    with open(path, "rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def _saved(path: Path) -> Saved:
    try:
        journal = Journal.read(path)
        state = state_of(journal)
    except JournalError:
        return Saved(path, "", "unreadable")
    usage = (journal.outcome or {}).get("usage", {})
    return Saved(path, str(journal.header.get("question", "")), state, usage.get("steps"), usage.get("usd"))


def state_of(journal: Journal) -> str:
    """How a run stands, in one word; a part that goes on makes the whole run one that goes on."""
    if journal.outcome is not None and journal.outcome["complete"]:
        return "complete"
    parts = list(journal.parts().values())
    waits = any(each.pending() for each in (journal, *parts))
    if any(each.outcome is None for each in (journal, *parts)):
        return "paused" if waits else "unfinished"
    reason = ((journal.outcome or {})["stop"] or {}).get("reason", "stopped")
    return "answered" if reason == "paused" and not waits else str(reason)


def open_requests(path: Path) -> list[tuple[Path, dict[str, Any]]]:
    """The questions of a run, and of its parts, that nobody has answered: (the file to answer in, the request)."""
    journal = Journal.read(path)
    both = (journal, *journal.parts().values())
    return [(each.path, request) for each in both for request in each.pending() if each.path is not None]


@contextmanager
def _letter_box(path: Path) -> Iterator[tuple[sqlite3.Connection, Journal]]:
    """The letter box of a run and the run as it is, while nobody else can write to it."""
    with explained(path):
        if not path.is_file():
            raise JournalError(f"there is no saved run {path}")
    address = f"{path.resolve().as_uri()}?mode=rw"
    with closing(sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None)) as db:
        with explained(path):
            db.execute("BEGIN IMMEDIATE")
            journal = Journal.view(db, path)
        yield db, journal
        db.execute("COMMIT")


def answer(path: Path, request_id: str, given: Answer) -> None:
    """Answer an open request of the run in `path`; whoever has the run open, or resumes it, gets the answer.

    JournalError when there is no such request, or it is answered already; ValueError for an answer that it does not
    take. The question then stays open.
    """
    with _letter_box(path) as (db, journal):
        waiting = {request["id"]: request for request in journal.pending()}
        if request_id not in waiting:
            known = "it has been answered already" if journal.answer_to(request_id) else "there is none of this id"
            raise JournalError(f"{path}: no open request {request_id!r}: {known}. Open: {', '.join(waiting) or 'none'}")
        check_answer(waiting[request_id].get("kind", ""), given)
        letters.put(db, request_id, given.to_dict())


def grant(path: Path, changes: dict[str, Any]) -> Limits:
    """Give the run in `path` other limits from its next start on; returns all limits that will then hold.

    ValueError for a limit that makes no sense.
    """
    with _letter_box(path) as (db, journal):
        limits = limits_of(journal).with_(**changes)
        letters.put(db, letters.GRANT, {name: limits.to_dict()[name] for name in changes})
    return limits


def limits_of(journal: Journal) -> Limits:
    """The limits a run goes by: those it was made with, and what was granted since."""
    limits = dict(journal.header["limits"])
    for granted in journal.grants:
        limits.update(granted)
    return Limits.from_dict(limits)


def made_by_command(header: dict[str, Any]) -> bool:
    """True for a run of `planexec run`, which `planexec resume` can set up again; a program's `meta` is its own."""
    meta = header.get("meta")
    return isinstance(meta, dict) and {"world", "model"} <= meta.keys()


def as_dict(journal: Journal) -> dict[str, Any]:
    """A saved run as plain JSON values: the keys of `planexec run --json`, and `question`, `state`, `meta` with them.

    Of a run that has not ended only what is recorded is there: `usage` is None, `answer` empty.
    """
    outcome = journal.outcome if journal.outcome is not None else _so_far(journal)
    calls = _calls_by_step(journal, outcome["route"], bool(outcome["plan"]))
    steps = [{**step, "calls": calls.get(step["id"], [])} for step in outcome["steps"]]
    header = {name: journal.header.get(name) for name in ("question", "lang", "seed", "date", "model", "meta")}
    return {**header, "state": state_of(journal), **outcome, "steps": steps}


def _so_far(journal: Journal) -> dict[str, Any]:
    """The outcome of a run that has none yet, as far as its notes tell."""
    steps: dict[int, dict[str, Any]] = {}
    route, replans = "", 0
    for record in journal.records():
        note = record.result or {}
        if record.kind != "note":
            continue
        with suppress(KeyError, TypeError, ValueError):  # a note of somebody's own loop, under a name the agent uses
            if record.name == "route":
                route = note["kind"]
                steps = {number: _open(number, part) for number, part in enumerate(note["parts"], 1)}
            elif record.name == "plan":
                steps = {s["id"]: _open(s["id"], s["goal"]) for s in note["steps"]}
                route = "chain"
            elif record.name == "replan":
                kept = {number: step for number, step in steps.items() if step["status"] != "open"}
                steps, replans = {**kept, **{n: _open(n, goal) for n, goal in note["steps"]}}, replans + 1
            elif record.part is not None:
                steps[record.part] |= {"status": "done" if note["complete"] else "stopped", "answer": note["answer"]}
            elif record.name == "step_done" and note["id"] in steps:
                steps[note["id"]] |= {"status": note["status"], "answer": note["answer"]}
    plan = [step["goal"] for step in steps.values()]
    return {
        **{"answer": "", "complete": False, "stop": None, "plan": plan, "steps": list(steps.values())},
        **{"usage": None, "replans": replans, "degraded": False, "route": route, "verdicts": []},
    }


def _open(number: int, goal: str) -> dict[str, Any]:
    return {"id": number, "goal": goal, "status": "open", "answer": ""}


def _calls_by_step(journal: Journal, route: str, planned: bool) -> dict[int, list[dict[str, Any]]]:
    """The tool calls of each step, the last attempt of each; without a plan all of them are step 1's."""
    if route == "parallel":
        by_part = {number: _calls_by_step(part, "", True) for number, part in journal.parts().items()}
        return {number: [c for calls in by_step.values() for c in calls] for number, by_step in by_part.items()}
    calls: dict[int, list[dict[str, Any]]] = {}
    failed: dict[str, dict[str, Any]] = {}  # by scope: what was to be tried again
    for record in journal.records():
        result = record.result or {}
        if record.kind != "tool":
            continue
        seen, before = result.get("observation", {"kind": "unknown", "text": ""}), failed.pop(record.scope, None)
        if not result.get("final", True):
            failed[record.scope] = seen
            continue
        if before is not None and seen["kind"] == "refused":
            seen = before  # that it was not tried again says less than why it should have been
        root = record.scope.partition("/")[0].partition("#")[0]
        number = int(root.removeprefix("step-")) if planned and root.startswith("step-") else 1
        call = {"tool": record.name, "args": record.request.get("args"), "kind": seen["kind"]}
        calls.setdefault(number, []).append({**call, "text": seen.get("text", "")})
    return calls
