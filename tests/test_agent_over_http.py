"""The whole agent against a chat-completions endpoint: the same answer, one request an attempt, nothing lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
from model_servers import KEY, Service, completion
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from planexec.agent import PlanExecuteAgent
from planexec.clock import VirtualClock
from planexec.journal import Journal
from planexec.limits import Limits
from planexec.models.openai_model import OpenAIModel
from planexec.models.simulated import SimulatedModel
from planexec.worlds import load

QUESTION = (
    "A reserve-requirement cut releases 800 bn yuan; 25% (200 bn) flows into stocks. "
    "How should a 1,000,000-yuan account be allocated?"
)
LIMITS = Limits(max_steps=8)


class Served:
    """The simulated model behind an endpoint; `first` are answers given before it speaks for the first time."""

    def __init__(self, server: HTTPServer, *first: dict[str, Any]) -> None:
        self.model, self.service = SimulatedModel("articles"), Service(server, *first)
        self.dry_after = 1_000  # requests until the account is empty
        server.clear()
        server.expect_request("/v1/chat/completions", method="POST").respond_with_handler(self._handle)
        self.url = server.url_for("/v1")

    def _handle(self, request: Request) -> Response:
        body = json.loads(request.get_data(as_text=True))
        if not self.service.answers:
            self.service.answers.append(self._answer(body))
        return self.service._handle(request)

    def _answer(self, body: dict[str, Any]) -> dict[str, Any]:
        if len(self.service.bodies) >= self.dry_after:
            return {"status": 402, "json": {"error": {"message": "Insufficient Balance"}}}
        asked = {name: body[name] for name in ("tools", "tool_choice", "max_tokens") if name in body}
        reply = self.model.reply(body["messages"], **asked)
        rest = {key: value for key, value in reply.message.items() if key not in ("role", "content")}
        return completion(reply.text, reply.finish, **rest)


def answered(model: Any, journal: Journal | None = None, **settings: Any) -> Any:
    world = load("finance", "en")
    agent = PlanExecuteAgent(model, world.tools, LIMITS, date=world.date, clock=VirtualClock(), **settings)
    return agent.run(QUESTION, journal=journal)


def test_over_http_the_answer_is_the_same_and_every_call_is_one_request(httpserver: HTTPServer) -> None:
    served = Served(httpserver)
    here, there = answered(SimulatedModel("articles")), answered(OpenAIModel("m", served.url))
    assert there.complete and there.answer == here.answer and "250,000" in there.answer
    assert len(served.service.bodies) == there.usage.model_calls == here.usage.model_calls


def test_a_passing_error_costs_one_more_request_and_nothing_else(httpserver: HTTPServer) -> None:
    served = Served(httpserver, {"status": 503, "text": "overloaded"}, {"json": {"choices": None}})
    there = answered(OpenAIModel("m", served.url))
    assert there.answer == answered(SimulatedModel("articles")).answer
    assert len(served.service.bodies) == there.usage.model_calls


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"status": 401, "json": {"error": {"message": f"bad key {KEY}"}}}, "The key in PLANEXEC_API_KEY"),
        ({"text": "<html>Welcome</html>", "type": "text/html"}, "instead of JSON"),
        ({"status": 404, "text": "<html>Not here</html>", "type": "text/html"}, "Is the base URL right"),
    ],
)
def test_a_wrong_key_or_host_stops_the_run_with_words_that_help(
    httpserver: HTTPServer, answer: dict[str, Any], told: str
) -> None:
    served, journal = Served(httpserver, answer), Journal()
    result = answered(OpenAIModel("m", served.url, api_key=KEY), journal)
    assert (result.complete, result.stop.reason, len(served.service.bodies)) == (False, "failed", 1)
    assert told in result.stop.advice
    everything = result.stop.advice + result.answer + json.dumps([record.result for record in journal.records()])
    assert KEY[-6:] not in everything


def test_an_account_that_runs_dry_in_the_middle_keeps_what_was_found(httpserver: HTTPServer) -> None:
    served = Served(httpserver)
    served.dry_after = 6
    result = answered(OpenAIModel("m", served.url))
    assert (result.complete, result.stop.reason) == (False, "failed")
    # the plan's own calls need no model; each role that is asked after that is refused once: two replans, the report
    assert len(served.service.bodies) == served.dry_after + 3
    assert "No balance or quota is left" in result.stop.advice
    assert "200 bn" in result.answer  # worked out before, and told without a model
