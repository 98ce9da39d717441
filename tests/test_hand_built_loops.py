"""What notebook 06 builds by hand does what the package does, for every preset and many seeds."""

from __future__ import annotations

import pytest
from hand_built import hand_built

from planexec import Limits, PlanExecuteAgent, SimulatedModel, worlds

ROOM = Limits(max_tool_calls=30, max_steps=30)


@pytest.fixture(scope="module")
def by_hand(tmp_path_factory):
    return hand_built("06", tmp_path_factory.mktemp("by_hand"))


@pytest.mark.parametrize("preset", ["articles", "careful"])
@pytest.mark.parametrize(
    ("name", "question"), [("research", "survey"), ("finance", "allocation"), ("finance", "split")]
)
def test_the_whole_loop_by_hand_is_the_agents(by_hand, preset, name, question):
    world = worlds.load(name)
    for seed in range(5):
        model = SimulatedModel(preset, seed=seed)
        asked = world.questions[question]
        answer, steps, used = by_hand.whole_loop(asked, model, world.tools, ROOM, world.date)
        agent = PlanExecuteAgent(model, world.tools, ROOM, guards=(), date=world.date, loop="plan")
        result = agent.run(asked)
        assert answer == result.answer
        assert [(step.id, step.status, step.calls) for step in steps] == [
            (step.id, step.status, step.calls) for step in result.steps
        ]
        assert (used.model_calls, used.tool_calls) == (result.usage.model_calls, result.usage.tool_calls)
