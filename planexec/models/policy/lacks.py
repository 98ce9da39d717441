"""What is not there: one plain sentence for everything a question needs and the results do not hold."""

from __future__ import annotations

import re
from collections.abc import Sequence

from planexec.models.policy.facts import Brought, holds, meets, rows_in
from planexec.models.policy.phrases import SAID, say
from planexec.models.policy.reading import kind_of
from planexec.models.policy.tables import same_name, without_notes
from planexec.models.policy.tasks import Task, Wanted


def texts_for(brought: Sequence[Brought], wanted: Wanted) -> tuple[str, ...]:
    """Every found text that was looked up for `wanted`."""
    return tuple(each.text for each in brought if each.wanted is wanted and each.kind == "found")


def told(brought: Sequence[Brought], wanted: Wanted) -> tuple[str, ...]:
    """Every text that came back for `wanted`, also one that says there is nothing: a reason may stand in it."""
    return tuple(each.text for each in brought if each.wanted is wanted and each.kind in ("found", "empty"))


def met(task: Task, brought: Sequence[Brought], wanted: Wanted) -> bool:
    return any(meets(task, wanted, text) for text in texts_for(brought, wanted))


def due(task: Task, brought: Sequence[Brought], wanted: Wanted) -> bool:
    """False when another result says that `wanted` is not needed, or what it hangs on is not known itself."""
    condition = wanted.need.only_if
    if condition is not None and not holds(condition, task, lambda each: told(brought, each)):
        return False
    return all(due(task, brought, each) for each in task.waits(wanted))


def lacking(task: Task, brought: Sequence[Brought], reached: bool) -> list[str]:
    """A sentence for everything the question needs and the results do not hold."""
    lines: list[str] = []
    for wanted in task.wanted:
        if not due(task, brought, wanted):
            continue
        never = not any(each.wanted is wanted for each in brought)
        if never and reached and task.survey and wanted.need.side:
            continue  # it ended without a look at this side, and does not know what it left out
        if not met(task, brought, wanted):
            lines.append(lack(task, wanted, brought, reached))
        else:
            lines += rows_missing(task, wanted, texts_for(brought, wanted))
    return list(dict.fromkeys(lines))


def rows_missing(task: Task, wanted: Wanted, texts: Sequence[str]) -> list[str]:
    """The names the question lists and this result has no row for."""
    if wanted.need.proof not in ("percent", "values") or wanted.name:
        return []
    have = [name for name, _ in rows_in(task, wanted, tuple(texts))]
    lacking = [name for name in task.names if not any(same_name(name, each) for each in have)]
    return [say("no_row", task.lang, row=name, label=wanted.label) for name in lacking]


def lack(task: Task, wanted: Wanted, brought: Sequence[Brought], reached: bool) -> str:
    """One sentence on why `wanted` is not there: not found, failed, waiting for something missing, or never begun."""
    own = [each for each in brought if each.wanted is wanted]
    kinds = {each.kind for each in own}
    for kind in ("unclear", "failed", "refused"):
        if kind in kinds and "empty" not in kinds:
            return _said_already(task, own) or _with_reason(task, wanted, own, kind)
    before = [each for each in task.waits(wanted) if not met(task, brought, each)]
    if before and (reached or "blocked" in kinds):
        return say("waits", task.lang, label=wanted.label, before=before[0].label)
    if not own or kinds <= {"open", "stopped", "blocked"}:
        return say("missing_bare" if reached else "not_reached", task.lang, label=wanted.label)
    asked = list(dict.fromkeys(each.asked for each in own if each.asked))
    if not asked:
        return say("missing_bare", task.lang, label=wanted.label)
    return say("missing", task.lang, label=wanted.label, asked="; ".join(asked))


def _said_already(task: Task, own: Sequence[Brought]) -> str:
    """The sentence in which a step has already said what went wrong, or ""."""
    openings = tuple(SAID[kind][task.lang].partition("{")[0] for kind in ("unclear", "failed", "refused"))
    lines = (line for each in own if not each.asked for line in each.text.split("\n"))
    return next((line for line in lines if line.startswith(openings)), "")


def _with_reason(task: Task, wanted: Wanted, own: Sequence[Brought], kind: str) -> str:
    text = next(each.text for each in own if each.kind == kind)
    if kind == "failed" and kind_of(text) == "empty":  # a digest made by code: it names the call, not the reason
        return say("failed_bare", task.lang, label=wanted.label)
    first = (without_notes(text) or text).strip().split("\n")[0]
    return say(kind, task.lang, label=wanted.label, why=re.sub(r"^\[[^]]*\]\s*", "", first)[:200].rstrip("。. "))
