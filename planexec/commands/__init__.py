"""The commands of `planexec`, one group a file; `add(commands)` in each describes them to argparse.

Nothing is imported before a command needs it: `planexec --help` must come at once.
"""

from __future__ import annotations

import argparse

COMPLETE, WRONG_USE, STOPPED = 0, 2, 3
Commands = argparse._SubParsersAction  # what argparse calls the place where commands are added


class WrongUse(Exception):
    """The command cannot be carried out as it was given; the message says why and what to do. Exit code 2."""


def command(commands: Commands[argparse.ArgumentParser], name: str, line: str, text: str) -> argparse.ArgumentParser:
    """Add the command `name`: `line` stands in the list of commands, `text` (with examples) in its own help."""
    shape = argparse.RawDescriptionHelpFormatter
    return commands.add_parser(name, help=line, description=text, formatter_class=shape)
