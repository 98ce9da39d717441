"""An error in somebody's own model or guard: it says what and where, and the mended program can go on."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planexec.chat import Reply, ServiceError, ToolCall
from planexec.failures import classify
from planexec.guards import GuardState
from planexec.journal import Journal
from planexec.models.scripted import ScriptedModel
from planexec.run import Run, Unanswered
from planexec.tools import tool
from planexec.verdicts import Stop

HERE = Path(__file__).name


class Own:
    """A model that somebody wrote on one afternoon."""

    name = "own"
    price = None

    def __init__(self, answer: Callable[[], Any]):
        self.answer = answer

    def reply(self, messages: Any, **settings: Any) -> Any:
        return self.answer() if len(messages) == 1 else Reply("There are 7.")


@tool
def look(item: str) -> str:
    """Look something up."""
    return f"7 of {item}"


def asked(model: Any, journal: Journal | None = None, **settings: Any) -> tuple[Run, str]:
    run = Run("How many?", model=model, tools=[look], journal=journal, **{"guards": (), **settings})
    messages: list[Any] = [{"role": "user", "content": run.question}]
    text = ""
    with run:
        while not text:
            reply = run.model(messages, tools=True, step=True)
            messages.append(reply.message)
            text = "" if reply.tool_calls else reply.text
            for call, seen in zip(reply.tool_calls, run.tools(reply.tool_calls), strict=True):
                messages.append({"role": "tool", "tool_call_id": call.id, "content": seen.message_text})
    return run, text


def stopped(run: Run) -> Stop:
    assert run.stop is not None
    return run.stop


def has_no_choices() -> Any:
    answer: dict[str, Any] = {"error": "busy"}
    return answer["choices"]


def test_an_error_in_a_model_of_ones_own_is_told_with_its_file_and_line() -> None:
    run, _ = asked(Own(has_no_choices))
    line = has_no_choices.__code__.co_firstlineno + 2
    assert stopped(run).reason == "failed" and f"KeyError: 'choices' ({HERE}, line {line})" in stopped(run).advice


def test_an_error_in_a_library_is_told_with_the_line_that_called_it() -> None:
    run, _ = asked(Own(lambda: asyncio.run(None)))  # type: ignore[arg-type]
    assert f"({HERE}, line " in stopped(run).advice


class APIConnectionError(Exception):
    """As a client library names it."""


@pytest.mark.parametrize(
    "problem",
    [ServiceError("no balance", "person"), ConnectionError("lost"), TimeoutError("late"), APIConnectionError()],
)
def test_a_failing_service_is_no_error_in_the_code(problem: Exception) -> None:
    assert not classify(problem).bug


def test_a_lost_connection_of_a_client_library_is_tried_again() -> None:
    run, text = asked(ScriptedModel([APIConnectionError("lost"), "There are 7."]), first_wait=0.0)
    assert (run.stop, text, run.used.model_calls) == (None, "There are 7.", 2)


async def later() -> Reply:
    return Reply("There are 7.")


@pytest.mark.parametrize("answer", [None, "There are 7.", {"text": "There are 7."}, [], later])
def test_what_is_no_reply_is_refused_by_name(answer: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a coroutine that nobody waits for
        run, _ = asked(Own(lambda: answer() if callable(answer) else answer))
    told = stopped(run).advice
    assert "reply() must return a planexec.chat.Reply; got " in told
    assert ("a coroutine" in told and "asyncio.run" in told) if callable(answer) else repr(answer) in told


def test_a_call_that_the_run_can_do_without_says_it_too() -> None:
    run = Run("q", model=Own(has_no_choices))
    with pytest.raises(Unanswered, match=rf"KeyError: 'choices' \({HERE}, line "):
        run.model([{"role": "user", "content": "q"}], needed=False)


class Broken(GuardState):
    scope = "step"

    def start(self) -> Broken:
        return self

    def before(self, call: Any) -> Any:
        return self.no_such_thing  # type: ignore[attr-defined]


class Mended(Broken):
    def before(self, call: Any) -> Any:
        return None


def good() -> Reply:
    return Reply("Looking.", (ToolCall("1", "look", {"item": "bolt"}),), "tool_calls")


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    ("bad", "mended"),
    [
        ({"model": Own(has_no_choices)}, {"model": Own(good)}),
        ({"model": Own(lambda: None)}, {"model": Own(good)}),
        ({"model": Own(good), "guards": [Broken()]}, {"model": Own(good), "guards": [Mended()]}),
    ],
    ids=["model", "no reply", "guard"],
)
def test_the_mended_program_goes_on_as_it_is_told(bad: Any, mended: Any, lang: str, tmp_path: Path) -> None:
    def go(settings: Any, *, reopen: bool = False) -> Run:
        with Journal(tmp_path / "run.db") as journal:
            if reopen:
                assert journal.reopen()
            return asked(settings["model"], journal, guards=settings.get("guards", ()), lang=lang)[0]

    told = stopped(go(bad)).advice
    assert "journal.reopen()" in told
    assert stopped(go(mended)).advice == told  # recorded is recorded, until it is said otherwise
    run = go(mended, reopen=True)
    assert run.stop is None and run.used.tool_calls == 1


def test_an_error_in_a_guard_is_told_with_its_file_and_line() -> None:
    run, _ = asked(Own(good), guards=[Broken()])
    line = Broken.before.__code__.co_firstlineno + 1
    told = stopped(run)
    assert told.reason == "guard_failed" and "Broken" in told.advice and f"({HERE}, line {line})" in told.advice


def test_a_run_in_memory_is_not_told_to_reopen_a_file() -> None:
    for settings in ({"model": Own(has_no_choices)}, {"model": Own(good), "guards": [Broken()]}):
        assert "reopen" not in stopped(asked(**settings)[0]).advice
