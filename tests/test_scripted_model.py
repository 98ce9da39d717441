"""The scripted model answers in order, records what it was asked, and fails loudly when its script ends."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from planexec.chat import Price, ServiceError, ToolCall, Usage, tool_message, user
from planexec.models.scripted import ScriptedModel, ScriptEnded, calls, says

ASK = [user("What is 2 + 2?")]


def test_a_text_is_an_answer() -> None:
    reply = ScriptedModel(["four"]).reply(ASK)
    assert (reply.text, reply.finish, reply.complete) == ("four", "stop", True)
    assert reply.message == {"role": "assistant", "content": "four"}
    assert reply.model == "scripted"


@pytest.mark.parametrize("line", [("add", {"a": 2}), [("add", {"a": 2})], calls(("add", {"a": 2}))])
def test_a_pair_is_a_tool_call_with_a_message_that_can_be_put_back(line: object) -> None:
    reply = ScriptedModel([line]).reply(ASK)
    assert reply.finish == "tool_calls"
    assert reply.tool_calls == (ToolCall("call_1", "add", {"a": 2}),)
    (sent,) = reply.message["tool_calls"]
    assert sent["id"] == "call_1" and json.loads(sent["function"]["arguments"]) == {"a": 2}


def test_ids_stay_unique_over_the_conversation() -> None:
    model = ScriptedModel([[("add", {"a": 1}), ("add", {"a": 2})], ("add", {"a": 3})])
    first = model.reply(ASK)
    answered = [*ASK, first.message, *(tool_message(call, "ok") for call in first.tool_calls)]
    second = model.reply(answered)
    assert [call.id for call in first.tool_calls + second.tool_calls] == ["call_1", "call_2", "call_3"]


def test_the_last_reply_is_given_and_the_one_after_it_fails_naming_its_position() -> None:
    model = ScriptedModel(["one", "two"])
    assert [model.reply(ASK).text, model.reply(ASK).text] == ["one", "two"]
    with pytest.raises(ScriptEnded, match="request 3 has no reply: the script holds 2"):
        model.reply(ASK)


def test_an_exception_in_the_script_is_raised_and_the_next_reply_follows() -> None:
    model = ScriptedModel([ServiceError("busy", "transient", retry_after=2.0), "well"])
    with pytest.raises(ServiceError, match="busy") as caught:
        model.reply(ASK)
    assert caught.value.retry_after == 2.0
    assert model.reply(ASK).text == "well"


def test_a_function_sees_messages_and_tools() -> None:
    model = ScriptedModel(lambda messages, tools: f"{messages[-1]['content']} {len(tools)}")
    assert model.reply([user("a")], tools=[{"type": "function"}]).text == "a 1"
    assert model.reply([user("b")]).text == "b 0"


def test_requests_are_kept_as_they_were_asked() -> None:
    model, messages = ScriptedModel(["x"]), list(ASK)
    model.reply(messages, tool_choice="none", max_tokens=7, thinking=False, timeout=1.5)
    messages.append(user("later"))
    assert model.requests == [
        {"messages": ASK, "tools": [], "tool_choice": "none", "max_tokens": 7, "thinking": False, "timeout": 1.5}
    ]


def test_usage_and_price_make_dollars() -> None:
    model = ScriptedModel(["a", says("b", usage=Usage(0, 1_000_000))], price=Price(1.0, 3.0), usage=Usage(500_000, 0))
    assert [model.reply(ASK).usage.usd, model.reply(ASK).usage.usd] == [0.5, 3.0]
    assert ScriptedModel(["a"]).reply(ASK).usage.usd is None


def test_a_cut_reply_is_no_success() -> None:
    assert not ScriptedModel([says("half a sen", finish="length")]).reply(ASK).complete


def test_something_else_in_a_script_is_a_clear_error() -> None:
    with pytest.raises(TypeError, match="not 5"):
        ScriptedModel([5]).reply(ASK)


def test_it_needs_the_standard_library_only() -> None:
    code = (
        "import sys; import planexec.models.scripted; "
        "heavy = {'pydantic', 'openai', 'json_repair', 'requests'}; print(sorted(heavy & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
