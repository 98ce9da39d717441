"""What every world needs: reading its data, speaking two languages, and a place where effects can be counted."""

from __future__ import annotations

import json
import os
import unicodedata
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from planexec.paths import data_path
from planexec.tools import Observation, Tool, failed

LANGUAGES = ("en", "zh")
Said = Mapping[str, str]  # one text in both languages: {"en": ..., "zh": ...}
Outbox = list[dict[str, Any]] | Path


def read_data(world: str, file: str, data: Any = None) -> Any:
    """The world's parsed data: `data` when it is parsed already, else the file it names, else the shipped one."""
    if data is not None and not isinstance(data, (str, Path)):
        return data
    path = data_path(world, file) if data is None else Path(data)
    return json.loads(path.read_text(encoding="utf-8"))


def renamed(data: Any, names: Mapping[str, str]) -> Any:
    """A copy of a world's data with every name in `names` replaced, in keys and texts: the way to see that an
    answer follows the data. renamed({"banks": "All banks"}, {"banks": "mines"}) -> {"mines": "All mines"}."""
    if isinstance(data, dict):
        return {renamed(key, names): renamed(value, names) for key, value in data.items()}
    if isinstance(data, list):
        return [renamed(value, names) for value in data]
    if isinstance(data, str):
        for old in sorted(names, key=lambda name: (-len(name), name)):
            data = data.replace(old, names[old]).replace(old.capitalize(), names[old].capitalize())
    return data


def check_language(lang: str) -> None:
    if lang not in LANGUAGES:
        raise ValueError(f"a world speaks {' and '.join(LANGUAGES)}, not {lang!r}")


def make_tool(function: Callable[..., Any], lang: str, words: Mapping[str, Said], **options: Any) -> Tool:
    """A `Tool` named like `function`. `words`: "" -> its description, argument name -> that argument's line."""
    lines = {name: said[lang] for name, said in words.items() if name}
    return Tool(function.__name__, words[""][lang], function, lines=lines, **options)


NOT_A_DATE = {"en": "{date!r} is not a date; write YYYY-MM-DD.", "zh": "{date!r} 不是日期，请写成 YYYY-MM-DD。"}


def wrong_date(text: str, lang: str) -> Observation | None:
    """What a tool answers when `text` is not a calendar day written YYYY-MM-DD; None when it is one."""
    try:
        if len(text) == 10 and date.fromisoformat(text):
            return None
    except ValueError:
        pass  # said below, as for a text of another length
    return failed(NOT_A_DATE[lang].format(date=text[:40]), seconds=0.0)


def plain_key(text: str) -> str:
    """How names are compared: plain_key(" Kite  118") -> "kite118". Case, width and spaces do not matter."""
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def post(outbox: Outbox, entry: dict[str, Any]) -> None:
    """Write down one thing that was done to the world: appended to a list, or as one JSON line to a file.

    The line goes out in one write to a file opened for appending, so that a process that is killed leaves a
    whole line or none, and several processes may share the file.
    """
    if isinstance(outbox, list):
        outbox.append(entry)
        return
    line = (json.dumps(entry, ensure_ascii=False, sort_keys=True) + "\n").encode()
    handle = os.open(outbox, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o644)
    try:
        os.write(handle, line)
    finally:
        os.close(handle)
