"""The judge in the worlds where something is done: orders, rivals, duty; and a survey's report."""

from __future__ import annotations

from typing import Any

import pytest
from judged import call, found, outcome, result

from planexec.result import CallDone
from planexec.trials import Scenario, Setting, Table, trials
from planexec.trials.judge import measure

# Orders: what was done counts.

SHIPPED, NOT_SHIPPED = Scenario("orders", "shipped"), Scenario("orders", "not_shipped")
LOOK = call("get_order", "ORDER-001 ... shipped", order_or_customer="ORDER-001")
MAIL = call("send_mail", "Sent", to="me", subject="ORDER-001 has shipped", body="...")


def test_a_mail_to_me_about_the_order_is_right_and_said_only_is_wrong() -> None:
    assert outcome(SHIPPED, result("Mailed.", LOOK, MAIL)) == "right"
    assert outcome(SHIPPED, result("Mailed.", LOOK)) == "wrong"


@pytest.mark.parametrize(
    "calls",
    [
        [LOOK, MAIL, MAIL],
        [LOOK, call("send_mail", "Sent", to="tamsin.oake@post.example", subject="ORDER-001", body="")],
        [LOOK, call("send_mail", "Sent", to="me", subject="ORDER-002", body="")],
        [LOOK, call("send_mail", "failed", kind="failed", to="me", subject="ORDER-001", body="")],
        [LOOK, MAIL, call("refund", "Paid", order="ORDER-001", amount_yuan=1)],
    ],
)
def test_two_mails_another_reader_another_order_a_failed_one_or_a_refund_are_wrong(calls: list[CallDone]) -> None:
    assert outcome(SHIPPED, result("Mailed.", *calls)) == "wrong"


def test_no_mail_is_due_for_what_was_not_shipped() -> None:
    assert outcome(NOT_SHIPPED, result("ORDER-002 has not shipped.", LOOK)) == "right"
    assert outcome(NOT_SHIPPED, result("ORDER-002 has not shipped.", LOOK, MAIL)) == "wrong"


def test_an_unknown_order_is_honest_no_data() -> None:
    unknown = Scenario("orders", "unknown")
    row = measure(unknown, result("ORDER-999 could not be found.", stop="no_data"))
    assert (row["outcome"], row["success"]) == ("no data", True)
    assert outcome(unknown, result("ORDER-999 could not be found.", MAIL, stop="no_data")) == "wrong"


def test_a_refund_is_the_whole_amount_of_that_order_and_needs_to_have_happened() -> None:
    refund = Scenario("orders", "refund")
    paid = call("refund", "Paid back", order="ORDER-005", amount_yuan=99.5)
    assert outcome(refund, result("Refunded.", paid)) == "right"
    assert (
        outcome(refund, result("Refunded.", call("refund", "Paid back", order="ORDER-005", amount_yuan=9.5))) == "wrong"
    )
    assert outcome(refund, result("Refunded.")) == "wrong"
    refused = call("refund", "needs a person", kind="refused", order="ORDER-005", amount_yuan=99.5)
    assert outcome(refund, result("Not allowed.", refused)) == "stopped"


def test_two_customers_of_one_name_call_for_a_question_back() -> None:
    same = Scenario("orders", "same_name")
    paid = call("refund", "Paid back", order="ORDER-003", amount_yuan=356.0)
    assert outcome(same, result("Which one: ORDER-003 or ORDER-004?", stop="no_data")) == "right"
    assert outcome(same, result("ORDER-003 or ORDER-004? I took the first.", paid)) == "wrong"


# Rivals, duty, research.


def test_a_comparison_has_both_prices_and_says_that_the_report_was_not_stored() -> None:
    compare = Scenario("rivals", "compare")
    prices = "Alder Desk from 1849 yuan, Birch Desk from 1599 yuan."
    assert outcome(compare, result(f"{prices} The report service did not answer (time-out).", stop="failed")) == "right"
    assert outcome(compare, result(prices)) == "wrong"
    assert outcome(compare, result("Data is missing.", stop="no_data")) == "wrong"
    works = Scenario("rivals", "compare", options={"report_works": True})
    stored = CallDone("write_report", {"title": "t", "text": "x"}, found, "Stored")
    assert outcome(works, result(prices, stored)) == "right"
    assert outcome(works, result(prices)) == "wrong"


PREPARED = (
    "Checkpoint C, 06:00 to 14:00. KITE601, KITE614, KITE622. PR-21, PR-19, PR-08. "
    "Release forms were missing in 6 of 41 cases in October; ask before the child enters. "
    "Undeclared power banks in 14 parcels of one shipper since 1 October. "
    "The delegation of 11 November has 18 persons; its list is complete."
)


def test_a_preparation_names_post_hours_flights_procedures_in_force_and_risks() -> None:
    prepare = Scenario("duty", "prepare")
    assert outcome(prepare, result(PREPARED)) == "right"
    assert outcome(prepare, result(f"{PREPARED}\nPR-12 (superseded by PR-19)")) == "right"
    assert outcome(prepare, result(f"{PREPARED}\nPR-12: one officer checks the wristband.")) == "wrong"
    for gone in ("Checkpoint C", "14:00", "KITE622", "PR-08", "18 persons"):
        assert outcome(prepare, result(PREPARED.replace(gone, ""))) == "wrong", gone


def test_a_day_without_duty_is_said_plainly() -> None:
    free = Scenario("duty", "no_duty")
    row = measure(free, result("You are not on duty on 2026-11-13.", stop="no_data"))
    assert (row["outcome"], row["success"]) == ("no data", True)
    assert outcome(free, result(PREPARED)) == "wrong"


@pytest.fixture(scope="module")
def surveys() -> Table:
    """Plan-and-Execute and ReAct on the survey, without faults and with drift."""
    scenarios = [Scenario("research", "survey", loop=loop, case=loop) for loop in ("plan", "react")]
    settings = [
        Setting("careful", "careful"),
        Setting("drifting", "careful", {"drift": 1.0}),
        Setting("lying", "careful", {"invent": 1.0}),
    ]
    return trials(scenarios, settings, [0])


def test_a_survey_is_right_when_it_reports_every_side_and_invents_nothing(surveys: Table) -> None:
    def one(scenario: str, setting: str) -> Any:
        return surveys.where(scenario=scenario, setting=setting)[0]

    assert (one("plan", "careful")["outcome"], one("plan", "careful")["sides_covered"]) == ("right", 5)
    drifted = one("react", "drifting")
    assert (drifted["outcome"], drifted["false_success"], drifted["sides_covered"]) == ("wrong", True, 1)
    lied = one("plan", "lying")
    assert (lied["outcome"], lied["sides_covered"]) == ("wrong", 5) and lied["invented_figures"] > 0


def test_only_surveys_have_sides() -> None:
    row = trials([Scenario("finance", "sectors")], [Setting()], [0])[0]
    assert (row["sides_covered"], row["evenness"], row["on_topic"]) == (None, None, None)
