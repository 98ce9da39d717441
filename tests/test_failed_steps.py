"""A step of a plan that fails: tried, replaced, looked at once more, reported - and nothing starts over."""

from __future__ import annotations

from typing import Any

import pytest
from helpers_control import (
    OFF,
    SECOND,
    Counting,
    asked,
    asks,
    facts,
    keep,
    kinds,
    notes_of,
    once_each,
    roles,
)

from planexec.agent import PlanExecuteAgent
from planexec.chat import ServiceError
from planexec.clock import VirtualClock
from planexec.journal import Journal
from planexec.limits import Limits
from planexec.models.scripted import ScriptedModel
from planexec.react_loop import react
from planexec.run import Run
from planexec.verdicts import advice

# --------------------------------------------------------------------------------- a step of a plan that fails

PLAN = ["price of A", "price of B", "compare"]


def incident(replanner: Any = keep, plan: Any = PLAN, **settings: Any) -> tuple[Any, Counting, ScriptedModel]:
    """Facts C: the third step's service never answers."""

    def answer(query: str) -> Any:
        if query == "price of A" or query == "price of B":
            return f"{query}: 10"
        raise TimeoutError("no answer")

    look = Counting(answer)
    model = roles(plan, once_each(), replanner, usage=SECOND)
    agent = PlanExecuteAgent(model, [look.tool()], clock=VirtualClock(), loop="plan", **settings)
    return agent.run("compare A and B"), look, model


def test_a_failed_step_is_tried_reported_and_never_starts_the_plan_again() -> None:
    result, look, _ = incident()
    assert [step.status for step in result.steps] == ["done", "done", "failed"]
    assert look.seen == ["price of A", "price of B"] + ["compare"] * 3
    assert not result.complete and result.stop.reason == "failed" and result.answer == "the report"


def test_a_step_that_only_failed_says_what_to_do_about_the_failure_and_not_about_its_limit() -> None:
    limit = {"limits": Limits(per_step=Limits.none().with_(max_steps=1)), "guards": ()}
    result, look, _ = incident(**limit)
    stop = result.stop
    assert (stop.reason, stop.also, stop.where) == ("per_step.max_steps", ("failed",), "step-3")
    assert stop.advice == advice("failed", "en") and "raise" not in stop.advice


def test_a_step_in_which_something_was_found_keeps_the_advice_of_its_limit() -> None:
    look = Counting(lambda query: f"{query}: 10")
    model = roles(PLAN, lambda messages: [("look", {"query": "price"})], keep, usage=SECOND)
    limits = Limits(per_step=Limits.none().with_(max_steps=1))
    result = PlanExecuteAgent(model, [look.tool()], limits, clock=VirtualClock(), loop="plan", guards=()).run("compare")
    stops = [step.stop for step in result.steps]
    assert [(stop.also, stop.advice) for stop in stops] == [((), advice("per_step.max_steps", "en"))] * 3


def test_after_a_failed_last_step_the_plan_is_looked_at_once_more() -> None:
    result, look, model = incident(replanner=lambda messages: "[]")
    assert result.replans == 1, "an empty remainder after step 1 means that nothing is left"
    result, look, _ = incident(replanner=keep)
    assert result.replans == 3, "after steps 1 and 2, and once because the last one failed"


@pytest.mark.parametrize("most", [0, 1, 3])
def test_each_failed_step_is_looked_at_once_and_max_replans_bounds_the_sum(most: int) -> None:
    """A replanner that always finds one more thing to try, while nothing works."""

    def one_more(messages: Any) -> str:
        return f'[{{"id": null, "goal": "variant {"abcdefgh"[len(asked(messages)["done"])]}"}}]'

    result, _, _ = incident(replanner=one_more, plan=["compare"], limits=Limits(max_replans=most))
    assert (result.replans, len(result.steps)) == (most, most + 1)
    assert {step.status for step in result.steps} == {"failed"} and result.stop.reason == "failed"


def test_a_replanner_that_starts_over_after_a_failure_gets_no_finished_step_back() -> None:
    """The incident's own mistake: conclude that data is missing and begin again with step 1."""

    def start_over(messages: Any) -> str:
        import json

        return json.dumps([{"id": None, "goal": goal} for goal in PLAN])

    result, look, _ = incident(replanner=start_over)
    assert look.seen.count("price of A") == look.seen.count("price of B") == 1
    assert result.usage.tool_calls <= 12 and result.stop.reason in ("failed", "max_replans", "max_steps")


def test_failures_of_later_steps_are_seen_by_the_replanner_and_the_reporter() -> None:
    seen: list[str] = []

    def replanner(messages: Any) -> str:
        seen.append(messages[-1]["content"])
        return keep(messages)

    incident(replanner=replanner)
    assert '"status": "failed"' in seen[-1]


def test_a_step_that_needs_a_failed_one_is_blocked_and_not_guessed() -> None:
    look = Counting(lambda query: 1 / 0)
    plan = [
        {"id": 1, "goal": "find", "tool": "look", "args": {"query": "x"}},
        {"id": 2, "goal": "use", "tool": "look", "args": {"query": "$1"}, "needs": [1]},
    ]
    agent = PlanExecuteAgent(roles(plan, "it failed"), [look.tool()], loop="plan")
    result = agent.run("q")
    assert [step.status for step in result.steps] == ["failed", "blocked"] and look.seen == ["x"]


def test_a_model_that_fails_in_a_later_step_loses_nothing_of_the_earlier_ones() -> None:
    """Defect 44: any exception in step 3 loses steps 1 and 2 and all money."""

    def executor(messages: Any) -> Any:
        if '"id": 3' in messages[1]["content"]:
            return ServiceError("The balance is used up.", "person")
        return once_each()(messages)

    agent = PlanExecuteAgent(roles(PLAN, executor, usage=SECOND), [facts()], loop="plan", clock=VirtualClock())
    result = agent.run("q")
    assert [step.status for step in result.steps] == ["done", "done", "stopped"]
    assert result.stop.reason == "failed" and "fact about price of B" in result.answer


def test_a_report_that_fails_is_named_and_the_results_are_the_answer() -> None:
    agent = PlanExecuteAgent(
        roles(["one"], once_each(), reporter=ServiceError("The balance is used up.", "person")), [facts()], loop="plan"
    )
    result = agent.run("q")
    assert "fact about one" in result.answer
    assert (result.complete, result.stop.reason) == (False, "failed") and "balance" in result.stop.advice


def test_notes_of_the_steps_say_how_each_ended() -> None:
    journal = Journal()
    agent = PlanExecuteAgent(roles(PLAN, once_each()), [facts()], loop="plan")
    agent.run("q", journal)
    assert [note["status"] for note in notes_of(journal, "step_done")] == ["done"] * 3


def test_a_fork_before_the_failed_step_carries_it_out_anew_when_the_cause_is_mended(tmp_path: Any) -> None:
    """What the advice of the stop says; a resumed run gives back what is recorded, the failure too."""
    mended: list[bool] = []

    def answer(query: str) -> Any:
        if query == "compare" and not mended:
            raise TimeoutError("no answer")
        return f"{query}: 10"

    look = Counting(answer)

    def run(journal: Journal) -> Any:
        model = roles(PLAN, once_each(), keep, usage=SECOND)
        agent = PlanExecuteAgent(model, [look.tool()], clock=VirtualClock(), loop="plan")
        with journal:
            return agent.run("compare A and B", journal=journal)

    first = run(Journal(tmp_path / "run.db"))
    assert first.stop.reason == "failed" and "fork the run before this step" in first.stop.advice
    mended.append(True)
    assert run(Journal(tmp_path / "run.db")).stop.reason == "failed", "as recorded"
    source = Journal.read(tmp_path / "run.db")
    begins = next(record.seq for record in source.records() if record.scope == first.stop.where)
    source.fork(tmp_path / "copy.db", begins).close()
    look.seen.clear()
    again = run(Journal(tmp_path / "copy.db"))
    assert again.complete and [step.status for step in again.steps] == ["done"] * 3
    assert look.seen == ["compare"]


def test_a_model_call_that_failed_for_good_is_made_again_once_the_run_is_reopened() -> None:
    """Read the error, mend its cause, resume: what was done stays done."""
    journal, look = Journal(), Counting()
    broken = ScriptedModel([("look", {"query": "x"}), ServiceError("no balance", "person")])
    assert react("q", broken, [look.tool()], journal=journal).stop.reason == "failed"
    assert react("q", ScriptedModel([]), [look.tool()], journal=journal).stop.reason == "failed", "as recorded"
    assert journal.reopen()
    mended = react("q", ScriptedModel(["mended"]), [look.tool()], journal=journal)
    assert (mended.answer, mended.complete, look.seen) == ("mended", True, ["x"])


def test_calls_of_tools_that_do_not_exist_are_counted_too() -> None:
    run = Run("q", tools=[], limits=OFF.with_(max_tool_calls=3), guards=())
    assert kinds(run.tools(asks(*[("nobody", {})] * 5))) == ["failed"] * 3 + ["refused"] * 2
    assert run.used.tool_calls == 3
