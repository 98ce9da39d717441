"""One HTTP exchange with a chat-completions service, through the official `openai` client.

The client's retries, redirects and kept connections are off. A response with an error status is a `Refused`; whatever
else keeps a complete answer from coming is a `ServiceError`. It works with openai 2 and 3, whose transports have
different names; so none is imported here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from planexec.chat import ServiceError
from planexec.models.deadline import Deadline, watch
from planexec.models.normalise import read_body
from planexec.models.profiles import is_loopback
from planexec.models.stream import Assembly, events

MAX_BODY = 16 * 2**20  # bytes of one answer
CONNECT_SECONDS = 10.0
NO_KEY = "no-key-needed"  # the client insists on one
_NO_SUCH_HOST = ("Name or service not known", "getaddrinfo failed", "nodename nor servname", "name resolution")


class Refused(Exception):
    """The service answered with an error status."""

    def __init__(self, status: int, headers: Mapping[str, str], text: str):
        super().__init__(f"HTTP {status}")
        self.status, self.headers, self.text = status, headers, text


class Connection:
    """Where a service is, and the key for it. The client is made on first use, again in every process.

    `account`: the client may name the organisation and project that its environment variables hold.
    """

    def __init__(self, base_url: str, key: str, account: bool = False) -> None:
        self.base_url, self.key, self.account = base_url, key, account
        self._made: Any = None

    def __repr__(self) -> str:
        return f"Connection({self.host!r})"

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_made": None}

    @property
    def host(self) -> str:
        """Host and port, without what else a base URL may hold."""
        parts = urlsplit(self.base_url)
        return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)

    def prepare(self) -> None:
        """Load the client, which takes a second the first time and must not be taken from a deadline."""
        _ = self._client().chat.completions.with_streaming_response

    def ask(self, body: Mapping[str, Any], deadline: Deadline, on_text: Callable[[str], None] | None = None) -> Any:
        """One request; the body of its answer in one piece. `on_text` gets the raw pieces of a streamed text."""
        import openai

        rest = {key: value for key, value in body.items() if key not in ("model", "messages")}
        create = self._client().chat.completions.with_streaming_response.create
        options = {"extra_body": rest, "timeout": self._timeout(deadline)}
        try:
            with create(model=body["model"], messages=body["messages"], **options) as response:
                return self._read(response, deadline, on_text)
        except openai.APIStatusError as error:
            raise Refused(error.status_code, error.response.headers, error.response.text) from None
        except openai.APIConnectionError as error:
            raise self._lost(error.__cause__ or error, deadline) from None

    def models(self, seconds: float | None) -> list[str]:
        """The names the service offers; [] when they cannot be had in time."""
        import openai

        with Deadline(seconds) as deadline:
            try:
                with self._client().models.with_streaming_response.list(timeout=self._timeout(deadline)) as response:
                    listed = json.loads(b"".join(self._chunks(response, deadline)))
            except (openai.OpenAIError, ServiceError, ValueError, RecursionError):
                return []
        entries = listed.get("data") if isinstance(listed, dict) else listed
        entries = entries if isinstance(entries, list) else []
        return [str(each["id"]) for each in entries if isinstance(each, dict) and each.get("id")]

    def _client(self) -> Any:
        if self._made is None:
            import openai

            # The environment's proxies are for other machines. A connection is used once: one kept open may have
            # died meanwhile, and nothing here tries a second time. Following a redirect would be a second request.
            transport = openai.DefaultHttpxClient(
                trust_env=not is_loopback(self.base_url), follow_redirects=False, event_hooks={"request": [watch]}
            )
            made = openai.OpenAI(
                api_key=self.key or NO_KEY,
                base_url=self.base_url,
                max_retries=0,
                default_headers={"Connection": "close"},
                http_client=transport,
            )
            if not self.account:
                made.organization = made.project = None
            self._made = made
        return self._made

    def _timeout(self, deadline: Deadline) -> Any:
        import openai

        left = deadline.left
        return openai.Timeout(left, connect=CONNECT_SECONDS if left is None else min(CONNECT_SECONDS, left))

    def _read(self, response: Any, deadline: Deadline, on_text: Callable[[str], None] | None) -> Any:
        content_type = str(response.headers.get("content-type") or "")
        chunks = self._chunks(response, deadline)
        if "event-stream" in content_type:
            return _assembled(events(chunks), on_text)
        text = b"".join(chunks).decode("utf-8", "replace")
        if text.lstrip().startswith("data:"):  # a stream under another name, or one nobody asked for
            return _assembled(events([text.encode()]), on_text)
        return read_body(text, content_type)

    def _chunks(self, response: Any, deadline: Deadline) -> Iterator[bytes]:
        """The bytes as they come. The connection may break in the middle, or be shut when time is up."""
        pieces, size = response.iter_bytes(), 0
        while True:
            try:
                piece = next(pieces, b"")
            except Exception as error:  # the transport has errors of its own, and no name to catch them by
                raise self._lost(error, deadline) from None
            if deadline.expired:
                raise self._lost(None, deadline)
            if not piece:
                return
            size += len(piece)
            if size > MAX_BODY:
                raise ServiceError(f"The answer is larger than {MAX_BODY // 2**20} MiB and was given up.")
            yield piece

    def _lost(self, error: BaseException | None, deadline: Deadline) -> ServiceError:
        """Why no complete answer came: too late, nobody there, a wrong certificate, or a lost connection."""
        cause, kind = str(error), "transient"
        if deadline.expired or "Timeout" in type(error).__name__:
            limit = "the time limit" if deadline.seconds is None else f"{deadline.seconds:.4g} s"
            told = f"{self.host} gave no complete answer within {limit}."
        elif "CERTIFICATE_VERIFY" in cause.upper():
            told, kind = f"The certificate of {self.host} is not trusted on this machine: {cause}.", "permanent"
        elif any(words in cause for words in _NO_SUCH_HOST):
            told = f"No host named {self.host} was found: is the base URL right, and is there a network?"
        elif "refused" in cause.lower():
            told = f"Nothing answers at {self.host}: is the server running, and is the port right?"
        else:
            told = f"The connection to {self.host} was lost before the answer was complete."
        return ServiceError(told, kind)


def _assembled(data: Iterator[str], on_text: Callable[[str], None] | None) -> Any:
    assembly = Assembly(on_text)
    for event in data:
        assembly.take(event)
        if assembly.done:
            break
    return assembly.body()
