"""Repairs one bracketed piece of a model's text, and refuses where repair would be a guess.

The piece is first cut into quoted texts and the marks between them, by a rule that survives apostrophes and
quotation marks inside a sentence: a quote closes a text only before `,` `:` `]` `}` or the end of a line before
the next quote. What is rebuilt from that goes through json_repair, and counts only when it holds exactly these
texts and brackets, in this order: no step can get lost, be made up, or melt into its neighbour.

It does not close a list that was left open: nobody knows what was still to come.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from planexec.plans.words import PlanError

MAX_REPAIR_CHARS = 50_000
MAX_DEPTH = 16  # brackets inside brackets
MAX_COMMENTS = 50

_TOKEN = re.compile(r"```|\\.|[\[\]{}\"“”„＂'‘’「」『』]", re.S)
_QUOTES = dict.fromkeys('"“”„＂', '"“”„＂') | dict.fromkeys("'‘’", "'‘’") | {"「": "」", "『": "』"}
_CLOSES = re.compile(r"\s*+(?:[,:\]}，：、]|//|/\*|$)|[^\S\n]*+\n\s*+[\"“'‘「『{]")
_INNER = re.compile(r"(?<!\\)[\"“”„＂]|(?<!\\)(?<![A-Za-z])['‘’]|(?<!\\)['‘’](?![A-Za-z])")  # no apostrophes
_ESCAPE = re.compile(r"\\x([0-9a-f]{2})|\\U([0-9a-f]{8})|\\(.)|\"", re.S)
_PAIRS = {"]": "[", "}": "{"}
_BARE_KEY = re.compile(r"([{,]\s*)([^\W\d]\w*)(?=\s*:)")
_NO_COMMA = re.compile(r"[\]}](?:[ \t]*+[\[{]|[ \t]++\Z)")  # where a bracket too many may stand in for a comma
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
    """Cut the piece that opens at `start` into quoted texts and marks, in one pass.

    Where brackets do not match or it is too long, nobody can say where it ends: the rest of the text belongs to it.
    """
    stop = min(len(text), start + MAX_REPAIR_CHARS)
    parts: list[tuple[str, str]] = []
    stack: list[str] = []
    since, quote, end = start, "", len(text)
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
                return Region(len(text), tuple(parts), PlanError("deep", limit=MAX_DEPTH))
        elif mark in _PAIRS:
            if stack.pop() != _PAIRS[mark]:
                return Region(len(text), tuple(parts), PlanError("broken"))
            if not stack:
                return Region(token.end(), (*parts, ("", text[since : token.end()])))
    parts.append(("", text[since : min(end, stop)]))
    whole = not quote and stack == ["{"] and end <= stop
    return Region(end, tuple(parts), None if whole else PlanError("cut"), "}" if whole else "")


def repair(region: Region, decode: json.JSONDecoder) -> Any:
    """The JSON value a broken region stands for; PlanError when that would be a guess."""
    if region.problem:
        raise region.problem
    pieces = [_quoted(part, quotes) if quotes else _marks(part) for quotes, part in region.parts]
    text = "".join(piece for piece, _ in pieces) + region.missing
    value = _decode(text, decode)
    if list(_shape_of(value)) != [*(each for _, shape in pieces for each in shape), *region.missing]:
        raise PlanError("broken")
    return value


def _quoted(part: str, quotes: str) -> tuple[str, list[str]]:
    """A text as strict JSON. Quotes of its own kind inside it must come in pairs around words, as in say "this" twice.

    Otherwise they may be the border between two texts: "a" "b" and "a"; "b" are not one step.
    """
    inner = [mark for mark in _INNER.finditer(part) if mark[0] in quotes]
    opening, closing = inner[::2], inner[1::2]
    opens = all(mark[0] != "”" and part[mark.end() : mark.end() + 1].isalnum() for mark in opening)
    closes = not any(part[mark.start() - 1] in " \t\n,，、:：;；([{（" for mark in closing)
    if len(opening) != len(closing) or not opens or not closes:
        raise PlanError("broken")
    try:
        part = json.loads(f'"{_ESCAPE.sub(_json_escape, part)}"', strict=False)
    except ValueError:
        raise PlanError("broken") from None
    return json.dumps(part, ensure_ascii=False), [part]


def _json_escape(match: re.Match[str]) -> str:
    """One escape or bare quote, for JSON. A backslash that escapes nothing stands for itself."""
    if match[1] or match[2]:
        return json.dumps(chr(int(match[1] or match[2], 16)))[1:-1]
    if match[3] == "'":
        return "'"
    return match[0] if match[3] and match[3] in '"\\/bfnrtu' else "\\" + match[0]


def _marks(part: str) -> tuple[str, list[str]]:
    """What stands between texts: JSON's own marks, bare keys and comments; anything else would be lost."""
    if part.count("/*") > MAX_COMMENTS:  # each one that is never closed costs a look to the end
        raise PlanError("broken")
    part = _COMMENT.sub(" ", part.translate(_WIDE))
    if not _MARKS.fullmatch(_BARE_KEY.sub(r"\1", part)) or _NO_COMMA.search(part):
        raise PlanError("broken")
    part = _BARE_KEY.sub(r'\1"\2"', part)
    return part, re.findall(r'[\[\]{}]|(?<=")\w+(?=")', part)


def _decode(text: str, decode: json.JSONDecoder) -> Any:
    try:
        return decode.decode(text)
    except json.JSONDecodeError:
        import json_repair

        return json_repair.loads(text)


def _shape_of(value: Any) -> Iterator[str]:
    """Brackets, keys and texts of a value, in order; its depth is bounded by `find_region`."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        yield opening
        for inner in value.items() if isinstance(value, dict) else value:
            yield from (inner[0], *_shape_of(inner[1])) if isinstance(value, dict) else _shape_of(inner)
        yield closing
