"""`limits.confirm_first`: nothing is done that nobody agreed to, with a plan and without one, live and replayed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers_control import Counting, Killed, asked, asks, endless, keep, killed_at, last_choice, roles

from planexec import store
from planexec.agent import PlanExecuteAgent
from planexec.clock import VirtualClock
from planexec.journal import Journal
from planexec.limits import Limits
from planexec.models.scripted import ScriptedModel
from planexec.person import Answer, Request
from planexec.react_loop import react
from planexec.result import Result

FIRST = Limits.complex()
BEGIN = "There is no plan: the model chooses each call as it goes. Begin?\nQuestion: q\nTools: look"
ADDED = json.dumps([{"id": 2, "goal": "two"}, {"id": None, "goal": "send all money away"}])
REST = "The plan has changed. Carry out this rest of it?\n1. two\n2. send all money away (new)"


class Asked:
    """A person with a list of answers, then "approve"; every question is kept."""

    def __init__(self, *answers: Answer | None):
        self.answers, self.texts, self.ids = list(answers), list[str](), list[str]()

    def __call__(self, request: Request) -> Answer | None:
        assert request.kind == "confirm"
        self.texts.append(request.text)
        self.ids.append(request.id)
        return self.answers.pop(0) if self.answers else Answer("approve")


def alone(person: Any, look: Counting, journal: Journal | None = None, **settings: Any) -> Result:
    """ReAct without an end of its own."""
    settings = {"limits": FIRST, "clock": VirtualClock()} | settings
    return react("q", endless(), [look.tool()], journal=journal, person=person, **settings)


def in_one_reply(person: Any, look: Counting, journal: Journal | None = None, **settings: Any) -> Result:
    """An agent whose router finds that one reply is enough."""

    def line(messages: Any, tools: Any) -> Any:
        if not tools:
            return '{"route": "direct"}'
        return "the answer" if last_choice(model) == "none" else asks(("look", {"query": "x"}))

    model = ScriptedModel(line)
    return _agent(model, look, **settings).run("q", journal, person)


def by_plan(person: Any, look: Counting, journal: Journal | None = None, **settings: Any) -> Result:
    """The plan "one, two"; after its first step the replanner answers `rest`."""
    rest = settings.pop("rest", ADDED)

    def replanner(messages: Any) -> str:
        return rest if len(asked(messages)["done"]) == 1 else keep(messages)

    def executor(messages: Any) -> Any:
        if messages[-1]["role"] == "tool":
            return "found it"
        return [("look", {"query": asked(messages)["step"]["goal"]})]

    model = roles(["one", "two"], executor, replanner)
    return _agent(model, look, loop="plan", **settings).run("q", journal, person)


def _agent(model: Any, look: Counting, **settings: Any) -> PlanExecuteAgent:
    limits = settings.pop("limits", FIRST)
    return PlanExecuteAgent(model, [look.tool()], limits, clock=VirtualClock(), **settings)


WAYS = pytest.mark.parametrize(("way", "calls"), [(alone, 12), (in_one_reply, 1), (by_plan, 3)])
NO_PLAN = pytest.mark.parametrize("way", [alone, in_one_reply])


# ----------------------------------------------------------------------------------------------- without a plan


@NO_PLAN
def test_without_a_plan_a_person_is_asked_once_whether_to_begin_with_the_question_and_the_tools(way: Any) -> None:
    person, look = Asked(), Counting()
    result = way(person, look)
    assert person.texts == [BEGIN] and look.seen and result.answer


def test_in_chinese_the_questions_are_chinese() -> None:
    person = Asked(Answer("reject"))
    result = alone(person, Counting(), lang="zh")
    assert person.texts == ["没有计划：每次调用都由模型临时决定。是否开始？\n问题：q\n工具：look"]
    assert result.stop is not None and result.stop.advice == "有人不同意开始。"
    person = Asked()
    by_plan(person, Counting(), lang="zh")
    assert person.texts == [
        "是否按此计划执行？\n1. one\n2. two",
        "计划有变。是否执行以下剩余步骤？\n1. two\n2. send all money away (新)",
    ]


def test_a_run_without_tools_says_so() -> None:
    person = Asked()
    react("q", ScriptedModel(["hello"]), (), FIRST, person=person, clock=VirtualClock())
    assert person.texts[0].endswith("Tools: none")


@pytest.mark.parametrize("decision", ["reject", "stop", "reply"])
@NO_PLAN
def test_nothing_is_done_when_the_person_does_not_agree_and_the_reason_is_kept(way: Any, decision: str) -> None:
    look = Counting()
    result = way(Asked(Answer(decision, text="not today")), look)
    assert look.seen == [] and result.usage.steps == 0
    assert not result.complete and (result.stop.reason, result.stop.advice) == ("stopped", "not today")


def test_each_part_of_a_parallel_question_asks_for_itself() -> None:
    model = roles(
        lambda messages: "[]",
        router=lambda messages: json.dumps(
            {"route": "parallel", "parts": ["part a", "part b"]}
            if asked(messages)["task"] == "q"
            else {"route": "chain"}
        ),
    )
    person, look = Asked(Answer("approve"), Answer("reject")), Counting()
    result = _agent(model, look).run("q", None, person)
    assert len(person.texts) == 2 and result.stop is not None and result.stop.reason == "stopped"


# ------------------------------------------------------------------------------------------ what is put in later


def test_what_the_replanner_adds_is_asked_about_before_it_is_done() -> None:
    person, look = Asked(Answer("approve"), Answer("reject", text="never that")), Counting()
    result = by_plan(person, look)
    assert person.texts == ["Carry out this plan?\n1. one\n2. two", REST]
    assert look.seen == ["one"] and len(set(person.ids)) == 2
    assert result.stop is not None and (result.stop.reason, result.stop.advice) == ("stopped", "never that")
    assert [(step.goal, step.status) for step in result.steps] == [("one", "done"), ("two", "open")]
    assert "found it" in result.answer


def test_what_was_agreed_to_once_is_not_asked_about_again() -> None:
    person, look = Asked(), Counting()
    result = by_plan(person, look)
    assert len(person.texts) == 2 and look.seen == ["one", "two", "send all money away"] and result.complete


@pytest.mark.parametrize(
    ("rest", "line"),
    [
        ([{"id": 2, "goal": "two, and tell everybody"}], "1. two, and tell everybody (new)"),
        ([{"id": 2, "goal": "two", "tool": "look", "args": {"query": "y"}}], '1. two (new: look({"query":"y"}))'),
        ([{"id": 2, "goal": "two"}, {"id": None, "goal": "three\n3. harmless"}], "1. two\n2. three 3. harmless (new)"),
    ],
)
def test_a_step_in_other_words_or_with_another_call_is_asked_about(rest: Any, line: str) -> None:
    person = Asked(Answer("approve"), Answer("reject"))
    look = Counting()
    by_plan(person, look, rest=json.dumps(rest))
    assert person.texts[1] == f"The plan has changed. Carry out this rest of it?\n{line}" and look.seen == ["one"]


@pytest.mark.parametrize("rest", ['[{"id": 2, "goal": "Two."}]', "[]", "no idea", '["one", "two"]'])
def test_the_same_or_less_or_nothing_readable_needs_no_question(rest: str) -> None:
    person = Asked()
    by_plan(person, Counting(), rest=rest)
    assert person.texts == ["Carry out this plan?\n1. one\n2. two"]


def test_another_order_needs_no_question() -> None:
    person, look = Asked(), Counting()

    def executor(messages: Any) -> Any:
        step = asked(messages)["step"]["goal"]
        return "found it" if messages[-1]["role"] == "tool" else [("look", {"query": step})]

    def turned(messages: Any) -> str:
        rest = asked(messages)["remaining"]
        return json.dumps(rest[::-1] if len(rest) == 2 else rest)

    model = roles(["one", "two", "three"], executor, turned)
    _agent(model, look, loop="plan").run("q", None, person)
    assert len(person.texts) == 1 and look.seen == ["one", "three", "two"]


# ------------------------------------------------------------------------------------------------- nobody there


@WAYS
def test_with_nobody_there_and_nothing_saved_nothing_is_done_and_the_reason_is_said(way: Any, calls: int) -> None:
    look = Counting()
    result = way(None, look)
    assert look.seen == [] and result.stop.reason == "stopped"
    assert result.stop.advice == "limits.confirm_first needs a person, and nobody is there."


@WAYS
def test_a_saved_run_waits_for_every_question_and_goes_on_when_it_is_answered(
    way: Callable[..., Result], calls: int, tmp_path: Path
) -> None:
    path, look, ids = tmp_path / "run.db", Counting(), []
    while True:
        with Journal(path) as journal:
            result = way(None, look, journal)
        if result.stop is None or result.stop.reason != "paused":
            break
        ((file, request),) = store.open_requests(path)
        ids.append(request["id"])
        store.answer(file, request["id"], Answer("approve"))
    assert len(look.seen) == calls
    assert ids == (["confirm:0", "confirm#2:0"] if way is by_plan else ["confirm:0"])


@WAYS
def test_a_replay_asks_nobody_and_ends_alike(way: Callable[..., Result], calls: int) -> None:
    journal, look = Journal(), Counting()
    live = way(Asked(), look, journal)
    again = way(None, look, journal)
    assert (again.answer, again.stop, again.usage) == (live.answer, live.stop, live.usage)
    assert len(look.seen) == calls


@WAYS
def test_killed_anywhere_no_answered_question_is_put_again(
    way: Callable[..., Result], calls: int, tmp_path: Path
) -> None:
    whole = Journal()
    way(Asked(), Counting(), whole)
    for effect in range(1, len(list(whole.records())) + 1):
        person, path = Asked(), tmp_path / f"run-{effect}.db"
        with Journal(path) as journal, pytest.raises(Killed):
            way(person, Counting(), journal, on_event=killed_at(effect))
        with Journal(path) as journal:
            way(person, Counting(), journal)
        assert len(person.ids) == len(set(person.ids)) == (2 if way is by_plan else 1)


def test_a_grant_agrees_and_gives_more_room() -> None:
    look = Counting()
    result = alone(Asked(Answer("grant", limits={"max_steps": 14})), look)
    assert len(look.seen) == 14 and result.stop is not None and result.stop.limit == 14


# ------------------------------------------------------------------------------------------------- the default


@WAYS
def test_without_confirm_first_nobody_is_asked(way: Callable[..., Result], calls: int) -> None:
    person, look, journal = Asked(), Counting(), Journal()
    way(person, look, journal, limits=Limits(max_steps=12))
    assert person.texts == [] and len(look.seen) == calls
    assert all(record.kind != "ask" for record in journal.records())
