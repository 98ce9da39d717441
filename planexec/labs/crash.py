"""The crash lab: a process is really killed in the middle of a run, and this one goes on where it was.

The killed process (`crash_child.py`) is a child of this one; at the chosen moment of the chosen effect it waits, and is
killed from outside: SIGKILL, or what Windows has for it. What each process really did is counted from files that model
and tools themselves append to. Folders are temporary and their paths are never shown.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from planexec.journal import Journal, Record
from planexec.labs.crash_child import DEEDS, HERE, MAILS, MOMENTS, RUN, go_on
from planexec.person import Answer
from planexec.plain import dumps
from planexec.result import RunUsage

if TYPE_CHECKING:
    from planexec.show.picture import Picture

EFFECTS = 8  # model calls and tool calls of the run that is killed
OWN = ("run", "ledger", "key", "seconds")  # fields of a row that are another in every file
REPLY = "The outbox was looked at: the mail about ORDER-001 has been sent."


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the journal's file: `phase` is "begun" or "finished" for an effect, "added" for a note.

    `said`: all that the row holds, as JSON, but what is another in every file: the run's own name and that of a call
    made from it, where the file lies, and the measured seconds.
    """

    number: int
    phase: str
    address: str
    kind: str
    name: str
    said: str


@dataclass(frozen=True)
class Crash:
    """One killed process and the one that went on. `first` and `second`: what each really carried out, in order.

    `rows`: the file as the killed process left it. `mails`: lines in the outbox at the end. `question`: what a person
    is asked, "" for nothing; then `answer` is still empty. `answer`: the first line of it; of a run that is not
    complete the last one, which says what is missing. `usage`: what the run has counted, over both processes.
    """

    at: int
    moment: str
    effect: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    mails: int
    question: str
    answer: str
    complete: bool
    rows: tuple[Row, ...]
    usage: RunUsage

    @property
    def repeated(self) -> int:
        """Effects carried out more often than the run has them."""
        return max(0, len(self.first) + len(self.second) - EFFECTS) if self.complete else 0

    @property
    def text(self) -> str:
        """What came of it, in one line."""
        state = "complete" if self.complete else "waits for a person" if self.question else "not complete"
        mails = f"{self.mails} mail{'' if self.mails == 1 else 's'}"
        moment = self.moment if self.rows else "over"  # without a journal nothing is recorded
        return (
            f"killed at {self.at} ({self.effect}, {moment}): {len(self.first)} + {len(self.second)} carried out, "
            f"{mails}, {state}"
        )

    def __repr__(self) -> str:
        return self.text


def crash(at: int, moment: str = "recorded", answer: str = "", saved: bool = True) -> Crash:
    """Kill a process at effect number `at` (1 to 8) and go on here, in another process.

    `moment`: see `MOMENTS`. `answer`: what a person says if asked (approve, reject or reply), "" for nobody there.
    `saved`: False runs without a journal, so going on is beginning again. Errors: ValueError for an effect or a moment
    that the run does not have.
    """
    return _crashes([(at, moment, answer)], saved)[0]


def crash_at_each(moment: str = "recorded", answer: str = "") -> tuple[Crash, ...]:
    """The same once at each of the eight effects."""
    return _crashes([(at, moment, answer) for at in range(1, EFFECTS + 1)])


def crash_at_moments(at: int, answer: str = "") -> tuple[Crash, ...]:
    """The same at one effect: once when it has begun, once when it is done, once when it is recorded."""
    return _crashes([(at, moment, answer) for moment in MOMENTS])


def crash_and_answer(at: int = 6, moment: str = "done") -> dict[str, Crash]:
    """The same once for each answer that a person may give: what each leads to."""
    answers = ("approve", "reject", "reply")
    return dict(zip(answers, _crashes([(at, moment, answer) for answer in answers]), strict=True))


def _crashes(kills: Sequence[tuple[int, str, str]], saved: bool = True) -> tuple[Crash, ...]:
    """The processes are started together, and killed and continued one after the other."""
    for at, moment, _ in kills:
        _check(at, moment)
    with _folder() as top:
        folders = [top / str(number) for number in range(len(kills))]
        for folder in folders:
            folder.mkdir()
        _kill([_start(folder, at, moment, saved) for folder, (at, moment, _) in zip(folders, kills, strict=True)])
        return tuple(_after(folder, *kill, saved) for folder, kill in zip(folders, kills, strict=True))


def crash_and_fork(at: int = 5) -> tuple[Crash, Crash]:
    """Kill at effect `at`, copy what is left, and go on with both: the run itself, then its copy."""
    _check(at, "recorded")
    with _folder() as folder:
        _kill([_start(folder, at, "recorded", True)])
        Journal.read(folder / RUN).fork(folder / "copy.db").close()
        one = _after(folder, at, "recorded", "", True)
        return one, _after(folder, at, "recorded", "", True, "copy.db")


def _check(at: int, moment: str) -> None:
    if not 1 <= at <= EFFECTS or moment not in MOMENTS:
        raise ValueError(f"at is 1 to {EFFECTS}, moment one of {', '.join(MOMENTS)}; got {at!r}, {moment!r}")


# ------------------------------------------------------------------------------------------- the killed process


def _start(folder: Path, at: int, moment: str, saved: bool) -> subprocess.Popen[bytes]:
    given = [str(folder), str(at), moment, "saved" if saved else "unsaved"]
    return subprocess.Popen(
        [sys.executable, "-m", "planexec.labs.crash_child", *given], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


def _kill(children: Sequence[subprocess.Popen[bytes]]) -> None:
    """Wait until each child has come to its moment, then kill it. RuntimeError when one never came there."""
    came = []
    try:
        for child in children:
            assert child.stdout is not None
            came.append(child.stdout.readline() == HERE)
    finally:
        for child in children:
            child.kill()  # SIGKILL; on Windows TerminateProcess: it cannot be caught, nothing is tidied up
            child.communicate()
    if not all(came):
        raise RuntimeError("a process ended before the moment at which it was to be killed")


# ------------------------------------------------------------------------------------------- what came of it


@contextmanager
def _folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="planexec-", ignore_cleanup_errors=True) as name:
        yield Path(name).resolve()


def _after(folder: Path, at: int, moment: str, answer: str, saved: bool, run: str = RUN) -> Crash:
    """Go on with what the killed process left in `folder`; where a person is asked, say `answer` and go on again."""
    before, rows = _deeds(folder), _rows(folder / run) if saved else ()
    result, waiting = go_on(folder, "second", saved=saved, run=run)
    if waiting and answer:
        with Journal(folder / run) as journal:
            journal.answer(waiting[0]["id"], Answer(answer, text=REPLY if answer == "reply" else "").to_dict())
        result, waiting = go_on(folder, "second", saved=saved, run=run)
    deeds = _deeds(folder)
    first = tuple(deed["effect"] for deed in before if deed["process"] == "first")
    second = tuple(deed["effect"] for deed in deeds[len(before) :])
    question = waiting[0]["text"].replace(str(folder) + os.sep, "") if waiting else ""
    effect = _name(Journal.read(folder / run), at) if saved else first[at - 1]
    said = "" if waiting else result.answer.splitlines()[0 if result.complete else -1]
    mails, complete = len(_lines(folder / MAILS)), result.complete
    return Crash(at, moment, effect, first, second, mails, question, said, complete, rows, result.usage)


def _deeds(folder: Path) -> list[dict[str, Any]]:
    return _lines(folder / DEEDS)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def _name(journal: Journal, at: int) -> str:
    """The effect number `at` of a run: "planner"-like scope for a model call, the tool's name for a call."""
    effects = [record for record in journal.records() if record.kind in ("model", "tool")]
    return label(effects[at - 1])


def label(record: Record) -> str:
    """label of a model call in scope "plan" -> "model: plan"; of a call of get_order -> "get_order" """
    return f"model: {record.scope}" if record.kind == "model" else record.name


def _rows(path: Path) -> tuple[Row, ...]:
    """The file's own rows, in the order in which they were written."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as db:
        listed = db.execute("SELECT seq, phase, scope, position, kind, name, body FROM records ORDER BY seq").fetchall()
    return tuple(
        Row(seq, phase, f"{scope}[{at}]" if scope else "", kind, name, _said(body))
        for seq, phase, scope, at, kind, name, body in listed
    )


def _said(body: str) -> str:
    """_said('{"result": {}, "seconds": 0.31}') is '{"result":{}}'."""
    return dumps({name: value for name, value in json.loads(body).items() if name not in OWN})


# ------------------------------------------------------------------------------------------- the picture


def picture(crashes: Sequence[Crash]) -> Picture:
    """A row for each kill: what the first process carried out, and what the second did."""
    from planexec.show.lanes import Lane, Mark, lanes_picture

    lanes = []
    for each in crashes:
        done = [(at, "first process") for at in range(1, len(each.first) + 1)]
        last = EFFECTS if each.complete else len(each.first) + len(each.second)
        done += [(last - len(each.second) + at, "second process") for at in range(1, len(each.second) + 1)]
        lanes.append(Lane(f"killed at {each.at}, {each.effect}", tuple(Mark(at, kind) for at, kind in done)))
    repeats, mails = sum(each.repeated for each in crashes), {each.mails for each in crashes}
    sent = " or ".join(f"{count} mail{'' if count == 1 else 's'}" for count in sorted(mails))
    title = f"{len(crashes)} processes killed: {repeats} effects repeated, {sent} in each run"
    drawn = lanes_picture(lanes, title, "effect")
    drawn.figure.axes[0].set_xticks(range(1, EFFECTS + 1))  # there is no effect 0
    return drawn
