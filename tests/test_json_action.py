"""A model without reliable tool calls answers one JSON object; the conversation outside keeps its ordinary form."""

from __future__ import annotations

import json
from typing import Any

import pytest
from model_servers import ASK, SEARCH, Service, completion, continued
from pytest_httpserver import HTTPServer

from planexec.chat import Message, ServiceError, ToolCall

ACTION = '{"tool": "search", "args": {"q": "rain"}}'


def asked(httpserver: HTTPServer, content: str, finish: str = "stop", **options: Any) -> tuple[Any, dict[str, Any]]:
    service = Service(httpserver, completion(content, finish))
    reply = service.model("llamacpp").reply(ASK, tools=(SEARCH,), **options)
    return reply, service.bodies[0]


def test_an_action_is_a_tool_call_under_a_schema(httpserver: HTTPServer) -> None:
    reply, body = asked(httpserver, ACTION)
    assert reply.tool_calls == (ToolCall("call_1", "search", {"q": "rain"}),)
    assert (reply.text, reply.finish) == ("", "tool_calls")
    assert "tools" not in body and "tool_choice" not in body
    shapes = body["response_format"]["json_schema"]["schema"]["anyOf"]
    assert [sorted(shape["properties"]) for shape in shapes] == [["args", "tool"], ["answer"]]
    told = body["messages"][0]["content"]
    assert told.startswith("Answer in one sentence.") and "- search(q: string): Looks something up." in told


def test_an_answer_is_plain_text(httpserver: HTTPServer) -> None:
    reply, _ = asked(httpserver, '{"answer": "It will rain."}')
    assert (reply.text, reply.tool_calls, reply.complete) == ("It will rain.", (), True)
    assert reply.message == {"role": "assistant", "content": "It will rain."}


@pytest.mark.parametrize("content", [f"```json\n{ACTION}\n```", f"  {ACTION}\n", f"<think>hm</think>{ACTION}"])
def test_fences_and_thoughts_round_an_action_do_not_matter(httpserver: HTTPServer, content: str) -> None:
    assert asked(httpserver, content)[0].tool_calls[0].args == {"q": "rain"}


def test_plain_prose_stays_an_answer(httpserver: HTTPServer) -> None:
    assert asked(httpserver, "It will rain.")[0].text == "It will rain."


@pytest.mark.parametrize("content", ['{"tool": "search", "args": {"q"', '{"answer": ""}', '{"thought": "hm"}', "{}"])
def test_an_action_that_cannot_be_read_is_a_failure_that_may_pass(httpserver: HTTPServer, content: str) -> None:
    with pytest.raises(ServiceError, match="JSON action") as caught:
        asked(httpserver, content)
    assert caught.value.kind == "transient"


def test_an_action_cut_at_the_token_limit_is_no_answer(httpserver: HTTPServer) -> None:
    reply, _ = asked(httpserver, '{"answer": "It will ra', "length")
    assert (reply.text, reply.tool_calls, reply.complete) == ("", (), False)


def test_arguments_that_are_no_object_are_an_error_of_the_call(httpserver: HTTPServer) -> None:
    reply, _ = asked(httpserver, '{"tool": "search", "args": "rain"}')
    assert reply.tool_calls[0].args is None and "must be a JSON object" in reply.tool_calls[0].error


def test_the_conversation_goes_on_in_words_and_stays_ordinary_outside(httpserver: HTTPServer) -> None:
    service = Service(httpserver, completion(ACTION), completion('{"answer": "Rain."}'), completion("Rain."))
    messages: list[Message] = continued(service.ask(profile="llamacpp"), results="rain from noon")
    assert messages[2]["tool_calls"][0]["function"] == {"name": "search", "arguments": '{"q": "rain"}'}
    second = service.ask(profile="llamacpp", messages=messages)
    told = service.bodies[1]["messages"]
    assert [each["role"] for each in told] == ["system", "user", "assistant", "user"]
    assert json.loads(told[2]["content"]) == json.loads(ACTION)
    assert told[3]["content"].startswith("Tool result: rain from noon")
    assert second.text == "Rain."
    assert service.ask(messages=messages).text == "Rain."  # another service gets the calls as calls
    assert service.bodies[2]["messages"][2]["tool_calls"][0]["id"] == "call_1"


def test_ids_count_over_the_conversation(httpserver: HTTPServer) -> None:
    service = Service(httpserver, completion(ACTION), completion(ACTION))
    first = service.ask(profile="llamacpp")
    second = service.ask(profile="llamacpp", messages=continued(first))
    assert [first.tool_calls[0].id, second.tool_calls[0].id] == ["call_1", "call_2"]


@pytest.mark.parametrize(("choice", "shapes"), [("none", [["answer"]]), ("search", [["args", "tool"]])])
def test_a_choice_narrows_the_schema(httpserver: HTTPServer, choice: str, shapes: list[list[str]]) -> None:
    _, body = asked(httpserver, '{"answer": "Rain."}', tool_choice=choice)
    schema = body["response_format"]["json_schema"]["schema"]
    assert [sorted(shape["properties"]) for shape in schema.get("anyOf", [schema])] == shapes


def test_without_tools_nothing_is_said_about_json(httpserver: HTTPServer) -> None:
    service = Service(httpserver, completion("Rain."))
    service.ask(profile="llamacpp", tools=())
    assert "response_format" not in service.bodies[0] and service.bodies[0]["messages"] == ASK


def test_a_service_with_less_than_schemas_gets_less(httpserver: HTTPServer) -> None:
    service = Service(httpserver, completion(ACTION), completion(ACTION))
    service.ask(profile={"like": "deepseek", "native_tools": False})
    assert service.bodies[0]["response_format"] == {"type": "json_object"}
    service.ask(profile={"like": "llamacpp", "json_mode": "no"})
    assert "response_format" not in service.bodies[1]


def test_nothing_of_the_json_is_shown_while_it_comes(httpserver: HTTPServer) -> None:
    shown: list[str] = []
    service = Service(httpserver, completion('{"answer": "It will rain."}'), completion(ACTION))
    service.model("llamacpp", on_text=shown.append).reply(ASK, tools=(SEARCH,))
    service.model("llamacpp", on_text=shown.append).reply(ASK, tools=(SEARCH,))
    assert shown == ["It will rain."]
