"""Untidy output (`sloppy`): the ways in which models spoil the JSON that was asked for.

    untidy('["a", "b"]', 0) -> a code fence round it

"cut" loses the end, so it cannot be read; from all other forms a forgiving reader gets back what was meant.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

FORMS = ("fence", "prose", "quotes", "objects", "cut")
_AROUND = {
    "en": ("Here is what you asked for:\n\n", "\n\nTell me if you want it changed."),
    "zh": ("下面是结果：\n\n", "\n\n如需调整请告诉我。"),
}
_KEEPS = 0.6  # share of the text that is left when it is cut


def untidy(value: Any, form: int, lang: str) -> str:
    """`value` as JSON in one of the untidy `FORMS`."""
    name, text = FORMS[form % len(FORMS)], dump(value)
    if name == "fence":
        return f"```json\n{text}\n```"
    if name == "prose":
        before, after = _AROUND[lang]
        return before + text + after
    if name == "quotes":
        return repr(value)
    if name == "cut":
        return text[: int(len(text) * _KEEPS)]
    return dump(_as_objects(value))


def _as_objects(value: Any) -> Any:
    """Objects where texts were asked for, and one object round a list of objects."""
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        return [{"subtask": each} for each in value]
    return {"steps": value} if isinstance(value, list) else value


def dump(value: Any) -> str:
    """JSON on one line, Chinese as it is."""
    return json.dumps(dict(value) if isinstance(value, Mapping) else value, ensure_ascii=False)
