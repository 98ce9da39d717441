"""The package as a thing to install: light, complete, and described the same way everywhere."""

import json
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
HEAVY = ("openai", "requests", "pydantic", "json_repair", "matplotlib", "ipywidgets", "nbformat", "nbclient", "numpy")

PROBE = f"""
import json, os, sys, threading
import importlib.machinery  # what any import needs is not ours
opened = []
def watch(event, args):
    if event == "open" and isinstance(args[0], str) and not args[0].endswith((".py", ".pyc")):
        opened.append(args[0])
    elif event in ("subprocess.Popen", "socket.connect", "os.mkdir", "os.remove", "shutil.rmtree"):
        opened.append(event)
sys.addaudithook(watch)
import MODULE
import json
print(json.dumps({{"heavy": [name for name in {HEAVY!r} if name in sys.modules],
                  "threads": threading.active_count(), "opened": opened}}))
"""


@pytest.mark.parametrize("module", ["planexec", "planexec.course", "planexec.course.commands", "planexec.course.lint"])
def test_importing_loads_nothing_heavy_starts_no_thread_and_touches_no_file(module):
    code = PROBE.replace("MODULE", module)
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True, cwd=ROOT)
    assert json.loads(ended.stdout) == {"heavy": [], "threads": 1, "opened": []}


def test_the_base_dependencies_are_two():
    assert sorted(re.split(r"[<>=]", entry)[0] for entry in PROJECT["dependencies"]) == ["json-repair", "pydantic"]


def test_every_dependency_has_a_lower_bound():
    extras = PROJECT["optional-dependencies"]
    for requirement in [*PROJECT["dependencies"], *(entry for extra in extras.values() for entry in extra)]:
        assert ">=" in requirement or requirement.startswith("planexec["), requirement


def test_the_extras_build_on_each_other():
    extras = PROJECT["optional-dependencies"]
    assert "planexec[models]" in extras["course"]
    assert "planexec[course,dask,langgraph]" in extras["dev"]  # what the long checks need, a learner does not


def test_the_environment_for_conda_names_python_pip_and_the_course_and_no_version_of_its_own():
    yaml = pytest.importorskip("yaml")
    stated = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    assert stated["name"] == PROJECT["name"]
    assert stated["dependencies"] == [f"python{PROJECT['requires-python']}", "pip", {"pip": ["-e .[course]"]}]


def test_the_oldest_python_is_the_same_in_every_file():
    import run

    oldest = ".".join(str(part) for part in run.OLDEST)
    assert PROJECT["requires-python"] == f">={oldest}"
    assert f"Python {oldest} or newer" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"Programming Language :: Python :: {oldest}" in PROJECT["classifiers"]
    assert run.CANDIDATES[-1] == oldest


def test_the_version_is_the_same_in_every_file():
    import planexec

    assert planexec.__version__ == PROJECT["version"]


def test_the_changelog_speaks_of_this_version():
    assert f"## {PROJECT['version']}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_makefile_has_the_words_of_run_py():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    from runner.commands import parser
    from runner.environment import Place

    words = next(action.choices for action in parser(Place(ROOT))._actions if action.dest == "command")
    assert all(re.search(rf"^[\w ]*\b{word}\b[\w ]*:", text, re.M) for word in words)


INSIDE = [("data/", "planexec/_data/"), ("notebooks/", "planexec/_notebooks/"), ("planexec/", "planexec/")]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("dist")
    listed = in_checkout()
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    ended = subprocess.run(build, capture_output=True, encoding="utf-8", errors="replace", check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (path,) = folder.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        yield archive, listed


def in_checkout():
    """The files of each folder that git knows, plus new ones that it does not ignore; None outside a git checkout."""
    listed = {}
    for folder, _ in INSIDE:
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", folder]
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
        if ended.returncode:
            return None
        listed[folder] = [name for name in ended.stdout.split("\0") if name and (ROOT / name).is_file()]
    return listed


@pytest.mark.parametrize(("folder", "inside"), INSIDE)
def test_the_wheel_carries_code_data_and_notebooks(wheel, folder, inside):
    archive, listed = wheel
    names = set(archive.namelist())
    if listed is None:
        pytest.skip("not a git checkout")
    assert listed[folder]
    for path in listed[folder]:
        assert inside + path.removeprefix(folder) in names, path


def test_the_wheel_carries_nothing_else(wheel):
    names = wheel[0].namelist()
    roots = {name.split("/")[0] for name in names}
    assert roots == {"planexec", f"planexec-{PROJECT['version']}.dist-info"}
    assert not [name for name in names if "__pycache__" in name or ".ipynb_checkpoints" in name]


def test_the_wheel_has_the_command_and_the_licence(wheel):
    info = f"planexec-{PROJECT['version']}.dist-info"
    assert "planexec = planexec.cli:main" in wheel[0].read(f"{info}/entry_points.txt").decode()
    assert any(name.startswith(f"{info}/licenses") for name in wheel[0].namelist())
