"""How often simple loop rules fire in public runs of other people's agents: our counts (data/course/public_runs.json).

Only the numbers ship, with how they were counted; the runs are not ours. A successful run in which a rule fires is an
upper bound of the rule's false alarms, because some successful runs do repeat themselves.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from planexec.paths import data_path


@dataclass(frozen=True)
class PublicRuns:
    """The counts. `rules` maps the name of each rule to its words, in which k is a number of times."""

    data: Mapping[str, Any]

    @property
    def rules(self) -> Mapping[str, str]:
        return dict(self.data["rules"])

    @property
    def successful(self) -> int:
        """How many successful runs were counted."""
        return int(self.data["runs"]["successful"])

    @property
    def note(self) -> str:
        """Who counted what, and where the runs are from."""
        sources = ", ".join(self.data["sources"])
        return f"{self.data['method']} Counted by us on {self.data['counted']}. Sources: {sources}."

    def false_alarms(self, rule: str, long: bool = False) -> list[tuple[int, float]]:
        """[(2, 4.3), (3, 1.0), ...]: per cent of successful runs in which `rule` fires at each k.

        `long`: only the runs of six or more calls, because short ones cannot repeat.
        """
        return [(int(k), pair[long]) for k, pair in self.data["successful_percent"][rule].items()]

    def percent(self, rule: str, k: int, long: bool = False) -> float | None:
        """The same for one k; None where it was not counted."""
        return dict(self.false_alarms(rule, long)).get(k)

    def failed(self, rule: str, k: int) -> tuple[float, float, float, float]:
        """In failed runs: per cent in which it fires; share of failures where it fires, and among runs as long; per
        cent of the calls that come after it fired."""
        one, two, three, four = self.data["failed_percent"][rule][str(k)]
        return one, two, three, four

    @property
    def families(self) -> Sequence[Mapping[str, Any]]:
        """One row a kind of task."""
        return tuple(self.data["families"]["rows"])


@cache
def public_runs() -> PublicRuns:
    return PublicRuns(json.loads(data_path("course", "public_runs.json").read_text(encoding="utf-8")))
