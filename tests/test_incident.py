"""The published incident ends where each limit says, at the price it says. See `incident.py` for what is calibrated."""

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


@pytest.mark.parametrize("name", [name for name in SETTINGS if name != "nothing"])
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
