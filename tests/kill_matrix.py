"""The kill matrix: real processes, killed with SIGKILL at every moment of every effect of a saved run, and resumed.

    python tests/kill_matrix.py [--careless]

The run is that of kill_scenario.py. Every child is a process of its own, forked from this one, which holds nothing
open; at the world-changing calls also fresh interpreters.
Prints what came of it: kills, losses (another answer, a call that is missing, a file that does not open), repeats (a
recorded effect carried out again, a world-changing call made twice without anybody being asked). With `--careless` the
tools do not say that they change the world: that there are repeats then shows that the matrix would see them.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kill_scenario import CARELESS, MAILS, MOMENTS, World, run

from planexec.journal import Journal

# ------------------------------------------------------------------------------------------------- processes


def forked(path: Path, folder: Path, effect: int = 0, moment: str = "") -> dict[str, Any] | None:
    """The run in a process of its own: its result, or None when it was killed."""
    out = folder / "out.json"
    out.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            _write(out, path, folder, effect, moment)
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return _told(os.waitstatus_to_exitcode(status), out)


def interpreted(path: Path, folder: Path, effect: int = 0, moment: str = "") -> dict[str, Any] | None:
    """The same in a fresh interpreter."""
    words = [sys.executable, __file__, "--child", str(path), str(folder), str(effect), moment]
    return _told(subprocess.run(words, check=False).returncode, folder / "out.json")


def _told(code: int, out: Path) -> dict[str, Any] | None:
    if code == -signal.SIGKILL:
        return None
    if code != 0:
        raise RuntimeError(f"the child ended with {code}")
    told: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return told


def _write(out: Path, path: Path, folder: Path, effect: int, moment: str) -> None:
    result, begun = run(path, folder, effect, moment)
    out.write_text(json.dumps({**result.to_dict(), "begun": begun}), encoding="utf-8")


Child = Callable[..., dict[str, Any] | None]


# ------------------------------------------------------------------------------------------------- the matrix


@dataclass
class Report:
    """What came of the kills; `faults` says in words what was lost or repeated."""

    kills: int = 0
    asked: int = 0
    effects: int = 0
    losses: list[str] = field(default_factory=list)
    repeats: list[str] = field(default_factory=list)

    def line(self) -> str:
        return (
            f"kill matrix: {self.effects} effects, {self.kills} kills, {len(self.losses)} losses, "
            f"{len(self.repeats)} repeats; a person was asked {self.asked} times whether a call had happened"
        )


class Matrix:
    """Kills runs in every way and compares each with one that nothing disturbed."""

    def __init__(self, folder: Path):
        self.folder, self.report, self.count = folder, Report(), 0
        place = self.place()
        whole = forked(place / "run.db", place)
        assert whole is not None
        self.whole, self.log = whole, Counter(World(place).read(World(place).log))
        assert World(place).read(World(place).mails) == list(MAILS)
        self.begun: list[list[str]] = whole["begun"]
        self.report.effects = len(self.begun)

    def changing(self) -> list[int]:
        """The numbers of the effects that change the world."""
        return [number for number, (_, name) in enumerate(self.begun, 1) if name in ("send", "publish")]

    def place(self) -> Path:
        self.count += 1
        place = self.folder / f"{self.count:04}"
        place.mkdir()
        return place

    def kill(self, child: Child, path: Path, place: Path, effect: int, moment: str) -> list[str]:
        """Run until it is killed; what was carried out and is not on record: it may be carried out again, and no more.

        A call that changes the world must not; then a person is asked.
        """
        before = len(World(place).read(World(place).log))
        if child(path, place, effect, moment) is not None:
            self.report.losses.append(f"{place.name}: it was not killed at {moment} {effect}")
        self.report.kills += 1
        did = World(place).read(World(place).log)[before:]
        lost = did[-1:] if moment == "done" else []
        return [] if not CARELESS and lost and lost[0].startswith("mail ") else lost

    def compare(self, where: str, told: dict[str, Any] | None, place: Path, again: list[str], cut: int) -> None:
        """The same result and mails, and nothing made again but `again`. `cut`: kills in the middle of a call."""
        world, report = World(place), self.report
        if told is None:
            report.losses.append(f"{where}: no answer")
        else:
            report.losses += [f"{where}: {fault}" for fault in self.differs(told, cut)]
        log = Counter(world.read(world.log))
        unknown = sum(count for line, count in log.items() if line.startswith("ask unknown"))
        report.asked += unknown
        mails = Counter(world.read(world.mails))
        report.losses += [f"{where}: {mail} never went out" for mail in MAILS if not mails[mail]]
        report.repeats += [f"{where}: {mail} went out {count} times" for mail, count in mails.items() if count > 1]
        report.losses += [f"{where}: {line} is missing" for line in self.log if not log[line]]
        more = log - self.log - Counter(again)
        report.repeats += [f"{where}: {line} again" for line in more if not line.startswith("ask unknown")]

    def differs(self, told: dict[str, Any], cut: int) -> list[str]:
        """Where a resumed run's result is not that of the whole one. A call cut off in the middle is one more call."""
        mine, whole = dict(told), dict(self.whole)
        del mine["begun"], whole["begun"]
        if not cut:
            return [f"another {name}: {mine[name]}" for name in whole if mine[name] != whole[name]]
        faults = [
            f"another {name}: {mine[name]}" for name in ("answer", "complete", "plan") if mine[name] != whole[name]
        ]
        used, expected = mine["usage"], whole["usage"]
        names = ("steps", "prompt_tokens", "completion_tokens")
        faults += [f"{used[name]} {name} for {expected[name]}" for name in names if used[name] != expected[name]]
        more = sum(used[name] - expected[name] for name in ("model_calls", "tool_calls"))
        return faults if 0 <= more <= cut else [*faults, f"{more} calls more for {cut} that were cut off"]

    def once(self, child: Child, effect: int, moment: str) -> None:
        place = self.place()
        again = self.kill(child, place / "run.db", place, effect, moment)
        told = child(place / "run.db", place)
        self.compare(f"{moment} effect {effect} {self.begun[effect - 1]}", told, place, again, cuts(moment))

    def twice(self, effect: int, second: int, moments: tuple[str, str]) -> None:
        """Killed, resumed, and killed again soon after the resume."""
        place = self.place()
        again = self.kill(forked, place / "run.db", place, effect, moments[0])
        again += self.kill(forked, place / "run.db", place, second, moments[1])
        told = forked(place / "run.db", place)
        self.compare(f"twice, {effect} and {second} {moments}", told, place, again, cuts(*moments))

    def branches(self, effect: int, moment: str, how: str) -> None:
        """Killed; then two branches of it - a fork, or a copy of the file - are both resumed."""
        place = self.place()
        one, other = place / "run.db", place / "branch.db"
        lost = self.kill(forked, one, place, effect, moment)
        before = Counter(World(place).read(World(place).log))
        if how == "fork":
            with Journal(one) as journal:
                journal.fork(other).close()
        else:
            for file in place.glob("run.db*"):
                shutil.copy(file, place / file.name.replace("run.db", "branch.db"))
        for branch in (one, other):
            told = forked(branch, place)
            names = ("answer", "complete", "plan", "replans")
            if told is None or [told[name] for name in names] != [self.whole[name] for name in names]:
                self.report.losses.append(f"{how} after {moment} {effect}: {branch.name} has another answer")
        mails = Counter(World(place).read(World(place).mails))
        self.report.repeats += [f"{how} after {moment} {effect}: {m} x {n}" for m, n in mails.items() if n > 1]
        self.report.losses += [
            f"{how} after {moment} {effect}: {mail} never went out" for mail in MAILS if not mails[mail]
        ]
        log = Counter(World(place).read(World(place).log))
        self.report.asked += sum(count for line, count in log.items() if line.startswith("ask unknown"))
        self.report.repeats += [
            f"{how} after {moment} {effect}: {line} was recorded and was carried out again"
            for line, count in before.items()
            if log[line] > count + 2 * (max(0, self.log[line] - count) + lost.count(line))  # each branch makes the rest
        ]


def cuts(*moments: str) -> int:
    """How many of these kills came in the middle of a call."""
    return sum(moment in ("begun", "done") for moment in moments)


def matrix(folder: Path) -> Report:
    """All kills."""
    made = Matrix(folder)
    last, changing = len(made.begun), made.changing()
    for effect in range(1, last + 1):
        for moment in MOMENTS:
            made.once(forked, effect, moment)
    for effect in changing:
        for moment in ("begun", "done"):
            made.once(interpreted, effect, moment)
    for effect in range(1, last - 1):
        made.twice(effect, 1 + effect % 2, (MOMENTS[effect % 4], MOMENTS[(effect // 4 + 1) % 4]))
    near = {effect for each in changing for effect in (each - 1, each, each + 1)}
    for effect in range(1, last + 1):
        for place, moment in enumerate(MOMENTS):
            if effect in near or place == effect // 2 % 4:
                made.branches(effect, moment, "fork" if (effect + place) % 2 else "copy")
    for effect in changing:
        for how in ("fork", "copy"):
            made.branches(effect, "done", how)
    return made.report


def careless(folder: Path) -> Report:
    """Kills that tools which hide what they do cannot survive."""
    made = Matrix(folder)
    for effect in made.changing():
        made.once(forked, effect, "done")
        made.branches(effect, "before", "fork")
    return made.report


def main(words: list[str]) -> int:
    if words[:1] == ["--child"]:
        path, folder, effect, moment = Path(words[1]), Path(words[2]), int(words[3]), words[4]
        _write(folder / "out.json", path, folder, effect, moment)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        report = careless(Path(folder)) if CARELESS else matrix(Path(folder))
    print(report.line())
    for fault in (*report.losses, *report.repeats):
        print(" ", fault)
    return bool(report.losses or report.repeats)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
