"""Each lab in JupyterLab, in a real browser: every slider to both ends and back, a typed value, Reset, the status line.

What is asserted is what a screen reader would say: the status line, and the label of the picture. It must be what the
plain function says for the same dials.
"""

from __future__ import annotations

import ast
import importlib
import json
from pathlib import Path

import pytest
from browser import CHROMIUM, chromium, jupyterlab, open_notebook

from planexec import labs

pytest.importorskip("playwright")
pytest.importorskip("jupyterlab")
pytestmark = [
    pytest.mark.check,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"),
]
FILES = sorted(Path(labs.__path__[0]).glob("*.py"))
# The player's panel needs a run to play, so no plain call rebuilds it from its dials alone.
LIVE = [path.stem for path in FILES if path.stem != "player" and "\ndef panel(" in path.read_text(encoding="utf-8")]
SHOTS = Path(__file__).resolve().parents[1] / "build" / "screenshots"


@pytest.fixture(scope="module")
def lab_page(tmp_path_factory):
    """One server and one page for all labs; a notebook for each."""
    folder = tmp_path_factory.mktemp("labs")
    for name in LIVE:
        cells = [
            {
                "cell_type": "code",
                "id": f"cell-{name}".replace("_", "-"),
                "metadata": {},
                "execution_count": None,
                "outputs": [],
                "source": f'from planexec.labs import lab\n\nlab("{name}")',
            }
        ]
        kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
        notebook = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
        (folder / f"{name}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    with jupyterlab(folder) as address, chromium() as page:
        yield page, address


def said_by_the_function(page):
    """What the plain call in the share line says, run here: the panel must say the same."""
    call = page.locator(".widget-html code").last.inner_text()
    tree = ast.parse(call, mode="eval").body
    assert isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name)
    values = {word.arg: ast.literal_eval(word.value) for word in tree.keywords}
    module = importlib.import_module(f"planexec.labs.{tree.func.id}")
    return getattr(module, tree.func.id)(**values).text


def agrees(page):
    """Wait until the status line says what the plain function says for the dials as they stand."""
    for _ in range(40):
        said = page.get_by_role("status").last.inner_text()
        if " ".join(said.split()) == " ".join(said_by_the_function(page).split()):
            return said
        page.wait_for_timeout(100)
    raise AssertionError(f"the panel says {said!r}, the function {said_by_the_function(page)!r}")


@pytest.mark.parametrize("name", LIVE)
def test_every_dial_to_both_ends_a_typed_value_and_reset(lab_page, name):
    page, address = lab_page
    open_notebook(page, address, f"{name}.ipynb")
    page.get_by_role("status").last.wait_for(timeout=30_000)
    start = agrees(page)
    handles = page.locator(".noUi-handle")
    for number in range(handles.count()):
        handles.nth(number).focus()
        for key in ("Home", "End", "Home"):
            page.keyboard.press(key)
            agrees(page)
    boxes = page.get_by_role("spinbutton")
    if boxes.count():
        boxes.first.fill(boxes.first.get_attribute("max") or "1")
        page.keyboard.press("Enter")
        agrees(page)
    assert page.get_by_role("img").last.get_attribute("aria-label")
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=str(SHOTS / f"{name}.png"))
    page.get_by_role("button", name="Reset").click()
    page.wait_for_timeout(300)
    assert agrees(page) == start
