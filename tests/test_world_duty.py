"""The duty world: four look-ups in a chain, a day without duty, a changed roster, a superseded procedure."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planexec.tools import Observation, Toolbox
from planexec.worlds import duty, load
from planexec.worlds.common import read_data, renamed

BOOK = read_data("duty", "duty.json")
TOOLS = {lang: Toolbox(duty.tools(lang)) for lang in ("en", "zh")}
WEDNESDAY = "2026-11-11"


def call(name: str, lang: str = "en", tools: Toolbox | None = None, **args: str) -> Observation:
    return (tools or TOOLS[lang])[name].carry_out(args)


def chain(lang: str, day: str = WEDNESDAY, tools: Toolbox | None = None) -> list[Observation]:
    """The four dependent steps, each with what the one before brought."""
    shift = call("duty_roster", lang, tools, date=day)
    hours = {"from_time": shift.data["from"], "to_time": shift.data["to"]}
    passing = call("list_flights", lang, tools, date=day, post=shift.data["post"], **hours)
    rules = call("find_procedure", lang, tools, topics=", ".join(passing.data["categories"]))
    return [shift, passing, rules, call("list_risks", lang, tools, procedures=", ".join(rules.data["ids"]))]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_chain_leads_from_the_roster_to_the_risks(lang: str) -> None:
    shift, passing, rules, risks = chain(lang)
    assert shift.data["post"] == {"en": "Checkpoint C", "zh": "C检查口"}[lang]
    assert passing.data["numbers"] == ["KITE601", "KITE614", "KITE622"]
    assert rules.data["ids"] == ["PR-21", "PR-19", "PR-08"]
    assert [risk["procedure"] for risk in risks.data["risks"]] == ["PR-19", "PR-21", "PR-08"]
    assert [risk["level"] for risk in risks.data["risks"]] == ["high", "medium", "low"]


def test_each_step_needs_the_one_before() -> None:
    assert call("list_flights", date=WEDNESDAY, post="Checkpoint").kind == "empty"
    assert call("find_procedure", topics="KITE601").kind == "empty"
    assert call("list_risks", procedures="unescorted minors").kind == "empty"


def test_designed_failure_a_day_without_duty_is_empty() -> None:
    assert call("duty_roster", date="2026-11-13").text == "You are not on duty on 2026-11-13."
    assert call("duty_roster", "zh", date="2026-11-13").kind == "empty"
    assert date.fromisoformat("2026-11-13").weekday() == 4


def test_designed_failure_a_changed_roster_names_the_new_post_and_the_old() -> None:
    seen = call("duty_roster", date=WEDNESDAY)
    assert (
        seen.text
        == "Duty on 2026-11-11: Checkpoint C, 06:00 to 14:00. Changed on 2026-11-04; before it was Checkpoint A."
    )
    assert (
        call("duty_roster", "zh", date=WEDNESDAY).text
        == "2026-11-11值班：C检查口，06:00至14:00。2026-11-04变更，原为A检查口。"
    )
    old = call("list_flights", date=WEDNESDAY, post="Checkpoint A")
    assert old.data["numbers"] == ["KITE605", "KITE617"]  # still listed: who keeps to the old post prepares for these
    assert "Changed" not in call("duty_roster", date="2026-11-12").text


def test_designed_failure_a_superseded_procedure_is_found_and_says_so_and_has_no_risks() -> None:
    for lang, topics, word in (
        ("en", "unescorted minors", "superseded by PR-19"),
        ("zh", "无人陪伴儿童", "被PR-19取代"),
    ):
        seen = call("find_procedure", lang, topics=topics)
        assert sorted(row["id"] for row in seen.data["procedures"]) == ["PR-12", "PR-19"]
        assert seen.data["ids"] == ["PR-19"]
        assert word in next(line for line in seen.text.splitlines() if "PR-12" in line)
    assert call("list_risks", procedures="PR-12").kind == "empty"


def test_designed_failure_a_flight_after_the_shift_is_listed_only_for_the_whole_day() -> None:
    whole = call("list_flights", date=WEDNESDAY, post="checkpoint c").data["numbers"]
    assert whole == ["KITE601", "KITE614", "KITE622", "KITE640"]
    late = call("list_flights", date=WEDNESDAY, post="C检查口", from_time="16:20", to_time="16:20")
    assert late.data["numbers"] == ["KITE640"]
    assert call("list_flights", date=WEDNESDAY, post="C检查口", from_time="16:21").kind == "empty"


@pytest.mark.parametrize(
    ("topics", "ids"),
    [
        ("dangerous goods", ["PR-21"]),
        ("dangerous goods, delegation", ["PR-21", "PR-08"]),
        ("危险品、代表团、武装押运", ["PR-21", "PR-08", "PR-30"]),
        ("lithium batteries", ["PR-21"]),
        ("live animals", ["PR-17"]),
        ("交接班", ["PR-33"]),
    ],
)
def test_procedures_are_found_by_topic_in_the_order_asked(topics: str, ids: list[str]) -> None:
    for lang in ("en", "zh"):
        assert call("find_procedure", lang, topics=topics).data["ids"] == ids


@pytest.mark.parametrize("topics", ["noodles", "天气", "parking fees"])
def test_an_unknown_topic_is_empty(topics: str) -> None:
    assert call("find_procedure", topics=topics).kind == "empty"


def test_wrong_days_and_times_are_mistakes_that_say_how_to_write_them() -> None:
    for day in ("next Wednesday", "下周三", "11-11", "2026-11-31"):
        assert "YYYY-MM-DD" in call("duty_roster", date=day).text
        assert call("list_flights", date=day, post="Checkpoint C").kind == "failed"
    for time in ("6:00", "24:00", "14.00", "noon"):
        assert "HH:MM" in call("list_flights", date=WEDNESDAY, post="Checkpoint C", from_time=time).text
        assert "HH:MM" in call("list_flights", "zh", date=WEDNESDAY, post="C检查口", to_time=time).text
    assert call("find_procedure", topics=" ").kind == "failed"


def test_next_wednesday_can_only_be_the_eleventh() -> None:
    assert date.fromisoformat(duty.DATE).weekday() == 3
    assert (date.fromisoformat(WEDNESDAY) - date.fromisoformat(duty.DATE)).days == 6
    assert all(WEDNESDAY in duty.QUESTIONS[lang]["prepare"] for lang in ("en", "zh"))
    assert all("2026-11-13" in duty.QUESTIONS[lang]["no_duty"] for lang in ("en", "zh"))


def test_the_data_is_dated_two_tongued_and_invented() -> None:
    assert BOOK["date"] == duty.DATE == load("duty").date
    assert "invented" in BOOK["note"]["en"]
    assert "虚构" in BOOK["note"]["zh"]
    assert sorted(BOOK["designed_failures"]) == ["after_shift", "no_duty", "roster_changed", "superseded"]
    for table in ("roster", "flights", "procedures", "risks"):
        for row in BOOK[table]:
            assert all(
                list(value) == ["en", "zh"] and all(value.values()) for value in row.values() if isinstance(value, dict)
            )
            for part in ("date", "valid_from", "superseded_on", "changed_on", "reported"):
                assert part not in row or date.fromisoformat(row[part])
    past = [row[part] for row in BOOK["procedures"] for part in ("valid_from", "superseded_on") if part in row]
    past += [row["reported"] for row in BOOK["risks"]] + [
        row["changed_on"] for row in BOOK["roster"] if "changed_on" in row
    ]
    assert max(past) <= duty.DATE < min(row["date"] for row in BOOK["roster"])
    known = {row["id"] for row in BOOK["procedures"]}
    assert {row["procedure"] for row in BOOK["risks"]} <= known
    assert {row["category"]["en"] for row in BOOK["flights"]} <= {row["about"]["en"] for row in BOOK["procedures"]}


def test_renaming_and_changing_the_data_changes_the_chain() -> None:
    names = {"Checkpoint C": "Gate Nine", "dangerous goods": "loud parrots", "PR-21": "QX-5", "KITE601": "WREN1"}
    tools = Toolbox(duty.tools("en", renamed(BOOK, names)))
    shift, passing, rules, risks = chain("en", tools=tools)
    assert shift.data["post"] == "Gate Nine"
    assert passing.data["numbers"][0] == "WREN1"
    assert rules.data["ids"][0] == "QX-5"
    assert "QX-5 (medium" in risks.text


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=30), st.dates().map(str) | st.text(max_size=10))
def test_any_text_is_answered(text: str, day: str) -> None:
    for lang in ("en", "zh"):
        assert call("duty_roster", lang, date=day).kind in ("found", "empty", "failed")
        assert call("list_flights", lang, date=day, post=text, from_time=text).kind in ("empty", "failed")
        assert call("find_procedure", lang, topics=text).kind in ("found", "empty", "failed")
        assert call("list_risks", lang, procedures=text).kind == "empty"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_tables_are_the_data_in_one_language(lang: str) -> None:
    tables = duty.tables(lang)
    assert {name: len(rows) for name, rows in tables.items()} == {name: len(BOOK[name]) for name in tables}
    assert all(isinstance(value, str) for rows in tables.values() for row in rows for value in row.values())
    shift = next(row for row in tables["roster"] if row["date"] == WEDNESDAY)
    assert shift["post"] == call("duty_roster", lang, date=WEDNESDAY).data["post"]
    assert duty.tables(lang, renamed(BOOK, {"PR-": "SOP-"}))["risks"][0]["procedure"] == "SOP-12"
