"""Thirty faults that users reported of other agents, reproduced with stubs: what went wrong there must not go so here.

One test a row of our list, its issue in the docstring; rows 17 to 30 are in test_public_faults_resume.py.
"""

from __future__ import annotations

from typing import Any

import pytest
from helpers_control import (
    OFF,
    Counting,
    always,
    asks,
    endless,
    facts,
    kinds,
    legal,
    nothing,
    raises,
    replies,
)

from planexec.chat import Price, ServiceError, Usage, tool_message, user
from planexec.clock import VirtualClock
from planexec.limits import Limits
from planexec.loops import first_loop
from planexec.models.scripted import ScriptedModel, calls, says
from planexec.react_loop import react
from planexec.run import Run
from planexec.tools import tool


def test_row_01_a_model_that_never_ends_is_stopped_by_defaults_that_anybody_can_read() -> None:
    """langchain#36919: a hidden default of 9,999 steps cost a user 800 yuan in one afternoon."""
    result = react("q", endless(), [facts()])
    assert result.stop.reason == "max_steps" and result.usage.steps == Limits().max_steps == 12
    assert "max_steps (limit 12, reached 12)" in result.verdicts[-1].text and result.stop.advice


def test_row_02_the_same_call_for_ever_is_a_loop_at_three_and_not_at_the_step_limit() -> None:
    """langgraph#6731, deer-flow#1055: the identical call repeated until the recursion limit."""
    look = Counting(lambda query: "the same page")
    result = react("q", always("look", {"query": "x"}), [look.tool()])
    assert (result.stop.reason, len(look.seen), result.usage.steps) == ("loop", 3, 4)
    assert result.answer == "what there is"


def test_row_03_text_between_the_repeats_does_not_hide_them() -> None:
    """opencode#25254: repeats in separate turns, with text between, were unseen."""
    look = Counting(lambda query: "the same page")
    model = ScriptedModel(
        lambda m, t: says("enough") if t and model.requests[-1]["tool_choice"] == "none"
        else calls(("look", {"query": "x"}), text=f"Let me think again, attempt {len(m)}.")
    )  # fmt: skip
    result = react("q", model, [look.tool()])
    assert (result.stop.reason, len(look.seen)) == ("loop", 3)


def test_row_03_turns_of_nothing_but_text_between_the_repeats_do_not_hide_them_either() -> None:
    """A loop of one's own, where a text is a turn of its own: call, talk, call, talk, call, talk, call."""
    look = Counting(lambda query: "the same page")
    talk = [part for turn in range(1, 9) for part in (("look", {"query": "x"}), f"Let me think, attempt {turn}.")]
    messages, seen = [user("q")], []
    with Run("q", model=ScriptedModel(talk), tools=[look.tool()], limits=OFF) as run:
        while True:
            reply = run.model(messages, tools=True, step=True)
            messages.append(reply.message)
            for call, observation in zip(reply.tool_calls, run.tools(reply.tool_calls), strict=True):
                messages.append(tool_message(call, observation.message_text))
                seen.append((observation.kind, bool(observation.note)))
            if not reply.tool_calls:
                messages.append(user("Go on."))
    assert (run.stop.reason, len(look.seen), run.used.steps) == ("loop", 3, 7)
    assert seen == [("found", False), ("found", False), ("found", True), ("refused", False)] and legal(messages)


@pytest.mark.parametrize(("letters", "expected"), [("AB", 5), ("ABC", 8), ("ABCD", 11)])
def test_row_04_cycles_are_seen_and_an_anchor_with_new_calls_between_is_not_one(letters: str, expected: int) -> None:
    """opencode#47759: A,B,A,B,A,B went unseen."""
    cycle = [("look", {"query": each}, f"page {each}", "found") for each in letters * 4]
    assert first_loop(cycle) == expected
    assert first_loop([("look", {"query": each}, f"page {each}", "found") for each in "ABACADAE"]) is None
    look = Counting(lambda query: f"page {query}")
    result = react("q", endless(args=lambda turn: {"query": letters[turn % len(letters)]}), [look.tool()], OFF)
    assert result.stop.reason == "loop" and result.verdicts[0].action == "nudge"
    assert len(look.seen) <= 3 * len(letters) + 1


def test_row_05_one_free_text_field_varied_is_seen_and_seen_again_after_the_nudge() -> None:
    """oh-my-pi#10895: one free-text field varied; the guard fired once in 303 calls."""

    @tool
    def write(path: str, why: str) -> str:
        """Write a file."""
        return "ok"

    reason = "so that the configuration of the service is complete and the next step can start, part {}"
    model = endless("write", args=lambda turn: {"path": "a.txt", "why": reason.format("abcdefghijklmnop"[turn % 16])})
    result = react("q", model, [write], OFF)
    assert [verdict.action for verdict in result.verdicts] == ["nudge", "conclude"]
    assert result.stop.reason == "loop" and result.usage.tool_calls <= 5


def test_row_06_another_thought_before_the_same_call_changes_nothing() -> None:
    """OpenHands#15087: a different thought, the same action, and the detector's equality failed."""
    look = Counting(lambda query: "the same page")
    model = ScriptedModel(
        lambda m, t: says("enough") if model.requests[-1]["tool_choice"] == "none"
        else calls(("look", {"query": "x"}), reasoning=f"thought number {len(m)}")
    )  # fmt: skip
    assert react("q", model, [look.tool()], OFF).stop.reason == "loop" and len(look.seen) == 3


def test_row_07_paging_with_equal_arguments_is_no_loop_and_polling_has_a_limit_of_its_own() -> None:
    """OpenHands#5355, Roo-Code#9502: polling and paging with equal arguments were stopped as loops."""
    pages = iter(range(1_000))
    paging = Counting(lambda query: f"page {next(pages)}")
    result = react("q", always("look", {"query": "next"}), [paging.tool()], OFF.with_(max_steps=60))
    assert result.stop.reason == "max_steps" and len(paging.seen) == 60
    waiting = Counting(lambda query: "still running")
    result = react("q", always("look", {"query": "job"}), [waiting.tool(polling=True)], OFF)
    assert result.stop.reason == "loop" and len(waiting.seen) == 20


@pytest.mark.parametrize(("usd", "reason", "polls"), [(None, "loop", 20), (0.10, "max_usd", 4)])
def test_row_08_endless_polling_ends_at_its_own_limit_or_at_the_money_whichever_comes_first(
    usd: float | None, reason: str, polls: int
) -> None:
    """openclaw#16808: 1,535 equal polls of "no new output", about $150."""
    poll = Counting(lambda query: "no new output")
    model = always("look", {"query": "job"}, usage=Usage(100, 100), price=Price(10.0, 1.0, usd_per_call=0.02))
    result = react("q", model, [poll.tool(polling=True)], OFF.with_(max_usd=usd))
    assert result.stop.reason == reason and len(poll.seen) <= polls
    assert usd is None or result.usage.usd <= usd


def test_row_09_ever_new_arguments_with_one_and_the_same_error_are_stopped() -> None:
    """openclaw#34574: 49 variants of the arguments, one identical error."""
    result = react("q", endless(), [raises(PermissionError("read-only file system"))], OFF)
    assert (result.stop.reason, result.usage.tool_calls) == ("failed", 3)


def test_row_10_nothing_found_is_told_as_a_fact_and_the_model_can_answer() -> None:
    """tailored-ai#528: "empty" was read as a failure; it asked again although it could have answered."""
    model = replies([("look", {"query": "a"})], [("look", {"query": "b"})], "There is no such record.")
    result = react("q", model, [nothing()])
    assert result.answer == "There is no such record." and result.usage.tool_calls == 2
    assert [verdict.action for verdict in result.verdicts] == ["nudge"]
    last = model.requests[-1]["messages"][-1]["content"]
    assert "brought nothing 2 times" in last and result.stop.reason == "no_data"


def test_row_11_distinct_useful_reads_and_good_writes_are_never_a_loop() -> None:
    """atomic-agent#458, pydantic-deepagents#208: 11 useful fetches, and 3 good writes, called a loop."""
    run = Run("q", tools=[facts(), Counting(lambda query: True).tool("write")], limits=OFF)
    reads = run.tools(asks(*[("look", {"query": f"page {number}"}) for number in range(12)]))
    files = ["report.md", "data/table.csv", "figures/plot.svg"]
    writes = run.tools(asks(*[("write", {"query": name}) for name in files], start=13))
    assert kinds([*reads, *writes]) == ["found"] * 15 and run.verdicts == []


def test_row_12_who_ignores_every_nudge_is_stopped_at_the_second_strike() -> None:
    """gemini-cli#5283: the detector warned 17 times and nothing stopped."""
    look = Counting(lambda query: f"page {query}")
    result = react("q", endless(args=lambda turn: {"query": "ab"[turn % 2]}), [look.tool()], OFF)
    assert [verdict.action for verdict in result.verdicts][-2:] == ["refuse", "conclude"]
    assert result.stop.reason == "loop" and len(look.seen) == 6 and result.answer == "what there is"


def test_row_13_the_concluding_answer_is_the_result_and_nothing_comes_after_it() -> None:
    """crewAI#3847: a final answer was computed at the limit, then overwritten, and the loop went on."""
    model = endless(concluding=calls(("look", {"query": "one more"}), text="The answer."))
    look = Counting()
    result = react("q", model, [look.tool()], OFF.with_(max_steps=3))
    assert (result.answer, len(model.requests), len(look.seen)) == ("The answer.", 4, 3)
    assert model.requests[-1]["tool_choice"] == "none"


@pytest.mark.parametrize("last", ["", ServiceError("gone")])
def test_row_14_at_a_limit_the_results_are_used_and_if_no_model_helps_code_sums_them_up(last: Any) -> None:
    """langchain#33653, langchainjs#10090: the limit returned a canned sentence, or an empty answer."""
    good = endless()
    assert react("q", good, [facts()], OFF.with_(max_steps=2)).answer == "what there is"
    assert "fact about q" in str(good.requests[-1]["messages"])
    poor = react("q", endless(concluding=last), [facts()], OFF.with_(max_steps=2, max_attempts=1))
    assert "fact about q1" in poor.answer and "fact about q2" in poor.answer


def test_row_15_failing_tools_use_up_the_tool_budget() -> None:
    """pydantic-ai#6388: failing tools did not consume the tool budget."""
    busy = Counting(lambda query: (_ for _ in ()).throw(TimeoutError("busy")))
    limits = OFF.with_(max_tool_calls=2, max_attempts=5)
    result = react("q", endless(), [busy.tool()], limits, clock=VirtualClock())
    assert (len(busy.seen), result.usage.tool_calls, result.stop.reason) == (2, 2, "max_tool_calls")


def test_row_16_a_batch_larger_than_what_is_left_is_cut_and_every_call_is_answered_once() -> None:
    """pydantic-ai PR 2978, langchain#34159: a batch overshot the limit, or left calls without tool messages."""
    look = Counting()
    batch = [("look", {"query": each}) for each in "abc"]
    model = ScriptedModel([batch, "from what there is"])
    result = react("q", model, [look.tool()], OFF.with_(max_tool_calls=2))
    assert look.seen == ["a", "b"] and [call.kind for call in result.calls] == ["found", "found", "refused"]
    assert legal(model.requests[-1]["messages"]) and result.answer == "from what there is"
