"""Figures in texts, and whether each can be traced: 25万, 250,000 and 0.25 million are one figure.

A figure is a number with its unit of size. Dates, times, numbering at the start of a line, and digits that are part of
a name (N3, L2, PR-21) are not figures. Words for numbers ("three") are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

SIZES = {
    **{"万亿": 1e12, "千亿": 1e11, "百亿": 1e10, "亿": 1e8, "千万": 1e7, "百万": 1e6, "万": 1e4, "千": 1e3},
    **{"trillion": 1e12, "tn": 1e12, "billion": 1e9, "bn": 1e9, "million": 1e6, "mn": 1e6, "m": 1e6},
    **{"thousand": 1e3, "k": 1e3, "%": 0.01, "％": 0.01, "成": 0.1},
}
_SIZE = "|".join(sorted(map(re.escape, SIZES), key=len, reverse=True))
_DATE = re.compile(
    r"\d{4}[-/年]\d{1,2}(?:[-/月]\d{1,2}日?)?|\d{1,2}月\d{1,2}日|\d{1,2}:\d{2}|\b(?:19|20)\d{2}\b(?!\s*(?:%|元|yuan))"
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_NUMBERING = re.compile(r"(?m)^\s*(?:#+\s*)?(?:\d{1,2}[.)、]|[-*•]\s)(?=\s|\D)")
_ADDRESS = re.compile(r"https?://\S+")
_FIGURE = re.compile(
    rf"(?<![\w.])(?<![A-Za-z]-)([-−]?\d+(?:,\d{{3}})*(?:\.\d+)?)\s?(?:({_SIZE})(?![A-Za-z]))?", re.I | re.A
)


@dataclass(frozen=True, slots=True)
class Figure:
    """One number as written, and its value with the unit of size worked in: ("25万", 250000.0)."""

    text: str
    value: float


@lru_cache(maxsize=8_192)
def figures(text: str) -> tuple[Figure, ...]:
    """Every figure of a text, in order; the same figure twice is listed twice."""
    for noise in (_ADDRESS, _DATE, _NUMBERING):
        text = noise.sub(" ", text)
    return tuple(_figure(match) for match in _FIGURE.finditer(text))


def _figure(match: re.Match[str]) -> Figure:
    number = float(match[1].replace(",", "").replace("−", "-"))
    return Figure(match[0].strip(), number * SIZES.get((match[2] or "").lower(), 1.0))


def value_key(value: float) -> str:
    """Two figures are one when their first six digits are: what rounding and binary fractions leave alone."""
    return f"{value:.6g}"


class Traced:
    """The figures that are known; `untraced(text)` lists those of a text that are not."""

    def __init__(self, sources: Iterable[str] = ()):
        self._known: set[str] = set()
        for source in sources:
            self.add(source)

    def add(self, source: str) -> None:
        self._known.update(value_key(figure.value) for figure in figures(source))
        self._known.update(value_key(float(year)) for year in _YEAR.findall(source))  # 2,025 may be meant

    def untraced(self, text: str) -> list[Figure]:
        return [figure for figure in figures(text) if value_key(figure.value) not in self._known]


def untraced(answer: str, sources: Iterable[str]) -> list[Figure]:
    """The figures of `answer` that no source holds: invented, or worked out by the model in its head."""
    return Traced(sources).untraced(answer)


_LINK = re.compile(r"https?://[^\s\"'<>)\]，。；、]+")


def untraced_links(answer: str, sources: Iterable[str]) -> list[str]:
    """The addresses an answer cites that no source holds: a citation that was asked for, never seen."""
    seen = {link.rstrip(".,;:") for source in sources for link in _LINK.findall(source)}
    cited = dict.fromkeys(link.rstrip(".,;:") for link in _LINK.findall(answer))
    return [link for link in cited if link not in seen]
