"""What the loop detector says of recorded runs: `python benchmarks/loop_detection.py RUNS [--unknown-as-same] [--show]`

RUNS is a file of JSON lines, plain or .gz, one run a line: `id`, `source`, `success` (true, false or null), `label`
("loop", "no_loop" or null), `label_origin` ("human", "derived" or null), and `steps` with `tool`, `args`, `kind` and
`result_hash` (null where the result was not recorded). Steps of kind "think" are no calls.

Labels derived by a rule like the detector's own prove little: recall is printed for each origin apart.
`--unknown-as-same` takes every unrecorded result for the same one; `--show` prints the flagged successful runs.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from planexec.guards import Call, NoResult
from planexec.loops import LoopDetector, LoopRules, first_loop
from planexec.tools import Observation

LONG = 6  # calls from which on a run could have gone round a cycle of two three times

Run = dict[str, Any]
RULES = {
    "all four rules": LoopRules(),
    "same alone": LoopRules(cycle=None, alike_times=None, blind=None),
    "cycle alone": LoopRules(same=None, alike_times=None, blind=None),
    "alike alone": LoopRules(same=None, cycle=None, blind=None),
    "blind alone": LoopRules(same=None, cycle=None, alike_times=None),
    "without alike": LoopRules(alike_times=None),
    "without blind": LoopRules(blind=None),
}


def read(path: Path, unknown: str | None) -> list[Run]:
    """The runs of the file, each with `calls` as `first_loop` takes them."""
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    runs: list[Run] = [json.loads(line) for line in content.splitlines()]
    for run in runs:
        steps = [step for step in run["steps"] if step.get("kind") != "think"]
        run["calls"] = [
            (step["tool"], step["args"], unknown if step["result_hash"] is None else step["result_hash"], None)
            for step in steps
        ]
    return runs


def share(runs: Iterable[Run], flagged: Callable[[Run], bool]) -> str:
    """ "2 of 1,737 (0.12 %)": how many of `runs` are flagged."""
    marks = [flagged(run) for run in runs]
    return f"{sum(marks):,} of {len(marks):,} ({100 * sum(marks) / len(marks):.2f} %)" if marks else "none there"


def report(runs: list[Run], name: str, rules: LoopRules) -> dict[str, int]:
    """Print what `rules` say of `runs`; return run id -> index of the call at which they fire."""
    at = {run["id"]: index for run in runs if (index := first_loop(run["calls"], rules)) is not None}

    def flagged(run: Run) -> bool:
        return run["id"] in at

    good = [run for run in runs if run["success"]]
    bad = [run for run in runs if run["success"] is False]
    print(f"\n{name}")
    print(f"  successful runs flagged     {share(good, flagged)}")
    print(f"  ... of {LONG} or more calls      {share([r for r in good if len(r['calls']) >= LONG], flagged)}")
    print(f"  failed runs flagged         {share(bad, flagged)}")
    for origin in ("human", "derived"):
        for label in ("loop", "no_loop"):
            labelled = [run for run in runs if run["label_origin"] == origin and run["label"] == label]
            print(f"  {origin + ' label ' + label:<27} {share(labelled, flagged)}")
    total = sum(len(run["calls"]) for run in bad)
    saved = sum(len(run["calls"]) - 1 - at[run["id"]] for run in bad if flagged(run))
    print(f"  calls of failed runs saved  {saved:,} of {total:,} ({100 * saved / total if total else 0:.1f} %)")
    return at


def by_source(runs: list[Run], at: dict[str, int]) -> None:
    print(f"\n{'source':<36} {'successful flagged':<24} failed flagged")
    for source in sorted({run["source"] for run in runs}):
        ours = [run for run in runs if run["source"] == source]
        columns = [
            share([run for run in ours if run["success"] is success], lambda run: run["id"] in at)
            for success in (True, False)
        ]
        print(f"{source:<36} {columns[0]:<24} {columns[1]}")


def show_flagged(runs: list[Run]) -> None:
    for run in runs:
        detector = LoopDetector()
        alarms = [loop for call in run["calls"] if (loop := detector.add(*call))] if run["success"] else []
        if alarms:
            print(f"\n{run['id']}: {alarms[0].text} (from call {alarms[0].first_index})")
            for index, (tool, args, result, _) in enumerate(run["calls"]):
                print(f"  {index} {tool} {json.dumps(args, ensure_ascii=False)[:160]} -> {result}")


NOTHING = re.compile(
    r"no (?:results?|matches)|not found|could ?n[o']t find|nothing (?:found|happens)|invalid action", re.I
)


def observed(step: dict[str, Any]) -> Observation:
    """A recorded result as the counter sees it: failed where the log says so, empty where its text says so."""
    text = step.get("result_digest") or ""
    if step.get("ok") is False:
        return Observation("failed", text)
    nothing = step["result_hash"] is not None and (not text.strip() or bool(NOTHING.search(text[:300])))
    return Observation("empty" if nothing else "found", text)


def no_result_counter(runs: list[Run]) -> None:
    """What the counter against empty results would do, apart from the detector: nudges and conclusions."""
    print("\nno-result counter (a nudge after 2 in a row of one tool, an end after 3)")
    for name, success in (("successful", True), ("failed", False)):
        ours = [run for run in runs if run["success"] is success]
        decided: dict[str, set[str]] = {"nudge": set(), "conclude": set()}
        for run in ours:
            counter = NoResult().start()
            for step in (step for step in run["steps"] if step.get("kind") != "think"):
                verdict = counter.after(Call(step["tool"], step["args"], "run"), observed(step))
                if verdict is not None:
                    decided[verdict.action].add(run["id"])
        for action, ids in decided.items():
            print(f"  {name + ' runs with a ' + action:<32} {share(ours, lambda run, ids=ids: run['id'] in ids)}")


def microseconds(runs: list[Run]) -> float:
    """CPU time of one call of the detector on these runs, the best of five passes."""
    passes = []
    for _ in range(5):
        begun = time.process_time()
        for run in runs:
            detector = LoopDetector()
            for call in run["calls"]:
                detector.add(*call)
        passes.append(time.process_time() - begun)
    return min(passes) * 1e6 / max(1, sum(len(run["calls"]) for run in runs))


def main() -> None:
    parser = argparse.ArgumentParser(description="What the loop detector says of recorded runs.")
    parser.add_argument("runs", type=Path, help="JSON lines, plain or .gz")
    parser.add_argument("--unknown-as-same", action="store_true", help="take unrecorded results for one and the same")
    parser.add_argument("--show", action="store_true", help="print the flagged successful runs")
    options = parser.parse_args()
    runs = read(options.runs, "" if options.unknown_as_same else None)
    print(f"{len(runs):,} runs, {sum(len(run['calls']) for run in runs):,} calls")
    flagged = {name: report(runs, name, rules) for name, rules in RULES.items()}
    by_source(runs, flagged["all four rules"])
    no_result_counter(runs)
    if options.show:
        show_flagged(runs)
    print(f"\n{microseconds(runs):.1f} microseconds of CPU a call")


if __name__ == "__main__":
    main()
