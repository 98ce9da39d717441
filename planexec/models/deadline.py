"""A deadline that holds for a whole HTTP exchange, whatever trickles in.

The time-out of an HTTP client starts anew with every byte, so a server that sends an empty line now and then can hold
it for ever. Here a timer shuts the socket when the time is up, which wakes the thread that waits on it. It does not
cover the look-up of a host name, which no socket exists for yet.
"""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress
from types import TracebackType
from typing import Any

_HERE = threading.local()


class Deadline:
    """`with Deadline(seconds) as deadline:` `seconds` None means no limit. `expired` turns True when time is up."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self.expired = False
        self._began = time.monotonic()
        self._connection: Any = None
        self._lock = threading.Lock()
        self._timer = None if seconds is None else threading.Timer(seconds, self._expire)

    def __enter__(self) -> Deadline:
        _HERE.deadline = self
        if self._timer is not None:
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        _HERE.deadline = None
        if self._timer is not None:
            self._timer.cancel()

    @property
    def left(self) -> float | None:
        """Seconds until it expires, never less than a millisecond: an HTTP client takes 0 for "do not wait"."""
        return None if self.seconds is None else max(self.seconds - (time.monotonic() - self._began), 0.001)

    def hold(self, connection: Any) -> None:
        """Remember what has to be shut; shut it at once when it comes too late."""
        with self._lock:
            self._connection = connection
            if self.expired:
                self._shut()

    def _expire(self) -> None:
        with self._lock:
            self.expired = True
            self._shut()

    def _shut(self) -> None:
        opened = None if self._connection is None else self._connection.get_extra_info("socket")
        with suppress(OSError):  # it may have been closed in the same moment
            if opened is not None:
                opened.shutdown(socket.SHUT_RDWR)


def watch(request: Any) -> None:
    """A request hook of the HTTP client: hands the connection of `request` to the deadline of this thread."""
    deadline: Deadline | None = getattr(_HERE, "deadline", None)
    if deadline is None:
        return

    def trace(event: str, details: dict[str, Any]) -> None:
        made = details.get("return_value")
        if hasattr(made, "get_extra_info"):  # a connection was opened, or wrapped in TLS
            deadline.hold(made)

    request.extensions["trace"] = trace
