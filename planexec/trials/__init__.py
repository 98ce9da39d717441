"""Trials: scenarios x settings x seeds -> a table. One run is one row; a run that fails is a row too.

    table = trials([Scenario("finance", "allocation")], [Setting("guarded"), UNGUARDED], range(200))
    table.summary(["setting"], right_percent=lambda t: t.percent(outcome="right"))

Runs are independent, so any `concurrent.futures.Executor` can carry them out (processes, other machines); the table is
the same, row for row. With `save` results are written as they come, and a later call goes on where this one stopped.
"""

from __future__ import annotations

from planexec.trials.engine import trials
from planexec.trials.scenario import UNGUARDED, Scenario, Setting
from planexec.trials.table import Table

__all__ = ["UNGUARDED", "Scenario", "Setting", "Table", "trials"]
