"""Other people's agents: answers handed in by a call, results told in words, calls that are demanded."""

from __future__ import annotations

import json
from typing import Any

import pytest
from policy_loop import schemas

from planexec.chat import Reply, ToolCall, assistant, system, tool_message, user
from planexec.models.policy.reading import read
from planexec.models.policy.told import shared_out, told_calls, told_result
from planexec.models.simulated import SimulatedModel
from planexec.tools import Tool, found, tool

QUESTION = "Which sectors benefit from a reserve-requirement cut?"
FACTS = "[2026-10-12] Sectors that benefit\nsectors: banks, property\nweights:\n- banks: 60%\n- property: 40%"


@tool(description="Search the knowledge base of economic facts.")
def search_knowledge(query: str) -> Any:
    return found(FACTS)


@tool(description="Provides a final answer to the given problem.")
def final_answer(answer: str) -> Any:
    return found(answer)


BOTH = [search_knowledge, final_answer]


def told(reply: Reply) -> dict[str, Any]:
    """The reply's calls as a framework without tool messages writes them into the conversation."""
    calls = [
        {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.args}} for c in reply.tool_calls
    ]
    return assistant(f"Calling tools:\n{calls}")


def ask(tools: list[Tool], choice: str = "auto", messages: list[dict[str, Any]] | None = None, **dials: float) -> Reply:
    messages = messages or [system("Solve the task with tool calls."), user(f"New task:\n{QUESTION}")]
    return SimulatedModel("careful", **dials).reply(messages, tools=schemas(tools), tool_choice=choice)


# ------------------------------------------------------------------------------------------ a whole conversation


def test_one_search_then_the_answer_is_handed_in_when_results_come_as_the_users_words() -> None:
    messages = [system("Always provide a tool call."), user([{"type": "text", "text": f"New task:\n{QUESTION}"}])]
    names: list[str] = []
    for _ in range(4):
        reply = ask(BOTH, "required", messages)
        names += [call.name for call in reply.tool_calls]
        if names[-1] == "final_answer":
            break
        messages += [told(reply), user(f"Observation:\n{FACTS}")]
    assert names == ["search_knowledge", "final_answer"] and not reply.text
    answer = reply.tool_calls[0].args["answer"]
    assert "60%" in answer and "40%" in answer


def test_the_answer_is_handed_in_as_well_when_results_come_as_tool_messages() -> None:
    messages = [user(QUESTION)]
    first = ask(BOTH, messages=messages)
    messages += [first.message, tool_message(first.tool_calls[0], FACTS)]
    second = ask(BOTH, messages=messages)
    assert [call.name for call in (*first.tool_calls, *second.tool_calls)] == ["search_knowledge", "final_answer"]


def test_a_stubborn_model_searches_on_after_nothing_before_it_hands_in() -> None:
    messages, names = [user(QUESTION)], []
    while "final_answer" not in names:
        reply = ask(BOTH, "required", messages, stubborn=1.0)
        names += [call.name for call in reply.tool_calls]
        messages += [told(reply), user("Observation:\nNothing was found.")]
    assert len(names) > 2 and "could not be found" in reply.tool_calls[0].args["answer"]


def test_an_answer_that_was_not_accepted_is_no_result_and_is_handed_in_again() -> None:
    messages = [user(QUESTION), assistant("", [ToolCall("1", "search_knowledge", {"query": QUESTION})], ["{}"])]
    messages += [tool_message(ToolCall("1", "search_knowledge", {}), FACTS)]
    first = ask(BOTH, messages=messages)
    again = ask(BOTH, messages=[*messages, first.message, tool_message(first.tool_calls[0], "Not accepted.")])
    assert again.tool_calls[0].args == first.tool_calls[0].args


# ------------------------------------------------------------------------------------------ which tool, which end


@pytest.mark.parametrize(
    "name, description",
    [
        ("final_answer", "Ends the work."),
        ("final_result", "The final response which ends this conversation"),
        ("finish", "Ends the task."),
        ("submit_answer", "Hand in."),
        ("done_with_it", "提交最终答案。"),
    ],
)
def test_a_tool_takes_answers_by_its_name_or_by_what_is_said_about_it(name: str, description: str) -> None:
    taker = Tool(name, description, lambda answer: found(answer))
    messages = [user("What is the capital of France?")]
    assert [call.name for call in ask([taker], messages=messages).tool_calls] == [name]


@pytest.mark.parametrize("name", ["write_report", "search_answers", "send_mail", "open_page"])
def test_other_tools_do_not(name: str) -> None:
    other = Tool(name, "Does something with a text.", lambda text: found(text))
    assert not ask([other], messages=[user("What is the capital of France?")]).tool_calls


def test_without_such_a_tool_it_answers_in_words_and_with_a_call_demanded_never() -> None:
    call = ToolCall("1", "search_knowledge", {"query": QUESTION})
    messages = [user(QUESTION), assistant("", [call], [json.dumps(call.args)]), tool_message(call, FACTS)]
    assert "60%" in ask([search_knowledge], messages=messages).text
    demanded = ask([search_knowledge], "required", messages)
    assert [each.name for each in demanded.tool_calls] == ["search_knowledge"] and not demanded.text


def test_tool_choice_none_gets_words_although_a_tool_takes_answers() -> None:
    reply = ask(BOTH, "none")
    assert reply.text and not reply.tool_calls


def test_a_tool_that_asks_for_more_than_an_answer_is_used_only_when_a_call_is_demanded() -> None:
    @tool(description="Hand in the final answer.")
    def submit(answer: str, grade: int) -> Any:
        return found(answer)

    messages = [user("What is the capital of France?")]
    assert not ask([submit], messages=messages).tool_calls
    assert [call.name for call in ask([submit], "required", messages).tool_calls] == ["submit"]


# ------------------------------------------------------------------------------------------ words about calls


def test_calls_are_read_in_python_in_json_and_one_a_line() -> None:
    expected = (("search", {"query": "bo\"b's"}),)
    spec = {"id": "1", "type": "function", "function": {"name": "search", "arguments": {"query": "bo\"b's"}}}
    assert told_calls(f"Calling tools:\n{[spec]}") == expected
    assert told_calls(json.dumps([spec])) == expected
    action = json.dumps({"tool": "search", "args": {"query": "bo\"b's"}})
    assert told_calls(f"Action:\n{action}") == expected
    assert told_calls(f"{action}\n{action}") == expected * 2


@pytest.mark.parametrize(
    "text", ["", "I found [1] and {2}.", '["a", "b"]', "[" * 5_000, '{"answer": "x"}', "x [" * 9_999]
)
def test_other_texts_tell_of_no_call(text: str) -> None:
    assert told_calls(text) == ()


def test_a_result_loses_its_label_and_what_the_framework_adds() -> None:
    assert told_result("Observation:\nNothing found.") == "Nothing found."
    assert told_result("Observation:\nA\nError:\nUnknown tool.\nNow let's retry.") == "A"
    assert told_result("观察结果：没有") == "没有"
    assert told_result("Observe the market.") is None


def test_results_of_several_calls_are_told_apart_when_each_has_a_line() -> None:
    assert shared_out("a\nb", 2) == ["a", "b"]
    assert shared_out("a\nb\nc", 2) == ["a\nb\nc"] * 2


def test_a_users_observation_is_a_result_only_after_a_call_and_never_the_question() -> None:
    assert read([user("Observation: banks rose. Why?")]).question == "Observation: banks rose. Why?"
    action = assistant('{"tool": "search", "args": {"query": "x"}}\n{"tool": "search", "args": {"query": "y"}}')
    reading = read([user(QUESTION), action, user("Tool result: one"), user("Tool result: Nothing found.")])
    assert reading.users == (QUESTION,)
    assert [(each.args["query"], each.text, each.kind) for each in reading.seen] == [
        ("x", "one", "found"),
        ("y", "Nothing found.", "empty"),
    ]
