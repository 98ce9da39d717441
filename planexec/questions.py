"""The questions of one run to a person, and what was answered: who may still answer what, and how often.

Nothing is written down here: that is the journal's part.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planexec.records import JournalError


class Questions:
    """Questions by id, in the order in which they were asked. `wall`: seconds, the same clock in every process."""

    def __init__(self, wall: Callable[[], float]):
        self._wall = wall
        self._open: dict[str, dict[str, Any]] = {}  # answered ones too
        self._asked: dict[str, int] = {}  # the row in which each was asked
        self._answers: dict[str, dict[str, Any]] = {}

    def __contains__(self, request_id: str) -> bool:
        return request_id in self._open

    def dated(self, request: dict[str, Any]) -> dict[str, Any]:
        """A question that expires is kept with the moment at which it was first asked."""
        return {"at": self._wall(), **request} if request.get("expires") is not None else request

    def get(self, request_id: str) -> dict[str, Any] | None:
        """The question as it is kept, answered or not; None when it was never put to anybody."""
        return self._open.get(request_id)

    def put(self, request: dict[str, Any], row: int) -> None:
        self._open[request["id"]], self._asked[request["id"]] = request, row

    def accept(self, request_id: str, answer: dict[str, Any]) -> None:
        self._answers[request_id] = answer

    def answer_to(self, request_id: str) -> dict[str, Any] | None:
        return self._answers.get(request_id)

    def waits(self, request_id: str) -> bool:
        """True for a question that was asked and not answered; an answer that comes too late is another matter."""
        return request_id in self._open and request_id not in self._answers

    def pending(self) -> list[dict[str, Any]]:
        """The questions nobody has answered yet and that still wait for an answer."""
        return [each for id_, each in self._open.items() if self.waits(id_) and not self.expired(id_)]

    def expired(self, request_id: str) -> bool:
        """True when nobody answered a kept question within its `expires` seconds; then it counts as rejected."""
        request = self._open.get(request_id, {})
        late = "at" in request and self._wall() - request["at"] >= request["expires"]
        return late and request_id not in self._answers

    def check(self, request_id: str) -> None:
        """JournalError when this question cannot be answered (any more)."""
        if request_id not in self._open:
            known = ", ".join(request["id"] for request in self.pending()) or "none"
            raise JournalError(f"there is no open request {request_id!r}; open are: {known}")
        if request_id in self._answers:
            raise JournalError(f"request {request_id!r} has already been answered; an answer is used once")
        if self.expired(request_id):
            raise JournalError(f"request {request_id!r} has expired; it counts as rejected")

    def drop_from(self, row: int) -> None:
        """What was asked in this row or later no longer counts."""
        for request_id in [name for name, asked in self._asked.items() if asked >= row]:
            del self._asked[request_id], self._open[request_id]
            self._answers.pop(request_id, None)
