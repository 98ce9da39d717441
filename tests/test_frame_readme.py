"""What the README tells people to type does what it says."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.M | re.S)
COMMANDS = [line for _, block in BLOCKS for line in block.splitlines() if line.startswith(".venv/bin/planexec ")]
EXAMPLES = [block for language, block in BLOCKS if language == "python"]
NOBODY = "http://127.0.0.1:9/v1"  # no server listens there


def python(*arguments):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, encoding="utf-8", check=False, cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_is_understood(line):
    """One that names an endpoint cannot be answered here: it says so and ends as a stopped run."""
    words = shlex.split(line.partition(" #")[0])[1:]
    real = "--base-url" in words
    if real:
        words[words.index("--base-url") + 1] = NOBODY
    ended = python("-c", "import sys; from planexec.cli import main; sys.exit(main())", *words)
    assert ended.returncode == (3 if real else 0), ended.stdout + ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("code", EXAMPLES)
def test_every_example_runs(code):
    ended = python("-c", code)
    assert ended.returncode == 0, ended.stderr
    for promised in re.findall(r"^print\(.*\)  # (.+)$", code, re.M):
        assert promised in ended.stdout


def test_files_and_folders_that_are_named_exist():
    named = re.findall(r"^\| ((?:`[\w/.]+/?`(?:, )?)+) \|", README, re.M)
    paths = [path for cell in named for path in re.findall(r"`([\w/.]+)`", cell)]
    assert len(paths) >= 10
    for path in paths:
        assert (ROOT / path).exists() or (ROOT / "notebooks" / f"{path}.ipynb").exists(), path


def test_links_inside_the_project_lead_somewhere():
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if "://" not in link]
    assert links and all((ROOT / link.partition("#")[0]).exists() for link in links)


def test_run_py_commands_that_are_named_exist():
    from runner.commands import parser
    from runner.environment import Place

    words = next(action.choices for action in parser(Place(ROOT))._actions if action.dest == "command")
    assert set(re.findall(r"python run\.py (\w+)", README)) <= set(words)
