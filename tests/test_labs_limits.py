"""The limits lab: the simulated model falls into the published incident, and each limit ends it where it says.

`incident.py` has the same incident by a script that nobody can doubt; the two must agree in every number.
"""

from __future__ import annotations

from html import escape

import pytest
from incident import SETTINGS, table

from planexec.labs.limits import (
    BRAKES,
    CALLS,
    DOLLARS,
    OFF,
    PACE,
    PERSON,
    SECONDS,
    clock,
    incident,
    limits,
    without_limits,
)
from planexec.limits import Limits
from planexec.show.strips import LEFT, NOTE, Strip, alt_text, strips_picture, strips_svg
from planexec.show.svg import WIDTH
from planexec.trials.pace import Pace

SCRIPTED = table()
NONE = dict.fromkeys(BRAKES)
CYCLE = ["search_price", "search_price", "write_report", "write_report"]


# Tokens are each model's own; and further attempts take no time in the lab, as notebook 09 says.
OTHER_FIGURES = ("max_tokens = 100,000", "max_attempts = 3")


@pytest.mark.parametrize("name", SETTINGS)
def test_the_models_own_incident_agrees_with_the_scripted_one(name):
    held, guards, _ = SETTINGS[name]
    end, scripted = incident(held, guards), SCRIPTED[name]
    assert end.reason in (scripted.reason, PERSON)
    assert (end.reason == PERSON) == (scripted.reason == "stopped by a person")
    if name not in OTHER_FIGURES:
        assert (end.model_calls, clock(end.seconds), end.usd) == (scripted.model_calls, scripted.minutes, scripted.usd)


def test_the_cycle_is_the_models_own_doing():
    calls = incident(OFF.with_(max_steps=12)).result.calls
    assert [call.tool for call in calls] == CYCLE * 3
    careful = incident(OFF.with_(max_steps=12), seed=5).result.calls
    assert [call.tool for call in careful] == CYCLE * 3, "panic at 1 strikes whatever the seed"


def test_what_was_calibrated_comes_out_again_and_nothing_is_said_at_the_end():
    end = incident()
    assert (end.model_calls, clock(end.seconds), end.usd) == (CALLS, "47:00", DOLLARS)
    assert (end.reason, end.answer, end.result) == (PERSON, "", None)
    assert repr(end) == "ended by a person after 238 calls, 47:00, $12.30"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_under_a_limit_the_run_still_says_what_it_found_and_what_is_missing(lang):
    answer = incident(OFF.with_(max_usd=1.0), lang=lang).answer
    assert "1849" in answer and "1599" in answer
    assert ("Not available" if lang == "en" else "没有") in answer


def test_of_the_articles_limits_one_is_ever_reached():
    view = limits()
    assert (view.ending.reason, view.ending.model_calls) == ("max_usd", 19)
    assert {name: end.model_calls for name, end in view.alone.items()} == {
        "max_steps": 31,
        "max_model_calls": 50,
        "max_tool_calls": 42,
        "max_seconds": 25,
        "max_usd": 19,
    }
    assert view.text.startswith("max_usd ends it after 19 calls, 3:45, $0.98; never reached: max_steps, ")
    assert len(view.never_binding) == 3
    assert any("max_model_calls = 50 can never bind" in one for one in view.never_binding)


def test_more_attempts_are_no_brake_they_bring_another_limit_nearer():
    ends = [limits(max_attempts=attempts).alone["max_tool_calls"].model_calls for attempts in (1, 2, 3, 4)]
    assert ends == [42, 29, 22, 18]
    assert [limits(max_attempts=attempts).ending.reason for attempts in (3, 4)] == ["max_usd", "max_tool_calls"]
    assert limits(**NONE, max_attempts=3).ending.reason == PERSON
    assert limits(max_attempts=3).text.startswith("max_usd ends it after 19 calls, 4:06, $0.98")
    assert limits(max_attempts=0).ending.reason == "max_attempts"


def test_switched_off_a_limit_gives_way_to_the_next():
    assert limits(max_usd=None).ending.reason == "max_seconds"
    assert limits(max_usd=None, max_seconds=None).ending.reason == "max_steps"
    assert limits(**NONE).ending.reason == PERSON
    assert limits(**NONE).text == "a person ends it after 238 calls, 47:00, $12.30"


def test_the_price_and_the_pace_decide_which_limit_counts():
    assert limits(usd_per_call=0.01).ending.reason == "max_seconds"
    assert limits(usd_per_call=0.01, seconds_per_call=40).ending.model_calls == 7
    assert limits(usd_per_call=0.01, max_seconds=None).ending.reason == "max_steps"


def test_the_counters_end_it_before_any_limit():
    view = limits(guards=True)
    assert (view.ending.reason, view.ending.model_calls) == ("failed", 8)
    assert view.text.startswith("a counter (failed) ends it after 8 calls")
    assert [strip.name for strip in view.strips if strip.lit] == ["the counters"]


@pytest.mark.parametrize("attempts", [1, 3])
@pytest.mark.parametrize("pace", [PACE, Pace(10.0, 0.1), Pace(59.85, 0.001)])
def test_the_incident_without_limits_is_the_same_calls_at_every_pace(pace, attempts):
    carried_out = incident(OFF.with_(max_attempts=attempts), pace=pace)
    assert without_limits(attempts, pace) == carried_out
    assert carried_out.reason == PERSON


def test_replies_are_remembered_and_do_not_change_a_run():
    from planexec.labs.remembering import Remembering

    first, again = incident(Limits.article()), incident(Limits.article())
    Remembering.replies.clear()
    Remembering.places.clear()
    assert incident(Limits.article()) == first == again
    assert len(Remembering.replies) > 10


def test_a_conversation_with_another_call_in_it_is_another_conversation():
    from planexec.chat import Reply, ToolCall, Usage, assistant, tool_message, user
    from planexec.labs.remembering import Remembering

    class Counting:
        name, price, make_clock = "counting", None, None
        asked = 0

        def reply(self, messages, **options):
            self.asked += 1
            return Reply(f"reply {self.asked}", usage=Usage(1, 1))

    def talk(query):
        call = ToolCall("c1", "search", {"query": query})
        said = assistant("", [call], [f'{{"query": "{query}"}}'])
        return [user("go"), said, tool_message(call, "Nothing found.")]

    model = Counting()
    one, same, other = (
        Remembering(model, "only here").reply(talk(query), tool_choice="auto").text for query in ("a", "a", "b")
    )
    assert one == same != other and model.asked == 2


def test_the_panel_has_every_limit_price_and_pace_and_names_what_can_never_bind():
    pytest.importorskip("ipywidgets")
    from planexec.labs.limits import panel

    live = panel()
    assert set(BRAKES) | {"max_attempts", "usd_per_call", "seconds_per_call", "guards"} == set(live.controls)
    assert live.view.text == limits().text and live.values["max_attempts"] is None
    assert live.table.value.count("can never bind") == 3
    live.switches["max_attempts"].value = True
    assert live.view.text == limits(max_attempts=3).text
    live.set(usd_per_call=0.0017, max_attempts=None)
    assert live.view.ending.reason == "max_seconds"
    live.reset()
    assert live.view.text == limits().text


def test_a_pace_that_would_hold_too_many_calls_is_refused():
    assert incident(OFF.with_(max_steps=2), pace=Pace(10.0, PACE.usd_per_call)).model_calls == 3
    with pytest.raises(ValueError, match="10 seconds"):
        incident(pace=Pace(9.9, PACE.usd_per_call))
    with pytest.raises(ValueError, match="max_usd"):
        limits(max_usd=-1)


def test_no_limit_is_passed():
    for held in (Limits.article(), OFF.with_(max_usd=0.5), OFF.with_(max_seconds=100.0), OFF.with_(max_model_calls=7)):
        end = incident(held)
        assert held.max_usd is None or end.usd <= held.max_usd
        assert held.max_seconds is None or end.seconds <= held.max_seconds
        assert held.max_model_calls is None or end.model_calls <= held.max_model_calls


def test_the_view_shows_its_numbers_and_lights_what_ended_it():
    view = limits()
    assert [strip.name for strip in view.strips if strip.lit] == ["max_usd = 1"]
    assert [strip.name for strip in limits(**NONE).strips if strip.lit] == ["no limit"]
    for shown in (repr(view.picture), view.svg):
        assert "19 calls, 3:45, $0.98" in shown and "238 calls, 47:00, $12.30" in shown
    assert limits().svg == view.svg and repr(view) == view.text


def test_the_published_figures_are_the_published_figures():
    assert (CALLS, SECONDS, DOLLARS) == (238, 2820, 12.30)
    assert pytest.approx(DOLLARS) == CALLS * PACE.usd_per_call
    assert pytest.approx(SECONDS) == CALLS * PACE.seconds_per_call


def test_strips_are_as_long_as_their_values_and_words_are_shown_not_run():
    strips = [Strip("<b>half</b>", 1, "one"), Strip("all", 2, "two", lit=True)]
    drawn = strips_svg(strips, "Title", "calls")
    room = WIDTH - LEFT - NOTE
    assert f'width="{room / 2}"' in drawn and f'width="{room}"' in drawn
    assert "<b>" not in drawn and escape("<b>half</b>") in drawn
    assert alt_text(strips, "Title", "calls") in repr(strips_picture(strips, "Title", "calls"))
    assert 'width="0.0"' in strips_svg([Strip("none", 0)], "Title", "calls")
    assert alt_text([], "Title", "calls") == "Title. calls: nothing."
