"""Exercises and quiz of 00_start_here."""

from __future__ import annotations

from typing import Any

from planexec.course.checks import Tried, exercise, expect
from planexec.course.quiz import quiz


@exercise(
    "00.1",
    "tool_calls",
    lambda seed: "tool_calls(result) -> how many tool calls did the run make?",
    (
        "`result.calls` holds every tool call of the run, in order.",
        "len(...) counts what a list holds.",
        "return len(result.calls)",
    ),
)
def _tool_calls(answer: Any, seed: int) -> list[Tried]:
    from planexec import worlds
    from planexec.agent import PlanExecuteAgent
    from planexec.models.simulated import SimulatedModel

    world, tried = worlds.load("finance"), []
    for question in world.questions.values():
        agent = PlanExecuteAgent(SimulatedModel("articles", seed=seed), world.tools, date=world.date)
        result = agent.run(question)
        got = answer(result)
        tried.append(expect(f"a run of {question!r}", got, len(result.calls), _miscounted(got, result)))
    return tried


def _miscounted(got: Any, result: Any) -> str:
    """What was counted instead of the calls."""
    counted = {
        len(result.steps): "That is the number of steps of the plan; a step may make several calls, or none.",
        result.usage.model_calls: "Those are requests to the model; a tool call is what it asks for.",
        result.usage.steps: "Those are the turns that max_steps counts; a turn need not call a tool.",
    }
    return counted.get(got, "") if type(got) is int else ""


# what was answered instead of the kind of a call that found nothing -> what that word stands for
OTHER_WORDS = {
    "found": "That is a call that brought something.",
    "failed": "That is a tool that did not work; this one worked.",
    "no_data": "So a whole step of the plan is called when all its calls found nothing; look at a single call.",
}


@exercise(
    "00.2",
    "answer",
    lambda seed: "Which `kind` has a tool call that worked and found nothing?",
    ("Print `call.kind` for the calls of a run.", "It is neither 'found' nor 'failed'."),
)
def _kind(answer: Any, seed: int) -> list[Tried]:
    said = str(answer).strip().lower()
    wanted = "the `kind` of the calls that found nothing"
    if said == "empty":
        return [Tried(said, said, wanted, True, words=f"{said!r}: the tool worked, and had nothing under these words")]
    return [Tried(said, said, wanted, False, OTHER_WORDS.get(said, ""), f"{said!r} is not {wanted}")]


quiz(
    "00.q1",
    "What does the simulated model know before it is sent a message?",
    "Which look-ups a question needs, but no figure and no name of an answer.",
    (
        (
            "The answers to the course's questions, with their figures and names.",
            "change a number in the question or in the data: the answer follows",
        ),
        (
            "Nothing at all: it works everything out from the messages.",
            "it knows, for example, how to reword a search that came back empty",
        ),
    ),
    why="its plan names searches and sums; the amounts follow the question, and the weights and names come out of the "
    "tools",
)
quiz(
    "00.q2",
    "What happens when you run a notebook with unsolved exercises from top to bottom?",
    "It runs to the end; each check says 'todo'.",
    (
        ("It stops with an error at the first exercise.", "a check never raises an error"),
        ("It runs to the end; the checks are skipped.", "they run, and say what is still to do"),
    ),
    why="`...` is no wrong answer but none yet, in a function as well; the check reports that, and the next cell runs",
)
