"""The next move in a conversation with tools: which calls, or the end.

In this order: what a page asks for (`gullible`), what to do after nothing or a failure (`heed`, `amnesia`,
`stubborn`, `panic`), the next need (`drift`), one more although all is there (`greed`), and else the end.
"""

from __future__ import annotations

from planexec.models.policy.facts import Brought, meets
from planexec.models.policy.hands import ToolUse, fill
from planexec.models.policy.moves import Move, end, unused, uses
from planexec.models.policy.phrases import say
from planexec.models.policy.state import State
from planexec.models.policy.wandering import Batch, drift, greed, obey, overview

MOST_CALLS = 8  # in one reply


def next_move(state: State) -> Move:
    """What to do now."""
    batch = _last_batch(state)
    obeyed = obey(state, batch)
    if obeyed:
        return obeyed
    trouble = next(((index, call) for index, call in batch if not _useful(state, call)), None)
    if trouble is not None:
        move = _after_failure(state, *trouble) if trouble[1].kind == "failed" else _after_nothing(state, *trouble)
        if move is not None:
            return move
    rules = state.rules
    if rules.calls and len(state.calls) >= rules.calls and state.dice.strikes("heed", len(state.calls) - rules.calls):
        return end(state)
    return _go_on(state, batch)


def _last_batch(state: State) -> Batch:
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
    """An empty result, or one that holds something else: obey a stop rule, reword, repeat, or (None) let it be.

    What can be worded differently is; the very same call is made again only where it cannot, or by a model that is
    not stubborn. When every wording was tried, it is over.
    """
    if call.kind in ("refused", "unclear"):
        return None
    empties = [each for each in state.calls[state.since : index + 1] if each.kind == "empty"]
    limit = state.rules.empty
    if limit and len(empties) >= limit and state.dice.strikes("heed", len(empties) - limit):
        return None
    fresh = _fresh_wording(state, call)
    opportunity = sum(not _useful(state, each) for each in state.calls[:index])
    opportunity += sum(each.kind == "empty" for each in state.earlier)
    if fresh and state.dice.strikes("stubborn", opportunity):
        return Move((fresh,), say("thought_again", state.lang))
    searched = call.wanted is not None and bool(call.wanted.need.ask)
    if (fresh or not searched) and state.dice.strikes("amnesia", state.setbacks(index)):
        return _same_again(state, index, "thought_same")
    return None


def _after_failure(state: State, index: int, call: Brought) -> Move | None:
    """The same once more, from the start again, or (None) go on without it."""
    follows = state.after_failure(index)
    if follows == "again":
        return _same_again(state, index, "thought_same")
    first = next((use for wanted in state.scope if (use := uses(state, wanted))), None) if follows else None
    return Move(tuple(first), say("thought_over", state.lang)) if first else None


def _same_again(state: State, index: int, thought: str) -> Move:
    seen = state.seen[index]
    return Move(((seen.name, dict(seen.args)),), say(thought, state.lang))


def _fresh_wording(state: State, call: Brought) -> ToolUse | None:
    """The next way to ask for the same thing that was not used yet."""
    if call.wanted is None or call.extra or call.wanted.expression:
        return None
    tool = state.tool_for(call.wanted)
    if tool is None:
        return None
    fresh = unused(state, state.task.queries(call.wanted, tool.lang, state.names(call.wanted)))
    return (tool.name, fill(state.task.known.tools[call.wanted.need.tool], tool, fresh[0])) if fresh else None


# ------------------------------------------------------------------------------------------------ the next need


def _go_on(state: State, batch: Batch) -> Move:
    """The next open need; with nothing open, a little more (greed) or the end."""
    survey = sum(each.need.side for each in state.scope) > 1
    if survey and not state.calls:
        return overview(state) or _ask_next(state) or end(state)
    if survey and any(each.need.side for each in state.open):
        drifted = drift(state, batch)
        if drifted is not None:
            return drifted
    return _ask_next(state) or greed(state) or end(state)


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
