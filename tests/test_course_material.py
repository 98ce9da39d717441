"""The notebooks' material says what it says: every reply is read as it claims, every question has a route that fits."""

from __future__ import annotations

import pytest

from planexec import worlds
from planexec.course.material import planner_replies, routed_questions
from planexec.plans import read_plan
from planexec.router import ROUTES

REPLIES, QUESTIONS = planner_replies(), routed_questions()


@pytest.mark.parametrize("reply", REPLIES, ids=lambda reply: reply.name)
def test_a_reply_is_read_as_what_it_says(reply):
    read = read_plan(reply.text)
    assert tuple(step.goal for step in read.steps) == (reply.steps or ())
    assert (read.status == "parsed") == (reply.steps is not None)


def test_the_replies_are_twenty_shapes_or_more_and_all_different():
    assert len({reply.name for reply in REPLIES}) == len({reply.text for reply in REPLIES}) == len(REPLIES) >= 20
    assert 3 <= sum(reply.steps is None for reply in REPLIES) <= len(REPLIES) / 3


def test_there_are_a_dozen_questions_or_more_and_every_route_is_among_them():
    assert len({question.text for question in QUESTIONS}) == len(QUESTIONS) >= 12
    assert {route for question in QUESTIONS for route in question.routes} == set(ROUTES)
    assert {question.world for question in QUESTIONS} <= set(worlds.NAMES)
    assert all(question.why for question in QUESTIONS)
