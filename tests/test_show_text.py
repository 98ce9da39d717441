"""A run as text: while it happens, from its journal, from its result; in both languages, on any console."""

import io
import re

import pytest

from planexec.agent import PlanExecuteAgent
from planexec.chat import Price, ServiceError, Usage
from planexec.gate import Event
from planexec.journal import Journal, Record
from planexec.limits import Limits
from planexec.models.scripted import ScriptedModel, calls, says
from planexec.react_loop import react
from planexec.show.columns import columns
from planexec.show.teller import Teller, stop_text
from planexec.show.text import in_colour, live, text_of, text_of_result, write
from planexec.show.words import LABELS, WORDS, say
from planexec.tools import empty, tool
from planexec.verdicts import Stop

PLAN = '[{"id": 1, "goal": "Find the rate", "tool": "search", "args": {"query": "rate"}}, "Say what follows"]'
REST = '[{"id": 2, "goal": "Say what follows"}]'


@tool
def search(query: str) -> str:
    """Look something up."""
    return f"{query}: 4.5 per cent"


@tool
def nothing(query: str) -> object:
    """Look something up in vain."""
    return empty()


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


class Flushes(io.StringIO):
    """Remembers what had been written at each flush."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def flush(self) -> None:
        self.seen.append(self.getvalue())


def planned(lang="en", journal=None, watch=None, limits=None, script=None, meta=None):
    """A plan of two steps, carried out."""
    script = script or [PLAN, REST, ("search", {"query": "what follows"}), "It follows.", "The rate is 4.5 per cent."]
    model = ScriptedModel(script, usage=Usage(100, 10, 0.001, 2.0), price=Price(1.0, 2.0))
    agent = PlanExecuteAgent(
        model, [search, nothing], limits, lang, loop="plan", on_event=watch, date="2026-11-02", meta=meta
    )
    return agent.run("How high is the rate?", journal)


def watched(lang="en", out=None, **settings):
    out = out or io.StringIO()
    watch = live(out, lang)
    watch.end(planned(lang, watch=watch, **settings))
    return out.getvalue()


# ------------------------------------------------------------------------------------------------- live


def test_live_lines_tell_plan_step_call_observation_replan_answer_and_totals():
    labels = [line.split()[0] for line in watched().splitlines() if line.strip() and not line.startswith(" " * 4)]
    told = ["model", "plan", "step", "call", "found", "done", "model", "replan", "step", "model", "call", "found"]
    assert labels == [*told, "model", "done", "model", "answer", "totals"]


def test_live_lines_in_full():
    assert watched().splitlines()[:8] == [
        "model     planner: 100 + 10 tokens, 2.0 s",
        "plan      1. Find the rate",
        "          2. Say what follows",
        "step 1    Find the rate",
        '  call    search(query="rate")',
        "  found   rate: 4.5 per cent",
        "  done",
        "model     replanner: 100 + 10 tokens, 2.0 s",
    ]


def test_the_totals_name_state_steps_calls_tokens_dollars_and_seconds():
    shown = " ".join(watched().split())
    assert shown.endswith(
        "totals complete; 3 steps, 5 model calls, 2 tool calls, 1 replans, 550 tokens, $0.0050, 10.0 s"
    )


def test_a_price_that_nobody_knows_is_not_shown_as_nothing():
    assert "price unknown" in text_of_result(react("q", ScriptedModel(["An answer."])))


def test_each_event_is_seen_at_once():
    out = Flushes()
    watch = live(out, "en")
    watch(Event(Record("run", 0, "wait", "wait", "", {}, {}, 1.5), False))
    assert out.seen[-1] == "wait      1.5 s\n"


def test_every_row_fits_into_eighty_columns_in_both_languages():
    long = "a very long goal that goes on and on " * 9
    script = [f'["{long}"]', says("", finish="length"), *[("search", {"query": long})] * 2, "降准利好银行。" * 40, long]
    for lang in ("en", "zh"):
        assert max(columns(row) for row in watched(lang, script=list(script)).splitlines()) <= 80


def test_chinese_labels_and_words():
    shown = watched("zh")
    for word in ("计划", "步骤 1", "调用", "查到", "改计划", "剩余计划不变", "回答", "合计", "完整；3 步"):
        assert word in shown
    assert "steps" not in shown


def test_a_changed_plan_shows_what_is_new_and_what_was_dropped():
    script = [PLAN, '[{"id": null, "goal": "Ask again"}]', ("search", {"query": "again"}), "Asked.", "The end."]
    shown = watched(script=script)
    assert "replan    3. Ask again (new)" in shown
    assert "dropped: 2" in shown


def test_a_replan_that_cannot_be_read_says_so():
    shown = watched(script=[PLAN, "I would rather not", ("search", {"query": "x"}), "Done.", "The end."])
    assert "could not be read, the plan stays" in shown


def test_a_thought_and_a_failed_attempt_are_shown():
    script = [ServiceError("busy", "transient"), calls(("search", {"query": "x"}), text="I look it up."), "Found it."]
    out = io.StringIO()
    watch = live(out, "en")
    watch.end(react("q", ScriptedModel(script), [search], on_event=watch, clock=_clock()))
    assert "failed    busy" in out.getvalue()
    assert "wait      " in out.getvalue()
    assert "thought   I look it up." in out.getvalue()


def _clock():
    from planexec.clock import VirtualClock

    return VirtualClock()


def test_a_call_that_is_tried_again_is_shown_once():
    fails = iter([TimeoutError("too slow"), TimeoutError("too slow"), None])

    @tool
    def flaky(query: str) -> str:
        """Look something up, at the third attempt."""
        if (problem := next(fails)) is not None:
            raise problem
        return "there it is"

    out = io.StringIO()
    watch = live(out, "en")
    script = [("flaky", {"query": "x"}), "Found it."]
    watch.end(react("q", ScriptedModel(script), [flaky], on_event=watch, clock=_clock()))
    assert out.getvalue().count("call      flaky") == 1
    assert out.getvalue().count("too slow - trying again") == 2
    assert "found     there it is" in out.getvalue()


def test_a_nudge_shows_its_words_and_a_stop_its_limit_value_place_and_advice():
    script = ['["Find it"]', *[("nothing", {"query": str(n)}) for n in range(5)], "Nothing.", "[]", "There is none."]
    shown = " ".join(watched(script=script, limits=Limits().with_(per_step=Limits.none())).split())
    assert "nudge [guard] nothing brought nothing 2 times in a row." in shown
    assert "stop no_data in step-1: limit 3, reached 3. The data is not there under this name" in shown


def test_the_run_s_own_stop_names_everything_that_was_violated():
    stop = Stop("max_steps", 3, 3, "step-1", "Raise it.", ("no_data",))
    assert stop_text(stop, "en") == "max_steps in step-1: limit 3, reached 3. Also: no_data. Raise it."
    assert stop_text(stop, "zh") == "max_steps，位置 step-1：上限 3，已到 3。同时触发：no_data。Raise it."
    assert stop_text(Stop("failed", advice="No key."), "en") == "failed in run. No key."


# ------------------------------------------------------------------------------------------------- replay


def test_a_replayed_run_is_summed_up_and_its_answer_shown_again():
    journal = Journal()
    planned(journal=journal)
    shown = watched(journal=journal, script=["never asked"])
    assert shown.startswith(
        "replayed  7 recorded effects, none carried out again\n\nanswer    The rate is 4.5 per cent."
    )


def test_after_a_replay_the_plan_and_the_step_at_hand_are_shown_again():
    journal = Journal()
    planned(journal=journal, limits=Limits(max_steps=1), script=[PLAN, REST, "Stopped early."])
    journal.grant({"max_steps": 8})
    script = [("search", {"query": "what follows"}), "It follows.", "The end."]
    shown = watched(journal=journal, limits=Limits(max_steps=8), script=script)
    assert shown.startswith("replayed  3 recorded effects, none carried out again\nstep 2    Say what follows\n  model")


# ------------------------------------------------------------------------------------------------- consoles


def test_no_colour_where_nobody_sees_it(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b" not in watched()
    assert "\x1b[1mplan" in watched(out=Terminal())


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_colour_can_be_refused(monkeypatch, name, value):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv(name, value)
    assert not in_colour(Terminal())


def test_colour_changes_no_word(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert re.sub(r"\x1b\[\d+m", "", watched(out=Terminal())) == watched()


@pytest.mark.parametrize("encoding", ["gbk", "ascii", "latin-1"])
def test_a_console_without_a_character_shows_a_question_mark(encoding):
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding=encoding, newline="\n")
    write(out, "利好 é \u0b95 \ud800")
    out.flush()
    assert raw.getvalue().decode(encoding).count("?") >= 1


def test_gbk_shows_chinese():
    raw = io.BytesIO()
    watch = live(io.TextIOWrapper(raw, encoding="gbk", newline="\n"), "zh")
    watch.end(planned("zh", watch=watch))
    assert "剩余计划不变" in raw.getvalue().decode("gbk")


def test_what_a_tool_returns_cannot_steer_the_terminal():
    @tool
    def nasty() -> str:
        """Return a text with escapes."""
        return "\x1b]0;title\x07 harmless"

    out = io.StringIO()
    watch = live(out, "en")
    watch.end(react("q", ScriptedModel([("nasty", {}), "\x1b[2Jdone"]), [nasty], on_event=watch))
    assert "\x1b" not in out.getvalue()
    assert "harmless" in out.getvalue()


# ------------------------------------------------------------------------------------------------- whole runs


def test_a_journal_tells_the_run_from_the_question_to_the_totals():
    journal = Journal()
    planned(journal=journal)
    told = text_of(journal)
    assert told.startswith("question  How high is the rate?\nrun       model scripted, language en, seed 0, today is")
    assert watched().splitlines()[1:] == told.splitlines()[4:]


def test_a_broken_run_says_that_it_is_not_finished_and_how_to_go_on(tmp_path):
    def dies(messages, tools):
        raise KeyboardInterrupt

    with Journal(tmp_path / "run.db") as journal, pytest.raises(KeyboardInterrupt):
        planned(journal=journal, script=[PLAN, dies], meta={"world": "finance", "model": "sim"})  # as `planexec run`
    told = " ".join(text_of(Journal.read(tmp_path / "run.db")).split())
    assert "model replanner: began; how it ended is not recorded" in told
    wanted = f"Not finished: it was interrupted, or is still running. To go on: planexec resume {tmp_path}"
    assert "".join(wanted.split()) in "".join(told.split())  # a long path is broken where the line ends


def test_a_grant_is_told():
    journal = Journal()
    planned(journal=journal, limits=Limits(max_steps=1), script=[PLAN, REST, "Stopped early."])
    journal.grant({"max_steps": 8})
    assert "note      later granted: max_steps 8" in text_of(journal)
    assert text_of(journal).rstrip().endswith("Not finished.")


def test_a_question_to_a_person_is_told_open_and_answered(tmp_path):
    @tool(approve=True)
    def pay(amount: int) -> str:
        """Pay."""
        return "paid"

    def go(script):
        with Journal(tmp_path / "run.db") as journal:
            react("Pay", ScriptedModel(script), [pay], journal=journal)
            told = text_of(journal)
            for request in journal.pending():
                journal.answer(request["id"], {"decision": "approve", "text": "go ahead"})
        return told

    assert 'ask       pay({"amount":5}) - waiting for an answer (id run:1)' in go([("pay", {"amount": 5})])
    assert 'ask       pay({"amount":5}) -> approve go ahead' in go(["Paid."])


def test_a_result_shows_steps_calls_verdicts_and_what_was_never_begun():
    script = ['["Find it", "Use it"]', *[("nothing", {"query": str(n)}) for n in range(4)], "Too little."]
    result = planned(script=script, limits=Limits(max_steps=3))
    told = text_of_result(result)
    assert 'step 1    Find it\n  call    nothing(query="0")\n  empty   Nothing found.' in told
    assert "  nudge   [guard] nothing brought nothing 2 times in a row." in told
    assert "step 2    Use it\n  ended   not begun" in told
    assert "stop      max_steps in step-1: limit 3, reached 3." in told


def test_a_result_in_chinese():
    assert "合计" in text_of_result(planned("zh"), "zh")


def test_a_smaller_plan_than_asked_for_is_told():
    script = ["no plan", "still none", ("search", {"query": "x"}), "Found.", "The end."]
    shown = watched(script=script)
    assert "a smaller plan than asked for:" in shown
    assert "carried out with a smaller plan than asked for" in shown


def test_a_note_that_is_not_for_readers_is_left_out():
    assert Teller().lines(Record("run", 0, "note", "my own note", "", {}, {"x": 1})) == []


# ------------------------------------------------------------------------------------------------- words


def test_every_word_is_there_in_both_languages():
    assert all(len(pair) == 2 and all(pair) for pair in (*LABELS.values(), *WORDS.values()))
    for english, chinese in WORDS.values():
        holes = re.compile(r"\{(\w*)")
        assert sorted(holes.findall(english)) == sorted(holes.findall(chinese))


def test_labels_fit_into_their_column():
    assert max(columns(text) for pair in LABELS.values() for text in pair) <= 9


def test_words_take_values():
    assert say("waited", "zh", 2) == "2.0 秒"
