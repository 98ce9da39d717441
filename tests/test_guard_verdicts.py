"""Verdicts of guards: which wins, what each does to the run, and what a guard must not do."""

from __future__ import annotations

from typing import Any

import pytest
from helpers_control import OFF, Counting, always, endless, facts, kinds, legal, nothing
from helpers_guards import call, end_of, open_run

from planexec.guards import DEFAULT_GUARDS, NoResult
from planexec.journal import Journal
from planexec.models.scripted import ScriptedModel
from planexec.react_loop import react
from planexec.tools import Observation
from planexec.verdicts import STRENGTH, Stop, Verdict, strongest


class Says:
    """A guard that always decides the same, after each call or before it."""

    scope = "step"

    def __init__(self, action: Any, when: str = "after", reason: str = ""):
        self.verdict = Verdict(action, f"{action}!", Stop(reason or action) if action in ("conclude", "halt") else None)
        self.when = when

    def start(self) -> Says:
        return self

    def before(self, call: Any) -> Verdict | None:
        return self.verdict if self.when == "before" else None

    def after(self, call: Any, observation: Observation) -> Verdict | None:
        return self.verdict if self.when == "after" else None


ORDER = ["nudge", "ask", "refuse", "conclude", "halt"]


def test_halt_before_conclude_before_refuse_before_ask_before_nudge() -> None:
    assert sorted(ORDER, key=STRENGTH.__getitem__) == ORDER
    for weak, strong in zip(ORDER, ORDER[1:], strict=False):
        for pair in ([weak, strong], [strong, weak]):
            assert strongest(Verdict(each, stop=Stop(each)) for each in pair).action == strong
    assert strongest([None, None]) is None


def test_halt_ends_the_run_without_a_conclusion_and_conclude_with_one() -> None:
    for action, requests in (("halt", 1), ("conclude", 2)):
        model = always("look", {"query": "x"})
        result = react("q", model, [facts()], OFF, guards=[Says(action, reason="mine")])
        assert (len(model.requests), result.stop.reason, result.complete) == (requests, "mine", False)
        assert result.answer


def test_a_refusal_keeps_the_call_from_happening_and_the_run_goes_on() -> None:
    tool = Counting()
    model = ScriptedModel([("look", {"query": "x"}), "so be it"])
    result = react("q", model, [tool.tool()], OFF, guards=[Says("refuse", "before")])
    assert tool.seen == [] and result.answer == "so be it"
    assert [each.action for each in result.verdicts] == ["refuse"] and "refuse!" in result.calls[0].text


def test_a_guard_may_ask_a_person_before_a_call() -> None:
    from planexec.person import Answer

    for decision, seen in (("approve", ["x"]), ("reject", [])):
        tool, asked = Counting(), []
        model = ScriptedModel([("look", {"query": "x"}), "so be it"])
        person = lambda request: asked.append(request.text) or Answer(decision)  # noqa: B023, E731
        react("q", model, [tool.tool()], OFF, guards=[Says("ask", "before")], person=person)
        assert tool.seen == seen and len(asked) == 1


def test_when_a_limit_and_a_counter_fire_together_the_limit_is_the_reason_and_both_are_named() -> None:
    result = react("q", endless(), [nothing()], OFF.with_(max_steps=3), guards=[NoResult()])
    assert (result.stop.reason, result.stop.also) == ("max_steps", ("no_data",))
    several = react("q", endless(), [nothing()], OFF.with_(max_steps=3, max_model_calls=4), guards=[NoResult()])
    assert (several.stop.reason, several.stop.also) == ("max_steps", ("max_model_calls", "no_data"))


def test_a_limit_that_stands_at_its_number_is_named_only_when_more_of_it_was_asked_for() -> None:
    """The fourth turn breaks the limits on turns and model calls; it might have been an answer without a tool call."""
    limits = OFF.with_(max_steps=3, max_tool_calls=3, max_calls_per_tool=3, max_model_calls=4)
    turns = react("q", endless(), [facts()], limits, guards=())
    assert (turns.stop.reason, turns.stop.also) == ("max_steps", ("max_model_calls",))
    calls = react("q", endless(), [facts()], limits.with_(max_steps=9, max_model_calls=9), guards=())
    assert (calls.stop.reason, calls.stop.also) == ("max_tool_calls", ("max_calls_per_tool",))
    answered = ScriptedModel([("look", {"query": each}) for each in "abc"] + ["done"])
    assert react("q", answered, [facts()], limits.with_(max_steps=4, max_model_calls=5)).complete


def test_every_verdict_is_in_the_result_with_its_place() -> None:
    result = react("q", endless(), [nothing()], OFF)
    assert [(each.action, each.where) for each in result.verdicts] == [("nudge", "run"), ("conclude", "run")]
    assert "no_data" in result.verdicts[1].text and result.verdicts[1].stop == result.stop


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(("action", "requests"), [("conclude", 2), ("halt", 1)])
def test_a_conclusion_or_a_halt_acts_without_a_stop_of_its_own(action: Any, requests: int, when: str) -> None:
    guard, model = Says(action, when), always("look", {"query": "x"})
    guard.verdict = Verdict(action, "that will do")
    result = react("q", model, [facts()], OFF, guards=[guard])
    assert len(model.requests) == requests
    assert result.stop is not None and (result.stop.reason, result.stop.advice) == ("refused", "that will do")


def test_a_stop_without_a_note_has_advice_all_the_same() -> None:
    stop = Verdict("halt").stop
    assert stop is not None and "not allowed" in stop.advice
    assert Verdict("nudge", "x").stop is None


# ------------------------------------------------------------------------------------- what guards must not do


@pytest.mark.parametrize("action", ["forbid", "", "Halt", None, True])
def test_an_action_that_there_is_not_is_an_error_that_names_those_there_are(action: Any) -> None:
    with pytest.raises(ValueError, match="nudge, ask, refuse, conclude, halt"):
        Verdict(action, "x")


def test_a_guard_that_raises_ends_the_run_with_its_name_and_nothing_passes() -> None:
    class Broken(Says):
        def before(self, call: Any) -> Verdict | None:
            raise ZeroDivisionError("no count")

    tool, model = Counting(), always("look", {"query": "x"})
    journal = Journal()
    result = react("q", model, [tool.tool()], OFF, guards=[Broken("nudge")], journal=journal)
    assert tool.seen == [] and len(model.requests) == 1
    assert result.stop.reason == "guard_failed" and "Broken" in result.stop.advice
    assert react("q", ScriptedModel([]), [tool.tool()], OFF, guards=[Broken("nudge")], journal=journal) == result


def test_attempts_of_one_call_are_no_repeats() -> None:
    """Three attempts of a failing service are one call to every guard."""
    tool = Counting(lambda query: (_ for _ in ()).throw(TimeoutError("no answer")))
    run = open_run([tool.tool()], *DEFAULT_GUARDS, limits=OFF.with_(max_attempts=5))
    assert call(run, "x").kind == "failed" and len(tool.seen) == 5
    assert run.verdicts == [] and end_of(run) is None


def test_629_successful_reads_are_ended_by_a_budget_and_not_called_a_loop() -> None:
    """Each of another file: every read brings something new, so only a limit can see that it never ends."""
    read = Counting(lambda query: f"contents of {query}")
    run = open_run([read.tool("read_file")], *DEFAULT_GUARDS)
    files = [f"src/part{number // 40}/module_{number}.py" for number in range(629)]
    assert kinds([call(run, each, "read_file") for each in files]) == ["found"] * 629
    assert run.verdicts == [] and end_of(run) is None
    model = endless("read_file", args=lambda turn: {"query": f"src/module_{turn}.py"})
    result = react("q", model, [read.tool("read_file")])
    assert result.stop.reason in ("max_steps", "max_tool_calls") and result.stop.also == ()
    assert all(legal(request["messages"]) for request in model.requests)


def test_guards_go_on_counting_after_a_resume() -> None:
    """Two empty results are recorded; the third one, in the next process, ends the step."""
    journal = Journal()
    first = open_run([nothing()], NoResult(), journal=journal)
    assert [bool(call(first, each).note) for each in "ab"] == [False, True]
    second = open_run([nothing()], NoResult(), journal=journal)
    assert [bool(call(second, each).note) for each in "abc"] == [False, True, False]
    assert end_of(second).reason == "no_data"
    assert [each.action for each in second.verdicts] == ["nudge", "conclude"]
