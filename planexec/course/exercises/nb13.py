"""Exercises and quiz of 13_a_person_in_the_loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planexec.course.checks import Tried, exercise, expect, shown
from planexec.course.quiz import quiz
from planexec.person import Answer, Request

HOME = ("office.example", "depot.example", "harbour.example")


@exercise(
    "13.1",
    "needs_person",
    lambda seed: (
        "needs_person(args, home) -> must a person agree to this mail? Only when it leaves the house: when the address "
        f'in args["to"] does not end with @ and `home`, for example "{HOME[seed % 3]}". Capitals and spaces around do '
        "not matter; a mail without an address needs a person, too"
    ),
    (
        "strip() and lower() take the spaces and the capitals away.",
        "The sign @ belongs to the comparison: mail.badoffice.example ends with office.example as well.",
        'An argument may be missing: args.get("to", "").',
    ),
)
def _needs_person(answer: Callable[[dict[str, Any], str], Any], seed: int) -> list[Tried]:
    home = HOME[seed % 3]
    cases: list[tuple[dict[str, Any], bool]] = [
        ({"to": f"ann@{home}"}, False),
        ({"to": "archive@elsewhere.example"}, True),
        ({"to": f" Ann@{home.upper()} "}, False),
        ({"to": f"ann@bad{home}"}, True),
        ({"to": f"{home}@elsewhere.example"}, True),
        ({"to": f"ann@{home}.elsewhere.example"}, True),
        ({"subject": "hello"}, True),
    ]
    return [expect(f"needs_person({args}, {home!r})", answer(dict(args), home), right) for args, right in cases]


def clerk(request: Request, most: float) -> Answer | None:
    """The clerk of exercise 13.2: agrees up to `most`, cuts what is larger, knows nothing else."""
    if request.tool != "refund" or request.args is None:
        return None
    if request.args["amount_yuan"] <= most:
        return Answer("approve")
    return Answer("edit", args={**request.args, "amount_yuan": most})


def _asked(tool: str, args: dict[str, Any], kind: str = "approve") -> Request:
    return Request("run:3", kind, f"{tool}({args})", "run", tool, args)


@exercise(
    "13.2",
    "clerk",
    lambda seed: (
        "clerk(request, most) -> a person as a function. It agrees to a refund of up to `most` yuan, for example "
        f"{80 + 20 * (seed % 3)}, cuts a larger one down to that amount leaving the other arguments as they are, and "
        'says None (not now) to every other tool. Answers are Answer("approve") and Answer("edit", args={...})'
    ),
    (
        'request.tool is the tool\'s name, request.args["amount_yuan"] the amount.',
        "Exactly the limit is still agreed to.",
        '{**request.args, "amount_yuan": limit} is a copy with one argument changed.',
    ),
)
def _clerk(answer: Callable[[Request, float], Any], seed: int) -> list[Tried]:
    most = 80 + 20 * (seed % 3)
    requests = [_asked("refund", {"order": "ORDER-005", "amount_yuan": amount}) for amount in (most - 0.5, most)]
    requests += [_asked("refund", {"order": f"ORDER-00{n}", "amount_yuan": most + n}) for n in (1, 300)]
    requests += [_asked("send_mail", {"to": "ann@office.example", "subject": "refund", "body": "done"})]
    return [_tried(answer, request, most) for request in requests]


def _tried(answer: Callable[[Request, float], Any], request: Request, most: float) -> Tried:
    got, right = answer(request, most), clerk(request, most)
    same = (got is None) == (right is None) and (
        right is None or (isinstance(got, Answer) and (got.decision, got.args) == (right.decision, right.args))
    )
    return Tried(f"a request for {request.text}, most {most}", _said(got), _said(right), same)


def _said(answer: Any) -> str:
    if not isinstance(answer, Answer):
        return "None" if answer is None else shown(answer)
    return f"{answer.decision} {answer.args}" if answer.args else answer.decision


quiz(
    "13.q1",
    "The run needs a person, and nobody is there. What happens to its process?",
    "It may end: the question is in the file, and any process goes on from there once it is answered.",
    (
        (
            "It waits in a loop until somebody types an answer.",
            "a blocked process holds memory and dies with a restart",
        ),
        ("It goes on without the call.", "only a run without a file is told that nobody is there, as a refusal"),
    ),
)
quiz(
    "13.q2",
    "What is the difference between reject and reply?",
    "A rejected call is refused, with the reason; a reply stands in for what the call would have brought.",
    (
        (
            "None: the tool is not carried out in either case.",
            "the agent reads a refusal in one, a result in the other",
        ),
        ("Reply carries the call out and adds a comment.", "nothing is carried out; the words are all that comes back"),
    ),
)
quiz(
    "13.q3",
    "Why is 'ask before you send mail outside' written in code and not in the prompt?",
    "A prompt asks the model to ask; a page that the model reads can ask it not to.",
    (
        ("Because prompts are too short for such rules.", "there is room enough; what a prompt lacks is force"),
        ("Because the model does not know what a mail is.", "it knows; but it decides by what it read last"),
    ),
)
