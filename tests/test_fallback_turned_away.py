"""A tool that falls back on one that may not run: model and guards get the failure, live and replayed."""

from __future__ import annotations

from typing import Any

import pytest
from helpers_control import OFF, Counting, always, raises
from helpers_guards import call, end_of, open_run

from planexec.clock import VirtualClock
from planexec.guards import NoResult
from planexec.journal import Journal
from planexec.limits import Limits
from planexec.models.scripted import ScriptedModel
from planexec.person import Answer
from planexec.react_loop import react
from planexec.result import Result
from planexec.show.text import text_of, text_of_result
from planexec.tools import Observation

BROKEN = ValueError("broken")


def repeats(second: Any, journal: Journal | None = None, **settings: Any) -> Result:
    """A model that calls `a`, which always fails and falls back on `second`, over and over."""
    tools = [raises(BROKEN, "a", fallback="b"), second]
    model = always("a", {"query": "x"})
    return react("q", model, tools, Limits(max_steps=12), journal=journal, clock=VirtualClock(), **settings)


def test_a_refused_fallback_does_not_switch_the_guards_off() -> None:
    alone = react("q", always("a", {"query": "x"}), [raises(BROKEN, "a")], clock=VirtualClock())
    result = repeats(Counting().tool("b", approve=True))
    assert (result.usage.steps, result.stop.reason) == (alone.usage.steps, alone.stop.reason) == (3, "failed")
    assert [call.text for call in result.calls] == [call.text for call in alone.calls]


def test_a_person_who_rejects_the_fallback_is_not_asked_for_ever() -> None:
    questions: list[str] = []
    person = lambda request: questions.append(request.text) or Answer("reject", "no")  # noqa: E731
    result = repeats(Counting().tool("b", approve=True), person=person)
    assert len(questions) == 3 and result.stop.reason == "failed"


def test_the_guards_hear_of_it_once_and_the_same_when_it_is_replayed() -> None:
    """The nudge after the second failure and the end after the third come at the same places out of the journal."""
    journal = Journal()
    live = repeats(Counting().tool("b", approve=True), journal)
    assert [verdict.action for verdict in live.verdicts] == ["refuse", "refuse", "nudge", "refuse", "conclude"]
    replayed = react(
        "q",
        ScriptedModel([]),
        [raises(BROKEN, "a", fallback="b"), Counting().tool("b", approve=True)],
        Limits(max_steps=12),
        journal=journal,
        clock=VirtualClock(),
    )
    assert replayed == live
    assert "2 times in a row" in text_of(journal) and "nudge" in text_of(journal)


def test_a_resumed_run_counts_the_failures_before_it() -> None:
    """Two failures are recorded; the third one, in the next process, ends the step."""
    journal = Journal()
    tools = [raises(BROKEN, "a", fallback="b"), Counting().tool("b", approve=True)]
    first = open_run(tools, NoResult(), journal=journal)
    assert [bool(call(first, "x", "a").note) for _ in range(2)] == [False, True]
    second = open_run(tools, NoResult(), journal=journal)
    assert [bool(call(second, "x", "a").note) for _ in range(3)] == [False, True, False]
    assert end_of(second).reason == "failed"


def test_a_fallback_that_answers_is_all_the_guards_hear_of() -> None:
    run = open_run([raises(BROKEN, "a", fallback="b"), Counting().tool("b")], NoResult(nudge=1, stop=1))
    assert call(run, "x", "a").kind == "found" and end_of(run) is None


def test_in_a_chain_of_three_the_last_failure_stands() -> None:
    tools = [
        raises(BROKEN, "a", fallback="b"),
        raises(ValueError("b is broken too"), "b", fallback="c"),
        Counting().tool("c", approve=True),
    ]
    run = open_run(tools, NoResult(nudge=1, stop=2))
    first = call(run, "x", "a")
    assert first.text == "ValueError: b is broken too"
    assert first.note.splitlines() == [
        "[guard] b brought nothing 1 times in a row. It is probably not there. "
        "Say so and go on without it, or try one clearly different question.",
        "[guard] a failed; b was called instead.",
    ]
    call(run, "x", "a")
    assert end_of(run).reason == "failed"


def test_a_second_attempt_that_is_turned_away_leaves_the_first_to_the_guards() -> None:
    for journal in (Journal(),):
        for _ in range(2):
            run = open_run(
                [raises(TimeoutError("slow"), "a")],
                NoResult(nudge=1),
                limits=OFF.with_(max_attempts=3, max_calls_per_tool=1),
                journal=journal,
            )
            seen = call(run, "x", "a")
            assert seen.kind == "failed" and "a brought nothing 1 times" in seen.note


def test_what_a_person_replied_in_place_of_the_fallback_is_the_answer() -> None:
    person = lambda request: Answer("reply", "it is 5")  # noqa: E731
    tools = [raises(BROKEN, "a", fallback="b"), Counting().tool("b", approve=True)]
    run = open_run(tools, NoResult(nudge=1), person=person)
    seen = call(run, "x", "a")
    assert (seen.kind, seen.text) == ("found", "it is 5") and end_of(run) is None


def test_a_refusal_of_the_second_tools_own_is_what_the_model_gets() -> None:
    """It ran and said no: the guards have heard that, so the model hears the same."""
    tools = [raises(BROKEN, "a", fallback="b"), Counting(lambda query: Observation("refused", "not today")).tool("b")]
    seen = call(open_run(tools, NoResult(nudge=1)), "x", "a")
    assert (seen.kind, seen.text) == ("refused", "not today")


def test_the_fallback_gets_what_the_person_changed_the_call_to() -> None:
    archive = Counting()
    tools = [raises(BROKEN, "a", fallback="b", approve=True), archive.tool("b")]
    call(open_run(tools, person=lambda request: Answer("edit", args={"query": "y"})), "x", "a")
    assert archive.seen == ["y"]


# ------------------------------------------------------------------------------------------------ it is visible


@pytest.mark.parametrize(("lang", "words"), [("en", "a failed; b was called instead"), ("zh", "a 失败，已改用 b")])
def test_a_fallback_is_seen_in_the_result_its_text_and_its_html_live_and_replayed(lang: str, words: str) -> None:
    tools = [raises(BROKEN, "a", fallback="b"), Counting().tool("b")]
    journal = Journal()
    for model in (ScriptedModel([("a", {"query": "x"}), "done"]), ScriptedModel([])):
        result = react("q", model, tools, journal=journal, lang=lang, clock=VirtualClock())
        (noted,) = result.verdicts
        assert (noted.action, noted.where, noted.stop) == ("fallback", "run", None) and words in noted.text
        assert words in text_of_result(result, lang) and words in result._repr_html_()
