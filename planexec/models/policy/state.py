"""Where a conversation stands: what is wanted in it, what each need has got so far, and what it may be asked with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from planexec.models.policy.dials import Dice
from planexec.models.policy.facts import Brought, listed, meets, read_in, rows_in
from planexec.models.policy.hands import ToolView, choose
from planexec.models.policy.lacks import due
from planexec.models.policy.reading import Seen
from planexec.models.policy.stopping import StopRules, stop_rules
from planexec.models.policy.tables import Row
from planexec.models.policy.tasks import Task, Wanted


@dataclass(frozen=True)
class State:
    """One conversation read against one task. `scope`: the needs it is about; `earlier`: results of other steps."""

    task: Task
    scope: tuple[Wanted, ...]
    seen: tuple[Seen, ...]
    system: str
    tools: Sequence[ToolView]
    dice: Dice
    calls: tuple[Brought, ...]
    earlier: tuple[Brought, ...] = ()

    @cached_property
    def since(self) -> int:
        """Index of the first call that counts: a model that panics starts over and forgets what it had (`panic`)."""
        overs = [i for i, call in enumerate(self.calls) if call.kind == "failed" and self.after_failure(i) == "over"]
        return overs[-1] + 1 if overs else 0

    def setbacks(self, index: int) -> int:
        """Empty and failed results before the call at `index`: the opportunities for `amnesia` so far."""
        return sum(call.kind in ("empty", "failed") for call in self.calls[:index])

    def after_failure(self, index: int) -> str:
        """What follows the failed call at `index`: "again" (the same), "over" (from the start) or "" (neither).

        A call that has just been tried again is more likely to end in panic, a fresh one in being tried again.
        """
        again = self.dice.strikes("amnesia", self.setbacks(index))
        over = self.dice.strikes("panic", sum(call.kind == "failed" for call in self.calls[:index]))
        retried = index > 0 and (self.seen[index].name, self.seen[index].args) == (
            self.seen[index - 1].name,
            self.seen[index - 1].args,
        )
        if retried:
            return "over" if over else "again" if again else ""
        return "again" if again else "over" if over else ""

    @cached_property
    def rules(self) -> StopRules:
        return stop_rules(self.system)

    @property
    def lang(self) -> str:
        return self.task.lang

    def tool_for(self, wanted: Wanted) -> ToolView | None:
        return choose(self.task.known.tools.get(wanted.need.tool), self.tools)

    # ------------------------------------------------------------------------------------ what a need has got

    def brought(self, wanted: Wanted) -> tuple[Brought, ...]:
        """The results of this conversation that were asked for `wanted`, from the last new start on."""
        return tuple(each for each in self.calls[self.since :] if each.wanted is wanted)

    def texts(self, wanted: Wanted) -> tuple[str, ...]:
        """Every found text for `wanted`, of earlier steps and of this conversation."""
        return tuple(
            each.text
            for each in (*self.earlier, *self.brought(wanted))
            if each.wanted is wanted and each.kind == "found"
        )

    def met(self, wanted: Wanted) -> bool:
        return any(meets(self.task, wanted, text) for text in self.texts(wanted))

    def asked(self, wanted: Wanted) -> bool:
        return any(not each.extra for each in self.brought(wanted))

    def rows(self, wanted: Wanted) -> tuple[Row, ...]:
        return rows_in(self.task, wanted, self.texts(wanted))

    def names(self, wanted: Wanted) -> tuple[str, ...]:
        """The names that the needs before `wanted` brought, for its blanks."""
        for each in self.task.waits(wanted):
            names = listed(self.task, each, self.texts(each))
            if names:
                return names
        return ()

    def ready(self, wanted: Wanted) -> bool:
        """Everything `wanted` waits for is there (or was not asked of this question at all)."""
        return all(self.met(each) for each in self.task.waits(wanted))

    def due(self, wanted: Wanted) -> bool:
        """Not ruled out by what another result says (`only_if`)."""
        return due(self.task, (*self.earlier, *self.calls[self.since :]), wanted)

    def read(self, need: str, name: str) -> str:
        """What the results for the need called `need` say under `name`."""
        texts = ((each, self.texts(each)) for each in self.task.wanted if each.need.id == need)
        return next((said for each, found in texts if (said := read_in(each, name, found))), "")

    @property
    def open(self) -> list[Wanted]:
        """What is neither met, nor given up, nor ruled out, in order."""
        return [each for each in self.scope if not self.asked(each) and not self.met(each) and self.due(each)]
