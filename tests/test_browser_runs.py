"""The player and the person in their notebooks, in a real browser: by keyboard, by buttons, and from a terminal.

What is asserted is what a screen reader would say, and what really happened: the lines in the file of the refunds.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from browser import CHROMIUM, cell_of, course_lab, live_cells, switch_to

from planexec import Journal, PlanExecuteAgent, SimulatedModel, worlds
from planexec.labs.frames import frames
from planexec.labs.person import Desk
from planexec.labs.player import player, side_by_side

pytest.importorskip("playwright")
pytest.importorskip("jupyterlab")
pytestmark = [
    pytest.mark.check,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"),
]
CELLS = live_cells()
QUESTION = 'waits for a person: refund({"order":"ORDER-005","amount_yuan":99.5})'


class Cell:
    """A live cell, as somebody uses it who sees nothing."""

    def __init__(self, page, index):
        self.page, self.cell = page, cell_of(page, index)

    def button(self, name):
        return self.cell.get_by_role("button", name=name, exact=True)

    def press(self, name):
        """A button, by keyboard."""
        self.button(name).focus()
        self.page.keyboard.press("Enter")

    def fill(self, role, name, text):
        self.cell.get_by_role(role, name=name, exact=True).fill(text)
        self.page.keyboard.press("Tab")

    @property
    def said(self):
        return " ".join(self.cell.get_by_role("status").last.text_content().split())

    @property
    def call(self):
        return self.cell.locator(".widget-html code").last.text_content()

    def says(self, *texts, seconds=30.0):
        """Wait until the status line holds all of these texts."""
        for _ in range(int(seconds * 20)):
            if all(" ".join(text.split()) in self.said for text in texts):
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"wanted {texts}; the status line says {self.said!r}")


@pytest.fixture(scope="module")
def lab():
    """One server and one page for both notebooks."""
    with course_lab() as opened:
        yield opened


def live(lab, name, notebook):
    """The live cell of a lab in a notebook, all of whose cells have been run once."""
    page, address = lab
    file, index = next((file, at) for found, file, at in CELLS if found == name and file.startswith(notebook))
    if not page.url.endswith(file):
        switch_to(page, address, file)
    return Cell(page, index)


# ------------------------------------------------------------------------------------------------ the player


@pytest.fixture(scope="module")
def played():
    """The run that notebook 12 plays."""
    world, journal = worlds.load("orders", outbox=[]), Journal()
    PlanExecuteAgent(SimulatedModel("careful"), world.tools, date=world.date).run(world.question, journal)
    return journal


def test_the_player_steps_through_a_run_by_keyboard(lab, played):
    cell, page = live(lab, "player", "12"), lab[0]
    cell.press("Reset")
    cell.says(player(played, 1).text)
    cell.cell.locator(".noUi-handle").last.focus()
    for key, k in (("ArrowRight", 2), ("ArrowRight", 3), ("ArrowLeft", 2), ("End", len(frames(played))), ("Home", 1)):
        page.keyboard.press(key)
        cell.says(player(played, k).text)
    for name, k in (("Step back", 1), ("Step forward", 2), ("Step forward", 3), ("Step back", 2)):
        cell.press(name)
        cell.says(player(played, k).text)
    assert cell.call == "player(run, k=2)"


def test_the_player_plays_pauses_and_plays_at_the_pace_that_is_typed(lab, played):
    cell, page = live(lab, "player", "12"), lab[0]
    last = len(frames(played))
    cell.press("Reset")
    cell.fill("spinbutton", "ms a frame (type)", "2000")
    cell.press("Play")
    cell.button("Pause").wait_for()
    cell.says("2 of ")
    cell.press("Pause")
    cell.button("Play").wait_for()
    paused = cell.said
    page.wait_for_timeout(2_300)  # longer than one frame is shown
    assert cell.said == paused and not paused.startswith(f"{last} of")
    cell.fill("spinbutton", "ms a frame (type)", "200")
    cell.press("Play")
    cell.says(player(played, last).text)
    cell.button("Play").wait_for()  # it has stopped by itself


def test_two_runs_side_by_side_begin_where_they_first_differ(lab):
    cell = live(lab, "player", "13")
    decisions = re.findall(r'"(approve|reject|reply|stop)"', cell.cell.locator(".jp-InputArea").text_content())
    one, other = Desk(), Desk()  # the same two runs, made here
    for desk, answer in zip((one, other), decisions, strict=True):
        desk.look()
        desk.answer(answer)
    view = side_by_side(one.path, other.path)
    cell.says(view.text)
    picture = cell.cell.locator("svg[role=img]").last
    assert picture.get_attribute("aria-label") == view.text
    assert picture.get_by_text("first difference").count() == 1
    cell.press("Step forward")
    cell.says(side_by_side(one.path, other.path, view.first + 1).text)
    cell.cell.locator(".noUi-handle").last.focus()
    lab[0].keyboard.press("Home")
    cell.says(side_by_side(one.path, other.path, 1).text)
    cell.press("First difference")
    cell.says(view.text)


# ------------------------------------------------------------------------------------------------ the person


def paid(cell):
    """What has been paid back in the run that the panel has open, from the file beside it."""
    file = Path(path_of(cell)).with_name("done.jsonl")
    return [json.loads(line)["amount_yuan"] for line in file.read_text().splitlines()] if file.exists() else []


def path_of(cell):
    """The file of the run, from the command that the panel shows."""
    return re.search(r'planexec answer "(.+)" approve', cell.cell.get_by_text("planexec answer").last.text_content())[1]


@pytest.fixture
def desk(lab):
    """The panel of notebook 13 with a run that waits."""
    cell = live(lab, "person", "13")
    before = path_of(cell)
    cell.press("Reset")
    for _ in range(200):
        if path_of(cell) != before:
            break
        lab[0].wait_for_timeout(50)
    cell.says(QUESTION)
    assert cell.call == "person()" and paid(cell) == []
    return cell


ANSWERS = {  # button: what is typed, what the status line says, what is paid back, what the call holds
    "approve": ("", "complete: 99.5 yuan paid back", [99.5], "'approve'"),
    "reject": ("no <b>receipt</b>", "stopped: nothing paid back", [], "Answer('reject', 'no <b>receipt</b>')"),
    "edit": (
        '{"order": "ORDER-005", "amount_yuan": 50}',
        "complete: 50 yuan paid back",
        [50],
        "Answer('edit', args={'order': 'ORDER-005', 'amount_yuan': 50})",
    ),
    "reply": ("A new vase.", "complete: nothing paid back", [], "Answer('reply', 'A new vase.')"),
    "stop": ("Not today.", "asked 1 time - Stopped in step-2: stopped. Not today.", [], "Answer('stop', 'Not today.')"),
}


@pytest.mark.parametrize("button", ANSWERS)
def test_each_button_answers_the_run_that_waits(desk, button):
    typed, said, amounts, answer = ANSWERS[button]
    if typed:
        box = "arguments (edit), JSON" if button == "edit" else "words (reject, reply, stop)"
        desk.fill("textbox", box, typed)
    desk.press(button)
    desk.says(said)
    assert paid(desk) == amounts and desk.call == f"person({answer})"
    assert desk.button("approve").is_disabled()


def test_a_grant_leaves_the_question_open_and_a_second_click_is_not_an_answer(desk):
    desk.fill("spinbutton", "max_steps (grant)", "9")
    desk.button("grant").dblclick()
    desk.says("grant did nothing: this question has only just come up", QUESTION)
    granted = "Answer('grant', limits={'max_steps': 9})"
    assert desk.call == f"person({granted})"
    desk.page.wait_for_timeout(800)  # longer than a question has to have stood
    desk.press("approve")
    desk.says("complete: 99.5 yuan paid back")
    assert desk.call == f"person({granted}, 'approve')" and paid(desk) == [99.5]


def answer_in_a_terminal(desk, *words):
    given = [sys.executable, "-m", "planexec", "answer", path_of(desk), *words]
    done = subprocess.run(given, capture_output=True, text=True, encoding="utf-8", timeout=60)
    assert done.returncode == 0 and f": {words[0]}. The run goes on" in done.stdout, done.stderr


def test_what_a_terminal_answered_is_seen_and_a_button_afterwards_does_nothing(desk):
    answer_in_a_terminal(desk, "edit", "--args", '{"order": "ORDER-005", "amount_yuan": 50}')
    desk.press("approve")
    desk.says("approve did nothing: this question has been answered somewhere else")
    desk.press("approve")
    assert paid(desk) == [], "answered, and nobody has gone on with it yet"
    desk.press("Look again")
    desk.says("Answered somewhere else: edit. complete: 50 yuan paid back")
    assert desk.call == "person(Answer('edit', args={'order': 'ORDER-005', 'amount_yuan': 50}))"
    assert paid(desk) == [50] and desk.button("approve").is_disabled()
    desk.press("Look again")
    desk.says("complete: 50 yuan paid back; asked 1 time")
    assert paid(desk) == [50]


def test_a_button_that_is_clicked_twice_pays_back_once(desk):
    desk.button("approve").dblclick()
    desk.says("complete: 99.5 yuan paid back")
    desk.press("Look again")
    desk.page.wait_for_timeout(300)
    assert paid(desk) == [99.5] and desk.call == "person('approve')"
