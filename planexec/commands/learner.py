"""`planexec progress` and `planexec reset`: a learner's own copy of the notebooks."""

from __future__ import annotations

import argparse
from pathlib import Path

from planexec.commands import COMPLETE, Commands, WrongUse, command

PROGRESS = """\
How far you are, read from your own copy of the notebooks as you last saved it. Nothing is recorded.

  planexec progress                 the copy in my-course
  planexec progress DIR             a copy elsewhere

# passed, + tried, . still to do
"""
RESET = """\
Put one notebook of your copy back as it was delivered. Yours is kept beside it, as NAME.mine.ipynb.

  planexec reset 07
  planexec reset 07 DIR
"""
COPY = "my-course"


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """The two commands."""
    made = command(commands, "progress", "how far you are in the notebooks", PROGRESS)
    made.add_argument("folder", nargs="?", default=COPY, type=Path, help=f"your copy (default: {COPY})")
    made.set_defaults(function=show)
    made = command(commands, "reset", "put a notebook of your copy back as it was", RESET)
    made.add_argument("notebook", help="its number or name, such as 07")
    made.add_argument("folder", nargs="?", default=COPY, type=Path, help=f"your copy (default: {COPY})")
    made.set_defaults(function=put_back)


def show(args: argparse.Namespace) -> int:
    from planexec.course.progress import progress

    try:
        listed = progress(args.folder)
    except FileNotFoundError as problem:
        raise WrongUse(str(problem)) from problem
    for one in listed:
        print(one)
    passed = sum(len(one.passed) for one in listed)
    of = sum(len(one.passed) + len(one.not_yet) + len(one.todo) for one in listed)
    print(f"{passed} of {of} checks passed")
    return COMPLETE


def put_back(args: argparse.Namespace) -> int:
    from planexec.course.progress import reset

    try:
        path, kept = reset(args.notebook, args.folder)
    except LookupError as problem:
        raise WrongUse(str(problem.args[0])) from problem
    print(f"{path} is as delivered again" + (f"; yours is now {kept}" if kept else ""))
    return COMPLETE
