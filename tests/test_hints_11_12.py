"""Mistakes that learners made in 11 and 12: the hint is about the mistake, not the next one in a list."""

from __future__ import annotations

import json

import pytest

from planexec.course.checks import check
from planexec.failures import kind_of_status


def blind(status, attempt, most):
    return attempt < most


def retry(status, attempt, most):
    return "retry" if kind_of_status(status) == "transient" and attempt < most else False


def one_more(status, attempt, most):
    return kind_of_status(status) == "transient" and attempt <= most


def no_first(attempts, first, longest):
    return [min(2**n, longest) for n in range(attempts - 1)]


def one_too_many(attempts, first, longest):
    return [min(first * 2**n, longest) for n in range(attempts)]


def too_long_left_out(attempts, first, longest):
    return [first * 2**n for n in range(attempts - 1) if first * 2**n <= longest]


def listed_by_hand(status, attempt, most):
    return status in (408, 429, 500, 502, 503, 504) and attempt < most


def one_for_all(attempts, retries, passes):
    return attempts * (retries + 1) if passes else 1


def without_the_first(attempts, retries, passes):
    return attempts * retries if passes else attempts


def asks_the_finished(begun, finished, effect, idempotent):
    return "ask" if begun and effect and not idempotent else "reuse" if finished else "run"


def run_again(begun, finished, effect, idempotent):
    return "run again"


def hashed(run, step, tool, args, n):
    return str(hash((run, step, tool, json.dumps(args, sort_keys=True), n)))


def unsorted(run, step, tool, args, n):
    return json.dumps([run, step, tool, args, n])


def without_n(run, step, tool, args, n):
    return json.dumps([run, step, tool, args], sort_keys=True)


def dashes(run, step, tool, args, n):
    return f"{run}-{step}-{tool}-{json.dumps(args, sort_keys=True)}-{n}"


def sorted_outside_only(run, step, tool, args, n):
    return str((run, step, tool, sorted(args.items()), n))


def without_the_import(run, step, tool, args, n):
    return jsn.dumps([run, step, tool, args, n], sort_keys=True)  # noqa: F821


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(
    ("id", "answer", "said"),
    [
        ("11.1", blind, "the same request fails again"),
        ("11.1", retry, "True or False, nothing else"),
        ("11.1", one_more, "was the last one"),
        ("11.1", listed_by_hand, "kind_of_status(425) is 'transient'"),
        ("11.2", too_long_left_out, "cut down to it, not left out"),
        ("11.2", no_first, "The first wait is"),
        ("11.2", one_too_many, "after the last one nobody waits"),
        ("11.3", one_for_all, "does not look at the class"),
        ("11.3", without_the_first, "on top of the first request"),
        ("12.1", asks_the_finished, "It is finished"),
        ("12.1", run_again, "nothing else"),
        ("12.2", hashed, "different in each process"),
        ("12.2", unsorted, "whatever the order"),
        ("12.2", without_n, "Only `n` differs"),
        ("12.2", dashes, "keeps its parts apart"),
        ("12.2", sorted_outside_only, "whatever the order"),
        ("12.2", without_the_import, "does `import jsn` have to stand above"),
    ],
)
def test_the_hint_is_about_the_mistake(id, answer, said, seed):
    checked = check(id, answer, seed)
    assert checked.status == "not yet" and said in checked.hint, checked
