"""The commands of `planexec`, one group a file; `add(commands)` in each describes them to argparse.

Nothing is imported before a command needs it: `planexec --help` must come at once.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

COMPLETE, WRONG_USE, STOPPED = 0, 2, 3
Commands = argparse._SubParsersAction  # what argparse calls the place where commands are added


class WrongUse(Exception):
    """The command cannot be carried out as it was given; the message says why and what to do. Exit code 2."""


class Parser(argparse.ArgumentParser):
    """Blames an unknown option on the command it was given to, and shows that command's own options.

    argparse itself blames `planexec`, whose usage line names no option at all.
    """

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)} (see {self.prog} --help)")
        return found, unknown


def command(commands: Commands[argparse.ArgumentParser], name: str, line: str, text: str) -> argparse.ArgumentParser:
    """Add the command `name`: `line` stands in the list of commands, `text` (with examples) in its own help."""
    shape = argparse.RawDescriptionHelpFormatter
    return commands.add_parser(name, help=line, description=text, formatter_class=shape)
