"""The finance world: a calculator, a mock knowledge base about reserve-requirement cuts, and mock quotes.

    calculate, search_knowledge, get_quote = tools(lang="en")

What is wrong on purpose: the total market value is in no entry, one ticker means two securities, one price is
old, one is in another unit (`designed_failures` in data/finance/knowledge.json). Every name and number is invented.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planexec.tools import Observation, Tool, empty, failed, found
from planexec.worlds.calculator import calculator
from planexec.worlds.common import check_language, make_tool, read_data
from planexec.worlds.search import STRONG, WEAK, Index

DATE = "2026-11-02"
QUESTIONS = {
    "en": {
        "allocation": "A reserve-requirement cut releases 800 bn yuan; 25% (200 bn) flows into stocks. "
        "How should a 1,000,000-yuan account be allocated?",
        "sectors": "Which sectors benefit from a reserve-requirement cut?",
        "split": "How much of the 200 bn goes to banks and property each, and what are their leading stocks?",
    },
    "zh": {
        "allocation": "降准释放8000亿，25%流入股市2000亿，怎么配置100万账户",
        "sectors": "降准利好哪些板块",
        "split": "2000亿分给银行地产各多少 龙头股",
    },
}
MAX_ENTRIES = 6  # that one search returns
SECONDS = 0.4  # what a search takes on a virtual clock

FIELDS = ("sectors", "weights", "shares", "stocks")  # the named tables an entry may carry
_FIELD_NAMES = {
    "en": {name: name for name in FIELDS},
    "zh": {"sectors": "板块 sectors", "weights": "权重 weights", "shares": "占比 shares", "stocks": "个股 stocks"},
}
_SEARCH_WORDS = {
    "": {
        "en": "Search a knowledge base about reserve-requirement cuts, sectors, stocks and past policy. One search "
        "returns up to 6 dated entries. Data: entries, and where an entry has them sectors (list of names), weights "
        "(sector -> part of an account in %), shares (sector -> part of past inflows in %), stocks (sector -> list "
        "of names).",
        "zh": "检索知识库：降准、板块、个股和历史政策。一次最多返回6条带日期的条目。数据：entries；条目带有时还包括 "
        "sectors（板块名称列表）、weights（板块 -> 账户配置百分比）、shares（板块 -> 历次流入资金占比）、"
        "stocks（板块 -> 个股名称列表）。",
    },
    "query": {"en": "What to look for, in a few words", "zh": "要查找的内容，几个词即可"},
}
_QUOTE_WORDS = {
    "": {
        "en": "The last price of one security. Data: quotes with ticker, name, price, unit of the price, date of "
        "the price (YYYY-MM-DD); candidates when several securities fit.",
        "zh": "查询一只证券的最新价格。数据：quotes，含 ticker、name、price、unit（价格单位）、"
        "date（价格日期，YYYY-MM-DD）；有多只符合时为 candidates。",
    },
    "ticker_or_name": {
        "en": "Ticker with or without the exchange (EPB.E, EPB), or the name",
        "zh": "代码，可带或不带交易所后缀（EPB.E、EPB），或名称",
    },
}
_SAID = {
    "not_found": {"en": "Not found: no entry about this.", "zh": "没有找到：没有相关条目。"},
    "blank": {"en": "The query is empty; say what to look for.", "zh": "查询为空，请写明要查找的内容。"},
    "no_quote": {"en": "Not found: no security of this name or ticker.", "zh": "没有找到该名称或代码的证券。"},
    "ambiguous": {
        "en": "No price: several securities fit, ask for one of them: {names}.",
        "zh": "没有价格：有多只证券符合，请指定其中之一：{names}。",
    },
    "quote": {
        "en": "{name} ({ticker}): {price} {unit}, close of {date}.",
        "zh": "{name}（{ticker}）：{price} {unit}，{date}收盘。",
    },
}


def tools(lang: str = "en", data: Any = None) -> list[Tool]:
    """`calculate`, `search_knowledge`, `get_quote`, answering in `lang`. `data` replaces the shipped knowledge base."""
    check_language(lang)
    knowledge = read_data("finance", "knowledge.json", data)
    return [calculator(lang), _search_tool(knowledge, lang), _quote_tool(knowledge["quotes"], lang)]


def _search_tool(knowledge: dict[str, Any], lang: str) -> Tool:
    entries = {entry["id"]: entry for entry in knowledge["entries"]}
    boost = {name: entry.get("boost", 0) for name, entry in entries.items()}  # overviews come before their details
    index = Index({name: _indexed(entry) for name, entry in entries.items()}, boost)

    def search_knowledge(query: str) -> Observation:
        if not query.strip():
            return failed(_SAID["blank"][lang], seconds=SECONDS)
        hits = [entries[hit.id] for hit in index.search(query, most=MAX_ENTRIES)]
        if not hits:
            return empty(_SAID["not_found"][lang], seconds=SECONDS)
        return found("\n\n".join(_entry_text(hit, lang) for hit in hits), _merged(hits, lang), seconds=SECONDS)

    return make_tool(search_knowledge, lang, _SEARCH_WORDS)


def _indexed(entry: dict[str, Any]) -> list[tuple[str, int]]:
    """What an entry can be found by, in both languages whatever the run's: title and keywords, then text and stocks."""
    strong = [*entry["title"].values(), *(word for words in entry["keywords"].values() for word in words)]
    stocks = [
        name for said in entry.get("tables", {}).get("stocks", {}).values() for row in said.values() for name in row
    ]
    return [(text, STRONG) for text in strong] + [(text, WEAK) for text in [*entry["text"].values(), *stocks]]


def _table_line(name: str, row: Any) -> str:
    listed = ", ".join(row) if isinstance(row, list) else str(row)
    return f"{name}: {listed}" if name else listed


def _entry_text(entry: dict[str, Any], lang: str) -> str:
    """Date and title, what it says, then each table as "name: what" lines under the table's name."""
    lines = [f"[{entry['date']}] {entry['title'][lang]}", entry["text"][lang]]
    for field in FIELDS:
        if field not in entry.get("tables", {}):
            continue
        table, name = entry["tables"][field][lang], _FIELD_NAMES[lang][field]
        if isinstance(table, dict):
            lines += [f"{name}:", *(f"- {_table_line(key, row)}" for key, row in table.items())]
        else:
            lines.append(_table_line(name, table))
    return "\n".join(lines)


def _merged(hits: list[dict[str, Any]], lang: str) -> dict[str, Any]:
    """The entries and their tables by name. Of two tables of one name the better hit's counts; `stocks` add up."""
    data: dict[str, Any] = {
        "entries": [
            {"id": hit["id"], "title": hit["title"][lang], "date": hit["date"], "text": hit["text"][lang]}
            for hit in hits
        ]
    }
    for hit in hits:
        for field, table in hit.get("tables", {}).items():
            if field == "stocks":
                data[field] = {**table[lang], **data.get(field, {})}
            else:
                data.setdefault(field, table[lang])
    return data


def _quote_tool(quotes: list[dict[str, Any]], lang: str) -> Tool:
    def get_quote(ticker_or_name: str) -> Observation:
        matches = _matching(quotes, ticker_or_name)
        if not matches:
            return empty(_SAID["no_quote"][lang], seconds=SECONDS)
        if len(matches) > 1:
            names = [f"{quote['ticker']} {quote['name'][lang]}" for quote in matches]
            text = _SAID["ambiguous"][lang].format(names=", ".join(names))
            return Observation("empty", text, {"candidates": names}, seconds=SECONDS)
        quote = {**matches[0], "name": matches[0]["name"][lang], "unit": matches[0]["unit"][lang]}
        return found(_SAID["quote"][lang].format(**quote), {"quotes": [quote]}, seconds=SECONDS)

    return make_tool(get_quote, lang, _QUOTE_WORDS)


def _matching(quotes: list[dict[str, Any]], wanted: str) -> list[dict[str, Any]]:
    """The quotes meant: those of exactly this ticker or name, else without exchange, else with this in their name."""
    key = " ".join(wanted.casefold().split())
    tests: tuple[Callable[[str, list[str]], bool], ...] = (
        lambda ticker, names: key == ticker or key in names,
        lambda ticker, names: key == ticker.partition(".")[0],
        lambda ticker, names: len(key) > 1 and any(key in name for name in names),
    )
    for meant in tests:
        if fits := [q for q in quotes if meant(q["ticker"].casefold(), [n.casefold() for n in q["name"].values()])]:
            return fits
    return []
