"""The simulated model: pure, alone, with honest usage; and, with the real agent, the figures of the articles."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from typing import Any

import pytest
from policy_loop import REACT, data, plan_execute, react, schemas

from planexec.chat import Price, assistant, system, tool_message, user
from planexec.models.simulated import BYTES_PER_TOKEN, SimulatedModel
from planexec.paths import data_path
from planexec.worlds import finance, research

LANGUAGES = ("en", "zh")
TOOLS = {lang: finance.tools(lang) for lang in LANGUAGES}
WEB = {lang: research.tools(lang) for lang in LANGUAGES}
ASK = finance.QUESTIONS
SURVEY = {lang: research.QUESTIONS[lang]["survey"] for lang in LANGUAGES}
KNOWLEDGE = json.loads(data_path("finance", "knowledge.json").read_text(encoding="utf-8"))


def conversation(lang: str = "en") -> list[dict[str, Any]]:
    return [system(REACT), user(ASK[lang]["allocation"])]


# ------------------------------------------------------------------------------------------------ a pure function


@pytest.mark.parametrize("preset", ["articles", "careful", "reckless"])
def test_the_same_request_gets_the_same_reply(preset: str) -> None:
    first, second = (SimulatedModel(preset, seed=5).reply(conversation(), tools=schemas(TOOLS["en"])) for _ in "ab")
    assert first == second


def test_earlier_requests_leave_no_trace() -> None:
    fresh, used = SimulatedModel("articles"), SimulatedModel("articles")
    react(used, SURVEY["en"], WEB["en"])
    plan_execute(used, ASK["zh"]["allocation"], TOOLS["zh"])
    request = {"tools": schemas(TOOLS["en"])}
    assert fresh.reply(conversation(), **request) == used.reply(conversation(), **request)


def test_a_request_is_not_changed() -> None:
    messages, tools = conversation(), schemas(TOOLS["en"])
    before = copy.deepcopy((messages, tools))
    SimulatedModel("reckless").reply(messages, tools=tools)
    assert (messages, tools) == before


@pytest.mark.parametrize("change", [" ", "\nBe brief.", " 请简洁。"])
def test_a_harmless_change_of_the_prompt_changes_nothing(change: str) -> None:
    for seed in range(10):
        runs = [
            react(SimulatedModel("articles", seed=seed), SURVEY["en"], WEB["en"], prompt=REACT + c)
            for c in ("", change)
        ]
        assert runs[0].calls == runs[1].calls


def test_seeds_make_different_runs() -> None:
    runs = {
        tuple(react(SimulatedModel("articles", seed=s, drift=0.5), SURVEY["en"], WEB["en"]).queries) for s in range(20)
    }
    assert len(runs) > 5


ALONE = """
import importlib.abc, json, sys
class Wall(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "planexec.worlds" or name.startswith("planexec.worlds."):
            raise ImportError("walled off")
sys.meta_path.insert(0, Wall())
from planexec.models.simulated import SimulatedModel
request = json.load(sys.stdin)
reply = SimulatedModel("articles").reply(request["messages"], tools=request["tools"])
print(json.dumps([reply.text, [[c.name, c.args] for c in reply.tool_calls]]))
print(sorted(m for m in ("pydantic", "openai", "requests", "json_repair", "numpy") if m in sys.modules))
"""


def run_alone(hash_seed: str) -> str:
    request = {"messages": conversation(), "tools": schemas(TOOLS["en"])}
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    ran = subprocess.run(
        [sys.executable, "-c", ALONE],
        input=json.dumps(request),
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    return ran.stdout


def test_it_answers_where_no_world_can_be_imported_whatever_the_hash_seed() -> None:
    expected = SimulatedModel("articles").reply(conversation(), tools=schemas(TOOLS["en"]))
    outputs = {run_alone(seed) for seed in ("0", "4242")}
    assert len(outputs) == 1
    first, modules = outputs.pop().splitlines()
    assert json.loads(first) == [expected.text, [[call.name, call.args] for call in expected.tool_calls]]
    assert modules == "[]"


def test_it_knows_only_the_worlds_it_is_given() -> None:
    assert [known.world for known in SimulatedModel(worlds=["research"]).worlds] == ["research"]
    assert "only know" in SimulatedModel(worlds=["research"]).reply([user(ASK["en"]["sectors"])]).text
    other = json.loads(data_path("finance", "knows.json").read_text(encoding="utf-8")) | {"world": "mine"}
    assert "mine world" in SimulatedModel(worlds=[other]).reply([user(ASK["en"]["sectors"])]).text


def test_settings_that_make_no_sense_are_errors() -> None:
    with pytest.raises(ValueError, match="no preset"):
        SimulatedModel("nobody")
    with pytest.raises(TypeError, match="no dial"):
        SimulatedModel(temperature=0.5)
    with pytest.raises(ValueError, match="greed"):
        SimulatedModel(greed=2)
    with pytest.raises(TypeError, match="whole number"):
        SimulatedModel(seed=0.5)  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------------ replies and usage


def test_usage_follows_one_rule() -> None:
    model = SimulatedModel("careful")
    messages = [system("Hilfe ü"), user("Hello")]
    reply = model.reply(messages)
    assert reply.usage.prompt_tokens == -(-len("Hilfe üHello".encode()) // BYTES_PER_TOKEN)
    assert reply.usage.completion_tokens == -(-len((reply.reasoning + reply.text).encode()) // BYTES_PER_TOKEN)
    assert reply.usage.seconds == round(0.5 + 0.02 * reply.usage.completion_tokens, 3)
    assert isinstance(model.price, Price)
    assert reply.usage.usd == model.price.usd(reply.usage.prompt_tokens, reply.usage.completion_tokens)


def test_tools_and_calls_are_counted() -> None:
    model, tools = SimulatedModel("careful"), schemas(TOOLS["en"])
    bare, offered = model.reply(conversation()), model.reply(conversation(), tools=tools)
    assert offered.usage.prompt_tokens > bare.usage.prompt_tokens
    longer = model.reply(
        [*conversation(), offered.message, tool_message(offered.tool_calls[0], "Nothing found.")], tools=tools
    )
    assert longer.usage.prompt_tokens > offered.usage.prompt_tokens


def test_the_message_can_be_put_back_and_every_call_has_an_id_of_its_own() -> None:
    model, tools, messages, ids = SimulatedModel("articles"), schemas(TOOLS["en"]), conversation(), []
    for _ in range(4):
        reply = model.reply(messages, tools=tools)
        messages.append(reply.message)
        for call, sent in zip(reply.tool_calls, reply.message["tool_calls"], strict=True):
            assert (sent["id"], json.loads(sent["function"]["arguments"])) == (call.id, call.args)
            messages.append(tool_message(call, "Nothing found."))
            ids.append(call.id)
    assert len(set(ids)) == len(ids) == 4


def test_reasoning_is_shown_unless_thinking_is_off() -> None:
    model, tools = SimulatedModel("careful"), schemas(TOOLS["en"])
    assert model.reply(conversation(), tools=tools).reasoning
    quiet = model.reply(conversation(), tools=tools, thinking=False)
    assert quiet.reasoning == "" and quiet.tool_calls


def test_the_reasons_for_the_end_are_stop_tool_calls_and_length() -> None:
    model, tools = SimulatedModel("careful"), schemas(TOOLS["en"])
    assert model.reply(conversation(), tools=tools).finish == "tool_calls"
    assert model.reply([user("Hello")]).finish == "stop"
    assert model.reply([user("Hello")], max_tokens=3).finish == "length"


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("thinking", [None, False])
def test_no_reply_is_longer_than_max_tokens(lang: str, thinking: bool | None) -> None:
    results = [
        {"id": 1, "goal": "查哪些板块受益于降准", "status": "done", "result": "权重 weights:\n- 甲: 25%\n- 乙: 75%"}
    ]
    request = [system("s"), data(task=ASK[lang]["allocation"], results=results)]
    model = SimulatedModel("careful")
    whole = model.reply(request, thinking=thinking)
    for most in range(whole.usage.completion_tokens + 2):
        cut = model.reply(request, max_tokens=most, thinking=thinking)
        assert cut.usage.completion_tokens <= most
        assert whole.text.startswith(cut.text) and whole.reasoning.startswith(cut.reasoning)
        assert (cut.finish == "stop") == (most >= whole.usage.completion_tokens)


def test_calls_that_do_not_fit_are_not_half_sent() -> None:
    model, tools = SimulatedModel("careful"), schemas(TOOLS["en"])
    whole = model.reply(conversation(), tools=tools)
    cut = model.reply(conversation(), tools=tools, max_tokens=whole.usage.completion_tokens - 1)
    assert (cut.finish, cut.tool_calls) == ("length", ()) and "tool_calls" not in cut.message


@pytest.mark.parametrize("preset", ["articles", "careful", "reckless"])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_told_to_answer_it_answers_in_words_from_what_it_has(preset: str, lang: str) -> None:
    model, tools, messages = SimulatedModel(preset), schemas(TOOLS[lang]), conversation(lang)
    for _ in range(3):
        reply = model.reply(messages, tools=tools)
        messages.append(reply.message)
        messages += [tool_message(call, "Nothing found.") for call in reply.tool_calls]
        last = model.reply([*messages, user("Stop here (max_steps). Answer now.")], tools=tools, tool_choice="none")
        assert last.tool_calls == () and last.finish == "stop" and last.text.strip()
        without = model.reply([*messages, user("到此为止（max_steps）。")])
        assert without.tool_calls == () and without.text.strip()


def test_a_conversation_with_a_second_question_answers_the_second() -> None:
    model, tools = SimulatedModel("careful"), TOOLS["en"]
    messages = [
        system(REACT),
        user(ASK["en"]["sectors"]),
        assistant("Banks."),
        user("What is a reserve-requirement cut?"),
    ]
    reply = model.reply(messages, tools=schemas(tools))
    assert reply.tool_calls[0].args == {"query": "what is a reserve-requirement cut"}


@pytest.mark.parametrize(
    "messages", [[], [{"role": "user"}], [{"role": "assistant", "content": None}], [{"role": "tool", "content": "x"}]]
)
def test_odd_requests_get_an_answer(messages: list[dict[str, Any]]) -> None:
    for tools in ((), schemas(TOOLS["en"])):
        assert SimulatedModel("reckless").reply(messages, tools=tools).text
