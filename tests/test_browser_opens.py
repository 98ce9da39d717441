"""Notebooks just opened and not run: all of them in JupyterLab, some in the classic notebook, in a real browser.

A reader who has not run or trusted anything sees the title and every picture, and no program complains.
"""

from __future__ import annotations

import contextlib

import pytest
from browser import CHROMIUM, chromium, jupyterlab

from planexec.course import form
from planexec.course.copy import copy_course
from planexec.paths import notebooks_path

pytest.importorskip("playwright")
pytest.importorskip("jupyterlab")
pytestmark = [
    pytest.mark.check,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"),
]
NAMES = sorted(path.name for path in notebooks_path().glob("*.ipynb"))

OPEN_IN_LAB = """async name => {
  const app = window.jupyterapp; await app.restored;
  window.opened = await app.commands.execute('docmanager:open', {path: name, factory: 'Notebook'});
  await window.opened.revealed;
}"""
# Cells are drawn one by one when the browser has time, their outputs a moment later.
LAB_IS_DRAWN = """expected => {
  const cells = window.opened.content.widgets;
  const pictures = [...window.opened.node.querySelectorAll('.jp-OutputArea img')];
  const drawn = window.opened.node.querySelector('h1') && cells.every(cell => !cell.isPlaceholder());
  return drawn && pictures.every(picture => picture.complete) && pictures.length >= expected;
}"""
SEEN_IN_LAB = """() => {
  const panel = window.opened, title = panel.node.querySelector('h1');
  const cells = [...panel.content.model.cells].filter(cell => cell.type === 'code');
  return {
    title: title ? title.innerText : '',
    pictures: [...panel.node.querySelectorAll('.jp-OutputArea img')].filter(picture => picture.naturalWidth).length,
    dialogs: [...document.querySelectorAll('.jp-Dialog')].map(dialog => dialog.innerText),
    trusted: cells.filter(cell => cell.trusted && cell.outputs.length).length,
  };
}"""
CLOSE_LAB = "async () => { window.opened.dispose(); await window.jupyterapp.serviceManager.sessions.shutdownAll(); }"

CLASSIC_IS_DRAWN = """expected => {
  const pictures = [...document.querySelectorAll('.output img')];
  const loaded = window.Jupyter && Jupyter.notebook && Jupyter.notebook._fully_loaded && document.querySelector('h1');
  return loaded && pictures.every(picture => picture.complete) && pictures.length >= expected;
}"""
SEEN_IN_CLASSIC = """() => ({
  title: document.querySelector('#notebook h1').innerText,
  pictures: [...document.querySelectorAll('.output img')].filter(picture => picture.naturalWidth).length,
  dialogs: [...document.querySelectorAll('.modal.in')].map(dialog => dialog.innerText),
  trusted: Jupyter.notebook.trusted ? 1 : 0,
})"""


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """A page, the address of a server over a new copy of the course, the copy.

    Which notebooks are trusted is remembered by their content: so the server gets a memory of its own.
    """
    folder = tmp_path_factory.mktemp("course")
    copy_course(folder)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("JUPYTER_DATA_DIR", str(tmp_path_factory.mktemp("data")))
        with jupyterlab(folder) as address, chromium() as page:
            yield page, address, folder


def stored(folder, name):
    """What a reader has to see of this notebook."""
    notebook = form.read(folder / name)
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    title = notebook.cells[0].source.splitlines()[0].removeprefix("# ")
    pictures = sum("image/png" in output.get("data", {}) for output in outputs)
    return {"title": title, "pictures": pictures, "dialogs": [], "trusted": 0}


def seen(page, is_drawn, look, wanted):
    """What the page shows once it is drawn, or when it should have been."""
    from playwright.sync_api import TimeoutError as TookTooLong

    with contextlib.suppress(TookTooLong):
        page.wait_for_function(is_drawn, arg=wanted["pictures"], timeout=60_000)
    return page.evaluate(look)


@pytest.mark.parametrize("name", NAMES)
def test_jupyterlab_shows_title_and_pictures_before_anything_is_run(opened, name):
    page, address, folder = opened
    if not page.url.startswith(f"{address}/lab"):
        page.goto(f"{address}/lab?reset")
        page.wait_for_selector("#jp-main-dock-panel")
    page.evaluate(OPEN_IN_LAB, name)
    assert seen(page, LAB_IS_DRAWN, SEEN_IN_LAB, stored(folder, name)) == stored(folder, name)
    page.evaluate(CLOSE_LAB)


@pytest.mark.parametrize("name", NAMES[::3])  # it draws all of them the same way
def test_the_classic_notebook_shows_title_and_pictures_before_anything_is_run(opened, name):
    pytest.importorskip("nbclassic")
    page, address, folder = opened
    page.goto(f"{address}/notebooks/{name}", wait_until="domcontentloaded")
    assert seen(page, CLASSIC_IS_DRAWN, SEEN_IN_CLASSIC, stored(folder, name)) == stored(folder, name)


def test_the_course_has_pictures_to_be_seen():
    assert len(NAMES) == 19 and sum(stored(notebooks_path(), name)["pictures"] > 0 for name in NAMES) >= 18
