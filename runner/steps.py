"""A list of steps, carried out one after the other; at the end a table of what each took and how it went.

A step that fails does not keep the next ones from running: one start shows everything that is wrong. A step counts
the tests of its pytest; a step without one counts as a single test.
"""

from __future__ import annotations

import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from runner import progress

REPORT = "{report}"  # stands in a command for the file in which pytest counts its tests


@dataclass(frozen=True)
class Step:
    """Commands that belong together; the first that fails ends the step.

    `shown` is True when the last command speaks for itself (a test run); the others are kept quiet and printed
    only when they fail. `missing` says why the step cannot run here; it then counts as left out, visibly.
    """

    name: str
    commands: tuple[Sequence[str], ...]
    env: Mapping[str, str] = field(default_factory=dict)
    shown: bool = False
    missing: str = ""


@dataclass(frozen=True)
class Done:
    """What became of a step. `verdict`: ok, FAILED, left out."""

    name: str
    seconds: float
    verdict: str
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    note: str = ""


def counts(report: Path) -> tuple[int, int, int] | None:
    """(passed, failed, skipped) of a pytest run; None when it left no report, as when it broke down before the end."""
    try:
        suites = list(ET.parse(report).getroot().iter("testsuite"))
    except (OSError, ET.ParseError):
        return None
    total, failures, errors, skipped = (
        sum(int(suite.get(name, 0)) for suite in suites) for name in ("tests", "failures", "errors", "skipped")
    )
    return total - failures - errors - skipped, failures + errors, skipped


def judged(step: Step, code: int, seconds: float, report: Path) -> Done:
    """The outcome of a step that ended with `code`. A pytest that ran nothing has not passed."""
    counted = counts(report) if any(REPORT in part for command in step.commands for part in command) else None
    passed, failed, skipped = counted or (0, 0, 0)
    if counted is None:
        passed, failed = (1, 0) if code == 0 else (0, 1)
    note = "given up: it took too long" if code == -1 else "" if code == 0 else f"exit code {code}"
    if counted is not None and passed + failed + skipped == 0 and code != -1:
        code, note = code or 1, "no test was run"
    if code != 0 and failed == 0:
        failed = 1
    return Done(step.name, seconds, "FAILED" if failed else "ok", passed, failed, skipped, note)


def carry_out(step: Step, cwd: Path, limit: float) -> Done:
    """Run the commands of one step, at most `limit` seconds in all."""
    progress.say(f"\n=== {step.name}")
    if step.missing:
        progress.say(f"  left out: {step.missing}")
        return Done(step.name, 0.0, "left out", skipped=1, note=step.missing)
    if step.env:
        progress.say("  with " + " ".join(f"{name}={value or '(unset)'}" for name, value in step.env.items()))
    started, code = time.monotonic(), 0
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        for number, parts in enumerate(step.commands, start=1):
            command = [part.replace(REPORT, str(report)) for part in parts]
            left = limit - (time.monotonic() - started)
            code = _one(step, command, number == len(step.commands), cwd, left)
            if code:
                break
        return judged(step, code, time.monotonic() - started, report)


def _one(step: Step, command: Sequence[str], last: bool, cwd: Path, left: float) -> int:
    if step.shown and last:
        return progress.openly(command, cwd=cwd, env=step.env, limit=left).code
    ended = progress.quietly(step.name, command, cwd=cwd, env=step.env, limit=left)
    if ended.code:
        progress.say(f"  failed: {' '.join(command)}\n{ended.output.rstrip()}")
    elif last and ended.output.strip():
        progress.say("  " + ended.output.strip().splitlines()[-1])
    return ended.code


def table(done: Iterable[Done]) -> str:
    """The steps under each other: name, seconds, verdict, tests passed and failed, and what else is to be said."""
    rows = list(done)
    width = max([len(row.name) for row in rows] + [4])
    lines = [f"{'step':<{width}}  seconds  verdict   passed  failed  skipped"]
    for row in rows:
        numbers = f"{row.seconds:>7.1f}  {row.verdict:<8}  {row.passed:>6}  {row.failed:>6}  {row.skipped:>7}"
        lines.append(f"{row.name:<{width}}  {numbers}  {row.note}".rstrip())
    return "\n".join(lines)


def totals(name: str, done: Iterable[Done]) -> str:
    """totals("test", ...) -> "test: 812 passed, 0 failed", with the skipped ones where there are any."""
    rows = list(done)
    text = f"{name}: {sum(row.passed for row in rows)} passed, {sum(row.failed for row in rows)} failed"
    skipped = sum(row.skipped for row in rows)
    return f"{text}, {skipped} skipped" if skipped else text


def run_all(
    name: str, steps: Iterable[Step], cwd: Path, budget: float, *, one: Callable[[Step, Path, float], Done] = carry_out
) -> int:
    """Carry out `steps`, print the table, return the exit code: 1 as soon as one step failed.

    `budget` is what the whole may take, in seconds. A slow machine may take longer, and the table says so; three
    times the budget ends it.
    """
    started = time.monotonic()
    done = []
    for step in steps:
        left = 3 * budget - (time.monotonic() - started)
        done.append(one(step, cwd, max(left, 1.0)))
    seconds = time.monotonic() - started
    progress.say(f"\n{table(done)}")
    remark = "" if seconds <= budget else f" - longer than the {budget:.0f} seconds this should take"
    progress.say(f"{seconds:.0f} seconds in all{remark}")
    progress.say(totals(name, done))
    return int(any(row.verdict == "FAILED" for row in done))
