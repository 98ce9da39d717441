"""`.ci/run`: both parts run whatever the first one said, their tests are added up, and the exit code is the truth."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="a shell script")
SCRIPT = Path(__file__).resolve().parent.parent / ".ci" / "run"

OK = {"test": ("test: 812 passed, 0 failed, 3 skipped", 0), "check": ("check: 12 passed, 0 failed", 0)}


def ci(folder, parts):
    """Run a copy of the script beside a run.py that says what `parts` wants; (exit code, last line, all lines)."""
    (folder / ".ci").mkdir()
    shutil.copy(SCRIPT, folder / ".ci" / "run")
    (folder / "run.py").write_text(
        f"import sys\nparts = {parts!r}\ntext, code = parts[sys.argv[1]]\nprint(sys.argv[1], text, sep='\\n')\n"
        "sys.exit(code)\n",
        encoding="utf-8",
    )
    programs = folder / "bin"  # a machine that has a browser: nothing is installed by this test
    programs.mkdir()
    (programs / "chromium").write_text("#!/bin/sh\n", encoding="utf-8")
    (programs / "chromium").chmod(0o755)
    path = os.pathsep.join([str(programs), os.environ["PATH"]])
    ended = subprocess.run(
        ["bash", str(folder / ".ci" / "run")], capture_output=True, encoding="utf-8", check=False, cwd="/",
        env={**os.environ, "PATH": path}, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    lines = ended.stdout.splitlines()
    return ended.returncode, lines[-1], lines


def test_the_tests_of_both_parts_are_added_up(tmp_path):
    code, last, lines = ci(tmp_path, OK)
    assert (code, last) == (0, "824 passed, 0 failed, 3 skipped")
    assert lines.index("test") < lines.index("check")


def test_a_failure_in_the_first_part_is_not_hidden_by_the_second(tmp_path):
    code, last, lines = ci(tmp_path, {**OK, "test": ("test: 811 passed, 1 failed", 1)})
    assert (code, last) == (1, "823 passed, 1 failed")
    assert "check" in lines


def test_a_part_that_breaks_down_before_its_totals_counts_as_failed(tmp_path):
    code, last, _ = ci(tmp_path, {**OK, "check": ("no network", 2)})
    assert (code, last) == (1, "812 passed, 1 failed, 3 skipped")


def test_the_totals_never_look_better_than_the_exit_code(tmp_path):
    code, last, _ = ci(tmp_path, {**OK, "check": ("check: 12 passed, 0 failed", 1)})
    assert (code, last) == (1, "824 passed, 1 failed, 3 skipped")
