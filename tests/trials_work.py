"""What the tests of trials carry out: a few runs of two worlds under two settings, and a count of the runs made."""

from __future__ import annotations

from typing import Any

import pytest

from planexec.trials import UNGUARDED, Scenario, Setting
from planexec.trials import engine as engine_module
from planexec.trials.engine import one

SECTORS, SPLIT = Scenario("finance", "sectors"), Scenario("finance", "split", "zh")
FLIGHT = Scenario("flights", "no_data", loop="react")
GUARDED = Setting("guarded")
MANY = ([SECTORS, SPLIT, FLIGHT], [GUARDED, UNGUARDED], range(4))


def counting(monkeypatch: pytest.MonkeyPatch, stop_after: int | None = None) -> list[Any]:
    """The runs that are really made; after `stop_after` of them somebody presses Ctrl-C."""
    made: list[Any] = []

    def watched(job: Any) -> dict[str, Any]:
        if len(made) == stop_after:
            raise KeyboardInterrupt
        made.append(job)
        return one(job)

    monkeypatch.setattr(engine_module, "one", watched)
    return made
