"""The faults of a typical home-made agent that concern transport and messages, one test each, named by its number.

The numbers are those of our list of such faults; what each test shows is the right behaviour. Attempts and waits
belong to the gate, so those tests run a whole question with a virtual clock and real requests.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from model_servers import ASK, KEY, SEARCH, RawServer, Service, completion, continued
from pytest_httpserver import HTTPServer

from planexec.chat import Price, ServiceError
from planexec.clock import VirtualClock
from planexec.journal import Journal
from planexec.limits import Limits
from planexec.models.openai_model import KeyMissing, OpenAIModel
from planexec.models.scripted import ScriptedModel, calls
from planexec.react_loop import react

MODELS = Path(__file__).parent.parent / "planexec" / "models"
CALL = {"id": "call_a", "type": "function", "function": {"name": "search", "arguments": '{"q": "rain"}'}}
ANSWER = completion("It will rain.")
THINKS = {"thinking": {"type": "enabled"}}


def failing(status: int, message: str = "no", **headers: str) -> dict[str, Any]:
    return {"status": status, "json": {"error": {"message": message}}, "headers": headers}


def run(model: Any, attempts: int = 3, **settings: Any) -> tuple[Any, Journal]:
    """One question through the gate: the result and the journal of its effects."""
    journal = Journal()
    limits = Limits(max_attempts=attempts)
    result = react("Will it rain?", model, [], limits, journal=journal, clock=VirtualClock(), **settings)
    return result, journal


def waits(journal: Journal) -> list[float]:
    return [record.seconds for record in journal.records() if record.kind == "wait"]


def test_defect_01_every_file_of_the_package_is_python() -> None:
    files = sorted(MODELS.rglob("*.py"))
    assert len(files) > 10
    for path in files:
        ast.parse(path.read_text(encoding="utf-8"), str(path))


def test_defect_02_thoughts_go_back_with_the_calls_they_led_to(httpserver: HTTPServer) -> None:
    service = Service(httpserver, completion("", "tool_calls", tool_calls=[CALL], reasoning_content="Clouds."), ANSWER)
    service.refuses = lambda body: any("tool_calls" in m and "reasoning_content" not in m for m in body["messages"])
    service.refusal = failing(400, "The `reasoning_content` in the thinking mode must be passed back to the API.")
    reply = service.ask(profile="deepseek")
    assert service.ask(profile="deepseek", messages=continued(reply)).text == "It will rain."
    assert service.bodies[1]["messages"][2]["reasoning_content"] == "Clouds."
    service.answers.append(ANSWER)
    by_hand = continued(ScriptedModel([calls(("search", {"q": "rain"}))]).reply(ASK))  # never had any thoughts
    assert service.ask(profile="deepseek", messages=by_hand).text == "It will rain."
    assert service.bodies[2]["messages"][2]["reasoning_content"] == ""


def test_defect_02_the_older_era_refuses_the_thoughts_and_does_not_get_them(httpserver: HTTPServer) -> None:
    service = Service(httpserver, completion("Rain.", reasoning_content="Clouds."), ANSWER)
    service.refuses = lambda body: any("reasoning_content" in message for message in body["messages"])
    service.refusal = failing(400, "reasoning_content is not allowed")
    reply = service.ask(profile="deepseek-2025", tools=())
    assert service.ask(profile="deepseek-2025", messages=[*ASK, reply.message], tools=()).text == "It will rain."


@pytest.mark.parametrize(
    ("profile", "thinking", "sent"),
    [
        ("deepseek", True, THINKS),
        ("deepseek", False, {"thinking": {"type": "disabled"}}),
        ("deepseek", None, {}),
        ("openai", False, {}),
        ("openai", True, {}),
        ("llamacpp", False, {"chat_template_kwargs": {"enable_thinking": False}}),
    ],
)
def test_defect_03_thinking_is_said_in_the_words_of_the_profile(
    httpserver: HTTPServer, profile: str, thinking: bool | None, sent: dict[str, Any]
) -> None:
    service = Service(httpserver, ANSWER)
    service.model(profile).reply(ASK, thinking=thinking)
    assert {key: value for key, value in service.bodies[0].items() if "think" in json.dumps({key: value})} == sent


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 422])
def test_defect_04_a_permanent_error_costs_one_request_and_no_wait(httpserver: HTTPServer, status: int) -> None:
    service = Service(httpserver, failing(status), ANSWER)
    result, journal = run(service.model())
    assert (len(service.bodies), waits(journal)) == (1, [])
    assert (result.complete, result.stop.reason) == (False, "failed")


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503])
@pytest.mark.parametrize("attempts", [1, 3])
def test_defect_04_a_transient_error_costs_the_stated_attempts(
    httpserver: HTTPServer, status: int, attempts: int
) -> None:
    hint = {"x-should-retry": "true"}  # asks the client to try again by itself; it must not
    service = Service(httpserver, *[failing(status, **hint)] * 5)
    result, journal = run(service.model(), attempts)
    assert (len(service.bodies), len(waits(journal))) == (attempts, attempts - 1)
    assert result.stop.reason == "failed"


def test_defect_05_only_what_may_pass_is_tried_again() -> None:
    asked = 0

    class Broken(ScriptedModel):
        def reply(self, *given: Any, **options: Any) -> Any:
            nonlocal asked
            asked += 1
            raise TypeError("reply() got an unexpected keyword argument 'temprature'")

    result, journal = run(Broken([]))
    assert (asked, waits(journal), result.stop.reason) == (1, [], "failed")


def test_defect_06_it_waits_only_before_another_attempt_with_jitter_and_as_long_as_asked(
    httpserver: HTTPServer,
) -> None:
    busy = failing(503)
    service = Service(httpserver, busy, busy, ANSWER, busy, busy, busy, failing(429, **{"Retry-After": "30"}), ANSWER)
    result, journal = run(service.model(), seed=1)
    first = waits(journal)
    assert result.complete and [0.75 <= first[0] <= 1.0, 1.5 <= first[1] <= 2.0] == [True, True]
    _, journal = run(service.model(), seed=2)
    assert len(waits(journal)) == 2 and waits(journal) != first  # three attempts, no wait after the last
    _, journal = run(service.model())
    assert waits(journal) == [30.0]


def test_defect_07_attempts_are_counted_the_first_included(httpserver: HTTPServer) -> None:
    service = Service(httpserver, *[failing(503)] * 5)
    assert [run(service.model(), attempts) and len(service.bodies) for attempts in (1, 2)] == [1, 3]


def test_defect_08_a_success_without_an_answer_is_a_failure_that_is_tried_again(httpserver: HTTPServer) -> None:
    service = Service(httpserver, {"json": {"choices": None}}, ANSWER)
    result, journal = run(service.model())
    assert (result.answer, len(service.bodies), len(waits(journal))) == ("It will rain.", 2, 1)


@pytest.mark.parametrize(
    ("finish", "read"),
    [("length", "length"), ("content_filter", "filtered"), ("brand_new", "unknown"), (None, "unknown")],
)
def test_defect_09_half_an_answer_is_not_a_success(httpserver: HTTPServer, finish: str | None, read: str) -> None:
    reply = Service(httpserver, completion("Half a sen", finish)).ask()
    assert (reply.finish, reply.complete) == (read, False)


def test_defect_09_an_answer_for_want_of_resources_is_transient(httpserver: HTTPServer) -> None:
    with pytest.raises(ServiceError, match="insufficient_system_resource") as caught:
        Service(httpserver, completion("Half a sen", "insufficient_system_resource")).ask()
    assert caught.value.kind == "transient"


def test_defect_10_thoughts_that_use_up_the_allowance_are_seen(httpserver: HTTPServer) -> None:
    service = Service(httpserver, completion("", "length", reasoning_content="Clouds."), ANSWER)
    reply = service.model("deepseek").reply(ASK, max_tokens=500_000)
    assert (reply.text, reply.finish, reply.complete) == ("", "length", False)
    assert service.bodies[0]["max_tokens"] == 384_000  # as much as the service takes
    service.model("openai").reply(ASK, max_tokens=4096)
    assert service.bodies[1]["max_completion_tokens"] == 4096 and "max_tokens" not in service.bodies[1]


@pytest.mark.parametrize("content", [None, "", " " * 900, "\n\t"])
def test_defect_11_a_blank_answer_is_a_failure(httpserver: HTTPServer, content: str | None) -> None:
    with pytest.raises(ServiceError, match="an empty answer") as caught:
        Service(httpserver, completion(content)).model(body={"response_format": {"type": "json_object"}}).reply(ASK)
    assert caught.value.kind == "transient"


def test_defect_12_keys_come_from_the_environment_and_nothing_is_made_at_import(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DEEPSEEK_API_KEY", raising=False)
    with pytest.raises(KeyMissing, match="set the environment variable DEEPSEEK_API_KEY") as caught:
        OpenAIModel("deepseek-flash")
    assert (caught.value.kind, httpserver.log) == ("person", [])
    monkeypatch.setenv("DEEPSEEK_API_KEY", f" {KEY}\n")  # as it is pasted
    service = Service(httpserver, ANSWER)
    model = OpenAIModel("deepseek-flash", httpserver.url_for("/v1"), profile="deepseek")
    assert model.reply(ASK).text == "It will rain." and len(service.bodies) == 1
    assert httpserver.log[0][0].headers["Authorization"] == f"Bearer {KEY}"
    code = "import sys, planexec.models.openai_model; print(sorted({'openai', 'httpx', 'pydantic'} & set(sys.modules)))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_defect_13_no_part_of_a_key_is_in_an_error(httpserver: HTTPServer) -> None:
    echo = f"Authentication Fails, Your api key: ****{KEY[-4:]} is invalid ({KEY[:7]}, {KEY})"
    service = Service(httpserver, failing(401, echo))
    with pytest.raises(ServiceError) as caught:
        service.ask()
    assert "The key in PLANEXEC_API_KEY (or given as api_key) was refused" in str(caught.value)
    pieces = [KEY[at : at + 4] for at in range(len(KEY) - 3)]
    assert [piece for piece in pieces if piece in str(caught.value) + repr(caught.value)] == []
    assert caught.value.__cause__ is None and caught.value.__context__ is None


def test_defect_14_what_is_shown_can_be_shown_on_a_chinese_console() -> None:
    said = [
        node.value
        for path in MODELS.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    assert len(said) > 300
    assert [text for text in said if text.encode("gbk", "replace").count(b"?") > text.count("?")] == []


def test_defect_15_tokens_and_dollars_are_read_from_every_answer(httpserver: HTTPServer) -> None:
    hit = {"prompt_tokens": 1000, "completion_tokens": 100, "prompt_cache_hit_tokens": 900}
    answer = {"json": ANSWER["json"] | {"usage": hit, "model": "deepseek-flash"}}
    service = Service(httpserver, answer, {"json": ANSWER["json"] | {"usage": None}}, answer)
    usage = service.model("deepseek").reply(ASK).usage  # asked for "m", answered by deepseek-flash
    assert (usage.prompt_tokens, usage.completion_tokens) == (1000, 100)
    assert usage.usd == pytest.approx((100 * 0.30 + 900 * 0.006 + 100 * 1.20) / 1e6)
    unsaid = service.model(price=Price(1.0, 2.0)).reply(ASK).usage
    assert unsaid.prompt_tokens > sum(len(message["content"]) for message in ASK)  # never too few
    assert unsaid.completion_tokens >= len("It will rain.") and unsaid.usd is not None
    assert service.model("ollama").reply(ASK).usage.usd == 0.0


def test_defect_16_a_silent_server_costs_the_deadline_and_at_most_a_second_more() -> None:
    with RawServer(lambda connection, stop: stop.wait(30) and None) as server:
        begun = time.monotonic()
        with pytest.raises(ServiceError, match="gave no complete answer within 0.4 s") as caught:
            server.model(60.0).reply(ASK, timeout=0.4)
        assert 0.4 <= time.monotonic() - begun < 1.4
        assert (caught.value.kind, server.requests) == ("transient", 1)


@pytest.mark.parametrize("given", [{"q": "rain"}, None])
def test_defect_33_arguments_as_an_object_or_nothing(httpserver: HTTPServer, given: Any) -> None:
    call = {**CALL, "function": {"name": "search", "arguments": given}}
    reply = Service(httpserver, completion(None, "tool_calls", tool_calls=[call])).ask()
    assert (reply.tool_calls[0].args, reply.tool_calls[0].error) == (given or {}, "")


@pytest.mark.parametrize(
    ("given", "fault"), [('["x"]', "a list"), ("null", "null"), ("5", "a number"), ("true", "true or false")]
)
def test_defect_34_arguments_that_are_no_object_are_an_error(httpserver: HTTPServer, given: str, fault: str) -> None:
    call = {**CALL, "function": {"name": "search", "arguments": given}}
    reply = Service(httpserver, completion(None, "tool_calls", tool_calls=[call])).ask()
    assert reply.tool_calls[0].args is None
    assert reply.tool_calls[0].error == f"The arguments must be a JSON object, not {fault}."


@pytest.mark.parametrize("finish", ["length", "tool_calls"])
def test_defect_35_cut_arguments_never_become_an_empty_question(httpserver: HTTPServer, finish: str) -> None:
    call = {**CALL, "function": {"name": "search", "arguments": '{"q": "ra'}}
    reply = Service(httpserver, completion(None, finish, tool_calls=[call])).ask()
    assert reply.tool_calls[0].args is None and "were cut off" in reply.tool_calls[0].error


def test_defect_40_nothing_stands_in_for_an_answer_that_did_not_come(httpserver: HTTPServer) -> None:
    service = Service(httpserver, *[completion("")] * 3)
    result, _ = run(service.model())
    assert (result.complete, result.stop.reason, len(service.bodies)) == (False, "failed", 3)


def test_defect_41_the_last_call_keeps_the_tools_and_forbids_them_where_the_profile_can(httpserver: HTTPServer) -> None:
    service = Service(httpserver, ANSWER, ANSWER)
    service.model("deepseek").reply(ASK, tools=(SEARCH,), tool_choice="none")
    assert service.bodies[0]["tool_choice"] == "none" and len(service.bodies[0]["tools"]) == 1
    service.model("ollama").reply(ASK, tools=(SEARCH,), tool_choice="none")
    assert "tools" not in service.bodies[1] and "tool_choice" not in service.bodies[1]


@pytest.mark.parametrize(
    "text",
    [
        '<｜DSML｜invoke name="search"><｜DSML｜parameter name="q" string="true">rain</｜DSML｜parameter>',
        "<tool_call>search",
    ],
)
def test_defect_43_a_tool_call_as_text_is_no_answer(httpserver: HTTPServer, text: str) -> None:
    reply = Service(httpserver, completion(text)).ask()
    assert (reply.text, reply.tool_calls[0].name, reply.finish) == ("", "search", "tool_calls")
