"""Small made runs for loop detectors, each showing one thing; what is a loop is decided by how the run was made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

Call = tuple[str, Any, str | None, str | None]  # tool, arguments, result, kind: what `loops.first_loop` takes


@dataclass(frozen=True)
class Sample:
    """One finished run. `loop` None: neither a loop of calls nor honest work; `about` says what it is.

    `source`: "made", "wind tunnel" or "recorded". `polling`: tools whose equal results are ordinary.
    """

    name: str
    calls: tuple[Call, ...]
    loop: bool | None
    about: str
    source: str = "made"
    polling: tuple[str, ...] = ()


def _found(count: int, tool: str, args: Callable[[int], Any], result: Callable[[int], str]) -> tuple[Call, ...]:
    return tuple((tool, args(number), result(number), "found") for number in range(1, count + 1))


def _exact() -> Sample:
    calls = _found(8, "search", lambda _: {"query": "EV1"}, lambda _: "two entries on EV1")
    return Sample("exact", calls, True, "one call, one result")


def _cycle() -> Sample:
    calls = _found(10, "get_price", lambda n: {"of": "AB"[n % 2]}, lambda n: f"{100 + n % 2} yuan")
    return Sample("cycle", calls, True, "two calls in turn")


def _alike() -> Sample:
    houses = ("lighthouse", "light-house", "light house")
    words = [f"who built the old {house} at Pennard {place}" for place in ("harbour", "harbor") for house in houses]
    calls = _found(6, "search", lambda n: {"query": words[n - 1]}, lambda _: "one page on the lighthouse")
    return Sample("alike", calls, True, "the spelling changes, the result does not")


def _retries() -> Sample:
    words = ("market value", "value of all shares", "size of the market", "capitalisation", "CSI 300", "total worth")
    calls = tuple(("search", {"query": each}, "Nothing found.", "empty") for each in words)
    return Sample(
        "retries", calls, None, "always new words, never a result: a counter of empty results is there for that"
    )


def _polling() -> Sample:
    calls = _found(8, "job_status", lambda _: {"id": 7}, lambda n: f"{12 * n} % done")
    return Sample("polling", calls, False, "one call, each time a new result")


def _waiting() -> Sample:
    calls = _found(8, "job_status", lambda _: {"id": 7}, lambda _: "running")
    about = "one call, one result, but the tool says that it is polled"
    return Sample("waiting", calls, None, about, polling=("job_status",))


def _paging() -> Sample:
    calls = _found(8, "next_page", lambda _: {}, lambda n: f"rows {10 * n} to {10 * n + 9}")
    return Sample("paging", calls, False, "one call, page after page")


def _writes() -> Sample:
    calls = _found(6, "write_file", lambda n: {"path": f"{n}.txt"}, lambda _: "True")
    return Sample("writes", calls, False, "six files, one answer")


def _reads() -> Sample:
    calls = _found(629, "read_file", lambda n: {"path": f"src/{n}.py"}, lambda n: f"source of module {n}")
    return Sample("reads", calls, False, "629 files, each read once")


MAKERS = (_exact, _cycle, _alike, _retries, _polling, _waiting, _paging, _writes, _reads)


@cache
def made() -> Mapping[str, Sample]:
    """All of them by name."""
    samples: Iterable[Sample] = (make() for make in MAKERS)
    return {sample.name: sample for sample in samples}
