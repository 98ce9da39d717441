"""Faults on order: what goes wrong with the next requests, one entry a request, in order.

    faults=["ok", "503=5", "silence", "2*keep-alive=3", "search:quota", "Q12"]

An entry is `[COUNT*][search:]NAME[=VALUE]`; `search:` makes it one for the search endpoint. Entries are used up by
requests that no rule refused; when they have run out everything is well again. A dict stands for a whole answer of
your own: {"json": ..} or {"text": .., "type": ..} or {"stream": [..]}, with "status" and "headers" where needed.
"""

from __future__ import annotations

import copy
import json
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from email.utils import formatdate
from typing import Any

from planexec.paths import data_path
from planexec.serve.bocha import encoded
from planexec.serve.profiles import ServiceProfile
from planexec.serve.refusal import refusal

ABOUT = {
    "ok": "nothing: the request is answered",
    "silence": "takes the request and says nothing for VALUE seconds (600), then closes",
    "keep-alive": "sends blank lines, or comments in a stream, for VALUE seconds (2), then the answer",
    "slow": "streams with a pause of VALUE seconds (0.05) between events",
    "drop": "closes the connection in the middle of the answer",
    "cut-arguments": "cuts the arguments of the last tool call, or the text, in the middle; finish_reason length",
    "blank": "answers with spaces only, finish_reason stop",
    "empty": "answers with nothing, finish_reason stop",
    "no-resources": "half an answer, finish_reason insufficient_system_resource",
    "no-usage": "answers without the usage",
    "error-200": "an error body with HTTP 200",
    "html-200": "a web page with HTTP 200",
    "octet-stream": "HTTP 400 whose JSON calls itself application/octet-stream",
    "quota": "HTTP 429 that no waiting will clear (search: out of money)",
    "null-pages": "search: a success without any pages in it",
    "4xx, 5xx": "any error status; VALUE is Retry-After: 30, 500ms, or date+30 (as a date)",
    "Qnn": "an answer of another server, by its number in data/serve/quirks; VALUE picks one of several (1)",
}
STATUS = re.compile(r"[45]\d\d")
QUIRK = re.compile(r"Q\d\d")
_SPEC = re.compile(r"(?:(?P<count>\d{1,4})\*)?(?P<search>search:)?(?P<name>[A-Za-z0-9-]+)(?:=(?P<value>\S+))?")
DEFAULTS = {"silence": 600.0, "keep-alive": 2.0, "slow": 0.05}
PAGE = "<!DOCTYPE html><html><head><title>Sign in</title></head><body>Please sign in.</body></html>"


@dataclass(frozen=True, slots=True)
class Canned:
    """A whole answer, ready to be sent. `events`: the body goes out piece by piece, as a stream."""

    status: int
    headers: Mapping[str, str]
    pieces: tuple[bytes, ...]
    events: bool = False


@dataclass(frozen=True, slots=True)
class Fault:
    """One entry of the list. `answer` is set when the caller gave a whole answer."""

    name: str = "ok"
    value: str = ""
    search: bool = False
    answer: Mapping[str, Any] | None = None

    @property
    def seconds(self) -> float:
        """The number of seconds it lasts, for those that take time."""
        return float(self.value) if self.value else DEFAULTS.get(self.name, 0.0)


OK = Fault()


def read(entries: Iterable[str | Mapping[str, Any] | Fault]) -> list[Fault]:
    """read(["2*503=5"]) -> two faults. ValueError for an entry that means nothing, with what would."""
    faults: list[Fault] = []
    for entry in entries:
        if isinstance(entry, Fault):
            faults.append(entry)
        elif isinstance(entry, str):
            faults += _read_spec(entry)
        else:
            faults.append(Fault("answer", answer=entry))
    return faults


def _read_spec(spec: str) -> list[Fault]:
    found = _SPEC.fullmatch(spec.strip())
    if not found:
        raise ValueError(f"a fault is written [COUNT*][search:]NAME[=VALUE], not {spec!r}")
    fault = Fault(found["name"], found["value"] or "", bool(found["search"]))
    if problem := _problem(fault):
        raise ValueError(f"the fault {spec!r}: {problem}")
    return [fault] * int(found["count"] or 1)


def _problem(fault: Fault) -> str:
    """What is wrong with an entry; "" when it can be carried out."""
    name, value = fault.name, fault.value
    if QUIRK.fullmatch(name):
        return "" if _quirk(name, value) is not None else "there is no such answer in data/serve/quirks"
    if STATUS.fullmatch(name):
        good = not value or _retry_after(value)
        return "" if good else "Retry-After is written 30, 500ms or date+30"
    if name not in ABOUT:
        return f"there is none of this name; there are {', '.join(ABOUT)}"
    if value and not (name in DEFAULTS and re.fullmatch(r"\d{1,6}(\.\d+)?", value)):
        return "its value is a number of seconds" if name in DEFAULTS else "it takes no value"
    return ""


# ------------------------------------------------------------------------------------ instead of an answer


def canned(fault: Fault, profile: ServiceProfile) -> Canned | None:
    """The whole answer that a fault stands for; None when the model is to be asked after all."""
    name = fault.name
    if fault.answer is not None or QUIRK.fullmatch(name):
        return _given(fault.answer if fault.answer is not None else _quirk(name, fault.value) or {})
    if STATUS.fullmatch(name):
        return _status(int(name), fault.value, profile)
    if name == "quota":
        return _error(profile, "scripted.quota")
    if name == "error-200":
        return replace(_error(profile, "balance.empty"), status=200)
    if name == "html-200":
        return Canned(200, {"content-type": "text/html; charset=utf-8"}, (PAGE.encode(),))
    if name == "octet-stream":
        error = _error(profile, "scripted.status", status=400)
        return replace(error, status=400, headers={"content-type": "application/octet-stream"})
    if name == "null-pages":
        return _given({"json": {"code": 200, "log_id": "local", "msg": None, "data": {"webPages": None}}})
    return None


def _error(profile: ServiceProfile, case: str, **words: Any) -> Canned:
    made = refusal(profile, case, **words)
    return Canned(made.status, made.headers, (made.wired(),))


def _status(status: int, value: str, profile: ServiceProfile) -> Canned:
    case = "scripted.429" if status == 429 else "scripted.status"
    made = _error(profile, case, status=status)
    return replace(made, status=status, headers={**made.headers, **_retry_after(value)})


def _retry_after(value: str) -> dict[str, str]:
    """_retry_after("500ms") -> {"retry-after-ms": "500"}; {} for nothing and for what means nothing."""
    if found := re.fullmatch(r"(\d{1,9}(?:\.\d+)?)(ms)?", value):
        return {"retry-after-ms" if found[2] else "retry-after": found[1]}
    if found := re.fullmatch(r"date\+(\d{1,6})", value):
        return {"retry-after": formatdate(time.time() + int(found[1]), usegmt=True)}  # a date of the real calendar
    return {}


def _given(answer: Mapping[str, Any]) -> Canned:
    """An answer in the form of the fixtures."""
    status, headers = int(answer.get("status", 200)), dict(answer.get("headers", {}))
    if "stream" in answer:
        pieces = tuple(piece.encode() for piece in answer["stream"])
        return Canned(status, {"content-type": answer.get("type", "text/event-stream"), **headers}, pieces, events=True)
    body = answer["text"].encode() if "text" in answer else encoded(answer.get("json"))
    return Canned(status, {"content-type": answer.get("type", "application/json"), **headers}, (body,))


def quirk(name: str) -> Mapping[str, Any]:
    """What is stored of a server's habit: quirk("Q12")["server"], "what", "source", "answers". KeyError: none such."""
    path = data_path("serve", "quirks", f"{name}.json")
    if not QUIRK.fullmatch(name) or not path.is_file():
        raise KeyError(f"there is no {name!r} in data/serve/quirks")
    stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return stored


def _quirk(name: str, value: str) -> Mapping[str, Any] | None:
    """The `value`-th answer of a stored fixture, the first by default; "refusal" is what its server refuses with."""
    try:
        stored = quirk(name)
    except KeyError:
        return None
    if value == "refusal":
        return stored.get("refusal")
    at = int(value or 1) if re.fullmatch(r"\d{0,3}", value) else 0
    return stored["answers"][at - 1] if 0 < at <= len(stored["answers"]) else None


# ------------------------------------------------------------------------------------ a spoilt answer


def spoilt(fault: Fault, body: dict[str, Any]) -> dict[str, Any]:
    """The model's answer with something missing from it; `body` itself stays as it is."""
    body = copy.deepcopy(body)
    if "choices" not in body:  # a search
        return body
    if fault.name == "no-usage":
        del body["usage"]
        return body
    choice = body["choices"][0]
    message = choice["message"]
    if fault.name == "cut-arguments":
        _cut(message)
        choice["finish_reason"] = "length"
    elif fault.name in ("blank", "empty"):
        message["content"] = "   " if fault.name == "blank" else ""
        message.pop("tool_calls", None)
        choice["finish_reason"] = "stop"
    elif fault.name == "no-resources":
        message["content"] = _half(message.get("content") or "")
        message.pop("tool_calls", None)
        choice["finish_reason"] = "insufficient_system_resource"
    return body


def _cut(message: dict[str, Any]) -> None:
    if calls := message.get("tool_calls"):
        function = calls[-1]["function"]
        function["arguments"] = _half(function["arguments"])
    else:
        message["content"] = _half(message.get("content") or "")


def _half(text: str) -> str:
    return text[: len(text) // 2]
