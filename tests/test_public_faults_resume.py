"""Rows 17 to 30 of the public faults (see test_public_faults.py): plans, crashes, persons, and limits on a resume."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers_control import (
    OFF,
    Counting,
    Killed,
    asked,
    asks,
    endless,
    endless_run,
    facts,
    keep,
    killed_at,
    kinds,
    legal,
    made,
    notes_of,
    nothing,
    once_each,
    planned,
    replies,
    role_of,
    roles,
)
from helpers_kill import Fused

from planexec.agent import PlanExecuteAgent
from planexec.chat import ServiceError, user
from planexec.gate import Ended, Event
from planexec.journal import Journal
from planexec.limits import Limits
from planexec.models.scripted import ScriptedModel, says
from planexec.person import Answer, Request
from planexec.plans import read_plan
from planexec.react_loop import react
from planexec.run import Run


@pytest.mark.parametrize("moment", ["begun", "done"])
@pytest.mark.parametrize("effect", [False, True])
def test_row_17_a_call_that_was_interrupted_leaves_no_orphan(effect: bool, moment: str, tmp_path: Path) -> None:
    """opencode#21326, goose#2951: an interrupted call left an orphan and the session was bricked on resume."""
    look = Counting()
    for kill in (3, 0):
        model = replies([("look", {"query": "a"}), ("look", {"query": "b"})], "done")
        with Fused(tmp_path / "run.db", kill, moment) as journal:
            tools, person = [look.tool(effect=effect)], lambda request: Answer("reject", "leave it")
            try:
                result = react("q", model, tools, journal=journal, person=person)
            except Killed:
                continue
    messages = model.requests[-1]["messages"]
    assert result.answer == "done" and legal(messages)
    before = ["a", "b"] if moment == "done" else ["a"]
    assert look.seen == (before if effect else [*before, "b"])
    first, second = result.calls
    assert (first.kind, second.kind) == ("found", "unknown" if effect else "found")
    told = [message["content"] for message in messages if message["role"] == "tool"]
    assert told == [call.text for call in result.calls] and told[0] == "fact about a"
    if effect:
        assert "may have happened" in told[1] and "leave it" in told[1], "nobody knows, so nothing else may be said"
        assert not any(claim in told[1].lower() for claim in ("not carried out", "was not run", "did not happen"))


PLANS = {
    '["one", "two", "three"]': 3,
    '```json\n["one", "two"]\n```': 2,
    "1. one\n2. two\n3. three": 3,
    '["one", "two", "thr': 1,
    "": 1,
    "[]": 1,
    "I would rather not plan.": 1,
    json.dumps([f"step {number}" for number in range(200)]): 8,
}


@pytest.mark.parametrize(("text", "lines"), PLANS.items(), ids=[text[:16] or "nothing" for text in PLANS])
def test_row_18_whatever_the_planner_says_a_plan_of_one_to_eight_lines_comes_of_it(text: str, lines: int) -> None:
    """ursa#135, semantic-kernel#4622: plan JSON truncated, or broken by a sanitiser, crashed the run."""
    result = planned(roles(text, once_each()), [facts()])
    assert len(result.plan) == lines and result.answer == "the report"
    assert result.degraded == (text not in list(PLANS)[:3])
    if lines == 3:
        assert read_plan('["a [1]", "b {x}", "c, d"]').status == "parsed"
        assert [step.goal for step in read_plan('["a [1]", "b {x}", "c, d"]').steps] == ["a [1]", "b {x}", "c, d"]


@pytest.mark.parametrize("empty_reply", [says("", reasoning="I have thought about it."), "", "   "])
def test_row_19_a_replanner_that_only_thinks_leaves_the_plan_as_it_is(empty_reply: Any) -> None:
    """VSS PR 2149: a reasoning-only reply replaced the plan; the same step ran until the limit."""
    look, journal = Counting(), Journal()
    result = planned(
        roles(["one", "two"], once_each(), replanner=lambda m: empty_reply), [look.tool()], journal=journal
    )
    assert look.seen == ["one", "two"] and result.complete and result.replans == 1
    assert notes_of(journal, "replan")[0]["status"] == "unreadable"


def test_row_20_no_such_record_is_a_result_and_replanning_for_more_ends_at_its_budget() -> None:
    """agent-framework#7595: a legitimate empty result was seen as a failure and replanned until out of rounds."""

    def more(messages: Any) -> str:
        data = asked(messages)
        return json.dumps([*data["remaining"], {"id": None, "goal": f"search elsewhere {len(data['done'])}"}])

    plan = ["find the record", "find it elsewhere"]
    model = roles(plan, once_each(), more, reporter="There is no such record.")
    result = planned(model, [nothing()], limits=Limits(max_replans=2, max_steps=30))
    assert result.replans == 2 and result.answer == "There is no such record."
    assert {step.status for step in result.steps} == {"no_data"} and result.stop.reason == "no_data"


def test_row_21_replans_that_fail_are_counted_and_seen_and_the_old_plan_is_finished() -> None:
    """crewAI PR 5392, inflexa#274: failing replans were never counted, the planner's error was retried in silence."""
    events: list[Event] = []
    look = Counting()
    model = roles(["one", "two", "three", "four"], once_each(), replanner=ServiceError("out of order"))
    result = planned(model, [look.tool()], limits=Limits(max_replans=2), on_event=events.append)
    assert result.replans == 2 and look.seen == ["one", "two", "three", "four"] and result.complete
    errors = [event for event in events if "error" in (event.record.result or {})]
    assert [event.record.result["error"]["text"] for event in errors] == ["out of order"] * 2


@pytest.mark.parametrize(
    "back",
    [
        lambda done: {"id": done["id"], "goal": done["goal"]},
        lambda done: {"id": done["id"] + 40, "goal": done["goal"]},
        lambda done: {"id": done["id"], "goal": f"once more, and with care: {done['goal']}"},
        lambda done: {"id": None, "goal": f"  {done['goal'].upper()}!"},
        lambda done: {"id": None, "goal": f"（{done['goal']}）。"},
        lambda done: {"id": None, "goal": "".join(chr(ord(each) + 0xFEE0) for each in done["goal"])},
        lambda done: done["goal"],
    ],
    ids=["the same", "renumbered", "in other words", "louder", "in other signs", "in full width", "as a text"],
)
def test_row_22_finished_steps_do_not_come_back(back: Any) -> None:
    """codex#38931: after compaction finished steps became open again. A replan that changes nothing is one too."""

    def replanner(messages: Any) -> str:
        data = asked(messages)
        return json.dumps([*map(back, data["done"]), *data["remaining"]])

    look = Counting()
    result = planned(roles(["one", "two", "three"], once_each(), replanner), [look.tool()])
    assert look.seen == ["one", "two", "three"] and result.complete
    assert result.replans == 2, "after each step but the last, whether it changed the plan or not"


def test_row_22_a_plan_that_stays_as_it_is_uses_up_the_replans_too() -> None:
    """What never changes anything is no progress: it is not asked for without end, and the plan is carried out."""
    for replanner in (keep, lambda messages: json.dumps([*asked(messages)["done"], *asked(messages)["remaining"]])):
        model = roles(["one", "two", "three", "four"], once_each(), replanner)
        result = planned(model, [facts()], limits=Limits(max_replans=1))
        requests = [each for each in model.requests if role_of(each["messages"]) == "replanner"]
        assert (result.replans, len(requests), result.complete, len(result.steps)) == (1, 1, True, 4)


def test_row_22_a_finished_step_under_a_new_id_and_in_new_words_ends_at_the_limits() -> None:
    """Only ids and words tell steps apart. What has neither is carried out again, as often as a plan has lines."""
    limits = Limits(max_steps=40)

    def replanner(messages: Any) -> str:
        data = asked(messages)
        return json.dumps([*data["remaining"], {"id": None, "goal": f"look at it from side {len(data['done'])}"}])

    result = planned(roles(["one", "two"], once_each(), replanner), [facts()], limits=limits)
    assert len(result.steps) == limits.max_plan_steps and result.replans == limits.max_replans == 6


def test_row_23_what_was_done_before_a_pause_is_not_done_again(tmp_path: Path) -> None:
    """langgraph#7780, llama_index#22559: code before the pause ran again on each resume."""
    sent, look = Counting(), Counting()
    turns = ([("send", {"query": "a"})], [("look", {"query": "b"})], "done")
    for _ in range(4):
        with Journal(tmp_path / "run.db") as journal:
            tools = [sent.tool("send", effect=True), look.tool(approve=True)]
            assert react("q", replies(*turns), tools, journal=journal).stop.reason == "paused"
    assert sent.seen == ["a"] and look.seen == []


@pytest.mark.parametrize("moment", ["begun", "done"])
def test_row_24_a_crash_between_the_effect_and_its_record_is_asked_about(moment: str, tmp_path: Path) -> None:
    """agent-framework#3938, crewAI#5802, stripe/ai#402: a crash before the checkpoint charged twice."""
    charge, questions = Counting(lambda query: "charged"), []

    def person(request: Request) -> Answer:
        questions.append(request.kind)
        return Answer("reply", "charged") if charge.seen else Answer("approve")

    for attempt in range(2):
        with Fused(tmp_path / "run.db", 2 if attempt == 0 else 0, moment) as journal:
            model = replies([("charge", {"query": "$10"})], "done")
            try:
                result = react("q", model, [charge.tool("charge", effect=True)], journal=journal, person=person)
            except Killed:
                continue
    assert charge.seen == ["$10"] and questions == ["unknown"] and result.answer == "done"


def test_row_25_an_approval_survives_a_restart_and_a_failing_call_and_is_used_once(tmp_path: Path) -> None:
    """openai-agents#4244, agent-framework#7458, NeoAgent#86: an approval ignored, used up by a failing run, or lost."""
    path, send = tmp_path / "run.db", Counting()
    turns = ([("send", {"query": "a"})], "done")

    def go(model: ScriptedModel) -> Any:
        with Journal(path) as journal:
            journal.reopen()
            return react("q", model, [send.tool("send", effect=True, approve=True)], journal=journal)

    assert go(replies(*turns)).stop.reason == "paused"
    with Journal(path) as journal:
        journal.answer(journal.pending()[0]["id"], Answer("approve").to_dict())
    assert go(ScriptedModel([ServiceError("balance", "person")])).stop.reason == "failed" and send.seen == ["a"]
    assert go(replies(*turns)).answer == "done" and send.seen == ["a"]
    with Journal(path) as journal:
        assert [record.result["answer"]["decision"] for record in journal.records() if record.kind == "ask"] == [
            "approve"
        ]


def test_row_26_gated_and_free_calls_in_one_batch_come_back_in_call_order(tmp_path: Path) -> None:
    """openai-agents#3004, pydantic-ai#2500: results dropped, or in an order that providers reject."""
    look, send = Counting(), Counting()
    turns = ([("look", {"query": "a"}), ("send", {"query": "b"}), ("look", {"query": "c"})], "done")
    for expected in ("paused", None):
        model = replies(*turns)
        with Journal(tmp_path / "run.db") as journal:
            tools = [look.tool(), send.tool("send", effect=True, approve=True)]
            result = react("q", model, tools, journal=journal)
            assert (result.stop.reason if result.stop else None) == expected
            for request in journal.pending():
                journal.answer(request["id"], Answer("approve").to_dict())
    assert [call.text for call in result.calls] == ["fact about a", "fact about b", "fact about c"]
    assert look.seen == ["a", "c"] and send.seen == ["b"] and legal(model.requests[-1]["messages"])


def test_row_27_the_model_is_told_of_an_edit_a_gated_edit_is_asked_and_a_rejected_call_never_happens() -> None:
    """langchain#33787, #40166, #40491: the original came again, a policy was skipped, a rejected call executed."""
    answers = [
        Answer("edit", args={"query": "b"}),
        Answer("edit", tool="pay", args={"query": "c"}),
        Answer("reject", "no"),
        Answer("reject", "never"),
    ]
    send, pay = Counting(), Counting()
    tools = [send.tool("send", approve=True, fallback="pay"), pay.tool("pay", approve=True)]
    one = [("send", {"query": "a"})]
    model = replies(one, one, one, "done")
    result = react("q", model, tools, person=lambda request: answers.pop(0))
    assert send.seen == ["b"] and pay.seen == [] and answers == []
    assert [call.kind for call in result.calls] == ["found", "refused", "refused"]
    assert 'changed to send({"query":"b"})' in str(model.requests[1]["messages"][-1]["content"])


def test_row_28_an_error_between_two_steps_loses_none_of_the_steps_after_it() -> None:
    """langgraph#8834: an error in routing after a node; the resume returned "done" without the rest."""
    for broken in ("replanner", "router"):
        look, journal = Counting(), Journal()
        for good in (False, True):
            model = roles(["one", "two", "three"], once_each(), keep)
            if not good:
                answer, role = model.replies, broken

                def breaks(messages: Any, tools: Any, answer: Any = answer, role: str = role) -> Any:
                    if role_of(messages) == role:
                        raise Killed(role)
                    return answer(messages, tools)

                model.replies = breaks
            agent = PlanExecuteAgent(model, [look.tool()])
            try:
                result = agent.run("q", journal)
            except Killed:
                continue
        assert look.seen == ["one", "two", "three"] and result.complete, broken


def test_row_29_every_limit_that_is_documented_fires_at_its_number_on_a_resume_too() -> None:
    """claude-code#41143, inspect_ai#5228: documented limits silently never fired (72 turns at 10; a scoped one inert).

    Every limit of a run and of a step, and every preset, killed anywhere: test_every_limit.py; this is its core.
    """
    for name in ("max_steps", "max_model_calls", "max_tool_calls", "max_calls_per_tool", "max_seconds"):
        for n in (1, 2, 10):
            journal, limits = Journal(), OFF.with_(**{name: n})
            with pytest.raises(Killed):
                endless_run(limits, journal, on_event=killed_at(n))
            result = endless_run(limits, journal)
            counted = {"max_seconds": result.usage.seconds, "max_steps": result.usage.steps}
            counted["max_model_calls"] = made(journal, "model")
            assert counted.get(name, result.usage.tool_calls) == n == result.stop.limit and result.stop.reason == name
    scoped = Run("q", model=endless(), tools=[facts()], limits=OFF.with_(per_step=OFF.with_(max_tool_calls=2)))
    step = scoped.within("step-1", step=True)
    assert kinds(step.tools(asks(*[("look", {"query": each}) for each in "abc"]))) == ["found", "found", "refused"]
    with pytest.raises(Ended):
        step.model([user("go on")])


def test_row_30_a_limit_of_0_is_zero_and_each_step_is_told_once() -> None:
    """smolagents#1816: limit 0 crashed, and the last step was emitted twice."""
    for n, requests in ((0, 0), (1, 2), (None, 6)):
        model, events = replies(*[[("look", {"query": str(turn)})] for turn in range(5)], "done"), list[Event]()
        result = react("q", model, [facts()], OFF.with_(max_steps=n), on_event=events.append)
        addresses = [event.record.address for event in events]
        assert len(addresses) == len(set(addresses)) and len(model.requests) == (requests if n != 0 else 1)
        assert result.usage.steps == (5 + 1 if n is None else n)
    for wrong in (-1, float("nan")):
        with pytest.raises(ValueError, match="max_steps"):
            Limits(max_steps=wrong)  # type: ignore[arg-type]
