"""What a journal holds, one by one: the record, and the form in which values are kept.

Live and replayed alike, a loop sees this form: JSON once, long texts cut, nothing half of a character, no key.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

from planexec.canonical import digest
from planexec.chat import Message, Reply
from planexec.tools import Observation

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


class JournalError(Exception):
    """The journal cannot be used as asked; the message says why and what to do. The file is left as it was."""


Fields = tuple[Any, ...]
"""What the gate hands to the journal in place of JSON: what a call, a question to the model, a reply or an observation
said, in a tuple. A loop may do to its own copies what it likes: what was recorded stays.
"""


def question(model: str, options: dict[str, Any], added: list[Message]) -> Fields:
    return model, options["tool_choice"], options["max_tokens"], options["thinking"], *added


def _question_in_json(fields: Fields) -> dict[str, Any]:
    model, tool_choice, max_tokens, thinking, *added = fields
    request = {"added": added, "model": model, "tool_choice": tool_choice, "max_tokens": max_tokens}
    return request if thinking is None else {**request, "thinking": thinking}


_REQUESTS: dict[str, Callable[[Fields], dict[str, Any]]] = {
    "model": _question_in_json,
    "tool": lambda fields: {"args": fields[0], "call": fields[1]},
}
_RESULTS: dict[str, Callable[[Fields], dict[str, Any]]] = {
    "model": lambda fields: {"reply": Reply.in_json(fields)},
    "tool": lambda fields: {"observation": Observation.in_json(fields), "final": True},
}


class Record:
    """One effect, note or stop. `result` is None while it has only begun.

    `kind` is "model", "tool", "ask", "wait", "note" or "stop". `request` and `result` are plain JSON, made at the first
    look: while a run in memory goes on nobody looks, and what is not made is neither kept nor collected.
    """

    __slots__ = ("scope", "position", "kind", "name", "fingerprint", "_request", "_result", "seconds", "seq")

    def __init__(
        self,
        scope: str,
        position: int,
        kind: str,
        name: str,
        fingerprint: str,
        request: dict[str, Any] | Fields,
        result: dict[str, Any] | Fields | None = None,
        seconds: float = 0.0,
        seq: int = 0,
    ):
        self.scope, self.position, self.kind, self.name, self.fingerprint = scope, position, kind, name, fingerprint
        self._request, self._result, self.seconds, self.seq = request, result, seconds, seq

    @property
    def request(self) -> dict[str, Any]:
        if type(self._request) is tuple:
            self._request = _REQUESTS[self.kind](self._request)
        return self._request  # type: ignore[return-value]

    @property
    def result(self) -> dict[str, Any] | None:
        if type(self._result) is tuple:
            self._result = _RESULTS[self.kind](self._result)
        return self._result  # type: ignore[return-value]

    def finish(self, result: dict[str, Any] | Fields, seconds: float) -> None:
        self._result, self.seconds = result, seconds

    def row(self, phase: str) -> tuple[str, int, str, str, str, dict[str, Any]]:
        """Scope, position, kind, name, fingerprint and body of its row; the JSON is for the row alone."""
        request, result = self._request, self._result
        if type(request) is tuple and phase != "finished":
            request = _REQUESTS[self.kind](request)
        if type(result) is tuple:
            result = _RESULTS[self.kind](result)
        body: Any = {"request": request, "result": result}
        if phase == "begun":
            body = request
        elif phase == "finished":
            body = {"result": result, "seconds": self.seconds}
        return self.scope, self.position, self.kind, self.name, self.fingerprint, body

    def to_dict(self) -> dict[str, Any]:
        return {name.removeprefix("_"): getattr(self, name.removeprefix("_")) for name in self.__slots__}

    def __eq__(self, other: object) -> bool:
        return self.to_dict() == other.to_dict() if isinstance(other, Record) else NotImplemented

    def __repr__(self) -> str:
        return f"Record({', '.join(f'{name}={value!r}' for name, value in self.to_dict().items())})"

    @property
    def address(self) -> str:
        return f"{self.scope}[{self.position}]"

    @property
    def part(self) -> int | None:
        """The number of the part of a split run whose end is noted here; None for every other record."""
        number = (self.result or {}).get("number") if (self.kind, self.name) == ("note", "part") else None
        return number if isinstance(number, int) else None


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
    held = [v for k, v in sorted(os.environ.items()) if k.upper().endswith(names) and len(v) >= 8]
    for encode in (_encode, _encode_ascii):
        once = [encode(value)[1:-1] for value in held]
        held += [*once, *(encode(value)[1:-1] for value in once)]
    return tuple(dict.fromkeys(held))
