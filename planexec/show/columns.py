"""Fitting text of any language into columns of a terminal.

A Chinese character takes two columns and may be broken after; an accent takes none. What a model or a tool wrote may
hold control characters that would steer the terminal; they are shown as a mark instead.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_WIDE = (
    "\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6"
    "\U0001f300-\U0001faff\U00020000-\U0003fffd"
)
_CLOSING = "，。、；：？！）》」』】〉…,.;:?!)\\]}%％"
_PIECES = re.compile(f"[ \\t]+|[{_WIDE}][{_CLOSING}]*|[^\\s{_WIDE}]+[{_CLOSING}]*|\\s")
_MARK = "\N{REPLACEMENT CHARACTER}"


def clean(text: str) -> str:
    """Control and direction characters, which could change what the reader sees, become a mark; newlines stay.

    clean("a\\x1b[31mb") -> "a\ufffd[31mb"
    """
    lines = text.replace("\r\n", "\n").replace("\t", " ")
    return "".join(_MARK if c != "\n" and _steers(c) else c for c in lines)


@lru_cache(maxsize=4_096)
def _steers(character: str) -> bool:
    kind = unicodedata.category(character)
    joins = character in "\u200c\u200d"  # needed inside words and emoji
    return kind in ("Cc", "Cs", "Zl", "Zp") or (kind == "Cf" and not joins)


@lru_cache(maxsize=4_096)
def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def columns(text: str) -> int:
    """How many columns a terminal gives to `text`: columns("ab降准") -> 6"""
    return sum(map(_columns, text))


def pad(text: str, room: int) -> str:
    """`text` followed by as many blanks as it takes to fill `room` columns."""
    return text + " " * max(0, room - columns(text))


def fit(text: str, room: int) -> str:
    """One line of at most `room` columns; what is cut off shows as three points."""
    line = " ".join(text.split())
    return line if columns(line) <= room else _head(line, room - 3).rstrip() + "..."


def wrap(text: str, room: int, most: int | None = None) -> list[str]:
    """`text` in lines of at most `room` columns, at most `most` of them; what is left out shows as three points."""
    lines = [line for paragraph in clean(text).split("\n") for line in _wrapped(paragraph, room)]
    if most is None or len(lines) <= most:
        return lines
    return [*lines[: most - 1], _head(lines[most - 1], room - 4).rstrip() + " ..."]


def _wrapped(paragraph: str, room: int) -> list[str]:
    lines, line, used = [], "", 0
    for piece in _PIECES.findall(paragraph):
        wide = columns(piece)
        if used + wide > room and line:
            lines += [line.rstrip()] if line.strip() else []  # an indentation that leaves no room is dropped
            line, used = "", 0
            piece = piece.lstrip()
            wide = columns(piece)
        while wide > room:
            head = _head(piece, room)
            lines.append(head)
            piece = piece[len(head) :]
            wide = columns(piece)
        line, used = line + piece, used + wide
    return [*lines, line.rstrip()]


def _head(text: str, room: int) -> str:
    """The longest beginning of `text` that fits; at least one character, so that cutting always ends."""
    used = 0
    for at, character in enumerate(text):
        used += _columns(character)
        if used > room:
            return text[: max(1, at)]
    return text
