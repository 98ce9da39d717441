"""Notebook 17 where LangGraph is not installed: it says what to install and runs to its end, and so does its solution.

The package is hidden from the kernel's import system, so the test means the same where it is installed.
"""

import pytest

pytest.importorskip("nbformat")

from planexec.course import form, sync
from planexec.course.lint import outputs_text
from planexec.paths import notebooks_path
from runner.machines import IMITATED

pytestmark = pytest.mark.check
NAME = "17_the_same_loop_elsewhere.ipynb"


@pytest.fixture
def without_langgraph(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(IMITATED))
    monkeypatch.setenv("PLANEXEC_IMITATE_WITHOUT", "langgraph")


def executed(*parts):
    """The notebook, run from top to bottom; raises at the first cell that fails."""
    path = notebooks_path(*parts, NAME)
    return [cell for cell in sync.execute(path, form.read(path)).cells if cell.cell_type == "code"]


# what only a graph that ran can say
CLAIMS = ("the same answer", "graph      ", "as in the plain loop", "new calls", "states saved")


@pytest.mark.parametrize("parts", [(), ("solutions",)], ids=["notebook", "solution"])
def test_it_runs_to_its_end_says_what_to_install_and_claims_nothing_of_a_graph(without_langgraph, parts):
    cells = executed(*parts)
    outputs = [output for cell in cells for output in cell.outputs]
    said = "\n".join(outputs_text(cell) for cell in cells)
    assert "LangGraph is not here: pip install langgraph" in said and "LangGraph is here" not in said
    assert [words for words in CLAIMS if words in said] == []
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert not any(output.output_type == "error" or output.get("name") == "stderr" for output in outputs)
    assert said.count("[passed] 17.") == (5 if parts else 0)  # two exercises, three questions


def test_with_langgraph_the_stored_notebook_makes_each_of_these_claims():
    stored = form.read(notebooks_path(NAME))
    said = "\n".join(outputs_text(cell) for cell in stored.cells if cell.cell_type == "code")
    assert [words for words in CLAIMS if words not in said] == []
