"""When something fails: what kind of failure is it, is another try worth it, and how long to wait before it.

transient (it may pass): time-outs, lost connections, HTTP 408, 409, 425, 429 and 5xx
person (somebody must act first): HTTP 401, 402, 403 - a key, a balance, a permission
permanent (the same request fails again): every other 4xx, and errors in the code itself

The gate owns attempts and waits; models and tools make one request and raise.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from planexec.chat import ServiceError

KINDS = ("transient", "permanent", "person")
TRANSIENT = frozenset({408, 409, 425, 429})
PERSON = frozenset({401, 402, 403})
LOST = {"Timeout", "TimeoutException", "ConnectionError", "ConnectError", "TransportError", "APIConnectionError"}
FIRST_WAIT = 1.0  # seconds before the second attempt; doubled each time
LONGEST_WAIT = 30.0  # seconds, for our own back-off
LONGEST_ASKED = 120.0  # seconds a service may ask us to wait; longer is not worth it inside a run


@dataclass(frozen=True, slots=True)
class Failure:
    """`kind` is "transient", "permanent" or "person"; `text` is what the model and the learner read.

    `bug`: no service failed; it is an error in the code itself.
    """

    kind: str
    text: str
    retry_after: float | None = None
    bug: bool = False


def kind_of_status(status: int) -> str:
    """kind_of_status(503) -> "transient"; kind_of_status(404) -> "permanent" """
    if status in TRANSIENT or status >= 500:
        return "transient"
    return "person" if status in PERSON else "permanent"


def classify(error: BaseException) -> Failure:
    """What kind of failure an exception is, without importing the library that raised it."""
    said, name = in_words(error), type(error).__name__
    text = f"{name}: {said}" if said else name
    if isinstance(error, ServiceError):
        kind = error.kind if error.kind in KINDS else "permanent"
        return Failure(kind, said, _seconds(error.retry_after))
    if isinstance(error, (TimeoutError, ConnectionError)):
        return Failure("transient", text)
    status = _status(error)
    if status is not None:
        return Failure(kind_of_status(status), text)
    names = {base.__name__ for base in type(error).__mro__}
    if names & LOST:
        return Failure("transient", text)
    return Failure("permanent", text, bug=True)


def in_words(value: object) -> str:
    """`str(value)`, or the name of its type where even that fails."""
    try:
        return str(value)
    except Exception:
        return f"<{type(value).__name__} without words>"


def _seconds(value: object) -> float | None:
    """What a service asked to wait, where that is a time at all."""
    usable = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < float("inf")
    return value if usable else None  # type: ignore[return-value]


def _status(error: Any) -> int | None:
    """The HTTP status an exception of some HTTP library carries, if any."""
    for holder in (error, getattr(error, "response", None)):
        for name in ("status_code", "status", "code"):
            value = getattr(holder, name, None)
            if isinstance(value, int) and 400 <= value < 600:
                return value
    return None


def back_off(attempt: int, seed: object, retry_after: float | None = None, first: float = FIRST_WAIT) -> float | None:
    """Seconds to wait after the `attempt`-th attempt (1, 2, ...) failed; None when waiting is not worth it.

    1, 2, 4, ... times `first`, each shortened by up to a quarter; the share comes from the seed, so that many runs do
    not return at the same moment and yet the same run always waits the same. What a service asked for is a lower bound.
    """
    if retry_after is not None and retry_after > LONGEST_ASKED:
        return None
    wait = min(first * 2 ** min(attempt - 1, 60), LONGEST_WAIT)  # 60 doublings are longer than any wait
    share = int.from_bytes(blake2b(f"{seed}:{attempt}".encode(), digest_size=4).digest(), "big") / 2**32
    return float(max(wait * (1 - share / 4), retry_after or 0.0))
