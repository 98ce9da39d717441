"""The same table from Dask's worker processes, one of which is killed in the middle.

Needs the extra `dask` (`pip install 'planexec[dask]'`); skipped by name when it is not installed.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planexec.trials import UNGUARDED, Scenario, Setting, Table, trials
from planexec.trials.saved import SavedRows

pytestmark = pytest.mark.check
distributed = pytest.importorskip("distributed", reason="the extra 'dask' is not installed")

WORK = (
    [Scenario("finance", "allocation", loop="plan"), Scenario("flights", "on_time", "zh", "react")],
    [Setting("guarded"), UNGUARDED],
    range(60),
)


@pytest.fixture(scope="module")
def table() -> Table:
    """The table made in this process."""
    return trials(*WORK)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Two worker processes on this machine, each kept alive by a nanny."""
    folder = tmp_path_factory.mktemp("dask")
    settings = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with (
        distributed.LocalCluster(host="127.0.0.1", local_directory=str(folder), **settings) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.wait_for_workers(2)
        yield client


def test_worker_processes_bring_the_same_table_bit_for_bit(client: Any, table: Table) -> None:
    assert len(set(client.run(os.getpid).values()) | {os.getpid()}) == 3
    assert trials(*WORK, executor=client.get_executor()).to_csv() == table.to_csv()


def test_one_worker_killed_in_the_middle_and_the_table_is_the_same(
    client: Any, table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kill comes when the first row was saved: some work is done then, some under way, some still to do."""
    path = tmp_path / "rows.jsonl"
    victim = min(client.run(os.getpid).values())
    killed: list[int] = []
    add = SavedRows.add

    def add_and_kill(self: SavedRows, key: str, row: Any) -> None:
        add(self, key, row)
        if not killed:
            os.kill(victim, signal.SIGKILL)
            killed.append(victim)

    monkeypatch.setattr(SavedRows, "add", add_and_kill)
    again = trials(*WORK, executor=client.get_executor(), save=path)
    assert killed == [victim]
    assert again.to_csv() == table.to_csv()
    assert len(path.read_text("utf-8").splitlines()) == len(table)
    client.wait_for_workers(2, timeout=60)  # the nanny has started another one
    assert victim not in client.run(os.getpid).values()
