"""What a right answer is: one file a world, worked out from the world's data and the question.

    rule_for(scenario).right(result)

The names and figures that an answer must hold are read from the same data as the tools read, so a renamed world with
other figures has other right answers. Nothing here is known to a model or to an agent.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from planexec.paths import data_path
from planexec.trials.answers.rules import Holds, Question, Rule, register

if TYPE_CHECKING:
    from planexec.trials.scenario import Scenario

FILES = {
    "duty": "duty.json",
    "finance": "knowledge.json",
    "flights": "flights.json",
    "orders": "orders.json",
    "research": "pages.json",
    "rivals": "rivals.json",
}
MOST = 256  # rules kept at a time: many runs of one scenario are judged by one
_rules: dict[str, Rule] = {}


def rule_for(scenario: Scenario) -> Rule:
    """How answers to this scenario are judged; a question that no rule knows is never answered right."""
    known = _rules.get(scenario.key)
    if known is None:
        while len(_rules) >= MOST:
            del _rules[next(iter(_rules))]
        known = _rules[scenario.key] = _make(scenario)
    return known


def _make(scenario: Scenario) -> Rule:
    import_module(f"planexec.trials.answers.{scenario.world}")
    maker = register.known.get((scenario.world, scenario.answer or scenario.question))
    maker = maker or register.known.get((scenario.world, ""))
    if maker is None:
        return Holds()
    _, text = scenario.load()
    return maker(Question(text, scenario.lang, data_of(scenario), dict(scenario.options)))


def data_of(scenario: Scenario) -> Any:
    """The data that the scenario's tools read."""
    return scenario.data if scenario.data is not None else _shipped(scenario.world)


@cache
def _shipped(world: str) -> Any:
    return json.loads(data_path(world, FILES[world]).read_text("utf-8"))


__all__ = ["Holds", "Question", "Rule", "data_of", "rule_for"]
