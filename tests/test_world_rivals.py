"""The rivals world: the prices are always there, and the report service never answers unless it is told to."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planexec.tools import Observation, Toolbox
from planexec.worlds import load, rivals
from planexec.worlds.common import read_data, renamed

DATA = read_data("rivals", "rivals.json")
TOOLS = {lang: Toolbox(rivals.tools(lang)) for lang in ("en", "zh")}


def price(product: str, lang: str = "en") -> Observation:
    return TOOLS[lang]["search_price"].carry_out({"product": product})


def page(url: str, lang: str = "en") -> Observation:
    return TOOLS[lang]["fetch_page"].carry_out({"url": url})


def test_a_search_brings_every_shop_with_price_unit_date_and_address() -> None:
    seen = price("Alder Desk")
    assert seen.data["lowest_yuan"] == 1849
    assert [offer["price_yuan"] for offer in seen.data["offers"]] == [1899, 1849, 1990]
    assert seen.text.splitlines()[:2] == [
        "Alder Desk (standing desk, 140 cm), lowest price 1849 yuan:",
        "- Maple Mart: 1899 yuan (2026-10-29) https://maplemart.example/alder",
    ]
    assert price("桤木书桌", "zh").text.startswith(
        "桤木书桌（升降书桌，140厘米），最低价1849元：\n- 枫市：1899元（2026-10-29）"
    )
    assert price(" alder desk ", "zh").data["product"] == "桤木书桌"


def test_the_page_of_an_offer_says_more_than_the_search() -> None:
    url = price("Birch Desk").data["offers"][2]["url"]
    assert (
        page(url).text
        == "Birch Desk at Tin Roof Depot: 1599 yuan on 2026-10-31, warranty 12 months, delivery in 9 days."
    )
    assert page(url, "zh").text == "铁皮仓的桦木书桌：1599元（2026-10-31），保修12个月，9天送达。"


@pytest.mark.parametrize("product", ["", "Alder", "Oak Table", "桌"])
def test_an_unknown_product_has_no_price(product: str) -> None:
    assert price(product).kind == "empty"


@pytest.mark.parametrize("url", ["", "https://maplemart.example/", "https://nowhere.example/alder"])
def test_an_unknown_address_has_no_page(url: str) -> None:
    assert page(url).kind == "empty"


def test_the_products_of_the_question_are_all_there_so_the_third_step_never_fails_for_lack_of_data() -> None:
    for lang, names in (("en", ("Alder Desk", "Birch Desk")), ("zh", ("桤木书桌", "桦木书桌"))):
        for name in names:
            assert name in rivals.QUESTIONS[lang]["compare"]
            offers = price(name, lang).data["offers"]
            assert all(page(offer["url"], lang).kind == "found" for offer in offers)


def test_designed_failure_the_report_service_times_out_every_time_and_writes_nothing() -> None:
    for lang, part in (("en", "did not answer within 10 seconds"), ("zh", "10秒内没有响应")):
        done: list[dict[str, Any]] = []
        write = Toolbox(rivals.tools(lang, outbox=done))["write_report"]
        first = write.carry_out({"title": "t", "text": "x"})
        assert (first.kind, first.failure, first.seconds) == ("failed", "transient", rivals.TIMEOUT_SECONDS)
        assert part in first.text
        assert write.carry_out({"title": "t", "text": "x"}) == first
        assert not done


def test_told_to_work_the_report_service_stores_each_report() -> None:
    done: list[dict[str, Any]] = []
    write = Toolbox(rivals.tools("en", outbox=done, report_works=True))["write_report"]
    assert write.carry_out({"title": "Desks", "text": "A 1849, B 1599"}).text == "Stored: Desks (14 characters)."
    assert done == [{"tool": "write_report", "title": "Desks", "text": "A 1849, B 1599"}]
    assert load("rivals", report_works=True).tools[2].carry_out({"title": "", "text": ""}).kind == "found"


def test_writing_changes_the_world_and_may_be_repeated() -> None:
    marks = {tool.name: (tool.effect, tool.idempotent) for tool in TOOLS["en"].values()}
    assert marks == {"search_price": (False, False), "fetch_page": (False, False), "write_report": (True, True)}


def test_the_data_is_dated_two_tongued_invented_and_on_reserved_addresses() -> None:
    assert DATA["date"] == rivals.DATE == load("rivals").date
    assert "invented" in DATA["note"]["en"]
    assert "虚构" in DATA["note"]["zh"]
    assert list(DATA["designed_failures"]) == ["report_times_out"]
    for known in DATA["products"]:
        assert list(known["product"]) == list(known["about"]) == ["en", "zh"]
        for offer in known["offers"]:
            assert list(offer["shop"]) == ["en", "zh"]
            assert date.fromisoformat(offer["date"]) <= date.fromisoformat(rivals.DATE)
            assert re.fullmatch(r"https://[a-z]+\.example/[a-z]+", offer["url"])


def test_renaming_and_changing_the_data_changes_the_answers() -> None:
    data = renamed(DATA, {"Alder Desk": "Nimbus Sofa", "Maple Mart": "Zed"})
    data["products"][0]["offers"][0]["price_yuan"] = 12.5
    seen = Toolbox(rivals.tools("en", data))["search_price"].carry_out({"product": "Nimbus Sofa"})
    assert seen.data["lowest_yuan"] == 12.5
    assert "- Zed: 12.5 yuan" in seen.text


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=30))
def test_any_text_is_answered(text: str) -> None:
    for lang in ("en", "zh"):
        assert price(text, lang).kind == page(text, lang).kind == "empty"
        assert TOOLS[lang]["write_report"].carry_out({"title": text, "text": text}).kind == "failed"
