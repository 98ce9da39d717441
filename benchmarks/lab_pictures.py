"""What every lab looks like in JupyterLab: in the light theme, in the dark one, and on a screen 360 pixels wide.

    python benchmarks/lab_pictures.py [--labs drift person ...] [--call 'lab("drift")' ...]

Writes build/screenshots/LAB-{light,dark,narrow}.png and prints what does not fit into the narrow screen: texts of the
picture beyond its edge, and what can only be reached by scrolling sideways. Needs Chromium, as the browser tests do.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from browser import CHROMIUM, cell_of, chromium, jupyterlab, live_cells, switch_to  # noqa: E402

SHOTS = ROOT / "build" / "screenshots"
TWO_RUNS = """
from planexec.labs.person import Desk
from planexec.labs.player import panel
yes, no = Desk(), Desk()
for desk, answer in ((yes, "approve"), (no, "reject")):
    desk.look(), desk.answer(answer)
panel(yes.path, no.path)
"""
THEME = "async name => await window.jupyterapp.commands.execute('apputils:change-theme', {theme: name})"
CLEAR = """async () => {
  const app = window.jupyterapp;
  if (app.shell.leftCollapsed === false) app.shell.collapseLeft();
  if (app.shell.rightCollapsed === false) app.shell.collapseRight();
}"""
OVER = """cell => {
  const found = [];
  for (const svg of cell.querySelectorAll('svg[role=img]')) {
    const room = svg.getBoundingClientRect();
    for (const text of svg.querySelectorAll('text')) {
      const box = text.getBoundingClientRect();
      if (box.right > room.right + 1 || box.left < room.left - 1) found.push('beyond the picture: ' + text.textContent);
    }
  }
  for (const area of cell.querySelectorAll('.jp-OutputArea-output')) {
    if (area.scrollWidth > area.clientWidth + 1) found.push(`${area.scrollWidth} pixels wide`);
  }
  return found;
}"""


def sources(wanted: list[str], calls: list[str]) -> dict[str, str]:
    """The cell that shows each lab, by a name for its pictures."""
    names = dict.fromkeys(name for name, _, _ in live_cells())
    cells = {name: f'from planexec.labs import lab\n\nlab("{name}")' for name in names} | {"two_runs": TWO_RUNS.strip()}
    if calls:
        return {f"call-{number}": call for number, call in enumerate(calls, 1)}
    return {name: cell for name, cell in cells.items() if not wanted or name in wanted}


def notebook(source: str) -> str:
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    cell = {"cell_type": "code", "id": "live", "metadata": {}, "execution_count": None, "outputs": [], "source": source}
    return json.dumps({"cells": [cell], "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5})


def take(page: Any, address: str, name: str) -> Iterator[str]:
    """The three pictures of one lab; yields what does not fit into the narrow one."""
    page.set_viewport_size({"width": 1200, "height": 1000})
    switch_to(page, address, f"{name}.ipynb")
    page.evaluate(CLEAR)
    cell = cell_of(page, 0)
    cell.get_by_role("status").last.wait_for()
    page.wait_for_timeout(1_000)  # labs that refine their first picture
    for theme, file in (("JupyterLab Dark", "dark"), ("JupyterLab Light", "light")):
        page.evaluate(THEME, theme)
        page.wait_for_timeout(400)
        cell.screenshot(path=str(SHOTS / f"{name}-{file}.png"))
    page.set_viewport_size({"width": 360, "height": 1400})
    page.wait_for_timeout(500)
    cell_of(page, 0)
    page.screenshot(path=str(SHOTS / f"{name}-narrow.png"))
    yield from cell.evaluate(OVER)


def main() -> int:
    reader = argparse.ArgumentParser(description="Pictures of every lab.")
    reader.add_argument("--labs", nargs="*", default=[], help="only these")
    reader.add_argument("--call", nargs="*", default=[], help="pictures of these cells instead")
    given = reader.parse_args()
    if CHROMIUM is None:
        print("no Chromium on this machine")
        return 1
    SHOTS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="planexec-pictures-") as folder:
        cells = sources(given.labs, given.call)
        for name, source in cells.items():
            Path(folder, f"{name}.ipynb").write_text(notebook(source), encoding="utf-8")
        with jupyterlab(Path(folder)) as address, chromium() as page:
            for name in cells:
                print(name, *take(page, address, name), sep="\n  ", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
