"""What each notebook costs: seconds from start to end, CPU seconds of its kernel, and of processes the kernel started.

    python benchmarks/notebook_time.py [--json] [07 12 ...]

The first row is an empty notebook: what starting a kernel costs. A notebook should need at most 3 CPU seconds.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from planexec.course import form, sync
from planexec.paths import notebooks_path

LIMIT = 3.0  # CPU seconds of the kernel
LAST_CELL = "import os; used = os.times(); print(sum(used[:2]), sum(used[2:4]))"  # its own, its children's
EMPTY = "(an empty notebook)"


def measure(path: Path, notebook: form.Notebook) -> dict[str, float]:
    """Run `notebook` in the folder of `path`; a cell that fails ends the benchmark."""
    import nbformat

    notebook.cells.append(nbformat.v4.new_code_cell(LAST_CELL))
    begun = time.perf_counter()
    done = sync.execute(path, notebook)
    wall = time.perf_counter() - begun
    own, children = (round(float(seconds), 2) for seconds in done.cells[-1].outputs[-1]["text"].split())
    return {"wall_seconds": round(wall, 2), "kernel_cpu_seconds": own, "started_cpu_seconds": children}


def rows(chosen: list[str]) -> dict[str, dict[str, float]]:
    """By the notebook's name; all of them when `chosen` is empty."""
    import nbformat

    found = {EMPTY: measure(notebooks_path("empty"), nbformat.v4.new_notebook())}
    for path in sorted(notebooks_path().glob("*.ipynb")):
        if not chosen or path.name[:2] in chosen:
            found[path.stem] = measure(path, form.read(path))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("numbers", nargs="*", help="07 12 ...; default: all")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    given = parser.parse_args()
    found = rows(given.numbers)
    if given.json:
        print(json.dumps(found))
        return
    for name, row in found.items():
        started = f", processes it started {row['started_cpu_seconds']:.2f} s" if row["started_cpu_seconds"] else ""
        remark = started + (f"  more than {LIMIT:.0f} s" if row["kernel_cpu_seconds"] > LIMIT else "")
        print(f"{name:<32} {row['wall_seconds']:>6.2f} s, kernel {row['kernel_cpu_seconds']:>5.2f} s CPU{remark}")
    real = [row for name, row in found.items() if name != EMPTY]
    wall, cpu = (sum(row[key] for row in real) for key in ("wall_seconds", "kernel_cpu_seconds"))
    print(f"{f'{len(real)} notebooks, one after the other':<32} {wall:>6.1f} s, kernels {cpu:>4.1f} s CPU")


if __name__ == "__main__":
    main()
