"""A failure of the class "person" is put to a person who is there: is it mended? Then the call is tried again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers_control import SMALL, Killed, asked, endless, killed_at, once_each, replies

from planexec import store
from planexec.agent import PlanExecuteAgent
from planexec.chat import ServiceError
from planexec.clock import VirtualClock
from planexec.journal import Journal
from planexec.limits import Limits
from planexec.mending import MENDS
from planexec.models.scripted import ScriptedModel
from planexec.person import Answer, Request
from planexec.react_loop import react
from planexec.result import Result
from planexec.show.text import text_of
from planexec.tools import Tool, failed, tool

YES, NO = Answer("approve"), Answer("reject")
UNPAID = ServiceError("The balance is used up.", kind="person")
TEXT = (
    'look({"query":"a"}) failed: The balance is used up.\n'
    "Only a person can mend that. Is it mended, so that it can be tried again?"
)
TURNS = ([("look", {"query": "a"})], "done")


class Person:
    """A list of answers, then "approve"; every question is kept."""

    def __init__(self, *answers: Answer | None):
        self.answers, self.requests = list(answers), list[Request]()

    def __call__(self, request: Request) -> Answer | None:
        self.requests.append(request)
        return self.answers.pop(0) if self.answers else YES


class Service:
    """A tool that refuses its first `times` calls for want of money; `seen` counts every call."""

    def __init__(self, times: int = 1, error: Exception = UNPAID, **options: Any):
        self.times, self.error, self.seen, self.options = times, error, list[str](), options

    def tool(self, name: str = "look") -> Tool:
        def function(query: str) -> str:
            self.seen.append(query)
            if len(self.seen) <= self.times:
                raise self.error
            return f"fact about {query}"

        return tool(name=name, description="Look something up.", **self.options)(function)


def look(service: Service, person: Any = None, journal: Journal | None = None, **settings: Any) -> Result:
    """One turn with a call, then the answer."""
    settings = {"model": replies(*TURNS), "clock": VirtualClock(), "tools": [service.tool()]} | settings
    return react("q", settings.pop("model"), settings.pop("tools"), journal=journal, person=person, **settings)


def unpaid_model(times: int, turns: tuple[Any, ...] = TURNS) -> ScriptedModel:
    """A model whose service refuses the first `times` requests."""
    left = [times]

    def line(messages: Any, tools: Any) -> Any:
        if left[0]:
            left[0] -= 1
            raise UNPAID
        return turns[sum(m["role"] == "assistant" for m in messages)]

    return ScriptedModel(line, usage=SMALL)


# ------------------------------------------------------------------------------------------------------ a tool


def test_a_person_who_is_there_is_asked_once_and_the_call_is_tried_again() -> None:
    person, service = Person(), Service()
    result = look(service, person)
    assert [(r.kind, r.text, r.tool, r.args) for r in person.requests] == [("mend", TEXT, "look", {"query": "a"})]
    assert [call.kind for call in result.calls] == ["found"] and result.complete
    assert service.seen == ["a", "a"] and result.usage.tool_calls == 2 and result.verdicts == ()


def test_in_chinese_the_question_is_chinese() -> None:
    person = Person()
    look(Service(), person, lang="zh")
    said = "这需要人来处理。处理好了吗？同意即再试一次。"
    assert person.requests[0].text == f'look({{"query":"a"}}) 失败：The balance is used up.\n{said}'


def test_the_same_call_is_asked_about_a_few_times_in_a_row_and_no_more() -> None:
    person, service = Person(), Service(times=99)
    result = look(service, person)
    assert len(person.requests) == MENDS and len(service.seen) == MENDS + 1
    assert [(call.kind, call.text) for call in result.calls] == [("failed", "The balance is used up.")]


@pytest.mark.parametrize("answer", [NO, Answer("stop"), Answer("reply", "later"), None])
def test_any_other_answer_leaves_the_failure_as_it_is(answer: Answer | None) -> None:
    person, service = Person(answer), Service()
    result = look(service, person)
    alone = look(Service())
    assert len(person.requests) == len(service.seen) == 1
    assert (result.calls, result.answer, result.stop) == (alone.calls, alone.answer, alone.stop)


def test_with_nobody_there_nothing_is_asked_and_nothing_waits(tmp_path: Path) -> None:
    with Journal(tmp_path / "run.db") as journal:
        result = look(Service(), None, journal)
        kinds = [record.kind for record in journal.records()]
    assert kinds == ["model", "tool", "model"] and [call.kind for call in result.calls] == ["failed"]
    assert store.open_requests(tmp_path / "run.db") == []


@pytest.mark.parametrize("kind", ["transient", "permanent"])
def test_other_failures_are_not_asked_about(kind: str) -> None:
    person = Person()
    look(Service(error=ServiceError("no", kind=kind)), person)
    assert person.requests == []


@pytest.mark.parametrize("status", [401, 402, 403])
def test_it_is_the_class_that_counts_raised_or_returned(status: int) -> None:
    error = RuntimeError("refused")
    error.status_code = status  # type: ignore[attr-defined]
    person = Person()
    assert look(Service(error=error), person).complete and len(person.requests) == 1

    answers = [failed("no key", "person"), "a fact"]
    person = Person()

    def given(query: str) -> Any:
        return answers.pop(0)

    named = tool(name="look", description="Look.")(given)
    assert look(Service(), person, tools=[named]).complete and len(person.requests) == 1


def test_a_second_tool_takes_over_before_anybody_is_asked() -> None:
    first, second, person = Service(fallback="other"), Service(times=0), Person()
    result = look(first, person, tools=[first.tool(), second.tool("other")])
    assert person.requests == [] and second.seen == ["a"] and result.complete


def test_the_second_tool_is_asked_about_when_it_fails_too() -> None:
    first, second, person = Service(fallback="other"), Service(), Person()
    result = look(first, person, tools=[first.tool(), second.tool("other")])
    assert [request.tool for request in person.requests] == ["other"] and result.complete


def test_a_call_that_changes_the_world_did_not_happen_and_is_made_once_it_can_be(tmp_path: Path) -> None:
    service, person = Service(effect=True), Person()
    with Journal(tmp_path / "run.db") as journal:
        assert look(service, person, journal).complete
        keys = {record.request["key"] for record in journal.records() if record.kind == "tool"}
    assert len(service.seen) == 2 and len(keys) == 1


def test_trying_again_stays_within_the_limits_and_the_failure_stays_the_answer() -> None:
    service = Service()
    result = look(service, Person(), limits=Limits(max_tool_calls=1))
    assert service.seen == ["a"] and [call.text for call in result.calls][0].startswith("The balance is used up.")


def test_the_guards_hear_of_a_failure_once_however_often_it_was_asked_about() -> None:
    """Three calls that found nothing end it, asked about or not."""

    def turns_with(person: Any) -> int:
        model = endless(args=lambda turn: {"query": f"q{turn}"})
        return look(Service(times=99), person, model=model).usage.steps

    assert turns_with(Person(*[NO] * 9)) == turns_with(None) == 3


@pytest.mark.parametrize(
    ("answer", "after"), [(YES, "found     fact about a"), (NO, "refused   [guard] Not carried out")]
)
def test_a_reader_sees_the_failure_the_question_and_what_came_of_it(answer: Answer, after: str) -> None:
    journal = Journal()
    result = look(Service(), Person(answer), journal)
    assert [call["kind"] for call in store.as_dict(journal)["steps"][0]["calls"]] == [
        call.kind for call in result.calls
    ]
    said = text_of(journal)
    asked_at, after_at = said.index("Only a person can mend that."), said.index(after)
    assert said.index("failed    The balance is used up.\n") < asked_at < after_at


# ------------------------------------------------------------------------------------------------------ the model


def test_the_model_is_asked_again_when_a_person_has_mended_it() -> None:
    person = Person()
    result = look(Service(times=0), person, model=unpaid_model(1))
    assert [(r.kind, r.tool) for r in person.requests] == [("mend", "")]
    assert person.requests[0].text.startswith("The model failed: The balance is used up.\n")
    assert result.complete and result.usage.model_calls == 3


@pytest.mark.parametrize(("person", "times"), [(Person(NO), 1), (None, 1), (Person(), 99)])
def test_a_model_that_nobody_mends_ends_the_run_with_its_reason(person: Any, times: int) -> None:
    result = look(Service(times=0), person, model=unpaid_model(times))
    assert (result.stop.reason, result.stop.advice) == ("failed", "The balance is used up.")
    assert person is None or len(person.requests) == min(times, MENDS)


def test_a_replan_that_nobody_mends_leaves_the_plan_and_a_report_can_be_mended() -> None:
    unpaid = {"remaining", "results"}

    def line(messages: Any, tools: Any) -> Any:
        data = asked(messages)
        for name in sorted(unpaid & data.keys()):
            unpaid.discard(name)
            raise UNPAID
        if "tools" in data:
            return '["one", "two"]'
        return "the report" if "results" in data else once_each()(messages) if "step" in data else "[]"

    person = Person(NO)
    agent = PlanExecuteAgent(ScriptedModel(line), [Service(times=0).tool()], loop="plan", clock=VirtualClock())
    result = agent.run("q", None, person)
    assert [request.where for request in person.requests] == ["replan", "report"]
    assert [step.goal for step in result.steps] == ["one", "two"] and result.answer == "the report"


# ------------------------------------------------------------------------------------------------ another day

WAYS: list[Callable[..., Result]] = [
    lambda person, journal, **more: look(Service(), person, journal, **more),
    lambda person, journal, **more: look(Service(times=0), person, journal, model=unpaid_model(1), **more),
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("answer", [YES, NO])
def test_a_replay_asks_nobody_and_ends_alike(way: Callable[..., Result], answer: Answer) -> None:
    journal = Journal()
    live = way(Person(answer), journal)
    again = way(None, journal)
    assert (again.answer, again.stop, again.usage, again.calls) == (live.answer, live.stop, live.usage, live.calls)


def test_killed_anywhere_nobody_is_asked_twice_and_it_ends_alike(tmp_path: Path) -> None:
    for answer in (YES, NO):
        whole = Journal()
        live = look(Service(), Person(answer), whole)
        for effect in range(1, len(list(whole.records())) + 1):
            path, service, person = tmp_path / f"{answer.decision}-{effect}.db", Service(), Person(answer)
            with Journal(path) as journal, pytest.raises(Killed):
                look(service, person, journal, on_event=killed_at(effect))
            with Journal(path) as journal:
                again = look(service, person, journal)
            assert len(person.requests) == 1 and len(service.seen) == (2 if answer is YES else 1)
            assert (again.answer, again.calls) == (live.answer, live.calls)


def test_killed_before_the_question_and_resumed_with_nobody_there_the_failure_stands(tmp_path: Path) -> None:
    path, service = tmp_path / "run.db", Service()
    with Journal(path) as journal, pytest.raises(Killed):
        look(service, Person(), journal, on_event=killed_at(2))
    for _ in range(2):
        with Journal(path) as journal:
            result = look(service, None, journal)
        assert [call.kind for call in result.calls] == ["failed"] and service.seen == ["a"]


def test_a_person_may_mend_it_another_day(tmp_path: Path) -> None:
    path, service = tmp_path / "run.db", Service()
    with Journal(path) as journal:
        assert look(service, Person(None), journal).stop.reason == "paused"
    ((file, request),) = store.open_requests(path)
    assert request["kind"] == "mend"
    store.answer(file, request["id"], YES)
    with Journal(path) as journal:
        assert look(service, None, journal).complete
    assert service.seen == ["a", "a"]


def test_a_report_after_a_stop_that_waits_for_a_person_is_a_digest_meanwhile(tmp_path: Path) -> None:
    def line(messages: Any, tools: Any) -> Any:
        data = asked(messages)
        if "results" in data:
            raise UNPAID
        return '["one", "two"]' if "tools" in data else once_each()(messages)

    agent = PlanExecuteAgent(
        ScriptedModel(line), [Service(times=0).tool()], Limits(max_tool_calls=1), loop="plan", clock=VirtualClock()
    )
    with Journal(tmp_path / "run.db") as journal:
        result = agent.run("q", journal, Person(None))
    assert result.stop is not None and result.stop.reason == "max_tool_calls" and "fact about one" in result.answer


def test_a_reopened_run_asks_once_more(tmp_path: Path) -> None:
    person, journal = Person(NO), Journal()
    assert look(Service(times=0), person, journal, model=unpaid_model(1)).stop.reason == "failed"
    journal.reopen()
    assert [record.kind for record in journal.records()] == []
    assert look(Service(times=0), person, journal, model=unpaid_model(1)).complete
    assert len(person.requests) == 2
