"""Right answers in the finance world: amounts by weight, sectors, shares of past inflows, leading stocks."""

from __future__ import annotations

import re
from typing import Any

from planexec.trials.answers.rules import Holds, Question, register
from planexec.trials.figures import figures


def tables(question: Question, name: str) -> dict[str, Any]:
    """All tables of one name in the knowledge base, merged."""
    merged: dict[str, Any] = {}
    for entry in question.data["entries"]:
        merged.update(entry.get("tables", {}).get(name, {}).get(question.lang, {}))
    return merged


@register("finance", "allocation")
def allocation(question: Question) -> Holds:
    """The account times each weight, and the leading stocks of each sector that has some."""
    weights, stocks = tables(question, "weights"), tables(question, "stocks")
    account = account_of(question.text)
    amounts = tuple(round(account * share(weight), 2) for weight in weights.values())
    return Holds(amounts, tuple(stock for sector in weights for stock in stocks.get(sector, ())))


@register("finance", "sectors")
def sectors(question: Question) -> Holds:
    """Every sector with leading stocks that the table of weights names: what is left in cash is no sector."""
    stocks = tables(question, "stocks")
    return Holds(names=tuple(sector for sector in tables(question, "weights") if sector in stocks))


@register("finance", "split")
def split(question: Question) -> Holds:
    """The amount in the question times the share of each sector it names, and the sectors' leading stocks."""
    shares, stocks = tables(question, "shares"), tables(question, "stocks")
    amount = figures(question.text)[0].value
    asked = [sector for sector in shares if sector.lower() in question.text.lower()]
    amounts = tuple(round(amount * share(shares[sector]), 2) for sector in asked)
    return Holds(amounts, tuple(stock for sector in asked for stock in stocks.get(sector, ())))


def account_of(text: str) -> float:
    """account_of("... 1,000,000-yuan account ...") -> 1000000.0: the figure beside the word account, or 账户."""
    match = re.search(r"([\d,.]+\s?[万亿]?)\s*(?:元)?(?:的)?账户|([\d,.]+)[- ]?(?:yuan )?account", text)
    return figures(match[1] or match[2])[0].value if match else 0.0


def share(text: Any) -> float:
    """share("25%") -> 0.25"""
    return figures(str(text))[0].value
