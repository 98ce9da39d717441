"""Each lab in its own notebook in JupyterLab, in a real browser: every cell run, then every dial of the live cell.

Every slider to both ends and back, a value typed into its box, every switch, list and text box, Reset. What is asserted
is what a screen reader would say, the status line and the label of the picture: it must be what the plain call in the
share line says here, for the values that were set. The player and the person are in `test_browser_runs.py`.
"""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest
from browser import CHROMIUM, cell_of, course_lab, live_cells, switch_to

from planexec import labs

pytest.importorskip("playwright")
pytest.importorskip("jupyterlab")
pytestmark = [
    pytest.mark.check,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"),
]
FILES = sorted(Path(labs.__path__[0]).glob("*.py"))
LABS = {path.stem for path in FILES if "\ndef panel(" in path.read_text(encoding="utf-8")}
CELLS = live_cells()
DIALS = [(name, notebook, index) for name, notebook, index in CELLS if name not in ("person", "player")]
TYPED = '["one", "two"]'
READ = """cell => {
  const last = what => [...cell.querySelectorAll(what)].pop();
  return {said: last('[role=status]')?.textContent, call: last('.widget-html code')?.innerText,
          seen: last('svg[role=img]')?.getAttribute('aria-label')};
}"""


def test_every_lab_is_live_in_a_notebook():
    assert {name for name, _, _ in CELLS} == LABS


class Live:
    """A live cell: its dials, and what it says."""

    def __init__(self, page, cell, name):
        self.page, self.cell = page, cell
        self.dials = labs.lab(name).dials
        self.function = getattr(importlib.import_module(f"planexec.labs.{name}"), name)

    def shows(self, **wanted):
        """Wait until the share line names these values and the status line says what its call says; all its values."""
        for _ in range(400):
            read = self.cell.evaluate(READ)
            words = ast.parse(read["call"] or "f()", mode="eval").body.keywords
            given = {word.arg: ast.literal_eval(word.value) for word in words}
            there = bool(given) and all(given[name] == value for name, value in wanted.items())
            if there and flat(read["said"]) == flat(self.function(**given).text) and read["seen"]:
                return given
            self.page.wait_for_timeout(50)
        raise AssertionError(f"wanted {wanted}; the panel says {read}")

    def use(self, dial):
        """Everything that can be done with one dial."""
        if dial.optional and not dial.on:
            self.cell.get_by_role("checkbox", name=f"{dial.title} on", exact=True).click()
            self.shows(**{dial.name: dial.value})
        if set(dial.options) == {True, False}:
            self.turn(dial)
        elif dial.options:
            lists = [each for each in self.dials if each.options and set(each.options) != {True, False}]
            box = self.cell.locator("select").nth(lists.index(dial))
            box.select_option(index=len(dial.options) - 1)
            self.shows(**{dial.name: dial.options[-1]})
        elif isinstance(dial.value, str):
            self.cell.get_by_role("textbox", name=dial.title, exact=True).fill(TYPED)
            self.page.keyboard.press("Tab")
            self.shows(**{dial.name: TYPED})
        else:
            self.slide(dial)

    def turn(self, dial):
        """A switch, and back."""
        for value in (not dial.value, dial.value):
            self.cell.get_by_role("checkbox", name=dial.title, exact=True).click()
            self.shows(**{dial.name: value})

    def slide(self, dial):
        """A slider to both ends and back by keyboard; then the other end, typed into its box."""
        sliders = [each for each in self.dials if not each.options and not isinstance(each.value, str)]
        self.cell.locator(".noUi-handle").nth(sliders.index(dial)).focus()
        for key, value in (("Home", dial.low), ("End", dial.high), ("Home", dial.low)):
            self.page.keyboard.press(key)
            self.shows(**{dial.name: pytest.approx(value)})
        self.cell.get_by_role("spinbutton", name=f"{dial.title} (type)", exact=True).fill(str(dial.high))
        self.page.keyboard.press("Enter")
        self.shows(**{dial.name: pytest.approx(dial.high)})


def flat(text):
    return " ".join((text or "").split())


@pytest.fixture(scope="module")
def lab_page():
    """One server and one page for all notebooks."""
    with course_lab() as opened:
        yield opened


@pytest.mark.parametrize(("name", "notebook", "index"), DIALS, ids=[f"{each[1][:2]}-{each[0]}" for each in DIALS])
def test_every_dial_of_the_lab_in_its_notebook(lab_page, name, notebook, index):
    page, address = lab_page
    switch_to(page, address, notebook)
    live = Live(page, cell_of(page, index), name)
    start = live.shows()
    for dial in live.dials:
        live.use(dial)
    live.cell.get_by_role("button", name="Reset").click()
    at_the_start = {dial.name: start[dial.name] for dial in live.dials}
    live.shows(**at_the_start)
