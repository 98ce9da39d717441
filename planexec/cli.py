"""The command line: `planexec COMMAND ...`. What each command does is in `commands/`, one group a file.

Exit codes: 0 complete, 3 stopped, partial or waiting for a person, 2 wrong use, 130 ended by Ctrl-C.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from planexec import __version__
from planexec.commands import COMPLETE, WRONG_USE, Parser, WrongUse

# Modules of `commands/`, in the order of the help.
GROUPS = ("run", "saved", "answers", "worlds", "local", "serve", "course", "learner")
INTERRUPTED, READER_GONE = 130, 141

HELP = """\
Agents that plan, and agents that cannot stop: watch, limit and resume them.

  planexec run "Which sectors benefit from a reserve-requirement cut?"
  planexec run "..." --max-steps 3 --save run.db     watch it stop, and why
  planexec resume run.db --max-steps 8               let it go on from there
  planexec worlds                                    what there is to ask about
  planexec COMMAND --help                            each command, with examples
"""


def parser() -> argparse.ArgumentParser:
    """All commands. Only the standard library is loaded for it."""
    shape = argparse.RawDescriptionHelpFormatter
    made = Parser(prog="planexec", description=HELP, formatter_class=shape)
    made.add_argument("--version", action="version", version=f"planexec {__version__}")
    commands = made.add_subparsers(metavar="COMMAND", title="commands")
    for group in GROUPS:
        import_module(f"planexec.commands.{group}").add(commands)
    return made


def main(argv: Sequence[str] | None = None) -> int:
    """Carry out one command; the exit code says how it ended. Errors go to stderr, in words."""
    _ready_to_print()
    given = [_as_typed(argument) for argument in (sys.argv[1:] if argv is None else argv)]
    args: argparse.Namespace | None = None
    try:
        if given[:1] in (["course"], ["serve"]):  # their own options stay their own
            return _flushed(import_module(f"planexec.{given[0]}").main(given[1:]))
        args = parser().parse_args(given)
        if not hasattr(args, "function"):
            parser().print_help()
            return _flushed(COMPLETE)
        return _flushed(args.function(args))
    except KeyboardInterrupt:
        return _interrupted(args)
    except BrokenPipeError:  # `planexec ... | head -1`: nobody reads any more, so there is nothing to say
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_GONE
    except Exception as problem:
        if not _is_wrong_use(problem):
            raise
        words = f"{problem.filename}: {problem.strerror}" if isinstance(problem, OSError) else str(problem)
        print(f"planexec: {words}", file=sys.stderr)
        return WRONG_USE


def _as_typed(argument: str) -> str:
    """In a locale without UTF-8 Chinese arrives as undecoded bytes; nearly always they are UTF-8 all the same."""
    try:
        argument.encode("utf-8")
    except UnicodeEncodeError:
        return argument.encode(sys.getfilesystemencoding(), "surrogateescape").decode("utf-8", "replace")
    return argument


def _flushed(code: int) -> int:
    sys.stdout.flush()
    return code


def _ready_to_print() -> None:
    """A console that lacks a character shows a question mark; a closed one swallows what it gets."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - open until the end
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _interrupted(args: argparse.Namespace | None) -> int:
    """Say how to go on; the journal has been closed on the way here."""
    advice = ""
    if args is not None and hasattr(args, "save"):
        kept = f"Go on with:  planexec resume {args.save}" if args.save else "It was not kept; --save FILE keeps a run."
        advice = " " + kept
    print(f"\nInterrupted.{advice}", file=sys.stderr)
    return INTERRUPTED


def _is_wrong_use(problem: Exception) -> bool:
    """True for what the message alone explains; a file that cannot be used is among it."""
    from planexec.journal import JournalError

    return isinstance(problem, (WrongUse, JournalError)) or (isinstance(problem, OSError) and bool(problem.filename))


if __name__ == "__main__":
    sys.exit(main())
