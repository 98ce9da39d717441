"""One text for all spellings of a call, short digests of texts, and how alike two calls are.

Models write the same arguments in many ways: keys in another order, 1 or 1.0 or "1", full-width signs, one more
space. Whoever asks "is this the same call?" (loop detector, journal, effects) compares the texts made here.
Nothing here remembers anything.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from hashlib import blake2b
from typing import Any
from unicodedata import normalize

DEEPEST = 100  # levels of nesting in arguments; more is an error, and so is a value that contains itself
COMPARED = 2_000  # characters, between the common beginning and end of two texts, that are compared at most

_SHORT_INT, _NUMBERS = 10**18, (int, float)
_quoted, _EMPTY = json.encoder.encode_basestring, blake2b(digest_size=8)


def canonical(args: Any, ignore: Collection[str] = ()) -> str:
    """canonical({"n": 1.0, "q": "Ａ股 总市值"}) -> '{"n":1,"q":"A股总市值"}'

    Order of keys, 1 / 1.0 / "1", full or half width and spaces do not matter. Case does; True is not 1; and the
    indentation in a text of several lines does, because in code it is meaning. A text counts as a number only when
    it is written the way JSON writes that number: "007" and "1.10" are names. A text that holds a JSON object counts
    as that object, because servers send arguments so. `ignore` names arguments to leave out.
    What JSON does not know (a set, bytes, an object) raises TypeError: its print could hold a memory address.
    """
    return form(args if type(args) is dict and not ignore else arguments(args, ignore))


def digest(text: str) -> str:
    """16 hexadecimal characters that stand for `text`; the same in every process and on every machine."""
    made = _EMPTY.copy()  # faster than a new one
    made.update(text.encode("utf-8", "surrogatepass"))
    return made.hexdigest()


def call_key(tool: str, args: Any, ignore: Collection[str] = ()) -> str:
    """call_key("search", {"q": "x"}) -> "search:" and 16 characters: one name for all spellings of this call."""
    return f"{tool}:{digest(canonical(args, ignore))}"


def arguments(args: Any, ignore: Collection[str] = ()) -> Any:
    """'{"q": "x", "note": "again"}', ignore=("note",) -> {"q": "x"}"""
    if isinstance(args, str) and args.lstrip()[:1] == "{":
        try:
            args = json.loads(args)
        except (ValueError, RecursionError):
            return args  # it only begins like an object
    if ignore and isinstance(args, dict):
        return {name: value for name, value in args.items() if name not in ignore}
    return args


def form(value: Any, depth: int = 0) -> str:
    """The canonical text of a JSON value, without looking for an object inside a text."""
    if isinstance(value, str):
        return _text_form(value)
    if type(value) is int and -_SHORT_INT < value < _SHORT_INT:
        return repr(value)
    if type(value) is not dict and (value is None or isinstance(value, _NUMBERS)):
        return _plain_form(value)
    if depth >= DEEPEST:
        raise TypeError(f"arguments are nested more than {DEEPEST} deep, or contain themselves")
    if isinstance(value, dict):
        pairs = []
        for name, each in value.items():
            pairs.append(f"{_quoted(name if type(name) is str else _name_form(name))}:{form(each, depth + 1)}")
        pairs.sort()
        return f"{{{','.join(pairs)}}}"
    if isinstance(value, (list, tuple)):
        return f"[{','.join([form(each, depth + 1) for each in value])}]"
    raise TypeError(f"arguments must be JSON values, found {type(value).__name__}")


def _name_form(name: Any) -> str:
    """The name of an argument as JSON writes it: 1 and "1" are one name, True is "true"."""
    if isinstance(name, str):
        return name
    if name is None or isinstance(name, (bool, int, float)):
        return _plain_form(name)
    raise TypeError(f"names of arguments must be texts, found {type(name).__name__}")


def _plain_form(value: bool | int | float | None) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if not value.is_integer():
            return float.__repr__(value)
        value = int(value)
    return int.__repr__(value) if value.bit_length() < 10_000 else hex(value)  # Python refuses longer decimals


def _text_form(text: str) -> str:
    text = _squeezed(text)
    return (_number_in(text) or _quoted(text)) if "0" <= text[-1:] <= "9" else _quoted(text)


def _squeezed(text: str) -> str:
    if not text.isascii():
        text = normalize("NFKC", text)
    return _squeezed_lines(text) if "\n" in text else "".join(text.split())


def _squeezed_lines(text: str) -> str:
    """Every line keeps its indentation and loses its other spaces; a single line has no indentation to keep."""
    lines = [line.rstrip() for line in text.split("\n") if line.strip()]
    if len(lines) < 2:
        return "".join(text.split())
    return "\n".join(line[: len(line) - len(line.lstrip())] + "".join(line.split()) for line in lines)


def _number_in(text: str) -> str:
    """'1.0' -> '1', '12' -> '12', '007' -> ''"""
    if len(text) > 400 or not text.isascii() or not ("0" <= text[0] <= "9" or text[0] == "-"):
        return ""
    if text.removeprefix("-").isdigit():
        return text if text == str(int(text)) else ""
    try:
        number = float(text)
    except ValueError:
        return ""
    return _plain_form(number) if text == repr(number) else ""


def likeness(one: str, other: str) -> float:
    """likeness("abcd", "abxd") -> 0.75: twice the longest common subsequence, over the sum of both lengths.

    What two texts have in common at the beginning and the end is set aside first. If more than `COMPARED` characters
    are left of either, these count as wholly different, so that two huge texts cost a millisecond or two.
    """
    total = len(one) + len(other)
    if one == other:
        return 1.0
    ahead = _common_start(one, other)
    one, other = one[ahead:], other[ahead:]
    behind = _common_start(one[::-1], other[::-1])
    one, other = one[: len(one) - behind], other[: len(other) - behind]
    middle = _common_subsequence(one, other) if max(len(one), len(other)) <= COMPARED else 0
    return 2 * (ahead + behind + middle) / total


def _common_start(one: str, other: str) -> int:
    """_common_start("abc", "abd") -> 2, by halving: comparing slices is much faster than comparing characters."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_subsequence(one: str, other: str) -> int:
    """Length of the longest common subsequence, one bit of `row` a character (Hyyrö 2004): linear in Python steps."""
    where: dict[str, int] = {}
    for position, character in enumerate(one):
        where[character] = where.get(character, 0) | 1 << position
    everything = (1 << len(one)) - 1
    row = everything
    for character in other:
        hits = row & where.get(character, 0)
        row = (row + hits | row - hits) & everything
    return len(one) - row.bit_count()


def wording(value: Any) -> str:
    """{"q": "market value", "n": 1} -> "1marketvalue": what stands in the arguments, without names and marks.

    Names and marks are the same in every call of a tool; counted in, they would make any two short calls alike.
    """
    if isinstance(value, dict):
        return "".join([wording(value[name]) for name in sorted(value, key=_name_form)])
    if isinstance(value, (list, tuple)):
        return "".join([wording(each) for each in value])
    return _squeezed(value) if isinstance(value, str) else _plain_form(value)


def fixed_part(value: Any) -> Any:
    """{"to": "a@b.c", "body": "Dear all"} -> {"to": "a@b.c", "body": ""}: everything but free text.

    Numbers, and texts in ASCII without a blank (a path, an address, an id), name a thing: with one character changed
    they name another. Only free text can be reworded and still mean the same.
    """
    if isinstance(value, dict):
        return {name: fixed_part(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [fixed_part(each) for each in value]
    if isinstance(value, str) and (not value.isascii() or len(value.split()) > 1):
        return ""
    return value
