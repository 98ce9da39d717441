"""A model that invents tool names without end: what is remembered of them does not grow with the run."""

from __future__ import annotations

import pytest
from helpers_control import OFF, asks, facts, kinds, nothing
from helpers_guards import Given, call, end_of, open_run

from planexec.clock import VirtualClock
from planexec.guards import DEFAULT_GUARDS, NoResult
from planexec.limits import TOOL_NEED
from planexec.loops import KEPT_CALLS
from planexec.models.scripted import ScriptedModel
from planexec.react_loop import react

NAMES = 3_000


def test_thousands_of_invented_names_leave_no_trace_in_the_counts() -> None:
    run = open_run([facts()], *DEFAULT_GUARDS)
    before = set(TOOL_NEED)
    for number in range(NAMES):
        assert call(run, "x", f"tool_{number}").kind == "failed"
    call(run, "x")
    assert set(TOOL_NEED) - before <= {"", "look"}
    assert run.used.per_tool == {"": NAMES, "look": 1} and run.used.tool_calls == NAMES + 1


def test_the_no_result_counter_remembers_a_limited_number_of_tools() -> None:
    state = NoResult().start()
    run = open_run([facts()], Given(state))
    for number in range(NAMES):
        call(run, "x", f"tool_{number}")
    assert len(state.standing()) == KEPT_CALLS


def test_one_invented_name_said_again_and_again_still_ends_the_step() -> None:
    run = open_run([facts()], NoResult())
    assert [bool(call(run, each, "nope").note) for each in "abc"] == [False, True, False]
    assert end_of(run).reason == "failed"


def test_other_tools_between_do_not_reset_the_count_of_one() -> None:
    run = open_run([nothing("a"), nothing("b")], NoResult())
    assert [bool(call(run, number, tool).note) for number, tool in enumerate("abab")] == [False, False, True, True]


@pytest.mark.parametrize("most", [0, 1, 3])
def test_calls_of_tools_that_do_not_exist_count_together_towards_the_limit_of_one_tool(most: int) -> None:
    run = open_run([facts()], limits=OFF.with_(max_calls_per_tool=most))
    seen = run.tools(asks(*((f"tool_{number}", {"query": "x"}) for number in range(4))))
    assert kinds(seen) == ["failed"] * most + ["refused"] * (4 - most)


def test_a_run_of_invented_names_only_ends_at_its_limit() -> None:
    model = ScriptedModel(lambda messages, tools: [(f"tool_{len(messages)}", {"query": "x"})])
    result = react("q", model, [facts()], OFF.with_(max_tool_calls=5), clock=VirtualClock())
    assert (result.usage.tool_calls, result.stop.reason) == (5, "max_tool_calls")
