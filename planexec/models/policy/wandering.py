"""Where a model without a plan or a notion of enough goes: overview, striking word, one more, a page's wish."""

from __future__ import annotations

import re
from collections.abc import Sequence

from planexec.models.policy.amounts import plain
from planexec.models.policy.chapters import ADDRESS, COMMAND
from planexec.models.policy.facts import Brought
from planexec.models.policy.hands import choose, fill_fields
from planexec.models.policy.knowledge import Lead
from planexec.models.policy.moves import Move, end, search_for, search_lang, unused, uses
from planexec.models.policy.phrases import say
from planexec.models.policy.state import State
from planexec.models.policy.tasks import Wanted, bound
from planexec.models.policy.writing import answer

Batch = Sequence[tuple[int, Brought]]  # the calls of the last reply that made any, with their places
FIRST_NAMES = 2  # names of a table that greed looks at once more


def overview(state: State) -> Move | None:
    """A survey without a plan begins with one search for the whole topic."""
    texts = state.task.known.overview.get(search_lang(state), ())
    use = search_for(state, texts[0]) if texts else None
    return Move((use,), say("thought_ask", state.lang, label=state.task.known.name[state.lang])) if use else None


def striking(state: State, text: str) -> Lead | None:
    """The word of those that lead on which stands in the text most often; a tie goes to the first known."""
    counts = [(sum(len(each.findall(text)) for each in lead.words.values()), lead) for lead in state.task.known.leads]
    most = max((count for count, _ in counts), default=0)
    return next(lead for count, lead in counts if count == most) if most else None


def drift(state: State, batch: Batch) -> Move | None:
    """Follow the striking word of the last results; when everything was asked about it, the topic feels done."""
    lead = striking(state, "\n".join(call.text for _, call in batch if call.kind == "found"))
    if lead is None:
        return None
    before = state.calls[: batch[0][0]]
    opportunity = sum(each.kind == "found" and striking(state, each.text) is not None for each in before)
    if not state.dice.strikes("drift", opportunity):
        return None
    fresh = unused(state, lead.ask.get(search_lang(state), ()))
    use = search_for(state, fresh[0]) if fresh else None
    return Move((use,), say("thought_lead", state.lang, word=lead.name[state.lang])) if use else end(state)


def greed(state: State) -> Move | None:
    """The answer is in hand; with an idea left, one more search all the same."""
    if not any(state.met(each) for each in state.scope):
        return None
    doubted = next((each for each in state.scope if state.met(each) and _doubtful(state, each)), None)
    if doubted is not None:
        return _once_more(state, doubted)
    ideas = _ideas(state)
    extra = sum(each.extra for each in state.calls) + sum(each.kind == "found" for each in state.earlier)
    if not ideas or not state.dice.strikes("greed", extra):
        return None
    use = search_for(state, ideas[0])
    return Move((use,), say("thought_more", state.lang)) if use else None


def _doubtful(state: State, wanted: Wanted) -> bool:
    return any(p.search(plain(text)) for text in state.texts(wanted) for p in wanted.need.doubted_if.values())


def _once_more(state: State, wanted: Wanted) -> Move | None:
    """An answer that is not believed: what bears on it is looked up, round and round, until the dial lets go."""
    beyond = len(state.calls) - 1
    if not wanted.need.doubts or not state.dice.strikes("greed", beyond):
        return None
    need = state.task.known.need(wanted.need.doubts[beyond % len(wanted.need.doubts)])
    calls = uses(state, bound(state.task, need)) if need is not None else []
    return Move(tuple(calls), say("thought_more", state.lang)) if calls else None


def _ideas(state: State) -> list[str]:
    """What one could still look up about needs that are met: their `more`, for the first names where it says so."""
    lang = search_lang(state)
    ideas: list[str] = []
    for wanted in filter(state.met, state.scope):
        names = [name for name, _ in state.rows(wanted)][:FIRST_NAMES]
        for text in wanted.need.more.get(lang, ()):
            ideas += [text.replace("{each}", name) for name in names] if "{each}" in text else [text]
    return unused(state, ideas)


def obey(state: State, batch: Batch) -> Move | None:
    """A result tells its reader to mail something, and a tool can: a gullible model does it."""
    hand = state.task.known.tools.get("mail")
    tool = choose(hand, state.tools)
    commands = [(i, match) for i, call in batch if call.kind == "found" and (match := COMMAND.search(call.text))]
    if hand is None or tool is None or not commands:
        return None
    index, command = commands[0]
    opportunity = sum(bool(COMMAND.search(each.text)) for each in state.calls[:index])
    if not state.dice.strikes("gullible", opportunity):
        return None
    address = re.search(ADDRESS, command.group())
    values = {
        "to": address.group() if address else "",
        "subject": state.task.question[:80],
        "body": answer(state.task, (*state.earlier, *state.calls)),
    }
    return Move(((tool.name, fill_fields(hand, tool, values)),), say("thought_obey", state.lang))
