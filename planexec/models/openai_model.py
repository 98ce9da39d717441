"""Any chat-completions service as a `Model`, through the official `openai` client.

One `reply()` is one HTTP request: the client's own retries, redirects and kept connections are off, because the gate
owns attempts and must be able to count them (the list of models is asked for once more when a model is refused, so
that the error can name the ones there are). What the service wants is in its profile, what it sends is read in
`normalise`, and what it refuses becomes a `ServiceError` that says what to do.

Not handled: the responses endpoint, images, several choices, and names that take longer to look up than the deadline.
"""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from planexec.chat import Message, Price, Reply, ServiceError, Usage
from planexec.failures import kind_of_status
from planexec.models import json_action
from planexec.models import service_errors as errors
from planexec.models.connection import Connection, Refused
from planexec.models.deadline import Deadline
from planexec.models.normalise import Counts, counts, new_id, normalise
from planexec.models.prices import rate_of
from planexec.models.profiles import Profile, choose
from planexec.models.request import build
from planexec.models.stream import LiveText

MODELS_SECONDS = 5.0  # for asking which models there are, after one was refused


class KeyMissing(ServiceError, ValueError):
    """No key is set for a service that needs one. Raised when the model is made, before any request."""


class OpenAIModel:
    """A model behind a chat-completions endpoint: OpenAIModel("deepseek-flash"), or ("name", "http://host:port/v1").

    `profile`: a name, a dict of changes (see profiles.py), or None to guess from the base URL, without one from the
    model's name. `api_key`: else the profile's environment variable. `price`: else that of the table; None there
    means unknown. `thinking`: the default where a call does not say. `timeout`: most seconds of one request from
    beginning to end, however it trickles; None for no limit. `stream`: ask for a stream; `on_text` gets each piece of
    text as it comes (and implies `stream`). `body`: further fields of every request, such as {"temperature": 0}.
    Raises `KeyMissing`, and ValueError for an address that is none.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        profile: str | Mapping[str, Any] | Profile | None = None,
        price: Price | None = None,
        thinking: bool | None = None,
        timeout: float | None = 300.0,
        stream: bool = False,
        on_text: Callable[[str], None] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> None:
        if find_spec("openai") is None:
            raise ImportError('OpenAIModel needs a package: pip install "planexec[models]"', name="openai")
        self.name = model
        self.profile = choose(profile, base_url, model)
        self.base_url = _address(base_url or self.profile.base_url, model)
        self._connection = Connection(self.base_url, _key(self.profile, api_key), self.profile.name == "openai")
        self._price = price
        self.price = price or self._listed_price()
        self.thinking, self.timeout, self.body = thinking, timeout, dict(body or {})
        self.on_text, self.stream = on_text, stream or on_text is not None

    def __repr__(self) -> str:
        parts = urlsplit(self.base_url)
        where = f"{parts.scheme}://{parts.hostname}" + (f":{parts.port}" if parts.port else "") + parts.path
        return f"OpenAIModel({self.name!r}, {where!r}, profile={self.profile.name!r})"

    def reply(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[dict[str, Any]] = (),
        tool_choice: str = "auto",
        max_tokens: int | None = None,
        thinking: bool | None = None,
        timeout: float | None = None,
    ) -> Reply:
        """Answer once. Raises `ServiceError`: transient, permanent, or person; a key is never in it."""
        thinking = self.thinking if thinking is None else thinking
        try:
            body = build(
                self.profile,
                self.name,
                messages,
                tools=tools,
                tool_choice=tool_choice,
                max_tokens=max_tokens,
                thinking=thinking,
                stream=self.stream,
                extra=self.body,
            )
            return self._answer(body, messages, _least(self.timeout, timeout), bool(tools))
        except ServiceError as caught:
            problem = self._advised(caught) if isinstance(caught, errors.Reported) else caught
            told = errors.without_key(str(problem), self._connection.key)
            failure = ServiceError(told, problem.kind, retry_after=problem.retry_after, status=problem.status)
        raise failure  # outside the handler, so that nothing that still holds a key is chained to it

    def _answer(self, body: dict[str, Any], messages: Sequence[Message], seconds: float | None, tools: bool) -> Reply:
        by_action = tools and not self.profile.native_tools
        live = LiveText(self.on_text, self.profile.unopened_thoughts or by_action) if self.on_text else None
        self._connection.prepare()
        with Deadline(seconds) as deadline:
            try:
                data = self._connection.ask(body, deadline, live)
            except Refused as problem:
                raise self._refused(problem, deadline.left) from None
        reply = normalise(data, messages)
        if by_action:
            reply = json_action.read(reply, new_id(messages))
        if live and not reply.tool_calls:
            live.end(reply.text)
        return replace(reply, model=reply.model or self.name, usage=self._usage(counts(data), body, reply))

    # ------------------------------------------------------------------------------------ what went wrong

    def _refused(self, problem: Refused, seconds: float | None) -> ServiceError:
        """An error status, in words that say what to do."""
        status, headers, path = problem.status, problem.headers, urlsplit(self.base_url).path
        if 300 <= status < 400:
            moved = f"HTTP {status}: the service has moved to {headers.get('location')}; give that as base_url."
            return errors.refusal(moved, "permanent", headers, status)
        said = errors.complaint(errors.read_json(problem.text))
        if said is None and (errors.is_page(problem.text) or (status == 404 and not problem.text.strip())):
            what = "a web page came instead of JSON" if problem.text.strip() else "there is nothing at this address"
            words = f"HTTP {status}: {what}. Is the base URL right ({self._connection.host}{path})? Most end in /v1."
            return errors.refusal(words, kind_of_status(status), headers, status)
        said = said or errors.Complaint(problem.text.strip()[:300] or "no reason given")
        return self._advised(errors.Reported(said, status, headers), seconds)

    def _advised(self, problem: errors.Reported, seconds: float | None = None) -> ServiceError:
        """What the service reported, and what to do about it."""
        said, status, host = problem.said, problem.status, self._connection.host
        words, kind = str(problem), problem.kind
        if errors.is_about_balance(status, said):
            words = f"No balance or quota is left on this account ({words}). Top it up, or use another key or model."
            kind = "person"
        elif errors.is_about_key(status, said):
            held = f"The key in {self.profile.key} (or given as api_key) was refused by {host}"
            asked = f"{host} asks for a key: set {self.profile.key}, or give api_key=..."
            words, kind = f"{held if self._connection.key else asked} ({words})", "person"
        elif errors.is_about_model(status, said):
            words = f"The model {self.name!r} is not offered here ({words}).{self._offered(seconds)}"
        return errors.refusal(words, kind, problem.headers, status)

    def _offered(self, seconds: float | None) -> str:
        """The models there are, those with a like name first; "" when that cannot be had within a few seconds."""
        names = self._connection.models(_least(MODELS_SECONDS, seconds))
        like = difflib.get_close_matches(self.name, names, 12, 0.3)
        shown = [*like, *(name for name in names if name not in like)][:12]
        more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
        return f" The server offers {', '.join(shown)}{more}." if shown else ""

    # ------------------------------------------------------------------------------------ what it cost

    def _listed_price(self) -> Price | None:
        rate = None if self.profile.free else rate_of(self.name)
        return Price() if self.profile.free else rate.bound if rate else None

    def _usage(self, counted: Counts, body: dict[str, Any], reply: Reply) -> Usage:
        """Tokens and dollars. A service that counts nothing is charged a token a byte, which is never too little."""
        if not counted.known:
            sent = json.dumps([body["messages"], body.get("tools")], ensure_ascii=False)
            came = json.dumps([reply.message, reply.reasoning], ensure_ascii=False)
            counted = Counts(len(sent.encode("utf-8", "replace")), 0, len(came.encode("utf-8", "replace")))
        return Usage(counted.prompt, counted.completion, self._usd(counted, reply.model))

    def _usd(self, counted: Counts, model: str) -> float | None:
        """By the price given, else by the rate of the model that answered, else by the one asked for."""
        rate = None if self._price else rate_of(model) or rate_of(self.name)
        if rate and not self.profile.free:
            return rate.usd(counted.prompt, counted.completion, counted.cached)
        return self.price.usd(counted.prompt, counted.completion) if self.price else None


def _least(*seconds: float | None) -> float | None:
    given = [max(each, 0.001) for each in seconds if each is not None]
    return min(given) if given else None


def _address(base_url: str, model: str) -> str:
    """The base URL, checked before anything is sent to it."""
    if not base_url:
        raise ValueError(f"where is {model!r} served? Give base_url=..., for example http://127.0.0.1:11434/v1")
    parts = urlsplit(base_url.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("a base URL begins with http:// or https:// and a host; most end in /v1")
    return base_url.strip().rstrip("/")


def _key(profile: Profile, given: str | None) -> str:
    """The key to send, or "" where none is needed. Blanks round it come from copying; others are never part of one."""
    key = (given if given is not None else os.environ.get(profile.key, "")).strip()
    if not key and profile.needs_key:
        raise KeyMissing(f"no key: set the environment variable {profile.key}, or give api_key=...", "person")
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise KeyMissing(
            f"the key in {profile.key} (or given as api_key) holds letters no key has; copy it again", "person"
        )
    return key
