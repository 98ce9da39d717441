"""Give up on a call that takes too long.

Python cannot stop a function from outside. With a deadline the call runs in a thread of its own; when the time is
over the thread is abandoned (it may still end, nobody listens) and TimeoutError is raised here. Without a deadline
there is no thread, so the core also runs where threads do not exist.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def bounded(call: Callable[[], T], seconds: float | None) -> T:
    """`call()`, or TimeoutError after `seconds`. None: no deadline, no thread."""
    if seconds is None:
        return call()
    box: queue.SimpleQueue[tuple[bool, T | BaseException]] = queue.SimpleQueue()

    def work() -> None:
        try:
            box.put((True, call()))
        except BaseException as problem:
            box.put((False, problem))

    threading.Thread(target=work, daemon=True, name="planexec-call").start()
    try:
        good, value = box.get(timeout=max(0.0, seconds))
    except queue.Empty:
        raise TimeoutError(f"no result after {seconds:g} s; given up") from None
    if good:
        return value  # type: ignore[return-value]
    raise value  # type: ignore[misc]
