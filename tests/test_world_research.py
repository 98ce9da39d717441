"""The research world: what its searches bring, opening a page, and who may send mail where."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planexec.tools import Observation, Toolbox
from planexec.worlds import load, research
from planexec.worlds.common import read_data, renamed
from planexec.worlds.mail import is_address
from planexec.worlds.research import RESULTS, SUMMARY

SITE = read_data("research", "pages.json")
PAGES = {page["id"]: page for page in SITE["pages"]}
IDS = {page["url"]: name for name, page in PAGES.items()}
TOOLS = {lang: Toolbox(research.tools(lang)) for lang in ("en", "zh")}


def search(query: str, lang: str = "en", data: Any = None) -> Observation:
    tools = TOOLS[lang] if data is None else Toolbox(research.tools(lang, data))
    return tools["web_search"].carry_out({"query": query})


def found_ids(query: str, lang: str = "en") -> list[str]:
    seen = search(query, lang)
    return [IDS[page["url"]] for page in seen.data["pages"]] if seen.kind == "found" else []


def opened(name: str, lang: str = "en") -> Observation:
    return TOOLS[lang]["open_page"].carry_out({"url": PAGES[name]["url"]})


# What a search brings.


@pytest.mark.parametrize(
    ("query", "side"),
    [
        ("energy density and models on sale", "energy"),
        ("energy density of packs in models on sale 2026", "energy"),
        ("能量密度与在售车型", "energy"),
        ("在售车型 电池包 能量密度", "energy"),
        ("LMFP and sodium-ion", "chemistry"),
        ("sodium-ion battery", "chemistry"),
        ("磷酸锰铁锂与钠离子电池", "chemistry"),
        ("钠离子电池 进展", "chemistry"),
        ("makers' routes", "makers"),
        ("technology routes of the battery makers", "makers"),
        ("主要厂商技术路线", "makers"),
        ("电池厂商 技术路线 布局", "makers"),
        ("fast charging and 800 V", "charging"),
        ("fast charging 800V platform", "charging"),
        ("快充与800V高压平台", "charging"),
        ("800V 快充", "charging"),
        ("safety and standards", "safety"),
        ("battery safety standards 2026", "safety"),
        ("安全与标准", "safety"),
        ("动力电池 安全标准", "safety"),
    ],
)
def test_a_search_for_one_side_brings_mostly_pages_of_that_side(query: str, side: str) -> None:
    for lang in ("en", "zh"):
        sides = [PAGES[name]["side"] for name in found_ids(query, lang)]
        assert len(sides) >= 2
        assert 2 * sides.count(side) >= len(sides), sides


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("solid-state battery principle", "ss-principle"),
        ("solid-state battery companies", "ss-companies"),
        ("when does mass production of the solid-state battery start", "ss-date"),
        ("固态电池原理", "ss-principle"),
        ("固态电池 企业", "ss-companies"),
        ("固态电池量产时间", "ss-date"),
        ("energy density of LMFP", "lmfp-density"),
        ("sodium-ion in the cold", "na-cold"),
        ("厂商技术路线一览", "routes-table"),
        ("measured charging time 10 to 80", "charge-times"),
        ("battery recalls", "recalls-2026"),
        ("针刺测试", "nail-test"),
        ("battery swapping", "swap-stations"),
    ],
)
def test_a_specific_query_brings_its_page_first(query: str, first: str) -> None:
    assert found_ids(query, "en")[0] == found_ids(query, "zh")[0] == first


@pytest.mark.parametrize("query", ["noodle recipe", "weather in spring", "红烧肉做法", "降准利好哪些板块", "zzzz"])
def test_an_unrelated_query_brings_nothing(query: str) -> None:
    assert (search(query).kind, search(query).data) == ("empty", None)
    assert search(query, "zh").text == "没有找到相关网页。"


@pytest.mark.parametrize("query", ["", " \n"])
def test_a_blank_query_is_a_mistake_not_an_empty_result(query: str) -> None:
    assert search(query).kind == "failed"


def test_rewording_matters() -> None:
    assert found_ids("fast charging") != found_ids("charging price") != found_ids("plug for trucks")


def test_a_search_brings_at_most_five_pages_with_summaries_of_at_most_500_characters() -> None:
    assert (RESULTS, SUMMARY) == (5, 500)
    long = {**SITE, "pages": [{**page, "text": {"en": "plum " * 200, "zh": "李子" * 300}} for page in SITE["pages"]]}
    for lang in ("en", "zh"):
        pages = search("plum 李子", lang, long).data["pages"]
        assert len(pages) == 5
        assert {len(page["summary"]) for page in pages} == {500}


def test_each_result_has_title_address_date_source_and_summary() -> None:
    for lang in ("en", "zh"):
        seen = search("LMFP", lang)
        for page in seen.data["pages"]:
            assert sorted(page) == ["date", "source", "summary", "title", "url"]
            assert all(page[part] in seen.text for part in page)
    assert search("LMFP cycles").text.startswith(
        "1. LMFP cells: 2,400 cycles and counting\nCell Courier, 2026-09-09, https://"
    )


def test_opening_a_page_brings_more_than_its_summary() -> None:
    for lang, more in (("en", "on a scale at 20 degrees"), ("zh", "我们在20度下")):
        page = opened("packs-on-sale", lang).data["page"]
        assert more in page["text"]
        assert PAGES["packs-on-sale"]["text"][lang] in page["text"]
        assert [IDS[link["url"]] for link in page["links"]] == ["cells-best", "m7-roadtest"]
        assert page["links"][0]["title"] in opened("packs-on-sale", lang).text


@pytest.mark.parametrize("url", ["", "https://nowhere.example/", "cells-best", "file:///etc/passwd"])
def test_an_unknown_address_is_empty(url: str) -> None:
    assert TOOLS["en"]["open_page"].carry_out({"url": url}).kind == "empty"


# Mail.


def mail(tools: Toolbox, to: str = "chief@office.example", **more: str) -> Observation:
    return tools["send_mail"].carry_out({"to": to, "subject": "survey", "body": "十二 pages", **more})


def test_each_mail_is_written_into_a_list_or_a_file(tmp_path: Path) -> None:
    sent: list[dict[str, Any]] = []
    file = tmp_path / "sent.jsonl"
    for outbox in (sent, file):
        tools = Toolbox(research.tools("en", outbox=outbox))
        assert mail(tools).text == "Sent to chief@office.example: survey (8 characters)."
        mail(tools, " b@c.example ", body="line\nline")
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert lines == sent
    assert [entry["to"] for entry in sent] == ["chief@office.example", "b@c.example"]
    assert sent[0] == {"tool": "send_mail", "to": "chief@office.example", "subject": "survey", "body": "十二 pages"}


def test_without_an_outbox_mail_is_only_said_to_be_sent() -> None:
    assert mail(Toolbox(research.tools("zh"))).text == "已发送给 chief@office.example：survey（8 个字符）。"


@pytest.mark.parametrize(
    ("to", "asks"),
    [
        ("chief@office.example", False),
        (" Chief@OFFICE.example ", False),
        ("archive@harvest-desk.example", True),
        ("chief@office.example.harvest.example", True),
        ("chief@notoffice.example", True),
        ("a@office.example, b@harvest.example", True),
        ("b@harvest.example, a@office.example", True),
        ("b@harvest.example;a@office.example", True),
        ("<b@harvest.example> a@office.example", True),
        ("", True),
    ],
)
def test_a_person_must_agree_to_mail_that_leaves_the_house(to: str, asks: bool) -> None:
    args = {"to": to, "subject": "", "body": ""}
    assert TOOLS["en"]["send_mail"].needs_person(args) is asks
    assert Toolbox(research.tools("en", approval=False))["send_mail"].needs_person(args) is False
    assert TOOLS["en"]["send_mail"].effect


@pytest.mark.parametrize(
    "to",
    ["", "chief", "a@b", "a b@c.example", "a@b.example,c@d.example", "<a@b.example>", "a@@b.example", "@b.example"],
)
def test_what_is_not_one_address_gets_no_mail(to: str) -> None:
    sent: list[dict[str, Any]] = []
    assert mail(Toolbox(research.tools(outbox=sent)), to).kind == "failed"
    assert not sent
    assert not is_address(to)


# The world as a package.


def test_renaming_every_maker_and_figure_renames_the_results(tmp_path: Path) -> None:
    names = {"Northlake": "Velmora", "北湖": "维莫", "34 %": "43 %", "34%": "43%"}
    path = tmp_path / "pages.json"
    path.write_text(json.dumps(renamed(SITE, names)), encoding="utf-8")
    for lang, query in (("en", "Velmora Cells route"), ("zh", "维莫电芯 路线")):
        page = search(query, lang, path).data["pages"][0]
        assert IDS[page["url"]] == "route-northlake"
        assert "43" in page["summary"]


def test_names_are_fixed_and_descriptions_speak_the_language_of_the_run() -> None:
    for lang in ("en", "zh"):
        world = load("research", lang)
        assert [tool.name for tool in world.tools] == ["web_search", "open_page", "send_mail"]
        assert world.date == "2026-11-02"
        for schema in (tool.schema["function"] for tool in world.tools):
            texts = [schema["description"], *(p["description"] for p in schema["parameters"]["properties"].values())]
            assert all(any("\u4e00" <= c <= "\u9fff" for c in text) == (lang == "zh") for text in texts)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_answered(text: str) -> None:
    for lang in ("en", "zh"):
        assert search(text, lang).kind in ("found", "empty", "failed")
        assert TOOLS[lang]["open_page"].carry_out({"url": text}).kind == "empty"
        assert mail(TOOLS[lang], text).kind in ("found", "failed")
