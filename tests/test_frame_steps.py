"""The steps of `run.py test` and `run.py check`: what counts as passed, what the table says, which code is returned."""

import os
import sys
import tomllib
from pathlib import Path

import pytest

from runner import progress, suites
from runner.environment import Place
from runner.steps import REPORT, Done, Step, carry_out, counts, run_all, table, totals

ROOT = Path(__file__).resolve().parent.parent


def python(code):
    return (sys.executable, "-c", code)


def test_a_step_is_ok_when_all_its_commands_are():
    done = carry_out(Step("two", (python("pass"), python("pass"))), ROOT, 30)
    assert (done.verdict, done.passed, done.failed) == ("ok", 1, 0)


def test_the_first_command_that_fails_ends_the_step_and_shows_why(capsys):
    step = Step("broken", (python("print('the reason'); raise SystemExit(7)"), python("print('never')")))
    done = carry_out(step, ROOT, 30)
    assert (done.verdict, done.failed, done.note) == ("FAILED", 1, "exit code 7")
    assert "the reason" in capsys.readouterr().out


def test_a_command_that_is_not_there_fails_the_step():
    assert carry_out(Step("nobody", (("no-such-command-here",),)), ROOT, 30).verdict == "FAILED"


def test_a_step_that_takes_too_long_is_given_up():
    done = carry_out(Step("slow", (python("import time; time.sleep(60)"),)), ROOT, 0.3)
    assert (done.verdict, done.note) == ("FAILED", "given up: it took too long")
    assert done.seconds < 30


def test_a_step_that_cannot_run_here_is_left_out_visibly():
    done = carry_out(Step("git", (python("raise SystemExit(1)"),), missing="no git"), ROOT, 30)
    assert (done.verdict, done.note, done.failed) == ("left out", "no git", 0)


def test_the_variables_of_a_step_reach_its_commands():
    code = "import os; raise SystemExit(not (os.environ['A'] == '1' and 'HOME' not in os.environ))"
    assert carry_out(Step("env", (python(code),), {"A": "1", "HOME": ""}), ROOT, 30).verdict == "ok"


def pytest_step(folder, text):
    (folder / "test_it.py").write_text(text, encoding="utf-8")
    command = (sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "-p", "no:cacheprovider", f"--junitxml={REPORT}")
    return Step("tests", ((*command, str(folder)),), {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""})


def test_the_tests_of_a_pytest_are_counted(tmp_path):
    text = "import pytest\ndef test_a(): pass\ndef test_b(): assert 0\n@pytest.mark.skip\ndef test_c(): pass\n"
    done = carry_out(pytest_step(tmp_path, text), tmp_path, 60)
    assert (done.verdict, done.passed, done.failed, done.skipped) == ("FAILED", 1, 1, 1)


def test_a_pytest_that_runs_nothing_has_not_passed(tmp_path):
    done = carry_out(pytest_step(tmp_path, "x = 1\n"), tmp_path, 60)
    assert (done.verdict, done.failed, done.note) == ("FAILED", 1, "no test was run")


def test_a_pytest_that_cannot_even_collect_has_failed(tmp_path):
    done = carry_out(pytest_step(tmp_path, "import nothing_of_this_name\n"), tmp_path, 60)
    assert done.verdict == "FAILED" and done.failed >= 1


def test_a_report_that_is_missing_or_cut_counts_as_none(tmp_path):
    report = tmp_path / "report.xml"
    assert counts(report) is None
    report.write_text("<testsuites><testsuite tests='3'", encoding="utf-8")
    assert counts(report) is None


ROWS = [Done("lint", 1.25, "ok", 1), Done("unit tests", 61.0, "FAILED", 811, 1, 3, "exit code 1")]


def test_the_table_names_each_step_its_seconds_and_its_verdict():
    lines = table(ROWS).splitlines()
    assert lines[0].split() == ["step", "seconds", "verdict", "passed", "failed", "skipped"]
    assert lines[1].split() == ["lint", "1.2", "ok", "1", "0", "0"]
    assert lines[2].split() == ["unit", "tests", "61.0", "FAILED", "811", "1", "3", "exit", "code", "1"]


def test_the_last_line_adds_up():
    assert totals("test", ROWS) == "test: 812 passed, 1 failed, 3 skipped"
    assert totals("check", ROWS[:1]) == "check: 1 passed, 0 failed"


@pytest.mark.parametrize(("verdicts", "code"), [(["ok", "ok"], 0), (["ok", "left out"], 0), (["FAILED", "ok"], 1)])
def test_one_failed_step_fails_the_whole_and_the_others_still_run(verdicts, code, capsys):
    left = list(verdicts)

    def one(step, cwd, limit):
        return Done(step.name, 0.0, left.pop(0))

    assert run_all("test", [Step("a", ()), Step("b", ())], ROOT, 300, one=one) == code
    assert left == []
    assert capsys.readouterr().out.splitlines()[-1].startswith("test: ")


def test_a_quiet_command_gives_a_sign_of_life_after_two_seconds(capsys, monkeypatch):
    monkeypatch.setattr(progress, "FIRST_LINE", 0.2)
    progress.quietly("working", python("import time; time.sleep(0.7)"), cwd=ROOT)
    assert "... working" in capsys.readouterr().out


def test_a_quick_command_needs_no_sign_of_life(capsys):
    ended = progress.quietly("working", python("print('done')"), cwd=ROOT)
    assert (ended.code, ended.output.strip()) == (0, "done")
    assert capsys.readouterr().out == ""


def flat(steps):
    return [" ".join(command) for step in steps for command in step.commands]


def test_run_test_lints_types_tests_and_runs_the_notebooks_but_nothing_long():
    commands = flat(suites.test_steps(Place(ROOT)))
    for words in ("ruff check", "-m mypy", "-m not check", "planexec.course lint", "--nbval-current-env"):
        assert any(words in command for command in commands), words


def test_run_check_has_a_step_for_everything_it_promises(tmp_path):
    commands = flat(suites.check_steps(Place(ROOT), tmp_path))
    promised = ("-m check", "-p randomly", "planexec.course check", "-m build --wheel", "outside.py", "git clone")
    for words in (*promised, "elsewhere.py chinese", "elsewhere.py windows"):
        assert any(words in command for command in commands), words
    steps = {step.name: step for step in suites.check_steps(Place(ROOT), tmp_path)}
    assert {step.env.get("LC_ALL") for step in steps.values()} >= {"C", "C.UTF-8"}
    assert {step.env.get("PYTHONHASHSEED") for step in steps.values()} >= {"0", "1", "2"}


def test_the_notebook_that_needs_langgraph_runs_where_it_is_missing_and_its_words_are_not_compared(tmp_path):
    (lowest,) = [step for step in suites.check_steps(Place(ROOT), tmp_path) if step.name == "lowest dependencies"]
    run, compared = lowest.commands[-2:]
    assert run[1:-1] == ("-m", "planexec.course", "run") and Path(run[-1]).name.startswith("17_")
    assert "--ignore-glob=*/17_*.ipynb" in compared
    assert not any("langgraph" in part for command in lowest.commands[:-2] for part in command)


def test_the_seed_of_a_random_order_is_printed_and_fixed(tmp_path):
    names = [step.name for step in suites.check_steps(Place(ROOT), tmp_path) if "random" in step.name]
    assert names == [f"random order, seed {seed}" for seed in suites.SEEDS]


def test_no_environment_of_the_checks_lies_inside_the_checkout(tmp_path):
    for command in flat(suites.check_steps(Place(ROOT), tmp_path)):
        assert " venv " not in command or str(tmp_path) in command


def test_another_python_is_one_that_starts_and_is_not_this_one(tmp_path):
    this = f"{sys.version_info[0]}.{sys.version_info[1]}"
    other = next(version for version in suites.NEWEST_FIRST if version != this)
    assert suites.other_python({f"python{this}": sys.executable}.get, tmp_path) is None
    assert suites.other_python({f"python{other}": str(tmp_path / "leads-nowhere")}.get, tmp_path) is None
    assert suites.other_python({f"python{other}": sys.executable}.get, tmp_path) == sys.executable
    installed = tmp_path / f"{other}.1" / "bin" / "python3"
    installed.parent.mkdir(parents=True)
    installed.symlink_to(sys.executable)
    assert suites.other_python({}.get, tmp_path) == str(installed)


def test_the_oldest_versions_are_those_of_pyproject():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    oldest = suites.floors(ROOT / "pyproject.toml")
    for requirement in project["dependencies"]:
        assert requirement.replace(">=", "==") in oldest
    assert all("==" in entry and ">" not in entry for entry in oldest)
    assert not any(entry.startswith("planexec") for entry in oldest)
