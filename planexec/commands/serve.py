"""`planexec serve`: listed here; what it does and its options are in `planexec/serve/`."""

from __future__ import annotations

import argparse

from planexec.commands import Commands


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Give it its place in the list of commands; `cli.main` hands its arguments on as they are."""
    commands.add_parser("serve", help="a model service on this machine, as strict as real ones", add_help=False)
