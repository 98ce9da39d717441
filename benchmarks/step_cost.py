"""CPU microseconds a step (one model turn and one tool call, stub model): bare loop, ours in memory, ours with SQLite.

    python benchmarks/step_cost.py [--steps 10 100 1000 10000] [--json]

Prints a table and, for the journal in a file, bytes a step. CPU time of this process, best of several rounds:
machines are noisy.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from planexec import Journal, Limits, tool
from planexec.chat import Reply, ToolCall, Usage, assistant, tool_message, user
from planexec.gate import Ended
from planexec.react_loop import Trace, loop
from planexec.run import Run


@tool
def look(n: int) -> str:
    """Look up the n-th fact.

    Args:
        n: which fact
    """
    return f"fact number {n}: the figure is {n * 7}"


class Stub:
    """Calls the tool for ever, or until `most` turns, then answers."""

    name, price = "stub", None

    def __init__(self, most: int):
        self.most, self.turn = most, 0

    def reply(self, messages: Any, **options: Any) -> Reply:
        self.turn += 1
        if self.turn > self.most:
            return Reply("done", message=assistant("done"), usage=Usage(10, 2, None, 0.0))
        arguments = f'{{"n": {self.turn}}}'
        call = ToolCall(f"c{self.turn}", "look", {"n": self.turn})
        usage = Usage(10, 2, None, 0.0)
        return Reply("", (call,), "tool_calls", usage, message=assistant("", [call], [arguments]))


def bare(steps: int) -> int:
    """The same work without any package: the floor."""
    model, messages = Stub(steps), [user("go")]
    while True:
        reply = model.reply(messages)
        messages.append(reply.message)
        if not reply.tool_calls:
            return 0
        for call in reply.tool_calls:
            messages.append(tool_message(call, look(**(call.args or {}))))


def guarded(steps: int, path: Path | None = None) -> int:
    """The same work through the gate, every guard on; bytes of the journal's file, if any."""
    journal = Journal(path)
    run = Run("go", model=Stub(steps), tools=[look], limits=Limits.none(), journal=journal)
    try:
        loop(run, Trace([user("go")]))
    except Ended as ended:
        raise RuntimeError(f"the benchmark was stopped: {ended.stop}") from None
    journal.close()
    return sum(os.path.getsize(f) for f in path.parent.iterdir() if f.name.startswith(path.name)) if path else 0


def cpu(work: Callable[[], int], rounds: int) -> tuple[float, int]:
    """Least CPU seconds of some rounds, and the bytes of the last."""
    best, size = float("inf"), 0
    for _ in range(rounds):
        begun = time.process_time()
        size = work()
        best = min(best, time.process_time() - begun)
    return best, size


def table(counts: list[int]) -> list[dict[str, Any]]:
    rows = []
    look.carry_out({"n": 0})  # the schema is built on first use: not what is measured here
    for steps in counts:
        rounds = max(1, min(15, 4_000 // steps))
        row: dict[str, Any] = {"steps": steps, "bare_us": cpu(lambda n=steps: bare(n), rounds)[0] / steps * 1e6}
        row["memory_us"] = cpu(lambda n=steps: guarded(n), rounds)[0] / steps * 1e6

        def on_disk(n: int = steps) -> int:
            with tempfile.TemporaryDirectory() as folder:
                return guarded(n, Path(folder) / "run.db")

        seconds, size = cpu(on_disk, rounds)
        row |= {"sqlite_us": seconds / steps * 1e6, "bytes_a_step": size / steps}
        rows.append({key: round(value, 1) for key, value in row.items()})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, nargs="+", default=[10, 100, 1_000, 10_000])
    parser.add_argument("--json", action="store_true", help="one JSON list instead of a table")
    given = parser.parse_args()
    rows = table(given.steps)
    if given.json:
        print(json.dumps(rows))
        return
    print(f"{'steps':>7} {'bare':>9} {'memory':>9} {'SQLite':>9} {'bytes a step':>13}   (CPU microseconds a step)")
    for row in rows:
        print(
            f"{row['steps']:>7,} {row['bare_us']:>9} {row['memory_us']:>9} {row['sqlite_us']:>9} "
            f"{row['bytes_a_step']:>13,}"
        )


if __name__ == "__main__":
    main()
