"""The finance world: what its searches find and do not find, its quotes, and that answers follow the data."""

from __future__ import annotations

import copy
import json
import os
import re
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planexec.tools import Observation, Toolbox
from planexec.worlds import NAMES, finance, load
from planexec.worlds.common import read_data, renamed

KNOWLEDGE = read_data("finance", "knowledge.json")
TOOLS = {lang: Toolbox(finance.tools(lang)) for lang in ("en", "zh")}
WEIGHTS = {
    "en": {"banks": "25%", "property": "20%", "brokers": "15%", "consumer": "30%", "cash": "10%"},
    "zh": {"银行": "25%", "地产": "20%", "券商": "15%", "消费": "30%", "现金": "10%"},
}
REAL_NAMES = re.split(
    ",",
    "ICBC,Ping An,China Merchants,CITIC,Vanke,Evergrande,Country Garden,Moutai,Kweichow,Wuliangye,Midea,Gree,Haier,"
    "Agricultural Bank,Bank of China,Construction Bank,Huatai,Guotai,Haitong,CSI,Shanghai,Shenzhen,Hang Seng,"
    "工商银行,农业银行,中国银行,建设银行,招商,平安,中信,万科,恒大,碧桂园,保利,茅台,五粮液,美的,格力,海尔,华泰,国泰,海通,"
    "沪深,上证,深证,恒生,中国",
)
TOTAL_VALUE_WORDS = re.split(
    ",",
    "total,market value,capitalisation,capitalization,market cap,market size,Chinese,China,A-share,CSI,Shanghai,"
    "总,市值,规模,中国,A股,沪深,两市,上市公司",
)


def search(query: str, lang: str = "en", data: Any = None) -> Observation:
    tools = TOOLS[lang] if data is None else Toolbox(finance.tools(lang, data))
    return tools["search_knowledge"].carry_out({"query": query})


def found_ids(query: str, lang: str = "en") -> list[str]:
    seen = search(query, lang)
    return [entry["id"] for entry in seen.data["entries"]] if seen.kind == "found" else []


def quote(wanted: str, lang: str = "en") -> Observation:
    return TOOLS[lang]["get_quote"].carry_out({"ticker_or_name": wanted})


# What a search finds.


@pytest.mark.parametrize(
    "query",
    [
        "which sectors benefit from a reserve-requirement cut",
        "Which sectors benefit from a reserve-requirement cut?",
        "sectors that benefit from a reserve-requirement cut and their weights",
        "sectors benefiting from an RRR cut",
        "winners of a reserve ratio cut",
        "sector weights for the allocation of an account",
        "allocation weights by sector after a cut",
        "降准利好哪些板块",
        "降准利好板块 权重",
        "降准受益板块及配置权重",
        "降准后受益板块",
        "降准对哪些行业有利",
        "存款准备金率下调 利好 行业",
        "账户配置 权重 板块",
    ],
)
def test_one_search_finds_sectors_and_weights_together(query: str) -> None:
    for lang in ("en", "zh"):
        seen = search(query, lang)
        assert seen.data["entries"][0]["id"] == "cut-sectors"
        assert seen.data["weights"] == WEIGHTS[lang]
        assert seen.data["sectors"] == list(WEIGHTS[lang])[:-1]


@pytest.mark.parametrize(
    ("query", "lang"),
    [
        ("leading stocks of banks, property, brokers, consumer", "en"),
        ("leading stocks of banks, property, brokers and consumer", "en"),
        ("leading stocks banks property brokers consumer", "en"),
        ("leading stocks of each sector", "en"),
        ("银行, 地产, 券商, 消费 龙头股", "zh"),
        ("银行、地产、券商、消费的龙头股", "zh"),
        ("龙头股 银行 地产 券商 消费", "zh"),
        ("各板块龙头股", "zh"),
    ],
)
def test_one_search_finds_the_leading_stocks_of_every_sector(query: str, lang: str) -> None:
    stocks = search(query, lang).data["stocks"]
    assert sorted(stocks) == sorted(list(WEIGHTS[lang])[:-1])
    assert all(len(names) == 3 for names in stocks.values())


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("leading bank stocks", "leading-1"),
        ("leading stocks of property", "leading-2"),
        ("银行龙头股", "leading-1"),
        ("地产 龙头", "leading-2"),
        ("share of past inflows: banks, property", "inflow-shares"),
        ("past inflow shares by sector", "inflow-shares"),
        ("历次资金流入各板块的占比", "inflow-shares"),
        ("资金流入 银行 地产 比例", "inflow-shares"),
        ("what is a reserve-requirement cut", "cut-what"),
        ("什么是降准", "cut-what"),
        ("past policy effects", "past-summary"),
        ("历史政策影响", "past-summary"),
        ("effect of a cut on brokers", "why-brokers"),
        ("降准 消费 影响", "why-consumer"),
        ("yield of ten-year government bonds", "bond-10y"),
        ("人民币对美元汇率", "fx-dollar"),
        ("daily turnover", "turnover-day"),
        ("东港200点位", "index-east"),
        ("Everpine Bank", "leading-1"),
        ("潮痕证券", "leading-3"),
    ],
)
def test_a_specific_query_finds_its_entry_first(query: str, first: str) -> None:
    assert found_ids(query, "en")[0] == found_ids(query, "zh")[0] == first


@pytest.mark.parametrize(("sector", "number"), [("banks", 1), ("property", 2), ("brokers", 3), ("consumer", 4)])
def test_the_leading_stocks_of_one_sector_come_alone(sector: str, number: int) -> None:
    assert found_ids(f"leading stocks of {sector}") == [f"leading-{number}"]


def test_a_bare_sector_does_not_answer_the_allocation() -> None:
    for query in ("banks", "brokers", "什么是降准", "券商"):
        assert "weights" not in search(query).data


# What it must not find: the total market value, however it is put.

_SUBJECTS = {
    "en": (
        "A-share",
        "A-shares",
        "A-share market",
        "CSI 300",
        "Chinese stock market",
        "stock market",
        "all listed companies",
    ),
    "zh": ("A股", "A股市场", "沪深300", "中国股市", "中国股票市场", "股市", "股票市场", "沪深两市", "上市公司"),
}
_MEASURES = {
    "en": (
        "total market value",
        "market cap",
        "market capitalisation",
        "total capitalization",
        "size",
        "total value",
        "worth",
    ),
    "zh": ("总市值", "市值", "流通市值", "规模", "总规模", "总值", "总量"),
}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_total_market_value_is_not_found_in_any_combination_of_words(lang: str) -> None:
    for subject in _SUBJECTS[lang]:
        for measure in _MEASURES[lang]:
            for query in (
                f"{subject} {measure}",
                f"{measure} of {subject}",
                f"{subject}的{measure}",
                f"{subject}{measure} 2026",
            ):
                assert search(query, lang).kind == "empty", query


@pytest.mark.parametrize(
    "query",
    [
        "total market value",
        "CSI 300",
        "CSI 300 index",
        "CSI 300 index level",
        "Chinese stock market",
        "A-share market",
        "how big is the stock market",
        "how large is the A-share market in yuan",
        "Look up the total market value of the A-share market",
        "Find out the A-share market's total value, to relate the inflow to it",
        "total market value of the A-share market, for scale of the inflow",
        "market capitalization of Shanghai and Shenzhen, trillion yuan",
        "总市值",
        "A股",
        "A股市场",
        "沪深300",
        "沪深300指数",
        "沪深300指数点位",
        "中国股市",
        "中国股票市场",
        "股市有多大",
        "A股总市值是多少",
        "查询A股市场的总市值",
        "A股总市值 流入资金占比",
        "全部上市公司市值合计",
    ],
)
def test_nor_by_the_words_a_model_would_try(query: str) -> None:
    for lang, text in (("en", "Not found"), ("zh", "没有找到")):
        seen = search(query, lang)
        assert (seen.kind, seen.data) == ("empty", None)
        assert seen.text.startswith(text)


def test_no_entry_holds_the_words_it_would_be_found_by() -> None:
    text = json.dumps(KNOWLEDGE["entries"], ensure_ascii=False)
    assert [word for word in TOTAL_VALUE_WORDS if word in text] == []


@pytest.mark.parametrize(
    "query", ["weather in the mountains", "明天天气", "recipe for noodles", "wolframite", "足球比赛结果"]
)
def test_an_unrelated_query_finds_nothing(query: str) -> None:
    assert search(query).kind == "empty"


@pytest.mark.parametrize("query", ["", "  \n"])
def test_a_blank_query_is_a_mistake_not_an_empty_result(query: str) -> None:
    assert (search(query).kind, search(query, "zh").text) == ("failed", "查询为空，请写明要查找的内容。")


# What the result looks like.


def test_the_text_shows_date_title_and_each_row_of_a_table() -> None:
    text = search("which sectors benefit from a reserve-requirement cut").text
    assert text.startswith("[2026-10-12] Sectors that benefit from a reserve-requirement cut")
    assert "\nsectors: banks, property, brokers, consumer\nweights:\n- banks: 25%\n- property: 20%\n" in text
    text = search("银行龙头股", "zh").text
    assert "\n个股 stocks:\n- 银行: 长松银行, 灯港银行, 九叠银行" in text


def test_the_chain_of_the_allocation_question_runs_on_the_data_of_each_step() -> None:
    for lang, weights in WEIGHTS.items():
        tools = TOOLS[lang]
        inflow = tools["calculate"].carry_out({"expression": "800bn * 25%"})
        assert inflow.data == {"value": 200_000_000_000}
        data = search("降准利好哪些板块", lang).data
        amounts = tools["calculate"].carry_out({"expression": "1000000*x", "each": data["weights"]}).data["values"]
        assert amounts == dict(zip(weights, (250_000, 200_000, 150_000, 300_000, 100_000), strict=True))
        word = {"en": "leading stocks of ", "zh": "龙头股 "}[lang]
        assert list(search(word + ", ".join(data["sectors"]), lang).data["stocks"])
        shares = search("历次资金流入占比", lang).data["shares"]
        split = tools["calculate"].carry_out({"expression": "2000亿*x", "each": shares}).data["values"]
        assert list(split.values())[:2] == [80_000_000_000, 50_000_000_000]


def test_parts_of_an_account_and_of_the_inflow_add_up() -> None:
    tables = [entry["tables"] for entry in KNOWLEDGE["entries"] if "tables" in entry]
    for name in ("weights", "shares"):
        for table in (table[name] for table in tables if name in table):
            assert {lang: sum(int(part.rstrip("%")) for part in rows.values()) for lang, rows in table.items()} == {
                "en": 100,
                "zh": 100,
            }


# The answer follows the data.


def test_renaming_every_sector_and_stock_renames_the_results() -> None:
    new = {"en": ("quarries", "ferries", "bakers", "weavers", "sand"), "zh": ("采石", "渡轮", "面包", "织布", "沙子")}
    names = {old: now for lang in new for old, now in zip(WEIGHTS[lang], new[lang], strict=True)}
    stocks = [q["name"] for q in KNOWLEDGE["quotes"]]
    names |= {said["en"]: f"Nova {i}" for i, said in enumerate(stocks)} | {
        said["zh"]: f"新星{i}" for i, said in enumerate(stocks)
    }
    data = renamed(KNOWLEDGE, names)
    for lang, word in (("en", "leading stocks of "), ("zh", "龙头股 ")):
        seen = search("降准利好哪些板块", lang, data)
        assert list(seen.data["weights"]) == list(new[lang])
        stocks_now = search(word + ", ".join(seen.data["sectors"]), lang, data).data["stocks"]
        assert sorted(stocks_now) == sorted(new[lang][:-1])
        assert all(name.startswith(("Nova", "新星")) for row in stocks_now.values() for name in row)
        assert not [old for old in names if old in seen.text]


def test_changed_weights_and_shares_come_back_from_a_file(tmp_path: Path) -> None:
    data = renamed(KNOWLEDGE, {"25%": "35%", "30%": "20%", "40%": "10%"})
    path = tmp_path / "other.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    assert search("降准利好哪些板块", "en", path).data["weights"]["banks"] == "35%"
    assert search("降准利好哪些板块", "en", str(path)).data["weights"]["consumer"] == "20%"
    assert search("past inflow shares", "en", path).data["shares"]["banks"] == "10%"


def test_a_removed_sector_is_in_no_table_and_its_stocks_are_not_found() -> None:
    data = copy.deepcopy(KNOWLEDGE)
    data["entries"] = [entry for entry in data["entries"] if entry["id"] != "leading-2"]
    for table in (table for entry in data["entries"] for table in entry.get("tables", {}).values()):
        for lang, sector in (("en", "property"), ("zh", "地产")):
            rows = table[lang]
            table[lang] = (
                [r for r in rows if r != sector]
                if isinstance(rows, list)
                else {k: v for k, v in rows.items() if k != sector}
            )
    assert list(search("降准利好哪些板块", "en", data).data["weights"]) == ["banks", "brokers", "consumer", "cash"]
    assert sorted(search("leading stocks of banks, property, brokers", "en", data).data["stocks"]) == [
        "banks",
        "brokers",
    ]
    for query, lang in (("leading stocks of property", "en"), ("地产龙头股", "zh")):
        assert not {"property", "地产"} & set((search(query, lang, data).data or {}).get("stocks", {}))


def test_the_better_hit_wins_where_two_tables_have_one_name() -> None:
    def entry(name: str, title: str, text: str, weight: str) -> dict[str, Any]:
        tables = {"weights": {"en": {"a": weight}}, "stocks": {"en": {name: ["X"]}}}
        return {"id": name, "date": "", "title": {"en": title}, "text": {"en": text}, "keywords": {}, "tables": tables}

    data = {"entries": [entry("p", "plum", "jam", "1%"), entry("q", "plum jam", "", "2%")], "quotes": []}
    seen = search("plum jam", "en", data)
    assert seen.data["weights"] == {"a": "2%"}
    assert sorted(seen.data["stocks"]) == ["p", "q"]


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


# The tools as a model sees them, and as a package.


def test_names_are_fixed_and_descriptions_speak_the_language_of_the_run() -> None:
    for lang in ("en", "zh"):
        assert list(TOOLS[lang]) == ["calculate", "search_knowledge", "get_quote"]
        for schema in (tool.schema["function"] for tool in TOOLS[lang].values()):
            texts = [schema["description"], *(p["description"] for p in schema["parameters"]["properties"].values())]
            assert all(texts)
            assert all(any("\u4e00" <= c <= "\u9fff" for c in text) for text in texts) == (lang == "zh")
    for field in finance.FIELDS:
        assert field in TOOLS["en"]["search_knowledge"].description
        assert field in TOOLS["zh"]["search_knowledge"].description


def test_a_world_is_loaded_by_name_and_only_then_imported() -> None:
    world = load("finance", "zh")
    assert (world.name, world.lang, world.date, len(world.tools)) == ("finance", "zh", "2026-11-02", 3)
    with pytest.raises(ValueError, match="no world is called 'moon'; there are finance"):
        load("moon")
    with pytest.raises(ValueError, match="speaks en and zh, not 'fr'"):
        load("finance", "fr")
    code = "import sys, planexec.worlds\nprint([n for n in sys.modules if 'worlds.' in n or n == 'pydantic'])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
    assert NAMES[:2] == ("finance", "research")


@settings(max_examples=60)
@given(st.text(max_size=60))
def test_any_text_is_answered(text: str) -> None:
    for lang in ("en", "zh"):
        assert search(text, lang).kind in ("found", "empty", "failed")
        assert quote(text, lang).kind in ("found", "empty")


def test_the_hash_seed_of_the_process_changes_nothing() -> None:
    code = (
        "from planexec.worlds import finance\n"
        "s = finance.tools('zh')[1]\n"
        "queries = '银行, 地产, 券商 龙头股', '降准', 'banks', 'past policy effects'\n"
        "print([ascii(s.carry_out({'query': q})) for q in queries])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "7")
    }
    assert len(outputs) == 1
    assert "leading-1" in outputs.pop()
