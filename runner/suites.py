"""Which steps `run.py test` and `run.py check` consist of."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

from runner.environment import Place
from runner.machines import MACHINES
from runner.steps import REPORT, Step

TEST_SECONDS, CHECK_SECONDS = 300.0, 1200.0
NEWEST_FIRST = ("3.14", "3.13", "3.12", "3.11")
SEEDS = (20240607, 971)  # of the two runs in random order; fixed, so that a failure can be looked at again
KERNEL = {"PYTHONHASHSEED": "0", "MPLBACKEND": ""}  # what a notebook's kernel needs to print the same twice
PLAIN_PYTEST = ("-o", "addopts=-ra --strict-markers --strict-config")  # with the plugins that are off by default
TEST_TOOLS = (
    "pytest",
    "pytest-httpserver",
    "hypothesis",
    "nbval",
    "pyyaml",
    "build",
    "hatchling",
    "pip",
    "pytest-randomly",
    "pytest-xdist",
)
TWO_AT_ONCE = ("-n", "2", "--dist", "loadfile")  # whole files to each of two workers: two cores, half the time


def pytest(python: Path | str, *arguments: str) -> tuple[str, ...]:
    """The command of one pytest run whose tests are counted."""
    # The option makes a file that is opened without its encoding an error: elsewhere the default is another one.
    return (str(python), "-X", "warn_default_encoding", "-m", "pytest", "-q", f"--junitxml={REPORT}", *arguments)


NOT_NOTEBOOKS = ("--ignore-glob=*/.ipynb_checkpoints/*", "--ignore-glob=*/solutions/*")


def nbval(python: Path | str, folder: str = "notebooks") -> tuple[str, ...]:
    """The command that runs every notebook and compares what its cells print with what is stored.

    The solved copies are left out: they are the same notebooks again, and `check` runs them.
    """
    return pytest(python, "--nbval", "--nbval-current-env", *NOT_NOTEBOOKS, folder)


def test_steps(place: Place) -> list[Step]:
    """Lint, types, unit tests, one pass over the notebooks: what every change has to pass."""
    python = str(place.python)
    return [
        Step("lint (ruff)", ((python, "-m", "ruff", "check", "."),)),
        Step("types (mypy)", ((python, "-m", "mypy"),)),
        Step("notebooks: form", ((python, "-m", "planexec.course", "lint", "notebooks", "notebooks/solutions"),)),
        Step("unit tests", (pytest(python, *TWO_AT_ONCE, "-m", "not check"),), {"PYTHONHASHSEED": "0"}, shown=True),
        Step("notebooks: nbval", (nbval(python),), KERNEL, shown=True),
    ]


def _disorder(python: str, seed: int, hashes: int, more: dict[str, str]) -> Step:
    """The unit tests in another order and with other hashes; each must stand on its own."""
    command = pytest(
        python, *PLAIN_PYTEST, *TWO_AT_ONCE, "-p", "randomly", f"--randomly-seed={seed}", "-m", "not check"
    )
    return Step(
        f"random order, seed {seed}",
        (command,),
        {"PYTHONHASHSEED": str(hashes), **more},
        shown=True,
    )


def floors(pyproject: Path) -> list[str]:
    """["pydantic==2.10", ...]: the oldest version that pyproject.toml promises to work with, for what learners use."""
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    named = [*project["dependencies"], *extras["models"], *extras["course"]]
    return [entry.replace(">=", "==") for entry in named if ">=" in entry]


def uv_of(place: Place) -> str | None:
    """uv, where it is: on the PATH, or in our own environment, since it is among the packages for development."""
    own = place.script("uv")
    return shutil.which("uv") or (str(own) if own.exists() else None)


def fresh(place: Place, folder: Path, python: str, what: list[str]) -> tuple[tuple[str, ...], ...]:
    """Commands that make an environment in `folder` with another Python or other packages than ours."""
    inside = str(Place(folder, place.os_name).python)
    venv = str(Place(folder, place.os_name).venv)
    uv = uv_of(place)
    if uv:
        return (
            (uv, "venv", "--quiet", "--python", python, venv),
            (uv, "pip", "install", "--quiet", "--python", inside, *what),
        )
    return ((python, "-m", "venv", venv), (inside, "-m", "pip", "install", "--quiet", *what))


def _lowest(place: Place, work: Path) -> Step:
    """The unit tests and the notebooks with the oldest direct dependencies that pyproject.toml allows."""
    home = work / "lowest"
    python = Place(home, place.os_name).python
    what = ["-e", str(place.root), *floors(place.root / "pyproject.toml"), *TEST_TOOLS]
    arguments = (
        *TWO_AT_ONCE,
        "-m",
        "not check",
        "--nbval",
        "--nbval-current-env",
        *NOT_NOTEBOOKS,
        "--ignore-glob=*/17_*.ipynb",  # LangGraph is missing here, and it says so: run to the end, not compared
        "tests",
        "notebooks",
    )
    seventeen = next((place.root / "notebooks").glob("17_*.ipynb"))
    without = (str(python), "-m", "planexec.course", "run", str(seventeen))
    commands = (*fresh(place, home, sys.executable, what), without, pytest(python, *arguments))
    return Step("lowest dependencies", commands, KERNEL, shown=True)


def starts(python: str) -> bool:
    """True when this Python can make environments; a name on the PATH may lead nowhere."""
    try:
        return subprocess.run([python, "-c", "import venv"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def reported(python: str) -> str:
    """reported("/usr/bin/python3.13") -> "3.13.0"."""
    command = [python, "-c", "import sys; print('%d.%d.%d' % sys.version_info[:3])"]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False).stdout.strip()


def other_python(
    find: Callable[[str], str | None] = shutil.which, beside: Path = Path(sys.base_prefix).parent
) -> str | None:
    """The newest other Python of this machine that is new enough: on the PATH, or installed beside this one."""
    this = f"{sys.version_info[0]}.{sys.version_info[1]}"
    for version in NEWEST_FIRST:
        found = [find(f"python{version}"), *(str(path) for path in sorted(beside.glob(f"{version}*/bin/python3")))]
        for path in found:
            if path and version != this and starts(path):
                return path
    return None


def _newest(place: Place, work: Path) -> Step:
    """The unit tests with another Python and the newest packages that fit it."""
    found = other_python()
    home = work / "other"
    python = Place(home, place.os_name).python
    commands = fresh(place, home, found or "", ["-e", f"{place.root}[dev]"])
    missing = "" if found else "no other Python that is new enough"
    name = f"another Python ({reported(found) if found else 'none'})"
    return Step(name, (*commands, pytest(python, *TWO_AT_ONCE, "-m", "not check")), KERNEL, shown=True, missing=missing)


def _wheel(place: Place, work: Path) -> Step:
    """Build the wheel, install it with its light dependencies only, leave the checkout, copy the course, run."""
    home, python = work / "wheel", str(place.python)
    dist = home / "dist"
    wheel = dist / f"planexec-{version(place)}-py3-none-any.whl"
    inside = Place(home, place.os_name)
    build = (python, "-m", "build", "--wheel", "--outdir", str(dist), str(place.root))
    smoke = (str(inside.python), "-I", str(place.root / "runner" / "outside.py"), str(place.root), str(home))
    return Step("wheel outside the checkout", (build, *fresh(place, home, sys.executable, [str(wheel)]), smoke))


def _clone(place: Place, work: Path) -> Step:
    """The first and the second start in a new clone: what a person with a fresh machine does."""
    folder = work / "clone"
    start = (sys.executable, str(folder / "run.py"))
    copy = ("git", "clone", "--quiet", str(place.root), str(folder))
    lacking = "" if (place.root / ".git").exists() and shutil.which("git") else "this folder is no git checkout"
    return Step("first and second start in a clone", (copy, start, start), missing=lacking)


def _elsewhere(place: Place, work: Path, machine: str, seed: int) -> Step:
    """All notebooks on an imitated machine without network, in a random order, two at once; nothing may be left."""
    script = str(place.root / "runner" / "elsewhere.py")
    command = (str(place.python), script, machine, str(seed), str(place.root), str(work / machine))
    return Step(f"notebooks: {machine}, offline, order {seed}", (command,), shown=True)


def version(place: Place) -> str:
    text = (place.root / "pyproject.toml").read_text(encoding="utf-8")
    return str(tomllib.loads(text)["project"]["version"])


def check_steps(place: Place, work: Path) -> list[Step]:
    """The long checks. `work` is an empty folder for environments of their own."""
    python = str(place.python)
    return [
        Step("long tests", (pytest(python, "-m", "check"),), {"PYTHONHASHSEED": "0"}, shown=True),
        # Of the notebooks themselves the two runs after this one compare every byte.
        Step(
            "solved notebooks: every byte",
            ((python, "-m", "planexec.course", "check", "notebooks/solutions"),),
            shown=True,
        ),
        *(_elsewhere(place, work, machine, seed) for machine, seed in zip(MACHINES, SEEDS, strict=True)),
        _disorder(python, SEEDS[0], 1, {"LC_ALL": "C"}),
        _disorder(python, SEEDS[1], 2, {"LC_ALL": "C.UTF-8"}),
        _lowest(place, work),
        _newest(place, work),
        _wheel(place, work),
        _clone(place, work),
    ]
