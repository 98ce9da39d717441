"""Answers: what a step found, and the final answer, written from results only.

Every figure here was read in the question or in a result. Rows of several results about the same names are joined
("banks: 250,000 yuan (25%): A, B, C"); what was asked for and is not there is said plainly.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from planexec.models.policy.amounts import amounts, plain
from planexec.models.policy.chapters import capital, chapters, headline, short, side_lines
from planexec.models.policy.facts import Brought, holds, listed, meets, rows_in, value_in
from planexec.models.policy.lacks import due, lacking, met, texts_for, told
from planexec.models.policy.phrases import say
from planexec.models.policy.tables import same_name, without_notes
from planexec.models.policy.tasks import Task, Wanted

ROOM = 900  # characters of one text that is passed on as it stood
_WHOLE = 0.995, 1.005  # weights between these add up to the whole
_READABLE = re.compile(r"^(?P<unit>.*?)\s*\((?P<plain>[\d,.]+)\)$")
_HEADING = re.compile(r"^\[(?P<date>\d{4}-\d\d-\d\d)\]\s+(?P<title>.+)$", re.MULTILINE)


def money(task: Task, value: str) -> str:
    """money("200 bn (200,000,000,000)") -> "200 bn yuan (200,000,000,000 yuan)"; "250,000" -> "250,000 yuan"."""
    unit = task.known.units.get(task.lang, "")
    space, open_, close = ("", "（", "）") if task.lang == "zh" else (" ", " (", ")")
    match = _READABLE.match(value)
    if match is None:
        return f"{value}{space}{unit}"
    return f"{match['unit']}{space}{unit}{open_}{match['plain']}{space}{unit}{close}"


def answer(task: Task, brought: Sequence[Brought], stopped: str = "") -> str:
    """The final answer to the question from everything that was brought; `stopped`: why the work ended early."""
    parts = [*chapters(task, brought), *_facts(task, brought)] if task.survey else _facts(task, brought)
    if not parts:
        loose = [
            short(without_notes(each.text), ROOM) for each in brought if each.wanted is None and each.kind == "found"
        ]
        parts = loose or [say("nothing", task.lang)]
    parts += lacking(task, brought, not stopped)
    sources = _sources(task, brought)
    parts += [say("sources", task.lang, list="; ".join(sources))] if sources else []
    return "\n".join([*parts, *([say("stopped", task.lang, why=stopped)] if stopped else [])])


def body(task: Task, brought: Sequence[Brought]) -> str:
    """What was found, without a word about what was not: for a mail or a report that is sent on the way."""
    return "\n".join(chapters(task, brought) if task.survey else _facts(task, brought)).strip()


def _facts(task: Task, brought: Sequence[Brought]) -> list[str]:
    return [*concluded(task, brought), *_joined(task, brought), *_single(task, brought)]


def concluded(task: Task, brought: Sequence[Brought]) -> list[str]:
    """The sentence that answers the question, if the results hold what one needs."""
    for conclusion in task.known.conclusions:
        if all(holds(each, task, lambda wanted: told(brought, wanted)) for each in conclusion.conditions):
            return [task.fill(conclusion.say[task.lang])]
    return []


def _rows_of(task: Task, brought: Sequence[Brought], proof: str) -> dict[str, str]:
    """All rows of one kind that the results hold for the question's needs."""
    rows: dict[str, str] = {}
    for wanted in task.wanted:
        if wanted.need.proof == proof:
            for name, value in rows_in(task, wanted, texts_for(brought, wanted)):
                rows.setdefault(name, value)
    return rows


def _joined(task: Task, brought: Sequence[Brought]) -> list[str]:
    """One line a name, with everything that the tables say about it; and whether the weights are complete."""
    values, percents, names = (_rows_of(task, brought, proof) for proof in ("values", "percent", "names"))
    base = values or _as_listed(task, brought, percents) or names
    if not base:
        return []
    lines = [_line(task, name, _of(values, name), _of(percents, name), _names_of(task, names, name)) for name in base]
    head = _head(task, brought)
    whole = [] if task.names or not percents or not _short_of_whole(percents) else [say("not_whole", task.lang)]
    return [*([task.fill(head)] if head else []), *lines, *_listed_only(task, brought, base), *whole]


def _head(task: Task, brought: Sequence[Brought]) -> str:
    """The line above the table: that of the first need with one that was met, those that were worked out first."""
    ordered = sorted(task.wanted, key=lambda each: not each.expression)
    heads = (
        task.known.head[each.need.id][task.lang]
        for each in ordered
        if each.need.id in task.known.head and met(task, brought, each)
    )
    return next(heads, "")


def _as_listed(task: Task, brought: Sequence[Brought], percents: dict[str, str]) -> dict[str, str]:
    """The rows that a result also lists by name: a weight for what is left over is no answer to "which"."""
    names = [
        name for each in task.wanted if each.need.list_field for name in listed(task, each, texts_for(brought, each))
    ]
    return {name: value for name, value in percents.items() if name in names} or percents


def _line(task: Task, name: str, value: str, percent: str, names: str) -> str:
    """_line(..., "banks", "250,000", "25%", "A, B") -> "Banks: 250,000 yuan (25%): A, B" """
    zh = task.lang == "zh"
    shown = money(task, value) if value else percent
    if value and percent:
        shown += f"（{percent}）" if zh else f" ({percent})"
    colon, names = ("：", names.replace(", ", "、")) if zh else (": ", names)
    return capital(name) + "".join(colon + part for part in (shown, names) if part)


def _of(rows: dict[str, str], name: str) -> str:
    if name in rows:
        return rows[name]
    return next((value for each, value in rows.items() if same_name(each, name)), "")


def _names_of(task: Task, names: dict[str, str], name: str) -> str:
    """The list that belongs to `name`, or a word that there is none although such lists were asked for and came."""
    need = next((each.need for each in task.wanted if each.need.proof == "names"), None)
    if need is None or not names:
        return ""
    return _of(names, name) or say("no_stocks", task.lang, label=need.label[task.lang].removeprefix("the "))


def _listed_only(task: Task, brought: Sequence[Brought], base: dict[str, str]) -> list[str]:
    """Names that a result lists but has no figure for."""
    lines: list[str] = []
    for wanted in task.wanted:
        if wanted.need.list_field and not task.names:
            texts = texts_for(brought, wanted)
            rows = {name for name, _ in rows_in(task, wanted, texts)}
            extra = [
                name for name in listed(task, wanted, texts) if rows and not any(same_name(name, each) for each in base)
            ]
            lines += [say("no_row", task.lang, row=name, label=wanted.label) for name in extra]
    return lines


def _short_of_whole(percents: dict[str, str]) -> bool:
    """True when the weights do not add up to the whole: a look at the list, not a figure for the answer."""
    total = sum(each.value for value in percents.values() for each in amounts(plain(value))[:1])
    return not _WHOLE[0] <= total <= _WHOLE[1]


def _single(task: Task, brought: Sequence[Brought]) -> list[str]:
    """Needs with one value or one text each; the sides of a survey have chapters of their own."""
    lines: list[str] = []
    for wanted in (each for each in task.wanted if not (task.survey and each.need.side)):
        texts = [
            text for text in texts_for(brought, wanted) if due(task, brought, wanted) and meets(task, wanted, text)
        ]
        if texts and wanted.need.proof == "value":
            lines += _value_lines(task, wanted, value_in(texts[-1]))
        elif texts and wanted.need.proof in ("text", "amount"):
            head = headline(task, wanted.label)
            text = without_notes(texts[-1]).removeprefix(head).strip()
            lines += [head, *(side_lines(task, wanted, texts) if wanted.need.side else [short(text, ROOM)])]
    return lines


def _value_lines(task: Task, wanted: Wanted, value: str) -> list[str]:
    colon = "：" if task.lang == "zh" else ": "
    lines = [
        f"{capital(wanted.label)}{colon}{money(task, value)}（{wanted.expression}）"
        if task.lang == "zh"
        else f"{capital(wanted.label)}{colon}{money(task, value)}, from {wanted.expression}"
    ]
    stated = task.given.get(wanted.need.check, "")
    worked = amounts(plain(value))
    if stated and worked and amounts(stated)[0].value != worked[0].value:
        lines.append(say("differs", task.lang, stated=task.shown[wanted.need.check], worked=value))
    return lines


def _sources(task: Task, brought: Sequence[Brought]) -> list[str]:
    """Title and date of every entry that an answer was taken from; where that is none on its own, of the first."""
    if task.survey:
        return []
    used = [(wanted, text) for wanted in task.wanted for text in texts_for(brought, wanted)]
    heads = [head for wanted, text in used if meets(task, wanted, text) for head in _heads(task, wanted, text)]
    return list(dict.fromkeys(f"{head['title']} ({head['date']})" for head in heads))


def _heads(task: Task, wanted: Wanted, text: str) -> list[re.Match[str]]:
    heads = list(_HEADING.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)] * bool(heads)
    alone = [head for head, end in zip(heads, ends, strict=True) if meets(task, wanted, text[head.start() : end])]
    return alone or heads[:1]
