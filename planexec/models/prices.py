"""What tokens cost, as dated data (`data/prices.json`): the dearest rate that may apply, never a hopeful one.

A model that is not listed has no price; whoever sets a limit in dollars must then say what it costs.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache

from planexec.chat import Price
from planexec.paths import data_path


@dataclass(frozen=True, slots=True)
class Rate:
    """Dollars per million tokens of one model from one date on. `since` is YYYY-MM-DD, `source` a page's name."""

    model: str
    since: str
    input: float
    cached_input: float
    output: float
    source: str = ""
    note: str = ""

    @property
    def bound(self) -> Price:
        """The price a gate reserves before a call, when nobody knows how much of the prompt is cached."""
        return Price(self.input, self.output)

    def usd(self, prompt_tokens: int, completion_tokens: int, cached_tokens: int = 0) -> float:
        """Dollars of one call. `prompt_tokens` includes the cached ones; thoughts are completion tokens."""
        cached = min(max(cached_tokens, 0), prompt_tokens)
        fresh = (prompt_tokens - cached) * self.input
        return (fresh + cached * self.cached_input + completion_tokens * self.output) / 1_000_000


def rate_of(model: str, on: str | None = None) -> Rate | None:
    """The newest rate of a model, or the one in force `on` a date (YYYY-MM-DD); None when it is not listed.

    A snapshot's date or number at the end does not matter: rate_of("deepseek-flash-1017") is that of deepseek-flash.
    """
    table = _table()
    rates = table.get(model) or table.get(re.sub(r"-(\d{4}|\d{4}-?\d{2}-?\d{2})$", "", model), ())
    return next((rate for rate in rates if on is None or rate.since <= on), None)


@cache
def _table() -> dict[str, tuple[Rate, ...]]:
    """Every name and alias -> its rates, the newest first."""
    table: dict[str, tuple[Rate, ...]] = {}
    for name, entry in json.loads(data_path("prices.json").read_text(encoding="utf-8"))["models"].items():
        periods = sorted(entry["periods"], key=lambda period: str(period["from"]), reverse=True)
        rates = tuple(Rate(name, since=period.pop("from"), **period) for period in periods)
        table |= dict.fromkeys((name, *entry["aliases"]), rates)
    return table
