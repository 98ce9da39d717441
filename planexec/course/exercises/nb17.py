"""Exercises and quiz of 17_the_same_loop_elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planexec.course.checks import Tried, exercise, expect
from planexec.course.quiz import quiz


@exercise(
    "17.1",
    "next_node",
    lambda seed: (
        "next_node(last, remaining) -> the name of the node that runs after the node `last`: 'plan', 'execute',\n"
        "'replan' or 'report'; 'end' after the last of all. `remaining`: the list of lines that are not done.\n"
        "For example next_node('plan', ['find b']) -> 'execute'; a plan has at least one line."
    ),
    (
        "Two nodes have one way out: which? After the other two it depends on whether a line remains.",
        "After execute, the rest of the plan is looked at only if there is a rest.",
        "After replan: execute if anything remains, else report.",
    ),
)
def _next_node(answer: Callable[[str, list[str]], Any], seed: int) -> list[Tried]:
    rest = ["find b", "compare"][: 1 + seed % 2]
    last_line = "No line remains, so there is nothing to look at again and nothing to carry out: it is time to write."
    cases: list[tuple[str, list[str], str, str]] = [
        ("plan", rest, "execute", "The plan has at least one line, and nobody has carried it out yet."),
        ("execute", rest, "replan", "Before the next line is carried out, the rest of the plan is looked at again."),
        ("execute", [], "report", last_line),
        ("replan", rest, "execute", "The rest was just looked at; now its first line is carried out."),
        ("replan", [], "report", last_line),
        ("report", [], "end", "The answer is written. The name asked for is 'end', in small letters."),
    ]
    return [
        expect(f"next_node({last!r}, {left})", answer(last, left), right, hint) for last, left, right, hint in cases
    ]


@exercise(
    "17.2",
    "node_runs",
    lambda seed: (
        "node_runs(lines) -> how often a node runs, in all, for a plan of `lines` lines (at least one), none of which\n"
        "is added or deleted on the way. Count plan and report too. "
        f"For example node_runs({2 + seed % 2}) -> {5 + 2 * (seed % 2)}"
    ),
    (
        "One run of plan, one of report.",
        "One run of execute for each line.",
        "One run of replan between two lines: after each line but the last.",
    ),
)
def _node_runs(answer: Callable[[int], Any], seed: int) -> list[Tried]:
    return [_one_count(answer(lines), lines) for lines in (1, 2 + seed, 5, 8)]


def _one_count(got: Any, lines: int) -> Tried:
    """Four usual ways to miscount have a hint each."""
    slips = {
        lines: "That is the lines, or the runs of execute. Which other nodes run, and how often?",
        lines + 2: "plan, report and execute are in it. How often is the rest looked at again?",
        2 * lines - 1: "execute and replan are in it. What runs before the first line, what after the last?",
        2 * lines + 2: "One too many: after the last line nothing is looked at again. Or did you count START or END?",
    }
    right = 2 + lines + (lines - 1)
    hint = slips.get(got, "") if isinstance(got, int) and got != right else ""
    return expect(f"node_runs({lines})", got, right, hint)


quiz(
    "17.q1",
    "What does the graph add to the plain loop?",
    "Orchestration: edges that can be listed, nodes that can be watched, a state that is saved between them.",
    (
        (
            "Limits on calls, dollars and repeats.",
            "its one limit counts node runs; the rest came from the gate in both runs",
        ),
        ("Better answers.", "the same model gets the same messages from the same roles, whoever says who is next"),
    ),
    why="in both, the roles do the work and the gate holds the limits; the graph decides only who is next",
)
quiz(
    "17.q2",
    "A graph's recursion limit is 5. How far does a plan of five lines come?",
    "Not to its end: plan, replan and report run too, and each run of a node counts.",
    (
        ("To its end: five lines, five steps.", "the limit counts runs of nodes, not lines of the plan"),
        (
            "To its end: the graph has only four nodes.",
            "a node counts each time it runs, and execute runs once for each line",
        ),
    ),
    why="five lines took 11 node runs: one of plan, five of execute, four of replan and one of report",
)
quiz(
    "17.q3",
    "Why do the guards work inside the graph, unchanged?",
    "Every node reaches model and tools through the same gate.",
    (
        ("The graph calls them after each node.", "the graph does not know them"),
        ("They are part of the prompt.", "no guard is in a prompt here: they are code at the gate"),
    ),
    why="a guard looks at calls, and the gate sees each call whoever makes it; which node is next does not matter to "
    "it",
)
