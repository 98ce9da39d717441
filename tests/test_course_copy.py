"""The learner's copy: an update brings what is new and never overwrites what the learner changed."""

import os

import pytest

from planexec import course
from planexec.course.copy import LIST, CopyError, copy_course


@pytest.fixture
def shelf(tmp_path):
    """The shipped course, as a folder whose files a test may change."""
    folder = tmp_path / "shipped"
    (folder / "solutions").mkdir(parents=True)
    put(folder, "00.ipynb", "first")
    put(folder, "02.ipynb", "second")
    put(folder, "solutions/00.ipynb", "solved")
    return folder


def put(folder, name, text):
    (folder / name).write_text(text, encoding="utf-8")


def get(folder, name):
    return (folder / name).read_text(encoding="utf-8")


def what(done):
    return {copied.name: copied.what for copied in done}


@pytest.fixture
def mine(tmp_path, shelf):
    copy_course(tmp_path / "mine", shelf)
    return tmp_path / "mine"


def test_the_first_copy_brings_everything_and_leaves_checkpoints_behind(tmp_path, shelf):
    (shelf / ".ipynb_checkpoints").mkdir()
    put(shelf, ".ipynb_checkpoints/00.ipynb", "old")
    done = copy_course(tmp_path / "deep" / "mine", shelf)
    assert what(done) == {"00.ipynb": "new", "02.ipynb": "new", "solutions/00.ipynb": "new"}
    assert get(tmp_path / "deep" / "mine", "solutions/00.ipynb") == "solved"


def test_a_second_copy_changes_nothing(mine, shelf):
    assert set(what(copy_course(mine, shelf)).values()) == {"same"}


def test_an_untouched_file_is_updated(mine, shelf):
    put(shelf, "02.ipynb", "second, better")
    assert what(copy_course(mine, shelf))["02.ipynb"] == "updated"
    assert get(mine, "02.ipynb") == "second, better"


def test_a_changed_file_without_an_update_stays_and_nothing_is_put_beside_it(mine, shelf):
    put(mine, "02.ipynb", "my work")
    assert what(copy_course(mine, shelf))["02.ipynb"] == "yours"
    assert sorted(path.name for path in mine.glob("02*")) == ["02.ipynb"]


def test_a_changed_file_with_an_update_stays_and_the_new_one_is_beside_it(mine, shelf):
    put(mine, "02.ipynb", "my work")
    put(shelf, "02.ipynb", "second, better")
    copied = next(copied for copied in copy_course(mine, shelf) if copied.name == "02.ipynb")
    assert (copied.what, copied.beside) == ("beside", "02.new.ipynb")
    assert "yours stays" in str(copied) and "02.new.ipynb" in str(copied)
    assert (get(mine, "02.ipynb"), get(mine, "02.new.ipynb")) == ("my work", "second, better")
    assert what(copy_course(mine, shelf))["02.ipynb"] == "yours"


def test_a_later_update_replaces_the_file_beside_unless_it_too_was_worked_in(mine, shelf):
    put(mine, "02.ipynb", "my work")
    for text in ("better", "best"):
        put(shelf, "02.ipynb", text)
        copy_course(mine, shelf)
    assert get(mine, "02.new.ipynb") == "best"
    put(mine, "02.new.ipynb", "my other work")
    put(shelf, "02.ipynb", "perfect")
    copy_course(mine, shelf)
    assert (get(mine, "02.new.ipynb"), get(mine, "02.new-2.ipynb")) == ("my other work", "perfect")
    assert get(mine, "02.ipynb") == "my work"


def test_a_deleted_file_comes_back_and_a_learners_own_file_is_not_touched(mine, shelf):
    (mine / "00.ipynb").unlink()
    put(mine, "notes.ipynb", "mine alone")
    assert what(copy_course(mine, shelf))["00.ipynb"] == "new"
    assert get(mine, "notes.ipynb") == "mine alone"


@pytest.mark.parametrize("text", [None, "", "{", "[]", '{"files": 3}'])
def test_without_a_readable_list_every_file_counts_as_the_learners(mine, shelf, text):
    (mine / LIST).unlink() if text is None else put(mine, LIST, text)
    put(shelf, "02.ipynb", "second, better")
    assert what(copy_course(mine, shelf)) == {"00.ipynb": "same", "02.ipynb": "beside", "solutions/00.ipynb": "same"}
    assert get(mine, "02.ipynb") == "second"


def test_a_copy_that_was_cut_goes_on_as_if_it_had_not_been(tmp_path, shelf, monkeypatch):
    replace = os.replace

    def cut(source, target):
        if str(target).endswith("02.ipynb"):
            raise OSError("the disk is full")
        replace(source, target)

    monkeypatch.setattr(os, "replace", cut)
    with pytest.raises(CopyError, match="disk is full"):
        copy_course(tmp_path / "mine", shelf)
    assert not (tmp_path / "mine" / "02.ipynb").exists()
    monkeypatch.setattr(os, "replace", replace)
    done = what(copy_course(tmp_path / "mine", shelf))
    assert (done["00.ipynb"], done["02.ipynb"]) == ("same", "new")
    assert not list((tmp_path / "mine").rglob("*.half"))


def test_the_course_is_not_copied_into_itself_nor_onto_a_file(tmp_path, shelf):
    for inside in (shelf, shelf / "mine"):
        with pytest.raises(CopyError, match="inside the course itself"):
            copy_course(inside, shelf)
    put(tmp_path, "a-file", "")
    with pytest.raises(CopyError, match="is a file"):
        copy_course(tmp_path / "a-file", shelf)


def test_a_package_without_notebooks_says_so(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(CopyError, match="no notebooks"):
        copy_course(tmp_path / "mine", tmp_path / "empty")


def test_the_command_says_in_words_what_it_did(tmp_path, shelf, monkeypatch, capsys):
    monkeypatch.setattr("planexec.course.copy.notebooks_path", lambda: shelf)
    target = tmp_path / "mine"

    def said():
        assert course.main(["copy", str(target)]) == 0
        return capsys.readouterr().out

    assert "3 files copied" in said()
    assert "nothing to do" in said()
    put(target, "02.ipynb", "my work")
    assert "1 file of yours, left" in said()
    put(shelf, "02.ipynb", "better")
    assert "02.new.ipynb" in said()


def test_the_command_refuses_in_words(tmp_path, capsys):
    put(tmp_path, "a-file", "")
    assert course.main(["copy", str(tmp_path / "a-file")]) == 2
    assert "is a file" in capsys.readouterr().out
