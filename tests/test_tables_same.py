"""The same table everywhere: with any PYTHONHASHSEED, and on two versions of Python.

The table is small and holds a run of every world in both languages, with the faults of the preset.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OTHER = "3.12"
PROGRAM = """
import sys
from planexec import worlds
from planexec.trials import UNGUARDED, Scenario, Setting, trials
scenarios = [
    Scenario(name, question, lang, loop, case=f"{name}/{question}/{lang}/{loop}")
    for name in worlds.NAMES
    for lang in ("en", "zh")
    for question in worlds.load(name, lang).questions
    for loop in ("plan", "react")
]
reckless = Setting("reckless", "reckless")
sys.stdout.buffer.write(trials(scenarios, [Setting("guarded"), UNGUARDED, reckless], range(2)).to_csv().encode())
"""


def table(python: str = sys.executable, **environment: str) -> bytes:
    """The table as another process prints it."""
    return run([python, "-c", PROGRAM], environment)


def run(command: list[str], environment: Mapping[str, str]) -> bytes:
    settings = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", **environment}
    done = subprocess.run(command, env=settings, capture_output=True, cwd=ROOT.parent)
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-2_000:]
    return done.stdout


@pytest.fixture(scope="module")
def first() -> bytes:
    """The table with one PYTHONHASHSEED."""
    return table(PYTHONHASHSEED="0")


def test_the_table_holds_every_world_with_and_without_guards(first: bytes) -> None:
    text = first.decode()
    assert all(name in text for name in ("finance/", "research/", "flights/", "orders/", "rivals/", "duty/"))
    assert text.count("\n") > 150
    assert "error" not in {line.split(",")[4] for line in text.splitlines()[1:]}
    print(hashlib.sha256(first).hexdigest())


def test_another_hash_seed_gives_the_same_table(first: bytes) -> None:
    assert table(PYTHONHASHSEED="4711") == first


@pytest.mark.check
@pytest.mark.parametrize("seed", ["1", "random"])
def test_more_hash_seeds_give_the_same_table(first: bytes, seed: str) -> None:
    assert table(PYTHONHASHSEED=seed) == first


@pytest.mark.check
def test_another_version_of_python_gives_the_same_table(first: bytes, tmp_path: Path) -> None:
    """In an environment of its own, with nothing but what the package needs."""
    python = other_python()
    if python is None:
        pytest.skip(f"there is no Python {OTHER} on this machine")
    uv = shutil.which("uv", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))
    if uv is None:
        pytest.skip("uv is not installed")
    home = tmp_path / "other"
    run([uv, "venv", "--quiet", "--python", python, str(home)], {})
    inside = home / ("Scripts" if os.name == "nt" else "bin") / "python"
    try:
        run([uv, "pip", "install", "--quiet", "--python", str(inside), "pydantic>=2.10", "json-repair>=0.30"], {})
    except AssertionError as problem:
        pytest.skip(f"the two packages could not be installed: {problem}")
    version = run([str(inside), "-c", "import sys; print(*sys.version_info[:2], sep='.')"], {}).decode().strip()
    assert version == OTHER != ".".join(map(str, sys.version_info[:2]))
    assert table(str(inside), PYTHONHASHSEED="2") == first


def other_python() -> str | None:
    """A Python of the other version: on the path, or beside the one that runs this, as pyenv keeps them."""
    found = shutil.which(f"python{OTHER}")
    if found and subprocess.run([found, "--version"], capture_output=True).returncode == 0:
        return found
    beside = sorted(Path(sys.base_prefix).parent.glob(f"{OTHER}.*/bin/python"))
    return str(beside[-1]) if beside else None
