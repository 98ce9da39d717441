"""The ways lab: the same question by one reply, by ReAct and by a plan; only what does not wait fits into one reply."""

from __future__ import annotations

import pytest

from planexec.labs.ways import ways


def test_three_quotes_need_two_requests_in_one_reply_and_all_ways_answer():
    view = ways("Get the quotes of EPB, OBH and QSS.")
    assert view.requests["one reply"] == 2 == min(view.requests.values())
    assert all(len(result.calls) == 3 and "6.42" in result.answer for result in view.results.values())
    assert view.route == "parallel"


def test_a_chain_does_not_fit_into_one_reply():
    view = ways("How much of the 200 bn goes to banks and property each, and what are their leading stocks?")
    assert view.route == "chain"
    assert {name: "80 bn" in result.answer for name, result in view.results.items()} == {
        "one reply": False,
        "ReAct": True,
        "plan": True,
    }


def test_the_view_says_and_shows_its_numbers():
    view = ways("What is the price of Everpine Bank?")
    assert all(f"{name}: {count} requests" in view.text for name, count in view.requests.items())
    assert "one reply 2 (2 requests, 1 tool call)" in repr(view.picture) and "one reply 2" in view.svg
    assert ways("What is the price of Everpine Bank?").svg == view.svg


def test_the_cheapest_way_is_looked_for_among_those_that_answer():
    view = ways("Which sectors benefit from a cut, and what are their leading stocks?")
    assert view.requests["one reply"] < view.requests["plan"] < view.requests["ReAct"]
    assert view.missing == {"one reply": 1, "ReAct": 0, "plan": 0}
    assert view.cheapest == ("plan",)
    assert "Cheapest that answers: plan, 3 requests" in repr(view.picture)
    assert "one reply: 2 requests, 1 tool call, incomplete;" in view.text


def test_when_no_way_answers_none_is_the_cheapest():
    view = ways("What is the weather on Mars?")
    assert view.cheapest == () and "None of the three answers it" in view.svg


def test_a_way_that_called_no_tool_is_marked_at_its_bar_and_one_request_is_not_called_requests():
    view = ways("How much of the 200 bn goes to banks?")
    assert view.cheapest == () and "one reply: 1 request, 0 tool calls, incomplete;" in view.text


def test_a_careful_model_is_as_cheap_by_react_as_by_a_plan_on_a_chain_of_two_calls():
    view = ways("Which sectors benefit from a cut, and what are their leading stocks?", preset="careful")
    assert view.requests == {"one reply": 2, "ReAct": 3, "plan": 3} and view.cheapest == ("ReAct", "plan")


def test_the_picture_says_which_question_it_is_about():
    view = ways("What is the price of Everpine Bank?")
    assert "What is the price of Everpine Bank?" in repr(view.picture)
    assert "What is the price of Everpine Bank?" in view.svg
    assert "A reserve-requirement cut releases" in repr(ways().picture)


def test_one_reply_is_one_reply_even_when_it_found_nothing():
    view = ways("What is the total market value of the A-share market?")
    assert {call.kind for call in view.results["one reply"].calls} == {"empty"}
    assert view.requests["one reply"] == 2 and view.results["one reply"].usage.steps == 1


def test_the_missing_parts_of_an_answer_are_counted_in_chinese_too():
    view = ways("2000亿分给银行地产各多少 龙头股", lang="zh")
    assert view.missing["one reply"] > 0 == view.missing["ReAct"]


def test_the_panel_takes_a_question_of_ones_own():
    pytest.importorskip("ipywidgets")
    from planexec.labs.ways import panel

    live = panel()
    assert live.view.text == ways().text
    live.controls["question"].value = "Get the quotes of EPB, OBH and QSS."
    assert live.view.route == "parallel"
    live.set(question="", world="duty")
    assert live.view.text == ways(world="duty").text
