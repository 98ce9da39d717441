"""Tools are chosen by what they say and filled by what they ask for, whatever they are called."""

from __future__ import annotations

from typing import Any

import pytest
from policy_loop import REACT, plan_execute, react

from planexec.chat import system
from planexec.models.simulated import SimulatedModel
from planexec.tools import Tool, empty, found, tool
from planexec.worlds import finance

LANGUAGES = ("en", "zh")
FINANCE = {lang: finance.tools(lang) for lang in LANGUAGES}
ASK = finance.QUESTIONS


@pytest.mark.parametrize("lang", LANGUAGES)
def test_renamed_tools_are_chosen_by_what_they_say(lang: str) -> None:
    names = {"calculate": "abacus", "search_knowledge": "library", "get_quote": "ticker_tape"}
    tools = [Tool(names[each.name], each.description, each.function, lines=each.lines) for each in FINANCE[lang]]
    done = plan_execute(SimulatedModel("careful"), ASK[lang]["allocation"], tools)
    assert {name for name, _, _ in done.calls} == {"abacus", "library"}
    assert "250,000" in done.answer


def test_a_calculator_that_takes_one_value_at_a_time_is_called_once_for_each() -> None:
    @tool(description="Arithmetic: evaluate one expression.")
    def compute(formula: str) -> Any:
        return FINANCE["en"][0].carry_out({"expression": formula})

    done = react(SimulatedModel("careful"), ASK["en"]["split"], [compute, FINANCE["en"][1]])
    assert [args["formula"] for name, args, _ in done.calls if name == "compute"] == ["200bn * 40%", "200bn * 25%"]


def test_without_a_fitting_tool_it_says_what_it_would_need() -> None:
    @tool(description="Tell a joke.")
    def joke() -> str:
        return "ha"

    done = react(SimulatedModel("careful"), ASK["en"]["sectors"], [joke])
    assert done.calls == [] and "finance" in done.answer


def test_things_that_do_not_wait_for_each_other_are_asked_in_one_reply() -> None:
    model = SimulatedModel("careful")
    messages = [system(REACT), {"role": "user", "content": "What are the prices of the stocks Zig, Zag and Zog?"}]
    reply = model.reply(messages, tools=[each.schema for each in FINANCE["en"]])
    assert [call.args for call in reply.tool_calls] == [{"ticker_or_name": name} for name in ("Zig", "Zag", "Zog")]
    assert len({call.id for call in reply.tool_calls}) == 3


def test_an_empty_search_in_a_batch_is_a_setback_like_any_other() -> None:
    @tool(description="The latest price of one stock.")
    def get_quote(name: str) -> Any:
        return empty("Not found.") if name == "Zag" else found(f"{name}: 3 yuan")

    done = react(SimulatedModel("careful"), "What are the prices of the stocks Zig, Zag and Zog?", [get_quote])
    assert len(done.calls) == 3
    assert "Zig: 3 yuan" in done.answer and "(asked: Zag)" in done.answer
