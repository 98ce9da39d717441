"""`planexec pending` and `planexec answer`: what waits for a person, and what the person says."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planexec.commands import COMPLETE, Commands, WrongUse, command

if TYPE_CHECKING:
    from planexec.person import Answer

DECISIONS = ("approve", "reject", "edit", "reply", "stop", "grant")
PENDING = """\
List the questions that saved runs have put to a person, still unanswered.
"""
ANSWER = """\
Answer a saved run that waits for a person. Any process may, on any day: the run
goes on with `planexec resume`, or in the notebook that has it open.

  approve   carry the call out
  reject    do not; --text tells the agent why
  edit      carry it out with other arguments: --args
  reply     do not carry it out; --text is what the agent gets instead
  stop      end the run here
  grant     let the run have more: --limit. A run that a limit stopped can be
            given more at any time

To the question whether to begin, or about a plan (kind "confirm"): approve goes
on; grant gives more and goes on; reject, stop, reply and edit end the run, and
--text is the reason it gives. A plan cannot be edited here.
"""
EDIT = """--args '{"to": "team@example.org"}'"""
MEANS = {  # what an answer means where it is not a plain yes or no to a call
    "unknown": (
        ("approve", "carry it out (again)"),
        ("reply --text TEXT", "it happened: this is its result"),
        ("reject", "leave it; whether it happened stays unknown"),
    ),
    "mend": (
        ("approve", "it is mended: try again"),
        ("reject", "leave it: the call has failed"),
    ),
}
ANSWER_MORE = f"""\
examples:
  planexec answer run.db approve
  planexec answer run.db reject --text "not to outside addresses"
  planexec answer run.db edit {EDIT}
  planexec answer run.db grant --limit max_steps=12
  planexec resume run.db
"""


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Describe `pending` and `answer`."""
    pending = command(commands, "pending", "list what waits for a person", PENDING)
    pending.add_argument("place", metavar="FOLDER|RUN", nargs="?", default=".", help="default: this folder")
    pending.set_defaults(function=pending_command)

    answer = command(commands, "answer", "answer a run that waits for a person", ANSWER)
    answer.epilog = ANSWER_MORE
    answer.add_argument("run", metavar="RUN", help="the file of the run")
    answer.add_argument("decision", metavar="DECISION", choices=DECISIONS, help=" | ".join(DECISIONS))
    answer.add_argument("--text", metavar="TEXT", default="", help="the reason, or the words of a reply")
    answer.add_argument("--args", metavar="JSON", help="the arguments of an edited call, as a JSON object")
    answer.add_argument("--tool", metavar="NAME", default="", help="another tool for an edited call")
    answer.add_argument("--limit", metavar="NAME=VALUE", action="append", help="of a grant; repeatable")
    answer.add_argument("--id", metavar="ID", help="which question, when several are open")
    answer.set_defaults(function=answer_command)


def pending_command(args: argparse.Namespace) -> int:
    from planexec.show.columns import clean
    from planexec.show.text import write
    from planexec.store import open_requests, saved_runs

    place = Path(args.place)
    runs = [saved.path for saved in saved_runs(place) if saved.state != "unreadable"] if place.is_dir() else [place]
    found = [(run, request) for run in runs for _, request in open_requests(run)]
    for run, request in found:
        write(sys.stdout, f"{run}  {request['id']}  ({request['kind']})")
        for line in clean(request["text"]).splitlines():
            write(sys.stdout, f"  {line}")
        for answer, means in MEANS.get(request["kind"], ()):
            write(sys.stdout, f"    {answer:<18} {means}")
    write(sys.stdout, f"{len(found)} waiting" + (": planexec answer RUN approve | reject | ..." if found else ""))
    return COMPLETE


def answer_command(args: argparse.Namespace) -> int:
    from planexec.person import check_answer
    from planexec.show.text import write
    from planexec.store import answer, open_requests

    run = Path(args.run)
    waiting = open_requests(run)
    if args.decision == "grant" and not _confirms(waiting, args.id):
        return _grant(run, args.limit)
    file, request = _one(waiting, args.id, run)
    given = _answer(args, file)
    try:
        check_answer(request["kind"], given)
    except ValueError as problem:
        more = f". What each means: planexec pending {run}" if request["kind"] in MEANS else ""
        raise WrongUse(f"{problem}{more}") from None
    _check_edit(run, request, given)
    answer(file, request["id"], given)
    write(sys.stdout, f"{request['id']}: {args.decision}. {_goes_on(run)}")
    return COMPLETE


def _confirms(waiting: list[tuple[Path, dict[str, Any]]], wanted: str | None) -> bool:
    """True when the grant answers a question: one that was named, or whether to begin at all."""
    return wanted is not None or any(request["kind"] == "confirm" for _, request in waiting)


def _one(waiting: list[tuple[Path, dict[str, Any]]], wanted: str | None, run: Path) -> tuple[Path, dict[str, Any]]:
    ids = ", ".join(request["id"] for _, request in waiting)
    if not waiting:
        raise WrongUse(f"nothing waits for an answer in {run}")
    if wanted is None and len(waiting) > 1:
        raise WrongUse(f"several questions wait in {run}; say which: --id {ids}")
    chosen = [pair for pair in waiting if wanted in (None, pair[1]["id"])]
    if not chosen:
        raise WrongUse(f"no open question has the id {wanted}; open are: {ids}")
    return chosen[0]


def _answer(args: argparse.Namespace, file: Path) -> Answer:
    """What the options say, checked before it goes anywhere."""
    from planexec.person import Answer

    given: dict[str, Any] = {"text": args.text, "tool": args.tool}
    if args.decision == "reply" and not args.text:
        raise WrongUse("a reply needs its words: --text")
    if args.args is not None:
        try:
            given["args"] = json.loads(args.args)
        except ValueError as problem:
            raise WrongUse(f"--args is not JSON: {problem}") from None
    if args.decision == "edit" and not isinstance(given.get("args"), dict):
        raise WrongUse(f"an edit needs the new arguments, as a JSON object: {EDIT}")
    if args.decision == "grant":
        given["limits"] = _changes(file, args.limit)
    try:
        return Answer(args.decision, **given)
    except ValueError as problem:
        raise WrongUse(str(problem)) from None


def _check_edit(run: Path, request: dict[str, Any], given: Answer) -> None:
    """WrongUse for an edited call that cannot be made, where a command made the run and so its tools are known."""
    from planexec.commands.settings import of_saved, recorded, world_of
    from planexec.journal import Journal
    from planexec.tools import Toolbox

    journal = Journal.read(run)
    if given.decision != "edit" or request["kind"] != "approve" or not recorded(journal):
        return
    name = given.tool or request["tool"]
    tools = Toolbox(world_of(of_saved(journal, None, None)).tools)
    if name not in tools:
        raise WrongUse(f"--tool {name}: the tools of this run are {', '.join(tools)}")
    if wrong := tools[name].misfit(given.args or {}):
        raise WrongUse(f"--args: {wrong}")


def _changes(run: Path, given: list[str] | None) -> dict[str, Any]:
    from planexec.commands.limits import changes
    from planexec.journal import Journal
    from planexec.store import limits_of

    if not given:
        raise WrongUse("a grant needs limits: --limit max_steps=12")
    return changes(given, limits_of(Journal.read(run)))


def _grant(run: Path, given: list[str] | None) -> int:
    from planexec.show.text import write
    from planexec.store import grant

    grant(run, _changes(run, given))
    write(sys.stdout, f"granted: {', '.join(given or ())}. {_goes_on(run)}")
    return COMPLETE


def _goes_on(run: Path) -> str:
    """How the run goes on; only one that a command made can be resumed by one, others have tools of their own."""
    from planexec.commands.settings import recorded
    from planexec.journal import Journal
    from planexec.store import state_of

    journal = Journal.read(run)
    if state_of(journal) == "complete":
        return "The run is complete: there is nothing left to do in it."
    if recorded(journal):
        return f"The run goes on with:  planexec resume {run}"
    return "The run goes on in the program that made it."
