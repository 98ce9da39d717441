"""What a stored notebook must look like: each fault is found, what only looks like one is not. No kernel runs here."""

import json

import pytest

nbformat = pytest.importorskip("nbformat")

from notebook_cells import code, prose, shown, store, stream  # noqa: E402

from planexec.course import hosted  # noqa: E402
from planexec.course.lint import complaints  # noqa: E402


def test_a_notebook_in_order_has_no_complaint(tmp_path):
    assert complaints(store(tmp_path, prose("# Title"), code("print(1)", outputs=[stream("1\n")]))) == []


COMPLAINTS = [
    (code("x;"), "trailing"),
    (code("\n".join(["x = 1"] * 21)), "21 lines, at most 20"),
    (code("x", outputs=[nbformat.v4.new_output("error", ename="KeyError", evalue="")]), "stored error KeyError"),
    (code("x", outputs=[stream("Warning", "stderr")]), "stderr"),
    (code("x", outputs=[stream("<object at 0x7f3a2b1c>")]), "0x7f3a2b1c"),
    (code("x", outputs=[stream("/home/jo/planexec/x.py")]), "/home/jo is a path"),
    (code("x", outputs=[stream("/Users/jo/x.py")]), "/Users/jo is a path"),
    (code("x", outputs=[stream("C:\\Users\\jo")]), "path of one machine"),
    (code("x", outputs=[stream("in /tmp/abc")]), "/tmp/ is a path"),
    (code("open('/root/x')"), "/root is a path"),
    (code("x", outputs=[shown(image_svgxml="<svg/>")]), "without image/png"),
    (code("x", outputs=[shown(text_html="<div><svg></svg></div>")]), "without image/png"),
    (prose("see /home/jo/notes"), "prose: /home/jo"),
]


@pytest.mark.parametrize(("cell", "words"), COMPLAINTS, ids=[words for _, words in COMPLAINTS])
def test_each_fault_is_found_and_nothing_else(tmp_path, cell, words):
    (found,) = complaints(store(tmp_path, cell))
    assert words in found


FINE = [
    code("\n".join(["x = 1"] * 20)),
    code("1/0", "raises-exception", outputs=[nbformat.v4.new_output("error", ename="ZeroDivisionError", evalue="")]),
    code("x", outputs=[shown(text_html="<svg></svg>", image_png="aaaa/tmp/0x7f3a2b1c", text_plain="a chart")]),
    code("x", outputs=[stream("a/home/page and 0x1f and https://example.org/home/news")]),
    code("print('a;')", outputs=[stream("a;\n")]),
]


@pytest.mark.parametrize("cell", FINE, ids=range(len(FINE)))
def test_what_only_looks_like_a_fault_is_none(tmp_path, cell):
    assert complaints(store(tmp_path, cell)) == []


def test_the_complaint_counts_cells_as_jupyter_does(tmp_path):
    (found,) = complaints(store(tmp_path, prose("text"), code("fine"), code("x;")))
    assert found.startswith("code cell 3:")  # the guard is the first


@pytest.mark.parametrize(
    ("cells", "found"), [(40, []), (41, ["41 code cells, at most 40: does it ask a second question?"])]
)
def test_a_notebook_has_at_most_forty_code_cells(tmp_path, cells, found):
    assert complaints(store(tmp_path, *[code("x") for _ in range(cells - 1)])) == found  # and the guard


SIX = "half of the code cells have 6 lines or more, at most 5 in the middle"


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ([5] * 10 + [20] * 9, []),
        ([5] * 9 + [7] * 10, [SIX.replace("6", "7")]),
        ([5] * 9 + [7] * 9, [SIX]),  # nine short ones, nine long ones: the middle lies between
        ([20] * 8, []),  # too few to have a middle
    ],
)
def test_most_code_cells_are_short(tmp_path, lines, found):
    cells = [code("\n".join(["x = 1"] * count)) for count in lines]
    assert complaints(store(tmp_path, *cells, guard=False), guarded=False) == found


def test_a_solved_copy_is_as_long_as_its_answers(tmp_path):
    (tmp_path / "solutions").mkdir()
    cells = [code("\n".join(["x = 1"] * 6)) for _ in range(41)]
    assert complaints(store(tmp_path / "solutions", *cells)) == []


def edited(path, change):
    stored = json.loads(path.read_text(encoding="utf-8"))
    change(stored)
    path.write_text(json.dumps(stored, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
    return complaints(path)


def test_counts_that_show_another_order_are_found(tmp_path):
    found = edited(store(tmp_path, code("x")), lambda stored: stored["cells"][1].update(execution_count=5))
    assert found == ["code cell 2: its count is 5; run from top to bottom"]


def test_another_kernel_is_found(tmp_path):
    found = edited(store(tmp_path), lambda stored: stored["metadata"]["kernelspec"].update(name="myenv"))
    assert found == ["the kernel is not python3"]


def test_a_version_number_of_python_is_not_normal_form(tmp_path):
    found = edited(store(tmp_path), lambda stored: stored["metadata"]["language_info"].update(version="3.11"))
    assert found == ["not in normal form: regenerate"]


def test_a_notebook_without_the_guard_or_with_an_old_one_is_found(tmp_path):
    (missing,) = complaints(store(tmp_path, code("x"), guard=False))
    (old,) = complaints(store(tmp_path, code(hosted.guard("0.0.1"), hosted.TAG), guard=False))
    assert "not the guard" in missing and "regenerate" in old
    assert complaints(store(tmp_path, code("x"), guard=False), guarded=False) == []
