"""The player: what happened at each point of a run, what was used by then, and where two runs part."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from planexec import Journal, Limits, PlanExecuteAgent, Result, SimulatedModel, react, worlds
from planexec.chat import ServiceError
from planexec.clock import VirtualClock
from planexec.labs.crash_child import go_on
from planexec.labs.frames import Gauge, frames, level_of, written
from planexec.labs.person import Desk
from planexec.labs.player import first_difference, player, side_by_side
from planexec.models.scripted import ScriptedModel
from planexec.tools import tool


def run(
    world: str = "finance", preset: str = "articles", loop: str = "auto", limits: Limits | None = None, **dials: float
) -> tuple[Journal, Result]:
    """A run of a world's own question with its journal."""
    place, journal = worlds.load(world), Journal()
    model = SimulatedModel(preset, **dials)
    agent = PlanExecuteAgent(model, place.tools, limits or Limits(max_steps=8), date=place.date, loop=loop)
    return journal, agent.run(place.question, journal)


@tool
def look(query: str) -> str:
    """Look something up."""
    return f"fact about {query}"


# ------------------------------------------------------------------------------------------------ what was used


@pytest.mark.parametrize("loop", ["auto", "plan", "react"])
@pytest.mark.parametrize("preset", ["articles", "careful", "reckless"])
@pytest.mark.parametrize("world", ["finance", "orders", "rivals", "flights"])
def test_at_the_last_frame_the_gauges_show_what_the_run_used(world: str, preset: str, loop: str) -> None:
    journal, result = run(world, preset, loop)
    used, shown = result.usage, {gauge.name: gauge.value for gauge in frames(journal)[-1].used}
    assert (shown["steps"], shown["model calls"], shown["tool calls"]) == (
        used.steps,
        used.model_calls,
        used.tool_calls,
    )
    assert shown["tokens"] == used.prompt_tokens + used.completion_tokens
    assert shown["dollars"] == pytest.approx(used.usd) and shown["seconds"] == pytest.approx(used.seconds, abs=0.06)


def test_attempts_count_as_model_calls_and_the_turn_counts_once() -> None:
    journal = Journal()
    model = ScriptedModel([ServiceError("busy", "transient"), ("look", {"query": "a"}), "done"])
    result = react("q", model, [look], journal=journal, clock=VirtualClock())
    cut = frames(journal)
    assert [frame.kind for frame in cut] == ["failed", "wait", "model", "found", "model"]
    assert [frame.used[0].value for frame in cut] == [1, 1, 1, 1, 2] and result.usage.steps == 2
    assert cut[-1].used[1].value == result.usage.model_calls == 3


def test_a_refused_call_is_shown_and_not_counted() -> None:
    journal = Journal()
    calls = [("look", {"query": name}) for name in "abc"]
    react("q", ScriptedModel([calls, "done"]), [look], Limits(max_tool_calls=2), journal=journal)
    cut = frames(journal)
    assert [frame.kind for frame in cut if frame.title.startswith("look")] == ["found", "found", "refused"]
    assert cut[-1].used[2] == Gauge("tool calls", 2, 2)


def test_limits_are_those_in_force_and_a_step_has_turns_of_its_own() -> None:
    journal, _ = run(limits=Limits(max_steps=8, max_usd=0.5))
    named = {gauge.name: gauge.most for gauge in frames(journal)[2].used}
    assert (named["steps"], named["dollars"], named["tokens"], named["turns of this step"]) == (8, 0.5, None, 3)
    desk = Desk(max_steps=1)
    desk.look()
    desk.answer("grant", limits={"max_steps": 6})
    assert frames(desk.path)[-1].used[0].most == 6


# ------------------------------------------------------------------------------------------------ what was said


def test_a_frame_holds_messages_reply_call_observation_and_notes() -> None:
    journal, result = run()
    cut = frames(journal)
    planner = next(frame for frame in cut if frame.where == "plan")
    assert [name for name, _ in planner.lines][:2] == ["system", "user"] and "plan" in dict(planner.lines)
    first = next(frame for frame in cut if frame.where == "step-1")
    assert first.lines[0][0] == "step", "the line that begins here"
    assert dict(first.lines)["empty"].startswith("Not found")
    assert result.answer.strip() in dict(cut[-1].lines)["reply"]


def test_each_frame_is_one_effect_or_stop_of_the_journal() -> None:
    journal, _ = run()
    shown = [record for record in journal.records() if record.kind in ("model", "tool", "ask", "wait", "stop")]
    assert [frame.where for frame in frames(journal)] == [record.scope for record in shown]
    assert [frame.number for frame in frames(journal)] == list(range(1, len(shown) + 1))


def test_counters_stand_as_the_guards_count_them_and_begin_anew_in_each_step() -> None:
    journal, _ = run()
    cut = frames(journal)
    searched = [frame for frame in cut if frame.where == "step-1" and frame.kind == "empty"]
    in_a_row = [each.value for frame in searched for each in frame.guards if "in a row" in each.name]
    assert in_a_row == [1, 2, 3]
    second = next(frame for frame in cut if frame.where == "step-2" and frame.kind == "found")
    assert [each.value for each in second.guards if each.name.startswith("calls")] == [1]
    assert all(frame.guards == () for frame in frames(journal, guards=()))


def test_a_nudge_and_a_question_to_a_person_are_seen() -> None:
    journal, _ = run()
    assert any(name == "nudge" for frame in frames(journal) for name, _ in frame.lines)
    desk = Desk()
    desk.look()
    assert frames(desk.path)[-2].kind == "waiting" or frames(desk.path)[-1].kind == "waiting"
    desk.answer("reject")
    asked = next(frame for frame in frames(desk.path) if frame.kind == "asked")
    assert asked.title.endswith("→ reject")


def test_a_call_that_only_began_is_not_known(tmp_path) -> None:
    class Died(BaseException):
        pass

    class Dying:
        def reached(self, moment: str) -> None:
            self.count = getattr(self, "count", 0) + (moment == "begun")
            if self.count == 3:
                raise Died

        def watch(self, event: object) -> None:
            pass

    with pytest.raises(Died):
        go_on(tmp_path, "first", Dying())  # type: ignore[arg-type]
    assert frames(tmp_path / "run.db")[-1].kind == "unknown"


# ------------------------------------------------------------------------------------------------ the views


def test_the_player_says_and_shows_one_point() -> None:
    journal, _ = run()
    view = player(journal, 7)
    assert view.text.startswith('7 of 17, step-1: search_knowledge(query="market value of the Chinese stock market")')
    assert "steps 3 of 8" in view.text and "in a row: 3 of 3" in view.text
    assert "Not found" in view.svg and view.title in repr(view.picture)
    assert player(journal, 7).svg == view.svg != player(journal, 8).svg


@pytest.mark.parametrize("k", [0, 18, -1])
def test_a_frame_that_does_not_exist_is_an_error(k: int) -> None:
    with pytest.raises(ValueError, match="k is 1 to 17"):
        player(run()[0], k)
    with pytest.raises(ValueError, match="nothing has happened"):
        player(Journal())


def test_a_result_can_be_played_too_as_far_as_it_knows() -> None:
    journal, result = run()
    calls = [frame.title for frame in frames(journal) if frame.kind in ("found", "empty")]
    assert [frame.title for frame in frames(result)] == calls
    assert player(result, 2).frame.where == "step-1"


def test_two_runs_are_compared_and_the_first_difference_is_marked() -> None:
    one, other = run()[0], run(stubborn=0)[0]
    view = side_by_side(one, other)
    assert view.first == view.k == 4 and view.text.startswith("the same up to 3; at 4 they differ: model, step-1 → ")
    assert "first difference" in view.svg and "Two runs part at 4" in repr(view.picture)
    assert side_by_side(one, other, 9).first == 4
    assert "; shown is 3, both: search_knowledge(" in side_by_side(one, other, 3).text
    assert "; shown is 9, " in side_by_side(one, other, 9).text and "; shown is" not in view.text
    with pytest.raises(ValueError, match="k is 1 to"):
        side_by_side(one, other, 99)


def test_the_same_run_twice_has_no_difference_and_a_shorter_one_ends_where_it_ends() -> None:
    one, other = run()[0], run()[0]
    assert side_by_side(one, other).first is None and "the same in all 17 frames" in repr(side_by_side(one, other))
    cut = frames(one)
    assert first_difference(cut, cut[:5]) == 6 and first_difference(cut[:5], cut) == 6
    assert first_difference((), ()) is None


class Tags(HTMLParser):
    def __init__(self, text: str):
        super().__init__()
        self.seen: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)


def test_what_a_model_or_a_tool_wrote_is_shown_and_not_run() -> None:
    journal = Journal()
    script = [[("look", {"query": "<img src=x>"})], "<script>alert(1)</script> &amp; \x1b[31mred"]
    react("<b>q</b>", ScriptedModel(script), [look], journal=journal)
    for k in range(1, len(frames(journal)) + 1):
        for drawn in (player(journal, k).svg, side_by_side(journal, journal, k).svg):
            assert not {"img", "script", "b"} & Tags(drawn).seen and "\x1b" not in drawn
    assert "&lt;script&gt;" in player(journal, 3).svg and "&amp;amp;" in player(journal, 3).svg


def test_a_long_run_and_long_texts_stay_in_the_picture() -> None:
    journal = Journal()
    turns = [[("look", {"query": f"{turn} " + "long " * 400})] for turn in range(60)]
    limits = Limits.none()
    react("q", ScriptedModel([*turns, "done"]), [look], limits, journal=journal, guards=())
    view = player(journal, 100)
    assert len(view.frames) == 121 and view.svg.count("<text") < 60
    assert len(view.svg) < 60_000 and len(view.text) < 400


def test_words_for_calls_and_levels() -> None:
    assert written("search", {"query": "a", "top": 3}) == 'search(query="a", top=3)' and written("x", None) == "x()"
    assert [level_of(scope) for scope in ("step-3#2/conclude", "step-1", "report", "run")] == [
        "step-3#2",
        "step-1",
        "run",
        "run",
    ]


# ------------------------------------------------------------------------------------------------ the panel


def test_the_panel_moves_through_the_run() -> None:
    pytest.importorskip("ipywidgets")
    from planexec.labs.player import panel

    journal = run()[0]
    live = panel(journal)
    assert (live.play.min, live.play.max, live.call) == (1, 17, "player(run, k=1)")
    live.set(k=7)
    assert live.picture.value == player(journal, 7).svg and live.call == "player(run, k=7)"
    live.reset()
    assert live.picture.value == player(journal, 1).svg


def test_the_buttons_turn_one_frame_and_stay_within_the_run() -> None:
    pytest.importorskip("ipywidgets")
    from planexec.labs.player import panel

    journal = run()[0]
    live = panel(journal)
    live.turns["Step back"].click()
    assert live.values == {"k": 1}, "nothing before the first"
    live.turns["Step forward"].click()
    assert live.picture.value == player(journal, 2).svg and player(journal, 2).text[:20] in live.view.text
    live.set(k=17)
    live.turns["Step forward"].click()
    assert live.values == {"k": 17}, "nothing after the last"
    assert set(live.turns) == {"Step back", "Play", "Step forward"}


def test_the_play_button_says_what_it_will_do_and_a_step_stops_it() -> None:
    pytest.importorskip("ipywidgets")
    from planexec.labs.player import panel

    live = panel(run()[0])
    live.playing.value = True
    assert live.playing.description == "Pause" and live.values == {"k": 1}
    live.turns["Step forward"].click()
    assert (live.playing.value, live.playing.description, live.values) == (False, "Play", {"k": 2})
    live.set(k=17)
    live.playing.value = True
    assert live.values == {"k": 1}, "from the last frame it begins anew"
    live.speed.value = 200
    live.reset()
    assert (live.playing.value, live.speed.value, live.speed_box.value) == (False, 800, 800)


def test_the_lab_by_its_name_plays_a_run_of_its_own() -> None:
    pytest.importorskip("ipywidgets")
    from planexec.labs import lab

    assert lab("player").view.text == player(run()[0]).text and lab("player").call == "player(example(), k=1)"
    assert lab("person").view.state == "waiting" and lab("failures").call.startswith("failures(kind='503'")


def test_the_panel_of_two_runs_begins_at_the_first_difference() -> None:
    pytest.importorskip("ipywidgets")
    from planexec.labs.player import panel

    live = panel(run()[0], run(stubborn=0)[0])
    assert live.call == "side_by_side(run, other, k=4)" and "the same up to 3" in live.status.value
    live.set(k=1)
    assert "shown is 1, both:" in live.status.value
    live.turns["First difference"].click()
    assert live.values == {"k": 4}
    with pytest.raises(ValueError, match="nothing has happened"):
        panel(Journal())
