"""Which budget for which kind of question: the same run under every `max_steps`, many seeds, kept as a small table.

    spread = spreads()["flights"]            # from data/course/budgets.json
    spread.success(2), spread.cut_short(2), spread.calls_wasted(8), spread.tokens_used(8)
    python -m planexec.trials.budgets        # makes the file anew, some minutes

Seven kinds of questions, one-step ones by ReAct and chains by a plan, each under 1 to 14 turns and under 30.
In the setting "bare" the budget is the only brake; in "guarded" the counters are on as well, and further tries of
a failed call and the three turns of a line. A run that ended before its budget is the same run under every larger one
and is not carried out again.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from planexec.limits import Limits
from planexec.paths import data_path
from planexec.trials.engine import one
from planexec.trials.scenario import NO_LIMITS, Scenario, Setting
from planexec.trials.table import Row

ROOM = 30  # turns that cost no run its answer; a run that would go on ends here, too
BUDGETS = (*range(1, 15), ROOM)
SEEDS, BLOCK = 200, 50  # seeds of a question; those that share a row of the table
SETTINGS = ("bare", "guarded")
FILE = "budgets.json"
SUMS = ("right", "cut", "calls", "wasted", "tokens")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of question: how it is put, what it asks for one after the other, and its published grade.

    `chain` counts the look-ups and calculations as a task is drawn there, each after the one before. Our own plans
    have as many lines, but fewer of them wait for another.
    """

    about: str
    loop: str
    chain: int
    grade: str
    questions: tuple[tuple[str, str], ...]

    def scenarios(self) -> list[Scenario]:
        return [Scenario(world, name, loop=self.loop, case=f"{world}/{name}") for world, name in self.questions]


KINDS: Mapping[str, Kind] = {
    "sectors": Kind("which sectors benefit?", "react", 1, "simple", (("finance", "sectors"),)),
    "orders": Kind(
        "has it shipped? then mail me",
        "react",
        2,
        "simple",
        tuple(("orders", name) for name in ("shipped", "not_shipped", "unknown", "same_name")),
    ),
    "flights": Kind(
        "was it delayed, and by the weather?",
        "react",
        2,
        "simple",
        tuple(("flights", name) for name in ("weather", "other", "on_time", "no_data", "service_down")),
    ),
    "split": Kind("how much for banks and property?", "plan", 4, "medium", (("finance", "split"),)),
    "duty": Kind("prepare me for my shift", "plan", 4, "medium", (("duty", "prepare"),)),
    "allocation": Kind("how to allocate an account?", "plan", 5, "complex", (("finance", "allocation"),)),
    "survey": Kind("a report on five sides", "plan", 5, "complex", (("research", "survey"),)),
}


def setting(name: str, max_steps: int) -> Setting:
    """One of `SETTINGS` with a budget; a limit leaves the last word in both."""
    if name == "bare":
        return Setting(name, limits=NO_LIMITS.with_(max_steps=max_steps), guards=())
    return Setting(name, limits=Limits(max_steps=max_steps))


def ladder(scenario: Scenario, name: str, seed: int) -> list[Row]:
    """One run under each of `BUDGETS`, as the rows of a trial."""
    rows: list[Row] = []
    for before, budget in zip((0, *BUDGETS), BUDGETS, strict=False):
        if rows and rows[-1]["steps"] < before:
            rows.append(rows[-1])
        else:
            rows.append(one((scenario, setting(name, budget), seed)))
    return rows


@dataclass(frozen=True, slots=True)
class Spread:
    """Runs of one kind, by budget. `used`: turns with room for all; `needed`: the least budget that made it right.

    A run that is never right counts under 0 in `needed`. The five sums stand in the order of `BUDGETS`.
    """

    runs: int
    used: Mapping[int, int]
    needed: Mapping[int, int]
    right: tuple[int, ...]
    cut: tuple[int, ...]
    calls: tuple[int, ...]
    wasted: tuple[int, ...]
    tokens: tuple[int, ...]

    def success(self, budget: int) -> float:
        """Per cent of the runs that are right under this budget."""
        return 100 * self._at(self.right, budget)

    def cut_short(self, budget: int) -> float:
        """Per cent of the runs that are right with room for all, and not under this budget."""
        return 100 * self._at(self.cut, budget)

    def calls_wasted(self, budget: int) -> float:
        """Tool calls of a run beyond those of the least budget that made the same run right."""
        return self._at(self.wasted, budget)

    def tokens_used(self, budget: int) -> float:
        """Tokens of a run, those of a cut one included."""
        return self._at(self.tokens, budget)

    def _at(self, sums: tuple[int, ...], budget: int) -> float:
        return sums[BUDGETS.index(budget)] / self.runs

    def least(self, share: float = 0.95) -> int:
        """The least budget under which at least `share` of the runs are right that are right with room for all."""
        good = self.right[-1]
        return next(budget for budget, right in zip(BUDGETS, self.right, strict=True) if right >= share * good)


def ladders(kind: str, name: str, seeds: Iterable[int]) -> list[list[Row]]:
    """The ladders of all questions of one kind."""
    listed = list(seeds)
    return [ladder(scenario, name, seed) for scenario in KINDS[kind].scenarios() for seed in listed]


def spread_of(climbed: Iterable[Sequence[Row]]) -> Spread:
    """Ladders as one spread."""
    return _added([_of(rows) for rows in climbed])


def _of(rows: Sequence[Row]) -> Spread:
    """One run under every budget."""
    right = [bool(row["success"]) for row in rows]
    first = right.index(True) if any(right) else len(rows)
    least = rows[first]["tool_calls"] if any(right) else 0
    return Spread(
        1,
        {int(rows[-1]["steps"]): 1},
        {BUDGETS[first] if any(right) else 0: 1},
        tuple(map(int, right)),
        tuple(int(right[-1] and not good) for good in right),
        tuple(int(row["tool_calls"]) for row in rows),
        tuple(max(0, row["tool_calls"] - least) if good else 0 for row, good in zip(rows, right, strict=True)),
        tuple(int(row["prompt_tokens"] + row["completion_tokens"]) for row in rows),
    )


def _added(spreads: Sequence[Spread]) -> Spread:
    used: Counter[int] = Counter()
    needed: Counter[int] = Counter()
    for each in spreads:
        used.update(each.used)
        needed.update(each.needed)
    sums = [tuple(map(sum, zip(*(getattr(each, name) for each in spreads), strict=True))) for name in SUMS]
    return Spread(sum(each.runs for each in spreads), dict(sorted(used.items())), dict(sorted(needed.items())), *sums)


# ------------------------------------------------------------------------------------------------- kept


def spreads(name: str = "bare", blocks: Iterable[int] | None = None) -> dict[str, Spread]:
    """The kept runs of a setting by kind; `blocks` takes only some of the seeds: block 1 is the seeds 50 to 99."""
    chosen = range(SEEDS // BLOCK) if blocks is None else list(blocks)
    rows = _kept()["rows"]
    return {
        kind: _added(
            [_read(row) for row in rows if (row["setting"], row["kind"]) == (name, kind) and row["block"] in chosen]
        )
        for kind in KINDS
    }


def carried_out() -> int:
    """How many runs the kept table stands for, not counting those that need not be carried out again."""
    return sum(row["carried_out"] for row in _kept()["rows"])


@cache
def _kept() -> Any:
    return json.loads(data_path("course", FILE).read_text(encoding="utf-8"))


def _read(row: Mapping[str, Any]) -> Spread:
    used, needed = ({int(steps): count for steps, count in row[name].items()} for name in ("used", "needed"))
    right, cut, calls, wasted, tokens = (tuple(row[name]) for name in SUMS)
    return Spread(row["runs"], used, needed, right, cut, calls, wasted, tokens)


def made(kind: str, name: str, block: int) -> dict[str, Any]:
    """One row of the kept table, carried out now."""
    climbed = ladders(kind, name, range(block * BLOCK, (block + 1) * BLOCK))
    spread = spread_of(climbed)
    counts = {part: {str(steps): n for steps, n in getattr(spread, part).items()} for part in ("used", "needed")}
    head = {"setting": name, "kind": kind, "block": block, "runs": spread.runs}
    carried = sum(len({id(row) for row in rows}) for rows in climbed)
    return {**head, "carried_out": carried, **counts, **{part: list(getattr(spread, part)) for part in SUMS}}


def main() -> None:
    """Make the kept table anew."""
    rows = []
    for name in SETTINGS:
        for kind in KINDS:
            rows += [made(kind, name, block) for block in range(SEEDS // BLOCK)]
            print(f"{name} {kind}", file=sys.stderr, flush=True)
    about = "Runs of the simulated model (preset articles) by budget; made by python -m planexec.trials.budgets"
    lines = ",\n".join("  " + json.dumps(row) for row in rows)
    text = f'{{\n "about": {json.dumps(about)},\n "budgets": {json.dumps(BUDGETS)},\n "rows": [\n{lines}\n ]\n}}\n'
    (data_path("course") / FILE).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
