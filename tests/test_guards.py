"""Guards: one below the threshold passes, at the threshold it trips - and what a verdict does to the run."""

from __future__ import annotations

from typing import Any

import pytest
from helpers_control import OFF, Counting, asks, endless, facts, kinds, nothing, raises
from helpers_guards import call, end_of, open_run

from planexec.agent import PlanExecuteAgent
from planexec.guards import DEFAULT_GUARDS, Enough, Guard, GuardState, Loops, NoResult, Repeats
from planexec.journal import Journal
from planexec.run import Run
from planexec.tools import empty, failed, found
from planexec.verdicts import Stop


def test_two_empty_results_nudge_and_the_third_ends_the_step() -> None:
    run = open_run([nothing()], NoResult())
    notes = [call(run, each).note for each in "ab"]
    assert [bool(note) for note in notes] == [False, True] and "2 times" in notes[1] and end_of(run) is None
    assert call(run, "c").note == ""
    stop = end_of(run)
    assert stop is not None
    assert (stop.reason, stop.limit, stop.value, stop.where) == ("no_data", 3, 3, "run")


def test_a_finding_starts_the_count_anew() -> None:
    results = iter([empty(), empty(), found("here"), empty(), empty()])
    run = open_run([Counting(lambda query: next(results)).tool()], NoResult())
    assert [bool(call(run, each).note) for each in "abcde"] == [False, True, False, False, True]
    assert end_of(run) is None


def test_empty_results_count_for_each_tool_and_other_tools_between_do_not_help() -> None:
    run = open_run([nothing("a"), nothing("b"), facts("c")], NoResult())
    for tool in "abcabc":
        call(run, f"{tool} it", tool)
    assert end_of(run) is None
    call(run, "again", "a")
    assert end_of(run).reason == "no_data"


def test_the_nudge_comes_once_however_far_the_end_is() -> None:
    run = open_run([nothing()], NoResult(nudge=2, stop=6))
    assert [bool(call(run, each).note) for each in "abcde"] == [False, True, False, False, False]


def test_one_error_under_ever_new_words_ends_the_step_and_different_errors_do_not() -> None:
    same = open_run([raises(ValueError("the index is gone"))], NoResult())
    for each in "abc":
        call(same, each)
    assert end_of(same).reason == "failed"
    other = open_run([Counting(lambda query: failed(f"no page {query}")).tool()], NoResult())
    for each in "abcdef":
        call(other, each)
    assert end_of(other) is None


@pytest.mark.parametrize(("lang", "word"), [("en", "[guard]"), ("zh", "[守卫]")])
def test_a_nudge_speaks_the_language_of_the_run_and_is_the_last_line_of_the_message(lang: str, word: str) -> None:
    run = open_run([nothing()], NoResult(), lang=lang)
    call(run, "a")
    text = call(run, "b").message_text
    assert text.splitlines()[-1].startswith(word) and text.count(word) == 1


# ------------------------------------------------------------------------------------------ the very same call


def test_the_same_call_with_the_same_result_is_nudged_at_the_third_and_refused_at_the_fourth() -> None:
    tool = Counting(lambda query: "the same page")
    run = open_run([tool.tool()], Repeats())
    seen = [call(run, "x") for _ in range(3)]
    assert [bool(each.note) for each in seen] == [False, False, True] and end_of(run) is None
    refused = call(run, "x")
    assert refused.kind == "refused" and len(tool.seen) == 3
    stop = end_of(run)
    assert stop is not None and (stop.reason, stop.limit, stop.value) == ("loop", 3, 3)


def test_another_call_between_does_not_help() -> None:
    tool = Counting(lambda query: f"page {query}")
    run = open_run([tool.tool()], Repeats())
    for each in ["x", "1", "x", "2", "3", "x", "4"]:
        assert call(run, each).kind == "found"
    assert call(run, "x").kind == "refused" and tool.seen.count("x") == 3


def test_a_new_result_under_the_same_call_starts_anew() -> None:
    """Polling, paging, scrolling: equal arguments that bring something new are no loop."""
    pages = iter(range(50))
    run = open_run([Counting(lambda query: f"page {next(pages)}").tool()], *DEFAULT_GUARDS)
    assert kinds([call(run, "next") for _ in range(50)]) == ["found"] * 50 and end_of(run) is None


@pytest.mark.parametrize("guards", [(Repeats(),), DEFAULT_GUARDS])
def test_a_polling_tool_may_come_back_unchanged_twenty_times(guards: tuple[Guard, ...]) -> None:
    tool = Counting(lambda query: "still running")
    run = open_run([tool.tool(polling=True)], *guards)
    notes = [call(run, "x").note for _ in range(20)]
    assert [at for at, note in enumerate(notes, 1) if note] == [20] and end_of(run) is None
    assert call(run, "x").kind == "refused" and end_of(run).reason == "loop"
    assert len(tool.seen) == 20


@pytest.mark.parametrize("args", [{"query": "x", "n": 1.0}, {"n": "1", "query": " x "}, {"n": 1, "query": "ｘ"}])
def test_another_spelling_is_the_same_call(args: dict[str, Any]) -> None:
    from planexec.tools import tool

    @tool
    def look(query: str, n: Any) -> str:
        """Look."""
        return "the same page"

    run = open_run([look], Repeats())
    for _ in range(3):
        run.tools(asks(("look", {"query": "x", "n": 1})))
    assert kinds(run.tools(asks(("look", args)))) == ["refused"]


def test_an_ignored_argument_does_not_make_another_call_of_it() -> None:
    from planexec.tools import tool

    @tool(ignore=("note",))
    def look(query: str, note: str) -> str:
        """Look."""
        return "the same page"

    run = open_run([look], Repeats())
    answers = [run.tools(asks(("look", {"query": "x", "note": f"try {turn}"})))[0].kind for turn in range(4)]
    assert answers == ["found", "found", "found", "refused"]


# -------------------------------------------------------------------------------------------------- enough


def test_enough_ends_a_line_of_a_plan_after_four_calls_once_something_was_found() -> None:
    run = open_run([facts()], Enough())
    step = run.within("step-1", step=True)
    for each in "abc":
        call(step, each)
    assert end_of(step) is None
    call(step, "d")
    stop = end_of(step)
    assert stop is not None and (stop.reason, stop.limit, stop.value, stop.where) == ("enough", 4, 4, "step-1")


def test_four_calls_without_a_finding_are_not_enough_and_the_finding_is() -> None:
    results = iter([empty()] * 4 + [found("here")])
    run = open_run([Counting(lambda query: next(results)).tool()], Enough())
    step = run.within("step-1", step=True)
    for each in "abcd":
        call(step, each)
    assert end_of(step) is None
    call(step, "e")
    assert end_of(step).reason == "enough"


def test_in_a_loop_without_a_plan_the_rule_does_not_count() -> None:
    run = open_run([facts()], Enough())
    for each in "abcdefgh":
        call(run, each)
    assert end_of(run) is None


def chain(run: Run) -> list[str]:
    """Five dependent steps of one call each; how far they come."""
    reached = []
    for number in range(1, 6):
        step = run.within(f"step-{number}", step=True)
        if kinds(step.tools(asks(("look", {"query": f"link {number}"})))) != ["found"] or end_of(step):
            break
        reached.append(step.scope)
    return reached


def test_counted_over_the_run_it_cuts_an_honest_chain_of_five_at_four() -> None:
    assert len(chain(open_run([facts()], Enough()))) == 5
    run = open_run([facts()], Enough(scope="run"))
    assert len(chain(run)) == 3, "the fourth call is the last one: nothing can follow it"
    assert run.used.tool_calls == 4 and run.verdicts[-1].stop.reason == "enough"


def test_counters_of_a_step_start_anew_in_the_next_and_those_of_the_run_do_not() -> None:
    for scope, ends in (("step", None), ("run", "no_data")):
        run = open_run([nothing()], NoResult(scope=scope))
        for number in (1, 2):
            step = run.within(f"step-{number}", step=True)
            call(step, f"a{number}")
            if number == 1:
                call(step, "b")
        stop = end_of(step)
        assert (stop.reason if stop else None) == ends


def test_a_step_entered_a_second_time_counts_anew() -> None:
    run = open_run([nothing()], NoResult())
    for _ in range(2):
        step = run.within("step-1", step=True)
        call(step, "a")
        call(step, "b")
    assert step.scope == "step-1#2" and end_of(step) is None


# ---------------------------------------------------------------------------------------------- loop detector


def test_the_detector_nudges_at_its_first_alarm_and_ends_the_step_at_its_second() -> None:
    run = open_run([Counting(lambda query: f"page {query}").tool()], Loops())
    notes = [call(run, each).note for each in "abababab"]
    assert [at for at, note in enumerate(notes, 1) if note] == [6]
    assert end_of(run).reason == "loop"


def test_the_second_alarm_counts_also_when_the_model_varied_a_call_between() -> None:
    run = open_run([Counting(lambda query: f"page {query}").tool()], Loops())
    for each in "aaa":
        call(run, each)
    assert end_of(run) is None
    for each in "zzz":
        call(run, each)
    assert end_of(run).reason == "loop"


# ------------------------------------------------------------------------------------------ what is a guard


@pytest.mark.parametrize(
    "make",
    [
        lambda: NoResult(nudge=-1),
        lambda: NoResult(stop=0),
        lambda: NoResult("three"),  # type: ignore[arg-type]
        lambda: Enough(calls=0),
        lambda: Enough(2.5),  # type: ignore[arg-type]
        lambda: Repeats(nudge=True),
        lambda: Repeats(polling=0),
    ],
)
def test_a_count_below_one_is_refused_where_the_guard_is_made(make: Any) -> None:
    with pytest.raises(ValueError, match="of (NoResult|Enough|Repeats) is a number of calls, 1 or more"):
        make()
    assert NoResult(nudge=1, stop=1) and Enough(1) and Repeats(1, 1)


@pytest.mark.parametrize("guard", [NoResult, Enough, Repeats, Loops])
def test_a_mistyped_scope_is_refused_where_the_guard_is_made(guard: Any) -> None:
    with pytest.raises(ValueError, match='"step", "line" or "run"; .* has \'steps\''):
        guard(scope="steps")


class Own(GuardState):
    """A guard of somebody's own, which is its own state and looks only at results."""

    def __init__(self, scope: Any = "step"):
        self.scope, self.seen = scope, 0

    def start(self) -> Own:
        return self

    def after(self, call: Any, observation: Any) -> None:
        self.seen += 1


def test_a_guard_of_ones_own_needs_only_the_hook_it_uses() -> None:
    guard = Own()
    run = open_run([facts()], guard)
    call(run, "x")
    assert guard.seen == 1 and end_of(run) is None


@pytest.mark.parametrize(
    ("guards", "error", "words"),
    [
        ([Own("everything")], ValueError, '"step", "line" or "run"; Own has \'everything\''),
        ([Own], TypeError, r"the class Own; .* Own\(\)"),
        (Own(), TypeError, "a list.*got Own"),
        (Enough(), TypeError, "a list.*got Enough"),
        ("Enough", TypeError, "a list.*got str"),
        ([lambda call: None], TypeError, "which is none: a guard has a `scope`"),
        ([None], TypeError, "holds None, which is none"),
        ([object()], TypeError, "which is none"),
    ],
)
def test_what_is_no_guard_is_refused_before_anything_is_recorded(guards: Any, error: Any, words: str) -> None:
    journal = Journal()
    with pytest.raises(error, match=words):
        Run("q", guards=guards, journal=journal)
    assert journal.header == {}
    with pytest.raises(error, match=words):
        PlanExecuteAgent(endless(), guards=guards)


def test_guards_may_come_from_a_generator() -> None:
    run = Run("q", model=endless(), tools=[nothing()], guards=(each for each in [NoResult(1, 1)]), limits=OFF)
    call(run, "x")
    assert (end_of(run) or Stop("")).reason == "no_data"
