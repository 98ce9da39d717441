"""The refusal list: which rules there are, which of them are on, and the first one that a request breaks.

The order is the profile's: who you are, what you have left, whether the body can be read, whether it makes sense,
whether the conversation is whole, whether there is room right now. That order is our inference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from planexec.serve import bocha
from planexec.serve import rules_form as form
from planexec.serve import rules_sense as sense
from planexec.serve import rules_talk as talk
from planexec.serve.asked import Asked
from planexec.serve.profiles import ServiceProfile
from planexec.serve.refusal import Refusal, refusal

RULES: dict[str, Callable[[Asked], form.Complaints]] = {
    "auth": form.auth,
    "balance": form.balance,
    "json": form.json_syntax,
    "types": form.types,
    "messages": form.messages,
    "model": form.model,
    "unknown_keys": sense.unknown_keys,
    "tools": form.tools,
    "tool_calls": form.tool_calls,
    "tool_choice": sense.tool_choice,
    "reasoner": sense.reasoner,
    "json_mode": sense.json_mode,
    "max_tokens": sense.max_tokens,
    "stream_options": sense.stream_options,
    "parameters": sense.parameters,
    "pairing": talk.pairing,
    "ids": talk.ids,
    "reasoning": talk.reasoning,
    "reasoning_without_tools": talk.reasoning_without_tools,
    "reasoning_every_turn": talk.reasoning_every_turn,
    "reasoning_sent": talk.reasoning_sent,
    "context": sense.context,
    "query": bocha.query,
    "search_parameters": bocha.search_parameters,
    "concurrency": sense.concurrency,
}


def switched(profile: ServiceProfile, changes: Mapping[str, bool]) -> dict[str, bool]:
    """The profile's rules, in order, with some switched: {"auth": True, ...}. ValueError for a name no rule has."""
    if unknown := sorted(set(changes) - set(RULES)):
        raise ValueError(f"no rule is named {', '.join(unknown)}; there are {', '.join(RULES)}")
    return {name: changes.get(name, on) for name, on in profile.rules.items()}


def first_refusal(asked: Asked, on: Mapping[str, bool]) -> Refusal | None:
    """What the service would answer instead of letting the model speak; None when it has nothing against it."""
    for name in (name for name, active in on.items() if active):
        for case, words in RULES[name](asked):
            return refusal(asked.profile, case, **words)
    return None


def about(name: str) -> str:
    """about("ids") -> "an id of more than 40 characters": what the rule refuses, in one line."""
    return " ".join((RULES[name].__doc__ or "").split())
