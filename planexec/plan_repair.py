"""Repairs one bracketed piece of a model's text, and refuses where repair would be a guess.

The piece is first cut into quoted texts and the marks between them, by a rule that survives apostrophes and
quotation marks inside a sentence: a quote closes a text only before `,` `:` `]` `}` or the end of a line before
the next quote. What is rebuilt from that goes through json_repair, and counts only when it holds exactly these
texts, in this order: no step can get lost, be made up, or melt into its neighbour.

It does not close a list that was left open: nobody knows what was still to come.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from planexec.plan_words import PlanError

MAX_REPAIR_CHARS = 50_000
MAX_DEPTH = 16  # brackets inside brackets

_TOKEN = re.compile(r"```|\\.|[\[\]{}\"“”„＂'‘’「」『』]", re.S)
_QUOTES = dict.fromkeys('"“”„＂', '"“”„＂') | dict.fromkeys("'‘’", "'‘’") | {"「": "」", "『": "』"}
_CLOSES = re.compile(r"\s*(?:[,:\]}，：、]|$)|\s*\n\s*[\"“'‘「『{]")
_INNER = re.compile(r"(?<!\\)[\"“”„＂]|(?<!\\)(?<![A-Za-z])['‘’]|(?<!\\)['‘’](?![A-Za-z])")  # no apostrophes
_PAIRS = {"]": "[", "}": "{"}
_BARE_KEY = re.compile(r"([{,]\s*)([^\W\d]\w*)(?=\s*:)")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
_MARKS = re.compile(r"(?:[\s\[\]{},:]|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|True|False|None)*+")
_WIDE = str.maketrans("，：、", ",:,")


@dataclass(frozen=True, slots=True)
class Region:
    """A bracketed piece: where it ends, its parts (quotes, text) and ("", marks), and what is wrong with it."""

    end: int
    parts: tuple[tuple[str, str], ...]
    problem: PlanError | None = None
    missing: str = ""  # the closing braces that may be supplied

    @property
    def texts(self) -> list[str]:
        return [part for quoted, part in self.parts if quoted]

    @property
    def marks(self) -> str:
        return " ".join(part for quoted, part in self.parts if not quoted)


def find_region(text: str, start: int) -> Region:
    """Cut the piece that opens at `start` into quoted texts and marks, in one pass."""
    stop = min(len(text), start + MAX_REPAIR_CHARS)
    parts: list[tuple[str, str]] = []
    stack: list[str] = []
    since, quote, end = start, "", stop
    for token in _TOKEN.finditer(text, start, stop):
        mark = token[0]
        if quote:
            if mark in quote and _CLOSES.match(text, token.end()):
                parts.append((quote, text[since : token.start()]))
                since, quote = token.end(), ""
        elif mark in _QUOTES:
            parts.append(("", text[since : token.start()]))
            since, quote = token.end(), _QUOTES[mark]
        elif mark == "```":
            end = token.start()
            break
        elif mark in "[{":
            stack.append(mark)
            if len(stack) > MAX_DEPTH:
                return Region(token.end(), tuple(parts), PlanError("deep", limit=MAX_DEPTH))
        elif mark in _PAIRS:
            if stack.pop() != _PAIRS[mark]:
                return Region(token.end(), tuple(parts), PlanError("broken"))
            if not stack:
                return Region(token.end(), (*parts, ("", text[since : token.end()])))
    parts.append(("", text[since:end]))
    whole = not quote and stack == ["{"] and end - start < MAX_REPAIR_CHARS
    return Region(end, tuple(parts), None if whole else PlanError("cut"), "}" if whole else "")


def repair(region: Region, decode: json.JSONDecoder) -> Any:
    """The JSON value a broken region stands for; PlanError when that would be a guess."""
    if region.problem:
        raise region.problem
    texts: list[str] = []
    pieces: list[str] = []
    for quoted, part in region.parts:
        piece, held = _quoted(part, quoted) if quoted else _marks(part)
        pieces.append(piece)
        texts.extend(held)
    value = _decode("".join(pieces) + region.missing, decode)
    if list(_texts_of(value)) != texts:
        raise PlanError("broken")
    return value


def _quoted(part: str, quotes: str) -> tuple[str, list[str]]:
    """A text as strict JSON. Quotes of its own kind inside it must come in pairs around words, as in say "this" twice.

    Otherwise they may be the border between two texts: "a" "b" and "a"; "b" are not one step.
    """
    inner = [mark for mark in _INNER.finditer(part) if mark[0] in quotes]
    opening, closing = inner[::2], inner[1::2]
    paired = len(opening) == len(closing) and not any(mark[0] == "”" for mark in opening)
    if not paired or any(not part[mark.end() : mark.end() + 1].isalnum() for mark in opening):
        raise PlanError("broken")
    escaped = re.sub(r"\\'", "'", re.sub(r'(?<!\\)"', r"\"", part))
    with suppress(ValueError):  # a backslash that escapes nothing stands for itself
        part = json.loads(f'"{escaped}"', strict=False)
    return json.dumps(part, ensure_ascii=False), [part]


def _marks(part: str) -> tuple[str, list[str]]:
    """What stands between texts: JSON's own marks, bare keys and comments; anything else would be lost."""
    part = _COMMENT.sub(" ", part.translate(_WIDE))
    keys = [match[2] for match in _BARE_KEY.finditer(part)]
    if not _MARKS.fullmatch(_BARE_KEY.sub(r"\1", part)):
        raise PlanError("broken")
    return _BARE_KEY.sub(r'\1"\2"', part), keys


def _decode(text: str, decode: json.JSONDecoder) -> Any:
    try:
        return decode.decode(text)
    except json.JSONDecodeError:
        import json_repair

        return json_repair.loads(text)


def _texts_of(value: Any) -> Iterator[str]:
    """Keys and texts of a value, in order; its depth is bounded by `find_region`."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _texts_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts_of(inner)
