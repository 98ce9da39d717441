"""What the conversation has brought so far: which result belongs to which need, and whether it meets it.

Everything here is read from texts: results of earlier steps, tool messages, calls. A need counts as met when a result
holds what its `proof` asks for; a result that was found but holds something else does not meet it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from planexec.models.policy.amounts import amounts, plain
from planexec.models.policy.hands import ToolView, choose
from planexec.models.policy.knowledge import LANGUAGES, Condition, Known
from planexec.models.policy.reading import READ, Seen, kind_of, language
from planexec.models.policy.tables import ITEMS, Row, read_tables, same_name
from planexec.models.policy.tasks import EVERYONE, Task, Wanted, by_words

KIND_OF_STATUS = {
    "done": "found", "found": "found", "ok": "found", "complete": "found", "completed": "found",
    "no_data": "empty", "empty": "empty", "failed": "failed", "error": "failed", "blocked": "blocked",
    "open": "open", "refused": "refused",
}  # fmt: skip
_UNTRIED = re.compile(r"\bnothing was tried\b|没有尝试", re.IGNORECASE)  # a result that tells of no look-up at all


@dataclass(frozen=True, slots=True)
class Brought:
    """One result. `wanted`: what it was for (None: unknown); `asked`: the words of the call ("" for a step); `extra`:
    it was looked up although the answer was in hand, or because a word struck the eye."""

    wanted: Wanted | None
    kind: str
    text: str
    asked: str
    extra: bool = False


def of_results(task: Task, results: Iterable[Mapping[str, Any]]) -> tuple[Brought, ...]:
    """The results of steps, as an executor's, a replanner's or a reporter's data lists them."""
    return tuple(_of_result(task, each) for each in results)


def _of_result(task: Task, result: Mapping[str, Any]) -> Brought:
    goal, text = str(result.get("goal", "")), str(result.get("result") or "")[:READ]
    status = str(result.get("status", ""))
    said = kind_of(text) if text.strip() and not _UNTRIED.search(text) else ""
    kind = "unclear" if said == "unclear" else KIND_OF_STATUS.get(status) or said or status
    return Brought(for_goal(task, goal), kind, text, "")


def of_calls(
    task: Task, seen: Iterable[Seen], scope: tuple[Wanted, ...], tools: Sequence[ToolView]
) -> tuple[Brought, ...]:
    """The calls of this conversation and what they brought; in a step about one need, whatever was asked was for it."""
    return tuple(_of_call(task, each, scope, tools) for each in seen)


def _of_call(task: Task, seen: Seen, scope: tuple[Wanted, ...], tools: Sequence[ToolView]) -> Brought:
    looked_up = [
        each for each in task.wanted if each.need.args and choose(task.known.tools[each.need.tool], tools) is not None
    ]
    fitting = [each for each in looked_up if _made_for(task, each, seen, tools)]
    if fitting:
        return Brought(fitting[0], seen.kind, seen.text, ", ".join(map(str, seen.args.values())))
    asked = asked_with(seen.args)
    wanted, extra = _for_words(task, asked)
    if len(scope) == 1 and not extra:
        wanted = scope[0]
    return Brought(wanted, seen.kind, seen.text, asked, extra)


def _made_for(task: Task, wanted: Wanted, seen: Seen, tools: Sequence[ToolView]) -> bool:
    """The call used the tool that brings `wanted`, with what the question gives for it as arguments."""
    tool = choose(task.known.tools[wanted.need.tool], tools)
    if tool is None or tool.name != seen.name:
        return False
    slots = {said[1:-1] for by_lang in wanted.need.args.values() for said in by_lang.values()} & task.shown.keys()
    fixed = [wanted.name, *(task.shown[slot] for slot in slots)]
    used = {_norm(str(value)) for value in seen.args.values()}
    return all(_norm(each) in used for each in fixed if each)


def asked_with(args: Mapping[str, Any]) -> str:
    """asked_with({"query": "market value", "count": 5}) -> "market value": the longest text among the arguments."""
    return max((value for value in args.values() if isinstance(value, str)), key=len, default="")


@lru_cache(maxsize=8_192)
def for_goal(task: Task, goal: str) -> Wanted | None:
    """What the goal of a step is after: the need with these very words, else the one whose words it holds most of."""
    exact = next((each for each in task.wanted if each.goal == goal), None)
    return exact or by_words(task, goal)


@lru_cache(maxsize=8_192)
def _for_words(task: Task, asked: str) -> tuple[Wanted | None, bool]:
    """What a call with these words was for, and whether it was one that no need asked for."""
    words = _norm(asked)
    for each in task.wanted:
        if any(pattern.fullmatch(words) for pattern in _patterns(task, each, False)):
            return each, False
    if words in _aside(task.known):
        return None, True
    for each in task.wanted:
        if any(pattern.fullmatch(words) for pattern in _patterns(task, each, True)):
            return each, True
    return by_words(task, asked), False


@lru_cache(maxsize=64)
def _aside(known: Known) -> frozenset[str]:
    """The searches that belong to no need: the overview of a topic, and what striking words lead to."""
    texts = [known.overview, *(lead.ask for lead in known.leads)]
    return frozenset(_norm(text) for by_lang in texts for wordings in by_lang.values() for text in wordings)


@lru_cache(maxsize=4_096)
def _patterns(task: Task, wanted: Wanted, more: bool) -> tuple[re.Pattern[str], ...]:
    """The ways to ask for `wanted`, or to ask for more about it, as patterns: any names may stand in the blanks."""
    texts = wanted.need.more if more else wanted.need.ask
    filled = [task.fill(text, wanted.name, (), lang) for lang in LANGUAGES for text in texts.get(lang, ())]
    if wanted.expression and not more:
        filled.append(wanted.expression)
    return tuple(_pattern(text, bool(wanted.expression)) for text in filled)


def _pattern(text: str, expression: bool) -> re.Pattern[str]:
    escaped = re.escape(_norm(text))
    for blank in (EVERYONE, "{each}"):
        escaped = escaped.replace(re.escape(blank), ".+")
    return re.compile(re.sub(r"x$", r"(?:x|[\\d.]+%?)", escaped) if expression else escaped)


@lru_cache(maxsize=8_192)
def _norm(text: str) -> str:
    return "".join(plain(text).lower().split())


# ------------------------------------------------------------------------------------------------ is it there?


@lru_cache(maxsize=16_384)
def meets(task: Task, wanted: Wanted, text: str) -> bool:
    """Whether a found text holds what `wanted` is after."""
    proof = wanted.need.proof
    if proof == "text":
        return bool(text.strip())
    if proof == "value":
        return value_in(text) != ""
    if proof == "amount":
        return any(pattern.search(text) for pattern in wanted.need.words.values()) and bool(amounts(plain(text)))
    rows = rows_in(task, wanted, (text,))
    return bool(rows) or (proof == "values" and value_in(text) != "")


@lru_cache(maxsize=4_096)
def rows_in(task: Task, wanted: Wanted, texts: tuple[str, ...]) -> tuple[Row, ...]:
    """The rows that `wanted` is after in these texts; lists of names from several tables add up, first ones win."""
    kind = {"percent": "percent", "values": "values", "names": "names"}.get(wanted.need.proof, "")
    tables = [table for text in texts for table in read_tables(text) if table.kind == kind]
    titled = [table for table in tables if wanted.need.table and wanted.need.table.search(table.title)]
    if kind == "percent":
        tables = (titled or tables)[:1]
    elif kind == "names":
        tables = titled or tables
    rows: dict[str, str] = {}
    for table in tables:
        for name, value in table.rows:
            if _asked_for(task, wanted, name):
                rows.setdefault(name, value)
    return tuple(rows.items())


def _asked_for(task: Task, wanted: Wanted, name: str) -> bool:
    names = (wanted.name,) if wanted.name else task.names
    return not names or any(same_name(each, name) for each in names)


@lru_cache(maxsize=4_096)
def read_in(wanted: Wanted, name: str, texts: tuple[str, ...]) -> str:
    """What the results for `wanted` say under this name, several things joined by commas; "" when they do not."""
    by_lang = wanted.need.reads.get(name, {})
    read = ((by_lang.get(language(text)), plain(text)) for text in texts)
    found = (match["value"] for pattern, text in read if pattern for match in pattern.finditer(text))
    return ", ".join(dict.fromkeys(value.strip() for value in found))


def holds(condition: Condition, task: Task, texts_of: Callable[[Wanted], tuple[str, ...]]) -> bool:
    """Whether a result for the condition's need says what it asks for."""
    texts = [text for each in task.wanted if each.need.id == condition.need for text in texts_of(each)]
    return any(pattern.search(plain(text)) for text in texts for pattern in condition.words.values())


_VALUE = re.compile(r"=\s*(?P<value>[+-]?\d[^=\n]*?)\s*(?:[。;]|$)", re.MULTILINE)


@lru_cache(maxsize=4_096)
def value_in(text: str) -> str:
    """value_in("800bn * 25% = 200 bn (200,000,000,000)") -> "200 bn (200,000,000,000)"; "" when there is none."""
    match = _VALUE.search(text)
    if match:
        return match["value"].rstrip(" .")
    bare = text.strip()
    return bare if re.fullmatch(r"[+-]?\d[\d,]*(?:\.\d+)?", bare) else ""


@lru_cache(maxsize=4_096)
def listed(task: Task, wanted: Wanted, texts: tuple[str, ...]) -> tuple[str, ...]:
    """The names that a result lists for `wanted`: those of the list it is known to carry, or else of its table."""
    for table in (table for text in texts for table in read_tables(text) if table.kind == "names"):
        for name, value in table.rows:
            if wanted.need.list_field and (wanted.need.list_field in name.lower() or _is_label(wanted, name)):
                return tuple(item for item in ITEMS.split(value) if item)
    return tuple(name for name, _ in rows_in(task, wanted, texts))


def _is_label(wanted: Wanted, name: str) -> bool:
    return any(pattern.search(name) for pattern in wanted.need.words.values())
