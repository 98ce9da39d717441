"""Of which world-changing calls of a run nobody knows whether they happened: over all its parts, in the order made.

A call that was interrupted, or whose answer was lost, is in doubt until a later one like it is known to have worked.
Every such call carries in its record the number it had in the whole run (`order`): the numbers of records count in one
file only, and a part that is taken up again goes on after later ones. What asks by it is in `effects.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from planexec.journal import Journal


class Made(NamedTuple):
    """A world-changing call as a journal has it. `worked`: it is known to have happened; else nobody knows."""

    order: int
    name: str
    args: Any
    fingerprint: str
    key: str
    worked: bool = False


class Doubts:
    """The calls in doubt, by `Call.key`, and the idempotency key of the first of each; shared by the parts of a run."""

    def __init__(self) -> None:
        self.first: dict[str, str] = {}
        self._last = 0  # the highest order so far

    def gather(self, made: Iterable[Made], call: Callable[[Made], str]) -> None:
        """Begin with what is recorded. `call`: one name for all spellings, "" for a call that may be repeated."""
        known = list(made)
        found = {name: doubtful[0].key for name, doubtful in still_in_doubt(known, call).items()}
        for gone in self.first.keys() - found.keys():
            del self.first[gone]
        self.first.update(found)
        self._last = max([self._last, *(each.order for each in known)])

    def next_order(self) -> int:
        """The number of a call that is made now."""
        self._last += 1
        return self._last

    def hear(self, call: str, key: str, kind: str) -> None:
        """What became of a call just now, by the kind of its observation."""
        if kind == "unknown":
            self.first.setdefault(call, key)
        elif kind in ("found", "empty"):
            self.first.pop(call, None)


def still_in_doubt(made: Iterable[Made], call: Callable[[Made], str]) -> dict[str, list[Made]]:
    """The doubtful calls that no later success of the same call has settled, the first first."""
    found: dict[str, list[Made]] = {}
    for each in sorted(made, key=lambda made: made.order):
        name = call(each)
        if name and not each.worked:
            found.setdefault(name, []).append(each)
        elif name and each.order:  # one without a number says nothing about others
            found.pop(name, None)
    return found


def made_in(journal: Journal) -> Iterator[Made]:
    """The world-changing calls of one journal, superseded ones too, that worked or may have; and those that its run
    left behind when it was forked.
    """
    for left in journal.header.get("doubts", ()):
        yield Made(**left)
    for record in (*journal.superseded(), *journal.records()):
        if not record.key:
            continue
        kind = record.result["observation"]["kind"] if record.result is not None else "unknown"
        if kind in ("unknown", "found", "empty"):
            request = record.request
            key, worked = request.get("again", record.key), kind != "unknown"
            yield Made(record.order, record.name, request["args"], record.fingerprint, key, worked)
