"""The form in which a journal keeps values: JSON once, long texts cut, nothing half of a character, no key.

Live and replayed alike, a loop sees this form.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import cache
from typing import Any

from planexec.canonical import digest

TEXT_CAP = 65_536  # characters of one text that are kept
_PLAIN_INT, _PLAIN_FLOAT = 10**18, 1e300  # below these JSON gives a number back as it is, without a look at it


def _encoder(ensure_ascii: bool) -> Callable[[Any], str]:
    """`JSONEncoder.encode` with its inner part made once; the standard one makes it anew for every value."""
    standard = json.JSONEncoder(ensure_ascii=ensure_ascii, separators=(",", ":"), allow_nan=False)
    text = json.encoder.encode_basestring_ascii if ensure_ascii else json.encoder.encode_basestring
    make: Any = getattr(json.encoder, "c_make_encoder", None)
    try:
        made = make(None, standard.default, text, None, ":", ",", False, False, False)
    except TypeError:  # a Python whose JSON is made otherwise
        return standard.encode

    def encode(value: Any) -> str:
        try:
            return "".join(made(value, 0))
        except RecursionError:
            return standard.encode(value)  # tells a value that contains itself from one that is too deep

    return encode


_encode, _encode_ascii = _encoder(False), _encoder(True)


def dumps(value: Any) -> str:
    """One JSON line; text with broken surrogates is escaped instead of refused."""
    text = _encode(value)
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return _encode_ascii(value)
    return text


@cache
def _to_json() -> Callable[[Any], bytes]:
    from pydantic_core import to_json  # not before a run is written down: it takes a while to import

    return to_json


def dumps_plain(value: Any) -> str:
    """The same for a value that is plain already, in a third of the time; some numbers are spelt otherwise."""
    try:
        return _to_json()(value).decode()
    except ValueError:  # a half of a character after all
        return dumps(value)


def plain(value: Any) -> Any:
    """A value as it comes back from the journal: tuples become lists, keys become texts, shared parts are copied, and
    half a surrogate pair, which no file and no service takes, becomes U+FFFD.

    TypeError or ValueError for what JSON cannot hold (NaN, cycles, objects).
    """
    kind = type(value)
    if kind is str:
        return value if value.isascii() else _whole(value)
    if kind is dict:
        fields = {}
        for name, each in value.items():
            if type(name) is not str:
                return json.loads(_encode(value))
            if not name.isascii():
                name = _whole(name)
            # Here and below, texts in ASCII are taken as they are without a call: this runs for every reply.
            fields[name] = each if type(each) is str and each.isascii() else plain(each)
        return fields
    if kind is list or kind is tuple:
        items = []
        for each in value:
            items.append(each if type(each) is str and each.isascii() else plain(each))
        return items
    if value is None or kind is bool or (kind is int and -_PLAIN_INT < value < _PLAIN_INT):
        return value
    if kind is float and -_PLAIN_FLOAT < value < _PLAIN_FLOAT:
        return value
    return json.loads(_encode(value))  # NaN and endless numbers are refused here, and everything unusual


def _whole(text: str) -> str:
    """A text that is not all ASCII, with no half of a character in it."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def cut(text: str) -> str:
    """A text as the journal keeps it: beyond 65,536 characters it is cut, visibly, with the digest of the whole."""
    if not text.isascii():
        text = _whole(text)
    if len(text) <= TEXT_CAP:
        return text
    return f"{text[:TEXT_CAP]}\n[cut here: {len(text):,} characters in all, digest {digest(text)}]"


def hidden_values() -> tuple[str, ...]:
    """Values of environment variables that hold keys: none of them may ever be written down.

    Each as it is and as it stands in JSON, and in JSON inside JSON: a call's arguments are a text of their own.
    """
    names = ("KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIALS")
    held = [os.environ[name] for name in sorted(os.environ) if name.upper().endswith(names)]
    held = [value for value in held if len(value) >= 8]
    for encode in (_encode, _encode_ascii):
        once = [encode(value)[1:-1] for value in held]
        held += [*once, *(encode(value)[1:-1] for value in once)]
    return tuple(dict.fromkeys(held))
