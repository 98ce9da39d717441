"""Does the installed package stand alone? Run by the Python of a fresh environment: `outside.py CHECKOUT EMPTY_FOLDER`.

It copies the course and runs the allocation question from a folder that has nothing to do with the checkout.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

QUESTION = (
    "A reserve-requirement cut releases 800 bn yuan; 25% (200 bn) flows into stocks. "
    "How should a 1,000,000-yuan account be allocated?"
)
AMOUNTS = ("250,000", "200,000", "150,000", "300,000", "100,000")
RUN = ("run", QUESTION, "--world", "finance", "--model", "sim:articles")


def call(home: Path, *arguments: str) -> tuple[int, str]:
    """Call the installed command in `home`; return its exit code and what it printed."""
    name = "planexec.exe" if os.name == "nt" else "planexec"
    command = [str(Path(sys.executable).parent / name), *arguments]
    ended = subprocess.run(
        command, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"}, check=False,
    )  # fmt: skip
    return ended.returncode, ended.stdout


def complaints(checkout: Path, home: Path) -> list[str]:
    """Everything that is not as it should be; an empty list when all is well."""
    import planexec.paths

    wrong = []
    lies_in = Path(planexec.paths.data_path("finance")).resolve()
    if checkout.resolve() in lies_in.parents or not lies_in.is_dir():
        wrong.append(f"the data is not the installed one: {lies_in}")
    for expected in ("copied", "nothing to do"):
        code, text = call(home, "course", "copy", "my-course")
        if code or expected not in text:
            wrong.append(f"course copy: exit {code}, expected to read {expected!r}\n{text}")
    if not list(home.glob("my-course/0*.ipynb")):
        wrong.append("course copy left no notebook")
    code, text = call(home, *RUN, "--max-steps", "8")
    missing = [amount for amount in AMOUNTS if amount not in text]
    if code or missing:
        wrong.append(f"the allocation question: exit {code}, missing {missing}\n{text}")
    code, text = call(home, *RUN, "--max-steps", "3")
    if code != 3:
        wrong.append(f"the same with three steps: exit {code} and not 3\n{text}")
    code, text = call(home, "run", QUESTION, "--model", "some-model", "--base-url", "http://127.0.0.1:9")
    if code != 2 or "planexec[models]" not in text or "Traceback" in text:
        wrong.append(f"a real model without its client: exit {code}; it must say what to install\n{text}")
    return wrong


def main(checkout: str, folder: str) -> int:
    home = Path(folder, "elsewhere")
    home.mkdir()
    wrong = complaints(Path(checkout), home)
    print("\n".join(wrong) or "installed from the wheel: copied, ran, stopped at three steps, said what it lacks")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
