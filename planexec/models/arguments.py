"""The arguments of a tool call, read from whatever a server sends for them.

Reading is strict where a guess could change the meaning: what was cut off is an error, never a shorter question.
"""

from __future__ import annotations

import json
from typing import Any

_CLOSERS = {"{": "}", "[": "]"}


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is not a JSON value")


# Line breaks inside texts are allowed, numbers that no JSON has are not.
_DECODER = json.JSONDecoder(strict=False, parse_constant=_refuse)


def read_arguments(given: Any, cut: bool = False) -> tuple[dict[str, Any] | None, str]:
    """read_arguments('{"q": 1}') -> ({"q": 1}, ""); read_arguments('["q"]') -> (None, "... must be a JSON object ...")

    A dict is taken as it is; None and "" mean no arguments. `cut`: the reply ended at its token limit, so nothing may
    be completed. Otherwise brackets missing at the end are closed and stray closing ones dropped: nothing is invented.
    """
    if given is None or (isinstance(given, str) and not given.strip()):
        return (None, "The arguments were cut off at the token limit.") if cut else ({}, "")
    value, error = (given, "") if not isinstance(given, str) else _parsed(given, cut)
    if not error and isinstance(value, str):  # JSON in a string in JSON
        value, error = _parsed(value, cut)
    if error:
        return None, error
    if not isinstance(value, dict):
        return None, f"The arguments must be a JSON object, not {_kind(value)}."
    return value, ""


def _parsed(text: str, cut: bool) -> tuple[Any, str]:
    try:
        value, end = _DECODER.raw_decode(text.strip())
        rest = text.strip()[end:]
        if not rest.strip("}] \n\t"):  # stray closing brackets change nothing; a second value might
            return value, ""
        return None, f"The arguments hold more than one JSON value: {rest[:30]!r} follows the first."
    except RecursionError:
        return None, "The arguments are nested too deeply to be read."
    except ValueError as problem:
        fault = problem
    closing = _missing_end(text)
    if closing is None:
        return None, f"The arguments are not valid JSON: {fault}."
    try:
        if not cut and not closing.startswith('"'):
            return _DECODER.decode(text + closing), ""
    except (ValueError, RecursionError):
        pass
    return None, f"The arguments were cut off: they end with {text[-30:]!r}."


def _missing_end(text: str) -> str | None:
    """'{"a": [1' -> ']}'; '{"a": "b' -> '"}' (cut inside a text); None when nothing is open at the end."""
    open_, in_text, escaped = [], False, False
    for letter in text:
        if escaped:
            escaped = False
        elif in_text:
            escaped, in_text = letter == "\\", letter != '"'
        elif letter == '"':
            in_text = True
        elif letter in _CLOSERS:
            open_.append(_CLOSERS[letter])
        elif letter in "}]" and open_:
            open_.pop()
    return ('"' if in_text else "") + "".join(reversed(open_)) or None


def _kind(value: Any) -> str:
    words = {
        list: "a list",
        str: "a text",
        bool: "true or false",
        int: "a number",
        float: "a number",
        type(None): "null",
    }
    return words.get(type(value), type(value).__name__)
