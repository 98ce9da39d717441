"""Every fault that the local server has on order, and what the package's client makes of it over real sockets."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from model_servers import SEARCH
from serving import HELLO, body, event_data, send, serve

from planexec import Journal, Limits, react
from planexec.chat import Reply, ServiceError
from planexec.clock import VirtualClock
from planexec.models.scripted import ScriptedModel, calls, says
from planexec.models.service_errors import retry_after
from planexec.serve.faults import ABOUT, Fault, quirk, read

SHORT, LONG = 0.4, 30.0  # seconds: what a client waits, what the server would take
QUIRKS = [f"Q{number:02}" for number in range(1, 37)]


def ask(server: Any, stream: bool = False, seconds: float = 20.0, tools: Any = ()) -> Reply:
    return server.model(stream=stream, timeout=seconds).reply(HELLO, tools=tools)


def failure(server: Any, **options: Any) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        ask(server, **options)
    return caught.value


def test_faults_are_used_up_in_order_by_requests_that_no_rule_refuses() -> None:
    with serve(faults=["ok", "503", "2*502"]) as server:
        statuses = [send(server, body()).status for _ in range(2)]
        refused = send(server, body(), key="sk-wrong-key").status
        statuses += [send(server, body()).status for _ in range(3)]
        assert (statuses, refused) == ([200, 503, 502, 502, 200], 401)
        server.add_faults("504")
        assert send(server, body()).status == 504
        assert [each.outcome for each in server.requests][:3] == ["answered", "fault 503", "refused auth"]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("fault", ["silence", f"keep-alive={LONG}"])
def test_neither_silence_nor_signs_of_life_stretch_a_deadline(fault: str, stream: bool) -> None:
    with serve(faults=[fault]) as server:
        began = time.monotonic()
        problem = failure(server, stream=stream, seconds=SHORT)
        assert time.monotonic() - began < SHORT + 1.0
        assert (problem.kind, "no complete answer within" in str(problem)) == ("transient", True)
        assert json.loads(ask(server, stream=stream).text)["said"] == HELLO[0]["content"]


@pytest.mark.parametrize("stream", [False, True])
def test_signs_of_life_before_an_answer_do_no_harm(stream: bool) -> None:
    with serve(faults=["2*keep-alive=0.3"]) as server:
        came = send(server, body(stream=stream)).text
        assert came.startswith(": keep-alive\n\n" * 3 if stream else "\n\n\n{")
        assert ask(server, stream=stream).complete


def test_silence_ends_by_itself() -> None:
    with serve(faults=["silence=0.1"]) as server:
        assert "was lost before the answer was complete" in str(failure(server))
        assert server.requests[0].outcome == "fault silence"


@pytest.mark.parametrize("stream", [False, True])
def test_a_connection_that_drops_in_the_middle_is_transient(stream: bool) -> None:
    with serve(faults=["drop"]) as server:
        problem = failure(server, stream=stream)
        assert (problem.kind, server.problems) == ("transient", [])


def test_a_slow_stream_can_be_watched_and_is_complete() -> None:
    pieces: list[str] = []
    with serve(model=ScriptedModel([says("It will rain. " * 10)]), faults=["slow=0.02"]) as server:
        model = server.model(on_text=pieces.append)
        assert model.reply(HELLO).text == "It will rain. " * 10
    assert len(pieces) > 5


@pytest.mark.parametrize("stream", [False, True])
def test_cut_arguments_are_an_error_that_names_the_fault(stream: bool) -> None:
    with serve(faults=["cut-arguments"]) as server:
        reply = ask(server, stream, tools=[SEARCH])
    assert (reply.finish, reply.complete, reply.tool_calls[0].args) == ("length", False, None)
    assert "cut" in reply.tool_calls[0].error


def test_a_text_is_cut_where_there_is_no_call() -> None:
    with serve(model=ScriptedModel([says("It will rain.")]), faults=["cut-arguments"]) as server:
        reply = ask(server)
    assert (reply.text, reply.finish) == ("It wil", "length")


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("fault", ["blank", "empty"])
def test_a_blank_answer_is_no_success(fault: str, stream: bool) -> None:
    with serve(faults=[fault], model=ScriptedModel([calls(("search", {"q": "rain"}))])) as server:
        assert failure(server, stream=stream).kind == "transient"


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_cut_for_want_of_resources_is_transient(stream: bool) -> None:
    with serve(faults=["no-resources"]) as server:
        problem = failure(server, stream=stream)
    assert (problem.kind, "insufficient_system_resource" in str(problem)) == ("transient", True)


def test_a_missing_usage_is_estimated_and_never_free() -> None:
    with serve(faults=["no-usage"]) as server:
        usage = ask(server).usage
    assert usage.prompt_tokens > 10 and usage.completion_tokens > 10 and (usage.usd or 0) > 0


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        ("error-200", "person", "No balance"),
        ("html-200", "permanent", "web page"),
        ("octet-stream", "permanent", "scripted: 400"),
        ("quota", "person", "No balance or quota is left"),
        ("400", "permanent", "HTTP 400"),
        ("401", "person", "was refused by"),
        ("402", "person", "No balance"),
        ("404", "permanent", "HTTP 404"),
        ("422", "permanent", "HTTP 422"),
        ("429", "transient", "HTTP 429"),
        ("500", "transient", "HTTP 500"),
        ("503", "transient", "HTTP 503"),
    ],
)
def test_whole_answers_that_are_errors_are_classed(fault: str, kind: str, words: str) -> None:
    with serve(faults=[fault]) as server:
        problem = failure(server)
        assert (problem.kind, words in str(problem)) == (kind, True), str(problem)
        assert server.requests[0].outcome == f"fault {fault}"


@pytest.mark.parametrize(
    ("fault", "seconds"), [("429=30", 30.0), ("429=500ms", 0.5), ("503=7", 7.0), ("429=date+30", 30.0)]
)
def test_the_wait_that_a_service_asks_for_is_heard(fault: str, seconds: float) -> None:
    with serve(faults=[fault]) as server:
        assert failure(server).retry_after == pytest.approx(seconds, abs=1.5 if "date" in fault else 0)


def test_the_gate_waits_as_long_as_asked_and_tries_again() -> None:
    journal = Journal()
    with serve(faults=["429=9", "drop"]) as server:
        result = react("Rain?", server.model(), [], Limits(), journal=journal, clock=VirtualClock())
        assert result.complete and len(server.requests) == 3
    first, second = (record.seconds for record in journal.records() if record.kind == "wait")
    assert first == 9.0 and 1.5 <= second <= 2.0


@pytest.mark.parametrize("number", QUIRKS)
def test_every_quirk_of_another_server_can_be_had_and_is_no_answer_by_mistake(number: str) -> None:
    with serve(faults=[number]) as server:
        try:
            reply = ask(server, tools=[SEARCH])
        except ServiceError as problem:
            assert str(problem)
        else:
            assert "<" not in reply.text and "｜" not in reply.text
        assert server.requests[0].outcome == f"fault {number}" and server.problems == []


def test_one_of_several_answers_of_a_quirk_and_what_it_refuses_with() -> None:
    with serve(faults=["Q20=2", "Q20=refusal", "Q01"]) as server:
        assert ask(server).text == "It will rain."
        assert "enable_thinking must be set to false" in str(failure(server))
        assert len(event_data(send(server, body(stream=True)).text)) == 3


def test_what_is_stored_of_a_quirk_says_whose_it_is_and_what_is_sent() -> None:
    stored = quirk("Q12")
    with serve(faults=["Q12"]) as server:
        assert json.loads(send(server, body()).text) == stored["answers"][0]["json"]
    assert (stored["number"], stored["server"]) == ("Q12", "vLLM hermes") and stored["source"].startswith("https://")
    for name in ("Q99", "Q1", "../Q12", ""):
        with pytest.raises(KeyError):
            quirk(name)


def test_an_answer_of_your_own_is_sent_as_it_is() -> None:
    own = {"status": 418, "text": "short and stout", "type": "text/plain", "headers": {"x-pot": "tea"}}
    with serve(faults=[own, {"stream": ["data: 1\n\n"]}]) as server:
        came = send(server, body())
        assert (came.status, came.text, came.headers["x-pot"]) == (418, "short and stout", "tea")
        assert send(server, body()).text == "data: 1\n\n"


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("sillence", "there is none of this name; there are ok, silence"),
        ("Q99", "there is no such answer in data/serve/quirks"),
        ("Q01=7", "there is no such answer"),
        ("429=soon", "Retry-After is written 30, 500ms or date"),
        ("silence=long", "its value is a number of seconds"),
        ("drop=3", "it takes no value"),
        ("two words", "a fault is written"),
        ("200", "there is none of this name"),
    ],
)
def test_a_fault_that_means_nothing_is_the_callers_mistake(spec: str, words: str) -> None:
    with pytest.raises(ValueError, match=words.replace("[", r"\[")):
        serve(faults=[spec])


def test_every_fault_in_the_help_can_be_ordered() -> None:
    for name in (name for name in ABOUT if name not in ("4xx, 5xx", "Qnn")):
        assert read([f"search:{name}"]) == [Fault(name, search=True)]
    assert read(["3*503=5"]) == [Fault("503", "5")] * 3
    assert retry_after({"retry-after": "5"}) == 5.0
