"""One question to each real service whose key is set in the environment. Without a key the test is skipped by name."""

from __future__ import annotations

import os

import pytest

from planexec.chat import system, user
from planexec.models.openai_model import OpenAIModel
from planexec.models.profiles import named

pytest.importorskip("openai")
SERVICES = {"deepseek": "deepseek-flash", "openai": "gpt-5.4-nano"}


@pytest.mark.check
@pytest.mark.parametrize("profile", sorted(SERVICES))
def test_a_real_service_answers(profile: str) -> None:
    variable = named(profile).key
    if not os.environ.get(variable):
        pytest.skip(f"{variable} is not set: {profile} was not asked")
    model = OpenAIModel(SERVICES[profile], profile=profile, timeout=60.0)
    reply = model.reply(
        [system("Answer with one word."), user("Which city is the capital of France?")], max_tokens=2048
    )
    assert "Paris" in reply.text and reply.complete and reply.usage.prompt_tokens > 0
