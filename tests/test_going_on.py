"""Going on after a stop: a run that was stopped anywhere and given more ends like one that was never stopped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers_control import (
    OFF,
    SECOND,
    Counting,
    Killed,
    asked,
    asks,
    endless_run,
    facts,
    killed_at,
    kinds,
    once_each,
    roles,
)
from helpers_kill import World, planned_run, react_run

from planexec import store
from planexec.agent import PlanExecuteAgent
from planexec.clock import VirtualClock
from planexec.gate import Ended
from planexec.journal import Journal
from planexec.limits import Limits
from planexec.models.scripted import ScriptedModel
from planexec.person import Answer, Request
from planexec.react_loop import react
from planexec.run import Run

PLENTY = 40
SCENARIOS = {"react": react_run, "planned": planned_run}


def limited(scenario: Any, limits: Limits, world: World, journal: Journal, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The scenario under other limits than its own."""
    monkeypatch.setattr("helpers_kill.Limits", lambda **own: limits)
    return scenario(world, journal)


@pytest.mark.parametrize("name", ["max_steps", "max_model_calls", "max_tool_calls"])
@pytest.mark.parametrize("loop", SCENARIOS)
def test_stopped_at_every_number_and_granted_more_it_ends_as_if_never_stopped(
    loop: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario, undisturbed = SCENARIOS[loop], World()
    whole = limited(scenario, OFF.with_(**{name: PLENTY}), undisturbed, Journal(), monkeypatch)
    assert whole.complete
    for n in range(0, 16):
        path, world = tmp_path / f"{n}.db", World()
        with Journal(path) as journal:
            first = limited(scenario, OFF.with_(**{name: n}), world, journal, monkeypatch)
        with Journal(path) as journal:
            if n % 2:
                journal.grant({name: PLENTY})
                limits = OFF.with_(**{name: n})
            else:
                limits = OFF.with_(**{name: PLENTY})
            second = limited(scenario, limits, world, journal, monkeypatch)
        assert second.complete and second.answer == whole.answer, f"stopped at {n}: {first}"
        assert (world.read, world.sent) == (undisturbed.read, undisturbed.sent)
        assert [call.text for call in second.calls] == [call.text for call in whole.calls]


def test_a_fork_with_larger_limits_goes_on_and_the_stopped_run_stays_stopped(tmp_path: Path) -> None:
    look = Counting()
    with Journal(tmp_path / "run.db") as journal:
        assert endless_run(OFF.with_(max_steps=3), journal, tools=[look.tool()]).usage.steps == 3
        with journal.fork(tmp_path / "fork.db") as fork:
            assert endless_run(OFF.with_(max_steps=8), fork, tools=[look.tool()]).usage.steps == 8
        assert endless_run(OFF.with_(max_steps=3), journal, tools=[look.tool()]).stop.limit == 3
    assert len(look.seen) == len(set(look.seen)) == 8


def test_more_turns_for_a_step_reopen_the_step_that_ran_out_of_them() -> None:
    """A run that was complete, but for a step that was cut after two turns: granted five, it goes on in that step."""

    def executor(messages: Any) -> Any:
        turn = sum(message["role"] == "assistant" for message in messages)
        if turn < 4 and messages[-1]["role"] != "user":
            return [("look", {"query": f"{asked(messages)['step']['goal']} {turn}"})]
        return [("look", {"query": "first"})] if turn == 0 else f"after {turn} turns"

    def go(journal: Journal) -> Any:
        limits = Limits(per_step=OFF.with_(max_steps=2))
        model = roles(["dig"], executor, reporter=lambda messages: asked(messages)["results"][0]["result"])
        agent = PlanExecuteAgent(model, [look.tool()], limits, loop="plan", guards=(), clock=VirtualClock())
        return agent.run("q", journal)

    look, journal = Counting(), Journal()
    first = go(journal)
    assert (first.answer, first.steps[0].stop.reason) == ("after 2 turns", "per_step.max_steps")
    journal.grant({"per_step": {**OFF.to_dict(), "max_steps": 5}})
    second = go(journal)
    assert (second.answer, second.steps[0].stop) == ("after 4 turns", None)
    assert look.seen == ["first", "dig 1", "dig 2", "dig 3"]


def test_a_larger_budget_does_not_lift_a_loop_guard() -> None:
    journal = Journal()
    same = lambda: ScriptedModel(lambda m, t: ("look", {"query": "x"}) if t else "", usage=SECOND)  # noqa: E731
    for _ in range(2):
        result = react("q", same(), [Counting(lambda query: "same").tool()], journal=journal, clock=VirtualClock())
        assert result.stop.reason == "loop" and result.usage.tool_calls == 3
        journal.grant({"max_steps": 50})


# ------------------------------------------------------------------------------------------- letters from outside


def test_an_answer_reaches_a_run_that_another_process_has_open(tmp_path: Path) -> None:
    """The lock belongs to the process that holds the run; whoever answers leaves a letter, and needs no lock."""
    path, send = tmp_path / "run.db", Counting()

    def go(journal: Journal) -> Any:
        model = ScriptedModel(lambda m, t: "done" if m[-1]["role"] == "tool" else ("send", {"query": "x"}))
        return react("q", model, [send.tool("send", effect=True, approve=True)], journal=journal)

    with Journal(path) as journal:
        assert go(journal).stop.reason == "paused"
        ((file, request),) = store.open_requests(path)
        store.answer(file, request["id"], Answer("approve"))
        assert store.open_requests(path) == []
        assert go(journal).answer == "done" and send.seen == ["x"]
    with Journal(path) as journal:
        assert go(journal).answer == "done" and send.seen == ["x"]


def test_a_grant_left_from_outside_counts_from_the_next_start(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with Journal(path) as journal:
        endless_run(OFF.with_(max_steps=2), journal)
        store.grant(path, {"max_steps": 5})
        assert endless_run(OFF.with_(max_steps=2), journal).usage.steps == 5
    with pytest.raises((ValueError, TypeError)):
        store.grant(path, {"max_steps": -1})
    with Journal(path) as journal:
        assert endless_run(OFF.with_(max_steps=2), journal).usage.steps == 5


# ------------------------------------------------------------------------------------------- independent parts


def in_parts(path: Path | None, look: Counting, limits: Limits | None = None, **settings: Any) -> Any:
    """A question of three independent parts, two steps each."""
    parts = ["price of A", "price of B", "price of C"]

    def plan(messages: Any) -> str:
        task = asked(messages)["task"]
        return json.dumps([f"find {task}", f"check {task}"])

    model = roles(
        plan,
        once_each(),
        router=lambda messages: (
            json.dumps({"route": "parallel", "parts": parts})
            if asked(messages)["task"] == "q"
            else '{"route": "chain"}'
        ),
        reporter=lambda messages: " | ".join(str(each["result"]) for each in asked(messages)["results"]),
        usage=SECOND,
    )
    agent = PlanExecuteAgent(model, [look.tool()], limits, clock=VirtualClock(), **settings)
    journal = Journal(path)
    try:
        return agent.run("q", journal)
    finally:
        if path is not None:
            journal.close()


def test_parts_killed_anywhere_go_on_and_repeat_nothing(tmp_path: Path) -> None:
    undisturbed = Counting()
    whole = in_parts(None, undisturbed)
    assert whole.complete and len(undisturbed.seen) == 6
    for kill in range(1, 30, 2):
        look, path = Counting(), tmp_path / f"{kill}.db"
        with pytest.raises(Killed):
            in_parts(path, look, on_event=killed_at(kill))
        result = in_parts(path, look)
        assert (result.answer, result.usage) == (whole.answer, whole.usage) and look.seen == undisturbed.seen


@pytest.mark.filterwarnings("ignore:.*can never bind")
def test_parts_have_their_share_of_every_limit_and_never_use_more_than_the_whole() -> None:
    for name in ("max_steps", "max_model_calls", "max_tool_calls"):
        for n in (0, 1, 4, 9, 20):
            look = Counting()
            result = in_parts(None, look, Limits(**{name: n}))
            used = {"max_steps": result.usage.steps, "max_model_calls": result.usage.model_calls}
            assert used.get(name, len(look.seen)) <= n
            assert result.complete or result.stop is not None


def test_a_question_to_a_person_in_a_part_pauses_the_whole(tmp_path: Path) -> None:
    path, look = tmp_path / "run.db", Counting()

    def go() -> Any:
        agent_tools = look.tool(approve=lambda args: "check price of B" in args["query"])
        model = roles(
            lambda messages: json.dumps([f"check {asked(messages)['task']}"]),
            once_each(),
            router=lambda messages: (
                json.dumps({"route": "parallel", "parts": ["price of A", "price of B"]})
                if asked(messages)["task"] == "q"
                else '{"route": "chain"}'
            ),
        )
        with Journal(path) as journal:
            return PlanExecuteAgent(model, [agent_tools], clock=VirtualClock()).run("q", journal)

    assert go().stop.reason == "paused" and look.seen == ["check price of A"]
    ((file, request),) = store.open_requests(path)
    store.answer(file, request["id"], Answer("approve"))
    assert go().complete and look.seen == ["check price of A", "check price of B"]


# ------------------------------------------------------------------------------------------- a person's grant


def test_a_person_in_the_loop_may_raise_a_limit_for_good() -> None:
    """A grant inside a run holds until its end, and again on a replay."""
    journal, answers = Journal(), [Answer("grant", limits={"max_steps": 4}), Answer("approve")]

    def person(request: Request) -> Answer:
        return answers.pop(0)

    for _ in range(2):
        run = Run("q", tools=[facts(approve=True)], limits=Limits(max_steps=1), journal=journal, person=person)
        assert kinds(run.tools(asks(("look", {"query": "x"})), step=True)) == ["found"]
        assert run.limits.max_steps == 4
        for turn in range(3):
            run.within(f"turn-{turn}").note("turn")
    assert answers == []
    with pytest.raises(Ended):
        for _ in range(9):
            run.tools(asks(("nobody", {})), step=True)
