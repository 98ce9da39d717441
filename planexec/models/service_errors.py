"""Turns what a service says when it refuses into a `ServiceError` that says what to do, and never shows a key.

Services disagree on the shape of a refusal: an error object, a list of one, an envelope with a code, plain text, a web
page. `complaint` reads them all; `refusal` classes it by status, code and words. The kinds and their meaning are those
of `ServiceError`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from planexec.chat import ServiceError
from planexec.failures import kind_of_status

_BALANCE = re.compile(
    r"insufficient.?(balance|quota|credit|fund)|billing|payment required|out of credit|enough money|欠费|余额", re.I
)
_KEY = re.compile(
    r"authenticat|(invalid|incorrect|missing).?api.?key|api.?key.{0,30}(invalid|not valid|missing)|unauthorized", re.I
)
_MODEL = re.compile(
    r"model.{0,60}(not.?(found|exist)|retired|deprecated|unsupported|invalid)|supported api model names|unknown model"
    r"|no such model|模型不存在",
    re.I | re.S,
)
_BUSY = re.compile(r"rate.?limit|too many requests|overloaded|server_error|timeout|temporar|internal.?error", re.I)


@dataclass(frozen=True, slots=True)
class Complaint:
    """What a service said: its words, and its code (a number or a word) as a text."""

    words: str
    code: str = ""

    @property
    def status(self) -> int | None:
        """The code, where it is an HTTP status."""
        return int(self.code) if re.fullmatch(r"[1-5]\d\d", self.code) else None


def complaint(body: Any) -> Complaint | None:
    """complaint({"error": {"message": "no", "code": 400}}) -> Complaint("no", "400"); None when it is no complaint."""
    if isinstance(body, list):
        return next((each for each in map(complaint, body) if each), None)
    if not isinstance(body, dict):
        return None
    inner = body.get("error")
    if isinstance(inner, str) and inner.strip():
        return Complaint(inner.strip(), str(body.get("code") or ""))
    if isinstance(inner, dict):
        return _from_object(inner)
    said = body.get("message") or body.get("msg") or body.get("detail") or body.get("error_msg")
    if isinstance(said, (list, dict)):
        said = json.dumps(said, ensure_ascii=False)
    if isinstance(said, str) and said.strip():
        return Complaint(said.strip(), str(body.get("code") or body.get("status") or ""))
    return None


def _from_object(error: Mapping[str, Any]) -> Complaint:
    words = error.get("message") or error.get("msg") or ""
    code = error.get("code") or error.get("status") or error.get("type") or ""
    if isinstance(code, str) and not re.fullmatch(r"\d+", code) and error.get("type"):
        code = f"{code} {error['type']}" if error["type"] != code else code
    reason = _reason(error.get("metadata"))
    return Complaint(": ".join(filter(None, (str(words), reason))) or "an error without a message", str(code))


def _reason(metadata: Any) -> str:
    """A gateway hides the provider's words in a JSON text: {"raw": '{"error": {"message": "too long"}}'} -> too long"""
    raw = metadata.get("raw") if isinstance(metadata, Mapping) else None
    if not isinstance(raw, str) or not raw.strip():
        return ""
    try:
        inner = complaint(json.loads(raw))
    except (ValueError, RecursionError):
        inner = None
    return inner.words if inner else raw.strip()


def read_json(text: str) -> Any:
    """The JSON value of a body, or None: a refusal may be anything."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def is_page(text: str) -> bool:
    """is_page("<!DOCTYPE html>...") -> True"""
    return bool(re.match(r"\s*(<!--.*?-->\s*)*<(!doctype html|html|head|body)\b", text, re.I | re.S))


def kind_of(status: int | None, said: Complaint) -> str:
    """kind_of(503, ...) -> "transient"; a quota that waiting never refills is for a person, also with status 429."""
    status = status if status is not None and status >= 300 else said.status
    everything = f"{said.words} {said.code}"
    if status in (None, 400, 429) and _BALANCE.search(everything):
        return "person"
    if status is not None:
        return kind_of_status(status)
    if _KEY.search(everything):
        return "person"
    return "permanent" if re.search(r"invalid_(request|parameter)", everything) else "transient"


def is_about_model(status: int | None, said: Complaint) -> bool:
    """True when the name of the model is what the service does not like."""
    return status in (None, 400, 404) and bool(_MODEL.search(f"{said.words} {said.code}"))


def is_about_key(status: int | None, said: Complaint) -> bool:
    return status == 401 or (status in (None, 400, 403) and bool(_KEY.search(f"{said.words} {said.code}")))


def is_about_balance(status: int | None, said: Complaint) -> bool:
    return status == 402 or (status in (None, 400, 403, 429) and bool(_BALANCE.search(f"{said.words} {said.code}")))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds a service asks to wait, from `retry-after-ms` or `retry-after` (seconds or a date); None if unsaid.

    A date is compared with the service's own `date` header, so that a wrong clock on either side does no harm.
    """
    millis, plain = headers.get("retry-after-ms"), headers.get("retry-after")
    for text, scale in ((millis, 1000.0), (plain, 1.0)):
        if text and re.fullmatch(r"\s*\d+(\.\d+)?\s*", text):
            return float(text) / scale
    when = _date(plain)
    if when is None:
        return None
    return max((when - (_date(headers.get("date")) or datetime.now(UTC))).total_seconds(), 0.0)


def _date(text: str | None) -> datetime | None:
    try:
        when = parsedate_to_datetime(text) if text else None
    except ValueError:
        return None
    return when.replace(tzinfo=UTC) if when and when.tzinfo is None else when


def without_key(text: str, key: str) -> str:
    """The text with every piece of the key taken out, also where a service masks most of it and echoes its tail."""
    pieces = {key[at : at + 4] for at in range(len(key) - 3)}
    hidden = [False] * len(text)
    for at in range(len(text) - 3):
        if text[at : at + 4] in pieces:
            hidden[at : at + 4] = [True] * 4
    shown = "".join("\0" if hide else letter for letter, hide in zip(text, hidden, strict=True))
    shown = re.sub(r"\*{2,}[\w.-]{0,12}|\bsk-[\w*.-]+", "\0", shown)
    return re.sub(r"[\w*-]*\0[\w*\0-]*", "[key]", shown) if "\0" in shown else shown


class Reported(ServiceError):
    """An error in the service's own words, before anybody has said what to do about it. `said` is what it reported."""

    def __init__(self, said: Complaint, status: int | None = None, headers: Mapping[str, str] | None = None):
        where = "The service reported an error" if status is None else f"HTTP {status}"
        super().__init__(f"{where}: {said.words}", kind_of(status, said), status=status or said.status)
        self.said, self.headers = said, headers


def refusal(words: str, kind: str, headers: Mapping[str, str] | None = None, status: int | None = None) -> ServiceError:
    """A `ServiceError` of one paragraph, cut at 600 characters."""
    flat = " ".join(words.split())
    wait = retry_after(headers) if headers is not None and kind == "transient" else None
    return ServiceError(flat if len(flat) <= 600 else flat[:597] + "...", kind, retry_after=wait, status=status)
