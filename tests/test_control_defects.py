"""Defects of the code printed in the three articles that concern control, each by its number in our list of 114.

A test shows that the defect is not here; its docstring says what the printed code did. 93 to 114, article C, are in
test_control_defects_limits.py; 28, 29, 55 to 57, 66, 86, 89, 90 and the missing rule of 113 in
test_defects_whole_run.py. Without a test of that name: 67 (who sells a search is no part of the code), 68 (a comment
that promises too much; the shapes it forgot are 33 to 36), 70 and 92 (names that do not exist: ruff's F821 finds them
in every check), 87 (fifteen scenarios that add up to twelve; ours are counted in test_world_flights.py) and 91 (an
amount that is never derived; ours is, in test_world_finance.py, and answers are judged in test_trials_judge.py).
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers_control import (
    OFF,
    Counting,
    asked,
    asks,
    endless,
    facts,
    kinds,
    once_each,
    planned,
    role_of,
    roles,
)

from planexec.agent import PlanExecuteAgent
from planexec.clock import VirtualClock
from planexec.guards import Enough, NoResult
from planexec.limits import Limits
from planexec.models.scripted import ScriptedModel
from planexec.react_loop import react
from planexec.run import Run
from planexec.tools import empty, observe

THREE = ["one", "two", "three"]


def to_replanner(model: ScriptedModel) -> list[dict[str, Any]]:
    """The data of every question to the replanner."""
    return [asked(each["messages"]) for each in model.requests if role_of(each["messages"]) == "replanner"]


# ------------------------------------------------------------------------------------------ article A: replanning


def test_defect_059_steps_allowed_lines_of_a_plan_and_replans_are_three_limits() -> None:
    """One number stood for the steps still allowed and for the length of the plan; retries and added steps ate both."""
    failing = Counting(lambda query: (_ for _ in ()).throw(TimeoutError("busy")))
    result = planned(roles(THREE, once_each()), [failing.tool()], Limits(max_plan_steps=3, max_steps=20))
    assert len(result.steps) == 3 and len(failing.seen) == 9, "attempts use up neither lines nor turns"
    assert result.usage.steps == 6
    short = planned(roles(THREE, once_each()), [facts()], Limits(max_plan_steps=3, max_steps=2))
    assert (short.stop.reason, len(short.plan)) == ("max_steps", 3), "turns used up do not shorten the plan"


def test_defect_060_what_the_last_step_left_open_can_still_be_filled() -> None:
    """After the last step nothing was looked at again, although there was budget."""

    def fill_the_gap(messages: Any) -> str:
        data = asked(messages)
        failed = data["done"][-1]["status"] == "failed"
        return json.dumps([*data["remaining"], *([{"id": None, "goal": "another way"}] if failed else [])])

    look = Counting(lambda query: 1 / 0 if query == "three" else f"fact about {query}")
    result = planned(roles(THREE, once_each(), fill_the_gap), [look.tool()])
    assert look.seen == [*THREE, "another way"] and result.steps[-1].status == "done"


def test_defect_064_the_replanner_is_told_how_each_step_ended_and_where_a_result_was_cut() -> None:
    """It saw the first 300 characters of each result, without a mark, and never a failure."""
    look = Counting(lambda query: 1 / 0 if query == "two" else "long " * 200)
    model = roles(THREE, once_each())
    planned(model, [look.tool()])
    after_two = to_replanner(model)[1]["done"]
    assert [step["status"] for step in after_two] == ["done", "failed"]
    assert after_two[0]["result"].endswith("…") and len(after_two[0]["result"]) == 300
    assert "ZeroDivisionError" in after_two[1]["result"]


def test_defect_065_added_steps_do_not_push_out_planned_ones() -> None:
    """Eight lines were allowed, and steps added in front pushed the original last ones out."""

    def crowd(messages: Any) -> str:
        extra = [{"id": None, "goal": f"extra {number}"} for number in range(8)]
        return json.dumps([*extra, *asked(messages)["remaining"]])

    look = Counting()
    planned(roles(THREE, once_each(), crowd), [look.tool()], Limits(max_steps=30))
    assert look.seen == THREE


# ------------------------------------------------------------------------------------------ article B: the loop


def test_defect_069_three_without_a_result_means_that_three_are_carried_out() -> None:
    """`tool_call_counts[tool] 3` lost its operator; > and >= give different runs."""
    for stop in (1, 2, 3, 5):
        look = Counting(lambda query: empty())
        result = react("q", endless(), [look.tool()], OFF, guards=[NoResult(nudge=1, stop=stop)])
        assert len(look.seen) == stop == result.stop.limit == result.stop.value


def test_defect_071_arguments_may_be_the_result_of_an_earlier_step_and_a_missing_one_blocks() -> None:
    """Arguments were fixed when the plan was made; no earlier result was ever put in."""
    look = Counting(lambda query: empty() if query == "gone" else {"sectors": ["banks", "property"]})
    plan = [
        {"id": 1, "goal": "which", "tool": "look", "args": {"query": "cut"}},
        {"id": 2, "goal": "leaders", "tool": "look", "args": {"query": "leaders of $1.sectors"}},
        {"id": 3, "goal": "missing", "tool": "look", "args": {"query": "gone"}},
        {"id": 4, "goal": "after it", "tool": "look", "args": {"query": "$3"}, "needs": [3]},
    ]
    result = planned(roles(plan, "nothing there"), [look.tool()])
    assert look.seen == ["cut", "leaders of banks, property", "gone"]
    assert [step.status for step in result.steps] == ["done", "done", "no_data", "blocked"]


def test_defect_072_three_different_searches_that_find_something_are_never_aborted() -> None:
    """It counted all calls of a tool, where the text says "without a result in a row"."""
    run = Run("q", tools=[facts()], limits=OFF)
    assert kinds(run.tools(asks(*[("look", {"query": each}) for each in "abcdef"]))) == ["found"] * 6


def test_defect_073_a_refused_call_is_neither_carried_out_nor_counted() -> None:
    """It counted before it checked: three counted, two carried out, and aborted calls went on counting."""
    look = Counting()
    run = Run("q", tools=[look.tool()], limits=OFF.with_(max_tool_calls=3), guards=())
    run.tools(asks(*[("look", {"query": str(each)}) for each in range(9)]))
    assert len(look.seen) == run.used.tool_calls == run.used.per_tool["look"] == 3


def test_defect_074_an_aborted_call_is_no_result_and_its_step_is_closed() -> None:
    """{"status": "aborted"} was observed like a result, and the same step was offered again until the limit."""
    look = Counting(lambda query: "the same")
    stubborn = lambda messages: [("look", {"query": "x"})]  # noqa: E731
    result = planned(roles(["dig", "go on"], stubborn), [look.tool()], Limits(per_step=OFF, max_steps=20))
    assert [call.kind for call in result.steps[0].calls] == ["found"] * 3 + ["refused"]
    assert [step.goal for step in result.steps] == ["dig", "go on"] and result.steps[0].stop.reason == "loop"


def test_defect_075_every_attempt_inside_a_call_is_counted_and_there_is_one_owner() -> None:
    """Retries hid inside one counted call and multiplied with the repeats outside."""
    busy = Counting(lambda query: (_ for _ in ()).throw(TimeoutError("busy")))
    run = Run("q", tools=[busy.tool()], limits=OFF.with_(max_attempts=3), clock=VirtualClock())
    run.tools(asks(("look", {"query": "x"})))
    assert len(busy.seen) == run.used.tool_calls == 3


def test_defect_076_no_model_call_is_made_for_a_search_that_will_not_follow() -> None:
    """The keyword was rewritten, by a paid call, after the last try too: two queries, two rewrites."""
    look = Counting(lambda query: empty())
    reword = lambda messages: [("look", {"query": f"wording {len(messages)}"})]  # noqa: E731
    model = roles([{"id": 1, "goal": "find", "tool": "look", "args": {"query": "x"}}], reword)
    result = planned(model, [look.tool()])
    turns = [request for request in model.requests if role_of(request["messages"]) == "executor"]
    assert (len(look.seen), len(turns)) == (3, 2) and result.steps[0].status == "no_data"


@pytest.mark.parametrize("n", [1, 2, 3])
def test_defect_077_attempts_are_attempts(n: int) -> None:
    """`max_retry = 2` meant two attempts, one retry, and the prose said both."""
    busy = Counting(lambda query: (_ for _ in ()).throw(TimeoutError("busy")))
    Run("q", tools=[busy.tool()], limits=OFF.with_(max_attempts=n), clock=VirtualClock()).tools(
        asks(("look", {"query": "x"}))
    )
    assert len(busy.seen) == n


def test_defect_078_found_and_not_found_are_said_and_not_guessed_from_a_text() -> None:
    """The text "未找到" was a success because it is not empty; 0 and [] were failures because they are falsy."""
    assert [observe(value).kind for value in (0, 0.0, False, "0", "未找到")] == ["found"] * 5
    assert [observe(value).kind for value in (None, "", [], {}, ())] == ["empty"] * 5
    assert (empty("未找到").kind, empty("未找到").text) == ("empty", "未找到")


def test_defect_079_a_chain_of_five_steps_is_carried_out_to_its_end() -> None:
    """`done and sum >= 4` stopped it at four, although eight steps were allowed."""
    plan = [{"id": n, "goal": f"link {n}", "tool": "look", "args": {"query": f"link {n}"}} for n in range(1, 6)]
    assert planned(roles(plan), [facts()], Limits(max_steps=8)).complete
    printed = planned(roles(plan), [facts()], Limits(max_steps=8), guards=[Enough(scope="run")])
    assert (printed.stop.reason, printed.usage.tool_calls) == ("enough", 4)


def test_defect_080_one_miss_on_the_way_does_not_cost_the_last_step() -> None:
    """Case 2b passed only without a single miss."""
    look = Counting(lambda query: empty() if query == "link 2" else f"fact about {query}")
    plan = [{"id": n, "goal": f"link {n}", "tool": "look", "args": {"query": f"link {n}"}} for n in range(1, 5)]
    reword = lambda messages: "found" if messages[-1]["content"].startswith("fact") else [("look", {"query": "other"})]  # noqa: E731
    result = planned(roles(plan, reword), [look.tool()], Limits(max_steps=8))
    assert look.seen == ["link 1", "link 2", "other", "link 3", "link 4"] and result.complete


def test_defect_081_one_result_is_not_the_answer() -> None:
    """One finished step counted as "there is a valid result"."""
    look = Counting(lambda query: "fact" if query == "one" else empty())
    result = planned(roles(THREE, once_each()), [look.tool()])
    assert [step.status for step in result.steps] == ["done", "no_data", "no_data"] and not result.complete
    assert result.stop.reason == "no_data" and result.stop.where == "step-2"


def test_defect_082_calls_that_were_refused_do_not_make_it_enough() -> None:
    """The sum counted aborted calls too."""
    limits = OFF.with_(per_step=OFF.with_(max_calls_per_tool=3))
    run = Run("q", model=ScriptedModel(["go on"]), tools=[facts()], guards=[Enough()], limits=limits)
    step = run.within("step-1", step=True)
    step.tools(asks(*[("look", {"query": each}) for each in "abcdef"]))
    assert run.used.tool_calls == 3 and step.model([{"role": "user", "content": "q"}]).text == "go on"


def test_defect_083_a_run_that_was_cut_says_so() -> None:
    """It fell out of `max_steps` in silence; the final answer could not tell complete from cut."""
    result = react("q", endless(), [facts()], OFF.with_(max_steps=3))
    assert not result.complete and result.stop.reason == "max_steps" and "stopped: max_steps" in repr(result)


def test_defect_084_two_runs_of_one_agent_do_not_know_of_each_other() -> None:
    """Counters and results lived on the instance: the second run took 0 steps."""
    agent = PlanExecuteAgent(roles(THREE, once_each()), [facts()], loop="plan", clock=VirtualClock())
    first, second = agent.run("q"), agent.run("q")
    assert first == second and first.usage.steps == 6
    tired = PlanExecuteAgent(endless(), [facts()], OFF.with_(max_steps=2), loop="react", guards=())
    assert [tired.run("q").usage.steps for _ in range(3)] == [2, 2, 2]


@pytest.mark.parametrize("call", [("nobody", {}), ("look", {"quest": "x"}), ("look", {"query": "boom"})])
def test_defect_085_an_unknown_tool_wrong_arguments_or_an_exception_do_not_end_the_run(call: Any) -> None:
    """KeyError, TypeError, run lost."""
    look = Counting(lambda query: 1 / 0)
    result = react("q", ScriptedModel([call, "so be it"]), [look.tool()])
    assert result.answer == "so be it" and result.calls[0].kind == "failed" and result.stop.reason == "failed"


def test_defect_088_a_later_call_can_use_what_an_earlier_one_returned() -> None:
    """The text says that function calling cannot do a chain; the next turn sees the results."""

    def line(messages: Any, tools: Any) -> Any:
        if messages[-1]["role"] != "tool":
            return ("look", {"query": "inflow"})
        return ("look", {"query": f"half of {messages[-1]['content']}"}) if len(messages) < 5 else "done"

    look = Counting(lambda query: "200 bn")
    assert react("q", ScriptedModel(line), [look.tool()]).answer == "done"
    assert look.seen == ["inflow", "half of 200 bn"]
