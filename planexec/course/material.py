"""What the notebooks work on that is neither a world nor a run: replies of planners, questions to be routed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from planexec.paths import data_path


@dataclass(frozen=True)
class PlannerReply:
    """A reply in a shape that models really send. `steps`: what it says; None when it says nothing that can be used."""

    name: str
    text: str
    steps: tuple[str, ...] | None


@dataclass(frozen=True)
class RoutedQuestion:
    """A question to a world, the routes that fit it, and why."""

    world: str
    text: str
    routes: tuple[str, ...]
    why: str


def planner_replies() -> tuple[PlannerReply, ...]:
    """The replies in `data/course/broken_plans.json`, in order: each shape once."""
    return tuple(
        PlannerReply(each["name"], each["text"], None if each["steps"] is None else tuple(each["steps"]))
        for each in _load("broken_plans.json")["replies"]
    )


def routed_questions() -> tuple[RoutedQuestion, ...]:
    """The questions in `data/course/questions.json`, in order."""
    return tuple(
        RoutedQuestion(each["world"], each["text"], tuple(each["routes"]), each["why"])
        for each in _load("questions.json")["questions"]
    )


def _load(name: str) -> Any:
    return json.loads(data_path("course", name).read_text(encoding="utf-8"))
