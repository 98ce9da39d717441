"""JupyterLab in a real browser: one server, one page, notebooks opened and run as a person would."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"
LIVE = re.compile(r"""^(?:live|lab)\("(\w+)"\)$|^panel\(""", re.MULTILINE)  # a cell that shows a lab's panel
SWITCHES = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
]
# Clicking "Run All" before session and kernel are there sometimes does nothing; waiting for both never failed.
RUN_ALL = """async () => {
  const app = window.jupyterapp; await app.restored;
  const panel = app.shell.currentWidget; await panel.revealed;
  await panel.sessionContext.ready; await panel.sessionContext.session.kernel.info;
  await app.commands.execute('notebook:run-all-cells');
}"""
# In a Lab that is there already a notebook is up in half a second instead of four. The one before goes with its kernel.
SWITCH = """async name => {
  const app = window.jupyterapp; await app.restored;
  for (const old of [...app.shell.widgets('main')]) {
    if (old.context) old.context.model.dirty = false;
    if (old.sessionContext) await old.sessionContext.shutdown();
    old.dispose();
  }
  const panel = await app.commands.execute('docmanager:open', {path: name, factory: 'Notebook'});
  await panel.revealed;
  await panel.sessionContext.ready; await panel.sessionContext.session.kernel.info;
  await app.commands.execute('notebook:run-all-cells');
  const code = panel.content.widgets.filter(each => each.model.type == 'code');
  if (code.every(each => each.model.executionCount !== null)) return '';
  const errors = code.flatMap(each => each.model.outputs.toJSON()).filter(each => each.output_type == 'error');
  return errors.length ? errors[0].ename + ': ' + errors[0].evalue : 'not all cells have been run';
}"""
SHOW_CELL = """async index => {
  const notebook = window.jupyterapp.shell.currentWidget.content;
  notebook.activeCellIndex = index; await notebook.scrollToItem(index, 'start');
}"""
NO_NEWS = '{"fetchNews": "false", "checkForUpdates": false}'
CHROMIUM = next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)


@contextlib.contextmanager
def jupyterlab(folder: Path) -> Iterator[str]:
    """A server over `folder` on a free loopback port, with settings of its own; its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    home = Path(tempfile.mkdtemp(prefix="planexec-lab-"))
    quiet = home / "settings" / "@jupyterlab" / "apputils-extension"
    quiet.mkdir(parents=True)
    (quiet / "notification.jupyterlab-settings").write_text(NO_NEWS, encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    env = (
        kept
        | dict.fromkeys(names, str(home))
        | {
            "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
            "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
            "PYTHONHASHSEED": "0",
        }
    )
    options = ("--no-browser", "--ip=127.0.0.1", f"--port={port}", "--allow-root", "--IdentityProvider.token=")
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *options, "--LabApp.expose_app_in_browser=True"],
        cwd=folder,
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_for(f"{address}/api", server)
        yield address
    finally:
        server.terminate()
        server.wait(20)
        shutil.rmtree(home, ignore_errors=True)


def _wait_for(url: str, server: subprocess.Popen[bytes], seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with contextlib.suppress(OSError):
            urllib.request.urlopen(url).read()
            return
        if server.poll() is not None:
            raise RuntimeError(f"JupyterLab ended with {server.returncode}")
        time.sleep(0.2)
    raise TimeoutError("JupyterLab did not answer")


@contextlib.contextmanager
def chromium(width: int = 1200, height: int = 900, **options: Any) -> Iterator[Any]:
    """A page of a headless browser with a profile of its own."""
    from playwright.sync_api import sync_playwright

    profile = tempfile.mkdtemp(prefix="planexec-browser-")
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            profile,
            executable_path=CHROMIUM,
            headless=True,
            args=SWITCHES,
            viewport={"width": width, "height": height},
            **options,
        )
        try:
            yield context.pages[0]
        finally:
            context.close()
            shutil.rmtree(profile, ignore_errors=True)


def open_notebook(page: Any, address: str, name: str) -> None:
    """Open a notebook and run every cell."""
    page.goto(f"{address}/lab/tree/{name}?reset")
    page.wait_for_selector(".jp-Notebook .jp-CodeCell")
    page.evaluate(RUN_ALL)


def switch_to(page: Any, address: str, name: str) -> None:
    """As `open_notebook`, in the same JupyterLab if the page has one. RuntimeError when not every cell ran."""
    if not page.url.startswith(f"{address}/lab"):
        page.goto(f"{address}/lab?reset")
        page.wait_for_function("Boolean(window.jupyterapp)")
    if problem := page.evaluate(SWITCH, name):
        raise RuntimeError(f"{name}: {problem}")


def cell_of(page: Any, index: int) -> Any:
    """The cell with this number in the notebook that is open, scrolled to."""
    page.evaluate(SHOW_CELL, index)
    return page.locator(".jp-Notebook .jp-Cell.jp-mod-active")


def live_cells() -> list[tuple[str, str, int]]:
    """Where labs are live in the course: (lab, file of the notebook, number of the cell); `panel(` is the player's."""
    found = []
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        for index, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
            if cell["cell_type"] == "code" and (shown := LIVE.search("".join(cell["source"]))):
                found.append((shown[1] or "player", path.name, index))
    return found


@contextlib.contextmanager
def course_lab(**options: Any) -> Iterator[tuple[Any, str]]:
    """The notebooks of the course, copied, in JupyterLab: a page and the address. `options` as of `chromium`."""
    with tempfile.TemporaryDirectory(prefix="planexec-course-", ignore_cleanup_errors=True) as folder:
        for path in NOTEBOOKS.glob("*.ipynb"):
            shutil.copy(path, folder)
        with jupyterlab(Path(folder)) as address, chromium(**options) as page:
            yield page, address
