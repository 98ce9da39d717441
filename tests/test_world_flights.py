"""The flights world: fifteen scenarios, each with exactly one right answer, and the failures that belong to them."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planexec.tools import Observation, Toolbox
from planexec.worlds import flights, load
from planexec.worlds.common import read_data, renamed

DATA = read_data("flights", "flights.json")
TOOLS = {lang: Toolbox(flights.tools(lang)) for lang in ("en", "zh")}
SCENARIOS = flights.scenarios("en")


def call(name: str, lang: str = "en", **args: str) -> Observation:
    return TOOLS[lang][name].carry_out(args)


def truth(scenario: dict[str, str], lang: str = "en") -> str:
    """The group of a scenario, worked out from nothing but what the tools say."""
    status = call("flight_status", lang, flight=scenario["flight"], date=scenario["date"])
    if status.kind != "found":
        return {"empty": "no_data", "failed": "service_down"}[status.kind]
    if status.data["delay_minutes"] < flights.LATE:
        return "on_time"
    severe = call("weather", lang, airport=status.data["from"], date=scenario["date"]).data["severe"]
    return "weather" if severe else "other"


def test_there_are_fifteen_scenarios_in_the_groups_of_the_published_table() -> None:
    groups = Counter(scenario["group"] for scenario in SCENARIOS)
    assert groups == {"weather": 5, "other": 3, "on_time": 3, "no_data": 2, "service_down": 2}
    assert len({scenario["id"] for scenario in SCENARIOS}) == 15


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario["id"])
def test_the_tools_tell_the_group_of_every_scenario(scenario: dict[str, str]) -> None:
    assert truth(scenario, "en") == truth(scenario, "zh") == scenario["group"]


def test_the_questions_name_flight_airport_and_day_but_no_answer() -> None:
    for lang in ("en", "zh"):
        for scenario in flights.scenarios(lang):
            question = scenario["question"]
            assert all(scenario[part] in question for part in ("flight", "airport", "date"))
        first = {s["group"]: s["question"] for s in reversed(flights.scenarios(lang))}
        assert first == flights.QUESTIONS[lang]


def test_texts_have_units_in_the_language_of_the_run() -> None:
    args = {"flight": "KITE101", "date": "2026-10-12"}
    assert call("flight_status", **args).text == (
        "Flight KITE101 on 2026-10-12, HB1 to LT2: scheduled 08:40, departed 10:25, delay 105 minutes (delayed)."
    )
    assert call("flight_status", "zh", **args).text.endswith("计划08:40，实际10:25，延误105分钟（延误）。")
    args = {"airport": "HB1", "date": "2026-10-12"}
    assert call("weather", **args).text == (
        "Weather at HB1 (Harbour City) on 2026-10-12: thunderstorm, wind 82 km/h, visibility 1200 m, "
        "precipitation 31 mm; severe for flying."
    )
    assert call("weather", "zh", **args).data["condition"] == "雷暴"
    assert call("flight_history", flight="KITE101").text.startswith("Flight KITE101, delay in minutes: 2026-10-05 0, ")


@pytest.mark.parametrize(("minutes", "word"), [(14, "on time"), (15, "delayed")])
def test_a_flight_is_delayed_from_fifteen_minutes_on(minutes: int, word: str) -> None:
    data = {**DATA, "flights": [{**DATA["flights"][0], "delay_minutes": minutes}]}
    seen = Toolbox(flights.tools("en", data))["flight_status"].carry_out({"flight": "KITE101", "date": "2026-10-12"})
    assert seen.text.endswith(f"({word}).")


def test_designed_failure_without_data_is_empty_and_not_a_failure() -> None:
    for flight, day in (("KITE431", "2026-10-16"), ("KITE432", "2026-10-28")):
        assert call("flight_status", flight=flight, date=day).kind == "empty"
        assert call("flight_history", flight=flight).kind == "empty"
    assert call("weather", airport="HB1", date="2026-10-28").kind == "empty"
    assert call("weather", airport="LT2", date="2026-10-16").kind == "found"


def test_designed_failure_the_services_fail_in_three_ways_and_always_the_same() -> None:
    down = [s for s in SCENARIOS if s["group"] == "service_down"]
    texts = []
    for scenario in down:
        for name, args in (
            ("flight_status", {"flight": scenario["flight"], "date": scenario["date"]}),
            ("weather", {"airport": scenario["airport"], "date": scenario["date"]}),
            ("flight_history", {"flight": scenario["flight"]}),
        ):
            first = call(name, **args)
            assert (first.kind, first.failure) == ("failed", "transient")
            assert call(name, **args) == first
            texts.append(first.text)
    for part in ("did not answer within 10 seconds", "an empty body", "half a JSON text"):
        assert any(part in text for text in texts)
    assert {fault["fault"] for fault in DATA["faults"]} == {"timeout", "empty_body", "half_json"}
    assert call("flight_status", flight="KITE541", date="2026-10-19").seconds == flights.TIMEOUT_SECONDS


def test_designed_failure_severe_weather_does_not_mean_a_delay() -> None:
    severe = [
        call("weather", airport=s["airport"], date=s["date"]).data["severe"]
        for s in SCENARIOS
        if s["group"] == "on_time"
    ]
    assert severe == [True, False, True]


@pytest.mark.parametrize("day", ["", "2026-13-01", "next Wednesday", "20261012", "2026-10-12T00:00", "12.10.2026"])
def test_a_wrong_date_is_a_mistake_that_says_how_to_write_one(day: str) -> None:
    for seen in (call("flight_status", flight="KITE101", date=day), call("weather", airport="HB1", date=day)):
        assert (seen.kind, seen.failure) == ("failed", "permanent")
        assert "YYYY-MM-DD" in seen.text


def test_case_and_spaces_of_a_flight_number_do_not_matter() -> None:
    plain = call("flight_status", flight="KITE101", date="2026-10-12")
    assert call("flight_status", flight=" kite 101", date="2026-10-12") == plain
    assert call("flight_status", flight="ＫＩＴＥ101", date="2026-10-12") == plain
    assert call("flight_status", flight="KITE10", date="2026-10-12").kind == "empty"


def test_delays_are_the_difference_of_the_times() -> None:
    for row in DATA["flights"]:
        (h1, m1), (h2, m2) = (map(int, row[part].split(":")) for part in ("scheduled", "departed"))
        assert row["delay_minutes"] == (h2 - h1) * 60 + m2 - m1


def test_every_date_is_valid_and_not_after_the_worlds_date() -> None:
    days = [day["date"] for row in DATA["history"] for day in row["days"]]
    days += [row["date"] for table in ("scenarios", "flights", "weather") for row in DATA[table]]
    assert all(date.fromisoformat(day) <= date.fromisoformat(flights.DATE) for day in days)
    assert DATA["date"] == flights.DATE == load("flights").date


def test_renaming_and_changing_the_data_changes_the_answers() -> None:
    names = {"KITE101": "WREN7", "HB1": "QQ9", "thunderstorm": "sandstorm", "雷暴": "沙暴"}
    data: Any = renamed(DATA, names)
    tools = Toolbox(flights.tools("zh", json.loads(json.dumps(data))))
    assert tools["flight_status"].carry_out({"flight": "WREN7", "date": "2026-10-12"}).data["from"] == "QQ9"
    assert tools["weather"].carry_out({"airport": "QQ9", "date": "2026-10-12"}).data["condition"] == "沙暴"
    assert tools["flight_status"].carry_out({"flight": "KITE101", "date": "2026-10-12"}).kind == "empty"


def test_the_data_says_that_it_is_invented() -> None:
    assert "invented" in DATA["note"]["en"]
    assert "虚构" in DATA["note"]["zh"]
    assert all(list(row["condition"]) == ["en", "zh"] for row in DATA["weather"])
    assert sorted(DATA["designed_failures"]) == ["bad_weather_on_time", "no_data", "service_down"]


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=20), st.text(max_size=12) | st.dates().map(str))
def test_any_text_is_answered(name: str, day: str) -> None:
    for lang in ("en", "zh"):
        assert call("flight_status", lang, flight=name, date=day).kind in ("empty", "failed")
        assert call("weather", lang, airport=name, date=day).kind in ("empty", "failed")
        assert call("flight_history", lang, flight=name).kind == "empty"
