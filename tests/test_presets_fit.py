"""The presets fitted to logs: the table says what comes out, and each preset is what the table says."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from planexec.models.policy.dials import DIAL_NAMES, Dials, presets
from planexec.paths import data_path
from planexec.trials.rates import IDEAS, RATES, WORDINGS, Rate, plain_array

ROOT = Path(__file__).parents[1]
STORED: dict[str, Any] = json.loads(data_path("presets_fit.json").read_text("utf-8"))
ROWS = STORED["rows"]
SIMULATED = list(dict.fromkeys((row["preset"], row["decision"]) for row in ROWS))
AGAIN = "run benchmarks/fit_presets.py --store again"


def dials(preset: str) -> Dials:
    return Dials(**presets()[preset]["dials"])


def count(preset: str, decision: str, seeds: int) -> Rate:
    return RATES[decision](dials(preset), range(seeds))


# ------------------------------------------------------------------------------------------------ the table


def test_each_row_is_fitted_by_one_dial_or_predicted_by_none() -> None:
    assert {row["mark"] for row in ROWS} == {"fitted", "predicted"}
    for row in ROWS:
        assert (row["dial"] in DIAL_NAMES) == (row["mark"] == "fitted") and row["n"] > 0
        assert row["low"] <= row["measured"] <= row["high"] and row["source"]


def test_a_fitted_dial_is_the_measured_rate_and_all_others_are_zero() -> None:
    for name, preset in STORED["presets"].items():
        fitted = {row["dial"]: row["measured"] / 100 for row in ROWS if row["preset"] == name and row["dial"]}
        assert set(fitted) | set(preset["not_fitted"]) == set(DIAL_NAMES)
        for dial in DIAL_NAMES:
            assert preset["dials"][dial] == pytest.approx(fitted.get(dial, 0.0), abs=6e-4), (name, dial)


def test_the_error_is_the_difference() -> None:
    for row in ROWS:
        if row["simulated"] is not None:
            assert row["error"] == pytest.approx(row["simulated"] - row["measured"], abs=0.06)


def test_what_was_fitted_comes_out_within_the_interval_of_what_was_measured() -> None:
    for row in ROWS:
        if row["mark"] == "fitted" and row["simulated"] is not None:
            assert row["low"] <= row["simulated"] <= row["high"] or abs(row["error"]) < 10, row


@pytest.mark.parametrize(
    ("preset", "decision"), [pair for pair in SIMULATED if pair[0] in ("qwen-0.5b", "public-runs")]
)
def test_a_few_seeds_agree_with_the_table(preset: str, decision: str) -> None:
    """Twenty seeds: within four standard errors of what 200 gave."""
    stored = next(row for row in ROWS if (row["preset"], row["decision"]) == (preset, decision))
    counted, share = count(preset, decision, 20), stored["simulated"] / 100
    slack = 4 * (share * (1 - share) / 20) ** 0.5 + 0.02
    assert counted.share == pytest.approx(share, abs=slack)


@pytest.mark.check
@pytest.mark.parametrize(("preset", "decision"), SIMULATED)
def test_the_table_is_what_comes_out(preset: str, decision: str) -> None:
    counted = count(preset, decision, STORED["seeds"])
    for row in ROWS:
        if (row["preset"], row["decision"]) == (preset, decision):
            share = None if counted.share is None else round(100 * counted.share, 1)
            assert (row["simulated"], row["simulated_n"]) == (share, counted.of), AGAIN


def test_what_was_counted_in_the_shipped_recordings_stands_in_them() -> None:
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        from logged_rates import recorded
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))
    stored = {name.removesuffix("-recorded") for name in STORED["presets"] if name.endswith("-recorded")}
    now = recorded()
    assert stored == set(now), AGAIN
    for name, rates in now.items():
        rows = {row["decision"]: row for row in ROWS if row["preset"] == f"{name}-recorded"}
        assert set(rows) == set(rates), AGAIN
        for decision, rate in rates.items():
            shown = rows[decision]["measured"], rows[decision]["n"]
            assert shown == (round(100 * rate.hits / rate.of, 1), rate.of), f"{name}, {decision}: {AGAIN}"


# ------------------------------------------------------------------------------------------------ the counting


def test_a_model_without_faults_does_none_of_it() -> None:
    faults = list(RATES)[:7]
    assert {name: RATES[name](Dials(), range(5)).hits for name in faults} == dict.fromkeys(faults, 0)


@pytest.mark.parametrize(
    ("decision", "dial"),
    list(zip(list(RATES)[:7], ["sloppy", "stubborn", "amnesia", "amnesia", "panic", "greed", "invent"], strict=True)),
)
def test_a_dial_at_one_does_it_at_every_opportunity(decision: str, dial: str) -> None:
    rate = RATES[decision](Dials(**{dial: 1.0}), range(5))
    assert rate.of >= 5 and rate.hits == rate.of


def test_the_opportunities_end_where_wordings_and_ideas_do() -> None:
    reworded, went_on = list(RATES)[1], list(RATES)[5]
    assert RATES[reworded](Dials(stubborn=1.0), [0]) == Rate(WORDINGS - 1, WORDINGS - 1)
    assert RATES[went_on](Dials(greed=1.0), [0]) == Rate(IDEAS - 1, IDEAS - 1)


def test_only_an_array_of_texts_is_plain() -> None:
    assert plain_array('["a", "b"]')
    spoiled = ("", "[]", '["a", "b"', '```json\n["a"]\n```', '[{"step": "a"}]', "['a']", "1. a")
    assert not any(map(plain_array, spoiled))
