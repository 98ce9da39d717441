"""The judge in finance and flights: what is right, what an honest "no data"; and what the other columns count."""

from __future__ import annotations

import pytest
from judged import call, outcome, result

from planexec.trials import Scenario
from planexec.trials.answers import rule_for
from planexec.trials.answers.finance import account_of
from planexec.trials.answers.flights import claims, group_of
from planexec.trials.answers.rules import Holds, Question
from planexec.trials.judge import invented, measure, wasted
from planexec.worlds.common import read_data
from planexec.worlds.flights import scenarios

# Finance: every figure and every name.

ALLOCATION = Scenario("finance", "allocation")
STOCKS = (
    "Everpine Bank, Lantern Harbour Bank, Ninefold Bank, Oakbridge Homes, Slate Terrace Estates, Willowgate Land, "
    "Quillstone Securities, Amberline Securities, Tidemark Securities, Maplebowl Foods, Copperkettle Drinks, "
    "Paperkite Appliances"
)
AMOUNTS = "Banks 250,000, property 200,000, brokers 150,000, consumer 300,000, cash 100,000."


def test_an_allocation_is_right_with_all_amounts_and_all_stocks_however_they_are_written() -> None:
    assert outcome(ALLOCATION, result(f"{AMOUNTS} {STOCKS}")) == "right"
    assert outcome(ALLOCATION, result(f"25万, 20万, 15万, 0.3 million, 100k. {STOCKS.lower()}")) == "right"


@pytest.mark.parametrize("gone", ["250,000", "100,000", "Ninefold Bank"])
def test_one_amount_or_name_less_is_wrong(gone: str) -> None:
    assert outcome(ALLOCATION, result(f"{AMOUNTS} {STOCKS}".replace(gone, ""))) == "wrong"


def test_the_account_is_read_from_the_question() -> None:
    assert account_of("How should a 500,000-yuan account be allocated?") == 500_000
    assert account_of("怎么配置100万账户") == 1_000_000
    other = Scenario("finance", "How should a 500,000-yuan account be allocated?", answer="allocation")
    assert outcome(other, result(f"125,000, 100,000, 75,000, 150,000, 50,000. {STOCKS}")) == "right"
    assert outcome(other, result(f"{AMOUNTS} {STOCKS}")) == "wrong"


def test_a_stopped_run_is_right_when_it_had_the_answer_and_else_stopped() -> None:
    assert outcome(ALLOCATION, result(f"{AMOUNTS} {STOCKS}", stop="max_steps")) == "right"
    assert outcome(ALLOCATION, result("Banks 250,000.", stop="max_steps")) == "stopped"
    assert outcome(ALLOCATION, result("No data was found.", stop="max_steps")) == "stopped"


def test_no_data_said_plainly_is_honest_and_said_by_a_complete_run_is_not() -> None:
    assert outcome(ALLOCATION, result("The market value could not be found.", stop="no_data")) == "no data"
    assert outcome(ALLOCATION, result("The market value could not be found.")) == "wrong"
    assert outcome(ALLOCATION, result("Buy what you like.", stop="no_data")) == "wrong"


def test_the_split_takes_amount_and_sectors_from_the_question() -> None:
    scenario = Scenario("finance", "split", "zh")
    stocks = "长松银行、灯港银行、九叠银行、橡桥置业、石台地产、柳门置地"
    assert outcome(scenario, result(f"银行800亿，地产500亿。{stocks}")) == "right"
    assert outcome(scenario, result(f"银行80亿，地产500亿。{stocks}")) == "wrong"


def test_an_unknown_question_is_never_answered_right() -> None:
    assert outcome(Scenario("finance", "What is the weather?"), result("fine")) == "wrong"
    assert not Holds().holds("anything")


# Flights: what an answer claims.


@pytest.mark.parametrize(
    ("answer", "late", "punctual", "weather", "other"),
    [
        ("Yes: flight KITE101 was delayed, and the weather was the reason.", True, False, True, False),
        ("It was delayed, but the weather was not the reason.", True, False, False, True),
        ("No: flight KITE321 was not delayed.", False, True, False, False),
        ("Scheduled 08:40, departed 08:42, delay 2 minutes (on time).", False, True, False, False),
        ("I cannot say whether flight KITE431 was delayed.", False, False, False, False),
        ("The status could not be found.", False, False, False, False),
        ("航班延误了，是天气原因。", True, False, True, False),
        ("航班延误了，但不是天气原因。", True, False, False, True),
        ("延误2分钟（正点）。", False, True, False, False),
        ("无法判断是否延误。", False, False, False, False),
        ("Delayed because of heavy weather.", True, False, True, False),
        ("The flight was late; this was weather-related.", True, False, True, False),
    ],
)
def test_claims_are_read_sentence_by_sentence(
    answer: str, late: bool, punctual: bool, weather: bool, other: bool
) -> None:
    said = claims(answer)
    assert (said.late, said.punctual, said.by_weather, said.by_other) == (late, punctual, weather, other)


RIGHT = {
    "weather": ("It was delayed, and the weather was the reason.", "right"),
    "other": ("It was delayed, but the weather was not the reason.", "right"),
    "on_time": ("It was not delayed.", "right"),
    "no_data": ("Not found: there is no record of this flight.", "no data"),
    "service_down": ("Not available: the service failed (time-out).", "no data"),
}


@pytest.mark.parametrize("group", RIGHT)
@pytest.mark.parametrize("said", RIGHT)
def test_each_group_has_one_right_answer_and_the_others_are_guesses(group: str, said: str) -> None:
    scenario = Scenario("flights", group)
    answer, wanted = RIGHT[said]
    stop = "no_data" if said in ("no_data", "service_down") else ""
    row = measure(scenario, result(answer, stop=stop))
    assert row["success"] == (group == said)
    if group == said:
        assert row["outcome"] == wanted


def test_when_the_service_is_down_that_there_is_no_such_flight_is_a_guess() -> None:
    row = measure(Scenario("flights", "service_down"), result("There is no record of this flight.", stop="no_data"))
    assert (row["outcome"], row["success"]) == ("wrong", False)


def test_the_group_of_every_scenario_follows_from_the_data_alone() -> None:
    data = read_data("flights", "flights.json")
    question = Question("", "en", data)
    for each in scenarios("en"):
        assert group_of(question, each["flight"], each["airport"], each["date"]) == each["group"], each["id"]


# Invented figures, wasted calls, repeats.


def test_a_figure_of_the_answer_is_traced_to_the_question_or_to_a_tool() -> None:
    scenario = Scenario("finance", "sectors")
    seen = call("search_knowledge", "banks: 25%; amount 250,000 yuan", query="weights")
    assert invented(result("Banks 25 %, that is 25万 or 0.25 million.", seen), scenario) == []
    assert invented(result("Banks 26 %.", seen), scenario) == ["26 %"]
    assert invented(result("Banks 25 %."), scenario) == ["25 %"]


def test_a_calculation_with_an_invented_figure_brings_an_invented_result() -> None:
    scenario = Scenario("finance", "allocation")
    honest = call("calculate", "1,000,000 * 25% = 250,000", expression="1000000 * 25%")
    made_up = call("calculate", "1,000,000 * 37% = 370,000", expression="1000000 * 37%")
    assert invented(result("250,000 yuan", honest), scenario) == []
    assert invented(result("370,000 yuan", made_up), scenario) == ["370,000"]


def test_calls_after_everything_had_been_seen_are_wasted() -> None:
    scenario = Scenario("finance", "sectors")
    rule = rule_for(scenario)
    hit = call("search_knowledge", "banks, property, brokers, consumer", query="sectors")
    miss = call("search_knowledge", "nothing", kind="empty", query="x")
    assert [wasted(result("", *calls), rule) for calls in ([], [miss], [hit], [miss, hit], [hit, miss, hit])] == [
        *(0, 0, 0, 0, 2)
    ]


def test_repeats_are_counted_whatever_the_spelling_of_the_arguments() -> None:
    calls = [call("search_knowledge", query=text) for text in ("a b", "a  b", "c")]
    row = measure(Scenario("finance", "sectors"), result("", *calls))
    assert (row["repeated_calls"], row["most_identical_calls"]) == (1, 2)


def test_false_success_is_complete_without_being_right() -> None:
    rows = [
        measure(ALLOCATION, result(answer, stop=stop))
        for answer, stop in ((f"{AMOUNTS} {STOCKS}", ""), ("?", ""), ("?", "max_steps"))
    ]
    assert [row["false_success"] for row in rows] == [False, True, False]
