"""Dials: one draw for each opportunity, independent of every other dial and of every text."""

from __future__ import annotations

import pytest

from planexec.models.policy.dials import DIAL_NAMES, MEANING, Dials, Dice, dials_of, draw, presets

SEEDS = range(200)


def test_there_are_nine_dials_and_each_says_what_it_means() -> None:
    assert len(DIAL_NAMES) == 9 and tuple(MEANING) == DIAL_NAMES
    assert all(row.does and row.opportunity and row.moves for row in MEANING.values())


def test_a_draw_depends_on_seed_dial_and_opportunity_alone() -> None:
    assert draw(3, "drift", 1) == draw(3, "drift", 1)
    assert len({draw(seed, dial, n) for seed in range(5) for dial in DIAL_NAMES for n in range(4)}) == 180
    assert draw(0, "drift", 0) == pytest.approx(0.3755705496)  # the same on every platform and Python


@pytest.mark.parametrize("dial", DIAL_NAMES)
def test_a_dial_strikes_below_its_value_and_never_at_it(dial: str) -> None:
    u = draw(7, dial, 2)
    assert not Dice(Dials(**{dial: u}), 7).strikes(dial, 2)
    assert Dice(Dials(**{dial: min(1.0, u + 1e-9)}), 7).strikes(dial, 2)
    assert not Dice(Dials(), 7).strikes(dial, 2)


@pytest.mark.parametrize("dial", DIAL_NAMES)
def test_over_many_seeds_a_dial_strikes_as_often_as_it_says(dial: str) -> None:
    share = sum(Dice(Dials(**{dial: 0.3}), seed).strikes(dial, 0) for seed in SEEDS) / len(SEEDS)
    assert 0.2 < share < 0.4


@pytest.mark.parametrize("moved", DIAL_NAMES)
def test_moving_one_dial_moves_no_other_decision(moved: str) -> None:
    low, high = (Dice(Dials(**{**dict.fromkeys(DIAL_NAMES, 0.5), moved: value}), 11) for value in (0.0, 1.0))
    others = [(dial, n) for dial in DIAL_NAMES if dial != moved for n in range(20)]
    assert [low.strikes(*each) for each in others] == [high.strikes(*each) for each in others]


@pytest.mark.parametrize("value", [-0.01, 1.01, float("nan"), True, "0.5", None])
def test_a_dial_outside_0_to_1_is_an_error_that_names_it(value: object) -> None:
    with pytest.raises(ValueError, match="drift"):
        Dials(drift=value)  # type: ignore[arg-type]


def test_every_preset_sets_every_dial_and_says_what_was_fitted() -> None:
    assert set(presets()) >= {"articles", "careful", "reckless"}
    for name, preset in presets().items():
        assert set(preset["dials"]) == set(DIAL_NAMES), name
        assert dials_of(name, {}) == Dials(**preset["dials"])
        assert set(preset["about"]) == {"en", "zh"}
        assert isinstance(preset["fitted"], list) and isinstance(preset["predicted"], list)
        assert not set(preset["fitted"]) & set(preset["predicted"])


def test_careful_has_no_fault_and_heeds() -> None:
    assert dials_of("careful", {}) == Dials(heed=1.0)


def test_unknown_presets_and_dials_are_errors_that_list_the_known_ones() -> None:
    with pytest.raises(ValueError, match="articles"):
        dials_of("wild", {})
    with pytest.raises(TypeError, match="gullible"):
        dials_of("articles", {"drfit": 0.5})


def test_a_change_of_one_dial_leaves_the_presets_others() -> None:
    changed = dials_of("articles", {"drift": 0.0})
    assert changed.drift == 0.0 and changed.greed == dials_of("articles", {}).greed
