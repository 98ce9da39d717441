"""The finance world's knowledge base: complete in both languages, dated, invented, and its quotes wrong on purpose."""

from __future__ import annotations

import json
import re
from datetime import date

import pytest

from planexec.tools import Observation, Toolbox
from planexec.worlds import finance
from planexec.worlds.common import read_data

KNOWLEDGE = read_data("finance", "knowledge.json")
TOOLS = {lang: Toolbox(finance.tools(lang)) for lang in ("en", "zh")}

REAL_NAMES = re.split(
    ",",
    "ICBC,Ping An,China Merchants,CITIC,Vanke,Evergrande,Country Garden,Moutai,Kweichow,Wuliangye,Midea,Gree,Haier,"
    "Agricultural Bank,Bank of China,Construction Bank,Huatai,Guotai,Haitong,CSI,Shanghai,Shenzhen,Hang Seng,"
    "工商银行,农业银行,中国银行,建设银行,招商,平安,中信,万科,恒大,碧桂园,保利,茅台,五粮液,美的,格力,海尔,华泰,国泰,海通,"
    "沪深,上证,深证,恒生,中国",
)


def quote(wanted: str, lang: str = "en") -> Observation:
    return TOOLS[lang]["get_quote"].carry_out({"ticker_or_name": wanted})


# The data itself.


def test_there_are_at_least_eighty_entries_each_with_its_own_id() -> None:
    ids = [entry["id"] for entry in KNOWLEDGE["entries"]]
    assert len(ids) == len(set(ids)) >= 80


def test_every_entry_says_everything_in_both_languages() -> None:
    for entry in KNOWLEDGE["entries"]:
        for part in ("title", "text", "keywords", *entry.get("tables", {})):
            said = entry[part] if part in entry else entry["tables"][part]
            assert list(said) == ["en", "zh"], entry["id"]
            assert all(said.values()), entry["id"]
            assert part == "keywords" or len({len(v) for v in said.values() if not isinstance(v, str)}) <= 1, entry[
                "id"
            ]
        assert any("\u4e00" <= c <= "\u9fff" for c in entry["text"]["zh"])
        assert not any("\u4e00" <= c <= "\u9fff" for c in entry["text"]["en"])


def test_every_figure_of_a_text_stands_in_both_languages() -> None:
    """Percentages and points are written alike in both; a figure changed in one language only would show here."""
    for entry in KNOWLEDGE["entries"]:
        percents = [re.findall(r"([0-9.]+) ?%", entry["text"][lang]) for lang in ("en", "zh")]
        assert sorted(percents[0]) == sorted(percents[1]), entry["id"]


def test_every_date_is_valid_and_not_after_the_worlds_date() -> None:
    assert KNOWLEDGE["date"] == finance.DATE
    for item in [*KNOWLEDGE["entries"], *KNOWLEDGE["quotes"]]:
        assert date.fromisoformat(item["date"]) <= date.fromisoformat(finance.DATE)


def test_the_data_says_that_it_is_invented_and_names_no_real_company() -> None:
    assert "invented" in KNOWLEDGE["note"]["en"]
    assert "虚构" in KNOWLEDGE["note"]["zh"]
    text = json.dumps([KNOWLEDGE["entries"], KNOWLEDGE["quotes"]], ensure_ascii=False)
    assert [name for name in REAL_NAMES if name in text] == []
    assert sorted(KNOWLEDGE["designed_failures"]) == ["ambiguous", "missing", "stale", "wrong_unit"]


# Quotes, with what is wrong on purpose.


def test_a_quote_has_price_unit_and_date() -> None:
    seen = quote("EPB")
    assert seen.data == {
        "quotes": [
            {"ticker": "EPB.E", "name": "Everpine Bank", "price": 6.42, "unit": "yuan per share", "date": "2026-10-30"}
        ]
    }
    assert seen.text == "Everpine Bank (EPB.E): 6.42 yuan per share, close of 2026-10-30."
    assert quote("长松银行", "zh").text == "长松银行（EPB.E）：6.42 元/股，2026-10-30收盘。"
    assert quote(" epb.e ").data == quote("everpine").data == seen.data


def test_designed_failure_an_ambiguous_ticker_gives_candidates_and_no_price() -> None:
    for wanted, lang in (("TMS", "en"), ("tms", "zh"), ("Paperkite", "en"), ("纸鸢", "zh")):
        seen = quote(wanted, lang)
        assert seen.kind == "empty"
        assert len(seen.data["candidates"]) == 2
        assert not any(str(q["price"]) in seen.text for q in KNOWLEDGE["quotes"])
    assert quote("TMS.W").data["quotes"][0]["name"] == "Timbersea Metals"


def test_designed_failure_one_price_is_old_and_only_its_date_says_so() -> None:
    dates = {q["ticker"]: q["date"] for q in KNOWLEDGE["quotes"]}
    assert [ticker for ticker, day in dates.items() if day != "2026-10-30"] == ["STE.E"]
    assert "2026-03-13" in quote("STE.E").text


def test_designed_failure_one_price_is_in_another_unit() -> None:
    units = {q["ticker"]: q["unit"]["en"] for q in KNOWLEDGE["quotes"]}
    assert [ticker for ticker, unit in units.items() if unit != "yuan per share"] == ["ALS.W"]
    assert "1284 fen per share" in quote("ALS").text
    assert "1284 分/股" in quote("珀线证券", "zh").text


def test_every_leading_stock_has_a_quote() -> None:
    names = {lang: {q["name"][lang] for q in KNOWLEDGE["quotes"]} for lang in ("en", "zh")}
    for entry in KNOWLEDGE["entries"]:
        for lang, rows in entry.get("tables", {}).get("stocks", {}).items():
            assert {name for row in rows.values() for name in row} <= names[lang]


@pytest.mark.parametrize("wanted", ["", " ", "ZZZ", "no such company", "E"])
def test_an_unknown_security_is_not_found(wanted: str) -> None:
    seen = quote(wanted)
    assert seen.kind == "empty"
    assert "quotes" not in (seen.data or {})
