"""What the prompts of later steps, and of the report, are told of the steps before them.

Everything, as long as it is not too much: beyond `ROOM` characters the longest results are cut, visibly. What a step's
own tools return stands in that step's conversation as it is; there only `max_tokens` and `max_usd` bound it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from planexec.languages import either
from planexec.result import StepDone

ROOM = 64_000  # characters of all results together: 16,000 tokens of English; of Chinese two or three times as many


def handed_on(done: Iterable[StepDone], lang: str) -> list[dict[str, Any]]:
    """[{"id": 1, "goal": ..., "status": "done", "result": ...}, ...], the results cut to `ROOM` altogether."""
    steps = list(done)
    texts = fitted([step.answer for step in steps], ROOM, lang)
    return [
        {"id": step.id, "goal": step.goal, "status": step.status, "result": text}
        for step, text in zip(steps, texts, strict=True)
    ]


def fitted(texts: Sequence[str], room: int, lang: str) -> list[str]:
    """The texts, of which together at most `room` characters are kept: only the longest are cut, all to one length."""
    most = _longest(sorted(map(len, texts)), room)
    return [text if len(text) <= most else text[:most] + _mark(len(text), lang) for text in texts]


def _longest(lengths: Sequence[int], room: int) -> int:
    """_longest([10, 500, 900], 600) -> 295: what the short ones leave over is for the long ones."""
    left = room
    for place, length in enumerate(lengths):
        share = left // (len(lengths) - place)
        if length > share:
            return share
        left -= length
    return room


def _mark(length: int, lang: str) -> str:
    return either(lang, f"\n[cut here: {length:,} characters in all]", f"\n[此处截断：全文共 {length:,} 字]")
