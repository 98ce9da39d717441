"""A loop of one's own round `Run`: what a `with` block takes, and what a saved run of it says afterwards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planexec import cli, store
from planexec.gate import Ended
from planexec.journal import Journal
from planexec.limits import Limits
from planexec.models.scripted import ScriptedModel
from planexec.run import Run
from planexec.tools import Tool, tool

ENDLESS = ScriptedModel(lambda messages, tools: ("look", {"item": f"bolt {len(messages)}"}))


@tool
def look(item: str) -> str:
    """Look something up."""
    return f"7 of {item}"


def loop(run: Run, shell: Run | None = None) -> str:
    """Somebody's plain while-loop, in the scope `shell`."""
    scope = shell or run
    messages: list[dict[str, Any]] = [{"role": "user", "content": run.question}]
    while True:
        reply = scope.model(messages, tools=True, step=True)
        messages.append(reply.message)
        if not reply.tool_calls:
            return reply.text
        for call, seen in zip(reply.tool_calls, scope.tools(reply.tool_calls), strict=True):
            messages.append({"role": "tool", "tool_call_id": call.id, "content": seen.message_text})


def made(model: ScriptedModel = ENDLESS, journal: Journal | None = None, **settings: Any) -> Run:
    tools: list[Tool] = [look]
    return Run("How many?", model=model, tools=tools, guards=settings.pop("guards", ()), journal=journal, **settings)


# ------------------------------------------------------------------------------------------- the block of a step


def test_a_step_that_is_ended_by_its_own_limit_ends_alone() -> None:
    run = made(limits=Limits(max_steps=5, per_step=Limits.none().with_(max_steps=2)))
    with run:
        for name in ("a", "b"):
            with run.within(name, step=True) as step:
                loop(run, step)
            assert step.stop is not None and (step.stop.reason, step.stop.where) == ("per_step.max_steps", name)
    assert run.stop is None and run.used.steps == 4


def test_the_end_of_the_run_passes_through_a_step_and_is_taken_by_the_run() -> None:
    run = made(limits=Limits(max_steps=3, per_step=Limits.none().with_(max_steps=2)))
    steps = []
    with run:
        for name in ("a", "b", "c"):
            steps.append(run.within(name, step=True))
            with steps[-1]:
                loop(run, steps[-1])
    assert [step.scope for step in steps] == ["a", "b"]
    assert steps[1].stop is None and run.stop is not None and run.stop.reason == "max_steps"


def test_a_scope_that_is_no_step_takes_no_end() -> None:
    run = made(limits=Limits(max_steps=2))
    with pytest.raises(Ended), run.within("a") as scope:
        loop(run, scope)


def test_a_stopped_step_still_has_its_last_word() -> None:
    run = made(
        ScriptedModel([("look", {"item": "bolt"}), "There are 7."]),
        limits=Limits(per_step=Limits.none().with_(max_steps=1)),
    )
    with run, run.within("a", step=True) as step:
        loop(run, step)
    assert step.conclude([{"role": "user", "content": "How many?"}], "Answer now.") == "There are 7."


# ------------------------------------------------------------------------------------------- what is saved


def saved(path: Path, *script: Any, answer: bool = True, **settings: Any) -> Run:
    with Journal(path) as journal:
        run = made(ScriptedModel(list(script)), journal, **settings)
        with run:
            text = loop(run)
            if answer:
                run.answer = text
    return run


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    assert cli.main([*words]) == 0
    return capsys.readouterr().out


def test_a_loop_that_ended_by_itself_is_saved_as_complete(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = saved(tmp_path / "a.db", ("look", {"item": "bolt"}), "There are 7.")
    assert run.stop is None
    journal = Journal.read(tmp_path / "a.db")
    assert journal.outcome is not None and store.state_of(journal) == "complete"
    (row,) = store.saved_runs(tmp_path)
    assert (row.state, row.steps) == ("complete", 2)
    text = shown(capsys, "show", str(tmp_path / "a.db"))
    assert "There are 7." in text and "complete; 2 steps" in text and "resume" not in text
    told = json.loads(shown(capsys, "show", "--json", str(tmp_path / "a.db")))
    assert told["state"] == "complete" and told["usage"]["tool_calls"] == 1
    assert [call["tool"] for call in told["steps"][0]["calls"]] == ["look"]


def test_a_loop_that_gives_no_answer_is_complete_all_the_same(tmp_path: Path) -> None:
    saved(tmp_path / "a.db", "There are 7.", answer=False)
    assert store.as_dict(Journal.read(tmp_path / "a.db"))["state"] == "complete"


def test_a_loop_that_was_stopped_is_saved_with_its_reason(tmp_path: Path) -> None:
    calls = [("look", {"item": f"bolt {n}"}) for n in range(3)]
    run = saved(tmp_path / "a.db", *calls, limits=Limits(max_steps=2))
    told = store.as_dict(Journal.read(tmp_path / "a.db"))
    assert (told["state"], told["complete"], told["usage"]["steps"]) == ("max_steps", False, 2)
    assert run.stop is not None and told["stop"] == run.stop.to_dict()


def test_an_error_of_the_loop_itself_leaves_the_run_unfinished(tmp_path: Path) -> None:
    with Journal(tmp_path / "a.db") as journal, pytest.raises(ZeroDivisionError), made(journal=journal) as run:
        run.model([{"role": "user", "content": "q"}], tools=True, step=True)
        print(1 / 0)
    assert store.state_of(Journal.read(tmp_path / "a.db")) == "unfinished"


def test_the_last_word_after_the_block_becomes_the_answer(tmp_path: Path) -> None:
    for _ in range(2):  # the second time everything is replayed
        with Journal(tmp_path / "a.db") as journal:
            script = [("look", {"item": "bolt"}), "There are 7."]
            run = made(ScriptedModel(script), journal, limits=Limits(max_steps=1))
            with run:
                loop(run)
            assert run.conclude([{"role": "user", "content": "How many?"}], "Answer now.") == "There are 7."
        told = store.as_dict(Journal.read(tmp_path / "a.db"))
        assert (told["state"], told["answer"], told["usage"]["model_calls"]) == ("max_steps", "There are 7.", 2)


def test_started_again_it_writes_nothing_new(tmp_path: Path) -> None:
    saved(tmp_path / "a.db", ("look", {"item": "bolt"}), "There are 7.")
    before = (tmp_path / "a.db").read_bytes()
    saved(tmp_path / "a.db")
    assert (tmp_path / "a.db").read_bytes() == before


def test_a_run_that_waits_for_a_person_is_shown_as_paused_and_then_as_answered(tmp_path: Path) -> None:
    @tool(effect=True, approve=True)
    def pay(amount: int) -> str:
        """Pay."""
        return "paid"

    def go() -> Run:
        with Journal(tmp_path / "a.db") as journal:
            model = ScriptedModel(lambda messages, tools: "done" if len(messages) > 1 else ("pay", {"amount": 5}))
            run = Run("Pay", model=model, tools=[pay], journal=journal)
            with run:
                loop(run)
        return run

    assert go().stop is not None
    assert store.saved_runs(tmp_path)[0].state == "paused"
    assert cli.main(["answer", str(tmp_path / "a.db"), "approve"]) == 0
    assert store.saved_runs(tmp_path)[0].state == "answered"
    assert go().stop is None
    assert store.saved_runs(tmp_path)[0].state == "complete"


def test_how_to_go_on_is_said_by_what_made_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only a run that a command made can be resumed by one."""
    with Journal(tmp_path / "own.db") as journal:
        made(journal=journal, meta={"note": "a program may keep what it likes"})
    with Journal(tmp_path / "command.db") as journal:
        made(journal=journal, meta={"world": "finance", "model": "sim"})
    own, command = (shown(capsys, "show", str(tmp_path / f"{name}.db")) for name in ("own", "command"))
    assert "start the program that made it again" in " ".join(own.split()) and "planexec resume" not in own
    assert "planexec resume" in command
    own = shown(capsys, "fork", str(tmp_path / "own.db"), str(tmp_path / "own2.db"))
    command = shown(capsys, "fork", str(tmp_path / "command.db"), str(tmp_path / "command2.db"))
    assert "program that made" in own and "planexec resume" not in own and "planexec resume" in command


def test_scopes_and_notes_of_any_name_can_be_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`step-3` and `plan` mean something in the agent's runs; a loop of one's own may use the words as it likes."""
    for name, whole in (("a.db", True), ("b.db", False)):
        with Journal(tmp_path / name) as journal:
            run = made(ScriptedModel(["x"]), journal)
            run.note("plan", items=["one"])
            run.note("step", number=1)
            scope = run.within("step-one", step=True)
            scope.note("route")
            if whole:
                with run:
                    scope.tools([_call("look", {"item": "bolt"})])
            else:
                scope.tools([_call("look", {"item": "bolt"})])
        assert "7 of bolt" in shown(capsys, "show", str(tmp_path / name))
        told = json.loads(shown(capsys, "show", "--json", str(tmp_path / name)))
        assert [call["tool"] for step in told["steps"] for call in step["calls"]] == ["look"] * whole


def _call(name: str, args: dict[str, Any]) -> Any:
    from planexec.chat import ToolCall

    return ToolCall("1", name, args)


@pytest.mark.parametrize(("answer", "shown_as"), [(None, ""), (7, "7"), ({"bolts": 7}, "{'bolts': 7}")])
def test_an_answer_that_is_no_text_is_saved_as_one(answer: Any, shown_as: str, tmp_path: Path) -> None:
    with Journal(tmp_path / "a.db") as journal, made(journal=journal) as run:
        run.answer = answer
    assert store.as_dict(Journal.read(tmp_path / "a.db"))["answer"] == shown_as
    assert cli.main(["show", str(tmp_path / "a.db")]) == 0
