"""The ways lab: the same question by one reply, by ReAct and by a plan; only what does not wait fits into one reply."""

from __future__ import annotations

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
