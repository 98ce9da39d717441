"""Runs of real small models that ship with the package: replayed without weights, without a network, as they were.

    for run in replay("qwen2.5-coder-0.5b/answer/no-guards"):
        run.result.calls    # what it asked for, again and again
        run.result.stop     # why it ended

What the models wrote is theirs (see data/recordings/LICENCE.md); who made a recording, with which weights and which
runtime, stands in its header. Making new ones: `experiment.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planexec.canonical import call_key
from planexec.journal import Journal
from planexec.models.local.catalogue import LocalError
from planexec.models.local.questions import LIMITS, SETTINGS, TOOLS, Question, admits, date, questions, search_tool
from planexec.paths import data_path
from planexec.react_loop import answer_with_react
from planexec.result import Result
from planexec.run import Run

SUFFIX = ".jsonl"


@dataclass(frozen=True, slots=True)
class Replayed:
    """One question as it went. `tool`: what the search did, "answer" or "nothing".

    `difference`: where today's code first asks otherwise than was recorded; "" nowhere.
    """

    question: Question
    tool: str
    result: Result
    journal: Journal
    difference: str = ""

    @property
    def repeats(self) -> int:
        """Calls that were carried out although the very same call had been carried out before."""
        keys = [call_key(call.tool, call.args) for call in self.result.calls if call.kind != "refused"]
        return len(keys) - len(set(keys))

    @property
    def ended_by_itself(self) -> bool:
        """True when the model answered without being made to: no guard and no limit ended the run or cut the answer."""
        stopped = any(verdict.action in ("conclude", "halt") for verdict in self.result.verdicts)
        return bool(self.said) and not stopped

    @property
    def said(self) -> str:
        """The model's own last words; "" when they were cut. Code may put an answer in their place."""
        last = [record for record in self.journal.records() if record.kind == "model"][-1]
        reply = (last.result or {}).get("reply") or {}
        return str(reply["text"]) if reply.get("finish") == "stop" else ""

    @property
    def right(self) -> bool:
        """True when the model's last words hold the fact; where nothing could be found, when they say so."""
        return self.question.answered_by(self.said) if self.tool == "answer" else admits(self.said)


@dataclass(frozen=True, slots=True)
class Row:
    """One recording in figures: ten questions together. `tokens`: of prompts and replies."""

    name: str
    questions: int
    calls: int
    repeats: int
    ended_by_itself: int
    right: int
    model_calls: int
    tokens: int


def recordings() -> tuple[str, ...]:
    """The names of what is there, MODEL/TOOL/SETTING; see `TOOLS` and `SETTINGS` in questions.py."""
    folder = data_path("recordings")
    found = [path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob(f"*{SUFFIX}")]
    order = [f"{tool}/{setting}" for setting in SETTINGS for tool in TOOLS]
    known = [name for name in found if name.partition("/")[2] in order]
    return tuple(sorted(known, key=lambda name: (name.partition("/")[0], order.index(name.partition("/")[2]))))


def replay(name: str, folder: Path | None = None) -> tuple[Replayed, ...]:
    """Every question of a recording, replayed. `LocalError` for a name that is none."""
    path = (folder or data_path("recordings")) / f"{name}{SUFFIX}"
    if not path.is_file():
        raise LocalError(f"no recording is named {name!r}; there are {', '.join(recordings())}")
    _, does, setting = name.split("/")
    with open(path, encoding="utf-8") as file:
        return tuple(_replayed(journal, does, setting) for journal in journals(file))


def journals(lines: Iterable[str]) -> Iterator[Journal]:
    """The runs in a file of JSON lines, each as a journal in memory: a header begins the next one."""
    journal: Journal | None = None
    for entry in map(json.loads, lines):
        if "planexec_journal" in entry:
            if journal is not None:
                yield journal
            journal = Journal()
            journal.start({name: value for name, value in entry.items() if name not in ("planexec_journal", "run")})
        elif journal is not None:
            _take(journal, entry)
    if journal is not None:
        yield journal


def _take(journal: Journal, entry: dict[str, Any]) -> None:
    """Write one record again."""
    where = (entry["scope"], entry["position"], entry["kind"], entry["name"], entry["fingerprint"])
    if entry["kind"] in ("note", "stop"):
        journal.add(*where, entry["result"], entry["request"])
        return
    record = journal.begin(*where, entry["request"])
    if entry["result"] is not None:
        journal.finish(record, entry["result"], entry["seconds"])


def _replayed(journal: Journal, does: str, setting: str) -> Replayed:
    question = next(each for each in questions() if each.question == journal.header["question"])
    run = Run(
        question.question,
        tools=[search_tool(does)],
        limits=LIMITS,
        guards=SETTINGS[setting].guards,
        journal=journal,
        date=date(),
        replay="follow",
    )
    return Replayed(question, does, answer_with_react(run, run.question), journal, run.first_difference)


def figures(name: str, folder: Path | None = None) -> Row:
    """A recording counted, from its replay."""
    runs = replay(name, folder)
    usages = [run.result.usage for run in runs]
    return Row(
        name,
        questions=len(runs),
        calls=sum(usage.tool_calls for usage in usages),
        repeats=sum(run.repeats for run in runs),
        ended_by_itself=sum(run.ended_by_itself for run in runs),
        right=sum(run.right for run in runs),
        model_calls=sum(usage.model_calls for usage in usages),
        tokens=sum(usage.prompt_tokens + usage.completion_tokens for usage in usages),
    )


HEAD = "| model | the tool | setting | calls | repeats | ended by itself | right | model calls | tokens |"


def table(names: Iterable[str] | None = None, folder: Path | None = None) -> str:
    """The recordings as a table in Markdown, one row each."""
    lines = [HEAD, "|---|---|---|--:|--:|--:|--:|--:|--:|"]
    for row in (figures(name, folder) for name in (recordings() if names is None else names)):
        model, does, setting = row.name.split("/")
        counts = (row.calls, row.repeats, row.ended_by_itself, row.right, row.model_calls)
        cells = (model, does, setting, *counts, f"{row.tokens:,}")
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)
