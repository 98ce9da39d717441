"""The orders world: what an order looks like, what is wrong on purpose, and that every effect is written down once."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planexec.tools import Observation, Toolbox
from planexec.worlds import load, orders
from planexec.worlds.common import read_data, renamed

BOOK = read_data("orders", "orders.json")
TOOLS = {lang: Toolbox(orders.tools(lang)) for lang in ("en", "zh")}


def get(wanted: str, lang: str = "en") -> Observation:
    return TOOLS[lang]["get_order"].carry_out({"order_or_customer": wanted})


@pytest.mark.parametrize(
    "wanted", ["ORDER-001", "order-001", " ORDER-001 ", "C-11", "Tamsin Oake", "tamsin  oake", "谭欣欧"]
)
def test_an_order_is_found_by_its_number_and_by_its_customer(wanted: str) -> None:
    assert get(wanted).data["order"] == get(wanted, "zh").data["order"] == "ORDER-001"


def test_the_text_of_an_order_has_status_amount_and_dates() -> None:
    assert get("ORDER-001").text == (
        "ORDER-001 of Tamsin Oake (C-11, Eastholm, tamsin.oake@post.example): desk lamp, 189 yuan, "
        "ordered on 2026-10-26, shipped on 2026-10-29 by Swift Heron."
    )
    assert get("ORDER-001", "zh").text.endswith("台灯，189元，2026-10-26下单，已于2026-10-29由疾鹭快运发货。")
    assert (get("ORDER-001").data["status"], get("ORDER-001").data["amount_yuan"]) == ("shipped", 189.0)


def test_designed_failure_one_order_has_not_been_shipped() -> None:
    seen = get("ORDER-002")
    assert seen.kind == "found"
    assert seen.data["status"] == "not_shipped"
    assert "shipped_on" not in seen.data
    assert "not shipped yet" in seen.text
    assert "尚未发货" in get("ORDER-002", "zh").text


@pytest.mark.parametrize("wanted", ["ORDER-999", "ORDER", "", "Wren", "C-1"])
def test_designed_failure_an_unknown_order_is_empty(wanted: str) -> None:
    assert (get(wanted).kind, get(wanted).data) == ("empty", None)


def test_designed_failure_two_customers_of_one_name_are_candidates_not_an_answer() -> None:
    for name, lang in (("Wren Ashby", "en"), ("任艾碧", "zh"), ("wren ashby", "zh")):
        seen = get(name, lang)
        assert seen.kind == "empty"
        assert len(seen.data["candidates"]) == 2
        assert all(part in seen.text for part in ("ORDER-003", "C-13", "ORDER-004", "C-14"))
    assert get("C-14").data["order"] == "ORDER-004"


def test_every_mail_and_refund_is_written_down_in_the_order_it_was_made(tmp_path: Path) -> None:
    done: list[dict[str, Any]] = []
    file = tmp_path / "done.jsonl"
    for outbox in (done, file):
        tools = Toolbox(orders.tools("en", outbox=outbox))
        tools["send_mail"].carry_out({"to": "me", "subject": "shipped", "body": "ok"})
        assert (
            tools["refund"].carry_out({"order": "order-005", "amount_yuan": 99.5}).text
            == "Paid back 99.5 yuan of ORDER-005."
        )
        tools["refund"].carry_out({"order": "ORDER-005", "amount_yuan": 1})
    assert done == [
        {"tool": "send_mail", "to": "desk@office.example", "subject": "shipped", "body": "ok"},
        {"tool": "refund", "order": "ORDER-005", "amount_yuan": 99.5},
        {"tool": "refund", "order": "ORDER-005", "amount_yuan": 1.0},
    ]
    assert [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] == done


@pytest.mark.parametrize(
    ("args", "part"),
    [
        ({"order": "ORDER-999", "amount_yuan": 5}, "there is no order 'ORDER-999'"),
        ({"order": "ORDER-005", "amount_yuan": 99.51}, "at most 99.5 yuan"),
        ({"order": "ORDER-005", "amount_yuan": 0}, "above 0"),
        ({"order": "ORDER-005", "amount_yuan": -1}, "above 0"),
        ({"order": "ORDER-005", "amount_yuan": float("nan")}, "above 0"),
        ({"order": "ORDER-005", "amount_yuan": float("inf")}, "at most"),
        ({"order": "ORDER-005", "amount_yuan": "all"}, "amount_yuan"),
        ({"order": "ORDER-005"}, "amount_yuan"),
    ],
)
def test_a_refund_that_cannot_be_right_pays_nothing(args: dict[str, Any], part: str) -> None:
    done: list[dict[str, Any]] = []
    seen = Toolbox(orders.tools(outbox=done))["refund"].carry_out(args)
    assert seen.kind == "failed"
    assert part in seen.text
    assert not done


def test_a_refund_needs_a_person_and_mail_does_not() -> None:
    tools = TOOLS["en"]
    assert tools["refund"].needs_person({"order": "ORDER-005", "amount_yuan": 1})
    assert not tools["send_mail"].needs_person({"to": "a@b.example", "subject": "", "body": ""})
    assert [tool.name for tool in tools.values() if tool.effect] == ["send_mail", "refund"]
    assert not tools["get_order"].effect


def test_questions_name_orders_that_are_what_they_should_be() -> None:
    expected = {"ORDER-001": "shipped", "ORDER-002": "not_shipped", "ORDER-005": "delivered"}
    assert {order: get(order).data["status"] for order in expected} == expected
    for lang in ("en", "zh"):
        text = " ".join(orders.QUESTIONS[lang].values())
        assert all(part in text for part in (*expected, "ORDER-999"))
    assert "Wren Ashby" in orders.QUESTIONS["en"]["same_name"]
    assert "任艾碧" in orders.QUESTIONS["zh"]["same_name"]


def test_every_order_says_everything_in_both_languages_and_its_dates_are_in_order() -> None:
    for order in BOOK["orders"]:
        for part in ("name", "town", "item", *(["carrier"] if "shipped_on" in order else [])):
            assert list(order[part]) == ["en", "zh"]
        days = [order["ordered_on"], order.get("shipped_on", order["ordered_on"]), BOOK["date"]]
        assert days == sorted(days)
        assert all(date.fromisoformat(day) for day in days)
        assert order["mail"].endswith(".example")
        assert ("shipped_on" in order) == (order["status"] in ("shipped", "delivered"))
    assert BOOK["date"] == orders.DATE == load("orders").date
    assert "invented" in BOOK["note"]["en"]
    assert "虚构" in BOOK["note"]["zh"]
    assert sorted(BOOK["designed_failures"]) == ["not_shipped", "same_name", "unknown"]


def test_renaming_and_changing_the_data_changes_the_answers() -> None:
    data = renamed(BOOK, {"ORDER-001": "PO-77", "Tamsin Oake": "Rill Otter", "not_shipped": "cancelled"})
    data["orders"][0]["amount_yuan"] = 7.5
    tools = Toolbox(load("orders", "en", data).tools)
    assert "PO-77 of Rill Otter" in tools["get_order"].carry_out({"order_or_customer": "po-77"}).text
    assert "7.5 yuan" in tools["get_order"].carry_out({"order_or_customer": "Rill Otter"}).text
    assert tools["get_order"].carry_out({"order_or_customer": "ORDER-002"}).data["status"] == "cancelled"
    assert tools["refund"].carry_out({"order": "PO-77", "amount_yuan": 8}).kind == "failed"


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=30), st.floats() | st.text(max_size=5))
def test_any_text_is_answered(text: str, amount: float | str) -> None:
    for lang in ("en", "zh"):
        assert get(text, lang).kind in ("found", "empty")
        assert TOOLS[lang]["refund"].carry_out({"order": text, "amount_yuan": amount}).kind == "failed"
