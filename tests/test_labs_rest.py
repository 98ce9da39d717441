"""The rest of a plan, asked about once, and what asking is worth when the plan is not right."""

from __future__ import annotations

import pytest

from planexec.labs.rest import rest_after, survey_by
from planexec.trials.survey import covered

SIDES = (
    "Energy density and the models on sale",
    "Solid-state, LMFP and sodium-ion batteries",
    "The makers' routes",
    "Fast charging and high-voltage platforms",
    "Safety and standards",
)
DONE, REST = {"find the map": "A map."}, ["measure the parks", "write"]


@pytest.mark.parametrize(
    ("answer", "left", "said"),
    [
        ("[]", [], "nothing is left"),
        ("It still looks good to me.", [2, 3], "not used, the plan stays: no list"),
        ('["Find the map!"]', [2, 3], "not used, the plan stays: the answer names only"),
        ('["find the map", "write"]', [3], "taken: finished already, left out: find the map"),
        ('["MEASURE THE PARKS", "write"]', [2, 3], "taken"),
        ('[{"id": 2, "goal": "measure the lakes"}]', [2], "taken: step 2 has new words"),
        ('["draw"]', [4], "taken"),
        (str([f"page {n}" for n in range(7)]).replace("'", '"'), [4, 5, 6, 7, 8, 9, 10], "taken"),
        (str([f"page {n}" for n in range(8)]).replace("'", '"'), [2, 3], "not used, the plan stays: it has 8 steps"),
    ],
)
def test_what_an_answer_leaves_of_the_plan(answer, left, said):
    view = rest_after(DONE, REST, answer)
    assert [step.id for step in view.after] == left
    assert view.text.startswith(said) and repr(view).endswith(view.text)


def test_the_simulated_model_keeps_deletes_adds_and_reorders():
    first = {SIDES[0]: "Found."}
    assert rest_after(first, SIDES[1:]).diff.count("\n  ") == 3
    assert "- 3 Sodium" in rest_after(first | {SIDES[1]: "Found."}, ["Sodium-ion batteries", *SIDES[2:]]).diff
    assert "+ 4 The makers' routes" in rest_after(first, [SIDES[1], SIDES[3]]).diff
    goals = ["Work out the amount for each sector: 1,000,000 times its weight", "Find the weight of each sector"]
    assert rest_after({}, goals, world="finance").diff.endswith("(in another order)")


def test_the_replanner_is_sent_the_beginning_of_a_result():
    sent = rest_after({"find the map": "word " * 400}, REST, "[]").sent
    assert len(sent["done"][0]["result"]) == 300
    assert sent["remaining"] == [{"id": 2, "goal": REST[0]}, {"id": 3, "goal": REST[1]}]


@pytest.mark.parametrize(("most", "sides"), [(0, 3), (6, 5)])
def test_only_asking_mends_a_plan_that_lacks_two_sides(most, sides):
    run = survey_by([SIDES[0], SIDES[1], SIDES[3]], most)
    assert len(covered(run)) == sides and run.complete
    assert run.replans == (most and 4)


def test_on_a_plan_that_lacks_nothing_asking_only_costs_requests():
    unasked, asked = survey_by(SIDES, 0), survey_by(SIDES, 6)
    assert covered(unasked) == covered(asked)
    assert asked.usage.model_calls == unasked.usage.model_calls + 4
