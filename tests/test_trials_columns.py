"""What the columns and tables of trials are made of: figures in texts, sides of a survey, counting over rows."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from planexec.result import CallDone, Result, RunUsage, StepDone
from planexec.trials import Table, survey
from planexec.trials.figures import figures, untraced
from planexec.worlds.common import read_data

# Figures.


@pytest.mark.parametrize(
    "text",
    ["25万", "250,000", "250000", "250 thousand", "0.25 million", "250k", "25 万", "250,000.0", "0.0025亿"],
)
def test_one_figure_in_many_spellings(text: str) -> None:
    assert untraced(f"It is {text}.", ["the amount is 250,000 yuan"]) == []
    assert [each.value for each in figures(text)] == [pytest.approx(250_000)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("25%", 0.25),
        ("25 ％", 0.25),
        ("三成 3成", 0.3),
        ("800bn", 8e11),
        ("8000亿", 8e11),
        ("-5", -5),
        ("1.2 trillion", 1.2e12),
    ],
)
def test_units_of_size_are_worked_in(text: str, value: float) -> None:
    assert [each.value for each in figures(text)] == [pytest.approx(value)]


@pytest.mark.parametrize(
    "text",
    [
        "on 2026-10-12",
        "2026年10月12日",
        "10月12日",
        "at 14:05",
        "in 2026",
        "1. first\n2) second\n- 3",
        "## 1. Heading",
        "model N3, L2 and PR-21, ORDER-001",
        "https://site.example/2026/17",
    ],
)
def test_dates_times_numbering_and_names_are_no_figures(text: str) -> None:
    assert [each.text for each in figures(text) if each.text != "3"] == []


def test_a_figure_is_listed_as_it_was_written_and_as_often() -> None:
    assert [each.text for each in figures("25% and 25% of 1,000")] == ["25%", "25%", "1,000"]


def test_another_figure_is_not_traced() -> None:
    assert [each.text for each in untraced("banks 26%, then 25%", ["25 %"])] == ["26%"]


@example(2025, "{:,}")
@given(st.integers(0, 10**12), st.sampled_from(["{:,}", "{}", "{} yuan", "（{:,}元）"]))
def test_any_whole_number_is_traced_to_itself_even_one_like_a_year(number: int, form: str) -> None:
    text = "a " + form.format(number) + " b"
    assert untraced(text, [f"it says {number} there"]) == []


@given(st.text(max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    assert untraced(text, [text]) == []


# Sides of a survey.

PAGES = survey.pages_in(
    {
        "pages": [
            {"url": f"https://{side}.example/{n}", "side": side, "title": {"en": f"{side} {n}", "zh": f"{side}{n}"}}
            for side in (*survey.SIDES, "")
            for n in (1, 2, 3)
        ]
    }
)


def searched(*sides: str) -> Result:
    """A run whose searches brought two pages of these sides each, and one of another."""
    calls = tuple(
        CallDone(
            "web_search",
            {"query": side},
            "found",
            f"https://{side}.example/1 https://{side}.example/2 https://safety.example/3",
        )
        for side in sides
    )
    return Result("", True, None, RunUsage(1, 1, 1, 1, 1, None, 1.0), (), (StepDone(1, "g", "done", "", calls),))


def test_a_search_is_about_the_side_of_most_of_its_pages() -> None:
    run = searched("energy", "makers", "energy")
    assert survey.sides_by_round(run, PAGES) == ("energy", "makers", "energy")
    assert survey.covered(run, PAGES) == ("energy", "makers")
    assert survey.coverage_by_round(run, PAGES) == [(1, 1), (2, 2), (3, 2)]


def test_pages_of_no_side_and_searches_in_vain_cover_nothing() -> None:
    vain = CallDone("web_search", {"query": "x"}, "empty", "https://energy.example/1")
    aside = CallDone("web_search", {"query": "x"}, "found", "https://.example/1 nothing")
    other = CallDone("send_mail", {"to": "x"}, "found", "https://energy.example/1")
    run = Result(
        "", True, None, RunUsage(1, 1, 1, 1, 1, None, 1.0), (), (StepDone(1, "g", "done", "", (vain, aside, other)),)
    )
    assert survey.covered(run, PAGES) == ()
    assert survey.evenness(run, PAGES) == 0.0


def test_evenness_is_one_for_even_searches_and_zero_for_one_side() -> None:
    assert survey.evenness(searched(*survey.SIDES), PAGES) == pytest.approx(1.0)
    assert survey.evenness(searched("energy", "energy"), PAGES) == 0.0
    assert 0 < survey.evenness(searched("energy", "energy", "makers"), PAGES) < 1


def test_the_longest_row_of_searches_about_one_side() -> None:
    assert survey.longest(searched("energy", "makers", "makers", "makers", "energy"), PAGES) == 3
    assert survey.longest(searched(), PAGES) == 0


def test_a_side_is_named_by_a_page_of_it() -> None:
    assert survey.sides_named("energy 1 and safety 3 say", PAGES) == ("energy", "safety")
    assert survey.sides_in("see https://makers.example/2, and", PAGES) == ("makers",)


def test_every_shipped_page_belongs_to_one_of_five_sides_or_none() -> None:
    pages = survey.pages_in(read_data("research", "pages.json"))
    assert set(pages.by_url.values()) - {""} == set(survey.SIDES)
    assert len(pages.by_title) == len(pages.by_url)


# Tables.

ROWS = Table(
    [
        {"scenario": "a", "seed": 0, "outcome": "right", "calls": 3, "usd": 0.5},
        {"scenario": "a", "seed": 1, "outcome": "wrong", "calls": 5, "usd": 0.25},
        {"scenario": "b", "seed": 0, "outcome": "right", "calls": None, "usd": 12_000.0},
    ]
)


def test_counting_over_rows() -> None:
    a = ROWS.where(scenario="a")
    assert (len(a), a.percent(outcome="right"), a.median("calls"), a.mean("calls"), a.total("usd")) == (
        2,
        50,
        4,
        4,
        0.75,
    )
    assert (a.share("calls", 5), a.share("calls", 3), a.share("calls", 6)) == (50, 100, 0)
    assert ROWS.share("calls", 0) == pytest.approx(200 / 3)


def test_a_table_without_rows_counts_nothing() -> None:
    none = ROWS.where(scenario="c")
    assert (
        len(none),
        none.percent(outcome="right"),
        none.median("calls"),
        none.mean("calls"),
        none.share("calls", 0),
    ) == (0,) * 5
    assert (none.text(), none._repr_html_(), none.to_csv()) == ("(no rows)", "<p>(no rows)</p>", "\n")


def test_an_unknown_column_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(KeyError, match="scenario, seed, outcome"):
        ROWS.column("colour")


def test_groups_and_summaries_keep_the_order_of_first_appearance() -> None:
    assert list(ROWS.groups("outcome")) == [("right",), ("wrong",)]
    assert ROWS.summary(["scenario"], runs=len).rows == ({"scenario": "a", "runs": 2}, {"scenario": "b", "runs": 1})


def test_a_table_prints_aligned_numbers_and_a_visible_gap() -> None:
    lines = ROWS.text().splitlines()
    assert lines[0] == "scenario  seed  outcome  calls     usd"
    assert lines[1] == "a            0  right        3     0.5"
    assert lines[3] == "b            0  right           12,000"
    long = Table({"n": n} for n in range(100)).text(10).splitlines()
    assert (len(long), long[6].strip()) == (12, "…")


def test_html_is_escaped_and_long_tables_say_that_they_are_cut() -> None:
    html = Table({"text": "<script>"} for _ in range(300))._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;" in html and "100 more rows" in html


def test_a_slice_of_a_table_is_a_table() -> None:
    assert isinstance(ROWS[1:], Table) and len(ROWS[1:]) == 2
    assert ROWS[0]["calls"] == 3
