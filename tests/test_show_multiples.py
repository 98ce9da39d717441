"""Small multiples: one chart a measure, each on a scale of its own, and every number in the text beside the picture."""

from __future__ import annotations

import pytest

pytest.importorskip("matplotlib")
from planexec.show.multiples import multiples

VALUES = {"sides": {"ReAct": 1, "plan": 5}, "tokens": {"ReAct": 10_363, "plan": 20_109}}


def test_every_number_stands_in_the_text():
    assert repr(multiples(VALUES, "The plan covers more")) == (
        "Figure: The plan covers more. sides: ReAct 1, plan 5; tokens: ReAct 10,363, plan 20,109."
    )


def test_each_measure_has_a_scale_of_its_own_and_its_numbers_on_the_bars():
    axes = multiples(VALUES, "T").figure.axes
    assert [each.get_title() for each in axes] == ["sides", "tokens"]
    assert axes[0].get_ylim()[1] < 10 < axes[1].get_ylim()[1]
    assert [text.get_text() for text in axes[1].texts] == ["10,363", "20,109"]


def test_bars_are_told_apart_without_colour():
    first, second = multiples(VALUES, "T").figure.axes[0].patches
    assert first.get_hatch() != second.get_hatch()


def test_the_same_values_give_the_same_picture():
    assert multiples(VALUES, "T").png() == multiples(VALUES, "T").png()
