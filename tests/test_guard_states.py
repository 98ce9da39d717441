"""Guards of somebody's own, in every shape: asked when they decide, unable to change what the model gets."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from helpers_control import Counting, always, asks
from helpers_guards import Given

from planexec.chat import ToolCall
from planexec.guards import DEFAULT_GUARDS, GuardState
from planexec.limits import Limits
from planexec.react_loop import react
from planexec.run import Run
from planexec.tools import Observation, Tool
from planexec.verdicts import Verdict

REFUSE = Verdict("refuse", "not here")


class Inherits(GuardState):
    def __init__(self) -> None:
        self.before = lambda call: REFUSE  # type: ignore[method-assign]


class Swaps(GuardState):
    """Open for the first call, closed from then on."""

    def before(self, call: Any) -> Verdict | None:
        self.before = lambda call: REFUSE  # type: ignore[method-assign]
        return None


def outcome(state: Any, calls: int = 2) -> list[str]:
    run = Run("q", tools=[Counting().tool()], guards=[Given(state)])
    return [run.tools([ToolCall(f"c{n}", "look", {"query": f"place {n}"})])[0].kind for n in range(calls)]


@pytest.mark.parametrize(
    "state", [Inherits(), SimpleNamespace(before=lambda call: REFUSE, after=lambda call, seen: None)]
)
def test_a_guard_that_refuses_by_an_attribute_of_its_own_is_asked(state: Any) -> None:
    assert outcome(state) == ["refused", "refused"]


def test_a_guard_that_swaps_its_own_hook_is_asked_by_the_new_one() -> None:
    assert outcome(Swaps()) == ["found", "refused"]


@pytest.mark.parametrize(
    "state", [SimpleNamespace(after=lambda call, seen: None), SimpleNamespace(before=lambda call: None)]
)
def test_a_guard_without_one_of_its_hooks_ends_the_run_as_failed(state: Any) -> None:
    result = react("q", always("look", {"query": "x"}), [Counting().tool()], guards=[Given(state)])
    assert result.stop is not None and result.stop.reason == "guard_failed"
    assert "has no attribute" in result.stop.advice


class Odd(GuardState):
    def __init__(self, what: Any):
        self.what = what

    def after(self, call: Any, observation: Observation) -> Any:
        if isinstance(self.what, BaseException):
            raise self.what
        return self.what


class Wordless(Exception):
    def __str__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize("what", ["refuse", True, Wordless(), SystemExit(3), ValueError("x" * 200_000)])
def test_a_guard_that_says_or_raises_something_odd_ends_the_run_in_words(what: Any) -> None:
    result = react("q", always("look", {"query": "x"}), [Counting().tool()], guards=[Given(Odd(what))])
    assert result.stop is not None and result.stop.reason == "guard_failed"
    assert "the guard Odd" in result.stop.advice and len(result.stop.advice) < 70_000


def test_what_a_guard_does_to_an_observation_reaches_neither_the_model_nor_the_journal() -> None:
    class Spoils(GuardState):
        def after(self, call: Any, observation: Observation) -> None:
            observation.text, observation.kind, observation.data = "spoilt", "odd", object()

    run = Run("q", tools=[Counting().tool()], guards=[Given(Spoils()), *DEFAULT_GUARDS])
    (seen,) = run.tools(asks(("look", {"query": "x"})))
    assert (seen.kind, seen.text) == ("found", "fact about x")
    assert "spoilt" not in "\n".join(run.journal.lines())


def test_what_a_guard_does_to_a_call_the_others_do_not_see() -> None:
    class Disguises(GuardState):
        """Makes every call another one, so that no repetition could be noticed."""

        calls = 0

        def before(self, call: Any) -> None:
            self.calls += 1
            call.key = call.text = str(self.calls)
            call.args = {"query": self.calls}

    look, guards = Counting(), [Given(Disguises()), *DEFAULT_GUARDS]
    result = react("q", always("look", {"query": "x"}), [look.tool()], Limits(max_steps=9), guards=guards)
    assert result.stop is not None and result.stop.reason == "loop" and look.seen == ["x"] * 3


def test_a_tool_that_decides_for_itself_who_needs_a_person_is_heard() -> None:
    class Careful(Tool):
        def needs_person(self, args: dict[str, Any]) -> bool:
            return True

    look = Counting()
    plain = look.tool()
    run = Run("q", tools=[Careful(plain.name, plain.description, plain.function)])
    assert run.tools(asks(("look", {"query": "x"})))[0].kind == "refused" and look.seen == []
