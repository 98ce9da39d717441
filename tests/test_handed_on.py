"""What later prompts are told of earlier steps: everything, or the beginnings of what is too long, and never more."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers_control import Counting, asked, roles
from hypothesis import given
from hypothesis import strategies as st

from planexec.agent import PlanExecuteAgent
from planexec.clock import VirtualClock
from planexec.handed_on import ROOM, fitted, handed_on
from planexec.limits import Limits
from planexec.result import StepDone

MARK = "[cut here: "


def test_what_fits_is_told_as_it_is() -> None:
    texts = ["a" * (ROOM // 2), "", "b" * (ROOM // 2)]
    assert fitted(texts, ROOM, "en") == texts


def test_only_the_longest_are_cut_all_to_one_length_and_it_shows() -> None:
    short, long, longer = fitted(["x" * 10, "y" * 500, "z" * 900], 600, "en")
    assert short == "x" * 10
    assert long == "y" * 295 + "\n[cut here: 500 characters in all]"
    assert longer == "z" * 295 + "\n[cut here: 900 characters in all]"
    assert fitted(["字" * 9], 4, "zh") == ["字" * 4 + "\n[此处截断：全文共 9 字]"]


@given(st.lists(st.text(max_size=60), max_size=9), st.integers(0, 200))
def test_never_more_than_the_room_and_never_less_than_could_be_kept(texts: list[str], room: int) -> None:
    told = [text.partition("\n" + MARK)[0] if text not in texts else text for text in fitted(texts, room, "en")]
    assert sum(map(len, told)) <= room
    assert all(text.startswith(kept) for text, kept in zip(texts, told, strict=True))
    cut = [len(kept) for text, kept in zip(texts, told, strict=True) if kept != text]
    assert len(set(cut)) <= 1, "one length for all that are cut"
    if cut:
        assert sum(map(len, told)) > room - len(texts), "what the short ones leave over is used"


def test_each_step_is_told_with_its_id_goal_and_status() -> None:
    assert handed_on([StepDone(3, "look", "no_data", "nothing")], "en") == [
        {"id": 3, "goal": "look", "status": "no_data", "result": "nothing"}
    ]


@pytest.mark.parametrize("size", [100, 60_000])
def test_what_is_handed_on_does_not_grow_with_what_tools_return(size: int) -> None:
    """Eight lines, each of which brings a long table: the last step and the report read the beginning of each."""
    read: dict[str, str] = {}

    def step(messages: Any) -> Any:
        if messages[-1]["role"] == "tool":
            return "seen"
        goal = asked(messages)["step"]["goal"]
        read[goal] = messages[1]["content"]
        return [("look", {"query": goal})]

    def report(messages: Any) -> str:
        read["report"] = messages[1]["content"]
        return "the report"

    table = Counting(lambda query: f"table of {query}: " + "x" * size)
    plan = [{"id": n, "goal": f"g{n}", "tool": "look", "args": {"query": f"q{n}"}} for n in range(1, 8)]
    agent = PlanExecuteAgent(
        roles([*plan, {"id": 8, "goal": "sum up"}], step, reporter=report),
        [table.tool()],
        Limits.complex().with_(confirm_first=False, max_replans=0),
        clock=VirtualClock(),
    )
    result = agent.run("q")
    assert result.complete and result.answer == "the report"
    for prompt in (read["sum up"], read["report"]):
        assert len(prompt) < ROOM + 3_000
        assert all(f"table of q{n}: xxx" in prompt for n in range(1, 8))
        assert (MARK in prompt) == (7 * size > ROOM), "a cut is visible"
        json.loads(prompt)
