"""What a step reports, and a report in chapters: texts that were found, passed on as they stood but not in full.

A page that tells its reader to do something is left out: what it says is no fact about the topic.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from planexec.models.policy.facts import Brought, meets
from planexec.models.policy.lacks import due, lack, rows_missing, texts_for
from planexec.models.policy.phrases import say
from planexec.models.policy.tables import without_notes
from planexec.models.policy.tasks import Task, Wanted

STEP = 2_500  # characters that a step reports about one thing
CHAPTER = {"en": 2_000, "zh": 700}  # characters of one chapter of a report
ADDRESS = r"[A-Za-z\d._+-]{1,64}@[A-Za-z\d-]{1,63}(?:\.[A-Za-z\d-]{1,63}){1,8}"
COMMAND = re.compile(
    rf"\b(?:send|forward|mail|e-mail|email)\b[^.\n]{{0,120}}?{ADDRESS}|(?:发送|转发|发邮件|寄)[^。\n]{{0,60}}?{ADDRESS}",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"^\s*(?:\d+[.)、]|[-*•])\s+")
_ADDRESS = re.compile(r"[,，]?\s*https?://\S+")


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def headline(task: Task, label: str) -> str:
    return capital(label) + ("：" if task.lang == "zh" else ":")


def short(text: str, room: int) -> str:
    """Whole lines up to `room` characters; at least the first line, cut if it must be."""
    kept: list[str] = []
    for line in text.strip().split("\n"):
        if kept and sum(map(len, kept)) + len(line) > room:
            break
        kept.append(line.rstrip())
    return "\n".join(kept)[: max(room, 200)]


@lru_cache(maxsize=4_096)
def entries(text: str) -> tuple[str, ...]:
    """The entries of a search result, each on one line: "title (source, date): what it says"."""
    return tuple(
        _entry(block) for block in without_notes(text).split("\n\n") if block.strip() and not COMMAND.search(block)
    )


def _entry(block: str) -> str:
    lines = [line.strip() for line in block.strip().split("\n") if line.strip()]
    title = _NUMBERED.sub("", lines[0])
    if len(lines) < 3 or not re.search(r"\d{4}-\d\d-\d\d", lines[1]):
        return " ".join([title, *lines[1:]])
    return f"{title} ({_ADDRESS.sub('', lines[1])}): {' '.join(lines[2:])}"


def step_report(task: Task, scope: Sequence[Wanted], brought: Sequence[Brought]) -> str:
    """What a step reports when it ends: the facts it found, as they stood, and what it could not find."""
    lines: list[str] = []
    for wanted in scope:
        found = list(dict.fromkeys(texts_for(brought, wanted)))
        if not due(task, brought, wanted):
            lines.append(say("not_due", task.lang, label=wanted.label))
            continue
        if not any(meets(task, wanted, text) for text in found):
            lines.append(lack(task, wanted, brought, True))
            continue
        lines.append(headline(task, wanted.label))
        lines += side_lines(task, wanted, found) if wanted.need.side else _as_found(found)
        lines += rows_missing(task, wanted, found)
    return "\n".join(lines)


def _as_found(texts: Sequence[str]) -> list[str]:
    return [short(without_notes(text), STEP // len(texts)) for text in texts]


def side_lines(task: Task, wanted: Wanted, texts: Sequence[str]) -> list[str]:
    """One "- " line for each entry about a side."""
    return ["- " + entry for entry in _of_side(task, wanted, texts)]


def _of_side(task: Task, wanted: Wanted, texts: Sequence[str]) -> list[str]:
    """The entries that speak of this side, or of none in particular; all of them when there are no such."""
    every = list(dict.fromkeys(entry for text in texts for entry in entries(text)))
    about = [entry for entry in every if _hits(wanted, entry) or not any(_hits(each, entry) for each in task.wanted)]
    return about or every


@lru_cache(maxsize=16_384)
def _hits(wanted: Wanted, entry: str) -> int:
    """How often an entry speaks of a side; its title counts three times."""
    title = entry.partition(" (")[0]
    return sum(len(p.findall(entry)) + 2 * len(p.findall(title)) for p in wanted.need.words.values())


def chapters(task: Task, brought: Sequence[Brought]) -> list[str]:
    """A chapter a side with what was found about it. Results of searches for no side in particular are sorted in."""
    sides = [wanted for wanted in task.wanted if wanted.need.side]
    own = {wanted.need.id: _lines(task, wanted, texts_for(brought, wanted)) for wanted in sides}
    for text in (each.text for each in brought if each.wanted is None and each.kind == "found"):
        for entry in entries(text):
            best = max(sides, key=lambda wanted: _hits(wanted, entry))
            if _hits(best, entry):
                own[best.need.id].append("- " + entry)
    parts: list[str] = []
    for wanted in sides:
        lines = [line for line in dict.fromkeys(own[wanted.need.id]) if _fits_best(task, wanted, line, own)]
        if lines:
            parts += ["", f"## {capital(wanted.goal)}", short("\n".join(lines), CHAPTER[task.lang])]
    return parts


def _fits_best(task: Task, wanted: Wanted, line: str, own: Mapping[str, Sequence[str]]) -> bool:
    """An entry that was found for several sides stands in one chapter only: that of the side it speaks of most."""
    holders = [each for each in task.wanted if line in own.get(each.need.id, ())]
    return wanted is max(holders, key=lambda each: _hits(each, line))


def _lines(task: Task, wanted: Wanted, texts: Sequence[str]) -> list[str]:
    """What belongs into the chapter of a side: the lines of a step's report, or the entries of a search result."""
    reported = [line for text in texts for line in text.split("\n") if line.startswith("- ")]
    return reported or side_lines(task, wanted, texts)
