"""What the server says when it refuses: status, headers and body as the real services word them.

The words are data (`data/serve/refusals.json`), by case and profile; a case is a rule's name, a dot, and what is
wrong. Entries marked `inferred` are ours: the real words were not found anywhere.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from planexec.paths import data_path
from planexec.serve.profiles import ServiceProfile


@dataclass(frozen=True, slots=True)
class Refusal:
    """One refused request, as it was answered. `number` is that of the request; no part of a key is ever in it."""

    case: str
    profile: str
    status: int
    body: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    number: int = 0
    tail: str = field(default="", repr=False)  # the end of the caller's key, which some services send back; never kept

    @property
    def rule(self) -> str:
        """The name by which the rule can be switched off."""
        return self.case.partition(".")[0]

    @property
    def message(self) -> str:
        """The service's words."""
        if not self.headers.get("content-type", "").startswith("application/json"):
            return self.body
        body = json.loads(self.body)
        return str(body.get("error", body).get("message"))

    def wired(self) -> bytes:
        """The body as it is sent: with the tail of the key where the service shows it."""
        return self.body.replace(TAIL, self.tail).encode("utf-8", "replace")


TAIL = "<tail>"  # stands for the end of the caller's key in what is recorded


def refusal(profile: ServiceProfile, case: str, **words: Any) -> Refusal:
    """The answer of `profile` to `case`; `words` fill in the braces. KeyError when the table has no such case."""
    entry = _entry(profile, case)
    tail = str(words.pop("tail", ""))
    filled = {"tail": TAIL} | {name: _short(word) for name, word in words.items()}
    message = entry["message"].format(**filled)
    headers = {name: str(value).format(**filled) for name, value in entry.get("headers", {}).items()}
    kind = "text/plain; charset=utf-8" if entry["form"] == "text" else "application/json"
    body = message if entry["form"] == "text" else _json(entry, message, filled)
    return Refusal(case, profile.name, entry["status"], body, {"content-type": kind, **headers}, tail=tail)


def _short(word: Any) -> Any:
    """What a caller sent may be a megabyte long, or half a character; an answer repeats only its beginning."""
    return word[:200].encode("utf-8", "replace").decode() if isinstance(word, str) else word


def _json(entry: Mapping[str, Any], message: str, words: Mapping[str, Any]) -> str:
    if entry["form"] == "bocha":  # a number as a text, and `message` where a success has `msg`
        body: dict[str, Any] = {"code": str(entry["status"]), "message": message, "log_id": "local"}
    else:
        param = entry.get("param")
        param = param.format(**words) if isinstance(param, str) else param
        body = {"error": {"message": message, "type": entry["type"], "param": param, "code": entry["code"]}}
    return json.dumps(body, ensure_ascii=True)


def _entry(profile: ServiceProfile, case: str) -> dict[str, Any]:
    """The entry of the profile itself, of the one it is like, or of any; completed by the family's defaults."""
    by_profile = _table()["cases"][case]
    own = next(by_profile[name] for name in (*profile.lineage, "any") if name in by_profile)
    return {**_table()["defaults"][profile.family], **own}


@cache
def _table() -> dict[str, Any]:
    return json.loads(data_path("serve", "refusals.json").read_text(encoding="utf-8"))
