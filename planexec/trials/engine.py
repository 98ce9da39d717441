"""Carry out many runs and collect one row each: in this process, or by any executor; saved as they come, resumed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, as_completed
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from planexec import __version__
from planexec.trials.bar import Bar
from planexec.trials.judge import COLUMNS, measure
from planexec.trials.saved import SavedRows
from planexec.trials.scenario import Scenario, Setting, carry_out
from planexec.trials.table import Row, Table

Job = tuple[Scenario, Setting, int]
CHUNK = 8  # runs handed to a worker at a time: sending costs more than a run


def one(job: Job) -> dict[str, Any]:
    """One run as a row. Whatever goes wrong in it is a row too, with the error in its last column."""
    scenario, setting, seed = job
    head = {"scenario": scenario.name, "group": scenario.group, "setting": setting.name, "seed": seed}
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

    `executor`: processes, threads, or other machines (`Client.get_executor()` of Dask's distributed). `save`: a file
    of JSON lines; rows already in it are not run again, unless their run failed. `progress`: a bar on stderr.
    Errors: ValueError when two runs could not be told apart in the table, or `save` is some other file. When the
    executor itself breaks, its error is raised after all finished rows were saved: call again to go on.
    """
    listed = list(seeds)
    jobs = [(scenario, setting, seed) for scenario in scenarios for setting in settings for seed in listed]
    _check_names(jobs)
    keys = [_key(job) for job in jobs]
    with ExitStack() as stack:
        saved = stack.enter_context(SavedRows(Path(save))) if save else None
        known = saved.rows if saved else {}
        done: dict[str, Row] = {key: known[key] for key in keys if key in known and not known[key].get("error")}
        left = [(key, job) for key, job in zip(keys, jobs, strict=True) if key not in done]
        bar = Bar(len(jobs), len(done)) if progress else None
        for key, row in _rows(left, executor):
            done[key] = row
            if saved:
                saved.add(key, row)
            if bar:
                bar.step()
    return Table(done[key] for key in keys)


def _rows(left: Sequence[tuple[str, Job]], executor: Executor | None) -> Iterator[tuple[str, Row]]:
    """Rows as they come, each with its key. Given up in the middle, what has not begun is not begun any more."""
    if executor is None:
        yield from ((key, one(job)) for key, job in left)
        return
    chunks = [left[start : start + CHUNK] for start in range(0, len(left), CHUNK)]
    waiting = {executor.submit(several, [job for _, job in chunk]): chunk for chunk in chunks}
    try:
        yield from _collect(waiting)
    finally:
        for future in waiting:
            future.cancel()


def _collect(waiting: Mapping[Future[list[dict[str, Any]]], Sequence[tuple[str, Job]]]) -> Iterator[tuple[str, Row]]:
    """The rows of each future as it ends; the first error of the executor is raised after all that succeeded."""
    broken: BaseException | None = None
    for future in as_completed(waiting):
        problem = future.exception()
        if problem is None:
            yield from zip((key for key, _ in waiting[future]), future.result(), strict=True)
        else:
            broken = broken or problem
    if broken is not None:
        raise broken


def _key(job: Job) -> str:
    """What a row belongs to: everything that can change it, and the columns of this version."""
    scenario, setting, seed = job
    names = f"{scenario.name} {scenario.group}"
    return f"{__version__} {len(COLUMNS)} {names} {scenario.key} {setting.name} {setting.key} {seed}"


def _check_names(jobs: Sequence[Job]) -> None:
    """Two different scenarios (or settings) of one name would be one line in the table."""
    scenarios = {(id(scenario), scenario.name): scenario.key for scenario, _, _ in jobs}
    settings = {(id(setting), setting.name): setting.key for _, setting, _ in jobs}
    for what, known in (("scenarios", scenarios), ("settings", settings)):
        names = [name for _, name in known]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"two {what} are named {twice[0]!r}; give each a name of its own (`case=` or `name=`)")
