"""Failures: what kind it is, whether another attempt is worth it, what takes over, and what is never done again."""

from __future__ import annotations

from typing import Any

import pytest
from helpers_control import (
    OFF,
    Counting,
    Killed,
    asks,
    killed_at,
)

from planexec.chat import ServiceError
from planexec.clock import VirtualClock
from planexec.failures import LONGEST_ASKED, back_off, classify, kind_of_status
from planexec.journal import Journal
from planexec.models.scripted import ScriptedModel, says
from planexec.person import Answer
from planexec.react_loop import react
from planexec.run import Run
from planexec.tools import Observation, empty, failed, found

# --------------------------------------------------------------------------------------------- classes

STATUS = {
    **dict.fromkeys((408, 409, 425, 429, 500, 502, 503, 504, 529), "transient"),
    **dict.fromkeys((401, 402, 403), "person"),
    **dict.fromkeys((400, 404, 405, 410, 413, 422), "permanent"),
}


@pytest.mark.parametrize(("status", "kind"), STATUS.items())
def test_the_class_of_an_http_status(status: int, kind: str) -> None:
    assert kind_of_status(status) == kind


class HttpError(Exception):
    """What HTTP libraries raise: the status is on the exception or on its response."""

    def __init__(self, status: int, on_response: bool):
        super().__init__(f"HTTP {status}")
        if on_response:
            self.response = type("Response", (), {"status_code": status})()
        else:
            self.status_code = status


class ReadTimeout(OSError):
    """Named as a library that knows nothing of TimeoutError would name it."""


class Timeout(Exception):
    pass


class SlowProxy(Timeout):
    pass


@pytest.mark.parametrize("on_response", [True, False])
@pytest.mark.parametrize(("status", "kind"), [(429, "transient"), (401, "person"), (404, "permanent")])
def test_an_exception_of_any_http_library_is_classified_by_its_status(
    status: int, kind: str, on_response: bool
) -> None:
    assert classify(HttpError(status, on_response)).kind == kind


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (TimeoutError("10 s"), "transient"),
        (ConnectionResetError("peer"), "transient"),
        (BrokenPipeError(), "transient"),
        (SlowProxy("later"), "transient"),
        (ValueError("no"), "permanent"),
        (KeyError("x"), "permanent"),
        (ServiceError("busy", "transient", retry_after=3.0), "transient"),
        (ServiceError("no money", "person"), "person"),
        (ServiceError("no"), "permanent"),
    ],
    ids=repr,
)
def test_the_class_of_an_exception(error: BaseException, kind: str) -> None:
    failure = classify(error)
    assert failure.kind == kind and failure.text
    assert failure.retry_after == getattr(error, "retry_after", None)


@pytest.mark.parametrize("after", [float("nan"), float("inf"), -1.0, "soon", True])
def test_a_service_that_asks_for_no_time_at_all_is_waited_for_as_usual(after: Any) -> None:
    clock = VirtualClock()
    model = ScriptedModel([ServiceError("busy", "transient", retry_after=after), "well"])
    assert react("q", model, [], clock=clock).answer == "well" and 0.75 <= clock.now() <= 1.0
    assert classify(ServiceError("odd", "no such kind")).kind == "permanent"


def test_what_has_no_words_is_named() -> None:
    assert classify(BrokenPipeError()).text == "BrokenPipeError"


# --------------------------------------------------------------------------------------------- waiting


@pytest.mark.parametrize(("attempt", "least", "most"), [(1, 0.75, 1.0), (2, 1.5, 2.0), (3, 3.0, 4.0), (9, 22.5, 30.0)])
def test_waits_double_are_shortened_by_at_most_a_quarter_and_end_at_30_seconds(
    attempt: int, least: float, most: float
) -> None:
    waits = {back_off(attempt, seed) for seed in range(200)}
    assert all(least <= wait <= most for wait in waits) and len(waits) > 100


def test_the_same_seed_waits_the_same() -> None:
    assert back_off(2, ("s", 1)) == back_off(2, ("s", 1)) != back_off(2, ("s", 2))


def test_what_a_service_asks_for_is_a_lower_bound_up_to_two_minutes() -> None:
    assert back_off(1, 0, 7.5) == 7.5
    assert back_off(3, 0, 0.1) > 2.0
    assert back_off(1, 0, LONGEST_ASKED) == LONGEST_ASKED
    assert back_off(1, 0, LONGEST_ASKED + 1) is None


@pytest.mark.parametrize(("first", "least", "most"), [(4.0, 3.0, 4.0), (0.0, 0.0, 0.0)])
def test_the_first_wait_can_be_set_and_the_others_follow(first: float, least: float, most: float) -> None:
    clock = VirtualClock()
    result = react("q", failing([TimeoutError("gone")] * 2), [], clock=clock, first_wait=first)
    assert result.answer == "well" and least + 2 * least <= clock.now() <= most + 2 * most
    assert back_off(5_000, 0, first=first) <= 30.0, "however often it was tried"


@pytest.mark.parametrize("first", [-1.0, float("nan"), float("inf"), "soon"])
def test_a_first_wait_that_is_no_time_is_an_error_at_once(first: Any) -> None:
    with pytest.raises(ValueError, match="first_wait"):
        Run("q", first_wait=first)


def failing(errors: list[Any], last: Any = "well") -> ScriptedModel:
    return ScriptedModel([*errors, last])


def test_a_busy_service_is_asked_again_after_the_time_it_asked_for() -> None:
    clock, journal = VirtualClock(), Journal()
    model = failing([ServiceError("busy", "transient", retry_after=20.0)])
    result = react("q", model, [], clock=clock, journal=journal)
    assert (result.answer, result.complete, clock.now()) == ("well", True, 20.0)
    assert [record.kind for record in journal.records()] == ["model", "wait", "model"]


def test_a_service_that_asks_for_an_hour_is_not_waited_for() -> None:
    clock = VirtualClock()
    result = react("q", failing([ServiceError("busy", "transient", retry_after=3_600.0)]), [], clock=clock)
    assert (result.stop.reason, clock.now(), result.usage.model_calls) == ("failed", 0.0, 1)


@pytest.mark.parametrize("kind", ["permanent", "person"])
def test_what_cannot_pass_is_not_tried_again(kind: str) -> None:
    model = failing([ServiceError("no", kind)])
    assert react("q", model, []).stop.reason == "failed" and len(model.requests) == 1


@pytest.mark.parametrize("reply", ["", says("half a sen", finish="length"), says("half", finish="unknown")])
def test_an_empty_or_cut_answer_is_worth_another_attempt(reply: Any) -> None:
    model = failing([reply, reply])
    assert react("q", model, [], clock=VirtualClock()).answer == "well" and len(model.requests) == 3


def test_an_answer_that_stays_cut_is_no_success_and_a_filtered_one_is_not_asked_for_again() -> None:
    cut = react("q", ScriptedModel([says("half a sen", finish="length")] * 3), [], clock=VirtualClock())
    assert not cut.complete and cut.usage.model_calls == 3
    filtered = react("q", ScriptedModel([says("I can", finish="filtered")]), [])
    assert not filtered.complete and filtered.usage.model_calls == 1


# --------------------------------------------------------------------------------------------- tools


def tries(answers: list[Any], **options: Any) -> tuple[Counting, Any]:
    """A tool that gives these answers in turn; exceptions are raised."""
    left = iter(answers)

    def answer(query: str) -> Any:
        given = next(left)
        if isinstance(given, BaseException):
            raise given
        return given

    counting = Counting(answer)
    return counting, counting.tool(**options)


def carried_out(tool: Any, *more: Any, **settings: Any) -> Observation:
    run = Run("q", tools=[tool, *more], clock=VirtualClock(), **settings)
    return run.tools(asks(("look", {"query": "x"})))[0]


@pytest.mark.parametrize("first", [TimeoutError("10 s"), failed("busy", "transient"), HttpError(503, False)])
def test_a_failure_that_may_pass_is_tried_again_raised_or_returned(first: Any) -> None:
    counting, tool = tries([first, "found it"])
    assert carried_out(tool).text == "found it" and len(counting.seen) == 2


@pytest.mark.parametrize("first", [ValueError("no"), failed("no such table"), HttpError(404, False), SystemExit(1)])
def test_a_failure_that_will_not_pass_is_told_to_the_model_at_once(first: Any) -> None:
    counting, tool = tries([first, "never"])
    assert carried_out(tool).kind == "failed" and len(counting.seen) == 1


def test_only_the_last_attempt_is_seen_by_the_model_and_every_attempt_is_recorded() -> None:
    journal = Journal()
    _, tool = tries([TimeoutError("1"), TimeoutError("2"), "found it"])
    assert carried_out(tool, journal=journal).text == "found it"
    assert [record.kind for record in journal.records()] == ["tool", "wait", "tool", "wait", "tool"]
    assert [record.result["final"] for record in journal.records() if record.kind == "tool"] == [False, False, True]


def test_attempts_do_not_go_beyond_the_limits_of_the_run_and_the_reason_stays_the_failure() -> None:
    counting, tool = tries([TimeoutError("gone")] * 9)
    observation = carried_out(tool, limits=OFF.with_(max_tool_calls=2, max_attempts=9))
    assert (len(counting.seen), observation.kind) == (2, "failed") and "gone" in observation.text


# ----------------------------------------------------------------------------------- world-changing calls


@pytest.mark.parametrize("first", [TimeoutError("10 s"), ConnectionResetError("peer"), HttpError(503, True)])
def test_a_world_changing_call_is_never_tried_again_blindly(first: Any) -> None:
    counting, tool = tries([first, "sent"], effect=True)
    observation = carried_out(tool)
    assert (observation.kind, len(counting.seen)) == ("unknown", 1)
    assert "may have happened" in observation.text


def test_one_that_may_be_repeated_is() -> None:
    counting, tool = tries([TimeoutError("10 s"), "sent"], effect=True, idempotent=True)
    assert carried_out(tool).text == "sent" and len(counting.seen) == 2


def test_one_that_certainly_failed_is_failed() -> None:
    _, tool = tries([ValueError("no such address")], effect=True)
    assert carried_out(tool).kind == "failed"


# --------------------------------------------------------------------------------------------- fallbacks


def test_the_fallback_takes_over_after_the_last_attempt() -> None:
    counting, tool = tries([TimeoutError("10 s")] * 3, fallback="archive")
    archive = Counting()
    assert carried_out(tool, archive.tool("archive")).text == "fact about x"
    assert (len(counting.seen), archive.seen) == (3, ["x"])


@pytest.mark.parametrize(
    ("lang", "words"), [("en", "look failed; archive was called instead"), ("zh", "已改用 archive")]
)
def test_the_model_is_told_that_another_tool_answered_live_and_replayed(lang: str, words: str) -> None:
    journal, archive = Journal(), Counting()
    for _ in range(2):
        _, tool = tries([ValueError("gone")], fallback="archive")
        seen = carried_out(tool, archive.tool("archive"), journal=journal, lang=lang)
        assert seen.text == "fact about x" and words in seen.message_text.splitlines()[-1]
    assert archive.seen == ["x"], "the second time it was read from the journal"


@pytest.mark.parametrize("answer", [empty(), found("here")])
def test_what_found_nothing_has_not_failed(answer: Observation) -> None:
    _, tool = tries([answer], fallback="archive")
    archive = Counting()
    assert carried_out(tool, archive.tool("archive")).kind == answer.kind and archive.seen == []


def test_a_fallback_passes_the_same_limits_and_the_failure_stays_the_answer() -> None:
    _, tool = tries([ValueError("the index is gone")], fallback="archive")
    archive = Counting()
    observation = carried_out(tool, archive.tool("archive"), limits=OFF.with_(max_tool_calls=1))
    assert archive.seen == [] and "the index is gone" in observation.text


def test_a_fallback_that_needs_a_person_is_asked_about() -> None:
    for decision, seen in (("approve", ["x"]), ("reject", [])):
        _, tool = tries([ValueError("gone")], fallback="archive")
        archive = Counting()
        person = lambda request: Answer(decision)  # noqa: B023, E731
        carried_out(tool, archive.tool("archive", approve=True), person=person)
        assert archive.seen == seen


def test_fallbacks_in_a_ring_end_after_one_round() -> None:
    one, two = (Counting(lambda query: 1 / 0) for _ in range(2))
    observation = carried_out(one.tool("look", fallback="other"), two.tool("other", fallback="look"))
    assert (one.seen, two.seen, observation.kind) == (["x"], ["x"], "failed")


def test_a_fallback_that_is_the_tool_itself_is_none() -> None:
    counting = Counting(lambda query: 1 / 0)
    assert carried_out(counting.tool("look", fallback="look")).kind == "failed" and counting.seen == ["x"]


def test_a_fallback_that_is_no_tool_of_the_run_is_refused() -> None:
    counting = Counting()
    with pytest.raises(ValueError, match="'look': its fallback 'nobody' is none of the tools: look"):
        carried_out(counting.tool("look", fallback="nobody"))
    assert counting.seen == []


def test_a_resume_knows_which_tool_had_taken_over() -> None:
    for kill in range(1, 7):
        counting = Counting(lambda query: (_ for _ in ()).throw(TimeoutError("10 s")))
        archive, journal = Counting(), Journal()
        tools = [counting.tool(fallback="archive"), archive.tool("archive")]

        def go(tools: Any = tools, journal: Journal = journal, **more: Any) -> Any:
            model = ScriptedModel(lambda m, t: "done" if m[-1]["role"] == "tool" else ("look", {"query": "x"}))
            return react("q", model, tools, journal=journal, clock=VirtualClock(), **more)

        with pytest.raises(Killed):
            go(on_event=killed_at(kill))
        assert go().answer == "done"
        assert (len(counting.seen), archive.seen) == (3, ["x"]), f"killed after effect {kill}"
