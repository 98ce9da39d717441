"""planexec: agents that plan, and agents that cannot stop.

Public names, stable: Run, Result, Limits, Journal, tool, Observation, Plan, PlanExecuteAgent, react, OpenAIModel,
SimulatedModel, worlds. Everything else is public from its own module. Importing this package loads no other library,
starts no thread and touches no file: names are fetched from their modules on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from planexec import worlds as worlds
    from planexec.agent import PlanExecuteAgent as PlanExecuteAgent
    from planexec.journal import Journal as Journal
    from planexec.limits import Limits as Limits
    from planexec.models.openai_model import OpenAIModel as OpenAIModel
    from planexec.models.simulated import SimulatedModel as SimulatedModel
    from planexec.plans import Plan as Plan
    from planexec.react_loop import react as react
    from planexec.result import Result as Result
    from planexec.run import Run as Run
    from planexec.tools import Observation as Observation
    from planexec.tools import tool as tool

_HOME = {
    "Run": "run",
    "Result": "result",
    "Limits": "limits",
    "Journal": "journal",
    "tool": "tools",
    "Observation": "tools",
    "Plan": "plans",
    "PlanExecuteAgent": "agent",
    "react": "react_loop",
    "OpenAIModel": "models.openai_model",
    "SimulatedModel": "models.simulated",
}
__all__ = [*_HOME, "worlds"]


def __getattr__(name: str) -> Any:
    if name == "worlds":
        return import_module("planexec.worlds")
    if name in _HOME:
        return getattr(import_module(f"planexec.{_HOME[name]}"), name)
    raise AttributeError(f"planexec has no {name!r}; its public names are {', '.join(__all__)}")


def __dir__() -> list[str]:
    return sorted(__all__)
