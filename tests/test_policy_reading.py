"""A conversation is read as a real model would have to: from its words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from planexec.chat import ToolCall, assistant, system, tool_message, user
from planexec.models.policy.reading import kind_of, language, read
from planexec.worlds import NAMES, load

CALL = ToolCall("c1", "search", {"query": "x"})


@pytest.mark.parametrize(
    "text",
    ["", "Nothing found.", "Not found: no entry about this.", "No page found for this query.", "[]", "{}",
     "没有找到：没有相关条目。", "没有找到相关网页。", "查无此项", "未找到"],
)  # fmt: skip
def test_empty_results_are_known_by_their_words(text: str) -> None:
    assert kind_of(text) == "empty"


@pytest.mark.parametrize(
    "text",
    ["search failed: timed out", "Error 503: service unavailable", "Could not calculate: x.", "无法计算：除数为零。"],
)
def test_failures_are_known_by_their_words(text: str) -> None:
    assert kind_of(text) == "failed"


@pytest.mark.parametrize(
    "text", ["[guard] Not carried out: the run is about to conclude.", "[守卫] 未执行：被人拒绝：不行"]
)
def test_refusals_are_known_by_their_words(text: str) -> None:
    assert kind_of(text) == "refused"


def test_a_found_text_may_speak_of_failures_further_on() -> None:
    assert kind_of("[2026-01-02] A title\nThe pilot line failed, and nothing was found.") == "found"


NOWHERE = {
    "search_knowledge": ["zzzz"], "get_quote": ["zzzz"], "web_search": ["zzzz"], "open_page": ["https://zzzz.example"],
    "flight_status": ["ZZ1", "2026-10-12"], "weather": ["ZZ1", "2026-10-12"], "flight_history": ["ZZ1"],
    "get_order": ["ORDER-0"], "search_price": ["zzzz"], "fetch_page": ["https://zzzz.example"],
    "list_flights": ["2026-10-12", "zzzz"], "find_procedure": ["zzzz"], "list_risks": ["PR-0"],
}  # fmt: skip


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("world", NAMES)
def test_what_the_worlds_say_when_there_is_nothing_is_understood(world: str, lang: str) -> None:
    for tool in load(world, lang).tools:
        if tool.name in NOWHERE:
            names = tool.schema["function"]["parameters"]["required"]
            observation = tool.carry_out(dict(zip(names, NOWHERE[tool.name], strict=True)))
            assert (observation.kind, kind_of(observation.text)) == ("empty", "empty"), observation.text


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_several_that_fit_are_neither_found_nor_nothing(lang: str) -> None:
    (quote,) = [tool for tool in load("finance", lang).tools if tool.name == "get_quote"]
    (order,) = [tool for tool in load("orders", lang).tools if tool.name == "get_order"]
    for observation in (
        quote.carry_out({"ticker_or_name": "TMS"}),
        order.carry_out({"order_or_customer": "Wren Ashby"}),
    ):
        assert kind_of(observation.text) == "unclear"


BROKEN = [
    ("flights", "flight_status", {"flight": "KITE541", "date": "2026-10-19"}),
    ("flights", "flight_status", {"flight": "KITE542", "date": "2026-10-30"}),
    ("flights", "weather", {"airport": "MQ3", "date": "2026-10-30"}),
    ("flights", "weather", {"airport": "MQ3", "date": "soon"}),
    ("rivals", "write_report", {"title": "t", "text": "x"}),
    ("orders", "send_mail", {"to": "nowhere", "subject": "s", "body": "b"}),
    ("orders", "refund", {"order": "ORDER-0", "amount_yuan": 1.0}),
    ("finance", "calculate", {"expression": "1 / 0"}),
]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(("world", "name", "args"), BROKEN)
def test_what_the_worlds_say_when_something_fails_is_understood(
    world: str, name: str, args: dict[str, Any], lang: str
) -> None:
    (tool,) = [each for each in load(world, lang).tools if each.name == name]
    observation = tool.carry_out(args)
    assert (observation.kind, kind_of(observation.text)) == ("failed", "failed"), observation.text


def test_calls_are_paired_with_what_came_back() -> None:
    messages = [system("s"), user("q"), assistant("", [CALL], ['{"query": "x"}']), tool_message(CALL, "Nothing found.")]
    (seen,) = read(messages).seen
    assert (seen.name, seen.args, seen.kind, seen.turn, seen.users) == ("search", {"query": "x"}, "empty", 0, 1)


def test_data_gives_the_question_and_plain_text_is_the_question() -> None:
    assert read([user(json.dumps({"task": "T", "results": []}))]).question == "T"
    assert read([user("Which sectors?")]).question == "Which sectors?"


def test_a_content_in_parts_is_read_like_a_text() -> None:
    assert read([{"role": "user", "content": [{"type": "text", "text": "Hello"}]}]).question == "Hello"


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": None},
        {"role": "user"},
        {"role": "x", "content": "y"},
        {"role": "tool", "content": "z"},
        {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{broken"}}]},
    ],
)
def test_odd_messages_are_no_errors(message: dict[str, object]) -> None:
    assert read([message]).data == {}


def test_one_chinese_character_makes_a_text_chinese() -> None:
    assert (language("降准 RRR"), language("RRR cut")) == ("zh", "en")
