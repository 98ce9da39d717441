"""Terms: in both languages, introduced where the glossary says, and the same words everywhere."""

import re
from pathlib import Path

import pytest

from planexec.course import form
from planexec.course.glossary import notebook_of, page, terms
from planexec.paths import notebooks_path

pytest.importorskip("nbformat")
ROOT = Path(__file__).resolve().parents[1]
TERMS = terms()


def prose(path):
    return "\n".join(cell.source for cell in form.read(path).cells if cell.cell_type == "markdown")


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.term)
def test_a_term_stands_in_the_notebook_that_introduces_it(term):
    path = notebook_of(term)
    assert path is not None
    words = re.escape(term.term).replace(r"\ ", r"[\s-]+")
    assert re.search(rf"\b{words}", prose(path), re.I)


@pytest.mark.parametrize("path", sorted(notebooks_path().glob("*.ipynb")), ids=lambda path: path.stem)
def test_no_notebook_uses_another_word_for_a_term(path):
    text = prose(path)
    used = [word for term in TERMS for word in term.avoid if re.search(rf"\b{re.escape(word)}\b", text)]
    assert used == []


def test_every_term_has_both_languages_and_stands_once():
    assert len({term.term.lower() for term in TERMS}) == len({term.zh for term in TERMS}) == len(TERMS) >= 40
    assert all(term.en_text.endswith(".") and term.zh_text.endswith("。") for term in TERMS)


def test_the_page_is_made_from_the_data():
    assert (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8") == page()
