"""Which service the local server imitates, as data (`data/serve/profiles.json`).

These profiles are the other side of those in `models/profiles.py`: not how a service wants to be asked, but what it
checks and how it answers. A profile that is `like` another one states only the differences.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

from planexec.paths import data_path


@dataclass(frozen=True, slots=True)
class ServiceProfile:
    """One service. `lineage`: its own name and those it is like, the nearest first. Sizes are in tokens."""

    name: str
    lineage: tuple[str, ...]
    models: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)  # accepted name -> the name that answers
    thinking: str = "no"  # "switch" (the body says; on by default), "by model", or "no"
    thinks: tuple[str, ...] = ()  # the models that think, where the model decides
    max_output: int = 1_000_000
    default_output: Mapping[str, int] = field(default_factory=dict)  # "thinking" and "plain": when nothing is asked
    context_tokens: int = 1_000_000
    most_stop: int = 4
    most_tools: int = 128
    blank_unless_json: bool = False  # JSON mode answers with blanks where the model wrote no JSON object
    body_keys: tuple[str, ...] = ()  # all that a request may hold; () = unknown keys are ignored
    rules: Mapping[str, bool] = field(default_factory=dict)  # in order of checking; False = off unless asked for

    @property
    def family(self) -> str:
        """The service, whatever its era: "deepseek" for "deepseek-2025"."""
        return self.lineage[-1]


def names() -> tuple[str, ...]:
    """The profiles that ship, in the order of the file."""
    return tuple(_table())


def named(name: str) -> ServiceProfile:
    """named("openai").thinking -> "no"; an unknown name is a ValueError that lists the known ones."""
    if name not in _table():
        raise ValueError(f"no service profile is named {name!r}; there are {', '.join(_table())}")
    return _table()[name]


@cache
def _table() -> dict[str, ServiceProfile]:
    stored = json.loads(data_path("serve", "profiles.json").read_text(encoding="utf-8"))["profiles"]
    return {name: _made(name, stored) for name in stored}


def _made(name: str, stored: Mapping[str, Any]) -> ServiceProfile:
    lineage, entry = [name], dict(stored[name])
    while like := entry.pop("like", None):
        lineage.append(like)
        entry = {**stored[like], **entry}
    entry["rules"] = {rule.removesuffix("?"): not rule.endswith("?") for rule in entry["rules"]}
    lists = {key: tuple(value) for key, value in entry.items() if isinstance(value, list)}
    known = {each.name for each in fields(ServiceProfile)}
    if unknown := sorted(set(entry) - known):
        raise ValueError(f"data/serve/profiles.json: {name} has unknown fields {', '.join(unknown)}")
    return ServiceProfile(name=name, lineage=tuple(lineage), **(entry | lists))
