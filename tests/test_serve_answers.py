"""What the local server lets pass and how it words an answer: whole, as a stream, for the official client."""

from __future__ import annotations

import json
from typing import Any

import pytest
from model_servers import SEARCH
from serving import ASKS, CALL, HELLO, TALK, TOLD, body, echo, event_data, send, serve

from planexec import react, tool
from planexec.chat import Reply, ServiceError, ToolCall, Usage, user
from planexec.models.scripted import ScriptedModel, calls, says
from planexec.models.stream import Assembly
from planexec.tools import Observation

NAMED = {"type": "function", "function": {"name": "search"}}
OFF = {"thinking": {"type": "disabled"}}
SPOKE = {"role": "assistant", "content": "Yes."}

TOLERATED: dict[str, tuple[str, dict[str, Any]]] = {
    "two adjacent user messages": ("deepseek", {"messages": [*HELLO, *HELLO]}),
    "an assistant message without content": ("deepseek", {"messages": [*HELLO, {**SPOKE, "content": ""}, *HELLO]}),
    "arguments in the history that are not JSON": (
        "deepseek",
        {
            "messages": [
                *HELLO,
                {**ASKS, "tool_calls": [{**CALL, "function": {"name": "s", "arguments": '{"q": '}}]},
                TOLD,
            ]
        },
    ),
    "empty content beside tool calls": ("deepseek", {"messages": TALK}),
    "null content beside tool calls": ("deepseek", {"messages": [*HELLO, {**ASKS, "content": None}, TOLD]}),
    "thoughts that are empty": ("deepseek", {"messages": [*HELLO, {**ASKS, "reasoning_content": ""}, TOLD]}),
    "thoughts in a turn without tool calls": (
        "deepseek",
        {"messages": [*HELLO, {**SPOKE, "reasoning_content": "Hm."}, *HELLO]},
    ),
    "no thoughts in a turn without tool calls": ("deepseek", {"messages": [*HELLO, SPOKE, *HELLO]}),
    "no thoughts beside tool calls when thinking is off": (
        "deepseek",
        {"messages": [*HELLO, {key: ASKS[key] for key in ("role", "content", "tool_calls")}, TOLD], **OFF},
    ),
    "a forced tool call when thinking is off": ("deepseek", {"tools": [SEARCH], "tool_choice": NAMED, **OFF}),
    "tool_choice none while thinking": ("deepseek", {"tools": [SEARCH], "tool_choice": "none"}),
    "temperature while thinking": ("deepseek", {"temperature": 0.2, "presence_penalty": 1, "frequency_penalty": 1}),
    "unknown keys in the body": ("deepseek", {"seed": 1, "enable_thinking": True}),
    "an older name of the model": ("deepseek", {"model": "deepseek-v4-flash"}),
    "the name of the model behind the server": ("deepseek", {"model": "scripted"}),
    "a picture in a user message": (
        "deepseek",
        {
            "messages": [
                user("json"),
                {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]},
            ]
        },
    ),
    "the same ids in two turns": ("deepseek", {"messages": [*TALK, *TALK]}),
    "two calls answered the other way round": (
        "deepseek",
        {
            "messages": [
                *HELLO,
                {**ASKS, "tool_calls": [CALL, {**CALL, "id": "call_b"}]},
                {**TOLD, "tool_call_id": "call_b"},
                TOLD,
            ]
        },
    ),
    "128 tools": ("deepseek", {"tools": [{"type": "function", "function": {"name": f"t{n}"}} for n in range(128)]}),
    "a name of 64 letters": ("deepseek", {"tools": [{"type": "function", "function": {"name": "t" * 64}}]}),
    "393,216 tokens of room": ("deepseek", {"max_tokens": 393_216}),
    "fields that are null": ("deepseek", {"tools": None, "stop": None, "response_format": None, "max_tokens": None}),
    "a list as content of an assistant message": (
        "openai",
        {"messages": [*HELLO, {**SPOKE, "content": [{"type": "text", "text": "Yes."}]}, *HELLO]},
    ),
    "json_schema": ("openai", {"response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {}}}}),
    "an id of 40 letters": (
        "openai",
        {"messages": [*HELLO, {**ASKS, "tool_calls": [{**CALL, "id": "c" * 40}]}, {**TOLD, "tool_call_id": "c" * 40}]},
    ),
    "the role developer": ("openai", {"messages": [{"role": "developer", "content": "Be brief."}, *HELLO]}),
    "tools in the first era": ("deepseek-2025", {"tools": [SEARCH]}),
}


@pytest.mark.parametrize(("profile", "changes"), TOLERATED.values(), ids=TOLERATED)
def test_what_the_service_tolerates_is_not_refused(profile: str, changes: dict[str, Any]) -> None:
    with serve(profile) as server:
        came = send(server, body(profile, **changes))
        assert (came.status, server.refusals) == (200, []), came.text


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/chat/completions", "/beta/chat/completions"])
def test_the_service_has_several_base_paths(path: str) -> None:
    with serve() as server:
        assert send(server, body(), path).status == 200


def test_the_list_of_models_is_for_those_with_a_key() -> None:
    with serve() as server:
        listed = send(server, None, "/v1/models", method="GET").json
        assert [each["id"] for each in listed["data"]] == ["deepseek-flash", "deepseek-v4-pro", "scripted"]
        assert send(server, None, "/models", method="GET", key="sk-wrong-key").status == 401
        assert [each.rule for each in server.refusals] == ["auth"]


def test_an_alias_is_answered_under_the_name_it_stands_for() -> None:
    with serve() as server:
        assert send(server, body(model="deepseek-v4-flash")).json["model"] == "deepseek-flash"


def test_thoughts_come_when_the_model_thinks_and_only_then() -> None:
    with serve() as server:
        assert send(server, body()).message["reasoning_content"] == "I repeat."
        assert "reasoning_content" not in send(server, body(**OFF)).message
    with serve("openai") as server:
        assert "reasoning_content" not in send(server, body("openai")).message
    with serve("deepseek-2025") as server:
        assert "reasoning_content" not in send(server, body("deepseek-2025")).message
        assert "reasoning_content" in send(server, body(model="deepseek-reasoner")).message


def test_the_model_is_asked_what_the_request_asks() -> None:
    model = ScriptedModel(echo)
    with serve(model=model) as server:
        send(server, body(tools=[SEARCH], tool_choice="none", max_tokens=50))
        send(server, body(tools=[SEARCH], tool_choice=NAMED, **OFF))
    first, second = model.requests
    assert (first["messages"], first["tools"]) == (HELLO, [SEARCH])
    assert (first["tool_choice"], first["max_tokens"], first["thinking"]) == ("none", 50, True)
    assert (second["tool_choice"], second["max_tokens"], second["thinking"]) == ("search", 8192, False)


def test_usage_is_what_the_model_counts_else_a_token_for_four_bytes() -> None:
    model = ScriptedModel([says("Rain.", usage=Usage(10, 3)), says("R" * 40, reasoning="T" * 20)])
    with serve(model=model) as server:
        first, second = send(server, body()).json["usage"], send(server, body()).json["usage"]
        size = len(server.requests[1].raw)
    assert (first["prompt_tokens"], first["completion_tokens"], first["total_tokens"]) == (10, 3, 13)
    assert first["prompt_cache_hit_tokens"] + first["prompt_cache_miss_tokens"] == 10
    assert second["prompt_tokens"] == -(-size // 4)
    assert second["completion_tokens_details"]["reasoning_tokens"] == 5 < second["completion_tokens"]


@pytest.mark.parametrize(
    ("text", "came"),
    [('{"a": 1}', '{"a": 1}'), ('["a"]', " " * 16), ('```json\n{"a": 1}\n```', " " * 16), ("No.", " " * 16)],
)
def test_json_mode_answers_with_blanks_where_the_model_wrote_no_object(text: str, came: str) -> None:
    with serve(model=ScriptedModel([says(text)] * 2)) as server:
        answer = send(server, body(response_format={"type": "json_object"}))
        assert (answer.message["content"], answer.json["choices"][0]["finish_reason"]) == (came, "stop")
        assert send(server, body()).message["content"] == text


def test_a_service_says_stop_where_it_was_told_what_to_call() -> None:
    with serve("openai") as server:
        answer = send(server, body("openai", tools=[SEARCH], tool_choice=NAMED)).json["choices"][0]
    assert (answer["finish_reason"], answer["message"]["content"]) == ("stop", None)
    assert answer["message"]["tool_calls"][0]["function"]["name"] == "search"


def test_broken_arguments_reach_the_client_as_the_model_wrote_them() -> None:
    call = ToolCall("call_1", "search", None, "cut")
    written = {"id": "call_1", "type": "function", "function": {"name": "search", "arguments": '{"q": "ra'}}
    reply = Reply("", (call,), "tool_calls", message={"role": "assistant", "content": "", "tool_calls": [written]})
    with serve(model=ScriptedModel([reply])) as server:
        assert send(server, body()).message["tool_calls"][0]["function"]["arguments"] == '{"q": "ra'


REPLIES = {
    "text": says("It will rain. " * 30, reasoning="Clouds."),
    "call": calls(("search", {"q": "rain " * 20}), ("search", {}), text="I look.", reasoning="Clouds."),
    "nothing": says(""),
    "half a character": says("\ud83d rain"),
    "filtered": says("I may not say.", finish="filtered"),
}


@pytest.mark.parametrize("usage", [True, False])
@pytest.mark.parametrize("reply", REPLIES.values(), ids=REPLIES)
@pytest.mark.parametrize("profile", ["deepseek", "openai"])
def test_a_stream_put_together_is_the_answer_in_one_piece(profile: str, reply: Reply, usage: bool) -> None:
    asked = body(profile, stream=True, **({"stream_options": {"include_usage": True}} if usage else {}))
    with serve(profile, ScriptedModel([reply] * 2)) as server:
        whole = send(server, body(profile)).json
        came = send(server, asked)
    assert came.headers["content-type"].startswith("text/event-stream")
    assembly = Assembly()
    for event in event_data(came.text):
        assembly.take(json.dumps(event))
    built = assembly.body()
    choice, expected = built["choices"][0], whole["choices"][0]
    assert choice["finish_reason"] == expected["finish_reason"]
    kept = {key: value for key, value in expected["message"].items() if value not in (None, "")}
    assert {key: value for key, value in choice["message"].items() if value not in (None, "")} == kept
    told = usage or profile == "deepseek"
    assert built.get("usage", {}).get("completion_tokens") == (whole["usage"]["completion_tokens"] if told else None)


def test_the_usage_of_a_stream_comes_apart_when_it_is_asked_for() -> None:
    with serve() as server:
        apart = event_data(send(server, body(stream=True, stream_options={"include_usage": True})).text)
        along = event_data(send(server, body(stream=True)).text)
    assert (apart[-1]["choices"], "usage" in apart[-1], "usage" in apart[-2]) == ([], True, False)
    assert along[-1]["choices"][0]["finish_reason"] == "stop" and "usage" in along[-1]
    assert apart[0]["choices"][0]["delta"]["reasoning_content"] == ""


@pytest.mark.parametrize(
    ("problem", "status", "retry_after"),
    [
        (ServiceError("busy", "transient", retry_after=3, status=429), 429, "3"),
        (ServiceError("down", "transient"), 503, None),
        (KeyError("lost"), 500, None),
    ],
)
def test_a_model_that_fails_is_an_error_and_not_the_end(problem: Any, status: int, retry_after: str | None) -> None:
    with serve(model=ScriptedModel([problem, says("Rain.")])) as server:
        came = send(server, body())
        assert (came.status, came.headers.get("retry-after")) == (status, retry_after)
        assert send(server, body()).message["content"] == "Rain."
        came = send(server, body())  # the script has run out, which is no `Exception`
        assert came.status == 500 and "ScriptEnded" in came.error["message"]
        assert server.problems == []


@tool
def search(q: str) -> Observation:
    """Looks something up."""
    return Observation("found", f"{q}: it will")


@pytest.mark.parametrize("profile", ["deepseek", "openai"])
@pytest.mark.parametrize("stream", [False, True])
def test_the_official_client_completes_a_task_with_tools(profile: str, stream: bool) -> None:
    import openai

    with serve(profile) as server, openai.OpenAI(base_url=server.url, api_key=server.key) as client:
        messages: list[Any] = list(HELLO)
        options: dict[str, Any] = {"model": body(profile)["model"], "tools": [SEARCH]}
        message = client.chat.completions.create(messages=messages, **options).choices[0].message
        messages.append(message)
        for call in message.tool_calls or ():
            found = search(**json.loads(call.function.arguments)).text
            messages.append({"role": "tool", "tool_call_id": call.id, "content": found})
        answer = client.chat.completions.create(messages=messages, stream=stream, **options)
        if stream:
            text = "".join(each.choices[0].delta.content or "" for each in answer if each.choices)
        else:
            text = answer.choices[0].message.content
        assert (json.loads(text), server.refusals) == ({"said": "rain: it will"}, [])


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("profile", ["deepseek", "deepseek-2025", "openai"])
def test_the_packages_own_client_completes_it_through_every_profile(profile: str, stream: bool) -> None:
    with serve(profile) as server:
        result = react("Will it rain?", server.model(stream=stream), [search])
        assert (result.complete, json.loads(result.answer)) == (True, {"said": "rain: it will"})
        assert server.refusals == []


def test_the_official_client_breaks_when_the_thoughts_get_lost_on_the_way() -> None:
    import openai

    with serve() as server, openai.OpenAI(base_url=server.url, api_key=server.key) as client:
        options: dict[str, Any] = {"model": "deepseek-flash", "tools": [SEARCH]}
        message = client.chat.completions.create(messages=HELLO, **options).choices[0].message  # type: ignore[arg-type]
        by_hand = {"role": "assistant", "content": message.content, "tool_calls": [CALL]}
        with pytest.raises(openai.BadRequestError) as caught:
            client.chat.completions.create(messages=[*HELLO, by_hand, TOLD], **options)  # type: ignore[list-item]
        assert caught.value.code == "invalid_request_error"
        assert [(each.rule, each.number) for each in server.refusals] == [("reasoning", 2)]  # asked once: no retry
