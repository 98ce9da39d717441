"""The notebooks' tools: what is stored is what a run prints, in one form, and nothing of the machine that ran it.

The kernels here are real, so the notebooks are tiny and few.
"""

import json
import sys

import pytest

nbformat = pytest.importorskip("nbformat")

from notebook_cells import code, prose, store, stream  # noqa: E402

from planexec import course  # noqa: E402
from planexec.course import form, hosted, sync  # noqa: E402
from planexec.course.lint import complaints  # noqa: E402
from planexec.course.run_all import Ran, run_all, run_one, table  # noqa: E402

# --- the normal form


def test_twice_in_normal_form_is_once(tmp_path):
    path = store(tmp_path, prose("# 你好"), code("1\n\n", outputs=[stream("a"), stream("b")]))
    once = path.read_text(encoding="utf-8")
    assert form.text(form.normalise(form.read(path))) == once
    assert "你好" in once and once.endswith("}\n")


def test_pieces_of_one_stream_become_one_and_two_streams_stay_two():
    outputs = [stream("a\n"), stream("b\n"), stream("c\n", "stderr"), stream("d\n")]
    cell = form.normalise(nbformat.v4.new_notebook(cells=[code("x", outputs=outputs)])).cells[0]
    assert [(output.name, output.text) for output in cell.outputs] == [
        ("stdout", "a\nb\n"),
        ("stderr", "c\n"),
        ("stdout", "d\n"),
    ]


def test_counts_run_from_one_over_code_cells_only():
    cells = [code("a", count=7), prose("b"), code("c", count=3)]
    notebook = form.normalise(nbformat.v4.new_notebook(cells=cells))
    assert [cell.execution_count for cell in notebook.cells if cell.cell_type == "code"] == [1, 2]


def test_what_belongs_to_a_machine_or_an_editor_is_left_out():
    cell = code("x", "guard")
    cell.metadata.update({"scrolled": True, "execution": {"iopub.status.busy": "2024"}})
    notebook = nbformat.v4.new_notebook(cells=[cell], metadata={"widgets": {"a": 1}})
    notebook.metadata["kernelspec"] = {"name": "myenv", "display_name": "Mine"}
    notebook.metadata["language_info"] = {"name": "python", "version": "3.9.1"}
    form.normalise(notebook)
    assert notebook.metadata == {"kernelspec": form.KERNEL, "language_info": form.LANGUAGE}
    assert notebook.cells[0].metadata == {"tags": ["guard"]}


def test_a_widget_keeps_the_picture_beside_it_and_loses_the_model_that_is_gone():
    both = nbformat.v4.new_output("display_data", data={form.WIDGET: {"model_id": "1"}, "text/plain": "Slider"})
    alone = nbformat.v4.new_output("display_data", data={form.WIDGET: {"model_id": "1"}})
    cell = form.normalise(nbformat.v4.new_notebook(cells=[code("w", outputs=[both, alone])])).cells[0]
    assert dict(cell.outputs[0].data) == {"text/plain": "Slider"}
    assert form.WIDGET in cell.outputs[1].data


def test_a_traceback_is_cut_to_its_last_line():
    error = nbformat.v4.new_output("error", ename="KeyError", evalue="'x'", traceback=["\x1b[31m/home/me/a.py", "line"])
    cell = form.normalise(nbformat.v4.new_notebook(cells=[code("x", outputs=[error])])).cells[0]
    assert cell.outputs[0].traceback == ["KeyError: 'x'"]


def test_ids_that_are_there_stay_and_others_depend_on_the_source_only(tmp_path):
    def ids(*sources):
        cells = [{"cell_type": "markdown", "metadata": {}, "source": source} for source in sources]
        cells[0]["id"] = "mine"
        path = tmp_path / "handwritten.ipynb"
        stored = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        path.write_text(json.dumps(stored), encoding="utf-8")
        return [cell["id"] for cell in form.normalise(form.read(path)).cells]

    assert ids("a", "b", "b") == ids("a", "b", "b")
    assert ids("a", "b", "b")[0] == "mine"
    assert len(set(ids("a", "b", "b"))) == 3


NO_NOTEBOOKS = ["", "{", "[1, 2]", "not json", '{"cells": 3}', '{"nbformat": 4, "nbformat_minor": 5, "cells": 3}']


@pytest.mark.parametrize("text", [*NO_NOTEBOOKS, '{"nbformat": 99, "nbformat_minor": 0}'])
def test_a_file_that_is_no_notebook_is_named(tmp_path, text):
    path = tmp_path / "broken.ipynb"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="broken.ipynb"):
        form.read(path)


# --- running, regenerating, checking: with real kernels

DRAWING = "import matplotlib.pyplot as plt\n_ = plt.plot([1, 2, 3])\nplt.show()"
DETERMINED = "import os\nprint({'a', 'b', 'c', 'd'}, 'OPENAI_API_KEY' in os.environ)"


def test_regenerate_stores_what_check_finds_true_to_the_byte_and_a_change_is_noticed(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONHASHSEED", "random")
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.setenv("OPENAI_API_KEY", "somebody's")
    path = store(tmp_path, code(DETERMINED), code(DRAWING), normal=False)
    assert sync.regenerate(path) is True
    assert complaints(path) == []
    assert sync.check(path) == ""
    text = path.read_text(encoding="utf-8")
    assert "image/png" in text and "} False" in text
    path.write_text(text.replace("} False", "} True"), encoding="utf-8")
    difference = sync.check(path)
    assert "} True" in difference and "} False" in difference


def test_a_cell_that_fails_leaves_the_file_alone_and_is_named(tmp_path):
    path = store(tmp_path, code("x = 1"), code("print(x)\nx / 0"), code("never"))
    before = path.read_bytes()
    with pytest.raises(sync.CellFailed, match="code cell 3: ZeroDivisionError: division by zero"):
        sync.regenerate(path)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["small.ipynb"]


def test_an_old_guard_is_renewed(tmp_path):
    path = store(tmp_path, code(hosted.guard("0.0.1"), hosted.TAG), guard=False)
    sync.regenerate(path)
    assert complaints(path) == []


def test_a_run_reports_each_notebook_and_goes_on_after_a_failure(tmp_path):
    good, bad = store(tmp_path, code("1"), name="a.ipynb"), tmp_path / "b.ipynb"
    bad.write_text("{", encoding="utf-8")
    told = []
    done = run_all([bad, good], told.append)
    assert [(ran.name, ran.cells, bool(ran.problem)) for ran in done] == [("b", 0, True), ("a", 2, False)]
    assert told[0] == "1/2 b ..." and told[2] == "2/2 a ..."


def test_a_notebook_that_is_still_running_after_its_time_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(sync, "CELL_SECONDS", 1)
    ran = run_one(store(tmp_path, code("while True: pass"), guard=False))
    assert ran.problem == "code cell 1: still running after 1 s"


def test_the_table_adds_up():
    lines = table([Ran("00_start", 5, 1.25), Ran("02_react", 7, 2.0, "code cell 3: KeyError: 1")]).splitlines()
    assert lines[1].split() == ["00_start", "5", "1.2", "ok"]
    assert "FAILED: code cell 3: KeyError: 1" in lines[2]
    assert lines[3] == "1 ok, 1 failed, 3.2 seconds"


def test_checkpoints_are_no_notebooks_and_a_missing_path_is_named(tmp_path):
    (tmp_path / ".ipynb_checkpoints").mkdir()
    path = store(tmp_path)
    store(tmp_path / ".ipynb_checkpoints")
    assert sync.notebooks([tmp_path, path]) == [path]
    with pytest.raises(FileNotFoundError, match="nowhere"):
        sync.notebooks([tmp_path / "nowhere"])


def test_a_kernel_gets_fixed_hashes_and_nobodys_key():
    given = {"PATH": "p", "MPLBACKEND": "agg", "ANY_API_KEY": "secret", "PYTHONHASHSEED": "random"}
    assert sync.kernel_variables(given) == {"PATH": "p", "PYTHONHASHSEED": "0"}


def test_two_texts_that_differ_in_a_figure_name_the_version_that_drew():
    assert "matplotlib" in sync.difference(' "image/png": "a"', ' "image/png": "b"')
    assert sync.difference("a", "a") == ""
    assert sync.difference("a\n", "a\r\n") != ""


# --- the first cell


def test_versions_that_fit_are_said_in_a_word():
    assert hosted.fits("0.1.0", "0.1.0", {}) == "planexec 0.1.0, as this notebook expects."


def test_versions_that_differ_are_said_plainly_with_what_to_do():
    words = hosted.fits("0.2.0", "0.1.0", {})
    assert "written for planexec 0.2.0" in words and "planexec 0.1.0 is installed" in words and "run.py" in words


@pytest.mark.parametrize("variable", sorted(hosted.SERVICES))
def test_a_hosted_service_is_named_as_not_run_by_us(variable):
    words = hosted.fits("0.1.0", "0.1.0", {variable: "1"})
    assert hosted.SERVICES[variable] in words and "not run" in words


def test_where_the_package_is_missing_the_first_cell_says_what_to_do(tmp_path, monkeypatch):
    """The kernel cannot import the package, as on a machine that never installed it; no address is filled in."""
    blocked = "import sys\nsys.modules['planexec'] = None"
    path = store(tmp_path, code(blocked), code(hosted.guard(), hosted.TAG), guard=False)
    ran = run_one(path)
    assert "code cell 2: ModuleNotFoundError" in ran.problem
    assert "python run.py" in ran.problem and "SOURCE" in ran.problem


# --- from the command line


def test_lint_from_the_command_line(tmp_path, capsys):
    store(tmp_path, code("x;"))
    assert course.main(["lint", str(tmp_path)]) == 1
    assert "trailing" in capsys.readouterr().out
    store(tmp_path, code("x"))
    assert course.main(["lint", str(tmp_path)]) == 0
    assert "1 of 1 notebooks" in capsys.readouterr().out


def test_wrong_use_is_2(tmp_path, capsys):
    assert course.main(["lint", str(tmp_path / "nowhere")]) == 2
    assert course.main(["lint", str(tmp_path)]) == 2
    with pytest.raises(SystemExit, match="2"):
        course.main(["lnit"])


def test_a_missing_package_is_2_and_named(tmp_path, monkeypatch, capsys):
    path = store(tmp_path)
    monkeypatch.setitem(sys.modules, "nbformat", None)
    assert course.main(["lint", str(path)]) == 2
    assert "planexec[course]" in capsys.readouterr().out
