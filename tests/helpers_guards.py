"""A run with chosen guards, asked call by call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from helpers_control import OFF, asks, endless

from planexec.clock import VirtualClock
from planexec.gate import Ended
from planexec.guards import Guard
from planexec.limits import Limits
from planexec.run import Run
from planexec.tools import Observation, Tool
from planexec.verdicts import Stop

GO_ON = [{"role": "user", "content": "go on"}]


class Given:
    """A guard that starts the state it was given, so that a test can keep hold of it."""

    scope = "step"

    def __init__(self, state: Any):
        self.state = state

    def start(self) -> Any:
        return self.state


def open_run(tools: Iterable[Tool], *guards: Guard, limits: Limits = OFF, **settings: Any) -> Run:
    return Run("q", model=endless(), tools=tools, guards=guards, limits=limits, clock=VirtualClock(), **settings)


def call(run: Run, query: Any, tool: str = "look") -> Observation:
    (observation,) = run.tools(asks((tool, {"query": query})))
    return observation


def end_of(run: Run) -> Stop | None:
    """Why the run or step ends at its next effect; None when it goes on."""
    try:
        run.model([*GO_ON])
    except Ended as ended:
        return ended.stop
    return None


# ------------------------------------------------------------------------------------ no result, three in a row
