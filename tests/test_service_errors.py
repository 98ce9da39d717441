"""What a service refuses becomes one error that says what to do; and no part of a key is in it, nor anywhere else."""

from __future__ import annotations

import logging
import pickle
from typing import Any

import pytest
from model_servers import ASK, KEY, Service, chunk, completion
from pytest_httpserver import HTTPServer

from planexec.chat import ServiceError
from planexec.models.openai_model import OpenAIModel
from planexec.models.service_errors import Complaint, complaint, retry_after, without_key

ANSWER = completion("It will rain.")


def refusal_of(httpserver: HTTPServer, answer: dict[str, Any], **options: Any) -> ServiceError:
    """The one error that one answer leads to."""
    service = Service(httpserver, answer)
    with pytest.raises(ServiceError) as caught:
        service.model(**options).reply(ASK)
    assert len(service.bodies) == 1 and caught.value.__context__ is None
    return caught.value


@pytest.mark.parametrize(
    ("piece", "fault"),
    [
        ('data: {"error": {"message": "overloaded", "code": 503}}\n\n', "overloaded"),
        ("data: {half\n\n", "cannot be read"),
        ("", "stream ended before the answer"),
    ],
)
def test_a_stream_that_breaks_is_transient(httpserver: HTTPServer, piece: str, fault: str) -> None:
    error = refusal_of(httpserver, {"stream": [chunk(content="It wi"), piece]}, stream=True)
    assert fault in str(error) and error.kind == "transient"


@pytest.mark.parametrize("status", [200, 404, 502])
def test_a_web_page_asks_whether_the_address_is_right(httpserver: HTTPServer, status: int) -> None:
    page = {"text": "<!DOCTYPE html><html><title>Hello</title></html>", "type": "text/html", "status": status}
    error = refusal_of(httpserver, page)
    assert "web page" in str(error) and "base URL right" in str(error) and "<" not in str(error)
    assert error.kind == ("transient" if status == 502 else "permanent")


def test_a_redirect_is_not_followed(httpserver: HTTPServer) -> None:
    error = refusal_of(httpserver, {"text": "", "status": 307, "headers": {"Location": "http://other.invalid/v1"}})
    assert "has moved to http://other.invalid/v1; give that as base_url" in str(error) and error.kind == "permanent"


def test_a_retired_model_names_those_there_are(httpserver: HTTPServer) -> None:
    names = ["deepseek-flash", "deepseek-v4-pro", *(f"other-{number}" for number in range(20))]
    httpserver.expect_request("/v1/models").respond_with_json({"data": [{"id": name} for name in names]})
    said = "The supported API model names are deepseek-v4-pro or deepseek-v4-flash, but you passed m."
    error = refusal_of(httpserver, {"status": 400, "json": {"error": {"message": said}}})
    assert f"The model 'm' is not offered here (HTTP 400: {said})." in str(error)
    assert "The server offers " in str(error) and str(error).endswith(" and 10 more.") and error.kind == "permanent"


def test_a_retired_model_without_a_list_is_still_clear(httpserver: HTTPServer) -> None:
    error = refusal_of(httpserver, {"status": 404, "json": {"error": "model 'm' not found"}})
    assert str(error) == "The model 'm' is not offered here (HTTP 404: model 'm' not found)."


@pytest.mark.parametrize(
    ("status", "body", "words", "kind"),
    [
        (402, {"error": {"message": "Insufficient Balance", "type": "unknown_error"}}, "No balance or quota", "person"),
        (429, {"error": {"message": "You exceeded it", "code": "insufficient_quota"}}, "No balance or quota", "person"),
        (429, {"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}}, "Rate limit", "transient"),
        (401, {"error": {"message": "no"}}, "asks for a key: set PLANEXEC_API_KEY, or give api_key=", "person"),
        (400, [{"error": {"message": "API key not valid. Pass a valid one."}}], "asks for a key", "person"),
        (403, {"error": {"message": "not in your country"}}, "HTTP 403: not in your country", "person"),
        (400, {"detail": [{"msg": "field required"}]}, "field required", "permanent"),
        (200, {"code": 401, "message": "Invalid API key"}, "asks for a key", "person"),
    ],
)
def test_what_a_service_says_becomes_what_to_do(
    httpserver: HTTPServer, status: int, body: Any, words: str, kind: str
) -> None:
    error = refusal_of(httpserver, {"status": status, "json": body}, api_key="")
    assert words in str(error) and error.kind == kind


def test_a_refusal_in_plain_text_is_told_whatever_its_type_is(httpserver: HTTPServer) -> None:
    said = "Failed to deserialize the JSON body into the target type: missing field `messages` at line 4 column 1"
    assert said in str(refusal_of(httpserver, {"status": 422, "text": said, "type": "application/octet-stream"}))


NOW = {"date": "Mon, 30 Nov 2026 10:00:00 GMT"}


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "30"}, 30.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        (NOW | {"retry-after": "Mon, 30 Nov 2026 10:01:30 GMT"}, 90.0),
        (NOW | {"retry-after": "Mon, 30 Nov 2026 09:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_how_long_a_service_asks_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_the_wait_a_service_asks_for_comes_with_a_passing_error_only(httpserver: HTTPServer) -> None:
    busy = {"text": "busy", "headers": {"Retry-After": "7"}}
    assert refusal_of(httpserver, busy | {"status": 429}).retry_after == 7.0
    httpserver.clear()
    assert refusal_of(httpserver, busy | {"status": 400}).retry_after is None


def test_a_key_is_in_no_log_no_repr_and_no_pickle_of_a_connection(
    httpserver: HTTPServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    service = Service(httpserver, ANSWER, {"status": 401, "json": {"error": {"message": f"bad key {KEY}"}}}, ANSWER)
    model = OpenAIModel("m", httpserver.url_for("/v1").replace("//", "//user:secret@"), api_key=KEY)
    model.reply(ASK)
    with pytest.raises(ServiceError):
        model.reply(ASK)
    assert len(caplog.records) > 5 and KEY[-6:] not in caplog.text
    assert KEY[-6:] not in repr(model) + repr(vars(model)) and "secret" not in repr(model)
    assert pickle.loads(pickle.dumps(model)).reply(ASK).text == "It will rain." and len(service.bodies) == 3


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": "plain"}, "plain"),
        ({"error": {"message": ""}}, "an error without a message"),
        ({"message": "said"}, "said"),
        ([None, {"error": {"message": "listed"}}], "listed"),
        ({"detail": {"why": "nested"}}, '{"why": "nested"}'),
    ],
)
def test_every_shape_of_a_complaint_is_read(body: Any, words: str) -> None:
    said = complaint(body)
    assert isinstance(said, Complaint) and said.words == words


@pytest.mark.parametrize("body", [None, "text", 5, [], {}, {"choices": []}, {"error": None}, {"message": 5}])
def test_what_is_no_complaint_is_none(body: Any) -> None:
    assert complaint(body) is None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"your key {KEY} is bad", "your key [key] is bad"),
        (f"ends in ****{KEY[-4:]}.", "ends in [key]."),
        (f"begins with {KEY[:8]}...", "begins with [key]..."),
        ("Incorrect API key provided: sk-other*****wxyz.", "Incorrect API key provided: [key]"),
        ("the task-list of my desk-top", "the task-list of my desk-top"),
    ],
)
def test_pieces_of_a_key_are_taken_out_and_nothing_else(text: str, shown: str) -> None:
    assert without_key(text, KEY) == shown
