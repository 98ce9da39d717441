"""Every world with every entity renamed and every number changed, `knows.json` left alone: the answers follow."""

from __future__ import annotations

import json

import pytest
from renamed_worlds import FILES, NAMES, other_number, other_world, scenarios_of

from planexec.person import Answer, Request
from planexec.trials import Scenario, Setting, trials
from planexec.trials.scenario import carry_out
from planexec.worlds import NAMES as WORLDS
from planexec.worlds.common import read_data

OTHER = {world: other_world(world) for world in WORLDS}


def agrees(request: Request) -> Answer:
    """A person who says yes to everything."""
    return Answer("approve")


CAREFUL = Setting("careful", "careful", person=agrees)
AGENT = Setting("the agent", "articles", person=agrees)


def text_of(world: str) -> str:
    return json.dumps(read_data(world, FILES.get(world, f"{world}.json")), ensure_ascii=False)


@pytest.mark.parametrize("world", WORLDS)
def test_every_name_is_one_of_the_world_and_none_is_left(world: str) -> None:
    before, after = text_of(world), json.dumps(OTHER[world], ensure_ascii=False)
    assert [name for name in NAMES[world] if name not in before] == []
    assert [name for name in NAMES[world] if name in after] == []


def test_numbers_change_and_dates_do_not() -> None:
    assert [other_number(text) for text in ("25", "1,250", "0.34", "9")] == ["35", "2,250", "1.34", "1"]
    entry = next(each for each in OTHER["finance"]["entries"] if each["id"] == "cut-sectors")
    assert list(entry["tables"]["weights"]["en"].items())[:2] == [("mills", "22%"), ("quarries", "18%")]
    assert entry["date"] == "2026-10-12"
    flight = OTHER["flights"]["flights"][0]
    assert (flight["flight"], flight["delay_minutes"], flight["scheduled"]) == ("ROOK101", 108, "09:45")


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("world", WORLDS)
def test_the_answers_follow_the_data(world: str, lang: str) -> None:
    scenarios = [each for loop in ("plan", "react") for each in scenarios_of(world, lang, loop, OTHER[world])]
    table = trials(scenarios, [CAREFUL], [0])
    print(table.summary(["scenario"], outcome=lambda part: part[0]["outcome"], ours=lambda part: part[0]["success"]))
    assert table.where(success=False).column("scenario") == []
    assert table.total("invented_figures") == 0


@pytest.mark.parametrize("world", WORLDS)
def test_the_agent_with_the_fitted_model_follows_too(world: str) -> None:
    table = trials(scenarios_of(world, "en", "plan", OTHER[world]), [AGENT], range(5))
    assert table.where(success=False).column("scenario") == []


@pytest.mark.parametrize(("lang", "amounts"), [("en", ("140,800", "76,800")), ("zh", ("140,800", "76,800"))])
def test_the_allocation_of_the_renamed_world_in_words(lang: str, amounts: tuple[str, str]) -> None:
    scenario = next(
        each for each in scenarios_of("finance", lang, "plan", OTHER["finance"]) if "allocation" in each.case
    )
    answer = carry_out(scenario, CAREFUL, 0).answer
    assert all(each in answer for each in amounts)
    assert "250,000" not in answer


def test_the_right_answer_of_the_renamed_world_is_wrong_in_the_shipped_one() -> None:
    """The judge follows the data as well: it holds no answer of its own."""
    other = next(each for each in scenarios_of("finance", "en", "plan", OTHER["finance"]) if "allocation" in each.case)
    shipped = Scenario("finance", other.question, "en", "plan", answer="allocation")
    answers = {name: carry_out(each, CAREFUL, 0) for name, each in (("other", other), ("shipped", shipped))}
    from planexec.trials.answers import rule_for

    assert rule_for(other).right(answers["other"]) and rule_for(shipped).right(answers["shipped"])
    assert not rule_for(shipped).right(answers["other"]) and not rule_for(other).right(answers["shipped"])
