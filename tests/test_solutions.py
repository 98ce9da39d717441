"""The solved copies: the learner's notebook in everything but the exercise cells, and every check in them passed.

Looked at as stored; `run.py check` runs them again and compares every byte.
"""

import pytest

from planexec.course import form
from planexec.course.solutions import exercise_cells, not_passed, right_letter, solution_path
from planexec.paths import notebooks_path

pytest.importorskip("nbformat")
NOTEBOOKS = sorted(notebooks_path().glob("*.ipynb"))


def named(path):
    return path.stem


@pytest.mark.parametrize("path", NOTEBOOKS, ids=named)
def test_a_solved_copy_differs_in_the_exercise_cells_only(path):
    learner, solved = form.read(path), form.read(solution_path(path))
    assert len(learner.cells) == len(solved.cells)
    ours = {cell.id for cell in exercise_cells(learner).values()}
    for one, other in zip(learner.cells, solved.cells, strict=True):
        if one.id not in ours:
            assert one == other
        else:
            assert (one.id, one.metadata) == (other.id, other.metadata) and one.source != other.source


@pytest.mark.parametrize("path", NOTEBOOKS, ids=named)
def test_every_check_of_a_solved_copy_has_passed(path):
    solved = form.read(solution_path(path))
    assert exercise_cells(solved) and list(not_passed(solved)) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=named)
def test_every_check_of_the_learners_copy_says_todo(path):
    for id, cell in exercise_cells(form.read(path)).items():
        said = "".join(str(output.get("data", {}).get("text/plain", "")) for output in cell.outputs)
        assert f"[todo] {id}" in said


@pytest.mark.parametrize("path", NOTEBOOKS, ids=named)
def test_two_to_four_exercises_and_a_quiz(path):
    ids = list(exercise_cells(form.read(path)))
    quiz = [id for id in ids if ".q" in id]
    assert 2 <= len(ids) - len(quiz) <= 4 and 2 <= len(quiz) <= 3
    assert all(right_letter(id) in "abcdef" for id in quiz)


def test_there_is_no_solved_copy_of_a_notebook_that_is_gone():
    folder = notebooks_path("solutions")
    assert {path.name for path in folder.glob("*.ipynb")} == {path.name for path in NOTEBOOKS}
