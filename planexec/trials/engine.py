"""Carry out many runs and collect one row each: in this process, or by any executor; saved as they come, resumed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor, as_completed
from pathlib import Path
from typing import Any

from planexec.canonical import digest
from planexec.trials.judge import measure
from planexec.trials.scenario import Scenario, Setting, carry_out
from planexec.trials.table import Row, Table

Job = tuple[Scenario, Setting, int]
CHUNK = 8  # runs handed to a worker at a time: sending costs more than a run


def one(job: Job) -> dict[str, Any]:
    """One run as a row. Whatever goes wrong in it is a row too, with the error in its last column."""
    scenario, setting, seed = job
    head = {"scenario": scenario.name, "setting": setting.name, "seed": seed}
    try:
        return {**head, **measure(scenario, carry_out(scenario, setting, seed)), "error": ""}
    except Exception as problem:
        return {**head, **measure(scenario, None), "error": f"{type(problem).__name__}: {problem}"}


def several(jobs: Sequence[Job]) -> list[dict[str, Any]]:
    """Some runs, one after the other: what one worker does at a time."""
    return [one(job) for job in jobs]


def trials(
    scenarios: Iterable[Scenario],
    settings: Iterable[Setting],
    seeds: Iterable[int],
    *,
    executor: Executor | None = None,
    save: str | Path | None = None,
    progress: bool = False,
) -> Table:
    """Every scenario under every setting with every seed. The same table, whoever carries it out and in what order.

    `save`: a file of JSON lines; rows already in it are not run again. `progress`: a bar on stderr.
    """
    listed = list(seeds)
    jobs = [(scenario, setting, seed) for scenario in scenarios for setting in settings for seed in listed]
    keys = [_key(job) for job in jobs]
    done = _saved(Path(save)) if save else {}
    left = [(key, job) for key, job in zip(keys, jobs, strict=True) if key not in done]
    for number, (key, row) in enumerate(_rows(left, executor), len(jobs) - len(left) + 1):
        done[key] = row
        if save:
            _append(Path(save), key, row)
        if progress:
            _bar(number, len(jobs))
    return Table(done[key] for key in keys)


def _rows(left: Sequence[tuple[str, Job]], executor: Executor | None) -> Iterator[tuple[str, Row]]:
    """Rows as they come, each with its key."""
    if executor is None:
        yield from ((key, one(job)) for key, job in left)
        return
    chunks = [left[start : start + CHUNK] for start in range(0, len(left), CHUNK)]
    waiting = {executor.submit(several, [job for _, job in chunk]): chunk for chunk in chunks}
    for future in as_completed(waiting):
        yield from zip((key for key, _ in waiting[future]), future.result(), strict=True)


def _key(job: Job) -> str:
    """What a row belongs to: everything that can change it."""
    scenario, setting, seed = job
    asked = [scenario.world, scenario.question, scenario.lang, scenario.loop, scenario.case]
    options = json.dumps(dict(scenario.options), sort_keys=True, default=str)
    return digest(json.dumps([*asked, options, setting.name, setting.key(), setting.prompt, seed], sort_keys=True))


def _saved(path: Path) -> dict[str, Row]:
    """The rows of an earlier call; a last line that was cut by a crash does not count."""
    rows: dict[str, Row] = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            rows[entry["key"]] = entry["row"]
    return rows


def _append(path: Path, key: str, row: Row) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"key": key, "row": row}, ensure_ascii=False) + "\n")


def _bar(number: int, of: int) -> None:
    import sys

    filled = 30 * number // max(1, of)
    end = "\n" if number == of else ""
    print(f"\r[{'#' * filled}{'.' * (30 - filled)}] {number:,} of {of:,} runs", end=end, file=sys.stderr, flush=True)
