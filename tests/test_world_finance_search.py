"""What the finance world's search finds, and that the total market value is not found however it is put."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from planexec.tools import Observation, Toolbox
from planexec.worlds import finance
from planexec.worlds.common import read_data

KNOWLEDGE = read_data("finance", "knowledge.json")
TOOLS = {lang: Toolbox(finance.tools(lang)) for lang in ("en", "zh")}
WEIGHTS = {
    "en": {"banks": "25%", "property": "20%", "brokers": "15%", "consumer": "30%", "cash": "10%"},
    "zh": {"银行": "25%", "地产": "20%", "券商": "15%", "消费": "30%", "现金": "10%"},
}
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
