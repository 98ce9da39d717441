"""Exercises and quiz of 12_checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from itertools import product
from typing import Any

from planexec.course.checks import Tried, exercise, expect, shown
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
        'on_resume(begun, finished, effect, idempotent) -> "run", "reuse" or "ask". All four are True or False. The '
        "first two say which rows the journal holds of a call (finished only comes with begun), the last two are the "
        "flags of its tool: does it change the world, and may it happen twice? For example "
        f'on_resume{_cases(seed)[0]} is "{on_resume(*_cases(seed)[0])}"'
    ),
    (
        'What is finished is reused, whatever it was: "reuse".',
        'What has not begun is run. What only began may be run again when that does no harm: "run".',
        'It does harm when the tool changes the world (effect) and may not happen twice (not idempotent): "ask".',
    ),
)
def _on_resume(answer: Callable[..., Any], seed: int) -> list[Tried]:
    return [_one_on_resume(answer(*case), *case) for case in _cases(seed)]


def _one_on_resume(got: Any, begun: bool, finished: bool, effect: bool, idempotent: bool) -> Tried:
    if got not in ("run", "reuse", "ask"):
        hint = '"run", "reuse" or "ask" is asked for, nothing else.'
    elif finished:
        hint = "It is finished: what came back stands in the journal, and nothing needs to be done or asked."
    elif not begun:
        hint = "The journal holds nothing of this call: it has not happened, whatever its tool is."
    elif effect and not idempotent:
        hint = "It began, changes the world, and may not happen twice: only a person can say whether it happened."
    else:
        why = "may happen twice" if effect else "changes nothing in the world"
        hint = f"It began and is not finished, but it {why}: no harm in doing it again, nobody needs to be asked."
    right = on_resume(begun, finished, effect, idempotent)
    return expect(f"on_resume({begun}, {finished}, {effect}, {idempotent})", got, right, hint)


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
            ("r1-step", "2", "send_mail", {"to": "me", "subject": "shipped"}, 1),
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
NESTED: tuple[Key, tuple[Key, ...], tuple[Key, ...]] = (
    ("r1", "step-3", "ship", {"order": "ORDER-002", "to": {"town": "Eastholm", "house": 4}}, 1),
    (("r1", "step-3", "ship", {"to": {"house": 4, "town": "Eastholm"}, "order": "ORDER-002"}, 1),),
    (("r1", "step-3", "ship", {"order": "ORDER-002", "to": {"town": "Eastholm", "house": 5}}, 1),),
)


class _Elsewhere(str):
    """The same text as in another process: equal, and yet with another hash."""

    def __hash__(self) -> int:
        return super().__hash__() ^ 1


@exercise(
    "12.2",
    "key",
    lambda seed: (
        f"key{CALLS[seed % 2][0]} -> a text that names this call, made of run, step, tool, arguments and n (a step may "
        "really want the same call twice; then n is 2). The same call must get the same text, in another process, too, "
        "and in whatever order the arguments are written, also inside an argument that is a dict itself; every other "
        "call another text"
    ),
    (
        "Two things can go wrong: one call gets two texts (the order of its arguments), or two calls get one.",
        "`import json`; then json.dumps(args, sort_keys=True) does not depend on the order of the arguments.",
        "json.dumps takes a list of all five as well, and keeps ('r', '1-step') and ('r-1', 'step') apart.",
    ),
)
def _key(answer: Callable[..., Any], seed: int) -> list[Tried]:
    tried: list[Tried] = []
    for each in (*CALLS[seed % 2 :], *CALLS[: seed % 2], NESTED):
        tried += _one_key(answer, *each)
        if not all(one.good for one in tried):
            break  # what is wrong here has a hint; the next call might only make the same answer raise
    return tried


def _one_key(answer: Callable[..., Any], call: Key, same: Sequence[Key], others: Sequence[Key]) -> list[Tried]:
    mine = answer(*deepcopy(call))
    text = 'A text is asked for: str(...), f"..." or json.dumps(...).' if mine is not None else ""
    tried = [Tried(f"key{call}", mine, "a text", isinstance(mine, str), text)]
    for each in same:
        got = answer(*deepcopy(each))
        words = f"key{call} gave {shown(mine)}, but with the same arguments in another order {shown(got)}"
        sort = "json.dumps(args, sort_keys=True) writes the same text whatever the order."
        tried.append(Tried(f"key{each}", got, mine, got == mine, sort, words))
    run, step, tool, args, n = deepcopy(call)
    got = answer(_Elsewhere(run), _Elsewhere(step), _Elsewhere(tool), args, n)
    words = f"key{call} gave {shown(mine)}, but in another process {shown(got)}"
    moves = "hash() and id() are different in each process; write the text itself."
    tried.append(Tried(f"key{call}", got, mine, got == mine, moves, words))
    for other in others:
        got = answer(*deepcopy(other))
        words = f"key{call} and key{other} are two calls, and both got {shown(got)}"
        tried.append(Tried(f"key{other}", got, "another text", got != mine, _mixed_up(call, other), words))
    return tried


def _mixed_up(call: Key, other: Key) -> str:
    """What has to be in the key to tell these two calls apart."""
    differ = [name for name, a, b in zip(("run", "step", "tool", "args", "n"), call, other, strict=True) if a != b]
    if len(differ) == 1:
        return f"Only `{differ[0]}` differs: is it in your text?"
    return "Joined, run and step are the same here. json.dumps of a list of all five keeps its parts apart."


quiz(
    "12.q1",
    "What does resuming a run mean here?",
    "Running the same loop again; what the journal holds is not done again.",
    (
        (
            "Loading the variables of the killed process and going on at the line where it stood.",
            "nothing of the process is kept; the loop begins at its top",
        ),
        (
            "Asking the model what it had done, and letting it do the rest.",
            "the model is not asked for anything that is recorded",
        ),
    ),
    why="the path depends on recorded answers only, so the loop comes to the same addresses, and finds there what "
    "came back",
)
quiz(
    "12.q2",
    "The journal says that a mail began and not how it ended. What is known about the mail?",
    "Nothing, unless somebody looks outside.",
    (
        (
            "It was not sent: the end would be recorded.",
            "the process may have died between sending and writing",
        ),
        ("It was sent: begun means carried out.", "begun is written before the mail goes out"),
    ),
    why="killed before sending or after it, the process leaves the same rows: between begun and finished nothing is "
    "written",
)
quiz(
    "12.q3",
    "Why is a look-up that only began made again, without asking anybody?",
    "A second one changes nothing in the world.",
    (
        ("Its result stands in the journal already.", "it does not: the process died before it could be written down"),
        ("It cannot have happened: the process died before.", "it may have happened; only its result is lost"),
    ),
    why="it costs a little and harms nobody; a person is needed only for a tool with an effect that must not happen "
    "twice",
)
