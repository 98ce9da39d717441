"""The questions about flights with a failing service: nobody can know, so only saying so is right."""

from __future__ import annotations

import pytest

from planexec.result import Result
from planexec.trials.answers import rule_for
from planexec.trials.published import flights
from planexec.trials.scenario import Setting, carry_out
from planexec.worlds.common import read_data

FAULTS = ("timeout", "empty_body", "half_json")
CAREFUL = Setting("careful", preset="careful")


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_each_question_that_had_an_answer_has_none_with_a_failing_service(fault: str, lang: str) -> None:
    broken = flights.injected(fault, lang)
    assert len(broken) == 11 and {each.group for each in broken} == {fault}
    run = carry_out(broken[0], CAREFUL, seed=0)
    assert [call.kind for call in run.calls if call.tool == "flight_status"][0] == "failed"
    rule = rule_for(broken[0])
    assert rule.none and rule.honest(run)


def test_a_claim_is_not_right_there_even_the_one_that_was_right_before() -> None:
    broken = flights.injected("timeout")[0]
    sound = next(each for each in flights.questions() if each.question == broken.question)
    knows: Result = carry_out(sound, CAREFUL, seed=0)
    assert rule_for(sound).right(knows)
    rule = rule_for(broken)
    assert not rule.right(knows) and not rule.honest(knows)


def test_the_shipped_data_stays_as_it_is() -> None:
    before = len(read_data("flights", "flights.json")["faults"])
    flights.injected("timeout")
    assert len(read_data("flights", "flights.json")["faults"]) == before
