"""CPU microseconds a step (one model turn and one tool call, stub model): bare loop, ours in memory, ours with SQLite.

    python benchmarks/step_cost.py [--steps 10 100 1000 10000] [--json]

Prints a table and, for the journal in a file, bytes a step. A row is a whole run divided by its steps, so that what a
run costs once (its file is made, and put together at the end) weighs most in the short ones; the line below it takes
the two apart. The stub's replies are made beforehand. CPU time of this process, best of several rounds: machines are
noisy.
"""

from __future__ import annotations

import argparse
import gc
import itertools
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
    """Gives the replies it was made with, one after the other."""

    name, price = "stub", None

    def __init__(self, replies: list[Reply]):
        self.replies = iter(replies)

    def reply(self, messages: Any, **options: Any) -> Reply:
        return next(self.replies)


def script(steps: int) -> list[Reply]:
    """As many replies that call the tool, each with other arguments, and an answer."""
    replies = []
    for turn in range(1, steps + 1):
        call, usage = ToolCall(f"c{turn}", "look", {"n": turn}), Usage(10, 2, None, 0.0)
        message = assistant("", [call], [f'{{"n": {turn}}}'])
        replies.append(Reply("", (call,), "tool_calls", usage, message=message))
    return [*replies, Reply("done", message=assistant("done"), usage=Usage(10, 2, None, 0.0))]


def bare(replies: list[Reply]) -> int:
    """The same work without any package: the floor."""
    model, messages = Stub(replies), [user("go")]
    while True:
        reply = model.reply(messages)
        messages.append(reply.message)
        if not reply.tool_calls:
            return 0
        for call in reply.tool_calls:
            messages.append(tool_message(call, look(**(call.args or {}))))


def guarded(replies: list[Reply], path: Path | None = None) -> int:
    """The same work through the gate, every guard and the counting limits on; bytes of the journal's file, if any."""
    journal, enough = Journal(path), 2 * len(replies)
    limits = Limits(max_steps=enough, max_model_calls=enough, max_tool_calls=enough, max_calls_per_tool=enough)
    run = Run("go", model=Stub(replies), tools=[look], limits=limits, journal=journal)
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
        rounds, replies = max(3, min(40, 8_000 // steps)), script(steps)
        gc.collect()
        gc.freeze()  # the stub's replies are not for the collector to go through again and again
        row: dict[str, Any] = {"steps": steps, "bare_us": cpu(lambda r=replies: bare(r), rounds)[0] / steps * 1e6}
        row["memory_us"] = cpu(lambda r=replies: guarded(r), rounds)[0] / steps * 1e6

        with tempfile.TemporaryDirectory() as folder:
            files = (Path(folder) / f"run-{number}.db" for number in itertools.count())
            seconds, size = cpu(lambda r=replies, f=files: guarded(r, next(f)), rounds)
        row |= {"sqlite_us": seconds / steps * 1e6, "bytes_a_step": size / steps}
        rows.append({key: round(value, 1) for key, value in row.items()})
        gc.unfreeze()
    return rows


def apart(rows: list[dict[str, Any]], name: str) -> tuple[float, float]:
    """(microseconds a further step costs, microseconds a run costs once), from the first and the last but one row."""
    short, long = rows[0], rows[-2]
    first, second = short[name] * short["steps"], long[name] * long["steps"]
    slope = (second - first) / (long["steps"] - short["steps"])
    return slope, first - slope * short["steps"]


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
    if len(rows) > 2:
        print(f"between {rows[0]['steps']:,} and {rows[-2]['steps']:,} steps:")
        for name in ("bare_us", "memory_us", "sqlite_us"):
            step, once = apart(rows, name)
            print(f"  {name.removesuffix('_us'):<7}{step:>8.1f} a further step, {once:>8.0f} once a run")


if __name__ == "__main__":
    main()
