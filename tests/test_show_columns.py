"""Text in columns: nothing is lost, nothing is wider than it may be, nothing steers the terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planexec.show.columns import clean, columns, fit, pad, wrap

MIXED = st.text(alphabet="ab 1,.-é降准，。（）\u0301🙂\n", max_size=120)


@pytest.mark.parametrize(
    ("text", "wide"),
    [("", 0), ("rate cut", 8), ("降准", 4), ("ab降准", 6), ("e\u0301", 1), ("ＡＢ", 4), ("a\u200bb", 2)],
)
def test_chinese_takes_two_columns_and_accents_none(text, wide):
    assert columns(text) == wide


@given(MIXED, st.integers(min_value=4, max_value=40))
def test_no_line_is_wider_than_its_room_and_nothing_is_lost(text, room):
    lines = wrap(text, room)
    assert all(columns(line) <= room for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_words_and_figures_are_not_torn():
    assert wrap("banks get 250,000 yuan", 14) == ["banks get", "250,000 yuan"]


def test_a_closing_mark_stays_with_what_it_closes():
    assert wrap("降准利好银行。", 12) == ["降准利好银", "行。"]


def test_paragraphs_and_indentation_stay():
    assert wrap("one\n\n  two", 20) == ["one", "", "  two"]


def test_a_word_longer_than_the_room_is_cut_where_it_must_be():
    assert wrap("a " + "x" * 25, 10) == ["a", "x" * 10, "x" * 10, "x" * 5]


def test_more_lines_than_allowed_are_cut_visibly():
    text = "one two three four five six"
    assert wrap(text, 9, 2) == ["one two", "three ..."]
    assert wrap(text, 9, 4) == wrap(text, 9)


@pytest.mark.parametrize(
    ("text", "shown"), [("short", "short"), ("a longer text", "a lon..."), ("降准利好银行", "降准...")]
)
def test_fit_makes_one_line_and_shows_a_cut(text, shown):
    assert fit(text, 8) == shown


def test_pad_fills_up_in_columns():
    assert pad("降准", 6) + "|" == "降准  |"
    assert pad("longer than that", 4) == "longer than that"


@pytest.mark.parametrize("steering", ["\x1b[31m", "\x07", "\r", "\u202e", "\x9b", "\x00", "\u2028"])
def test_what_would_steer_the_terminal_becomes_a_mark(steering):
    shown = clean(f"a{steering}b")
    assert "\ufffd" in shown
    assert not any(character in shown for character in "\x1b\x07\r\u202e\x9b\x00\u2028")


def test_newlines_tabs_and_joined_emoji_are_text():
    assert clean("a\r\nb\tc \u200d") == "a\nb c \u200d"
