"""Roles and stop rules are understood from other words than ours: output form and data tell a role, not a phrase."""

import importlib

import pytest
from paraphrases import EXECUTOR, PLANNER, REACT, REPLANNER, REPORTER, ROUTER, STOP_RULES

from planexec import Limits, PlanExecuteAgent, SimulatedModel, react, worlds
from planexec.executor import PROMPT as EXECUTOR_PROMPT

ROOMS = {
    "planner": PLANNER,
    "executor": EXECUTOR,
    "replanner": REPLANNER,
    "reporter": REPORTER,
    "router": ROUTER,
}
AMOUNTS = {
    "en": ("250,000", "200,000", "150,000", "300,000", "100,000"),
    "zh": ("25万", "20万", "15万", "30万", "10万"),
}


def allocate(lang, **settings):
    world = worlds.load("finance", lang)
    agent = PlanExecuteAgent(SimulatedModel("articles"), world.tools, lang=lang, date=world.date, **settings)
    return agent.run(world.question)


def say(monkeypatch, room, lang, text):
    prompt = importlib.import_module(f"planexec.{room}").PROMPT
    monkeypatch.setitem(prompt, lang, text)


@pytest.mark.parametrize("turn", range(3))
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("room", ROOMS)
def test_one_role_in_other_words_changes_nothing(monkeypatch, room, lang, turn):
    before = allocate(lang)
    say(monkeypatch, room, lang, ROOMS[room][lang][turn])
    after = allocate(lang)
    assert after.route == before.route == "chain" and after.complete
    assert after.plan == before.plan
    assert [(call.tool, call.args, call.kind) for call in after.calls] == [
        (call.tool, call.args, call.kind) for call in before.calls
    ]
    assert all(amount in after.answer for amount in AMOUNTS[lang])


@pytest.mark.parametrize("turn", range(3))
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_role_in_other_words_at_once(monkeypatch, lang, turn):
    for room, texts in ROOMS.items():
        say(monkeypatch, room, lang, texts[lang][turn])
    result = allocate(lang)
    assert result.complete and len(result.calls) == 7
    assert all(amount in result.answer for amount in AMOUNTS[lang])


@pytest.mark.parametrize("turn", range(3))
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_react_in_other_words(lang, turn):
    world = worlds.load("research", lang)
    settings = {"lang": lang, "date": world.date, "guards": ()}
    ours = react(world.question, SimulatedModel("articles"), world.tools, **settings)
    theirs = react(world.question, SimulatedModel("articles"), world.tools, prompt=REACT[lang][turn], **settings)
    assert [call.args for call in theirs.calls] == [call.args for call in ours.calls]
    assert theirs.complete and theirs.answer == ours.answer


UNGUARDED = Limits(max_steps=8, per_step=Limits.none())


def searches_for_the_missing(lang):
    result = allocate(lang, guards=(), limits=UNGUARDED)
    return len(result.steps[0].calls)


@pytest.mark.parametrize("turn", range(3))
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_stop_rule_in_any_words_is_heeded(monkeypatch, lang, turn):
    without = searches_for_the_missing(lang)
    say(monkeypatch, "executor", lang, f"{EXECUTOR_PROMPT[lang]} {STOP_RULES[lang][turn]}")
    assert without > 2 and searches_for_the_missing(lang) == 2
