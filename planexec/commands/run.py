"""`planexec run` and `planexec resume`: a question goes in, the run is shown as it happens, an answer comes out."""

from __future__ import annotations

import argparse
import json
import re
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planexec.commands import COMPLETE, STOPPED, Commands, WrongUse, command
from planexec.commands.settings import Settings, agent_of, chosen, limits_of, of_saved, recorded

if TYPE_CHECKING:
    from planexec.journal import Journal
    from planexec.limits import Limits
    from planexec.result import Result

RUN = """\
Ask a question; watch the agent plan, act, replan and answer.

The simulated model needs no key and no network. It can be wrong in the ways
real models are: it searches again for what is not there, follows a striking
word, goes on with the answer in hand. Limits and counters hold it.
"""
RUN_MORE = """\
examples:
  planexec run "Which sectors benefit from a reserve-requirement cut?"
  planexec run "降准释放8000亿，25%流入股市2000亿，怎么配置100万账户" --max-steps 3
        three steps are too few: see why it stops, and what it says to try next
  planexec run "..." --loop react --unguarded
        the same without a plan, and without the counters
  planexec run "..." --model sim:careful --dial stubborn=1
  planexec run "..." --save run.db
        killed or stopped? the same command goes on where it was
  planexec run "..." --model NAME --base-url http://127.0.0.1:11434/v1
        a real model; its key is read from its service's environment variable

exit codes: 0 complete; 3 stopped, partial or waiting for a person; 2 wrong use;
130 ended by Ctrl-C
"""
RESUME = """\
Go on with a saved run where it stopped, was killed, or waited for a person.

What is recorded is not done again, and counts as it did. A run that a limit
stopped needs more of it: --max-steps 12.
"""
RESUME_MORE = """\
examples:
  planexec resume run.db
  planexec resume run.db --max-steps 12
  planexec resume run.db --limit max_usd=0.50 --limit max_seconds=none
  planexec resume run.db --model other-model         after a service failed

exit codes: as of `planexec run`
"""


FOLLOW = "go on where only the contents differ from the recording (other prompts, another version), and say where"


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Describe `run` and `resume`."""
    run = command(commands, "run", "ask a question and watch the agent at work", RUN)
    run.epilog = RUN_MORE
    run.add_argument("question", metavar="QUESTION", help="in English or Chinese, in quotes")
    run.add_argument("--world", metavar="NAME", help="the tools: see `planexec worlds` (default: by the question)")
    run.add_argument("--data", metavar="FILE", help="replaces the world's data: a file of the same form")
    _model_options(run, "sim, sim:PRESET (articles, careful, reckless), or a model's NAME (default: sim)")
    dial = "a fault of the simulated model, 0 to 1; the dials are ours, not a real model's; repeatable"
    run.add_argument("--dial", metavar="NAME=VALUE", action="append", help=dial)
    run.add_argument("--loop", choices=["auto", "plan", "react"], help="auto: the router decides (default)")
    _limit_options(run)
    unguarded = "no counters: only the limits hold"
    run.add_argument("--unguarded", action="store_const", const=True, default=None, help=unguarded)
    run.add_argument("--lang", choices=["en", "zh"], help="of prompts, tools and this output (default: the question's)")
    run.add_argument("--seed", metavar="N", type=int, help="same seed, same run (default: 0)")
    run.add_argument("--date", metavar="YYYY-MM-DD", help="what counts as today (default: the world's date)")
    run.add_argument("--save", metavar="FILE", help="keep the run; the same command again goes on with it")
    run.add_argument("--follow", action="store_true", help=FOLLOW)
    run.add_argument("--json", action="store_true", help="print the result as one JSON object, and nothing else")
    run.set_defaults(function=run_command)

    resume = command(commands, "resume", "go on with a saved run", RESUME)
    resume.epilog = RESUME_MORE
    resume.add_argument("save", metavar="RUN", help="the file of the run")
    _model_options(resume, "go on with another model")
    _limit_options(resume)
    resume.add_argument("--follow", action="store_true", help=FOLLOW)
    resume.add_argument("--json", action="store_true", help="print the result as one JSON object, and nothing else")
    resume.set_defaults(function=resume_command)


def _model_options(parser: argparse.ArgumentParser, text: str) -> None:
    parser.add_argument("--model", metavar="MODEL", help=text)
    parser.add_argument("--base-url", metavar="URL", help="where a real model is served; most end in /v1")


def _limit_options(parser: argparse.ArgumentParser) -> None:
    steps = "executor turns that the run may take: one model reply with its tool calls, or one direct call of the plan"
    parser.add_argument("--max-steps", metavar="N", help=steps)
    limit = "any other limit, `none` for no limit; repeatable. max_tool_calls, max_seconds, max_usd, ..."
    parser.add_argument("--limit", metavar="NAME=VALUE", action="append", help=limit)


def run_command(args: argparse.Namespace) -> int:
    """Everything is checked before the file is touched: a wrong option must not leave one behind."""
    from planexec.journal import Journal

    new = args.save is None or not Path(args.save).exists() or Path(args.save).stat().st_size == 0
    before = Journal() if new else Journal.read(args.save)
    if before.header:
        before.start({"question": args.question})  # refuses another question
    return carry_out(args, chosen(args, before), before)


def resume_command(args: argparse.Namespace) -> int:
    from planexec.journal import Journal

    if not Path(args.save).is_file():
        raise WrongUse(f"there is no saved run {args.save}; `planexec runs FOLDER` lists those in a folder")
    before = Journal.read(args.save)
    return carry_out(args, of_saved(before, args.model, args.base_url), before, again=True)


def carry_out(args: argparse.Namespace, settings: Settings, before: Journal, again: bool = False) -> int:
    """Run, show, and say how it ended. `before`: the saved run so far. `again`: what failed, or a person stopped,
    may go on.
    """
    from planexec.commands.terminal import Row, person_here
    from planexec.journal import Journal
    from planexec.show.teller import Line
    from planexec.show.text import live
    from planexec.show.words import say

    watch = live(sys.stdout, settings.lang)

    def tell(text: str) -> None:
        if args.json:
            print(text, file=sys.stderr)
        else:
            watch.lines([Line("note", text)])

    here = not args.json and sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    limits, row = limits_of(args, _base(before)), Row(sys.stdout, settings.lang) if here else None
    agent = agent_of(settings, limits, None if args.json else watch, tell, row, args.follow)
    person = person_here(limits, settings.lang, keeps=args.save is not None) if here else None
    with Journal(args.save) as journal:
        if again and any(each.may_pass for each in (journal, *journal.parts().values())):
            journal.reopen()
        if not args.json:
            watch.lines([Line("run", _first_line(settings, journal, recorded(before).get("model")))])
            watch.lines([Line("question", settings.question)] if again else [])
        result = agent.run(settings.question, journal, person)
        if args.json:
            print_json(result.to_dict())
        else:
            watch.end(result)
            if result.first_difference:
                tell(say("differs", settings.lang, result.first_difference))
            watch.lines([Line("next", text) for text in _what_next(result, journal, settings.lang)])
    return COMPLETE if result.complete else STOPPED


def _base(before: Journal) -> Limits:
    """The limits before the command line changes them: those the saved run goes by, else the defaults."""
    from planexec.limits import Limits
    from planexec.store import limits_of as saved_limits

    return saved_limits(before) if before.header else Limits()


def _first_line(settings: Settings, journal: Journal, before: str | None) -> str:
    """What the run is made with, and what was not given but chosen."""
    from planexec.show.text import header_text
    from planexec.show.words import say

    lang, made = settings.lang, asdict(settings)
    if settings.world_from:
        made["world"] = say(f"by_{settings.world_from}", lang, settings.world)
    if before is not None and before != settings.model:
        made["model"] = say("was", lang, settings.model, before)
    return header_text(made, lang) + (say("saved_in", lang, journal.path) if journal.path else "")


def _what_next(result: Result, journal: Journal, lang: str) -> list[str]:
    """The commands that go on from here, for a run that is saved."""
    from planexec.show.words import say
    from planexec.store import open_requests

    if journal.path is None or result.stop is None:
        return []
    run, reason = quote(str(journal.path)), result.stop.reason
    if reason == "paused":
        waiting = open_requests(journal.path)
        ids = [f" --id {quote(request['id'])}" if len(waiting) > 1 else "" for _, request in waiting]
        asked = zip(waiting, ids, strict=True)
        return [
            say("reply_to", lang, text=request["text"], run=run, id=named, others=_others(request["kind"], lang))
            for (_, request), named in asked
        ]
    if not _run_was_stopped(journal):
        return []  # a step ended early and the run went on to its end: there is nothing left to do
    if reason.startswith("max_"):
        more = "--max-steps N" if reason == "max_steps" else f"--limit {reason}=N"
        return [say("give_more", lang, run, more)]
    return [say("try_again", lang, run)] if reason in ("failed", "stopped") else []


def quote(path: str) -> str:
    """A path as a shell takes it: quoted only where it must be."""
    return path if re.fullmatch(r"[\w@%+=:,./\\-]+", path) else f'"{path}"'


def _run_was_stopped(journal: Journal) -> bool:
    """True when the run, or a part of it, did not come to its own end."""
    records = [record for each in (journal, *journal.parts().values()) for record in each.records()]
    return any(record.kind == "stop" and (record.result or {}).get("level") == "run" for record in records)


def print_json(value: Any, indent: int | None = 2) -> None:
    """One JSON value; characters that the output's encoding may not have are escaped."""
    wide = (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")
    print(json.dumps(value, ensure_ascii=not wide, indent=indent))


def _others(kind: str, lang: str) -> str:
    """The other answers that a question takes; a grant has a command line of its own and is in the help."""
    from planexec.person import DECISIONS, TAKES

    others = [each for each in TAKES.get(kind, DECISIONS) if each not in ("approve", "grant")]
    return ("、" if lang == "zh" else ", ").join(others)
