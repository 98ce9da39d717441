"""Days as people name them: "next Wednesday" and "下周三" seen from a given day."""

from __future__ import annotations

import re
from datetime import date, timedelta
from functools import lru_cache

_ENGLISH = ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")
_CHINESE = "一二三四五六日"
_NEAR = {"yesterday": -1, "昨天": -1, "today": 0, "今天": 0, "tomorrow": 1, "明天": 1}
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


@lru_cache(maxsize=1_024)
def day_of(words: str, today: str) -> str:
    """day_of("next Wednesday", "2026-11-05") -> "2026-11-11"; a date stays itself; without a today: the words.

    "Next Wednesday" and "下周三" are the one of the week after this one, "on Wednesday" is the first one after today.
    A week begins on Monday.
    """
    if _DAY.fullmatch(words) or not _DAY.fullmatch(today):
        return words
    now = date.fromisoformat(today)
    if words.lower() in _NEAR:
        return (now + timedelta(days=_NEAR[words.lower()])).isoformat()
    weekday = _weekday(words)
    if words.lower().startswith(("next", "下")):
        return (now + timedelta(days=7 - now.weekday() + weekday)).isoformat()
    return (now + timedelta(days=(weekday - now.weekday() - 1) % 7 + 1)).isoformat()


def _weekday(words: str) -> int:
    """0 = Monday."""
    lower = words.lower()
    english = next((place for place, name in enumerate(_ENGLISH) if f"{name}day" in lower), None)
    return english if english is not None else _CHINESE.index(words[-1].replace("天", "日"))
