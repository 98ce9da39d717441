"""A real small model behind the client. Skipped by name where PLANEXEC_MODELS has no weights; `run.py check` only."""

from __future__ import annotations

import pytest

from planexec.chat import ServiceError, system, tool_message, user
from planexec.models.local import named, start, weights
from planexec.models.local.endpoint import Endpoint
from planexec.models.local.questions import LIMITS, questions, search_tool
from planexec.react_loop import react

pytest.importorskip("openai")
pytest.importorskip("xllamacpp", reason='the runtime is not installed: pip install "planexec[local]"')
pytestmark = pytest.mark.check
SMALLEST, FINISHES = "smollm2-135m", "qwen2.5-coder-1.5b"
TOOLS = [search_tool("answer").schema]
QUESTION = [system("You are brief."), user(questions()[0].question)]


def running(name: str):
    """The model, served for the tests of this file; without its weights they are skipped."""
    if weights(named(name)) is None:
        pytest.skip(f"the weights of {name} are not here: planexec local fetch {name}, or set PLANEXEC_MODELS")
    with start(name, port=0, context=2048) as endpoint:
        yield endpoint


@pytest.fixture(scope="module")
def smallest():
    yield from running(SMALLEST)


@pytest.fixture(scope="module")
def finishes():
    yield from running(FINISHES)


def test_it_answers_with_text_usage_and_its_name(smallest: Endpoint):
    reply = smallest.model().reply(QUESTION, max_tokens=20)
    assert reply.text and reply.model == "local" and reply.finish in ("stop", "length")
    assert reply.usage.prompt_tokens > 10 and 0 < reply.usage.completion_tokens <= 20 and reply.usage.usd == 0


def test_the_same_request_gets_the_same_reply_whatever_came_between(smallest: Endpoint):
    model = smallest.model()
    first = model.reply(QUESTION, tools=TOOLS, max_tokens=60)
    model.reply([user("Count from one to twenty.")], max_tokens=60)
    assert model.reply(QUESTION, tools=TOOLS, max_tokens=60) == first


def test_the_schema_holds_even_the_smallest_model_to_an_action_or_an_answer(smallest: Endpoint):
    for each in questions()[:3]:
        reply = smallest.model().reply([user(each.question)], tools=TOOLS, max_tokens=200)
        assert reply.finish == "length" or reply.text or [call.name for call in reply.tool_calls] == ["search"]


def test_a_stream_brings_the_same_text(smallest: Endpoint):
    pieces: list[str] = []
    streamed = smallest.model(on_text=pieces.append).reply(QUESTION, max_tokens=20)
    assert streamed.text == smallest.model().reply(QUESTION, max_tokens=20).text
    assert "".join(pieces).strip() == streamed.text.strip()


def test_a_conversation_that_is_too_long_is_refused_in_words(smallest: Endpoint):
    with pytest.raises(ServiceError, match="context") as told:
        smallest.model().reply([user("word " * 5_000)])
    assert told.value.kind == "permanent"


def test_react_asks_once_and_answers_from_what_it_found(finishes: Endpoint):
    result = react(questions()[0].question, finishes.model(), [search_tool("answer")], LIMITS)
    assert result.complete and questions()[0].answered_by(result.answer)


def test_with_our_template_native_tool_calls_come_as_tool_calls(finishes: Endpoint):
    """They can be had; asked without a nudge to look things up, it rather answers from memory."""
    model = finishes.model(profile={"like": "local", "native_tools": True})
    asked = [user("Look up the Velm Canal in the encyclopedia: how long is it?")]
    reply = model.reply(asked, tools=TOOLS, max_tokens=100)
    (call,) = reply.tool_calls
    assert call.name == "search" and call.args is not None and "Velm" in call.args["query"]
    told = [*asked, reply.message, tool_message(call, questions()[0].fact)]
    assert questions()[0].answered_by(model.reply(told, tools=TOOLS, max_tokens=100).text)
