"""Tables in the text of an observation: "name: value" lines, pairs in a sentence, and JSON objects.

    read_tables("Weights\\nA: 25%\\nB: 20%") -> (Table("Weights", "percent", (("A", "25%"), ("B", "20%"))),)

Nothing is known about the names. A table's kind follows from its values: "percent", "values" (figures), "names"
(lists of words).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from planexec.models.policy.amounts import plain

Row = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of one kind that stood together, under the line before them."""

    title: str
    kind: str
    rows: tuple[Row, ...]


_NOTE = re.compile(r"^\s*\[(?:guard|守卫|note|注)\]", re.IGNORECASE)
_ROW = re.compile(
    r"^\s*(?:[-*•·|]\s*)?(?P<name>[^:=|]{1,80}?)\s*(?:\([^()]*=[^()]*\))?\s*[:|]\s*(?P<value>[^|\s][^|]*?)\s*\|?\s*$"
)
_PERCENT = re.compile(r"^[+-]?\d+(?:\.\d+)?\s*(?:%|percent)(?:\s*\(.*\))?$", re.IGNORECASE)
_FIGURE = re.compile(
    r"^(?:.*=\s*)?[¥$]?\s*[+-]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?\s*(?:[^\s\d(]{0,12})?\s*(?:\([^()]*\))?(?:\s*\S{1,8})?$",
    re.IGNORECASE,
)
_DATE = re.compile(r"^\d{4}[-/年]")
_PAIR = re.compile(r"(?P<name>[^\s,;、。:()\d%][^,;、。:()\d%]{0,40}?)\s?:?\s?\(?(?P<value>\d+(?:\.\d+)?\s*%)\)?")
_ABOUT = re.compile(
    r"^(?:date|dated|source|id|url|updated|note|title|日期|来源|更新|编号|链接|标题|说明)$", re.IGNORECASE
)
ITEMS = re.compile(r"\s*[,、;]\s*")


def without_notes(text: str) -> str:
    """The observation without the lines that a guard added for the model."""
    if "[" not in text:
        return text
    return "\n".join(line for line in text.split("\n") if not _NOTE.match(line))


@lru_cache(maxsize=4_096)
def read_tables(text: str) -> tuple[Table, ...]:
    """Every table of the text, in its order."""
    text = plain(without_notes(text))
    if text.lstrip()[:1] in "{[":
        try:
            return tuple(_json_tables(json.loads(text), ""))
        except (ValueError, RecursionError):
            pass  # a text that only begins like JSON is read as a text
    return tuple(_line_tables(text))


def _line_tables(text: str) -> Iterator[Table]:
    """Rows of one kind in a row are a table; the lines since the last table or blank line are its title."""
    title: list[str] = []
    rows: list[Row] = []
    kind = ""
    for line in [*text.split("\n"), ""]:
        found = _ROW.match(line)
        row = (found["name"].strip(), found["value"]) if found and not _ABOUT.match(found["name"].strip()) else None
        this = _kind(row[1]) if row else ""
        if rows and this != kind:
            yield Table(" ".join(title), kind, tuple(rows))
            rows, title = [], title[:1]
        if row and this:
            kind = this
            rows.append(row)
        elif line.strip():
            yield from _pairs(line, " ".join(title))
            title.append(line.strip().rstrip(":"))
        else:
            title = []


def _pairs(line: str, title: str) -> Iterator[Table]:
    """Two or more "name 25%" in one sentence are a table too."""
    pairs = tuple((pair["name"].strip(), pair["value"]) for pair in _PAIR.finditer(line))
    if len(pairs) > 1:
        yield Table(f"{title} {line}", "percent", pairs)


def _kind(value: str) -> str:
    """_kind("25%") -> "percent"; _kind("A, B") -> "names"; dates and sentences are no rows of a table."""
    if _PERCENT.match(value):
        return "percent"
    if _DATE.match(value):
        return ""
    if _FIGURE.match(value):
        return "values"
    return "names" if not value[:1].isdigit() and len(value) < 400 else ""


def _json_tables(value: Any, title: str) -> Iterator[Table]:
    """The tables of a JSON value: an object whose members are all scalars or lists of texts is one."""
    if isinstance(value, list):
        for each in value:
            yield from _json_tables(each, title)
    elif isinstance(value, dict):
        rows = [(name, _shown(each)) for name, each in value.items() if not isinstance(each, dict)]
        for kind in ("percent", "values", "names"):
            chosen = tuple(row for row in rows if row[1] and _kind(row[1]) == kind)
            if chosen:
                yield Table(title, kind, chosen)
        for name, each in value.items():
            if isinstance(each, (dict, list)):
                yield from _json_tables(each, name)


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(each for each in value if isinstance(each, str))
    return "" if value is None or isinstance(value, bool) else str(value)


@lru_cache(maxsize=4_096)
def same_name(asked: str, name: str) -> bool:
    """same_name("banks", "Bank") and same_name("地产", "房地产") are True: the name asked for is this entry's."""
    one, other = _stem(asked), _stem(name)
    if one == other:
        return True
    if one.isascii():
        return bool(_word(one).search(other)) or bool(_word(other).search(one))
    return len(one) > 1 and len(other) > 1 and (one in other or other in one)


@lru_cache(maxsize=4_096)
def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(name)}(?:e?s|ing)?\b")


def _stem(name: str) -> str:
    name = plain(name).casefold().strip()
    return name[:-1] if name.isascii() and name.endswith("s") and len(name) > 3 else name
