"""`planexec course`: listed here; what it does and its options are in `planexec/course/`."""

from __future__ import annotations

import argparse

from planexec.commands import Commands


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Give it its place in the list of commands; `cli.main` hands its arguments on as they are."""
    commands.add_parser("course", help="the notebooks: copy, run, check", add_help=False)
