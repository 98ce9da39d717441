"""Profiles: how each kind of service wants to be asked, as data (`data/profiles.json`).

Every service speaks chat-completions, and each refuses something the others demand. A profile says what, so that no
other line of code knows a provider. It is guessed from the base URL; name another, or give a dict of changes:
`OpenAIModel("m", "http://host/v1", profile={"like": "deepseek", "key": "MY_KEY"})`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from planexec.paths import data_path

LOOPBACK = ("localhost", "::1")


@dataclass(frozen=True, slots=True)
class Profile:
    """The defaults are `plain`: what a careful client sends to a service it knows nothing about."""

    name: str = "plain"
    base_url: str = ""
    hosts: tuple[str, ...] = ()  # "api.example.com", or ":11434" for that port on this machine: what it is guessed from
    models: tuple[str, ...] = ()  # beginnings of model names: what it is guessed from when no base URL is given
    key: str = "PLANEXEC_API_KEY"  # the environment variable that holds the key
    needs_key: bool = False
    thinking: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # body fields for "on" and for "off"
    thinking_needs_stream: bool = False
    unopened_thoughts: bool = False  # thoughts may come without an opening tag: show no text before it is complete
    reasoning: str = "keep"  # thoughts in earlier messages: "keep", "drop", "require" beside calls, or "require all"
    empty_reasoning: str = ""  # what stands for thoughts that a message lacks, where they are required
    tool_choice_none: bool = True  # False: tools are left out instead
    forced_choice: str = "yes"  # "yes", "no" (left to the model), "without thinking" (thinking is switched off)
    native_tools: bool = True  # False: tools are described in words and answered as one JSON action under a schema
    remind: bool = True  # after each result of a JSON action: "if this answers the question, give the answer"
    json_mode: str = "schema"  # "schema", "object", or "no"
    json_while_thinking: bool = True
    null_content: bool = False  # False: "" is sent where a message has no content
    list_content: bool = False  # False: an assistant's list of content parts is sent back as plain text
    unknown_keys: bool = True  # False: only keys of the published format are sent back
    one_call_per_message: bool = False
    id_pattern: str = ""  # ids of tool calls that do not fit are replaced, in the call and in its answer
    max_tokens: str = "max_tokens"  # the name of the cap on one reply
    max_output_tokens: int | None = None
    max_tools: int = 128
    stream_usage: bool = True  # False: the service refuses `stream_options`
    free: bool = False  # a token costs nothing: the machine is the learner's own


def names() -> tuple[str, ...]:
    """The profiles that ship, in the order of the file."""
    return tuple(_table())


def named(name: str) -> Profile:
    """named("ollama").free -> True; an unknown name is a ValueError that lists the known ones."""
    table = _table()
    if name not in table:
        raise ValueError(f"no profile is named {name!r}; there are {', '.join(table)}")
    return table[name]


def guess(base_url: str | None, model: str = "") -> Profile:
    """guess("http://127.0.0.1:11434/v1") -> ollama. Without an address the model's name decides; else plain."""
    for profile in _table().values():
        if base_url is None and profile.models and model.startswith(profile.models):
            return profile
        if base_url is not None and any(_is_at(base_url, host) for host in profile.hosts):
            return profile
    return named("plain")


def choose(wish: str | Mapping[str, Any] | Profile | None, base_url: str | None, model: str = "") -> Profile:
    """The profile for a model: as wished, as changed from a known one, or as guessed."""
    if isinstance(wish, Profile):
        return wish
    if isinstance(wish, str):
        return named(wish)
    if wish is None:
        return guess(base_url, model)
    changes = dict(wish)
    like = changes.pop("like", None)
    known = named(like) if like else guess(base_url, model)
    return _changed(known, {"name": f"like {known.name}"} | changes)


def is_loopback(base_url: str) -> bool:
    """is_loopback("http://[::1]:8080/v1") -> True"""
    host = urlsplit(base_url).hostname or ""
    return host in LOOPBACK or host.endswith(".localhost") or bool(re.fullmatch(r"127(\.\d+){3}", host))


def _is_at(base_url: str, host: str) -> bool:
    if host.startswith(":"):
        return is_loopback(base_url) and str(urlsplit(base_url).port or "") == host[1:]
    return (urlsplit(base_url).hostname or "") == host


def _changed(profile: Profile, changes: Mapping[str, Any]) -> Profile:
    known = {each.name for each in fields(Profile)}
    unknown = sorted(set(changes) - known)
    if unknown:
        raise ValueError(f"a profile has no field {', '.join(unknown)}; it has like, {', '.join(sorted(known))}")
    lists = {name: tuple(value) for name, value in changes.items() if isinstance(value, list)}
    return replace(profile, **(dict(changes) | lists))


@cache
def _table() -> dict[str, Profile]:
    stored = json.loads(data_path("profiles.json").read_text(encoding="utf-8"))["profiles"]
    return {name: _changed(Profile(), {"name": name} | entry) for name, entry in stored.items()}
