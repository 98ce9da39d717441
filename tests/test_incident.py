"""The published incident ends where each limit says, at the price it says. See `incident.py` for what is calibrated."""

from dataclasses import fields

import pytest
from incident import CALLS, DOLLARS, PACE, PRICE, SECONDS, SETTINGS, Ending, printed, run_incident, table

from planexec import Limits

EXPECTED = """\
setting                    ended by             calls  minutes  dollars
nothing                    stopped by a person    238    47:00    12.30
max_steps = 30             max_steps               31     6:07     1.60
max_model_calls = 50       max_model_calls         50     9:52     2.58
max_tool_calls = 40        max_tool_calls          42     8:17     2.17
max_seconds = 300          max_seconds             25     4:56     1.29
max_usd = 1                max_usd                 19     3:45     0.98
max_tokens = 100,000       max_tokens              13     2:34     0.67
max_attempts = 3           stopped by a person    215    47:05    11.11
max_replans = 6            stopped by a person    238    47:00    12.30
all six of the article     max_usd                 19     4:06     0.98
counters and loop guard    failed                   8     1:34     0.41
the defaults               failed                   8     1:43     0.41"""


@pytest.fixture(scope="module")
def rows() -> dict[str, Ending]:
    return table()


def test_the_table_is_as_expected(rows):
    assert printed(rows) == EXPECTED


def test_without_a_brake_it_is_the_published_incident(rows):
    end = rows["nothing"]
    assert (end.model_calls, end.minutes, end.usd) == (CALLS, "47:00", DOLLARS)
    assert pytest.approx(DOLLARS) == CALLS * PRICE and pytest.approx(SECONDS) == CALLS * PACE


NO_BRAKES = ("nothing", "max_attempts = 3", "max_replans = 6")


def test_each_limit_of_a_run_is_tried_alone() -> None:
    """But for two: no tool here is meant to be called only so often, and there is no plan that could be long."""
    names = {each.name for each in fields(Limits)} - {"per_step", "confirm_first"}
    assert names - {name.split(" = ")[0] for name in SETTINGS} == {"max_calls_per_tool", "max_plan_steps"}


@pytest.mark.parametrize("name", NO_BRAKES)
def test_what_is_no_brake_leaves_it_to_a_person(rows, name):
    assert rows[name].reason == "stopped by a person" and rows[name].usd > 11


@pytest.mark.parametrize("name", [name for name in SETTINGS if name not in NO_BRAKES])
def test_every_brake_ends_with_a_report_of_what_is_missing(rows, name):
    assert "Missing: the comparison" in rows[name].answer


@pytest.mark.parametrize("limits", [Limits.article(), Limits(), Limits(max_usd=1.0), Limits(max_seconds=300.0)])
def test_no_limit_is_passed(limits):
    end = run_incident(limits)
    assert limits.max_usd is None or end.usd <= limits.max_usd
    assert limits.max_model_calls is None or end.model_calls <= limits.max_model_calls


def test_the_articles_limits_contradict_each_other_at_this_price_and_pace(rows):
    said = Limits.article().never_binding(PRICE, PACE)
    assert any(
        "max_model_calls = 50 can never bind" in one and "max_usd = 1 ends the run at 19 calls" in one for one in said
    )
    assert any("max_seconds = 300 can never bind" in one and "at 25" in one for one in said)
    assert rows["max_usd = 1"].model_calls == 19 and rows["max_seconds = 300"].model_calls == 25
