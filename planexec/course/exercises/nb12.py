"""Exercises and quiz of 12_checkpoints."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from itertools import product
from typing import Any

from planexec.course.checks import Tried, exercise, expect
from planexec.course.quiz import quiz


def on_resume(begun: bool, finished: bool, effect: bool, idempotent: bool) -> str:
    """on_resume(True, False, True, False) -> "ask": it began, it changes the world, and it must not happen twice."""
    if finished:
        return "reuse"
    return "ask" if begun and effect and not idempotent else "run"


CASES = [case for case in product((False, True), repeat=4) if case[0] or not case[1]]  # nothing ends before it begins


@exercise(
    "12.1",
    "on_resume",
    lambda seed: (
        'on_resume(begun, finished, effect, idempotent) -> "run", "reuse" or "ask"? The first two say what the journal '
        "holds of a call, the last two what the tool declares: does it change the world, and may it happen twice? For "
        f"example on_resume{_cases(seed)[0]}"
    ),
    (
        'What is finished is reused, whatever it was: "reuse".',
        'What has not begun is run. What only began may be run again when that does no harm: "run".',
        'It does harm when the tool changes the world (effect) and may not happen twice (not idempotent): "ask".',
    ),
)
def _on_resume(answer: Callable[..., Any], seed: int) -> list[Tried]:
    return [expect(f"on_resume{case}", answer(*case), on_resume(*case)) for case in _cases(seed)]


def _cases(seed: int) -> list[tuple[bool, ...]]:
    turn = 5 * seed % len(CASES)
    return CASES[turn:] + CASES[:turn]


Key = tuple[str, str, str, dict[str, Any], int]
# a call; calls that are the same one; calls that are other ones
CALLS: tuple[tuple[Key, tuple[Key, ...], tuple[Key, ...]], ...] = (
    (
        ("r1", "step-2", "send_mail", {"to": "me", "subject": "shipped"}, 1),
        (("r1", "step-2", "send_mail", {"subject": "shipped", "to": "me"}, 1),),
        (
            ("r1", "step-2", "send_mail", {"to": "me", "subject": "shipped"}, 2),
            ("r1", "step-3", "send_mail", {"to": "me", "subject": "shipped"}, 1),
            ("r2", "step-2", "send_mail", {"to": "me", "subject": "shipped"}, 1),
            ("r1", "step-2", "send_mail", {"to": "you", "subject": "shipped"}, 1),
            ("r1", "step-2", "refund", {"to": "me", "subject": "shipped"}, 1),
        ),
    ),
    (
        ("r1", "step-1", "refund", {"order": "ORDER-005", "amount_yuan": 50}, 1),
        (("r1", "step-1", "refund", {"amount_yuan": 50, "order": "ORDER-005"}, 1),),
        (
            ("r1", "step-1", "refund", {"order": "ORDER-005", "amount_yuan": 5}, 1),
            ("r1", "step-1", "refund", {"order": "ORDER-005", "amount_yuan": 50}, 3),
            ("r", "1step-1", "refund", {"order": "ORDER-005", "amount_yuan": 50}, 1),
            ("r1step-1", "", "refund", {"order": "ORDER-005", "amount_yuan": 50}, 1),
        ),
    ),
)


@exercise(
    "12.2",
    "key",
    lambda seed: (
        f"key{CALLS[seed % 2][0]} -> a text that names this call: run, step, tool, arguments and n: a step may "
        "really want the same call twice. The same call must get the same key in another process, every other call "
        "another key; the order in which arguments are written does not matter"
    ),
    (
        "All five belong into it; a separator between them keeps ('r', '1step') apart from ('r1', 'step').",
        "json.dumps(args, sort_keys=True) does not depend on the order of the arguments.",
        "return json.dumps([run, step, tool, args, n], sort_keys=True) does all of it at once.",
    ),
)
def _key(answer: Callable[..., Any], seed: int) -> list[Tried]:
    tried = []
    for call, same, others in CALLS[seed % 2 :] + CALLS[: seed % 2]:
        mine = answer(*deepcopy(call))
        tried.append(Tried(f"key{call}", mine, "a text", isinstance(mine, str)))
        tried += [expect(f"key{each}", answer(*deepcopy(each)), mine) for each in same]
        tried += [
            Tried(f"key{each}", got := answer(*deepcopy(each)), f"another text than {mine!r}", got != mine)
            for each in others
        ]
    return tried


quiz(
    "12.q1",
    "What does resuming a run mean here?",
    "Running the same loop again with the same journal: recorded effects return at once what they returned before.",
    (
        ("Loading the variables of the killed process.", "nothing of the process is kept; the loop begins at its top"),
        ("Asking the model what it had done.", "the model is not asked for anything that is recorded"),
    ),
)
quiz(
    "12.q2",
    "The journal says that a mail began and not how it ended. What is known?",
    "Nothing about the mail: it may have been sent or not, and only somebody who looks outside can say.",
    (
        ("It was not sent, or its end would be recorded.", "the process may have died between sending and writing"),
        ("It was sent, because begun means carried out.", "begun is written before the mail goes out"),
    ),
)
quiz(
    "12.q3",
    "Why is a search that only began simply made again?",
    "It changes nothing in the world, so a second one costs a little and does no harm.",
    (
        ("Because searches never fail.", "they do; but that is not the reason"),
        ("Because its result is in the journal.", "it is not: the process died before it could be written down"),
    ),
)
