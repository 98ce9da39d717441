"""Whole guarded runs a second and core: the finance question, planned, executed, replanned, reported and judged.

    python benchmarks/run_speed.py [--runs 100] [--json]

Everything is in memory and in this process: simulated model, tools, every guard, journal, judge. The clock is the CPU
time of this process, the best of several rounds, because machines are noisy. Then it says where the time goes: the
share of each room, by its own functions and the library calls they make, under the profiler (which makes calls look
dearer than they are, so shares are worth more than their sum).
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import time
from collections import Counter
from pathlib import Path
from typing import Any

import planexec
from planexec.trials import Scenario, Setting
from planexec.trials.engine import one

HOME = str(Path(planexec.__file__).parent)
SETTING = Setting("guarded")
QUESTIONS = {
    "allocation, planned (about 9 model and 7 tool calls)": Scenario("finance", "allocation"),
    "one step, routed (about 3 model calls and 1 tool call)": Scenario("finance", "sectors"),
}
ROOMS = (
    ("models", "the simulated model"),
    ("plans", "reading plans"),
    ("worlds", "tools of the world"),
    ("trials", "setting up and judging"),
    ("journal.py journal_file.py questions.py records.py", "the journal"),
    ("loops.py guards.py canonical.py limits.py verdicts.py", "counters and limits"),
    ("run.py gate.py model_gate.py tool_gate.py admission.py approval.py conversation.py tools.py chat.py", "the gate"),
    ("deadline.py clock.py failures.py mending.py ledger.py", "the gate"),
)
LOOPS = "the loops and their prompts"


def work(scenario: Scenario, runs: int) -> None:
    for seed in range(runs):
        row = one((scenario, SETTING, seed))
        if row["outcome"] != "right":
            raise RuntimeError(f"seed {seed}: {row['outcome']} {row['error']}")


def runs_a_second(scenario: Scenario, runs: int, rounds: int = 7) -> float:
    """The best of some rounds, by CPU time."""
    work(scenario, 10)  # worlds, patterns and schemas are made on first use: not what is measured here
    best = float("inf")
    for _ in range(rounds):
        begun = time.process_time()
        work(scenario, runs)
        best = min(best, time.process_time() - begun)
    return runs / best


def shares(scenario: Scenario, runs: int) -> dict[str, float]:
    """Room -> its part of the time in per cent; what a library does counts for the room that called it."""
    profile = cProfile.Profile()
    profile.runcall(work, scenario, runs)
    spent: Counter[str] = Counter()
    for (file, _, _), (_, _, own, _, callers) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        if file.startswith(HOME) or not callers:
            spent[room(file)] += own
            continue
        whole = sum(each[2] for each in callers.values()) or 1.0
        for (caller, _, _), each in callers.items():
            spent[room(caller)] += own * each[2] / whole
    whole = sum(spent.values())
    return {name: round(100 * seconds / whole, 1) for name, seconds in spent.most_common()}


def room(file: str) -> str:
    """Which room a file belongs to."""
    if not file.startswith(HOME):
        return "libraries called by libraries"
    parts = Path(file).relative_to(HOME).parts
    return next((says for names, says in ROOMS if parts[0] in names.split()), LOOPS)


def measure(runs: int) -> dict[str, Any]:
    rates = {name: round(runs_a_second(scenario, runs)) for name, scenario in QUESTIONS.items()}
    return {"runs_a_second": rates, "percent_of_time": shares(next(iter(QUESTIONS.values())), runs)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    given = parser.parse_args()
    measured = measure(given.runs)
    if given.json:
        print(json.dumps(measured))
        return
    for name, rate in measured["runs_a_second"].items():
        print(f"{rate:>7,} runs a second and core   {name}")
    print("\nwhere the time of the first goes:")
    for name, percent in measured["percent_of_time"].items():
        print(f"{percent:>6} %  {name}")


if __name__ == "__main__":
    main()
