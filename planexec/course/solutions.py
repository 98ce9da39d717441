"""The solved copies in `notebooks/solutions/`: each is the learner's notebook with its exercise cells filled in.

The learner's notebook is the source of everything else: `planexec course solutions` takes the answers from the solved
copy that is there, puts them into a fresh copy of the learner's notebook, runs it, and stores it. So the two can only
differ in cells tagged `exercise`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from copy import deepcopy
from pathlib import Path

from planexec.course import form, sync
from planexec.course.checks import find
from planexec.course.quiz import LETTERS

FOLDER = "solutions"
TAG = "exercise"
_CHECKED = re.compile(r'check\("(\d\d\.q?\d+)"')


def solution_path(path: Path) -> Path:
    """notebooks/07_step_budgets.ipynb -> notebooks/solutions/07_step_budgets.ipynb"""
    return path.parent / FOLDER / path.name


def exercise_id(source: str) -> str:
    """The exercise a cell checks: 'check("07.1", admit)' -> "07.1"; "" when it checks none."""
    match = _CHECKED.search(source)
    return match[1] if match else ""


def exercise_cells(notebook: form.Notebook) -> dict[str, form.Notebook]:
    """The exercise cells of a notebook, by the id of the exercise."""
    cells = [cell for cell in notebook.cells if TAG in cell.metadata.get("tags", [])]
    return {exercise_id(cell.source): cell for cell in cells}


def answers_of(path: Path) -> dict[str, str]:
    """What stands in the exercise cells of a solved notebook, by the id of the exercise."""
    return {id: str(cell.source) for id, cell in exercise_cells(form.read(path)).items()}


def cell_source(id: str, answer: str) -> str:
    """The cell for an answer that is a function (its source) or an expression ("empty" in quotes, a letter)."""
    answer = answer.strip()
    if answer.startswith(("def ", "class ", "@", "from ", "import ")) or "\n" in answer:
        return f'{answer}\n\ncheck("{id}", {find(id).name})'
    return f'check("{id}", {answer})'


def right_letter(id: str) -> str:
    """The right answer of a quiz question, found by trying them."""
    wanted = find(id)
    return next(letter for letter in LETTERS if all(one.good for one in wanted.test(letter, 0)))


def solved(path: Path, answers: Mapping[str, str]) -> form.Notebook:
    """A copy of the learner's notebook with `answers` in its exercise cells. KeyError names one that is missing."""
    notebook = deepcopy(form.read(path))
    for id, cell in exercise_cells(notebook).items():
        if id not in answers:
            raise KeyError(f"{path.name}: no solution for {id}")
        cell.source = answers[id]
    return notebook


def regenerate(path: Path, answers: Mapping[str, str] | None = None) -> bool:
    """Bring the solved copy of the learner's notebook `path` up to date; True when that changed the file."""
    target = solution_path(path)
    given = answers if answers is not None else answers_of(target)
    notebook = sync.execute(target if target.parent.is_dir() else path, solved(path, given))
    text = form.text(form.normalise(notebook))
    if target.exists() and target.read_text(encoding="utf-8") == text:
        return False
    target.parent.mkdir(exist_ok=True)
    target.write_text(text, encoding="utf-8")
    return True


def not_passed(notebook: form.Notebook) -> Iterable[str]:
    """The exercises whose stored output does not say passed."""
    for id, cell in exercise_cells(notebook).items():
        said = "".join(str(output.get("data", {}).get("text/plain", "")) for output in cell.outputs)
        if f"[passed] {id}" not in said:
            yield id
