"""The index finds what a query is about, finds nothing for what it does not hold, and always says the same."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planexec.worlds.search import STRONG, WEAK, Index, stem, terms

PAPERS = {
    "bread": [("Bread from rye flour", STRONG), ("Rye flour needs sourdough, salt and time.", WEAK)],
    "cheese": [("Cheese from goat milk", STRONG), ("Goat milk, salt, cellar.", WEAK)],
    "wine": [("Wine: 葡萄酒的酿造", STRONG), ("白葡萄与红葡萄，发酵两周。", WEAK)],
    "tea": [("绿茶采摘季节", STRONG), ("春天采摘，春茶最好。", WEAK)],
    "tools": [("Sharpening of kitchen knives", STRONG), ("A stone, water, twenty degrees.", WEAK)],
}


@pytest.fixture
def index() -> Index:
    return Index(PAPERS)


def ids(index: Index, query: str, **options: int) -> list[str]:
    return [hit.id for hit in index.search(query, **options)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("rye flour", ["bread"]),
        ("What is the bread of rye?", ["bread"]),
        ("goat's milk cheeses", ["cheese"]),
        ("SALT", ["bread", "cheese"]),
        ("葡萄酒怎么酿造", ["wine"]),
        ("哪些绿茶采摘", ["tea"]),
        ("绿茶的季节", ["tea"]),
        ("Ｋｉｔｃｈｅｎ sharpening", ["tools"]),
    ],
)
def test_a_query_finds_what_it_is_about(index: Index, query: str, expected: list[str]) -> None:
    assert ids(index, query) == expected


@pytest.mark.parametrize(
    "query", ["", "   ", "the of and", "的了吗", "，。！", "aeroplanes", "飞机票价", "1234", "\x00\ud800"]
)
def test_what_no_document_holds_finds_nothing(index: Index, query: str) -> None:
    assert index.search(query) == []


def test_at_the_threshold_a_document_is_found_and_above_it_is_not(index: Index) -> None:
    share = index.search("rye aeroplane", threshold=1)[0].share
    assert share == 50  # two words of equal rarity, one of them unknown
    assert ids(index, "rye aeroplane", threshold=share) == ["bread"]
    assert ids(index, "rye aeroplane", threshold=share + 1) == []


def test_a_match_in_the_title_outranks_one_in_the_text() -> None:
    index = Index({"a": [("ripe pears", WEAK), ("pears", STRONG)], "b": [("ripe pears", STRONG)]})
    assert ids(index, "ripe pears") == ["b", "a"]


def test_what_stands_in_the_text_only_is_found_too(index: Index) -> None:
    assert ids(index, "cellar") == ["cheese"]


def test_a_rare_word_outranks_a_common_one() -> None:
    index = Index({f"d{i}": [("market", STRONG)] for i in range(9)} | {"z": [("quince", STRONG)]})
    assert ids(index, "market quince")[0] == "z"


def test_equal_scores_are_ordered_by_id_however_the_documents_came() -> None:
    forwards = Index({name: [("plum jam", STRONG)] for name in "abc"})
    backwards = Index({name: [("plum jam", STRONG)] for name in "cba"})
    assert ids(forwards, "plum jam") == ids(backwards, "plum jam") == ["a", "b", "c"]


def test_a_boost_changes_the_order_but_not_what_is_found() -> None:
    index = Index({"a": [("plum", STRONG)], "b": [("plum", STRONG)], "c": [("fig", STRONG)]}, boost={"b": 10, "c": 900})
    assert ids(index, "plum") == ["b", "a"]


def test_most_limits_the_number_of_hits() -> None:
    index = Index({str(i): [("plum", STRONG)] for i in range(9)})
    assert len(index.search("plum", most=3)) == 3
    assert index.search("plum", most=0) == []


@pytest.mark.parametrize(
    "query",
    ["leading makers of figs, plums, pears and quinces", "figs、plums、pears、quinces的leading makers"],
)
def test_a_list_finds_every_one_of_its_items(query: str) -> None:
    index = Index({fruit: [(f"Leading makers: {fruit}s", STRONG)] for fruit in ("fig", "plum", "pear", "quince")})
    assert sorted(ids(index, query)) == ["fig", "pear", "plum", "quince"]


def test_documents_that_hold_a_query_between_them_are_found_by_less_than_alone() -> None:
    fruits = ("fig", "plum", "pear", "quince")
    index = Index({fruit: [(f"leading makers {fruit}", STRONG)] for fruit in fruits})
    assert index.search("leading makers fig plum", threshold=60)[0].share < 60
    assert ids(index, "leading makers fig plum") == ["fig", "plum"]
    assert ids(index, "leading makers fig dragonfruit rambutan") == []


def test_what_shares_an_item_with_a_list_but_not_its_topic_is_left_out() -> None:
    index = Index({"a": [("plum jam recipe", STRONG)], "b": [("plum", STRONG)], "c": [("fig jam recipe", STRONG)]})
    assert ids(index, "jam recipe of figs and plums") == ["c", "a"]


def test_the_seam_of_two_known_chinese_words_is_not_an_unknown_word() -> None:
    index = Index({"a": [("降准", STRONG), ("利好", STRONG)], "b": [("加息", STRONG)]})
    assert index.search("降准利好")[0].share == 100
    assert index.search("降准飞机", threshold=1)[0].share == 50


def test_a_figure_that_no_document_holds_does_not_count_against_one() -> None:
    index = Index({"a": [("inflow", STRONG), ("流入", STRONG)]})
    assert index.search("inflow 777")[0].share == 100
    assert index.search("7770亿流入")[0].share == 100


def test_words_are_stemmed_alike_in_documents_and_queries() -> None:
    assert stem("batteries") == stem("battery") == "battery"
    assert stem("charging") == stem("charge") == stem("charged") == "charg"
    assert stem("glass") == "glass"
    assert terms("利好板块 of Banks") == ["利好", "好板", "板块", "bank"]


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_answered_with_hits_in_order(query: str) -> None:
    hits = Index(PAPERS).search(query, threshold=1)
    assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.id))
    assert all(1 <= hit.share <= 100 and hit.id in PAPERS for hit in hits)


@settings(deadline=None)
@given(st.sampled_from(sorted(PAPERS)))
def test_a_document_is_found_by_its_own_title(name: str) -> None:
    assert ids(Index(PAPERS), PAPERS[name][0][0])[0] == name


def test_a_megabyte_of_query_is_cut_not_searched_whole(index: Index) -> None:
    assert ids(index, "rye flour " + "," * 1_000_000) == ["bread"]


def test_the_hash_seed_of_the_process_changes_nothing() -> None:
    code = (
        "from planexec.worlds.search import *\n"
        "i = Index({str(n): [('plum fig 葡萄酒 ' + 'pear ' * (n % 3), 2)] for n in range(40)})\n"
        "print(i.search('pear plum 葡萄 fig', most=40, threshold=1))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=True,
        ).stdout
        for seed in ("0", "1", "12345")
    }
    assert len(outputs) == 1
    assert outputs.pop().count("Hit(") > 5
