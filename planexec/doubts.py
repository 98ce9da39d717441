"""Of which world-changing calls of a run nobody knows whether they happened: over all its parts, in the order made.

A call that was interrupted, or whose answer was lost, is in doubt until a later one like it is known to have worked.
Every such call carries in its record the number it had in the whole run (`order`): the numbers of records count in one
file only, and a part that is taken up again goes on after later ones. What asks by it is in `effects.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from planexec.canonical import call_key

if TYPE_CHECKING:
    from planexec.journal import Journal


class Made(NamedTuple):
    """A world-changing call as a journal has it. `same` is one name for all spellings of the call (`Call.key`), `key`
    the idempotency key that a service got. `worked`: it is known to have happened; else nobody knows.
    """

    order: int
    same: str
    key: str
    worked: bool = False


class Doubts:
    """The calls in doubt: for each the idempotency key of the first, and the number of the last. The parts of a run
    share them.
    """

    def __init__(self) -> None:
        self._open: dict[str, tuple[str, int]] = {}
        self._last = 0  # the highest order so far

    def gather(self, made: Iterable[Made]) -> None:
        """Begin with what is recorded."""
        known = list(made)
        found = {same: (calls[0].key, calls[-1].order) for same, calls in still_in_doubt(known).items()}
        for gone in self._open.keys() - found.keys():
            del self._open[gone]
        self._open.update(found)
        self._last = max([self._last, *(each.order for each in known)])

    def next_order(self) -> int:
        """The number of a call that is made now."""
        self._last += 1
        return self._last

    def first(self, same: str) -> str:
        """The key of the first of the calls that are in doubt; "" when none is."""
        return self._open.get(same, ("", 0))[0]

    def hear(self, made: Made) -> None:
        """What became of a call just now."""
        key, last = self._open.get(made.same, (made.key, 0))
        if not made.worked:
            self._open[made.same] = key, max(last, made.order)
        elif last <= made.order:
            self._open.pop(made.same, None)


def still_in_doubt(made: Iterable[Made]) -> dict[str, list[Made]]:
    """The doubtful calls that no later success of the same call has settled, the first first."""
    found: dict[str, list[Made]] = {}
    for each in sorted(made, key=lambda made: made.order):
        if not each.worked:
            found.setdefault(each.same, []).append(each)
        elif each.order:  # one without a number says nothing about others
            found.pop(each.same, None)
    return found


def made_in(journal: Journal) -> Iterator[Made]:
    """The world-changing calls of one journal, superseded ones too, that worked or may have; and those that its run
    left behind when it was forked.
    """
    for left in journal.header.get("doubts", ()):
        yield Made(left.get("order", 0), left.get("same") or call_key(left["name"], left["args"]), left["key"])
    for record in (*journal.superseded(), *journal.records()):
        if not record.key:
            continue
        result = record.result or {"observation": {"kind": "unknown"}}
        kind, first = result["observation"]["kind"], record.request.get("again", record.key)
        if tells(kind, result.get("admitted", True), first == record.key):
            same = record.request.get("same") or f"{record.name}:{record.fingerprint}"
            yield Made(record.order, same, first, kind != "unknown")


def tells(kind: str, admitted: bool, is_first: bool) -> bool:
    """True where this says whether a call happened. A repeat that a person did not want only leaves the doubt there is;
    but another branch's call (which has the same key) is in doubt from then on.
    """
    return kind in ("found", "empty") or (kind == "unknown" and (admitted or is_first))
