"""The finance world: what a result looks like, that answers follow the data, and the tools as a model sees them."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
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


def search(query: str, lang: str = "en", data: Any = None) -> Observation:
    tools = TOOLS[lang] if data is None else Toolbox(finance.tools(lang, data))
    return tools["search_knowledge"].carry_out({"query": query})


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


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_answered(text: str) -> None:
    for lang in ("en", "zh"):
        assert search(text, lang).kind in ("found", "empty", "failed")
        assert TOOLS[lang]["get_quote"].carry_out({"ticker_or_name": text}).kind in ("found", "empty")


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
