"""The set-up: when nothing is done, when something is installed, when it starts from nothing, and what it says."""

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from runner.advice import explain
from runner.environment import (
    Place,
    SetUpError,
    Stamp,
    base_python,
    installing,
    making,
    read_stamp,
    ready,
    state,
    wanted,
)
from runner.progress import Ended


@pytest.fixture
def place(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\n', encoding="utf-8")
    return Place(tmp_path)


def make_environment(place, extra="course", stamped=True):
    """An environment as far as the set-up looks at it, without the seconds that a real one takes."""
    place.python.parent.mkdir(parents=True)
    place.python.symlink_to(sys.executable)
    (place.venv / "pyvenv.cfg").write_text("home = here\n", encoding="utf-8")
    if stamped:
        place.stamp.write_text(json.dumps(vars(wanted(place, extra))), encoding="utf-8")


class Installer:
    """Stands for uv and pip: writes down each command, makes what it would make, ends as it is told."""

    def __init__(self, place, outcomes=()):
        self.place, self.outcomes, self.commands, self.saw_unfinished = place, list(outcomes), [], False

    def __call__(self, label, command, **options):
        self.commands.append([str(part) for part in command])
        if "venv" in command[1:3]:
            make_environment(self.place, stamped=False)
            return Ended(0, "", 0.0)
        self.saw_unfinished = self.place.unfinished.exists()
        code, output = self.outcomes.pop(0) if self.outcomes else (0, "")
        return Ended(code, output, 0.0)


def set_up(place, installer, extra="course", uv=None):
    said = []
    ready(place, extra, find=lambda name: uv, run=installer, say=said.append)
    return "\n".join(said)


def test_a_first_start_makes_an_environment_and_installs_the_course(place):
    installer = Installer(place)
    assert "once" in set_up(place, installer)
    assert [command[1:3] for command in installer.commands] == [["-m", "venv"], ["-m", "pip"]]
    assert installer.commands[-1][-2:] == ["-e", f"{place.root}[course]"]
    assert installer.saw_unfinished and not place.unfinished.exists()


def test_the_second_start_runs_no_command_and_says_nothing(place):
    set_up(place, Installer(place))
    again = Installer(place)
    assert set_up(place, again) == ""
    assert again.commands == []


def test_uv_is_used_when_it_is_there(place):
    installer = Installer(place)
    set_up(place, installer, uv="/somewhere/uv")
    assert [command[:2] for command in installer.commands] == [["/somewhere/uv", "venv"], ["/somewhere/uv", "pip"]]
    assert str(place.python) in installer.commands[-1]


def test_when_uv_cannot_do_it_pip_does(place):
    installer = Installer(place, [(2, "error: unexpected argument '--python' found")])
    assert "trying again with venv and pip" in set_up(place, installer, uv="uv")
    assert installer.commands[-1][1:3] == ["-m", "pip"]


def test_a_changed_pyproject_is_installed_into_the_same_environment(place):
    set_up(place, Installer(place))
    (place.root / "pyproject.toml").write_text('[project]\nname = "y"\n', encoding="utf-8")
    installer = Installer(place)
    assert "bringing .venv up to date" in set_up(place, installer)
    assert [command[1:3] for command in installer.commands] == [["-m", "pip"]]


def test_the_tests_need_more_than_the_course_and_the_course_no_more_than_the_tests(place):
    set_up(place, Installer(place), "course")
    more, less = Installer(place), Installer(place)
    set_up(place, more, "dev")
    set_up(place, less, "course")
    assert more.commands[-1][-1].endswith("[dev]")
    assert less.commands == []


def test_an_installation_that_was_cut_starts_from_nothing(place):
    make_environment(place)
    place.unfinished.touch()
    (place.venv / "half-a-package").touch()
    assert "cut short" in set_up(place, Installer(place))
    assert not (place.venv / "half-a-package").exists()
    assert state(place, wanted(place, "course")) == "ready"


@pytest.mark.parametrize("change", [{"root": "/elsewhere"}, {"python": "3.9"}])
def test_another_folder_or_another_python_needs_another_environment(place, change):
    make_environment(place)
    place.stamp.write_text(json.dumps({**vars(wanted(place, "course")), **change}), encoding="utf-8")
    assert state(place, wanted(place, "course")) == "moved"
    installer = Installer(place)
    set_up(place, installer)
    assert installer.commands[0][1:3] == ["-m", "venv"]


def test_an_environment_whose_python_is_gone_is_made_again(place):
    make_environment(place)
    place.python.unlink()
    assert state(place, wanted(place, "course")) == "broken"
    set_up(place, Installer(place))
    assert place.python.exists()


def test_a_folder_that_is_no_environment_is_never_removed(place):
    place.venv.mkdir()
    (place.venv / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(SetUpError, match="no virtual environment"):
        set_up(place, Installer(place))
    assert (place.venv / "thesis.txt").read_text(encoding="utf-8") == "mine"


def test_an_empty_folder_is_no_obstacle(place):
    place.venv.mkdir()
    assert state(place, wanted(place, "course")) == "broken"


def test_an_environment_made_by_hand_is_filled_and_not_removed(place):
    make_environment(place, stamped=False)
    (place.venv / "by-hand").touch()
    set_up(place, Installer(place))
    assert (place.venv / "by-hand").exists() and read_stamp(place) is not None


def test_an_environment_made_by_hand_with_another_python_is_left_alone(place):
    make_environment(place, stamped=False)
    place.python.unlink()
    place.python.write_text("#!/bin/sh\necho 2.7\n", encoding="utf-8")
    place.python.chmod(0o755)
    with pytest.raises(SetUpError, match=r"its Python \(2\.7\) is not this one"):
        set_up(place, Installer(place))
    assert place.python.exists()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pyproject": "x"}', '{"a": 1}'])
def test_a_stamp_that_cannot_be_read_is_no_stamp(place, text):
    make_environment(place)
    place.stamp.write_text(text, encoding="utf-8")
    assert read_stamp(place) is None
    assert state(place, wanted(place, "course")) == "unstamped"


def test_no_network_is_said_in_words_and_pip_is_not_tried_after_uv(place):
    installer = Installer(place, [(2, "error: Failed to fetch: dns error: failed to lookup address")])
    with pytest.raises(SetUpError, match="is there a network"):
        set_up(place, installer, uv="uv")
    assert len(installer.commands) == 2
    assert read_stamp(place) is None


def test_after_a_failed_first_installation_the_next_start_begins_anew(place):
    with pytest.raises(SetUpError):
        set_up(place, Installer(place, [(1, "Network is unreachable")]))
    assert state(place, wanted(place, "course")) == "unfinished"
    set_up(place, Installer(place))
    assert state(place, wanted(place, "course")) == "ready"


def test_a_failed_update_keeps_the_environment_that_worked(place):
    make_environment(place)
    (place.root / "pyproject.toml").write_text('[project]\nname = "y"\n', encoding="utf-8")
    with pytest.raises(SetUpError):
        set_up(place, Installer(place, [(1, "Network is unreachable")]))
    assert state(place, wanted(place, "course")) == "outdated"


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("The virtual environment was not created because ensurepip is not available", "python3-venv"),
        ("OSError: [Errno 28] No space left on device", "disk is full"),
        ("PermissionError: [Errno 13] Permission denied: '.venv'", "folder of your own"),
        ("NewConnectionError: Failed to establish a new connection", "HTTPS_PROXY"),
        ("Could not resolve host", "PIP_INDEX_URL"),
        ("SyntaxError: invalid syntax", ""),
    ],
)
def test_what_an_installer_says_is_explained(output, words):
    assert (words in explain(output)) if words else explain(output) == ""


def test_windows_has_other_reasons_for_a_locked_folder():
    assert "OneDrive" in explain("Access is denied", "nt")


@pytest.mark.parametrize(
    ("os_name", "python", "script"),
    [("posix", "bin/python", "bin/planexec"), ("nt", "Scripts/python.exe", "Scripts/planexec.exe")],
)
def test_where_things_lie_on_each_system(os_name, python, script):
    place = Place(Path("x"), os_name)
    assert place.python == Path("x/.venv") / python
    assert place.script("planexec") == Path("x/.venv") / script


def test_the_commands_for_windows_name_the_windows_python():
    place = Place(Path("x"), "nt")
    assert str(Path("x/.venv/Scripts/python.exe")) in installing(place, "uv.exe", "dev")
    assert making(place, None, "py.exe")[:3] == ["py.exe", "-m", "venv"]


def test_inside_the_environment_that_is_replaced_the_base_python_makes_the_new_one(place, monkeypatch):
    monkeypatch.setattr(sys, "prefix", str(place.venv))
    monkeypatch.setattr(sys, "_base_executable", "/base/python", raising=False)
    assert base_python(place) == "/base/python"
    monkeypatch.setattr(sys, "prefix", "/another/environment")
    assert base_python(place) == sys.executable


def test_a_stamp_names_what_it_depends_on(place):
    stamp = wanted(place, "course", (3, 12))
    assert stamp == Stamp(stamp.pyproject, "3.12", str(place.root), "course")
    assert len(stamp.pyproject) == 64


@pytest.mark.skipif(os.name != "posix", reason="a killed process, as POSIX kills it")
def test_a_set_up_that_is_killed_while_installing_is_noticed(place):
    """With a real environment and a real kill, because the order of two small files is what this is about."""
    venv.create(place.venv, with_pip=False)
    code = (
        "import os, signal, sys; sys.path.insert(0, sys.argv[1])\n"
        "from pathlib import Path\n"
        "from runner.environment import Place, ready\n"
        "kill = lambda *a, **k: os.kill(os.getpid(), signal.SIGKILL)\n"
        "ready(Place(Path(sys.argv[2])), find=lambda name: None, run=kill)\n"
    )
    root = Path(__file__).resolve().parent.parent
    ended = subprocess.run([sys.executable, "-c", code, str(root), str(place.root)], capture_output=True, check=False)
    assert ended.returncode == -9
    assert state(place, wanted(place, "course")) == "unfinished"
