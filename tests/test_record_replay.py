"""A run against a service, recorded in a file, replays elsewhere: without the service, its key, or this folder."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from serving import serve

from planexec import Journal, PlanExecuteAgent, Run, SimulatedModel, tool, worlds
from planexec.agent import plan_and_execute
from planexec.clock import VirtualClock
from planexec.journal import JournalError
from planexec.models.scripted import ScriptedModel
from planexec.serve import Server
from planexec.worlds import finance

QUESTION = finance.QUESTIONS["en"]["sectors"]
CHAIN = finance.QUESTIONS["en"]["allocation"]
KEY = "sk-q7wzr4ytkx9uhpvm"  # no four of its characters can stand in a digest, which is hexadecimal
ELSEWHERE = """
import json, os, socket, sys

def nowhere(*args, **options):
    raise OSError("no network here")

socket.socket.connect = socket.create_connection = nowhere
from planexec import Journal, PlanExecuteAgent, worlds
from planexec.chat import Price
from planexec.models.scripted import ScriptedModel

path, question = sys.argv[1:]
events = []
with Journal(path) as journal:
    agent = PlanExecuteAgent(
        ScriptedModel([], price=Price()),  # a run without any price shows no dollars, not even recorded ones
        worlds.load("finance").tools,
        loop="plan",
        replay="follow",
        on_event=events.append,
    )
    result = agent.run(question, journal)
print(json.dumps({"result": result.to_dict(), "fresh": [e.record.address for e in events if not e.replayed],
                  "cwd": os.getcwd(), "keys": [name for name in os.environ if name.endswith("_KEY")]}))
"""


def agent(model: Any, **options: Any) -> PlanExecuteAgent:
    return PlanExecuteAgent(model, worlds.load("finance").tools, loop="plan", clock=VirtualClock(), **options)


def record(path: Path, question: str, server: Server, **options: Any) -> dict[str, Any]:
    with Journal(path) as journal:
        return agent(server.model(**options)).run(question, journal).to_dict()


@pytest.mark.parametrize("stream", [False, True])
def test_a_recorded_run_replays_elsewhere_and_carries_out_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stream: bool
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    with serve(model=SimulatedModel("articles"), key=KEY) as server:
        recorded = record(here / "run.db", CHAIN, server, stream=stream)
        assert server.refusals == [] and len(server.requests) >= 4
    shutil.copy(here / "run.db", there / "copy.db")
    shutil.rmtree(here)
    command = [sys.executable, "-c", ELSEWHERE, "copy.db", CHAIN]
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent.parent))
    done = subprocess.run(command, cwd=there, capture_output=True, text=True, encoding="utf-8", check=True)
    replayed = json.loads(done.stdout)
    assert (replayed["fresh"], replayed["cwd"], replayed["keys"]) == ([], str(there), [])
    assert replayed["result"] == recorded and recorded["complete"]


def files_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))


def test_no_key_gets_into_the_file_and_no_part_of_one(tmp_path: Path) -> None:
    with serve(model=SimulatedModel("articles"), key=KEY) as server:
        record(tmp_path / "run.db", QUESTION, server)
    with serve(key="sk-another-key") as server, Journal(tmp_path / "refused.db") as journal:
        model = server.model()
        model._connection.key = KEY  # as if it had been mistyped: the service answers with its tail
        result = agent(model).run(QUESTION, journal)
        assert result.stop is not None and result.stop.reason == "failed"
        assert server.refusals[0].rule == "auth"
    written = files_of(tmp_path)
    assert len(written) > 10_000
    for piece in (KEY[at : at + 4] for at in range(3, len(KEY) - 3)):
        assert piece.encode() not in written


def follow(path: Path, question: str, tools: Any, replay: str = "follow") -> tuple[Any, Run]:
    """The recorded run with other tools, through the same gate; no model is there to ask."""
    with Journal(path) as journal:
        limits = agent(ScriptedModel([])).limits
        run = Run(question, tools=tools, limits=limits, journal=journal, replay=replay)
        return plan_and_execute(run, question), run


def test_a_followed_recording_that_fits_shows_no_difference(tmp_path: Path) -> None:
    with serve(model=SimulatedModel("articles")) as server:
        recorded = record(tmp_path / "run.db", QUESTION, server)
    result, run = follow(tmp_path / "run.db", QUESTION, worlds.load("finance").tools)
    assert (result.answer, run.first_difference) == (recorded["answer"], "")


def test_the_first_difference_is_named_and_the_recording_followed_all_the_same(tmp_path: Path) -> None:
    @tool
    def get_time() -> str:
        """A tool that the recorded run did not have, and so its planner was not told about."""
        return "noon"

    with serve(model=SimulatedModel("articles")) as server:
        recorded = record(tmp_path / "run.db", QUESTION, server)
    others = [*worlds.load("finance").tools, get_time]
    result, run = follow(tmp_path / "run.db", QUESTION, others)
    assert result.answer == recorded["answer"]
    assert run.first_difference.startswith("plan[0] (model model): its contents differ")
    with pytest.raises(JournalError, match=r"differs from its journal: plan\[0\]"):
        follow(tmp_path / "run.db", QUESTION, others, replay="strict")


def test_another_question_does_not_pass_for_the_recorded_one(tmp_path: Path) -> None:
    with serve(model=SimulatedModel("articles")) as server:
        record(tmp_path / "run.db", QUESTION, server)
    with pytest.raises(JournalError, match="holds the run of another question"):
        follow(tmp_path / "run.db", CHAIN, ())


def test_a_run_that_was_cut_off_replays_to_the_cut_and_goes_on_with_whoever_is_there(tmp_path: Path) -> None:
    with serve(model=SimulatedModel("articles"), faults=["ok", "ok", "9*500"]) as server:
        broken = record(tmp_path / "run.db", CHAIN, server)
        assert broken["stop"]["reason"] == "failed"
    with serve(model=SimulatedModel("articles")) as server, Journal(tmp_path / "run.db") as journal:
        assert journal.reopen()
        result = agent(server.model(), replay="follow").run(CHAIN, journal)
        assert result.complete and "250,000" in result.answer
        whole = len(server.requests)
    with serve(model=SimulatedModel("articles")) as server:
        record(tmp_path / "other.db", CHAIN, server)
        assert whole < len(server.requests)  # what was paid for once was not asked for again
