"""Limits of a planned run: replans, lines of a plan, presets - and exactly N whatever the agent is doing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers_control import (
    OFF,
    SECOND,
    Counting,
    Killed,
    asked,
    endless,
    facts,
    keep,
    killed_at,
    made,
    notes_of,
    nothing,
    once_each,
    role_of,
    roles,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from planexec.agent import PlanExecuteAgent
from planexec.chat import Price, ServiceError
from planexec.clock import VirtualClock
from planexec.journal import Journal
from planexec.limits import Limits
from planexec.models.scripted import ScriptedModel
from planexec.person import Answer
from planexec.react_loop import react

LONG = [f"side {number}" for number in range(1, 6)]


def planned(limits: Limits, model: ScriptedModel | None = None, journal: Journal | None = None, **settings: Any) -> Any:
    """A planned run of five sides, one call each, on a virtual clock."""
    tools = settings.pop("tools", None) or [facts()]
    model = model if model is not None else roles(LONG, once_each(), usage=SECOND)
    agent = PlanExecuteAgent(model, tools, limits, loop="plan", clock=VirtualClock(), **settings)
    return agent.run("q", journal)


def growing(messages: Any) -> str:
    """A replanner that always wants one more step."""
    data = asked(messages)
    more = {"id": None, "goal": f"one more after {len(data['done'])}"}
    return json.dumps([*data["remaining"], more])


# ----------------------------------------------------------------------------------------------- replans


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_exactly_n_replans(n: int) -> None:
    model = roles(LONG, once_each(), growing)
    result = planned(OFF.with_(max_replans=n), model)
    requests = sum(role_of(request["messages"]) == "replanner" for request in model.requests)
    assert (result.replans, requests) == (n, n)
    assert len(result.steps) == len(LONG) + n and result.complete


@pytest.mark.parametrize("n", [1, 2, 3])
def test_replans_that_fail_count_too_and_the_old_plan_is_finished(n: int) -> None:
    model = roles(LONG, once_each(), replanner=ServiceError("the replanner is out", "permanent"))
    journal = Journal()
    result = planned(OFF.with_(max_replans=n), model, journal)
    assert result.replans == n and result.complete and [step.goal for step in result.steps] == LONG
    assert [note["why"] for note in notes_of(journal, "replan")] == ["the replanner is out"] * n


def test_replans_count_across_a_resume() -> None:
    for kill in range(1, 25, 3):
        journal = Journal()
        with pytest.raises(Killed):
            planned(OFF.with_(max_replans=2), roles(LONG, once_each(), growing), journal, on_event=killed_at(kill))
        result = planned(OFF.with_(max_replans=2), roles(LONG, once_each(), growing), journal)
        assert (result.replans, len(result.steps), result.complete) == (2, 7, True)


# ----------------------------------------------------------------------------------------------- lines of a plan


@pytest.mark.parametrize(("n", "lines"), [(1, 1), (3, 3), (5, 5), (6, 5), (None, 5)])
def test_a_plan_has_at_most_n_lines_and_says_when_it_is_less_than_what_was_planned(n: int | None, lines: int) -> None:
    model = roles(LONG, once_each())
    result = planned(OFF.with_(max_plan_steps=n), model)
    assert (len(result.plan), result.degraded) == (lines, lines < 5)
    plans = [request for request in model.requests if role_of(request["messages"]) == "planner"]
    assert len(plans) == (2 if lines < 5 else 1), "a plan that is too long is asked for once more"


def test_no_line_allowed_means_no_plan_and_a_reason() -> None:
    model = roles(LONG, once_each())
    result = planned(OFF.with_(max_plan_steps=0), model)
    assert (result.stop.reason, result.stop.limit, result.plan, result.complete) == ("max_plan_steps", 0, (), False)
    assert all(role_of(request["messages"]) == "reporter" for request in model.requests)


@pytest.mark.parametrize("n", [5, 6, 8])
def test_done_and_open_lines_together_stay_within_the_limit_however_the_plan_grows(n: int) -> None:
    result = planned(OFF.with_(max_plan_steps=n), roles(LONG, once_each(), growing))
    assert len(result.steps) == n


def test_a_remainder_that_is_too_long_leaves_the_plan_as_it_is() -> None:
    def flooding(messages: Any) -> str:
        return json.dumps([{"id": None, "goal": f"extra {number}"} for number in range(30)])

    journal = Journal()
    result = planned(OFF.with_(max_plan_steps=6), roles(LONG, once_each(), flooding), journal)
    assert [step.goal for step in result.steps] == LONG
    assert "30 steps, at most 5 are allowed" in notes_of(journal, "replan")[0]["why"]


# ----------------------------------------------------------------------- exactly N in every part of a planned run

UNITS = {"max_steps": "steps", "max_model_calls": "model_calls", "max_tool_calls": "tool_calls"}


def used(result: Any, name: str) -> Any:
    return result.usage.seconds if name == "max_seconds" else getattr(result.usage, UNITS[name])


NEEDED = {"max_steps": 10, "max_model_calls": 16, "max_tool_calls": 5, "max_seconds": 16}
"""What the run of five sides needs: a plan, two turns a step, four replans, a report."""


@pytest.mark.parametrize("name", list(NEEDED))
def test_a_limit_of_just_enough_completes_the_run_and_one_less_stops_it(name: str) -> None:
    enough = planned(OFF.with_(**{name: NEEDED[name]}))
    assert enough.complete and used(enough, name) == NEEDED[name]
    less = planned(OFF.with_(**{name: NEEDED[name] - 1}))
    assert not less.complete and less.stop.reason == name and less.answer


@pytest.mark.filterwarnings("ignore:.*can never bind")
@settings(max_examples=80, deadline=None)
@given(
    name=st.sampled_from(list(NEEDED)),
    n=st.integers(0, 12),
    kill=st.integers(1, 30),
    failing=st.booleans(),
    loop=st.sampled_from(["plan", "auto", "react"]),
)
def test_never_more_than_n_and_the_same_after_a_kill(name: str, n: int, kill: int, failing: bool, loop: str) -> None:
    """Planner, steps, replanner and reporter together, endless executors, tools that find or fail, killed anywhere."""

    def run(journal: Journal, **more: Any) -> Any:
        def executor(messages: Any) -> Any:
            return [("look", {"query": f"{len(messages)} {messages[1]['content'][:200]}"})]

        model = roles(LONG, executor, growing, usage=SECOND)
        if loop == "react":
            model = endless(usage=SECOND)
        tools = [Counting(lambda query: 1 / 0).tool()] if failing else [facts()]
        limits = OFF.with_(**{name: n, "max_replans": 3, "max_plan_steps": 8})
        if name != "max_steps":
            limits = limits.with_(max_steps=25)
        agent = PlanExecuteAgent(model, tools, limits, loop=loop, clock=VirtualClock(), guards=(), **more)
        return agent.run("q", journal)

    whole, journal = run(Journal()), Journal()
    try:
        result = run(journal, on_event=killed_at(kill))
    except Killed:
        result = run(journal)
    assert result == whole
    assert used(result, name) <= n and result.stop is not None
    if result.stop.reason == name:
        assert used(result, name) == n or name == "max_seconds"
    assert made(journal, "tool") == result.usage.tool_calls


def test_one_call_is_the_plan_and_the_digest_says_what_it_would_have_done() -> None:
    result = planned(OFF.with_(max_model_calls=1))
    assert (result.usage.model_calls, result.stop.reason, result.complete) == (1, "max_model_calls", False)
    assert result.plan == tuple(LONG) and result.answer


def test_two_calls_are_the_plan_and_the_report() -> None:
    result = planned(OFF.with_(max_model_calls=2))
    assert result.usage.model_calls == 2 and result.answer == "the report"


def test_dollars_of_a_planned_run_are_never_exceeded() -> None:
    for cents in range(0, 60, 3):
        model = roles(LONG, once_each(), usage=SECOND, price=Price(0.5, 10.0))
        result = planned(OFF.with_(max_usd=cents / 100), model)
        assert result.usage.usd <= cents / 100
        assert result.complete or result.stop.reason == "max_usd"


def test_a_report_that_is_not_affordable_is_named_although_all_steps_are_done() -> None:
    plan = [{"id": 1, "goal": "look", "tool": "look", "args": {"query": "x"}}]
    result = planned(OFF.with_(max_model_calls=1), roles(plan))
    assert [step.status for step in result.steps] == ["done"] and "fact about x" in result.answer
    assert (result.complete, result.stop.reason) == (False, "max_model_calls")


# ----------------------------------------------------------------------------------------------- rounds of a step


def test_a_step_of_an_agent_has_three_turns_unless_told_otherwise_and_sums_up_after_them() -> None:
    """Facts A4: three rounds with tools, then once more without, so that nothing collected is thrown away."""

    def executor(messages: Any) -> Any:
        if messages[-1]["role"] == "user" and len(messages) > 2:
            return "summed up"
        return [("look", {"query": f"q{len(messages)}"})]

    for per_step, turns in ((None, 3), (OFF.with_(max_steps=2), 2)):
        result = planned(Limits(per_step=per_step), roles(["one side"], executor))
        (step,) = result.steps
        assert (len(step.calls), step.answer, step.status, step.stop.reason) == (
            turns,
            "summed up",
            "done",
            "per_step.max_steps",
        )
        assert step.stop.limit == turns and result.complete


def test_a_step_that_found_nothing_in_its_turns_is_no_data() -> None:
    result = planned(
        Limits(), roles(["one side"], lambda messages: [("look", {"query": str(len(messages))})]), tools=[nothing()]
    )
    assert result.steps[0].status == "no_data" and not result.complete


# ----------------------------------------------------------------------------------------------- direct answers


def direct(calls_: int, limits: Limits) -> Any:
    def line(messages: Any, tools: Any) -> Any:
        if not tools:
            return '{"route": "direct"}'
        return "the answer" if len(messages) > 2 else [("look", {"query": f"q{number}"}) for number in range(calls_)]

    return PlanExecuteAgent(ScriptedModel(line), [facts()], limits).run("q")


def test_a_direct_answer_is_three_calls_and_complete() -> None:
    result = direct(2, OFF.with_(max_model_calls=3))
    assert (result.complete, result.answer, result.usage.model_calls) == (True, "the answer", 3)


def test_a_direct_answer_from_a_batch_that_was_cut_says_so() -> None:
    result = direct(5, OFF.with_(max_tool_calls=3))
    assert (result.answer, result.complete, result.stop.reason) == ("the answer", False, "max_tool_calls")
    assert [call.kind for call in result.calls].count("refused") == 2


# ----------------------------------------------------------------------------------------------- presets

PRESETS = {"simple": 4, "medium": 8, "complex": 12, "article": 30}


@pytest.mark.parametrize(("name", "n"), PRESETS.items())
def test_an_endless_model_is_ended_by_every_preset_at_its_number_of_steps(name: str, n: int) -> None:
    settings = {"guards": (), "person": lambda request: Answer("approve")}
    result = react("q", endless(price=Price()), [facts()], getattr(Limits, name)(), **settings)
    assert (result.usage.steps, result.stop.reason, result.stop.limit) == (n, "max_steps", n)


@pytest.mark.parametrize("name", PRESETS)
def test_an_endless_planned_run_is_ended_by_every_preset(name: str) -> None:
    model = roles(LONG, lambda m: [("look", {"query": f"{len(m)} {m[1]['content']}"})], growing, price=Price())
    limits: Limits = getattr(Limits, name)()
    agent = PlanExecuteAgent(model, [facts()], limits, loop="plan", clock=VirtualClock())
    result = agent.run("q", person=lambda request: Answer("approve"))
    assert result.usage.steps <= limits.max_steps and result.usage.model_calls <= limits.max_model_calls
    assert len(result.steps) <= 8 and result.answer


def test_the_complex_preset_asks_a_person_before_anything_is_done() -> None:
    for decision, steps in (("approve", 5), ("reject", 0)):
        look = Counting()
        agent = PlanExecuteAgent(roles(LONG, once_each()), [look.tool()], Limits.complex(), loop="plan")
        result = agent.run("q", person=lambda request, d=decision: Answer(d))
        assert len(look.seen) == steps and result.complete == (decision == "approve")
    nobody = PlanExecuteAgent(roles(LONG, once_each()), [facts()], Limits.complex(), loop="plan").run("q")
    assert nobody.stop.reason == "stopped" and nobody.usage.tool_calls == 0


def test_the_articles_own_limits_contradict_each_other_at_the_incidents_pace() -> None:
    """$12.30 and 47:00 over 238 calls: $1 ends at call 19, 300 s at 25: 30 steps and 50 calls never count."""
    limits, price, pace = Limits.article(), 12.30 / 238, 47 * 60 / 238
    assert limits.ends_at(price, pace) == {"max_model_calls": 50, "max_steps": 30, "max_usd": 19, "max_seconds": 25}
    said = limits.never_binding(price, pace)
    assert [sentence.split(" = ")[0] for sentence in said] == ["max_model_calls", "max_steps", "max_seconds"]
    assert Limits.article().never_binding() == (), "without a price nothing can be said"


def test_limits_that_can_never_bind_are_warned_about() -> None:
    with pytest.warns(UserWarning, match="max_calls_per_tool = 50 can never bind"):
        react("q", endless(), [facts()], OFF.with_(max_calls_per_tool=50, max_tool_calls=3))
    with pytest.warns(UserWarning, match="per_step.max_steps = 9 can never bind"):
        PlanExecuteAgent(roles(LONG), [facts()], OFF.with_(max_steps=3, per_step=OFF.with_(max_steps=9)))


def test_a_plan_that_keeps_its_steps_is_not_replanned_for_nothing() -> None:
    journal = Journal()
    planned(OFF, roles(LONG, once_each(), keep), journal)
    assert [len(note["steps"]) for note in notes_of(journal, "replan")] == [4, 3, 2, 1]
