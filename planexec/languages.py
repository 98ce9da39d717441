"""The two languages in which a run speaks to its model and its reader."""

from __future__ import annotations


def either(lang: str, en: str, zh: str) -> str:
    """either("zh", "none", "无") -> "无" """
    return zh if lang == "zh" else en
