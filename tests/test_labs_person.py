"""The person lab: a run that waits in a file, six answers, answers from elsewhere, and the buttons."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from planexec import store
from planexec.journal import JournalError
from planexec.labs.person import Desk, person
from planexec.person import Answer

CALL = 'refund({"order":"ORDER-005","amount_yuan":99.5})'
HALF = Answer("edit", args={"order": "ORDER-005", "amount_yuan": 50})


def test_nobody_there_the_run_waits_and_nothing_is_paid_back() -> None:
    view = person()
    assert (view.state, view.asked, view.done) == ("waiting", (), ())
    assert view.request is not None and view.request["text"] == CALL and CALL in view.text
    assert view.result.stop is not None and view.result.stop.reason == "paused"


@pytest.mark.parametrize(
    ("answer", "state", "paid", "said"),
    [
        ("approve", "complete", [99.5], "Paid back 99.5 yuan"),
        (HALF, "complete", [50], "Paid back 50 yuan"),
        (Answer("reject", "It was insured"), "stopped", [], "a person rejected it: It was insured"),
        (Answer("reply", "A new vase is on its way."), "complete", [], "A new vase is on its way."),
        (Answer("stop", "Not today."), "stopped", [], ""),
    ],
    ids=["approve", "edit", "reject", "reply", "stop"],
)
def test_each_answer_leads_somewhere_else(answer: Answer | str, state: str, paid: list[float], said: str) -> None:
    view = person(answer)
    assert (view.state, [each["amount_yuan"] for each in view.done]) == (state, paid)
    decision = answer if isinstance(answer, str) else answer.decision
    assert view.asked == ((CALL, decision),) and said in view.said


def test_a_rejected_call_is_no_failure_of_a_service() -> None:
    stop = person("reject").result.stop
    assert stop is not None and stop.reason == "refused" and "not allowed" in stop.advice


def test_a_stopped_run_goes_on_when_it_is_granted_more() -> None:
    stopped = person(max_steps=1)
    assert (stopped.state, stopped.result.stop.reason if stopped.result.stop else "") == ("stopped", "max_steps")
    more = Answer("grant", limits={"max_steps": 8})
    assert person(more, max_steps=1).state == "waiting"
    assert person(more, "approve", max_steps=1).outcome == "99.5 yuan paid back"


def test_a_plan_is_shown_first_when_the_limits_say_so() -> None:
    first = person(confirm_first=True)
    assert first.request is not None and first.request["kind"] == "confirm" and "1. " in first.request["text"]
    assert first.result.usage.tool_calls == 0
    assert person("approve", "approve", confirm_first=True).state == "complete"
    assert person("reject", confirm_first=True).result.usage.tool_calls == 0


def test_an_answer_is_used_once_and_none_is_taken_when_nothing_waits() -> None:
    with pytest.raises(ValueError, match="nothing waits"):
        person("approve", "approve")
    with pytest.raises(ValueError, match="one of approve"):
        person("yes")


def test_it_works_in_chinese_and_with_another_order() -> None:
    view = person("approve", lang="zh")
    assert view.state == "complete" and "99.5" in view.said
    missing = person(question="ORDER-999 arrived broken. Refund it.")
    assert missing.state == "stopped" and missing.asked == ()


def test_the_view_says_and_shows_who_was_asked_and_escapes_what_it_shows() -> None:
    view = person()
    assert "person: waiting at" in repr(view.picture) and "person: waiting at" in view.svg
    assert "person: asked at" in person("approve").svg
    assert "<script" not in person(Answer("reply", "<script>x</script>")).svg


# ------------------------------------------------------------------------------------------------ from elsewhere


def planexec(folder: Path, *words: str) -> str:
    given = [sys.executable, "-m", "planexec", *words]
    done = subprocess.run(given, cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_question_is_answered_by_another_process_while_the_desk_is_open(tmp_path: Path) -> None:
    desk = Desk(folder=tmp_path)
    assert desk.look().state == "waiting"
    assert CALL in planexec(tmp_path, "pending")
    planexec(tmp_path, "answer", "run.db", "edit", "--args", '{"order": "ORDER-005", "amount_yuan": 50}')
    assert desk.done == (), "answered, and not yet gone on"
    view = desk.look()
    assert (view.state, view.asked, view.outcome) == ("complete", ((CALL, "edit"),), "50 yuan paid back")
    assert desk.look().done == view.done, "looking again does nothing again"


def test_two_answers_to_one_question_are_one_too_many(tmp_path: Path) -> None:
    desk = Desk(folder=tmp_path)
    request = desk.look().request
    assert request is not None
    store.answer(desk.path, request["id"], Answer("approve"))
    with pytest.raises(JournalError, match="answered already"):
        store.answer(desk.path, request["id"], Answer("reject"))


def test_the_temporary_folder_goes_with_the_desk() -> None:
    desk = Desk()
    desk.look()
    folder = desk.folder
    assert str(desk.path) in desk.command and folder.is_dir()
    del desk
    assert not folder.exists()


# ------------------------------------------------------------------------------------------------ buttons


@pytest.fixture
def panel():
    pytest.importorskip("ipywidgets")
    from planexec.labs.person_panel import PersonPanel

    return PersonPanel()


def test_a_button_answers_and_the_panel_says_what_became_of_it(panel) -> None:
    assert CALL.replace('"', "&quot;") in panel.status.value
    panel.buttons["approve"].click()
    assert panel.view.state == "complete" and "99.5 yuan paid back" in panel.status.value
    assert panel.call == "person('approve')" and all(button.disabled for button in panel.buttons.values())


def test_the_boxes_hold_what_an_answer_needs(panel) -> None:
    panel.words.value = "It was <b>insured</b>"
    panel.buttons["reject"].click()
    assert "It was <b>insured</b>" in panel.view.said and "<b>" not in panel.status.value
    assert panel.call == "person(Answer('reject', 'It was <b>insured</b>'))" and "<b>" not in panel.share.value
    panel.reset_button.click()
    assert (panel.view.state, panel.call, panel.words.value) == ("waiting", "person()", "")
    panel.args.value = panel.args.value.replace("99.5", "50")
    panel.buttons["edit"].click()
    assert panel.view.outcome == "50 yuan paid back" and "amount_yuan" in panel.call


@pytest.mark.parametrize("typed", ["", "{", "[1]", "5"])
def test_a_box_that_cannot_be_used_is_said_and_the_question_stays_open(panel, typed: str) -> None:
    panel.args.value = typed
    panel.buttons["edit"].click()
    assert panel.view.state == "waiting" and CALL not in panel.status.value and panel.call == "person()"
    panel.buttons["approve"].click()
    assert panel.view.state == "complete"


def test_the_panel_sees_what_another_process_answered(panel) -> None:
    planexec(panel.desk.folder, "answer", "run.db", "stop", "--text", "not today")
    panel.look_button.click()
    assert panel.view.state == "stopped" and "not today" in panel.status.value


def test_what_another_process_answered_is_said_and_is_in_the_call(panel) -> None:
    planexec(panel.desk.folder, "answer", "run.db", "edit", "--args", '{"order": "ORDER-005", "amount_yuan": 50}')
    panel.look_button.click()
    assert "Answered somewhere else: edit. complete: 50 yuan paid back" in panel.status.value
    assert panel.call == "person(Answer('edit', args={'order': 'ORDER-005', 'amount_yuan': 50}))"
    assert person(*panel.given).text == panel.view.text
    panel.look_button.click()
    assert "somewhere else" not in panel.status.value, "it is news once"


@pytest.mark.parametrize("decision", ["approve", "reject", "edit", "reply", "stop", "grant"])
def test_a_button_for_a_question_that_was_answered_elsewhere_does_nothing_and_says_so(panel, decision: str) -> None:
    store.answer(panel.desk.path, panel.desk.waiting["id"], Answer("reject", "no receipt"))
    panel.words.value = "words"
    panel.buttons[decision].click()
    assert f"{decision} did nothing: this question has been answered somewhere else" in panel.status.value
    assert panel.desk.done == () and panel.given == []
    panel.look_button.click()
    assert "Answered somewhere else: reject." in panel.status.value and panel.desk.done == ()


@pytest.mark.parametrize("decision", ["approve", "grant"])
def test_a_button_pressed_once_more_pays_nothing_back_again(panel, decision: str) -> None:
    panel.buttons["approve"].click()
    panel.press(decision)
    assert f"{decision} did nothing: nothing waits for an answer. complete: 99.5 yuan" in panel.status.value
    assert len(panel.desk.done) == 1 and panel.call == "person('approve')"


def test_an_answer_that_comes_between_look_and_press_is_not_overruled(panel, monkeypatch) -> None:
    asked = panel.desk.waiting
    store.answer(panel.desk.path, asked["id"], Answer("reject"))
    monkeypatch.setattr(Desk, "waiting", asked)
    panel.buttons["approve"].click()
    assert "approve did nothing:" in panel.status.value and "answered already" in panel.status.value
    assert panel.look() is None and panel.view.outcome == "nothing paid back"


@pytest.fixture
def slow_clock():
    """A clock that is moved by hand."""
    pytest.importorskip("ipywidgets")

    class Clock:
        now = 100.0

        def __call__(self) -> float:
            return self.now

    return Clock()


def test_the_second_click_of_a_double_click_does_not_answer_the_next_question(slow_clock) -> None:
    from planexec.labs.person_panel import SETTLE, PersonPanel

    panel = PersonPanel(slow_clock, confirm_first=True)
    panel.buttons["approve"].click()
    assert panel.view.request is not None and panel.view.request["text"] == CALL
    assert "ORDER-005" in panel.args.value, "the box follows the question"
    slow_clock.now += SETTLE * 0.99
    panel.buttons["approve"].click()
    assert panel.view.state == "waiting" and panel.desk.done == () and "only just come up" in panel.status.value
    slow_clock.now += SETTLE * 0.02
    panel.buttons["approve"].click()
    assert panel.view.outcome == "99.5 yuan paid back"


def test_a_run_that_another_process_goes_on_with_is_said_to_be_in_use(panel) -> None:
    from planexec.journal import Journal

    with Journal(panel.desk.path):
        panel.look_button.click()
        said = panel.status.value
        panel.buttons["approve"].click()
    assert "use" in said and panel.view.state == "waiting"
    panel.look_button.click()
    assert panel.view.state == "complete" and "somewhere else" not in panel.status.value


def test_only_a_grant_is_left_for_a_run_that_a_limit_stopped() -> None:
    pytest.importorskip("ipywidgets")
    from planexec.labs.person_panel import PersonPanel

    panel = PersonPanel(max_steps=1)
    assert [name for name, button in panel.buttons.items() if not button.disabled] == ["grant"]
    panel.buttons["grant"].click()
    assert (
        panel.view.state == "waiting" and panel.call == "person(Answer('grant', limits={'max_steps': 8}), max_steps=1)"
    )


def test_where_buttons_cannot_live_there_is_a_text_and_a_picture_without_a_path(panel) -> None:
    data = panel._repr_mimebundle_()
    assert data["text/plain"] == f"Lab person(): {panel.view.text}" and data["image/png"]
    assert str(panel.desk.folder) not in data["text/plain"] and str(panel.desk.folder) in panel.elsewhere.value


def test_the_call_that_the_panel_names_rebuilds_what_it_shows(panel) -> None:
    panel.words.value = "A new vase is on its way."
    panel.buttons["reply"].click()
    assert person(*panel.given).text == panel.view.text
