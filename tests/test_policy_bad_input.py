"""Whatever is sent, the model answers: odd messages, hostile texts, sizes out of all proportion."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planexec import PlanExecuteAgent, worlds
from planexec.chat import ToolCall, assistant, tool_message, user
from planexec.models.policy.reading import READ
from planexec.models.policy.tasks import LONGEST
from planexec.models.simulated import SimulatedModel
from planexec.worlds import finance, research

QUESTION = finance.QUESTIONS["en"]["allocation"]
SURVEY = research.QUESTIONS["en"]["survey"]
SCHEMAS = [tool.schema for tool in (*finance.tools("en"), *research.tools("en"))]
CALL = ToolCall("1", "search_knowledge", {"query": "sector weights after a reserve-requirement cut"})

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=8,
)
KEYS = ("task", "date", "tools", "step", "earlier_results", "results", "done", "remaining", "stopped", "max_plan_steps")
TEXTS = st.sampled_from([QUESTION, SURVEY, "Nothing found.", "", "- a: 25%", "{", "[1]", "查不到", "x" * 50]) | st.text(
    max_size=40
)
DATA = st.dictionaries(st.sampled_from(KEYS), JSON | TEXTS, max_size=5).map(lambda d: json.dumps(d, ensure_ascii=False))
FUNCTION = st.fixed_dictionaries({"name": TEXTS, "arguments": TEXTS | DATA})
CALLS = st.lists(st.fixed_dictionaries({"id": st.sampled_from("12"), "function": FUNCTION}), max_size=2)
MESSAGES = st.lists(
    st.fixed_dictionaries(
        {
            "role": st.sampled_from(["system", "user", "assistant", "tool", "other"]),
            "content": st.none() | TEXTS | DATA,
        },
        optional={"tool_calls": CALLS, "tool_call_id": st.sampled_from("12")},
    ),
    max_size=6,
)


@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(MESSAGES, st.booleans(), st.sampled_from(["auto", "none", "required"]), st.none() | st.integers(1, 40))
def test_any_messages_get_a_reply_within_its_size(messages: Any, tools: bool, choice: str, most: int | None) -> None:
    offered = SCHEMAS if tools else ()
    reply = SimulatedModel("reckless").reply(messages, tools=offered, tool_choice=choice, max_tokens=most)
    assert reply.text or reply.tool_calls or reply.reasoning
    assert most is None or reply.usage.completion_tokens <= most
    assert not (choice == "none" and reply.tool_calls)


@pytest.mark.parametrize(
    "question",
    [
        "8" * 50_000,
        "how much of the " * 9_000,
        "banks and " * 9_000,
        "一" * 50_000,
        "(" * 50_000,
        "- a: 1%\n" * 9_000,
        " " * 99_999,
    ],
)
def test_huge_questions_are_read_in_part(question: str) -> None:
    assert SimulatedModel("reckless").reply([user(question + " stocks allocate")], tools=SCHEMAS).text


HOSTILE = [
    "x" * 200_000, "= " * 99_999, "send " * 50_000 + "a@b.cd", "发送" * 50_000, "{" * 99_999, "[" * 99_999,
    '{"a":' * 9_999, "- a: 25%\n" * 50_000, "a 1%, " * 50_000, ": " * 99_999,
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:8])
def test_huge_and_hostile_results_are_read_in_part(text: str) -> None:
    for question in (QUESTION, SURVEY):
        messages = [user(question), assistant("", [CALL], [json.dumps(CALL.args)]), tool_message(CALL, text)]
        replies = [SimulatedModel("reckless").reply(messages, tools=SCHEMAS, tool_choice=c) for c in ("auto", "none")]
        assert (replies[0].text or replies[0].tool_calls) and replies[1].text


def test_what_stands_beyond_the_size_that_is_read_is_not_known() -> None:
    model = SimulatedModel("careful")
    asked = assistant("", [CALL], [json.dumps(CALL.args)])
    near, far = ("x" * size + "\n\nweights:\n- zig: 25%\n- zag: 75%" for size in (10, READ))
    last = [[user(QUESTION), asked, tool_message(CALL, text)] for text in (near, far)]
    answers = [model.reply(messages, tools=SCHEMAS, tool_choice="none").text for messages in last]
    assert "Zig: 25%" in answers[0] and "Zig" not in answers[1]
    assert "only know" in model.reply([user("x" * LONGEST + QUESTION)]).text


@pytest.mark.parametrize("question", ["Refund order 1007", "请给订单 1007 退款", "How late was the flight?"])
@pytest.mark.parametrize("world", worlds.NAMES)
def test_a_question_that_names_nothing_leaves_no_blank_in_the_answer(world, question):
    place = worlds.load(world)
    result = PlanExecuteAgent(SimulatedModel(), place.tools).run(question)
    assert result.answer and "{" not in result.answer
