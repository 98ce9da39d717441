"""The other worlds, which needed a knows.json each: look-ups with fixed arguments, conditions, effects, chains."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from policy_loop import PLAN, Done, plan_execute, plan_message, react

from planexec.chat import system
from planexec.models.policy.days import day_of
from planexec.models.policy.knowledge import known_worlds
from planexec.models.policy.tasks import task_of
from planexec.models.simulated import SimulatedModel
from planexec.paths import data_path
from planexec.worlds import duty, finance, flights, orders, research, rivals

LANGUAGES = ("en", "zh")
RIGHT = {
    "weather": {"en": "and the weather was the reason", "zh": "是天气原因"},
    "other": {"en": "but the weather was not the reason", "zh": "但不是天气原因"},
    "on_time": {"en": "was not delayed", "zh": "没有延误"},
    "no_data": {"en": "could not be found", "zh": "查不到"},
    "service_down": {"en": "the service failed", "zh": "服务出错"},
}
SCENARIOS = {lang: flights.scenarios(lang) for lang in LANGUAGES}
TOOLS = {lang: flights.tools(lang) for lang in LANGUAGES}


def ask_flight(group: str, lang: str = "en", turns: int = 8, **dials: float) -> Done:
    return react(SimulatedModel("careful", **dials), flights.QUESTIONS[lang][group], TOOLS[lang], turns)


# ------------------------------------------------------------------------------------------------ flights


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_careful_model_is_right_in_all_fifteen_scenarios_with_and_without_a_plan(lang: str) -> None:
    for scenario in SCENARIOS[lang]:
        for run in (react, plan_execute):
            answer = run(SimulatedModel("careful"), scenario["question"], TOOLS[lang]).answer
            assert RIGHT[scenario["group"]][lang] in answer, scenario["id"]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_weather_is_looked_up_only_if_there_was_a_delay(lang: str) -> None:
    assert [name for name, _, _ in ask_flight("weather", lang).calls] == ["flight_status", "weather"]
    assert [name for name, _, _ in ask_flight("on_time", lang).calls] == ["flight_status"]
    assert [name for name, _, _ in ask_flight("no_data", lang).calls] == ["flight_status"]


def test_greed_looks_up_an_answer_that_it_does_not_believe_round_and_round() -> None:
    assert len(ask_flight("on_time", greed=1.0).calls) == 8
    assert len(ask_flight("weather", greed=1.0).calls) == 2


def test_amnesia_makes_the_same_look_up_again_because_it_cannot_be_worded_differently() -> None:
    done = ask_flight("no_data", turns=6, amnesia=1.0, stubborn=1.0)
    assert done.calls == [("flight_status", {"flight": "KITE431", "date": "2026-10-16"}, "empty")] * 6


def test_other_flights_give_other_answers() -> None:
    data = json.loads(data_path("flights", "flights.json").read_text(encoding="utf-8"))
    changed = json.loads(json.dumps(data).replace("KITE101", "ZEB9").replace("HB1", "QQ7"))
    question = "Was flight ZEB9 from QQ7 on 2026-10-12 delayed, and was the weather the reason?"
    assert "flight ZEB9 was delayed" in react(SimulatedModel("careful"), question, flights.tools("en", changed)).answer


# ------------------------------------------------------------------------------------------------ orders


def order(question: str, lang: str = "en") -> tuple[Done, list[Any]]:
    outbox: list[Any] = []
    return react(SimulatedModel("careful"), question, orders.tools(lang, outbox=outbox)), outbox


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_mail_is_sent_if_the_order_has_shipped_and_only_then(lang: str) -> None:
    done, outbox = order(orders.QUESTIONS[lang]["shipped"], lang)
    assert [name for name, _, _ in done.calls] == ["get_order", "send_mail"]
    assert outbox[0]["to"] == "desk@office.example" and "ORDER-001" in outbox[0]["subject"]
    assert "2026-10-29" in outbox[0]["body"] and "could not" not in outbox[0]["body"]
    for case in ("not_shipped", "unknown"):
        done, outbox = order(orders.QUESTIONS[lang][case], lang)
        assert [name for name, _, _ in done.calls] == ["get_order"] and outbox == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_refund_takes_number_and_amount_from_the_order(lang: str) -> None:
    done, outbox = order(orders.QUESTIONS[lang]["refund"], lang)
    assert done.calls[1][:2] == ("refund", {"order": "ORDER-005", "amount_yuan": 99.5})
    assert outbox == [{"tool": "refund", "order": "ORDER-005", "amount_yuan": 99.5}]


@pytest.mark.parametrize(("lang", "words"), [("en", "Not clear"), ("zh", "不明确")])
def test_two_customers_of_one_name_are_asked_about_not_guessed(lang: str, words: str) -> None:
    done, outbox = order(orders.QUESTIONS[lang]["same_name"], lang)
    assert outbox == [] and words in done.answer and "ORDER-003" in done.answer and "ORDER-004" in done.answer


# ------------------------------------------------------------------------------------------------ rivals


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_report_is_written_from_both_prices(lang: str) -> None:
    outbox: list[Any] = []
    tools = rivals.tools(lang, outbox=outbox, report_works=True)
    done = plan_execute(SimulatedModel("careful"), rivals.QUESTIONS[lang]["compare"], tools)
    assert [name for name, _, _ in done.calls] == ["search_price", "search_price", "write_report"]
    assert "1849" in outbox[0]["text"] and "1599" in outbox[0]["text"]


def test_a_calm_model_reports_the_prices_and_what_failed() -> None:
    done = react(SimulatedModel("careful"), rivals.QUESTIONS["en"]["compare"], rivals.tools("en"))
    assert len(done.calls) == 3
    assert "1849" in done.answer and "the competitor report (the service failed" in done.answer


def test_panic_with_amnesia_makes_the_cycle_of_the_incident() -> None:
    model = SimulatedModel("careful", panic=1.0, amnesia=1.0)
    done = react(model, rivals.QUESTIONS["en"]["compare"], rivals.tools("en"), turns=24)
    assert [name for name, _, _ in done.calls] == ["search_price", "search_price", "write_report", "write_report"] * 6


# ------------------------------------------------------------------------------------------------ duty


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("run", [react, plan_execute])
def test_preparing_for_a_shift_is_a_chain_of_four(lang: str, run: Any) -> None:
    done = run(SimulatedModel("careful"), duty.QUESTIONS[lang]["prepare"], duty.tools(lang))
    assert [name for name, _, _ in done.calls] == ["duty_roster", "list_flights", "find_procedure", "list_risks"]
    assert done.calls[1][1]["from_time"] == "06:00" and done.calls[1][1]["to_time"] == "14:00"
    asked = done.calls[3][1]["procedures"]
    assert "PR-19" in asked and "PR-12" not in asked, "a superseded procedure has no risks of its own"


def test_the_four_lines_are_direct_calls_with_references() -> None:
    reply = SimulatedModel("careful").reply(
        [system(PLAN), plan_message(duty.QUESTIONS["en"]["prepare"], duty.tools("en"))]
    )
    plan = json.loads(reply.text)
    assert [line["tool"] for line in plan] == ["duty_roster", "list_flights", "find_procedure", "list_risks"]
    assert plan[1]["args"]["post"] == "$1.post" and "$2.categories" in plan[2]["args"]["topics"]


@pytest.mark.parametrize(("lang", "words"), [("en", "not on duty"), ("zh", "没有值班")])
def test_a_day_without_duty_needs_no_preparation(lang: str, words: str) -> None:
    done = react(SimulatedModel("careful"), duty.QUESTIONS[lang]["no_duty"], duty.tools(lang))
    assert [name for name, _, _ in done.calls] == ["duty_roster"] and words in done.answer.splitlines()[0]


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("2026-12-24", "2026-12-24"),
        ("next Wednesday", "2026-11-11"),
        ("next Friday", "2026-11-13"),
        ("on Friday", "2026-11-06"),
        ("下周三", "2026-11-11"),
        ("下周日", "2026-11-15"),
        ("周日", "2026-11-08"),
        ("tomorrow", "2026-11-06"),
        ("今天", "2026-11-05"),
    ],
)
def test_days_are_counted_from_today(words: str, day: str) -> None:
    assert day_of(words, "2026-11-05") == day


def test_without_a_today_the_words_stay() -> None:
    assert day_of("next Wednesday", "") == "next Wednesday"


def test_a_day_named_in_words_is_understood_from_the_date_of_the_run() -> None:
    worlds = known_worlds()
    task = task_of("I am on duty next Wednesday. Prepare me.", worlds, "2026-11-05")
    assert task is not None and task.given["date"] == "2026-11-11"


# ------------------------------------------------------------------------------------------------ one for all


def test_each_question_belongs_to_its_own_world() -> None:

    worlds = known_worlds()
    for module in (finance, research, flights, orders, rivals, duty):
        for by_key in module.QUESTIONS.values():
            for question in by_key.values():
                task = task_of(question, worlds)
                assert task is not None and module.__name__.endswith(task.known.world), question


def test_a_world_of_ones_own_needs_only_a_knows_json() -> None:
    mine = copy.deepcopy(json.loads(data_path("orders", "knows.json").read_text(encoding="utf-8")))
    mine |= {"world": "parcels", "topic": {"en": "parcel", "zh": "包裹"}, "conclusions": []}
    mine["patterns"]["look"] = {"en": "parcel", "zh": "包裹"}
    mine["slots"] = {"order": {"en": ["parcel {code}"], "zh": ["包裹{code}"]}}
    done = react(SimulatedModel("careful", worlds=[mine]), "Where is parcel ORDER-002?", orders.tools("en"))
    assert done.queries == ["ORDER-002"] and "not shipped yet" in done.answer


# ------------------------------------------------------------------------------------------------ research, mailed

MAILED = {
    "en": "Survey this year's progress in electric-vehicle battery technology and mail it to ann@office.example.",
    "zh": "调研今年新能源汽车电池技术的最新进展，把报告发邮件给 ann@office.example",
}


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("run", [react, plan_execute])
def test_a_report_that_is_to_be_mailed_is_mailed_once_at_the_end(lang: str, run: Any) -> None:
    outbox: list[Any] = []
    done = run(SimulatedModel("careful"), MAILED[lang], research.tools(lang, outbox=outbox))
    assert [name for name, _, _ in done.calls].index("send_mail") == len(done.calls) - 1 >= 5
    assert [mail["to"] for mail in outbox] == ["ann@office.example"] and outbox[0]["body"].count("## ") == 5
    assert done.answer.count("## ") == 5 and "ann@office.example" in done.answer


def test_a_mail_that_a_page_asked_for_is_not_taken_for_the_one_that_is_due() -> None:
    outbox: list[Any] = []
    react(SimulatedModel("careful", gullible=1.0), MAILED["en"], research.tools("en", outbox=outbox), turns=30)
    assert {mail["to"] for mail in outbox} == {"archive@harvest-desk.example", "ann@office.example"}
