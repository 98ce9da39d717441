"""How even a survey is: which side of the subject each search was about, and how many sides were seen at all.

The research world's pages each belong to one of five sides. A search is about the side to which most of the pages it
brought belong; a side is covered when at least one search was about it. The agent and its model never see this.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from math import log
from typing import Any

from planexec.paths import data_path
from planexec.result import CallDone, Result

SIDES = ("energy", "chemistry", "makers", "charging", "safety")
_URL = re.compile(r"https?://[^\s\"'<>)\]，。；]+")


@cache
def side_of_page() -> Mapping[str, str]:
    """Address of a page -> the side it belongs to ("" for none), as the world's data has it."""
    site = json.loads(data_path("research", "pages.json").read_text("utf-8"))
    return {page["url"]: page.get("side", "") for page in site["pages"]}


def side_of(call: CallDone, pages: Mapping[str, str] | None = None) -> str:
    """The side to which most pages in a call's result belong; "" when it brought none."""
    known = side_of_page() if pages is None else pages
    found = [known[url] for url in dict.fromkeys(_URL.findall(call.text)) if known.get(url)]
    return Counter(found).most_common(1)[0][0] if found else ""


def sides_by_round(result: Result) -> tuple[str, ...]:
    """What each search was about, in order: ("chemistry", "chemistry", "safety")."""
    return tuple(side_of(call) for call in result.calls if call.kind == "found" and _is_search(call))


def covered(result: Result) -> tuple[str, ...]:
    """The sides that at least one search was about, in the order in which they were reached."""
    return tuple(dict.fromkeys(side for side in sides_by_round(result) if side))


def coverage_by_round(result: Result) -> list[tuple[int, int]]:
    """[(1, 1), (2, 1), (3, 2)]: sides covered after each search."""
    seen: set[str] = set()
    points: list[tuple[int, int]] = []
    for number, side in enumerate(sides_by_round(result), 1):
        seen |= {side} - {""}
        points.append((number, len(seen)))
    return points


def evenness(result: Result) -> float:
    """1.0 when the searches are spread evenly over the five sides, 0.0 when all went to one (Pielou's index)."""
    counts = Counter(side for side in sides_by_round(result) if side)
    total = sum(counts.values())
    if total == 0:
        return 0.0
    return abs(sum(n / total * log(n / total) for n in counts.values())) / log(len(SIDES))


def _is_search(call: CallDone) -> bool:
    args: Any = call.args or {}
    return "query" in args
