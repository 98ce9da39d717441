"""`planexec progress` and `planexec reset` touch the learner's copy only, and lose nothing."""

import json
import shutil

import pytest

from planexec.cli import main
from planexec.course.progress import progress, reset
from planexec.paths import notebooks_path

NAME = "07_step_budgets.ipynb"


@pytest.fixture
def copy(tmp_path):
    shutil.copy(notebooks_path(NAME), tmp_path / NAME)
    return tmp_path


def say(path, exercise, status):
    """As if the learner had run the cell of `exercise` and saved."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            text = "".join(output.get("data", {}).get("text/plain", ""))
            if f"] {exercise}:" in text:
                output["data"]["text/plain"] = [f"[{status}] {exercise}: well done"]
    path.write_text(json.dumps(notebook), encoding="utf-8")


def test_an_untouched_copy_has_everything_to_do(copy):
    (one,) = progress(copy)
    assert (one.passed, one.not_yet) == ((), ()) and "07.1" in one.todo and "07.q3" in one.todo


def test_what_was_passed_and_tried_is_read_from_the_saved_outputs(copy):
    say(copy / NAME, "07.1", "passed")
    say(copy / NAME, "07.q1", "not yet")
    (one,) = progress(copy)
    assert one.passed == ("07.1",) and one.not_yet == ("07.q1",) and "07.1" not in one.todo


def test_a_broken_file_shows_nothing_and_stops_nothing(copy):
    (copy / "08_broken.ipynb").write_text("{", encoding="utf-8")
    assert [len(one.todo) > 0 for one in progress(copy)] == [True, False]


def test_the_command_prints_a_line_each_and_a_sum(copy, capsys):
    say(copy / NAME, "07.1", "passed")
    assert main(["progress", str(copy)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("07_step_budgets") and "1 of 5" in lines[0] and lines[-1] == "1 of 5 checks passed"


@pytest.mark.parametrize("folder", ["nothing-here", None])
def test_no_copy_is_wrong_use_and_says_how_to_make_one(tmp_path, folder, capsys):
    path = tmp_path / folder if folder else notebooks_path()
    assert main(["progress", str(path)]) == 2
    assert "copy" in capsys.readouterr().err


def test_reset_keeps_the_old_one_each_time(copy):
    (copy / NAME).write_text("mine", encoding="utf-8")
    path, kept = reset("07", copy)
    assert kept is not None and kept.read_text(encoding="utf-8") == "mine"
    assert path.read_bytes() == notebooks_path(NAME).read_bytes()
    path.write_text("mine again", encoding="utf-8")
    _, again = reset("07_step_budgets", copy)
    assert again is not None and again != kept and again.read_text(encoding="utf-8") == "mine again"
    assert [one.name for one in progress(copy)] == ["07_step_budgets"]


def test_reset_brings_a_notebook_that_is_gone(tmp_path, capsys):
    assert main(["reset", "07", str(tmp_path / "new")]) == 0
    assert (tmp_path / "new" / NAME).exists() and "as delivered" in capsys.readouterr().out


def test_reset_of_an_unknown_notebook_names_those_there_are(tmp_path, capsys):
    assert main(["reset", "77", str(tmp_path)]) == 2
    assert "07" in capsys.readouterr().err and not list(tmp_path.iterdir())
