"""The gate: every effect passes one place, in order, once, at an address of its own."""

from __future__ import annotations

from typing import Any

import pytest
from helpers_control import OFF, SECOND, Counting, Killed, always, asks, endless, facts, kinds, legal, made, nothing

from planexec.chat import ServiceError, system, tool_message, user
from planexec.clock import VirtualClock
from planexec.gate import Ended, Event
from planexec.journal import Journal, JournalError
from planexec.models.scripted import ScriptedModel, calls, says
from planexec.person import Answer, Request
from planexec.react_loop import react
from planexec.run import Run
from planexec.tools import Observation, found, tool
from planexec.verdicts import Stop

ASK = [system("Answer."), user("q")]


# ------------------------------------------------------------------------------------------ addresses


def test_every_effect_has_an_address_and_a_scope_counts_its_own() -> None:
    journal = Journal()
    run = Run("q", model=ScriptedModel(["a", "b", "c"]), tools=[facts()], journal=journal)
    run.model([*ASK])
    run.tools(asks(("look", {"query": "x"})))
    run.within("step-1").model([*ASK])
    run.model([*ASK, user("more")])
    assert [record.address for record in journal.records()] == ["run[0]", "run[1]", "step-1[0]", "run[2]"]


def test_a_scope_entered_again_is_another_scope() -> None:
    run = Run("q")
    names = [run.within("step-3").scope for _ in range(3)]
    inner = [run.within("step-4").within("conclude").scope for _ in range(2)]
    assert names == ["step-3", "step-3#2", "step-3#3"]
    assert inner == ["step-4/conclude", "step-4#2/conclude"]


def test_a_step_that_is_carried_out_again_is_really_carried_out_and_a_resume_replays_both() -> None:
    journal, tool_ = Journal(), Counting()
    for _ in range(2):
        run = Run("q", tools=[tool_.tool()], journal=journal, guards=())
        for _ in range(2):
            run.within("step-3", step=True).tools(asks(("look", {"query": "x"})))
    assert tool_.seen == ["x", "x"]
    assert [record.scope for record in journal.records()] == ["step-3", "step-3#2"]


def test_each_record_holds_only_the_messages_that_were_added() -> None:
    journal, model = Journal(), endless()
    react("q", model, [facts()], OFF.with_(max_steps=4), guards=(), journal=journal)
    added = [len(record.request["added"]) for record in journal.records() if record.kind == "model"]
    assert added == [2, 2, 2, 2, 3], "system and question; reply and tool message; at last the instruction to conclude"


def test_another_conversation_in_the_same_scope_is_recorded_whole() -> None:
    journal = Journal()
    run = Run("q", model=ScriptedModel(["a", "b"]), journal=journal)
    run.model([*ASK]), run.model([user("something else")])
    assert [len(record.request["added"]) for record in journal.records()] == [2, 1]


# ------------------------------------------------------------------------------------------ tool calls


def test_observations_come_back_in_call_order_one_for_every_call() -> None:
    run = Run("q", tools=[facts("a"), nothing("b")], limits=OFF, guards=())
    batch = asks(("a", {"query": "1"}), ("nobody", {}), ("b", {"query": "2"}), ("a", {}), ("a", {"query": "3"}))
    observations = run.tools(batch)
    assert kinds(observations) == ["found", "failed", "empty", "failed", "found"]
    assert "no tool named 'nobody'" in observations[1].text and "a, b" in observations[1].text
    assert "Argument query" in observations[3].text and "a was not run" in observations[3].text


def test_a_direct_call_of_a_plan_is_a_turn_and_the_calls_of_a_reply_are_not() -> None:
    run = Run("q", model=endless(), tools=[facts()], limits=OFF)
    run.tools(asks(("look", {"query": "x"})), step=True)
    assert (run.used.steps, run.used.tool_calls) == (1, 1)
    run.model([*ASK], tools=True, step=True)
    run.tools(asks(("look", {"query": "y"}), ("look", {"query": "z"})))
    assert (run.used.steps, run.used.tool_calls) == (2, 3)


def test_a_tool_cannot_swallow_the_end_of_a_run() -> None:
    """A tool that uses the run itself and catches everything an ordinary error can be."""
    run = Run("q", model=endless(), limits=OFF.with_(max_model_calls=0), tools=[facts()])

    @tool
    def greedy(query: str) -> str:
        """Ask the model whatever happens."""
        try:
            run.model([*ASK])
        except Exception:
            return "swallowed"
        return "never"

    run._gate.toolbox._tools["greedy"] = greedy
    with pytest.raises(Ended):
        run.tools(asks(("greedy", {"query": "x"})))
    assert not issubclass(Ended, Exception)


def test_what_a_batch_brought_before_the_end_is_kept_and_not_called_undone() -> None:
    """The second call of three waits for its next attempt when the time is over: the first one's finding stays."""
    results = iter([found("solid fact", seconds=1.0)])
    look = Counting(lambda query: next(results)).tool()
    busy = Counting(lambda query: (_ for _ in ()).throw(ServiceError("busy", "transient", retry_after=50.0)))
    batch = [("look", {"query": "a"}), ("busy", {"query": "b"}), ("look", {"query": "c"})]
    model = ScriptedModel([batch, "the conclusion"], usage=SECOND)
    result = react("q", model, [look, busy.tool("busy")], OFF.with_(max_seconds=20.0), clock=VirtualClock())
    assert result.stop.reason == "max_seconds" and result.answer == "the conclusion"
    assert [call.kind for call in result.calls] == ["found", "failed", "refused"]
    told = [m["content"] for m in model.requests[-1]["messages"] if m["role"] == "tool"]
    assert told[0] == "solid fact" and "busy" in told[1] and legal(model.requests[-1]["messages"])


def test_a_person_who_stops_in_the_middle_of_a_batch_leaves_what_was_found() -> None:
    model = ScriptedModel([[("look", {"query": "a"}), ("send", {"query": "b"}), ("look", {"query": "c"})]])
    tools = [facts(), facts("send", approve=True)]
    result = react("q", model, tools, person=lambda request: Answer("stop", "enough of this"))
    assert result.stop.reason == "stopped" and "enough of this" in result.stop.advice
    assert "fact about a" in result.answer and len(model.requests) == 1


# ------------------------------------------------------------------------------------------ endings


def test_a_loop_may_end_the_run_for_a_reason_of_its_own() -> None:
    journal = Journal()
    for _ in range(2):
        run = Run("q", journal=journal)
        with pytest.raises(Ended) as ended:
            run.end(Stop("out_of_scope", where="mine", advice="Ask something else."))
        assert (ended.value.stop.reason, ended.value.level, ended.value.conclude) == ("out_of_scope", "run", False)
    assert len(journal.records()) == 1


def test_the_conclusion_lives_in_a_scope_of_its_own_and_in_the_same_conversation() -> None:
    journal, model = Journal(), endless()
    react("q", model, [facts()], OFF.with_(max_steps=2), guards=(), journal=journal)
    assert journal.records()[-1].scope == "conclude"
    before, after = model.requests[-2]["messages"], model.requests[-1]["messages"]
    assert after[: len(before)] == before and after[-1]["role"] == "user" and "max_steps" in after[-1]["content"]


def test_a_stop_is_recorded_and_comes_back_as_it_was() -> None:
    journal = Journal()
    first = react("q", endless(), [nothing()], OFF, journal=journal)
    again = react("q", ScriptedModel([]), [nothing()], OFF, journal=journal)
    assert again == first and again.stop.reason == "no_data"


@pytest.mark.parametrize("kind", ["permanent", "person"])
def test_a_model_that_fails_for_good_ends_the_run_with_the_reason_and_a_digest(kind: str) -> None:
    error = ServiceError("Your balance is used up.", kind)
    model = ScriptedModel([("look", {"query": "a"}), error])
    result = react("q", model, [facts()])
    assert result.stop.reason == "failed" and "balance" in result.stop.advice
    assert "fact about a" in result.answer and len(model.requests) == 2


def test_an_empty_answer_is_asked_for_again_and_then_taken_as_it_is() -> None:
    model = ScriptedModel(["", "  ", "now"])
    assert react("q", model, [], clock=VirtualClock()).answer == "now"
    result = react("q", ScriptedModel([""] * 3), [], clock=VirtualClock())
    assert (result.complete, result.stop.reason, result.usage.model_calls) == (False, "no_answer", 3)


def test_a_cut_answer_is_not_complete() -> None:
    model = ScriptedModel([says("half a sen", finish="length")] * 3)
    result = react("q", model, [], clock=VirtualClock())
    assert not result.complete and result.stop.reason == "no_answer"


def test_where_the_model_says_nothing_what_was_found_is_the_answer() -> None:
    model = ScriptedModel([("look", {"query": "a"}), "", "", ""])
    result = react("q", model, [facts()], clock=VirtualClock())
    assert (result.complete, result.stop.reason) == (False, "no_answer") and "fact about a" in result.answer
    nowhere = react("q", ScriptedModel([("look", {"query": "a"}), "", "", ""]), [nothing()], clock=VirtualClock())
    assert "Tried: look(a)" in nowhere.answer
    assert (nowhere.stop.reason, nowhere.stop.also) == ("no_data", ("no_answer",)), "nothing found, and nothing said"


# ------------------------------------------------------------------------------------------ who watches


def test_every_event_is_told_once_fresh_and_again_marked_as_replayed() -> None:
    journal, events = Journal(), []

    def once(fresh: list[Event]) -> list[tuple[str, str, bool]]:
        return [(event.record.address, event.record.kind, event.replayed) for event in fresh]

    react("q", endless(), [nothing()], OFF, journal=journal, on_event=events.append)
    first = once(events)
    assert len(first) == len({address for address, _, _ in first}) == len(journal.records())
    assert not any(replayed for _, _, replayed in first)
    events.clear()
    react("q", ScriptedModel([]), [nothing()], OFF, journal=journal, on_event=events.append)
    assert once(events) == [(address, kind, True) for address, kind, _ in first]


def test_an_observer_that_raises_is_the_callers_mistake_and_nothing_is_lost() -> None:
    journal, tool_ = Journal(), Counting()

    def watch(event: Event) -> None:
        if event.record.kind == "tool" and not event.replayed:
            raise RuntimeError("the screen is gone")

    model = lambda: ScriptedModel(lambda m, t: "done" if m[-1]["role"] == "tool" else ("look", {"query": "x"}))  # noqa: E731
    with pytest.raises(RuntimeError, match="screen"):
        react("q", model(), [tool_.tool()], journal=journal, on_event=watch)
    assert react("q", model(), [tool_.tool()], journal=journal).answer == "done" and tool_.seen == ["x"]


# ------------------------------------------------------------------------------------------ anybody's own loop


def plain_loop(run: Run, question: str) -> str:
    """Somebody's own while-loop, with the gate round it."""
    messages = [user(question)]
    while True:
        try:
            reply = run.model(messages, tools=True, step=True)
        except Ended as ended:
            return run.conclude(messages, f"Stop: {ended.stop.reason}.") if ended.conclude else ended.stop.reason
        messages.append(reply.message)
        if not reply.tool_calls:
            return reply.text
        for call, observation in zip(reply.tool_calls, run.tools(reply.tool_calls), strict=True):
            messages.append(tool_message(call, observation.message_text))


def test_limits_and_guards_hold_in_anybodys_loop() -> None:
    look = nothing()
    assert plain_loop(Run("q", model=endless(), tools=[look], limits=OFF), "q") == "what there is"
    run = Run("q", model=endless(), tools=[facts()], limits=OFF.with_(max_steps=5))
    assert plain_loop(run, "q") == "what there is" and run.used.steps == 5
    same = Run("q", model=always("look", {"query": "x"}), tools=[facts()], limits=OFF)
    assert plain_loop(same, "q") == "what there is" and same.used.tool_calls == 3


def test_anybodys_loop_resumes() -> None:
    journal, tool_ = Journal(), Counting()
    model = lambda: ScriptedModel([("look", {"query": "x"}), says("done")])  # noqa: E731
    assert plain_loop(Run("q", model=model(), tools=[tool_.tool()], journal=journal), "q") == "done"
    assert plain_loop(Run("q", model=ScriptedModel([]), tools=[tool_.tool()], journal=journal), "q") == "done"
    assert tool_.seen == ["x"]


# ------------------------------------------------------------------------------------------ settings


@pytest.mark.parametrize("wrong", [{"lang": "fr"}, {"replay": "loosely"}])
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Run("q", **wrong)


def test_the_date_of_a_run_stands_in_its_journal_and_stays() -> None:
    journal = Journal()
    assert Run("q", journal=journal, date="2026-03-01").date == "2026-03-01"
    assert Run("q", journal=journal, date="2031-01-01").date == "2026-03-01"


def test_a_recording_without_a_model_replays_and_ends_with_a_clear_error_where_it_ends() -> None:
    journal = Journal()
    with pytest.raises(Killed):
        react("q", ScriptedModel([("look", {"query": "x"}), Killed()]), [facts()], journal=journal)
    run = Run("q", journal=journal, tools=[facts()])
    with pytest.raises((ValueError, JournalError), match="recording"):
        plain_loop(run, "q")


def test_asking_a_person_is_an_effect() -> None:
    journal, asked = Journal(), []

    def person(request: Request) -> Answer:
        asked.append(request.text)
        return Answer("reply", "blue")

    for _ in range(2):
        run = Run("q", journal=journal, person=person)
        answer = run.ask(Request("colour", "question", "Which colour?"))
        assert answer is not None and answer.text == "blue"
    assert asked == ["Which colour?"] and made(journal, "ask") == 1


def test_waiting_is_an_effect_that_a_replay_does_not_wait_for() -> None:
    journal = Journal()
    for expected in (30.0, 0.0):
        clock = VirtualClock()
        run = Run("q", journal=journal, clock=clock)
        run.wait(30.0)
        assert clock.now() == expected and run.used.seconds == 30.0


def test_notes_are_recorded_once_and_cost_nothing() -> None:
    journal = Journal()
    for _ in range(2):
        run = Run("q", journal=journal)
        run.note("thought", text="so far so good", at=(1, 2))
    (record,) = journal.records()
    assert record.result == {"text": "so far so good", "at": [1, 2]} and run.used.model_calls == 0


def test_same_seed_same_run() -> None:
    def waits(seed: int) -> list[float]:
        journal, model = Journal(), ScriptedModel(lambda m, t: ServiceError("busy", "transient"))
        react("q", model, [], OFF.with_(max_attempts=4), journal=journal, clock=VirtualClock(), seed=seed)
        return [record.seconds for record in journal.records() if record.kind == "wait"]

    assert waits(1) == waits(1) != waits(2)
    assert len(waits(1)) == 3


def test_two_calls_at_once_come_back_in_order_and_a_model_sees_the_nudge_where_it_belongs() -> None:
    model = ScriptedModel([calls(("look", {"query": "a"}), ("look", {"query": "b"})), "not there"])
    result = react("q", model, [nothing()])
    told = [message["content"] for message in model.requests[-1]["messages"] if message["role"] == "tool"]
    assert "[guard]" not in told[0] and told[1].splitlines()[-1].startswith("[guard]")
    assert legal(model.requests[-1]["messages"]) and result.stop.reason == "no_data"


def test_an_observation_that_a_tool_calls_refused_is_still_counted_alike_live_and_replayed() -> None:
    tool_ = Counting(lambda query: Observation("refused", "not for you"))
    journal = Journal()
    first = react("q", endless(), [tool_.tool()], OFF.with_(max_tool_calls=2), guards=(), journal=journal)
    again = react("q", ScriptedModel([]), [tool_.tool()], OFF.with_(max_tool_calls=2), guards=(), journal=journal)
    assert first.usage == again.usage and first.usage.tool_calls == 2


def test_every_verdict_is_in_the_html_with_limit_value_place_and_advice_and_escaped() -> None:
    from planexec import Limits, react, tool
    from planexec.models.scripted import ScriptedModel

    @tool
    def look(query: str) -> str:
        """Look.

        Args:
            query: what to look for
        """
        return ""

    model = ScriptedModel(lambda messages, tools: ("look", {"query": f"<b>{len(messages)}</b>"}))
    shown = react("<script>q</script>", model, [look], Limits(max_steps=2))._repr_html_()
    assert "verdicts: 2" in shown and "nudge in run" in shown
    for word in ("max_steps", "limit 2, reached 2", "Stopped in run", "Raise max_steps"):
        assert word in shown
    assert "<script>" not in shown and "<b>2</b>" not in shown
