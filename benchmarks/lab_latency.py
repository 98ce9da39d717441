"""How fast a lab follows its dial, in JupyterLab in a real browser; and whether memory stays flat.

    python benchmarks/lab_latency.py [--labs budget,drift] [--moves 20] [--no-memory | --no-browser] [--json]

For each lab a notebook is opened and its first slider is moved with the arrow keys, 20 times. The clock runs inside the
page, from the key's event to the moment at which the picture in the document is another one (where a move leaves the
picture as it is: until the share line is). For labs that refine, a dial is moved that needs new runs: until the first
picture, and until all runs stand behind it. Memory is that of a kernel in which the same dial is moved 200 and 2,000
times. The times are those of this machine as it is at this moment: on a busy one they say little.

Needs Chromium and Playwright (the extra `check`); without them only memory is measured.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from browser import CHROMIUM, chromium, jupyterlab, open_notebook

SHOW = "from planexec.labs import lab\n\nlab({name!r})"
PLAY = """from planexec.labs.budget import budget
from planexec.labs.player import panel

panel(budget().result)"""
LABS = (
    *("drift", "plan_reader", "rounds", "replan", "budget", "counters", "limits", "loops"),
    *("failures", "budgets", "ways", "player"),
)
SLIDER = {"player": 1}  # which slider is moved, where it is not the first
REFINED = {  # lab -> the control that needs new runs, the key, and what the status line says when all are there
    "budget": ("select >> nth=0", "", "of 500 runs"),  # a list, of which the next entry is chosen
    "drift": (".noUi-handle >> nth=0", "Home", "over 100 seeds"),
    "failures": (".noUi-handle >> nth=0", "End", "over 200 seeds"),
}
PATIENCE = 120  # seconds for all the runs of a picture
WATCH = """() => {
  const shown = () => [...document.querySelectorAll('.widget-html svg[role=img]')].map(e => e.outerHTML).join('');
  const shared = () => [...document.querySelectorAll('.widget-html code')].map(e => e.textContent).join(' ');
  const said = () => [...document.querySelectorAll('.widget-html [role=status]')].map(e => e.textContent).join(' ');
  const w = window.labWatch = {};
  w.clear = words => Object.assign(w, {begun: 0, picture: 0, share: 0, refined: 0, words: words,
                                       before: [shown(), shared()]});
  document.addEventListener('keydown', () => { if (!w.begun) w.begun = performance.now(); }, true);
  new MutationObserver(() => {
    if (!w.begun) return;
    const now = performance.now() - w.begun;
    if (!w.picture && shown() !== w.before[0]) w.picture = now;
    if (!w.share && shared() !== w.before[1]) w.share = now;
    if (!w.refined && w.words && said().includes(w.words)) w.refined = now;
  }).observe(document.querySelector('.jp-Notebook'), {subtree: true, childList: true, characterData: true});
}"""
CHOOSE = """list => {
  list.selectedIndex += 1; window.labWatch.begun = performance.now();
  list.dispatchEvent(new Event('change', {bubbles: true}));
}"""
MOVED = "() => window.labWatch.picture || window.labWatch.share"
MEMORY = """
import gc, json
from pathlib import Path
from planexec.labs import lab

def held():
    gc.collect()
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20
    except OSError:
        import resource
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

panel = {cell}
dial = next(each for each in panel.dials if each.name in panel.boxes)
places = [dial.low + dial.step * n for n in range(round((dial.high - dial.low) / dial.step) + 1)]
for move in range(2_000):
    panel.set(**{{dial.name: type(dial.value)(places[move % len(places)])}})
    if move == 199:
        after_200 = held()
print(json.dumps([after_200, held()]))
"""


def notebook(folder: Path, name: str) -> str:
    """A notebook of one cell that shows the lab; its file name."""
    cell = {"cell_type": "code", "id": "lab", "metadata": {}, "execution_count": None, "outputs": []}
    cell["source"] = PLAY if name == "player" else SHOW.format(name=name)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": [cell], "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    (folder / f"{name}.ipynb").write_text(json.dumps(whole), encoding="utf-8")
    return f"{name}.ipynb"


def latencies(page: Any, moves: int, slider: int = 0) -> list[float]:
    """Milliseconds from the key to the picture, for so many moves of one slider; at an end it turns round."""
    page.locator(".noUi-handle").nth(slider).focus()
    taken: list[float] = []
    keys, turned = ["ArrowRight", "ArrowLeft"], 0
    while len(taken) < moves:
        page.evaluate("() => window.labWatch.clear('')")
        page.keyboard.press(keys[0])
        if not _comes(page, MOVED, 2_000):
            keys.reverse()  # the end of the dial
            turned += 1
            if turned > moves:
                raise RuntimeError("the picture does not follow the slider")
            continue
        taken.append(page.evaluate(MOVED))
        page.wait_for_timeout(150)  # a person's next move, not a burst
    return taken


def _comes(page: Any, condition: str, milliseconds: int) -> bool:
    from playwright.sync_api import TimeoutError as TooLate

    try:
        page.wait_for_function(condition, timeout=milliseconds, polling=20)
    except TooLate:
        return False
    return True


def refined(page: Any, name: str) -> dict[str, float]:
    """Milliseconds until the first picture and until all runs stand behind it."""
    control, key, words = REFINED[name]
    page.locator(f".jp-OutputArea {control}").focus()
    page.evaluate("words => window.labWatch.clear(words)", words)
    if key:
        page.keyboard.press(key)
    else:
        page.locator(f".jp-OutputArea {control}").evaluate(CHOOSE)
    page.wait_for_function("() => window.labWatch.refined", timeout=PATIENCE * 1_000, polling=50)
    return page.evaluate("() => ({first: window.labWatch.picture, refined: window.labWatch.refined})")


def in_the_browser(names: Sequence[str], moves: int) -> dict[str, dict[str, float]]:
    """Lab -> its times in milliseconds."""
    rows = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        files = {name: notebook(folder, name) for name in names}
        with jupyterlab(folder) as address, chromium() as page:
            for name, file in files.items():
                open_notebook(page, address, file)
                page.get_by_role("status").last.wait_for(timeout=30_000)
                page.evaluate(WATCH)
                taken = sorted(latencies(page, moves, SLIDER.get(name, 0)))
                row = {"median": statistics.median(taken), "p90": taken[int(0.9 * (len(taken) - 1))]}
                rows[name] = row | (refined(page, name) if name in REFINED else {})
                print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return rows


def memory(names: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Lab -> megabytes of its kernel after 200 moves and after 2,000."""
    from jupyter_client.manager import start_new_kernel

    held = {}
    for name in names:
        cell = 'lab("budget")' if name == "player" else f"lab({name!r})"
        manager, client = start_new_kernel(kernel_name="python3", stderr=subprocess.DEVNULL)
        try:
            printed: list[str] = []
            client.execute_interactive(
                MEMORY.format(cell=cell),
                timeout=600,
                output_hook=lambda message, into=printed: into.append(message["content"].get("text", "")),
            )
            held[name] = tuple(json.loads("".join(printed).strip().splitlines()[-1]))
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)
        print(",", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return held


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labs", default=",".join(LABS), help="names, with commas between")
    parser.add_argument("--moves", type=int, default=20)
    parser.add_argument("--no-memory", action="store_true", help="only the times")
    parser.add_argument("--no-browser", action="store_true", help="only memory")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    given = parser.parse_args()
    names = given.labs.split(",")
    times = in_the_browser(names, given.moves) if CHROMIUM and not given.no_browser else {}
    held = {} if given.no_memory else memory([name for name in names if name != "player"])
    if given.json:
        print(json.dumps({"milliseconds": times, "megabytes": held}))
        return
    print(table(names, times, held))


def table(names: Sequence[str], times: dict[str, dict[str, float]], held: dict[str, tuple[float, float]]) -> str:
    """One line a lab; what was not measured is a dash."""
    heads = ("key to picture, ms", "p90", "many runs: first, ms", "all, s", "MB at 200", "at 2,000")
    wide = [len(head) + 2 for head in heads]
    lines = ["lab".ljust(12) + "".join(head.rjust(room) for head, room in zip(heads, wide, strict=True))]
    for name in names:
        row, (early, late) = times.get(name, {}), held.get(name, (None, None))
        whole = row["refined"] / 1_000 if "refined" in row else None
        values = ((row.get("median"), 0), (row.get("p90"), 0), (row.get("first"), 0), (whole, 1), (early, 1), (late, 1))
        cells = (_cell(value, room, digits) for (value, digits), room in zip(values, wide, strict=True))
        lines.append(name.ljust(12) + "".join(cells))
    slow = max((row["median"] for row in times.values()), default=0)
    wanted = "wanted: 60 ms, p90 100 ms, and 150 ms to the first picture of many runs"
    return "\n".join([*lines, f"slowest median: {slow:.0f} ms ({wanted})" if times else "no browser: only memory"])


def _cell(value: float | None, wide: int, digits: int) -> str:
    return f"{'-' if value is None else f'{value:.{digits}f}':>{wide}}"


if __name__ == "__main__":
    main()
