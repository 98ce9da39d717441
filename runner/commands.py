"""The commands of run.py: a first run and the notebooks, course, test, check, doctor."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from runner import doctor, suites
from runner.environment import Place, SetUpError, ready
from runner.progress import environment, say
from runner.steps import run_all
from runner.suites import KERNEL

ROOT = Path(__file__).resolve().parent.parent
COPY = "my-course"
FIRST = "00_start_here.ipynb"

QUESTIONS = {
    "en": "A reserve-requirement cut releases 800 bn yuan; 25% (200 bn) flows into stocks. "
    "How should a 1,000,000-yuan account be allocated?",
    "zh": "降准释放8000亿，25%流入股市2000亿，怎么配置100万账户",
}

HELP = """\
planexec: watch an agent plan, act, replan and answer - and learn how to make one stop.

  python run.py            set up (once), watch a first run, open the notebooks
  python run.py course     run every notebook from top to bottom
  python run.py test       lint, types, unit tests, notebooks (about 5 minutes)
  python run.py check      the long checks: killed processes, other machines and versions, a browser (about 20 minutes)
  python run.py doctor     what is here, what is missing

The first start makes a virtual environment in .venv: a minute with pip, seconds with uv. Later starts need no
network and no set-up. Your notebooks are a copy in my-course/: change them freely, an update never overwrites
what you changed. After the set-up you may call the package itself:

  {planexec} run "your own question"
  {planexec} run --help
"""


def language(variables: Mapping[str, str]) -> str:
    """ "zh" on a machine that speaks Chinese, else "en". language({"LANG": "zh_CN.UTF-8"}) -> "zh" """
    chosen = next((variables[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if variables.get(name)), "")
    return "zh" if chosen.lower().startswith("zh") else "en"


def attached(command: Sequence[str | Path], changes: Mapping[str, str]) -> int:
    """Run a command that owns the terminal. Ctrl-C is for the command; it decides how to end."""
    process = subprocess.Popen([str(part) for part in command], cwd=ROOT, env=environment(changes))
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue


def notebook_server(place: Place) -> list[str | Path]:
    """The command that opens the learner's notebooks. It asks nobody for news: the course works offline."""
    quiet = ["--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    root = ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    first = [f"{COPY}/{FIRST}"] if (place.root / COPY / FIRST).exists() else []
    return [place.python, "-m", "jupyterlab", f"--notebook-dir={COPY}", *first, *quiet, *root]


def first_run(place: Place, lang: str, open_notebooks: bool) -> int:
    """Set up, carry out the allocation question in the terminal, copy the course, open it."""
    ready(place)
    planexec = place.script("planexec")
    say(f"\nA first run. A simulated model plans and acts; nothing leaves this machine.\n  {QUESTIONS[lang]}\n")
    question = ["run", QUESTIONS[lang], "--world", "finance", "--model", "sim:articles", "--lang", lang]
    code = attached([planexec, *question, "--max-steps", "8"], KERNEL)
    code = code or attached([planexec, "course", "copy", COPY], KERNEL)
    if code:
        say(f"\nThat did not end well (exit code {code}). `python run.py doctor` looks for the cause.")
        return code
    if not open_notebooks:
        say(f"\nTo open the notebooks:  {place.python} -m jupyterlab --notebook-dir={COPY}")
        say(f'To ask something else:  {planexec} run "your own question"')
        return 0
    say(f"\nOpening the notebooks in {COPY}/, the first one in front. Ctrl-C twice ends the server.\n")
    return attached(notebook_server(place), KERNEL)


def course(place: Place) -> int:
    ready(place)
    return attached([place.python, "-m", "planexec.course", "run"], KERNEL)


def suite(place: Place, name: str) -> int:
    """`test` or `check`."""
    started = time.monotonic()
    ready(place, "dev")
    say(f"environment ready after {time.monotonic() - started:.1f} s")
    with tempfile.TemporaryDirectory(prefix="planexec-check-") as work:
        if name == "test":
            return run_all("test", suites.test_steps(place), place.root, suites.TEST_SECONDS)
        return run_all("check", suites.check_steps(place, Path(work)), place.root, suites.CHECK_SECONDS)


def parser(place: Place) -> argparse.ArgumentParser:
    text = HELP.format(planexec=os.path.relpath(place.script("planexec"), place.root))
    made = argparse.ArgumentParser(
        prog="run.py", usage="python run.py [course | test | check | doctor]", description=text,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    made.add_argument("command", nargs="?", default="start", choices=["start", "course", "test", "check", "doctor"])
    made.add_argument("--lang", choices=["en", "zh"], default=language(os.environ), help="of the first run's question")
    made.add_argument("--no-browser", action="store_true", help="do not open the notebooks after the first run")
    return made


def main(arguments: Sequence[str]) -> int:
    """Exit codes: 0 all well, 1 something failed, 2 wrong use or no set-up, 130 ended by Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # a console that has no Chinese
    place = Place(ROOT)
    given = parser(place).parse_args(arguments)
    try:
        if given.command == "doctor":
            return doctor.main(place)
        if given.command == "course":
            return course(place)
        if given.command in ("test", "check"):
            return suite(place, given.command)
        terminal = sys.stdin.isatty() and sys.stdout.isatty()
        return first_run(place, given.lang, terminal and not given.no_browser)
    except SetUpError as problem:
        sys.stderr.write(f"\n{problem}\n")
        return 2
    except KeyboardInterrupt:
        say("\nEnded. Start again whenever you like: what was finished stays.")
        return 130
