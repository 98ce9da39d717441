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
        "A result has `calls`: every tool call of the run, in order.",
        "len(result.calls) counts them; result.usage.tool_calls has counted them already.",
    ),
)
def _tool_calls(answer: Any, seed: int) -> list[Tried]:
    from planexec import worlds
    from planexec.agent import PlanExecuteAgent
    from planexec.models.simulated import SimulatedModel

    world, tried = worlds.load("finance"), []
    for name, question in world.questions.items():
        agent = PlanExecuteAgent(SimulatedModel("articles", seed=seed), world.tools, date=world.date)
        result = agent.run(question)
        tried.append(expect(f"the run of {name!r}", answer(result), len(result.calls)))
    return tried


@exercise(
    "00.2",
    "answer",
    lambda seed: "Which word does a result use for a tool call that worked but found nothing?",
    ("Print `call.kind` for the calls of a run.", "It is neither 'found' nor 'failed'."),
)
def _kind(answer: Any, seed: int) -> list[Tried]:
    said = str(answer).strip().lower()
    return [Tried(repr(said), said, "the `kind` of the calls that found nothing", said == "empty")]


quiz(
    "00.q1",
    "What does the simulated model know that is not in the messages it is sent?",
    "How the worlds hang together, but none of their figures and none of the names in answers.",
    (
        (
            "The answers to the course's questions.",
            "change a number in the question or in the data: the answer follows",
        ),
        ("Nothing at all.", "it knows, for example, which sides a survey has and how to reword a search"),
    ),
)
quiz(
    "00.q2",
    "What happens when you run a notebook with unsolved exercises from top to bottom?",
    "It stays green: each check says 'todo'.",
    (
        ("It stops at the first exercise.", "a check never raises"),
        ("The checks are skipped.", "they run, and say what is still to do"),
    ),
)
