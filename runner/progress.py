"""Running commands so that nobody has to wonder whether something still happens."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

FIRST_LINE, LATER_LINES = 2.0, 10.0  # seconds: a sign of life after two, then every ten


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit code (-1: given up after its time), what it printed where that was kept."""

    code: int
    output: str
    seconds: float


def say(text: str) -> None:
    print(text, flush=True)


def environment(changes: Mapping[str, str]) -> dict[str, str]:
    """This process's variables with `changes`; a variable set to the empty text is left out."""
    return {name: value for name, value in {**os.environ, **changes}.items() if value or name not in changes}


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a command; with it what it started (kernels, browsers) where it leads a group of its own."""
    with suppress(ProcessLookupError, PermissionError):
        if os.name == "posix" and os.getpgid(process.pid) == process.pid:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def _wait(process: subprocess.Popen[bytes], label: str, limit: float | None) -> int:
    """Wait for the end, with a line now and then when `label` is given; give up after `limit` seconds."""
    started, next_line = time.monotonic(), FIRST_LINE
    while True:
        try:
            return process.wait(timeout=0.2)
        except subprocess.TimeoutExpired:
            passed = time.monotonic() - started
            if label and passed >= next_line:
                say(f"  ... {label}, {passed:.0f} s")
                next_line += LATER_LINES
            if limit is not None and passed > limit:
                say(f"  ... {label or 'this step'} is given up after {passed:.0f} s")
                stop(process)
                return -1


def _start(
    command: Sequence[str], stdout: object, label: str, cwd: Path, env: Mapping[str, str], limit: float | None
) -> tuple[int, float]:
    started = time.monotonic()
    # Only a step that may be given up leads a group; an installer has to end with the terminal that started it.
    own_group = {"start_new_session": True} if os.name == "posix" and limit is not None else {}
    try:
        process = subprocess.Popen(
            list(command), cwd=cwd, env=environment(env), stdin=subprocess.DEVNULL, stdout=stdout,  # type: ignore[call-overload]
            stderr=subprocess.STDOUT if stdout is not None else None, **own_group,
        )  # fmt: skip
    except OSError as problem:
        say(f"  cannot start {command[0]}: {problem}")
        return 127, 0.0
    try:
        code = _wait(process, label, limit)
    except BaseException:
        stop(process)
        raise
    return code, time.monotonic() - started


def quietly(
    label: str, command: Sequence[str], *, cwd: Path, env: Mapping[str, str] | None = None, limit: float | None = None
) -> Ended:
    """Run `command`, keep what it prints, say that it goes on after two seconds and then every ten."""
    with tempfile.TemporaryFile() as kept:
        code, seconds = _start(command, kept, label, cwd, env or {}, limit)
        kept.seek(0)
        return Ended(code, kept.read().decode("utf-8", "replace"), seconds)


def openly(
    command: Sequence[str], *, cwd: Path, env: Mapping[str, str] | None = None, limit: float | None = None
) -> Ended:
    """Run `command` with its output going straight to the terminal: it speaks for itself."""
    sys.stdout.flush()
    code, seconds = _start(command, None, "", cwd, env or {}, limit)
    return Ended(code, "", seconds)
