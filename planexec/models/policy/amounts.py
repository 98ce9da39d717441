"""Figures in a question: amounts with their units, and percentages, in Chinese and English.

It reads figures and compares them; it never works one out. Arithmetic is the calculator tool's business.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from unicodedata import normalize

UNITS = {
    "万亿": 1e12, "千亿": 1e11, "百亿": 1e10, "十亿": 1e9, "亿": 1e8, "千万": 1e7, "百万": 1e6, "十万": 1e5, "万": 1e4,
    "千": 1e3, "trillion": 1e12, "tn": 1e12, "billion": 1e9, "bn": 1e9, "million": 1e6, "mn": 1e6, "m": 1e6,
    "thousand": 1e3, "k": 1e3,
}  # fmt: skip
PLAIN = {"trillion": "trillion", "tn": "trillion", "billion": "bn", "mn": "million", "thousand": "k"}
PERCENT = r"(?:%|percent\b|per\s+cent\b|成)"
_UNIT = "|".join(sorted(UNITS, key=len, reverse=True))
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
FIGURE_PARTS = {  # what the places {amount}, {percent}, ... of a pattern in knows.json stand for
    "amount": rf"(?<![\d.])(?P<amount>(?:{_NUMBER})\s*(?:(?:{_UNIT})(?![a-z]))?)",
    "percent": rf"(?<![\d.])(?P<percent>(?:{_NUMBER})\s*{PERCENT})",
    "names": r"(?P<names>[^。;:?!]+?)",
    "pairs": r"(?P<pairs>[^。;:?!]+?)",
    "text": r"(?P<text>[^\s,。;:?!]+)",
    "address": r"(?P<text>[A-Za-z\d._+-]{1,64}@[A-Za-z\d-]{1,63}(?:\.[A-Za-z\d-]{1,63}){1,8})",
    "code": r"(?P<text>[A-Za-z][A-Za-z-]*\d[A-Za-z\d-]*)",
    "iso": r"(?P<date>\d{4}-\d\d-\d\d)",
    "date": r"(?P<date>tomorrow|today|yesterday"
    r"|(?:next|this|on|coming) (?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|(?:下|这|本)?(?:周|星期|礼拜)[一二三四五六日天]|明天|今天|昨天)",
}
_FIGURE = re.compile(
    rf"(?<![A-Za-z_\d.])(?P<number>{_NUMBER})\s*(?:(?P<percent>{PERCENT})|(?P<unit>{_UNIT})(?![a-z]))?", re.IGNORECASE
)
_HAN_DIGITS = {"一": 1, "二": 2, "两": 2, **{word: n for n, word in enumerate("三四五六七八九", 3)}}
_HAN_SIZES = {"十": 10, "百": 100, "千": 1000}
_HAN_NUMBER = re.compile(r"[一二两三四五六七八九十][一二两三四五六七八九十百千]*(?=万|亿|成)")
_DATE = re.compile(
    r"\d{4}-\d{1,2}-\d{1,2}|\d{4}\s*年|\d{1,2}\s*[月日号]|\b(?:in|of|since|year)\s+20\d\d\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Amount:
    """One figure: `text` as a calculator takes it ("800bn", "25%"), its size, and where it stood in the text."""

    text: str
    value: float
    percent: bool
    start: int
    end: int


@lru_cache(maxsize=4_096)
def plain(text: str) -> str:
    """plain("８０００亿，２５％") -> "8000亿,25%": one width for digits, letters and signs."""
    return text if text.isascii() else normalize("NFKC", text)


@lru_cache(maxsize=4_096)
def with_digits(text: str) -> str:
    """with_digits("八千亿的两成") -> "8000亿的2成": numbers in words before a unit; all others stay ("一个题目")."""
    return _HAN_NUMBER.sub(lambda match: str(_han(match[0])), text) if max(text, default="") >= "\u4e00" else text


def _han(words: str) -> int:
    """_han("三百五十") -> 350"""
    total, digit = 0, 0
    for character in words:
        if character in _HAN_SIZES:
            total, digit = total + (digit or 1) * _HAN_SIZES[character], 0
        else:
            digit = _HAN_DIGITS[character]
    return total + digit


@lru_cache(maxsize=4_096)
def amounts(text: str) -> tuple[Amount, ...]:
    """amounts("800 bn, of which 25%") -> Amount("800bn", 8e11, ...), Amount("25%", 0.25, ...). Dates are left out."""
    dates = [match.span() for match in _DATE.finditer(text)]
    found = (_amount(match) for match in _FIGURE.finditer(text))
    return tuple(each for each in found if not any(a <= each.start < b for a, b in dates))


def _amount(match: re.Match[str]) -> Amount:
    number, unit = match["number"].replace(",", ""), (match["unit"] or "").lower()
    if match["percent"]:
        tenths = match["percent"] == "成"
        return Amount(number + ("成" if tenths else "%"), float(number) / (10 if tenths else 100), True, *match.span())
    return Amount(number + PLAIN.get(unit, unit), float(number) * UNITS.get(unit, 1.0), False, *match.span())
