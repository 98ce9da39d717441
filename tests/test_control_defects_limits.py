"""Defects 93 to 114 (see test_control_defects.py): limits, clock, retries and loop detector of article C."""

from __future__ import annotations

import json
import math
import pickle
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from helpers_control import (
    OFF,
    SECOND,
    Counting,
    Killed,
    always,
    asked,
    asks,
    endless,
    endless_run,
    facts,
    keep,
    killed_at,
    kinds,
    nothing,
    once_each,
    planned,
    raises,
    roles,
    slow,
)

from planexec.agent import PlanExecuteAgent
from planexec.canonical import call_key
from planexec.chat import Price, ServiceError, Usage
from planexec.clock import RealClock, VirtualClock
from planexec.guards import DEFAULT_GUARDS
from planexec.journal import Journal
from planexec.limits import Limits
from planexec.loops import LoopDetector
from planexec.models.scripted import ScriptedModel
from planexec.person import Answer
from planexec.react_loop import react
from planexec.run import Run

THREE = ["one", "two", "three"]


# ------------------------------------------------------------------------------------------ article C: limits


def test_defect_093_the_report_counts_what_ran() -> None:
    """It incremented before it checked: 31 steps in the report where 30 ran, and more with every further check."""
    run = Run("q", model=endless(), tools=[facts()], limits=OFF.with_(max_steps=30), guards=())
    for _ in range(30):
        run.tools(asks(("look", {"query": "x"})), step=True)
    for _ in range(5):
        with pytest.raises(BaseException, match="max_steps"):
            run.tools(asks(("look", {"query": "x"})), step=True)
    assert run.used.steps == 30


def test_defect_094_the_limit_on_tool_calls_is_enforced_and_counted() -> None:
    """`max_tool_calls` was never compared with anything, and its counter stayed 0."""
    result = endless_run(OFF.with_(max_tool_calls=40))
    assert (result.stop.reason, result.usage.tool_calls) == ("max_tool_calls", 40)


def test_defect_095_money_is_looked_at_before_it_is_spent() -> None:
    """It raised after the paid call, and only at step boundaries: ten calls of $0.50 in one step passed $1."""
    for price, calls in ((0.5, 2), (0.6, 1), (0.35, 2)):
        model = endless(usage=Usage(10, 10), price=Price(usd_per_call=price))
        result = endless_run(OFF.with_(max_usd=1.0), model=model)
        assert (len(model.requests), result.usage.usd) == (calls, calls * price), "one more would have passed $1"


def test_defect_096_every_limit_is_looked_at_at_every_gate() -> None:
    """The call counters were not looked at where steps begin, nor money and time where tools are called."""
    late = Counting()
    batch = [[("slow", {"query": "a"}), ("look", {"query": "b"})], "in time"]
    tools = [slow(9.5, "slow"), late.tool()]
    model = ScriptedModel(batch, usage=Usage(10, 10, seconds=0.5))
    result = react("q", model, tools, OFF.with_(max_seconds=10.0), clock=VirtualClock())
    assert late.seen == [] and result.stop.reason == "max_seconds"


def test_defect_097_at_exactly_the_limit_nothing_more_starts_and_a_cost_cannot_be_forgotten() -> None:
    """`>` let exactly $1.00 pass; a cost that was not given counted as $0 and the limit was none."""
    one = ScriptedModel(lambda m, t: ("look", {"query": str(len(m))}), price=Price(usd_per_call=1.0), usage=Usage(1, 1))
    look = Counting()
    result = endless_run(OFF.with_(max_usd=1.0), model=one, tools=[look.tool()])
    assert look.seen == [], "the money is gone: not even a call that is free"
    assert len(one.requests) == 1 and result.stop.reason == "max_usd" and result.stop.value == 1.0
    with pytest.raises(ValueError, match="price"):
        Run("q", model=ScriptedModel([]), limits=OFF.with_(max_usd=1.0))


@pytest.mark.parametrize("usd", [math.nan, -5.0, math.inf])
def test_defect_098_a_cost_that_is_no_number_does_not_switch_the_limit_off(usd: float) -> None:
    """NaN made every comparison false for ever; a negative cost was a refund."""
    model = endless(usage=Usage(200_000, 0, usd=usd), price=Price(1.0, 0.0))
    result = endless_run(OFF.with_(max_usd=1.0), model=model)
    assert result.stop.reason == "max_usd" and 0 < result.usage.usd <= 1.0


def test_defect_099_setting_the_clock_back_lifts_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """It used `time.time()`: an hour back, and the limit was gone."""
    before = RealClock().now()
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert 0 <= RealClock().now() - before < 60
    run = Run("q", limits=OFF.with_(max_seconds=60.0))
    run.wait(0.001)
    assert 0.001 <= run.used.seconds < 60


def test_defect_100_a_call_that_hangs_is_cut_and_told_its_deadline() -> None:
    """Nothing could interrupt a hanging call: 600 s times the retries, against a limit of 300 s."""
    hang, told = threading.Event(), []

    class Hangs:
        name, price = "hangs", None

        def reply(self, messages: Any, *, timeout: float | None = None, **options: Any) -> Any:
            told.append(timeout)
            hang.wait(60)

    try:
        result = react("q", Hangs(), [], OFF.with_(max_seconds=0.15))
    finally:
        hang.set()
    assert result.stop.reason == "max_seconds" and result.usage.seconds < 5 and told[0] == 0.15


def test_defect_101_time_starts_with_the_run_and_stops_for_a_person() -> None:
    """It started at construction, and a person's answer was charged: built 301 s early, it was dead."""
    clock = VirtualClock()
    agent = PlanExecuteAgent(
        ScriptedModel([("look", {"query": "x"}), "done"], usage=SECOND),
        [facts(approve=True)],
        Limits(max_seconds=300.0),
        loop="react",
        clock=clock,
    )
    clock.wait(301.0)

    def person(request: Any) -> Answer:
        clock.wait(100_000.0)
        return Answer("approve")

    result = agent.run("q", person=person)
    assert result.complete and result.usage.seconds == 2.0


def test_defect_102_the_time_before_a_restart_counts_after_it(tmp_path: Path) -> None:
    """After a restart neither start time was of any use."""
    limits = OFF.with_(max_seconds=6)
    with Journal(tmp_path / "run.db") as journal, pytest.raises(Killed):
        endless_run(limits, journal, on_event=killed_at(7))
    with Journal(tmp_path / "run.db") as journal:
        result = endless_run(limits, journal)
    assert result.usage.seconds == 6.0 and result.usage.model_calls == 6


def test_defect_103_attempts_belong_to_a_call_and_a_new_id_does_not_bring_a_failed_step_back() -> None:
    """Counted per step id: never reset by a success, and reset by a replan's new id."""
    fails = iter([True, True, False] * 2)
    shaky = Counting(lambda query: (_ for _ in ()).throw(TimeoutError("busy")) if next(fails) else "well")
    run = Run("q", tools=[shaky.tool()], limits=OFF.with_(max_attempts=3), clock=VirtualClock())
    assert kinds(run.tools(asks(("look", {"query": "a"}), ("look", {"query": "b"})))) == ["found", "found"]

    def again(messages: Any) -> str:
        data = asked(messages)
        failed = [{"id": None, "goal": step["goal"]} for step in data["done"] if step["status"] == "failed"]
        return json.dumps([*data["remaining"], *failed])

    look = Counting(lambda query: 1 / 0 if query == "two" else "fact")
    planned(roles(THREE, once_each(), again), [look.tool()])
    assert look.seen == THREE


@pytest.mark.parametrize(("error", "attempts"), [(TimeoutError("10 s"), 3), (PermissionError("401"), 1)])
def test_defect_104_a_time_out_is_tried_again_and_a_refusal_is_not(error: Exception, attempts: int) -> None:
    """A network time-out and a 401 both got three."""
    tool = Counting(lambda query: (_ for _ in ()).throw(error))
    Run("q", tools=[tool.tool()], clock=VirtualClock()).tools(asks(("look", {"query": "x"})))
    assert len(tool.seen) == attempts
    for status, tries in ((401, 1), (503, 3)):
        refused = ServiceError("no", "person" if status == 401 else "transient", status=status)
        model = ScriptedModel(lambda m, t, error=refused: error)
        react("q", model, [], clock=VirtualClock())
        assert len(model.requests) == tries


def test_defect_105_a_limit_is_a_typed_stop_with_what_there_is_and_not_an_exception() -> None:
    """An exception lost the partial results, and the violations were prose."""
    journal = Journal()
    result = planned(roles(THREE, once_each(), usage=SECOND), [facts()], Limits(max_steps=3), journal)
    assert (result.stop.reason, result.stop.limit, result.stop.value) == ("max_steps", 3, 3)
    assert result.steps[0].answer == "found: fact about one" and result.answer == "the report"
    assert [step.status for step in result.steps] == ["done", "stopped", "open"]
    assert any(record.kind == "stop" for record in journal.records())


def test_defect_106_runs_side_by_side_count_each_for_itself() -> None:
    """`+=` from parallel workers is a race; ours are independent runs, each with its own counters."""
    results: list[Any] = []

    def work() -> None:
        results.append(endless_run(OFF.with_(max_tool_calls=50)))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [result.usage.tool_calls for result in results] == [50] * 4


def test_defect_107_limits_that_can_never_bind_are_named_and_senseless_ones_refused() -> None:
    """$12.30 over 238 calls: $1 ends at 19, 300 s at 25, so 30 steps and 50 calls never count; -1 was taken."""
    said = Limits.article().never_binding(usd_per_call=12.30 / 238, seconds_per_call=2_820 / 238)
    assert len(said) == 3 and all("max_usd = 1 ends the run at 19 calls" in sentence for sentence in said)
    with pytest.raises(ValueError):
        Limits(max_usd=-1.0)


def test_defect_108_a_legal_retry_is_no_loop() -> None:
    """Threshold 2 fired on the first retry, before the three that were allowed."""
    busy = Counting(lambda query: (_ for _ in ()).throw(TimeoutError("busy")))
    run = Run("q", tools=[busy.tool()], guards=DEFAULT_GUARDS, limits=OFF.with_(max_attempts=4), clock=VirtualClock())
    run.tools(asks(("look", {"query": "x"})))
    assert len(busy.seen) == 4 and run.verdicts == []


def test_defect_109_nearly_the_same_call_is_noticed() -> None:
    """Fuzzy loops were announced, and no parameter was for them."""
    words = "the newest figures on solid state batteries and their makers in the year twenty twenty six, please{}"
    run = Run("q", tools=[Counting(lambda query: "the same page").tool()], limits=OFF)
    seen = run.tools(asks(*[("look", {"query": words.format("." * number)}) for number in range(3)]))
    assert [bool(each.note) for each in seen] == [False, False, True]


@pytest.mark.parametrize("args", [{"a": {"y": 1, "x": [2]}}, {"a": None}, None, ["x"], "x", {"1": 1}])
def test_defect_110_any_json_value_has_one_fingerprint_in_any_key_order(args: Any) -> None:
    """`sorted(params.items())`: nested order and object addresses changed it, None and lists raised."""
    again = json.loads(json.dumps(args, sort_keys=True))
    assert call_key("t", args) == call_key("t", again) != call_key("other", args)


def test_defect_111_spelling_does_not_make_another_call_and_a_new_result_makes_no_loop() -> None:
    """1, 1.0 and "1", spaces and full width differed; polling with new results was flagged."""
    spellings = [{"n": 1, "q": "a b"}, {"q": " a  b ", "n": 1.0}, {"n": "1", "q": "ａ b"}]
    assert len({call_key("t", each) for each in spellings}) == 1
    pages = iter(range(99))
    run = Run("q", tools=[Counting(lambda query: f"page {next(pages)}").tool()], limits=OFF)
    assert kinds(run.tools(asks(*[("look", {"query": "next"})] * 30))) == ["found"] * 30 and run.verdicts == []


def test_defect_112_the_detector_does_not_grow_with_the_run_and_longer_cycles_end_by_a_limit() -> None:
    """The history grew without end, and a cycle longer than its window was never seen."""
    sizes = []
    detector = LoopDetector()
    for number in range(5_000):
        detector.add("look", {"q": f"{number:06}"}, f"page {number:06}", "found")
        if number in (50, 4_999):
            sizes.append(len(pickle.dumps(detector)))
    assert abs(sizes[1] - sizes[0]) < 100
    letters = "abcdef"
    result = react("q", endless(args=lambda turn: {"query": letters[turn % 6]}), [facts()], guards=())
    assert result.stop.reason == "max_steps"
    assert react("q", endless(args=lambda turn: {"query": letters[turn % 6]}), [facts()], OFF).stop.reason == "loop"


def test_defect_113_a_mail_is_looked_at_by_a_person_in_either_loop() -> None:
    """The ReAct example sent its mail unreviewed."""
    for loop in ("react", "plan"):
        sent, seen = Counting(), []
        plan = [{"id": 1, "goal": "mail", "tool": "send", "args": {"query": "x"}}]
        model = ScriptedModel([("send", {"query": "x"}), "done"]) if loop == "react" else roles(plan)
        agent = PlanExecuteAgent(model, [sent.tool("send", effect=True, approve=True)], loop=loop)
        agent.run("q", person=lambda request, seen=seen: seen.append(request.tool) or Answer("reject"))
        assert seen == ["send"] and sent.seen == []


def test_defect_114_a_step_that_fails_runs_its_fallback_or_is_reported() -> None:
    """ "Run the fallback or report" had no code."""
    broken, archive = Counting(lambda query: 1 / 0), Counting()
    tools = [broken.tool("look", fallback="archive"), archive.tool("archive")]
    with_fallback = planned(roles(["one"], once_each()), tools)
    assert archive.seen == ["one"] and with_fallback.complete
    without = planned(roles(["one"], once_each(), keep), [raises(ValueError("gone"))])
    assert without.stop.reason == "failed" and without.answer == "the report"


def test_the_loop_that_cost_12_dollars_ends_at_once() -> None:
    """Facts C in small: the last step times out for ever and the model would start over."""
    look = Counting(lambda query: (_ for _ in ()).throw(TimeoutError("no answer")) if query == "three" else "fact")
    over = lambda messages: json.dumps([{"id": None, "goal": goal} for goal in THREE])  # noqa: E731
    result = planned(roles(THREE, once_each(), over), [look.tool()])
    assert look.seen == ["one", "two", "three", "three", "three"] and result.stop.reason == "failed"
    stuck = react("q", always("look", {"query": "three"}), [look.tool()], clock=VirtualClock())
    assert (stuck.stop.reason, stuck.usage.tool_calls) == ("failed", 9)
    assert react("q", endless(), [nothing()]).usage.tool_calls == 3
