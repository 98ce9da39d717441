"""The rounds lab: a step that is cut hands over what it found; with room enough it ends by itself."""

from __future__ import annotations

import pytest

from planexec.labs.rounds import MOST, rounds


def test_a_step_that_is_cut_sums_up_what_it_found():
    view = rounds(3)
    assert len(view.step.calls) == 3
    assert view.step.status == "done" and "25%" in view.step.answer
    assert view.text.startswith("3 rounds: cut, summed up in ")


def test_with_room_for_one_more_round_than_calls_it_ends_by_itself():
    steps = rounds(MOST).steps
    calls = len(steps[MOST].calls)
    assert steps[calls].stop is not None
    assert steps[calls + 1].stop is None
    assert "ended by itself" in rounds(calls + 1).text


def test_without_greed_one_call_is_enough():
    assert {len(step.calls) for step in rounds(3, greed=0).steps.values()} == {1}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_picture_holds_every_row_and_lights_the_chosen_one(lang):
    view = rounds(2, lang=lang)
    assert view.svg == rounds(2, lang=lang).svg
    assert all(f"{number} rounds" in view.svg for number in range(2, MOST + 1))
    assert "1 round" in view.svg and "1 rounds" not in view.svg
    assert view.text in repr(view.picture)


@pytest.mark.parametrize("most", [0, MOST + 1, 2.5])
def test_rounds_that_the_dial_does_not_have_are_an_error(most):
    with pytest.raises(ValueError, match="rounds go from 1"):
        rounds(most)
