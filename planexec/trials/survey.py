"""How even a survey is: which side of the subject each search was about, and how many sides were seen at all.

The research world's pages each belong to one of five sides. A search is about the side to which most of the pages it
brought belong; a side is covered when at least one search was about it. The agent and its model never see this.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from math import log
from typing import TYPE_CHECKING, Any

from planexec.paths import data_path
from planexec.result import CallDone, Result

if TYPE_CHECKING:
    from planexec.trials.scenario import Scenario

SIDES = ("energy", "chemistry", "makers", "charging", "safety")
TOPIC = re.compile(r"solid[- ]state|固态", re.IGNORECASE)  # the striking one, of which most pages speak
_END = r"\s\"'<>)\],;，。；"
_URL = re.compile(rf"https?://[^{_END}]*[^{_END}.]")


@dataclass(frozen=True)
class Pages:
    """Which side each page belongs to ("" for none): by its address, and by its title in one language."""

    by_url: Mapping[str, str]
    by_title: Mapping[str, str]


def pages_in(site: Mapping[str, Any], lang: str = "en") -> Pages:
    """The pages of a research world's data."""
    pages = site["pages"]
    return Pages(
        {page["url"]: page.get("side", "") for page in pages},
        {page["title"][lang]: page.get("side", "") for page in pages},
    )


@cache
def shipped(lang: str = "en") -> Pages:
    """The pages of the world as it is shipped."""
    return pages_in(json.loads(data_path("research", "pages.json").read_text("utf-8")), lang)


def pages_of(scenario: Scenario) -> Pages:
    """The pages that this scenario's searches look through."""
    return shipped(scenario.lang) if scenario.data is None else pages_in(scenario.data, scenario.lang)


def side_of(call: CallDone, pages: Pages | None = None) -> str:
    """The side to which most pages in a call's result belong; "" when it brought none."""
    known = (pages or shipped()).by_url
    found = [known[url] for url in dict.fromkeys(_URL.findall(call.text)) if known.get(url)]
    return Counter(found).most_common(1)[0][0] if found else ""


def sides_by_round(result: Result, pages: Pages | None = None) -> tuple[str, ...]:
    """What each search was about, in order: ("chemistry", "chemistry", "safety")."""
    return tuple(side_of(call, pages) for call in result.calls if call.kind == "found" and "query" in (call.args or {}))


def covered(result: Result, pages: Pages | None = None) -> tuple[str, ...]:
    """The sides that at least one search was about, in the order in which they were reached."""
    return tuple(dict.fromkeys(side for side in sides_by_round(result, pages) if side))


def coverage_by_round(result: Result, pages: Pages | None = None) -> list[tuple[int, int]]:
    """[(1, 1), (2, 1), (3, 2)]: sides covered after each search."""
    seen: set[str] = set()
    points: list[tuple[int, int]] = []
    for number, side in enumerate(sides_by_round(result, pages), 1):
        seen |= {side} - {""}
        points.append((number, len(seen)))
    return points


def longest(result: Result, pages: Pages | None = None) -> int:
    """The most searches in a row that were about one side."""
    runs = [len(list(group)) for side, group in groupby(sides_by_round(result, pages)) if side]
    return max(runs, default=0)


def on_topic(result: Result) -> int:
    """Searches that ask for the striking topic by name."""
    return sum(bool(TOPIC.search(str((call.args or {}).get("query", "")))) for call in result.calls)


def evenness(result: Result, pages: Pages | None = None) -> float:
    """1.0 when the searches are spread evenly over the five sides, 0.0 when all went to one (Pielou's index)."""
    counts = Counter(side for side in sides_by_round(result, pages) if side)
    total = sum(counts.values())
    if total == 0:
        return 0.0
    return abs(sum(n / total * log(n / total) for n in counts.values())) / log(len(SIDES))


def sides_in(text: str, pages: Pages) -> tuple[str, ...]:
    """The sides of all pages whose address stands in `text`."""
    found = {pages.by_url[url] for url in _URL.findall(text) if pages.by_url.get(url)}
    return tuple(side for side in SIDES if side in found)


def sides_named(text: str, pages: Pages) -> tuple[str, ...]:
    """The sides of all pages whose title stands in `text`."""
    found = {side for title, side in pages.by_title.items() if side and title in text}
    return tuple(side for side in SIDES if side in found)
