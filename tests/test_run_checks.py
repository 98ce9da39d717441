"""Settings of a run that make no sense are refused in words, before anything is recorded."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest
from helpers_control import endless, facts

from planexec.agent import PlanExecuteAgent
from planexec.chat import ToolCall
from planexec.journal import Journal
from planexec.limits import Limits
from planexec.models.scripted import ScriptedModel
from planexec.react_loop import react
from planexec.run import Run

WRONG: list[tuple[dict[str, Any], Any, str]] = [
    ({"question": 3}, TypeError, "the question comes first and is a text; got int: 3"),
    ({"question": None}, TypeError, "the question comes first"),
    ({"model": "gpt-4"}, TypeError, r"an object with a reply\(\).*got str: 'gpt-4'"),
    ({"model": ScriptedModel}, TypeError, r"the class ScriptedModel; .*ScriptedModel\(\.\.\.\)"),
    ({"limits": {"max_steps": 3}}, TypeError, r"Limits\(max_steps=3\); got dict"),
    ({"limits": 3}, TypeError, "limits is a Limits.*got int: 3"),
    ({"journal": "run.db"}, TypeError, r"Journal\('run.db'\), or None; got str"),
    ({"journal": Path("run.db")}, TypeError, r"Journal\('run.db'\)"),
    ({"journal": 3}, TypeError, "journal is a Journal"),
    ({"person": 3}, TypeError, "person is a function that takes a Request"),
    ({"on_event": []}, TypeError, "on_event is a function that takes an Event"),
    ({"seed": "a"}, TypeError, "seed is a whole number; got str: 'a'"),
    ({"seed": 1.5}, TypeError, "seed is a whole number"),
    ({"date": "tomorrow"}, ValueError, "YYYY-MM-DD, or None for today; got str: 'tomorrow'"),
    ({"date": "2026-02-30"}, ValueError, "YYYY-MM-DD"),
    ({"date": datetime.date(2026, 1, 1)}, ValueError, "YYYY-MM-DD"),
    ({"lang": "de"}, ValueError, "lang is 'en' or 'zh'"),
    ({"replay": "loose"}, ValueError, "'strict' or 'follow'"),
    ({"first_wait": -1}, ValueError, "first_wait"),
    ({"expires": float("nan")}, ValueError, "expires"),
]


@pytest.mark.parametrize(("settings", "error", "words"), WRONG, ids=[str(case[0])[:40] for case in WRONG])
def test_a_setting_that_makes_no_sense_is_refused_before_anything_is_recorded(
    settings: dict[str, Any], error: Any, words: str
) -> None:
    journal = Journal()
    with pytest.raises(error, match=words):
        Run(**{"question": "q", "model": endless(), "journal": journal, **settings})
    assert journal.header == {}


def test_react_and_the_agent_say_the_same() -> None:
    with pytest.raises(TypeError, match="the question comes first and is a text; got ScriptedModel"):
        react(endless(), [facts()], "q")  # type: ignore[arg-type]
    for make in (lambda **given: react("q", endless(), **given), lambda **given: PlanExecuteAgent(endless(), **given)):
        with pytest.raises(TypeError, match=r"Limits\(max_steps=3\)"):
            make(limits={"max_steps": 3})
    with pytest.raises(TypeError, match="the class ScriptedModel"):
        PlanExecuteAgent(ScriptedModel)  # type: ignore[arg-type]


def test_settings_that_make_sense_are_taken() -> None:
    run = Run("q", limits=Limits(max_steps=3), seed=7, date="2026-11-02", person=lambda request: None)
    assert (run.limits.max_steps, run.date, Run("", model=None).question) == (3, "2026-11-02", "")


@pytest.mark.parametrize(
    ("calls", "words"),
    [
        ([{"id": "1", "function": {"name": "look", "arguments": "{}"}}], "ToolCall.*got dict: {'id': '1'"),
        (["look"], "got str: 'look'"),
        (ToolCall("1", "look", {"query": "x"}), "takes a list of ToolCall"),
    ],
)
def test_only_tool_calls_can_be_carried_out(calls: Any, words: str) -> None:
    run = Run("q", tools=[facts()])
    with pytest.raises(TypeError, match=words):
        run.tools(calls)
    assert run.used.tool_calls == 0 and run.tools([ToolCall("1", "look", {"query": "x"})])[0].kind == "found"
