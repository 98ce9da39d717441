"""What servers accept, one fixture and one test a row: each fixture refuses the naive request, and not ours.

Rows that are about what a server answers are in test_normalise.py.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from model_servers import ASK, SEARCH, continued, quirk
from pytest_httpserver import HTTPServer

from planexec.chat import Message, ServiceError, ToolCall, assistant, tool_message, user
from planexec.models.profiles import Profile, named, names
from planexec.models.request import build

NO_SUCH_RULE = Profile("naive", null_content=True)  # sends a conversation back as it came


def calls_in(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [call for message in body["messages"] for call in message.get("tool_calls") or ()]


def all_json(body: dict[str, Any]) -> bool:
    try:
        return all(isinstance(json.loads(call["function"]["arguments"]), dict) for call in calls_in(body))
    except ValueError:
        return False


def test_q03_content_null_becomes_an_empty_text(httpserver: HTTPServer) -> None:
    service = quirk(httpserver, "Q03")
    service.refuses = lambda body: any(message["content"] is None for message in body["messages"])
    messages = continued(service.ask(profile="ollama"))
    assert messages[2]["content"] is None  # the raw message is kept
    with pytest.raises(ServiceError, match="invalid message content type: <nil>"):
        service.ask(profile=NO_SUCH_RULE, messages=messages)
    assert service.ask(profile="ollama", messages=messages).text == "It will rain."


def test_q08_a_tool_without_parameters_gets_an_empty_object(httpserver: HTTPServer) -> None:
    service = quirk(httpserver, "Q08")
    service.refuses = lambda body: any("parameters" not in tool["function"] for tool in body["tools"])
    bare = {"type": "function", "function": {"name": "today", "description": "The date."}}
    assert service.ask(profile={"like": "llamacpp", "native_tools": True}, tools=(bare,)).text == "It will rain."
    assert service.bodies[0]["tools"][0]["function"]["parameters"] == {"type": "object", "properties": {}}
    assert "parameters" not in bare["function"]


NINE = re.compile(r"[A-Za-z0-9]{9}")


def ids_fit(body: dict[str, Any]) -> bool:
    ids = [call["id"] for call in calls_in(body)]
    answered = [message["tool_call_id"] for message in body["messages"] if message["role"] == "tool"]
    return ids == answered and all(NINE.fullmatch(id_) for id_ in ids)


def test_q09_an_id_the_server_would_refuse_is_replaced_on_both_sides(httpserver: HTTPServer) -> None:
    service = quirk(httpserver, "Q09")
    service.refuses = lambda body: not ids_fit(body)
    messages = continued(service.ask())
    assert messages[2]["tool_calls"][0]["id"] == "1697377797897"
    with pytest.raises(ServiceError, match="alphanumeric strings with length 9"):
        service.ask(messages=messages)
    assert service.ask(profile={"like": "llamacpp", "native_tools": True}, messages=messages).text == "It will rain."


def test_q13_two_calls_go_back_one_at_a_time(httpserver: HTTPServer) -> None:
    service = quirk(httpserver, "Q13")
    service.refuses = lambda body: any(len(message.get("tool_calls") or ()) > 1 for message in body["messages"])
    messages = continued(service.ask())
    with pytest.raises(ServiceError, match="single tool-calls"):
        service.ask(messages=messages)
    assert service.ask(profile="vllm", messages=messages).text == "It will rain."
    sent = service.bodies[-1]["messages"]
    assert [message["role"] for message in sent[2:]] == ["assistant", "tool", "assistant", "tool"]
    assert [sent[3]["tool_call_id"], sent[5]["tool_call_id"]] == [call["id"] for call in calls_in(service.bodies[-1])]


def test_q20_thinking_is_streamed_or_switched_off(httpserver: HTTPServer) -> None:
    service = quirk(httpserver, "Q20")
    service.refuses = lambda body: body.get("enable_thinking", True) and not body.get("stream")
    model = service.model("dashscope")
    thought = model.reply(ASK, thinking=True)
    assert (thought.text, thought.reasoning) == ("It will rain.", "Clouds.")
    assert model.reply(ASK).text == "It will rain."
    assert [body["enable_thinking"] for body in service.bodies] == [True, False]
    with pytest.raises(ServiceError, match="enable_thinking must be set to false"):
        service.ask()


def test_q21_unreadable_arguments_go_back_as_json_that_quotes_them(httpserver: HTTPServer) -> None:
    service = quirk(httpserver, "Q21")
    service.refuses = lambda body: not all_json(body)
    messages = continued(service.ask())
    assert messages[2]["tool_calls"][0]["function"]["arguments"] == '{"q": "rain in Ber'
    assert service.ask(profile="dashscope", messages=messages).text == "It will rain."
    (call,) = calls_in(service.bodies[-1])
    assert json.loads(call["function"]["arguments"]) == {"unreadable": '{"q": "rain in Ber'}


def test_q22_json_mode_switches_thinking_off(httpserver: HTTPServer) -> None:
    service = quirk(httpserver, "Q22")
    service.refuses = lambda body: "response_format" in body and body.get("enable_thinking", True)
    as_json = {"response_format": {"type": "json_object"}}
    with pytest.raises(ServiceError, match="Json mode response is not supported when enable_thinking is true"):
        service.model(body=as_json).reply(ASK)
    assert service.model("dashscope", body=as_json).reply(ASK, thinking=True).text == '{"rain": true}'


def test_q23_a_call_without_thoughts_goes_back_with_one_blank(httpserver: HTTPServer) -> None:
    service = quirk(httpserver, "Q23")

    def lacks(body: dict[str, Any]) -> bool:
        return any("tool_calls" in each and not each.get("reasoning_content") for each in body["messages"])

    service.refuses = lacks
    messages = continued(service.ask())
    with pytest.raises(ServiceError, match="reasoning_content is missing"):
        service.ask(messages=messages)
    assert service.ask(profile="moonshot", messages=messages).text == "It will rain."
    assert service.bodies[-1]["messages"][2]["reasoning_content"] == " "


def test_q24_ids_that_come_again_are_told_apart_here_and_go_back_as_they_came(httpserver: HTTPServer) -> None:
    service = quirk(httpserver, "Q24")
    first = service.ask()
    messages = continued(first)
    second = service.ask(messages=messages)
    ids = [call.id for call in first.tool_calls + second.tool_calls]
    assert ids == ["search:0", "search:1", "call_3"]
    messages = continued(second, messages)
    service.ask(messages=messages)
    sent = service.bodies[-1]["messages"]
    assert [call["id"] for call in calls_in(service.bodies[-1])] == ["search:0", "search:1", "search:0"]
    assert [each["tool_call_id"] for each in sent if each["role"] == "tool"] == ["search:0", "search:1", "search:0"]
    assert all("wire_id" not in call for call in calls_in(service.bodies[-1]))


@pytest.mark.parametrize("profile", ["moonshot", "plain", {"like": "llamacpp", "native_tools": True}])
def test_q25_ids_with_a_name_and_a_number_go_back_unchanged(httpserver: HTTPServer, profile: Any) -> None:
    service = quirk(httpserver, "Q25")
    service.refuses = lambda body: any(call["id"] != "functions.search:0" for call in calls_in(body))
    assert service.ask(profile=profile, messages=continued(service.ask(profile=profile))).text == "It will rain."
    assert service.bodies[-1]["messages"][3]["tool_call_id"] == "functions.search:0"


def test_q33_unknown_keys_of_a_call_go_back(httpserver: HTTPServer) -> None:
    service = quirk(httpserver, "Q33")
    service.refuses = lambda body: any("extra_content" not in call for call in calls_in(body))
    messages = continued(service.ask(profile="gemini"))
    assert service.ask(profile="gemini", messages=messages).text == "It will rain."
    (call,) = calls_in(service.bodies[-1])
    assert call["extra_content"] == {"google": {"thought_signature": "CiQB"}}
    with pytest.raises(ServiceError, match="missing a thought_signature"):
        service.ask(profile="openai", messages=messages)


def test_q34_ids_of_another_service_become_nine_letters_and_digits(httpserver: HTTPServer) -> None:
    service = quirk(httpserver, "Q34")
    service.refuses = lambda body: not ids_fit(body)
    own = service.ask(profile="mistral")
    assert own.tool_calls[0].id == "bJ4nV2kQ8"
    call = ToolCall("call_1", "search", {"q": "snow"})
    foreign: list[Message] = [*ASK, assistant("", [call], ['{"q": "snow"}']), tool_message(call, "snow")]
    assert service.ask(profile="mistral", messages=continued(own, foreign)).text == "It will rain."
    assert [each["id"] for each in calls_in(service.bodies[-1])][1] == "bJ4nV2kQ8"
    with pytest.raises(ServiceError, match="but must be a-z, A-Z, 0-9"):
        service.ask(messages=foreign)


@pytest.mark.parametrize(("rule", "has"), [("keep", [False]), ("require", [False]), ("require all", [True])])
def test_a_stricter_service_gets_thoughts_with_every_message(rule: str, has: list[bool]) -> None:
    body = build(Profile(reasoning=rule), "m", [*ASK, assistant("Rain."), user("Sure?")])
    assert ["reasoning_content" in each for each in body["messages"] if each["role"] == "assistant"] == has


def test_a_request_changes_nothing_in_the_conversation() -> None:
    call = ToolCall("list_dir:0", "search", {"q": "rain"})
    message = assistant("", [call], ['{"q": "rain"}']) | {"content": None, "tool_calls": []}
    foreign = assistant("x", [call], ["{"]) | {"reasoning_content": "Clouds."}
    messages = [*ASK, message, foreign, tool_message(call, "rain")]
    before = json.dumps(messages)
    for profile in names():
        build(named(profile), "m", messages, tools=(SEARCH,), tool_choice="none", thinking=True, max_tokens=10)
    assert json.dumps(messages) == before
