"""The conclusion is inside the limits, whole batches are answered, and a step has limits of its own."""

from __future__ import annotations

from typing import Any

import pytest
from helpers_control import OFF, SECOND, Counting, asks, endless, endless_run, facts, kinds, legal

from planexec.chat import ServiceError, Usage
from planexec.gate import Ended
from planexec.models.scripted import says
from planexec.react_loop import Trace, conclusion, loop
from planexec.run import Run

# ------------------------------------------------------------------------------------- the held-back conclusion


def test_one_call_means_the_digest_answers() -> None:
    model, tool = endless(), Counting(lambda query: "solid fact")
    result = endless_run(OFF.with_(max_model_calls=1), model=model, tools=[tool.tool()])
    assert len(model.requests) == 1
    assert "solid fact" in result.answer and result.stop.reason == "max_model_calls"


def test_two_calls_are_one_turn_and_the_conclusion() -> None:
    model = endless()
    result = endless_run(OFF.with_(max_model_calls=2), model=model)
    assert [request["tool_choice"] for request in model.requests] == ["auto", "none"]
    assert result.answer == "what there is"


def test_the_conclusion_keeps_the_tools_and_forbids_them_and_its_calls_are_ignored() -> None:
    tool = Counting()
    model = endless(concluding=[("look", {"query": "one more"})])
    result = endless_run(OFF.with_(max_steps=2), model=model, tools=[tool.tool()])
    assert model.requests[-1]["tool_choice"] == "none" and model.requests[-1]["tools"]
    assert "one more" not in tool.seen and len(tool.seen) == 2
    assert "fact about" in result.answer, "nothing was said, so the digest answers"


@pytest.mark.parametrize("last", ["", says("half a sen", finish="length"), ServiceError("gone", "permanent")])
def test_a_conclusion_that_is_empty_cut_or_failing_becomes_a_digest(last: Any) -> None:
    result = endless_run(OFF.with_(max_steps=2, max_attempts=1), model=endless(concluding=last, usage=SECOND))
    assert result.stop.reason == "max_steps" and "fact about q" in result.answer


def test_the_seconds_of_the_conclusion_are_held_back() -> None:
    """Calls of 2 s and 7 s in all: two turns and then the conclusion, not a third turn that leaves 1 s to answer."""
    model = endless(usage=Usage(100, 50, seconds=2.0))
    result = endless_run(OFF.with_(max_seconds=7), model=model)
    assert [request["tool_choice"] for request in model.requests] == ["auto", "auto", "none"]
    assert result.answer == "what there is" and result.usage.seconds == 6.0


# ------------------------------------------------------------------------------------------------ whole batches


def test_of_three_calls_with_two_left_two_are_carried_out_and_each_is_answered_once() -> None:
    tool = Counting()
    run = Run("q", tools=[tool.tool()], limits=OFF.with_(max_tool_calls=3), guards=())
    assert kinds(run.tools(asks(("look", {"query": "before"})))) == ["found"]
    batch = asks(("look", {"query": "a"}), ("look", {"query": "b"}), ("look", {"query": "c"}), start=2)
    observations = run.tools(batch)
    assert kinds(observations) == ["found", "found", "refused"]
    assert "max_tool_calls = 3" in observations[2].text
    assert tool.seen == ["before", "a", "b"] and run.used.tool_calls == 3


def test_a_refused_batch_leaves_a_legal_history() -> None:
    model = endless(batch=5)
    result = endless_run(OFF.with_(max_tool_calls=7), model=model)
    assert result.usage.tool_calls == 7 and result.stop.reason == "max_tool_calls" and result.stop.also == ()
    assert all(legal(request["messages"]) for request in model.requests)
    assert [call.kind for call in result.calls].count("refused") == 3


def test_one_tool_at_its_limit_leaves_the_others_until_it_is_asked_for_again() -> None:
    run = Run("q", tools=[facts("a"), facts("b")], limits=OFF.with_(max_calls_per_tool=2), guards=(), model=endless())
    one = {"query": "x"}
    batch = asks(("a", one), ("a", {"query": "y"}), ("a", {"query": "z"}), ("b", one), ("b", {"query": "y"}))
    assert kinds(run.tools(batch)) == ["found", "found", "refused", "found", "found"]
    assert run.model([{"role": "user", "content": "q"}]).tool_calls, "the model is told, and may do something else"
    assert kinds(run.tools(asks(("b", {"query": "z"}), ("a", one), start=6))) == ["refused", "refused"]
    with pytest.raises(Ended) as ended:
        run.model([{"role": "user", "content": "q"}])
    assert (ended.value.stop.reason, ended.value.stop.value) == ("max_calls_per_tool", 2)


# ------------------------------------------------------------------------------------------------ limits of a step


@pytest.mark.parametrize("name", ["max_steps", "max_tool_calls", "max_model_calls", "max_calls_per_tool"])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_limits_of_a_step_are_exact_and_end_the_step_alone(name: str, n: int) -> None:
    """Two steps of an endless loop, each with room for n; the conclusion of a step is inside its limits."""
    limits = OFF.with_(per_step=OFF.with_(**{name: n}))
    run = Run("q", model=endless(usage=SECOND), tools=[facts()], limits=limits, guards=())
    for number in (1, 2):
        step = run.within(f"step-{number}", step=True)
        trace = Trace([{"role": "user", "content": "go"}])
        with pytest.raises(Ended) as ended:
            loop(step, trace)
        assert ended.value.level == step.scope and ended.value.stop.reason == f"per_step.{name}"
        assert ended.value.stop.where == f"step-{number}"
        conclusion(step, trace, ended.value.stop)
        used = step.used_here
        counted = {"max_steps": used.steps, "max_model_calls": used.model_calls}.get(name, used.tool_calls)
        assert counted == n
    assert run.used.tool_calls >= 2 * (n - 1)


def test_a_limit_of_the_run_wins_over_the_same_limit_of_a_step() -> None:
    limits = OFF.with_(max_tool_calls=2, per_step=OFF.with_(max_tool_calls=2))
    run = Run("q", model=endless(), tools=[facts()], limits=limits, guards=())
    step = run.within("step-1", step=True)
    step.tools(asks(*(("look", {"query": each}) for each in "abc")))
    with pytest.raises(Ended) as ended:
        step.model([{"role": "user", "content": "go"}])
    assert ended.value.level == "run"
