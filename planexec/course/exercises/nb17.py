"""Exercises and quiz of 17_the_same_loop_elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planexec.course.checks import Tried, exercise, expect
from planexec.course.quiz import quiz


@exercise(
    "17.1",
    "next_node",
    lambda seed: "next_node(last, remaining) -> the name of the node that follows the node `last`, or 'end'.",
    (
        "plan is followed by execute; report by the end.",
        "After execute, the rest of the plan is looked at only if there is a rest.",
        "After replan: execute if anything remains, else report.",
    ),
)
def _next_node(answer: Callable[[str, list[str]], Any], seed: int) -> list[Tried]:
    rest = ["find b", "compare"][: 1 + seed % 2]
    cases: list[tuple[str, list[str], str]] = [
        ("plan", rest, "execute"),
        ("execute", rest, "replan"),
        ("execute", [], "report"),
        ("replan", rest, "execute"),
        ("replan", [], "report"),
        ("report", [], "end"),
    ]
    return [expect(f"next_node({last!r}, {left})", answer(last, left), right) for last, left, right in cases]


@exercise(
    "17.2",
    "supersteps",
    lambda seed: "supersteps(lines) -> how many nodes run for a plan of `lines` lines when nothing is replanned away?",
    (
        "One for the plan, one for the report.",
        "One execute for each line.",
        "One replan after each line but the last.",
    ),
)
def _supersteps(answer: Callable[[int], Any], seed: int) -> list[Tried]:
    return [
        expect(f"supersteps({lines})", answer(lines), 2 + lines + max(0, lines - 1)) for lines in (1, 2 + seed, 5, 8)
    ]


quiz(
    "17.q1",
    "What does the graph add to the plain loop?",
    "Orchestration: nodes that can be drawn, streamed, and saved between them.",
    (
        (
            "Limits on calls, dollars and repeats.",
            "its one limit counts nodes; the rest came from the gate in both runs",
        ),
        ("Better answers.", "model, tools and prompts are the same, and so is the answer"),
    ),
)
quiz(
    "17.q2",
    "A graph's recursion limit is 5. How far does a plan of five lines come?",
    "Not to its end: executing and replanning are two nodes a line.",
    (
        ("To its end: five lines, five steps.", "the limit counts nodes, not lines of the plan"),
        ("It is never reached.", "count the nodes: plan, then two for each line"),
    ),
)
quiz(
    "17.q3",
    "Why do the guards work inside the graph, unchanged?",
    "Every node reaches model and tools through the same gate.",
    (
        ("The graph calls them after each node.", "the graph does not know them"),
        ("They are part of the prompt.", "no guard is in a prompt here: they are code at the gate"),
    ),
)
