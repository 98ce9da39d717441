"""Terms: in both languages, introduced where the glossary says, and the same words in every text."""

from pathlib import Path

import pytest

from planexec.course import wording
from planexec.course.glossary import Term, not_terms, page, terms
from planexec.paths import notebooks_path

pytest.importorskip("nbformat")
ROOT = Path(__file__).resolve().parents[1]
TERMS = terms()
NOTEBOOKS = sorted(notebooks_path().glob("*.ipynb"))


@pytest.fixture(scope="module")
def texts():
    return wording.texts()


# --- the course


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.term)
def test_a_term_is_introduced_by_the_notebook_that_the_glossary_links_to(term, texts):
    assert list(wording.misplaced(term, texts)) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_a_notebook_sets_in_italics_is_a_term_or_declared_to_be_none(path):
    assert list(wording.undeclared(wording.read(path), TERMS, not_terms())) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_summary_in_chinese_names_what_the_lines_to_remember_name(path):
    assert list(wording.unnamed(wording.read(path), TERMS)) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_notebook_uses_another_word_for_a_term(path):
    text = wording.read(path)
    assert list(wording.avoided(text.number, text.english + text.chinese, TERMS)) == []


def test_no_page_and_no_docstring_of_a_public_name_uses_another_word_for_a_term():
    found = {**wording.pages(ROOT), **wording.docstrings()}
    assert {"README.md", "wind_tunnel.md", "planexec.Run", "planexec.PlanExecuteAgent.run"} <= set(found)
    assert [words for where, prose in found.items() for words in wording.avoided(where, prose, TERMS)] == []


def test_every_term_has_both_languages_and_stands_once():
    assert len({term.term.lower() for term in TERMS}) == len({term.zh for term in TERMS}) == len(TERMS) >= 60
    assert all(term.en_text.endswith(".") and term.zh_text.endswith("。") for term in TERMS)


def test_no_phrase_is_both_a_term_and_none():
    declared = not_terms()
    assert declared == sorted(set(declared))
    assert [word for word in declared if any(wording.of(term).fullmatch(word) for term in TERMS)] == []


def test_a_term_is_marked_as_used_before_only_where_it_is(texts):
    marked = {(term.term, number) for term in TERMS for number in term.before}
    using = {(term.term, text.number) for term in TERMS for text in texts if wording.of(term).search(text.english)}
    assert marked - using == set()


def test_the_page_is_made_from_the_data():
    assert (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8") == page()


# --- the checks themselves


NUDGE = Term(
    "nudge", "提醒", "08", "A line.", "一行。", avoid=("poke", "ReMind"), avoid_zh=("轻推",), forms=("nudged",)
)


def text(number="08", english="", remember="", chinese=""):
    return wording.Text(number, english, remember, chinese)


@pytest.mark.parametrize(
    ("prose", "italics"),
    [
        ("A *nudge* and *two words*.", ["nudge", "two words"]),
        ("**bold**, 2 * 3 * 4, and a list:\n* one\n* two", []),
        ("**bold *inside* bold** and ***both***", ["inside"]),
    ],
)
def test_what_counts_as_italics(prose, italics):
    assert text(english=prose).italics == italics


def test_a_phrase_in_italics_needs_the_glossary():
    found = wording.undeclared(text(english="*nudges*, *Nudged*, *not*, *Other words.*"), [NUDGE], ["not"])
    assert list(found) == ["08: *Other words.* is in italics: a term for the glossary, or one of its not_terms?"]


@pytest.mark.parametrize(
    ("earlier", "said"),
    [
        ("a nudge comes", 1),
        ("a *nudge* comes", 0),
        ("nothing of it", 0),
        ("a *nudged* model, nudges", 0),
        ("Nudges", 1),
    ],
)
def test_a_term_is_explained_where_it_is_first_used(earlier, said):
    found = list(wording.misplaced(NUDGE, [text("02", earlier), text("08", "a nudge")]))
    assert found == ["02: 'nudge' is used, but explained only in 08"] * said


def test_a_term_that_its_notebook_does_not_use_is_found_and_a_longer_word_is_another():
    assert list(wording.misplaced(NUDGE, [text(english="a nudger")])) == [
        "08: 'nudge' does not stand in the notebook that the glossary links to"
    ]


@pytest.mark.parametrize(
    ("prose", "said"),
    [("a Poke", 1), ("pokes", 1), ("a ReMind", 1), ("I remind", 0), ("不要轻推", 1), ("提醒 spoke", 0)],
)
def test_other_words_are_found_in_any_spelling_and_names_as_written(prose, said):
    assert len(list(wording.avoided("README.md", prose, [NUDGE]))) == said


@pytest.mark.parametrize(("prose", "said"), [("这是虚假成功", 0), ("这是假成功", 1), ("虚假成功不是假成功", 1)])
def test_a_term_that_contains_the_word_it_replaces_is_no_complaint(prose, said):
    term = Term("false success", "虚假成功", "14", "A line.", "一行。", avoid=(), avoid_zh=("假成功",))
    assert len(list(wording.avoided("14", prose, [term]))) == said


def test_a_term_may_contain_the_word_that_it_replaces():
    success = Term("false success", "虚假成功", "14", "A run.", "运行。", avoid_zh=("假成功",))
    assert list(wording.avoided("14", "这是虚假成功。", [success])) == []
    (found,) = wording.avoided("14", "虚假成功不是假成功。", [success])
    assert found == "14: '假成功'; the glossary says '虚假成功'"


@pytest.mark.parametrize(
    ("remember", "chinese", "said"),
    [("Nudge first", "先提醒", 0), ("Nudge first", "先说", 1), ("Refuse", "先说", 0), ("Refuse", "用 nudge 吧", 1)],
)
def test_the_summary_in_chinese_uses_the_chinese_term(remember, chinese, said):
    assert len(list(wording.unnamed(text(remember=remember, chinese=chinese), [NUDGE]))) == said


def test_only_what_is_written_in_the_package_counts_as_its_docstring():
    found = wording.docstrings()
    assert "planexec.Limits.with_" in found and "planexec.Limits.max_steps" not in found


def test_code_links_and_the_line_under_the_title_are_not_prose(tmp_path):
    from notebook_cells import prose, store

    cells = [
        "# 08 · Two\n\n*50 minutes*",
        "Call `nudge(x)`, see [there](nudge.md).\n```\nnudge\n```",
        "## Remember\n\n1. A",
    ]
    path = store(tmp_path, *map(prose, cells), prose("## 中文小结\n\n提醒"), name="08_two.ipynb")
    found = wording.read(path)
    assert (found.number, found.italics, "nudge" in found.english) == ("08", [], False)
    assert "1. A" in found.remember and "提醒" in found.chinese and "提醒" not in found.english
