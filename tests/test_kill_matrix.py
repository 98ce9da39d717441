"""The kill matrix of kill_matrix.py: a saved run loses nothing and repeats nothing, wherever its process is killed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

MATRIX = Path(__file__).with_name("kill_matrix.py")
LINE = re.compile(r"kill matrix: (\d+) effects, (\d+) kills, (\d+) losses, (\d+) repeats; .* asked (\d+) times")

pytestmark = [
    pytest.mark.check,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that can be forked, and SIGKILL"),
]


def killed(*words: str) -> tuple[tuple[int, ...], str]:
    """Its numbers - effects, kills, losses, repeats, questions - and all it printed."""
    done = subprocess.run([sys.executable, str(MATRIX), *words], capture_output=True, encoding="utf-8", check=False)
    line = LINE.search(done.stdout)
    assert line, done.stdout + done.stderr
    return tuple(map(int, line.groups())), done.stdout


def test_killed_anywhere_nothing_is_lost_and_nothing_is_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    (effects, kills, losses, repeats, asked), said = killed()
    with capsys.disabled():
        print(f"\n{said.strip()}")
    assert effects >= 30 and kills >= 4 * effects
    assert (losses, repeats) == (0, 0), said
    assert asked > 0, "calls that only began are asked about"


def test_the_matrix_would_see_a_repeat() -> None:
    """The same kills where tools do not say that they change the world: mails go out twice, and it is seen."""
    (_, kills, losses, repeats, asked), said = killed("--careless")
    assert (losses, asked) == (0, 0) and repeats >= kills > 0, said
