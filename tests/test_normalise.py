"""What servers really answer, one fixture and one test a row, named by its number, through the client over HTTP.

Rows that are about what a server accepts are in test_normalise_requests.py. Nothing here is ever shown as an answer
that is not one.
"""

from __future__ import annotations

import itertools

import pytest
from model_servers import ASK, SEARCH, Service, chunk, completion, continued, quirk
from pytest_httpserver import HTTPServer

from planexec.chat import Reply, ServiceError, ToolCall
from planexec.models.markup import calls_apart, thoughts_apart


def asked(reply: Reply) -> list[tuple[str, dict[str, object] | None]]:
    """The calls of a reply that ends with calls: names and arguments."""
    assert reply.finish == "tool_calls" and reply.complete
    assert [call["id"] for call in reply.message["tool_calls"]] == [call.id for call in reply.tool_calls]
    assert len({call.id for call in reply.tool_calls}) == len(reply.tool_calls) and all(c.id for c in reply.tool_calls)
    assert all(isinstance(call["function"]["arguments"], str) for call in reply.message["tool_calls"])
    return [(call.name, call.args) for call in reply.tool_calls]


RAIN = ("search", {"q": "rain"})
BERN = ("weather", {"city": "Bern"})


def test_q01_streamed_calls_without_an_index_stay_two_calls(httpserver: HTTPServer) -> None:
    service = quirk(httpserver, "Q01")
    assert asked(service.model(stream=True).reply(ASK, tools=(SEARCH,))) == [RAIN, BERN]


def test_q02_calls_beside_stop_are_calls(httpserver: HTTPServer) -> None:
    assert asked(quirk(httpserver, "Q02").ask()) == [RAIN]


def test_q04_the_native_form_is_read_and_gets_an_id(httpserver: HTTPServer) -> None:
    reply = quirk(httpserver, "Q04").ask()
    assert asked(reply) == [RAIN]
    assert reply.message["tool_calls"][0]["function"]["arguments"] == '{"q": "rain"}'


def test_q05_missing_and_empty_ids_are_minted_in_order(httpserver: HTTPServer) -> None:
    reply = quirk(httpserver, "Q05").ask()
    assert asked(reply) == [RAIN, BERN]
    assert [call.id for call in reply.tool_calls] == ["call_1", "call_2"]


def test_q06_arguments_as_an_object(httpserver: HTTPServer) -> None:
    assert asked(quirk(httpserver, "Q06").ask()) == [RAIN]


def test_q07_cut_and_malformed_arguments_are_errors_that_name_the_fault(httpserver: HTTPServer) -> None:
    service = quirk(httpserver, "Q07")
    cut = service.ask()
    assert (cut.finish, cut.complete, cut.tool_calls[0].args) == ("length", False, None)
    assert cut.tool_calls[0].error == 'The arguments were cut off: they end with \'{"q": "rain in Ber\'.'
    malformed = service.ask()
    assert malformed.tool_calls[0].args is None
    assert malformed.tool_calls[0].error.startswith("The arguments are not valid JSON: Expecting property name")


def test_q10_a_thought_that_closes_in_the_content_is_no_answer(httpserver: HTTPServer) -> None:
    reply = quirk(httpserver, "Q10").ask()
    assert reply.text == "It will rain."
    assert reply.reasoning.split("\n") == ["The tag is written ", "like that, so I can close."]


def test_q11_a_raw_tool_call_in_the_content_is_read_or_reported(httpserver: HTTPServer) -> None:
    service = quirk(httpserver, "Q11")
    reply = service.ask()
    assert asked(reply) == [RAIN, BERN]
    assert reply.text == "I look it up."
    broken = service.ask()
    assert (broken.text, broken.tool_calls[0].name, broken.tool_calls[0].args) == ("", "search", None)
    assert "more than one JSON value" in broken.tool_calls[0].error


def test_q12_a_lost_last_bracket_is_put_back(httpserver: HTTPServer) -> None:
    reply = quirk(httpserver, "Q12").ask()
    assert asked(reply) == [("search", {"q": "rain", "when": {"day": 1}})]
    assert reply.message["tool_calls"][0]["function"]["arguments"] == '{"q": "rain", "when": {"day": 1}}'


@pytest.mark.parametrize("shape", range(6))
def test_q14_dsml_as_content_is_a_call(httpserver: HTTPServer, shape: int) -> None:
    service = quirk(httpserver, "Q14")
    service.answers = service.answers[shape:]
    reply = service.ask()
    assert asked(reply) == [("search", {"q": "rain", "days": 3})]
    assert reply.text == ("I look it up." if shape == 5 else "")
    assert "DSML" not in reply.message["content"]


def test_q14_every_generated_shape_leaves_no_markup_and_the_same_calls() -> None:
    bars = ("｜DSML｜", "‖DSML‖", "｜｜DSML｜｜", "|DSML|")
    wrappers = ("tool_calls", "function_calls", "")
    shapes = itertools.product(bars, wrappers, (True, False), ("", "Before. "), ("", " After."), (1, 2))
    for bar, wrapper, ended, before, after, count in shapes:
        call = f'<{bar}invoke name="f"><{bar}parameter name="a" string="true">x > y</{bar}parameter></{bar}invoke>'
        opened, closed = (f"<{bar}{wrapper}>", f"</{bar}{wrapper}>" if ended else "") if wrapper else ("", "")
        text, calls = calls_apart(before + opened + call * count + closed + after)
        assert [(each.name, each.args, each.error) for each in calls] == [("f", {"a": "x > y"}, "")] * count
        assert text.split() == (before + after).split()


def test_q15_dsml_that_leaks_although_tools_were_forbidden_is_no_text(httpserver: HTTPServer) -> None:
    service = quirk(httpserver, "Q15")
    reply = service.model().reply(ASK, tools=(SEARCH,), tool_choice="none")
    assert service.bodies[0]["tool_choice"] == "none" and service.bodies[0]["tools"]
    assert reply.text == "" and reply.tool_calls[0].name == "search"


def test_q16_other_bars_and_markup_split_over_chunks(httpserver: HTTPServer) -> None:
    service = quirk(httpserver, "Q16")
    for _ in range(4):
        assert asked(service.ask()) == [("search", {"q": "rain", "days": 3})]
    shown: list[str] = []
    reply = service.model(on_text=shown.append).reply(ASK, tools=(SEARCH,))
    assert asked(reply) == [("search", {"q": "rain", "days": 3})]
    assert "".join(shown) == "Let me see.\n"


def test_q17_a_call_without_id_and_function_is_reported(httpserver: HTTPServer) -> None:
    reply = quirk(httpserver, "Q17").ask()
    assert reply.tool_calls == (ToolCall("call_1", "unnamed", None, "The call does not say which tool it wants."),)
    assert reply.message["tool_calls"][0]["function"] == {"name": "unnamed", "arguments": "{}"}


def test_q18_a_thought_before_json_is_taken_away(httpserver: HTTPServer) -> None:
    reply = quirk(httpserver, "Q18").ask()
    assert (reply.text, reply.reasoning) == ('{"queries": ["rain", "snow"]}', "The user wants queries.")


def test_q19_a_thought_that_only_closes_or_never_does(httpserver: HTTPServer) -> None:
    service = quirk(httpserver, "Q19")
    assert service.ask().text == "It will rain."
    cut = service.ask()
    assert (cut.text, cut.finish, cut.reasoning) == ("", "length", "The user asks for the wea")
    with pytest.raises(ServiceError, match="only thoughts and no answer") as caught:
        service.ask()
    assert caught.value.kind == "transient"
    shown: list[str] = []
    service.model("lmstudio", on_text=shown.append).reply(ASK)
    assert "".join(shown) == "It will rain."


def test_q26_a_number_as_text_is_an_error_with_its_words(httpserver: HTTPServer) -> None:
    with pytest.raises(ServiceError, match="HTTP 400: messages 参数非法。请检查文档。") as caught:
        quirk(httpserver, "Q26").ask()
    assert (caught.value.kind, caught.value.status) == ("permanent", 400)


def test_q27_sensitive_is_filtered_and_network_error_is_transient(httpserver: HTTPServer) -> None:
    service = quirk(httpserver, "Q27")
    assert (service.ask().finish, len(service.bodies)) == ("filtered", 1)
    with pytest.raises(ServiceError, match="gave up in the middle \\(network_error\\)") as caught:
        service.ask()
    assert caught.value.kind == "transient"


def test_q28_arguments_glued_to_the_name(httpserver: HTTPServer) -> None:
    service = quirk(httpserver, "Q28")
    assert asked(service.ask()) == [RAIN]
    as_text = service.ask()
    assert (asked(as_text), as_text.text) == ([RAIN], "")
    nameless = service.ask()
    assert nameless.text == "" and nameless.tool_calls[0].args is None
    assert nameless.tool_calls[0].error == "The reply held arguments of a tool call without the tool's name."


def test_q29_an_error_without_an_error_key_also_under_200(httpserver: HTTPServer) -> None:
    service = quirk(httpserver, "Q29")
    for _ in range(2):
        with pytest.raises(ServiceError, match="The parameter is invalid"):
            service.ask()


def test_q30_the_reason_is_taken_out_of_the_metadata(httpserver: HTTPServer) -> None:
    service = quirk(httpserver, "Q30")
    with pytest.raises(ServiceError, match="Provider returned error: This endpoint's maximum context length") as caught:
        service.ask()
    assert caught.value.kind == "permanent"
    with pytest.raises(ServiceError, match="upstream went away") as later:
        service.ask()
    assert (later.value.kind, later.value.status) == ("transient", 502)


def test_q31_finish_error_thoughts_under_other_names_thoughts_only(httpserver: HTTPServer) -> None:
    service = quirk(httpserver, "Q31")
    with pytest.raises(ServiceError, match="gave up in the middle"):
        service.ask()
    reply = service.ask()
    assert (reply.text, reply.reasoning) == ("It will rain.", "Clouds.")
    assert reply.message["reasoning_details"] == [{"type": "reasoning.text", "text": "Clouds."}]
    with pytest.raises(ServiceError, match="only thoughts and no answer"):
        service.ask()


def test_q32_a_list_of_errors(httpserver: HTTPServer) -> None:
    with pytest.raises(ServiceError, match=r"Invalid value at 'tools\[0\]'") as caught:
        quirk(httpserver, "Q32").ask()
    assert caught.value.kind == "permanent"


def test_q35_an_envelope_is_opened_also_when_it_holds_an_error(httpserver: HTTPServer) -> None:
    service = quirk(httpserver, "Q35")
    reply = service.ask()
    assert (reply.text, reply.usage.prompt_tokens, reply.model) == ("It will rain.", 20, "m")
    with pytest.raises(ServiceError, match="upstream is overloaded") as caught:
        service.ask()
    assert caught.value.kind == "transient"


def test_q36_empty_arguments_and_finish_tool_call(httpserver: HTTPServer) -> None:
    assert asked(quirk(httpserver, "Q36").ask()) == [("today", {})]


# What follows belongs to no single row.


def test_equal_ids_within_one_reply_become_different(httpserver: HTTPServer) -> None:
    function = {"name": "search", "arguments": '{"q": "rain"}'}
    twice = [{"id": "same", "type": "function", "function": function}] * 2
    service = Service(httpserver, completion("", "tool_calls", tool_calls=twice), completion("Rain."))
    reply = service.ask()
    assert [call.id for call in reply.tool_calls] == ["same", "call_2"]
    service.ask(messages=continued(reply))
    sent = service.bodies[1]["messages"]
    assert [call["id"] for call in sent[2]["tool_calls"]] == ["same", "call_2"]
    assert [message["tool_call_id"] for message in sent[3:]] == ["same", "call_2"]


def test_content_lists_are_joined_and_their_thoughts_kept_apart(httpserver: HTTPServer) -> None:
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "Clouds."}]}, {"type": "text", "text": "Rain."}]
    reply = Service(httpserver, completion(parts)).ask()
    assert (reply.text, reply.reasoning, reply.message["content"]) == ("Rain.", "Clouds.", parts)


@pytest.mark.parametrize("choices", [None, [], "none", [None], {}])
def test_no_choices_are_a_failure_that_may_pass(httpserver: HTTPServer, choices: object) -> None:
    with pytest.raises(ServiceError, match="no choices in its reply") as caught:
        Service(httpserver, {"json": {"choices": choices, "model": "m"}}).ask()
    assert caught.value.kind == "transient"


def test_what_a_text_quotes_in_backticks_is_left_alone() -> None:
    text = "Close it with `</think>` and call with `<tool_call>`."
    assert thoughts_apart(text) == (text, "")
    assert calls_apart(text) == (text, [])


def test_a_stream_may_repeat_an_index_for_another_call(httpserver: HTTPServer) -> None:
    calls = [{"index": 0, "id": id_, "function": {"name": "f", "arguments": "{}"}} for id_ in ("a", "b")]
    pieces = [chunk(tool_calls=[call]) for call in calls]
    service = Service(httpserver, {"stream": [*pieces, chunk("tool_calls"), "data: [DONE]\n\n"]})
    assert asked(service.model(stream=True).reply(ASK)) == [("f", {}), ("f", {})]


def test_a_stream_that_nobody_asked_for_and_an_answer_in_one_piece_to_a_stream(httpserver: HTTPServer) -> None:
    service = Service(httpserver, {"stream": [chunk("stop", content="Rain."), "data: [DONE]\n\n"]}, completion("Snow."))
    assert service.ask().text == "Rain."
    shown: list[str] = []
    assert service.model(on_text=shown.append).reply(ASK).text == "Snow."
    assert shown == ["Snow."]


NUMBERS = [f"Q{number:02}" for number in range(1, 37)]
TRUE_TEXTS = {"", "It will rain.", "I look it up.", "Let me see.", "I have written the file."}
TRUE_JSON = {'{"queries": ["rain", "snow"]}', '{"rain": true}'}


@pytest.mark.parametrize("number", NUMBERS)
def test_no_answer_of_any_row_is_ever_shown_with_what_is_not_part_of_it(httpserver: HTTPServer, number: str) -> None:
    service = quirk(httpserver, number)
    count = len(service.answers)
    for _ in range(count):
        try:
            reply = service.ask()
        except ServiceError as problem:
            assert str(problem)
        else:
            assert reply.text in TRUE_TEXTS | TRUE_JSON
            assert not reply.complete or reply.text or reply.tool_calls
    assert len(service.bodies) == count
