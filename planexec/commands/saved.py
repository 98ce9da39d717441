"""`planexec runs`, `show`, `fork`: saved runs, looked at without opening them for writing."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from planexec.commands import COMPLETE, Commands, WrongUse, command

if TYPE_CHECKING:
    from planexec.journal import Journal
    from planexec.store import Saved

RUNS = """\
List the runs that are saved in a folder: question, state, steps, cost.

  complete      the outcome was reached
  max_steps ... the reason why it was stopped; `planexec show` says what to try
  paused        it waits for a person: `planexec pending`
  answered      the person has answered: `planexec resume`
  unfinished    it was interrupted, or is still running: `planexec resume`

A run that your own program made goes on when that program is started again.
"""
SHOW = """\
Show a saved run: the plan, every call and what it brought, every verdict, the
answer, the totals.

It only reads: nothing is carried out, and a run that another process has open
can be looked at as well.
"""
SHOW_MORE = """\
examples:
  planexec show run.db
  planexec show run.db --json     the result, as `planexec run --json` prints it
  planexec show run.db --lines    every record as a JSON line, with its `seq`
"""
FORK = """\
Copy a saved run, whole or up to a step or record, so that it can go on in
another way. The old one stays as it is. A question that was split takes its
parts along: run.part-1.db becomes other.part-1.db.
"""
FORK_MORE = """\
examples:
  planexec fork run.db other.db
  planexec resume other.db --max-steps 12
  planexec fork run.db again.db --at step-3
        keep what came before step 3: resumed, the copy carries it out anew
  planexec fork run.db again.db --at part-2
        the same for a part of a question that was split
  planexec fork run.db earlier.db --at 20
        keep the records with a number below 20; `show --lines` has the numbers
"""


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Describe `runs`, `show` and `fork`."""
    runs = command(commands, "runs", "list the saved runs of a folder", RUNS)
    runs.add_argument("folder", metavar="FOLDER", nargs="?", default=".", help="default: this folder")
    runs.set_defaults(function=runs_command)

    show = command(commands, "show", "show a saved run", SHOW)
    show.epilog = SHOW_MORE
    show.add_argument("run", metavar="RUN", help="the file of the run")
    form = show.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="the result as one JSON object")
    form.add_argument("--lines", action="store_true", help="the header and every record that counts, as JSON lines")
    show.set_defaults(function=show_command)

    fork = command(commands, "fork", "copy a saved run, to go on in another way", FORK)
    fork.epilog = FORK_MORE
    fork.add_argument("run", metavar="RUN", help="the file of the run")
    fork.add_argument("new", metavar="NEW", help="the file of the copy; it must not exist")
    fork.add_argument("--at", metavar="AT", help="keep only what came before the step (step-3) or the record (20) AT")
    fork.set_defaults(function=fork_command)


def runs_command(args: argparse.Namespace) -> int:
    from planexec.show.text import write
    from planexec.store import saved_runs

    folder = Path(args.folder)
    if not folder.is_dir():
        raise WrongUse(f"there is no folder {folder}" if not folder.exists() else f"{folder} is a file, not a folder")
    found = saved_runs(folder)
    if not found:
        write(sys.stdout, f'no saved runs in {folder}; `planexec run "..." --save run.db` makes one')
        return COMPLETE
    write(sys.stdout, _row("run", "state", "steps", "cost", "question"))
    for saved in found:
        write(sys.stdout, _saved_row(saved))
    return COMPLETE


def _saved_row(saved: Saved) -> str:
    steps = "-" if saved.steps is None else str(saved.steps)
    cost = "-" if saved.usd is None else f"${saved.usd:.4f}"
    return _row(saved.path.name, saved.state, steps, cost, saved.question)


def _row(run: str, state: str, steps: str, cost: str, question: str) -> str:
    """One row of 80 columns at most."""
    from planexec.show.columns import clean, fit, pad

    cells = [pad(fit(clean(text), room), room) for text, room in ((run, 18), (state, 16), (steps, 5), (cost, 8))]
    return "  ".join([*cells, fit(clean(question), 25)]).rstrip()


def show_command(args: argparse.Namespace) -> int:
    from planexec.commands.run import print_json
    from planexec.journal import Journal
    from planexec.show.text import text_of, write
    from planexec.store import as_dict

    journal = Journal.read(args.run)
    if args.json:
        print_json(as_dict(journal))
    elif args.lines:
        for line in journal.lines():
            print_json(json.loads(line), indent=None)
    else:
        write(sys.stdout, text_of(journal).rstrip("\n"))
    return COMPLETE


def fork_command(args: argparse.Namespace) -> int:
    from planexec.commands.settings import recorded
    from planexec.journal import Journal
    from planexec.show.text import write

    source = Journal.read(args.run)
    upto = None if args.at is None else _number_at(source, args.at)
    with source.fork(args.new, upto) as copy:
        kept, whole = len(copy.records()), len(source.records())
    how = f"planexec resume {args.new}" if recorded(source) else "start the program that made the run with this file"
    write(sys.stdout, f"{args.new}: {kept} of {whole} records. Go on with it:  {how}")
    return COMPLETE


def _number_at(journal: Journal, at: str) -> int:
    """The number of a record, given as such, or as the step that begins there or the part that is noted there."""
    records = journal.records()
    begins = {record.scope: record.seq for record in reversed(records)}
    begins |= {f"part-{record.part}": record.seq for record in records if record.part is not None}
    if at in begins:
        return begins[at]
    last = max((record.seq for record in records), default=0)
    if at.lstrip("-").isdigit() and 0 < int(at) <= last:
        return int(at)
    steps = [scope for scope in begins if scope.startswith(("step-", "part-")) and "/" not in scope]
    known = f"and its steps are {', '.join(sorted(steps, key=begins.__getitem__))}" if steps else "and it has no steps"
    raise WrongUse(f"--at {at}: the records of {journal.path} have numbers up to {last}, {known}")
