"""What a right answer holds, worked out from a world's data and the question: the judge's side of each scenario."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from planexec.paths import data_path
from planexec.trials.figures import figures
from planexec.trials.scenario import Scenario

NO_DATA = re.compile(
    r"not found|could not be found|no data|nothing (?:was|that)|no such|not available|unavailable|no entry"
    r"|没有查到|查不到|没有数据|无数据|未找到|没有找到|没有结果|不可用",
    re.I,
)


@dataclass(frozen=True)
class Expectation:
    """An answer is right when it holds every figure (by value) and every name, and none of the `never` texts.

    `no_data`: the honest answer is that there is none.
    """

    figures: tuple[float, ...] = ()
    names: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    no_data: bool = False

    def met_by(self, text: str) -> bool:
        """True when `text` holds everything; an expectation of nothing is never met."""
        if not self.figures and not self.names:
            return False
        low = text.lower()
        if any(name.lower() not in low for name in self.names) or any(word.lower() in low for word in self.never):
            return False
        known = [figure.value for figure in figures(text)] if self.figures else []
        return all(any(abs(value - each) <= 1e-6 * max(1.0, abs(value)) for each in known) for value in self.figures)

    def says_no_data(self, text: str) -> bool:
        return bool(NO_DATA.search(text))


Oracle = Callable[[Scenario, Mapping[str, Any], str], Expectation]
ORACLES: dict[tuple[str, str], Oracle] = {}


def oracle(world: str, *questions: str) -> Callable[[Oracle], Oracle]:
    """Register who knows the right answer to some questions of a world."""

    def register(function: Oracle) -> Oracle:
        for question in questions:
            ORACLES[world, question] = function
        return function

    return register


def expectation(scenario: Scenario) -> Expectation:
    """What a right answer to this scenario holds; empty for a question that no oracle knows."""
    known = ORACLES.get((scenario.world, scenario.question)) or ORACLES.get((scenario.world, ""))
    if known is None:
        return Expectation()
    _, question = scenario.load()
    return known(scenario, _data(scenario), question)


FILES = {"finance": "knowledge.json", "research": "pages.json", "flights": "flights.json"}


def _data(scenario: Scenario) -> Mapping[str, Any]:
    given = scenario.options.get("data")
    if given is None:
        return _shipped(scenario.world)
    loaded: Mapping[str, Any] = json.loads(Path(given).read_text("utf-8")) if isinstance(given, (str, Path)) else given
    return loaded


@cache
def _shipped(world: str) -> Mapping[str, Any]:
    loaded: Mapping[str, Any] = json.loads(data_path(world, FILES[world]).read_text("utf-8"))
    return loaded


def tables(data: Mapping[str, Any], name: str, lang: str) -> dict[str, Any]:
    """All tables of one name in the knowledge base, merged."""
    merged: dict[str, Any] = {}
    for entry in data["entries"]:
        merged.update(entry.get("tables", {}).get(name, {}).get(lang, {}))
    return merged


@oracle("finance", "allocation")
def allocation(scenario: Scenario, data: Mapping[str, Any], question: str) -> Expectation:
    """The account times each weight; the account is the figure that the question says is to be allocated."""
    weights, stocks = (tables(data, name, scenario.lang) for name in ("weights", "stocks"))
    account = _account(question)
    amounts = tuple(round(account * _share(weight), 2) for weight in weights.values())
    names = tuple(stock for sector in weights for stock in stocks.get(sector, ()))
    return Expectation(amounts, names)


def _account(question: str) -> float:
    """The account's size: the figure beside the word account, or 账户."""
    match = re.search(r"([\d,.]+\s?[万亿]?)\s*(?:元)?(?:的)?账户|([\d,.]+)[- ]?(?:yuan )?account", question)
    if match is None:
        return 0.0
    return figures(match[1] or match[2])[0].value


def _share(text: Any) -> float:
    return figures(str(text))[0].value


@oracle("finance", "sectors")
def sectors(scenario: Scenario, data: Mapping[str, Any], question: str) -> Expectation:
    """Every sector that the table of weights names, cash apart."""
    weights = tables(data, "weights", scenario.lang)
    return Expectation(names=tuple(weights)[:-1])


@oracle("finance", "split")
def split(scenario: Scenario, data: Mapping[str, Any], question: str) -> Expectation:
    """The amount in the question times the share of each sector it names, and the sectors' stocks."""
    shares, stocks = (tables(data, name, scenario.lang) for name in ("shares", "stocks"))
    amount = figures(question)[0].value
    asked = [sector for sector in shares if sector.lower() in question.lower()]
    amounts = tuple(round(amount * _share(shares[sector]), 2) for sector in asked)
    return Expectation(amounts, tuple(stock for sector in asked for stock in stocks.get(sector, ())))
