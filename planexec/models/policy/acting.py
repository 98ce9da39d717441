"""The next move in a conversation with tools: which calls, or the end.

In this order: what a page asks for (`gullible`), what to do after nothing or a failure (`heed`, `amnesia`,
`stubborn`, `panic`), the next need (`drift`), one more although all is there (`greed`), and else the end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from planexec.models.policy.amounts import plain
from planexec.models.policy.facts import Brought, meets
from planexec.models.policy.hands import ToolUse, ToolView, choose, fill, table_argument
from planexec.models.policy.knowledge import Hand, Lead
from planexec.models.policy.phrases import say
from planexec.models.policy.reading import Seen
from planexec.models.policy.state import State
from planexec.models.policy.tasks import Wanted

MOST_CALLS = 8  # in one reply


@dataclass(frozen=True, slots=True)
class Move:
    """Calls to make, or none: then the conversation ends in words. `thought`: the reasoning that is shown."""

    calls: tuple[ToolUse, ...]
    thought: str


END: tuple[ToolUse, ...] = ()


def next_move(state: State) -> Move:
    """What to do now."""
    batch = _last_batch(state)
    obeyed = _obey(state, batch)
    if obeyed:
        return obeyed
    trouble = next(((index, call) for index, call in batch if not _useful(state, call)), None)
    if trouble is not None:
        move = _after_failure(state, *trouble) if trouble[1].kind == "failed" else _after_nothing(state, *trouble)
        if move is not None:
            return move
    rules = state.rules
    if rules.calls and len(state.calls) >= rules.calls and state.dice.strikes("heed", len(state.calls) - rules.calls):
        return _end(state)
    return _go_on(state, batch)


def _end(state: State) -> Move:
    return Move(END, say("thought_say", state.lang))


def _last_batch(state: State) -> list[tuple[int, Brought]]:
    """The calls of the last assistant message that made any, with their places."""
    seen = state.seen
    last = max((each.turn for each in seen), default=0)
    return [(i, call) for i, (each, call) in enumerate(zip(seen, state.calls, strict=True)) if each.turn == last]


def _useful(state: State, call: Brought) -> bool:
    """It was found, and holds what it was asked for (if that is known)."""
    if call.kind not in ("found", ""):
        return False
    return call.wanted is None or call.extra or meets(state.task, call.wanted, call.text) or state.met(call.wanted)


# ------------------------------------------------------------------------------------------------ after a setback


def _after_nothing(state: State, index: int, call: Brought) -> Move | None:
    """An empty result, or one that holds something else: obey a stop rule, repeat, reword, or (None) let it be."""
    if call.kind == "refused":
        return None
    empties = [each for each in state.calls[state.since : index + 1] if each.kind == "empty"]
    limit = state.rules.empty
    if limit and len(empties) >= limit and state.dice.strikes("heed", len(empties) - limit):
        return None
    if state.dice.strikes("amnesia", state.setbacks(index)):
        return _same_again(state, index, "thought_same")
    fresh = _fresh_wording(state, call)
    opportunity = sum(not _useful(state, each) for each in state.calls[:index])
    opportunity += sum(each.kind == "empty" for each in state.earlier)
    if fresh and state.dice.strikes("stubborn", opportunity):
        return Move((fresh,), say("thought_again", state.lang))
    return None


def _after_failure(state: State, index: int, call: Brought) -> Move | None:
    """The same once more, from the start again, or (None) go on without it."""
    if state.dice.strikes("amnesia", state.setbacks(index)):
        return _same_again(state, index, "thought_same")
    failures = sum(each.kind == "failed" for each in state.calls[:index])
    first = next((use for wanted in state.scope if (use := uses(state, wanted))), None)
    if first and state.dice.strikes("panic", failures):
        return Move(tuple(first), say("thought_over", state.lang))
    return None


def _same_again(state: State, index: int, thought: str) -> Move:
    seen: Seen = state.seen[index]
    return Move(((seen.name, dict(seen.args)),), say(thought, state.lang))


def _fresh_wording(state: State, call: Brought) -> ToolUse | None:
    """The next way to ask for the same thing that was not used yet."""
    if call.wanted is None or call.extra or call.wanted.expression:
        return None
    tool = state.tool_for(call.wanted)
    if tool is None:
        return None
    used = {_bare(each.asked) for each in state.calls}
    for text in state.task.wordings(call.wanted, tool.lang, state.names(call.wanted)):
        if _bare(text) not in used:
            return tool.name, fill(state.task.known.tools[call.wanted.need.tool], tool, text)
    return None


def _bare(text: str) -> str:
    return "".join(plain(text).lower().split())


# ------------------------------------------------------------------------------------------------ the next need


def _go_on(state: State, batch: Sequence[tuple[int, Brought]]) -> Move:
    """The next open need; with nothing open, a little more (greed) or the end."""
    survey = state.task.survey and len(state.scope) > 1
    if survey and not state.calls:
        return _overview(state) or _ask_next(state) or _end(state)
    if survey and state.open:
        drifted = _drift(state, batch)
        if drifted is not None:
            return drifted
    return _ask_next(state) or _greed(state) or _end(state)


def _ask_next(state: State) -> Move | None:
    """Calls for the first open need that can be asked for; needs that belong together go into one reply."""
    for wanted in state.open:
        first = uses(state, wanted) if state.ready(wanted) else ()
        if not first:
            continue
        together = [each for each in state.open if wanted.need.together and each.need is wanted.need]
        calls = [use for each in together or [wanted] for use in uses(state, each)]
        thought = "thought_work" if wanted.expression else "thought_ask"
        return Move(tuple(calls[:MOST_CALLS]), say(thought, state.lang, label=wanted.label))
    return None


def uses(state: State, wanted: Wanted) -> list[ToolUse]:
    """The call that brings `wanted`; several where a calculator takes one value at a time; [] when no tool fits."""
    tool = state.tool_for(wanted)
    if tool is None:
        return []
    hand = state.task.known.tools[wanted.need.tool]
    if not wanted.expression:
        texts = state.task.wordings(wanted, tool.lang, state.names(wanted))
        return [(tool.name, fill(hand, tool, texts[0]))] if texts else []
    if "x" not in wanted.expression.split():
        return [(tool.name, fill(hand, tool, wanted.expression))]
    rows = {name: value for each in state.task.waits(wanted) for name, value in state.rows(each)}
    if not rows:
        return []
    if table_argument(hand, tool):
        return [(tool.name, fill(hand, tool, wanted.expression, rows))]
    return [(tool.name, fill(hand, tool, re.sub(r"\bx\b", value, wanted.expression))) for value in rows.values()]


def _search(state: State, text: str) -> ToolUse | None:
    hand, tool = _search_hand(state)
    return (tool.name, fill(hand, tool, text)) if hand is not None and tool is not None else None


def _search_hand(state: State) -> tuple[Hand | None, ToolView | None]:
    hand = state.task.known.tools.get("search")
    return hand, choose(hand, state.tools)


# ------------------------------------------------------------------------------------------------ drift and greed


def _overview(state: State) -> Move | None:
    """A survey without a plan begins with one search for the whole topic."""
    _, tool = _search_hand(state)
    texts = state.task.known.overview.get(tool.lang if tool else state.lang, ())
    use = _search(state, texts[0]) if texts else None
    return Move((use,), say("thought_ask", state.lang, label=state.task.known.name[state.lang])) if use else None


def striking(state: State, text: str) -> Lead | None:
    """The word of those that lead on which stands in the text most often; a tie goes to the first known."""
    counts = [(sum(len(each.findall(text)) for each in lead.words.values()), lead) for lead in state.task.known.leads]
    most = max((count for count, _ in counts), default=0)
    return next(lead for count, lead in counts if count == most) if most else None


def _drift(state: State, batch: Sequence[tuple[int, Brought]]) -> Move | None:
    """Follow the striking word of the last results; when all is asked about it, the topic feels done."""
    text = "\n".join(call.text for _, call in batch if call.kind == "found")
    lead = striking(state, text)
    if lead is None:
        return None
    before = state.calls[: batch[0][0]]
    opportunity = sum(each.kind == "found" and striking(state, each.text) is not None for each in before)
    if not state.dice.strikes("drift", opportunity):
        return None
    _, tool = _search_hand(state)
    used = {_bare(each.asked) for each in state.calls}
    fresh = [each for each in lead.ask.get(tool.lang if tool else state.lang, ()) if _bare(each) not in used]
    use = _search(state, fresh[0]) if fresh else None
    if use is None:
        return _end(state)
    return Move((use,), say("thought_lead", state.lang, word=lead.name[state.lang]))


def _greed(state: State) -> Move | None:
    """The answer is in hand; with an idea left, one more search all the same."""
    if not any(state.met(each) for each in state.scope):
        return None
    ideas = _ideas(state)
    extra = sum(each.extra for each in state.calls) + sum(each.kind == "found" for each in state.earlier)
    if not ideas or not state.dice.strikes("greed", extra):
        return None
    use = _search(state, ideas[0])
    return Move((use,), say("thought_more", state.lang)) if use else None


def _ideas(state: State) -> list[str]:
    """What one could still look up about needs that are met: their `more`, for the first two names where it says so."""
    _, tool = _search_hand(state)
    lang = tool.lang if tool else state.lang
    used = {_bare(each.asked) for each in state.calls}
    ideas: list[str] = []
    for wanted in state.scope:
        if not state.met(wanted):
            continue
        names = [name for name, _ in state.rows(wanted)][:2]
        for text in wanted.need.more.get(lang, ()):
            ideas += [text.replace("{each}", name) for name in names] if "{each}" in text else [text]
    return [each for each in ideas if _bare(each) not in used]


# ------------------------------------------------------------------------------------------------ a page that commands

_COMMAND = re.compile(
    r"\b(?:send|forward|mail|e-mail|email)\b[^.\n]{0,120}?[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?:发送|转发|发邮件|寄)[^。\n]{0,60}?[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_MAIL_TOOL = re.compile(r"mail|邮件", re.IGNORECASE)
_BODY = re.compile(r"body|text|content|message|正文|内容", re.IGNORECASE)
_TO = re.compile(r"^to$|recipient|address|收件", re.IGNORECASE)


def _obey(state: State, batch: Sequence[tuple[int, Brought]]) -> Move | None:
    """A result tells its reader to mail something, and a tool can: a gullible model does it (once a page)."""
    commands = [(i, match) for i, call in batch if call.kind == "found" and (match := _COMMAND.search(call.text))]
    tool = next((each for each in state.tools if _MAIL_TOOL.search(each.name)), None)
    if not commands or tool is None:
        return None
    index, command = commands[0]
    opportunity = sum(bool(_COMMAND.search(each.text)) for each in state.calls[:index])
    if not state.dice.strikes("gullible", opportunity):
        return None
    address = _ADDRESS.search(command.group())
    to = address.group() if address else ""
    args = {
        name: to if _TO.search(name) else state.calls[index].text[:500] if _BODY.search(name) else state.task.question
        for name in tool.arguments
    }
    return Move(((tool.name, args),), say("thought_obey", state.lang))
