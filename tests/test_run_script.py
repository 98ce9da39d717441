"""run.py from outside: what a person types, what they read, which code comes back."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import run
from runner import commands, progress
from runner.environment import Place, SetUpError

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "run.py"


def call(*arguments, **variables):
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments], capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **variables}, check=False, cwd=Path(ROOT.anchor),
    )  # fmt: skip


def test_help_teaches_every_command_and_works_from_any_folder():
    ended = call("--help")
    assert ended.returncode == 0
    for words in ("run.py course", "run.py test", "run.py check", "run.py doctor", "my-course", "planexec run"):
        assert words in ended.stdout


def test_a_word_it_does_not_know_is_wrong_use():
    ended = call("tset")
    assert ended.returncode == 2 and "test" in ended.stderr


@pytest.mark.parametrize("version", [(2, 7, 18), (3, 6, 15), (3, 10, 13)])
def test_an_old_python_is_named_and_a_way_out_too(version):
    message = run.too_old(version, "/usr/bin/python", "Try this.")
    assert f"This is Python {version[0]}.{version[1]} (/usr/bin/python)" in message
    assert "3.11 or newer" in message and "Try this." in message


@pytest.mark.parametrize("version", [(3, 11, 0), (3, 12, 1), (4, 0, 0)])
def test_a_python_that_is_new_enough_gets_no_message(version):
    assert run.too_old(version, "", "") == ""


def test_the_script_itself_is_written_for_the_oldest_python():
    """No annotation, no f-string, nothing outside ASCII: else the old Python complains about syntax instead."""
    text = SCRIPT.read_bytes().decode("ascii")
    for node in ast.walk(ast.parse(text)):
        assert not isinstance(node, ast.JoinedStr | ast.AnnAssign | ast.NamedExpr | ast.AsyncFunctionDef)
        if isinstance(node, ast.FunctionDef):
            assert node.returns is None and not any(argument.annotation for argument in node.args.args)


def test_a_newer_python_that_is_already_here_is_suggested():
    assert "python3.12 run.py" in run.newer_python(lambda name: name == "python3.12", "linux")


@pytest.mark.parametrize(
    ("platform", "words"), [("win32", "winget"), ("darwin", "brew install"), ("linux", "python3.13-venv")]
)
def test_each_system_has_its_own_way_to_get_one(platform, words):
    assert words in run.newer_python(lambda name: None, platform)


def test_a_program_is_found_on_the_path(tmp_path, monkeypatch):
    program = tmp_path / "python3.14"
    program.write_text("", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join(["/nowhere", str(tmp_path)]))
    assert run.which("python3.14") == str(program)
    assert run.which("python3.15") is None


@pytest.mark.parametrize(
    ("variables", "language"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LC_ALL": "", "LANG": "zh_TW"}, "zh"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({}, "en"),
    ],
)
def test_the_first_question_is_asked_in_the_language_of_the_machine(variables, language):
    assert commands.language(variables) == language


class Terminal:
    """Writes down what would be run, and ends each command as told."""

    def __init__(self, codes=()):
        self.codes, self.commands = list(codes), []

    def __call__(self, command, changes):
        self.commands.append([str(part) for part in command])
        return self.codes.pop(0) if self.codes else 0


@pytest.fixture
def terminal(monkeypatch):
    made = Terminal()
    monkeypatch.setattr(commands, "attached", made)
    monkeypatch.setattr(commands, "ready", lambda place, extra="course": place.python)
    return made


def test_a_start_runs_the_question_copies_the_course_and_opens_it(terminal):
    assert commands.first_run(Place(ROOT), "en", open_notebooks=True) == 0
    first, second, third = terminal.commands
    assert first[1:3] == ["run", commands.QUESTIONS["en"]] and "sim:articles" in first
    assert second[1:] == ["course", "copy", "my-course"]
    assert third[1:4] == ["-m", "jupyterlab", "--notebook-dir=my-course"]


def test_without_a_terminal_it_says_how_to_open_the_notebooks_and_ends_well(terminal, capsys):
    assert commands.first_run(Place(ROOT), "zh", open_notebooks=False) == 0
    assert len(terminal.commands) == 2
    assert "jupyterlab --notebook-dir=my-course" in capsys.readouterr().out


def test_a_first_run_that_fails_keeps_its_code_and_names_the_doctor(terminal, capsys):
    terminal.codes = [3]
    assert commands.first_run(Place(ROOT), "en", open_notebooks=True) == 3
    assert len(terminal.commands) == 1
    assert "run.py doctor" in capsys.readouterr().out


def test_the_course_runs_in_the_environment(terminal):
    assert commands.main(["course"]) == 0
    assert terminal.commands[0][1:] == ["-m", "planexec.course", "run"]


def test_a_set_up_that_fails_is_told_without_a_traceback(monkeypatch, capsys):
    def broken(place, extra="course"):
        raise SetUpError("no network, and what to do")

    monkeypatch.setattr(commands, "ready", broken)
    assert commands.main(["course"]) == 2
    assert "no network, and what to do" in capsys.readouterr().err


def test_ctrl_c_ends_with_130_and_a_friendly_word(monkeypatch, capsys):
    def interrupted(place, extra="course"):
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "ready", interrupted)
    assert commands.main([]) == 130
    assert "Start again" in capsys.readouterr().out


def test_the_kernels_of_the_notebook_server_get_fixed_hashes_and_inline_figures():
    variables = progress.environment({**commands.KERNEL, "A": "1"})
    assert variables["PYTHONHASHSEED"] == "0" and "MPLBACKEND" not in variables and variables["A"] == "1"


def test_the_first_notebook_is_in_front_unless_the_learner_removed_it(tmp_path):
    place = Place(tmp_path)
    assert "my-course/00_start_here.ipynb" not in commands.notebook_server(place)
    (tmp_path / "my-course").mkdir()
    (tmp_path / "my-course" / "00_start_here.ipynb").touch()
    assert "my-course/00_start_here.ipynb" in commands.notebook_server(place)


@pytest.mark.parametrize("user", [0, 1000])
def test_the_notebook_server_asks_for_no_news_and_lets_root_in(user, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: user, raising=False)
    command = commands.notebook_server(Place(ROOT))
    assert "--LabApp.news_url=None" in command
    assert ("--allow-root" in command) is (user == 0)
