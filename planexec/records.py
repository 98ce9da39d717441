"""What a journal holds, one by one: the record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planexec.chat import Message, Reply
from planexec.plain import dumps, dumps_plain, plain
from planexec.tools import Observation


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
        self.scope, self.position, self.kind = scope, position, kind
        self.name, self.fingerprint, self.seq = name, fingerprint, seq
        self._request, self._result, self.seconds = request, result, seconds

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

    def row(self, phase: str) -> tuple[str, int, str, str, str, str]:
        """Scope, position, kind, name, fingerprint and body of its row; the JSON is for the row alone."""
        request, result = self._request, self._result
        if phase == "begun":
            body = dumps(_REQUESTS[self.kind](request) if type(request) is tuple else request)
        elif phase == "added":
            body = dumps({"request": request, "result": result})
        elif type(result) is tuple:
            body = dumps_plain({"result": _RESULTS[self.kind](result), "seconds": plain(self.seconds)})
        else:
            body = dumps({"result": result, "seconds": self.seconds})
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
    def key(self) -> str:
        """The idempotency key of a world-changing call; "" for everything else."""
        request = self._request  # one that has a key is a dict from the start
        return str(request.get("key", "")) if self.kind == "tool" and type(request) is dict else ""

    @property
    def order(self) -> int:
        """Which of the world-changing calls of its run this is, parts included; 0 where that is not recorded."""
        return int(self.request.get("order", 0)) if self.key else 0

    @property
    def part(self) -> int | None:
        """The number of the part of a split run whose end is noted here; None for every other record."""
        number = (self.result or {}).get("number") if (self.kind, self.name) == ("note", "part") else None
        return number if isinstance(number, int) else None
