"""What the articles report, over 200 seeds of one preset: each table is printed, and each figure asserted.

Run with `-s` to read them. Bands and figures are those that the course claims; none is widened for fewer seeds.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from planexec.models.policy.dials import presets
from planexec.react_loop import PROMPT
from planexec.trials import Setting, Table, published, trials
from planexec.trials.published import budget, counters, flights, survey
from planexec.trials.published.lines import bare, mark
from planexec.trials.scenario import Scenario, carry_out

Figures = dict[str, float]
PAGE = (Path(__file__).parents[1] / "docs" / "wind_tunnel.md").read_text("utf-8")


@pytest.fixture(scope="module")
def figures() -> Callable[..., Figures]:
    """Each table is made once; figures("B10") -> {"not delayed, unguarded": 27.0, ...}, and printed."""
    made: dict[tuple[str, str], Figures] = {}

    def of(name: str, lang: str = "en") -> Figures:
        if (name, lang) not in made:
            table = published.table(name, lang=lang)
            print(f"\n{name}, {lang}, {len(published.SEEDS)} seeds, preset {published.PRESET!r}\n{table.text(60)}")
            assert lang != "en" or table.markdown() in PAGE, f"docs/wind_tunnel.md shows another table {name}"
            made[name, lang] = dict(zip(table.column("figure"), table.column("ours"), strict=True))
        return made[name, lang]

    return of


LANGS = ["en", pytest.param("zh", marks=pytest.mark.check)]
everywhere = pytest.mark.parametrize("lang", LANGS)


# What all tables share.


def test_there_is_one_preset_one_list_of_two_hundred_seeds_and_one_default_seed() -> None:
    assert (published.PRESET, list(published.SEEDS), published.SEED) == ("articles", list(range(200)), 0)


@pytest.mark.parametrize("name", published.NAMES)
def test_every_line_says_its_unit_the_published_figure_and_whether_it_was_fitted(name: str) -> None:
    table = published.table(name, range(2))
    assert list(table[0]) == ["figure", "ours", "unit", "published", "source", "mark"]
    assert set(table.column("mark")) <= {"fitted", "predicted"}
    assert all(table.column("unit")) and all(table.column("published"))
    assert len(set(table.column("figure"))) == len(table)


def test_marks_come_from_the_preset() -> None:
    preset = presets()["articles"]
    assert {mark(each) for each in preset["fitted"]} == {"fitted"}
    assert {mark(each) for each in preset["predicted"]} == {"predicted"}


def test_an_unknown_table_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match="B10"):
        published.table("B99")


# A1: ReAct drifts, Plan-and-Execute covers, with the same allowance.


@everywhere
def test_a1_react_digs_into_one_topic_and_planning_covers_all_sides(figures: Callable[..., Figures], lang: str) -> None:
    ours = figures("A1", lang)
    assert ours["ReAct: searches on the striking topic"] >= 3
    assert ours["ReAct: coverage"] <= 2
    assert ours["Plan-and-Execute: coverage"] == 5
    assert ours["ReAct, drift=0: coverage"] == 5
    assert ours["Plan-and-Execute, drift=0: coverage"] == 5
    assert ours["all: invented figures"] == 0


def test_a1_both_loops_get_the_same_searches_and_tokens_and_neither_is_cut() -> None:
    table = survey.runs(range(20))
    assert set(table.column("stop_reason")) == {""}
    assert max(table.column("tool_calls")) <= (survey.ALLOWANCE.max_calls_per_tool or 0)
    assert max(table.column("tokens")) <= (survey.ALLOWANCE.max_tokens or 0)


@everywhere
def test_a1_every_figure_of_a_report_is_traced_and_an_invented_one_is_caught(lang: str) -> None:
    """In every world and both loops: nothing is flagged that was found, and nothing gets through that was made up."""
    questions = {"research": "survey", "finance": "allocation", "flights": "weather", "duty": "prepare"}
    scenarios = [
        Scenario(world, question, lang, loop, case=f"{world}/{loop}")
        for world, question in questions.items()
        for loop in ("plan", "react")
    ]
    lying = Setting("invent = 1", published.PRESET, {"invent": 1.0})
    done = trials(scenarios, [Setting("as it is", published.PRESET), lying], range(10))
    print(done.summary(["scenario", "setting"], caught_percent=lambda part: part.share("invented_figures", 1)))
    assert done.where(setting="as it is").total("invented_figures") == 0
    assert done.where(setting="invent = 1").share("invented_figures", 1) == 100


# B3: the budget.


@everywhere
def test_b3_three_steps_never_suffice_and_eight_nearly_always_do(figures: Callable[..., Figures], lang: str) -> None:
    curve = [figures("B3", lang)[f"max_steps = {n}"] for n in budget.STEPS]
    assert curve[0] == 0
    assert curve[-1] >= 95
    assert curve == sorted(curve)


# B4, B6 to B9: searches that do not stop.


@everywhere
def test_b4_one_search_would_do_and_the_model_makes_four(figures: Callable[..., Figures], lang: str) -> None:
    ours = figures("B4", lang)
    assert ours["ReAct, unguarded"] == 4
    assert ours["ReAct, the step's counter at 2"] < 4
    assert ours["ReAct, the step's counter at 2: right"] >= 95
    assert ours["the agent: routed, counters as they are"] == 1


@everywhere
def test_b9_the_line_in_the_prompt_helps_one_case_and_code_helps_both(
    figures: Callable[..., Figures], lang: str
) -> None:
    ours = figures("B9", lang)
    assert (ours["case 1, unguarded"], ours["case 1, prompt"]) == (5, 2)
    assert (ours["case 2a, unguarded"], ours["case 2a, prompt"]) == (4, 4)
    assert ours["case 1, counters"] <= 3
    assert ours["case 2a, counters"] < 4


@everywhere
def test_b7_a_counter_over_the_whole_run_cuts_an_honest_chain_and_one_in_the_step_does_not(
    figures: Callable[..., Figures], lang: str
) -> None:
    ours = figures("B9", lang)
    assert ours["chain of five lines, counter over the run: calls"] == 4
    assert ours["chain of five lines, counter over the run: right"] == 0
    assert ours["chain of five lines, counter in the step: right"] >= 95
    assert ours["chain of five lines, counter in the step: searches in vain"] <= 3


def test_b9_the_prompt_says_nothing_but_the_rule_more() -> None:
    for lang in ("en", "zh"):
        assert counters.prompt(lang).startswith(PROMPT[lang])
        assert counters.prompt(lang).removeprefix(PROMPT[lang]) == counters.RULE[lang]


# B5, B14: chains of four.


@everywhere
def test_b5_a_chain_of_four_steps_is_clean(figures: Callable[..., Figures], lang: str) -> None:
    ours = figures("B5", lang)
    assert ours["right: both amounts and the lists"] >= 95
    assert (ours["tool calls"], ours["calls that were not needed"]) == (4, 0)


def test_b14_the_same_loop_prepares_an_officer_in_both_languages(figures: Callable[..., Figures]) -> None:
    ours = figures("B14")
    assert min(ours["en: right"], ours["zh: right"]) >= 95
    assert ours["en: tool calls, one a step"] == ours["zh: tool calls, one a step"] == 4


# B10: fifteen flights.

BANDS = {
    "delayed by weather": (95, 100),
    "not delayed": (20, 47),
    "data missing": (35, 65),
    "interface failing": (0, 5),
}


@everywhere
def test_b10_unguarded_rates_lie_in_their_bands_and_guarded_ones_above_95(
    figures: Callable[..., Figures], lang: str
) -> None:
    ours = figures("B10", lang)
    for group, (least, most) in BANDS.items():
        assert least <= ours[f"{group}, unguarded"] <= most, group
    for group, _ in flights.GROUPS.values():
        assert ours[f"{group}, guarded"] >= 95, group


def test_b10_the_run_with_six_identical_calls_that_a_recursion_limit_ended() -> None:
    scenario = next(each for each in flights.questions() if each.case == "no_data-1")
    result = carry_out(scenario, flights.UNGUARDED, published.SEED)
    print("\n" + "\n".join(f"{n}. {call.tool}({call.args}) -> {call.kind}" for n, call in enumerate(result.calls, 1)))
    assert [(call.tool, call.args, call.kind) for call in result.calls] == [
        ("flight_status", {"flight": "KITE431", "date": "2026-10-16"}, "empty")
    ] * 6
    assert result.stop is not None and result.stop.reason == "max_steps"
    assert result.answer == ""


# The default seed shows each published figure in one run.


def test_the_default_seed_shows_every_published_figure() -> None:
    seed = published.SEED
    shown = {
        name: published.table(name, [seed]).where(mark="fitted").column("ours") for name in ("A1", "B4", "B9", "C")
    }
    print(shown)
    survey_row: Table = survey.runs([seed]).where(scenario="ReAct", setting="articles")
    assert survey_row[0]["on_topic"] in (3, 4) and survey_row[0]["sides_covered"] <= 2
    assert shown["B4"][0] == 4
    assert shown["B9"] == [5, 2, 4, 4]
    assert shown["C"][:3] == [238, 47, 12.3]


def test_a_bare_model_has_no_counter_no_limit_but_one_and_no_last_word() -> None:
    """What "unguarded" means in every table."""
    setting = bare("bare", 3)
    result = carry_out(Scenario("finance", "allocation", "en", "react"), setting, 0)
    assert setting.guards == () and setting.limits.per_step is not None and setting.limits.per_step.max_steps is None
    assert [name for name, value in setting.limits.to_dict().items() if isinstance(value, int) and value > 1] == [
        "max_steps"
    ]
    assert (len(result.calls), result.answer) == (3, "")
