"""`planexec worlds`: what there is to ask about."""

from __future__ import annotations

import argparse
import sys

from planexec.commands import COMPLETE, Commands, command

TEXT = """\
The worlds: mock tools over invented data, each with questions to start from.

Any question may be asked in any world; what its tools do not know, the agent
cannot find, and has to say so.
"""
MORE = """\
examples:
  planexec worlds
  planexec worlds --lang zh
"""


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = command(commands, "worlds", "list the worlds: tools and questions", TEXT)
    parser.epilog = MORE
    parser.add_argument("--lang", choices=["en", "zh"], default="en", help="of the questions and descriptions")
    parser.set_defaults(function=worlds_command)


def worlds_command(args: argparse.Namespace) -> int:
    from planexec.show.columns import fit
    from planexec.show.text import write
    from planexec.worlds import NAMES, load

    for name in NAMES:
        world = load(name, args.lang)
        write(sys.stdout, f"{name}  ({world.date})")
        for tool in world.tools:
            write(sys.stdout, "  " + fit(f"{tool.name}: {tool.description}", 76))
        for question in world.questions.values():
            write(sys.stdout, "  ? " + fit(question, 74))
        write(sys.stdout, "")
    return COMPLETE
