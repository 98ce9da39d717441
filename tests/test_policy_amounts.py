"""Figures in questions are read with their units, and never worked out."""

from __future__ import annotations

import pytest

from planexec.models.policy.amounts import amounts, plain, with_digits


@pytest.mark.parametrize(
    ("text", "as_calculated", "size"),
    [
        ("8000亿", "8000亿", 8e11),
        ("800 bn", "800bn", 8e11),
        ("800 billion yuan", "800bn", 8e11),
        ("1.2 trillion", "1.2trillion", 1.2e12),
        ("100万", "100万", 1e6),
        ("500,000", "500000", 5e5),
        ("a 1,000,000-yuan account", "1000000", 1e6),
        ("50k", "50k", 5e4),
        ("3 m", "3m", 3e6),
        ("２０００亿", "2000亿", 2e11),
    ],
)
def test_an_amount_is_read_with_its_unit(text: str, as_calculated: str, size: float) -> None:
    (amount,) = amounts(plain(text))
    assert (amount.text, amount.value, amount.percent) == (as_calculated, pytest.approx(size), False)


@pytest.mark.parametrize(
    ("text", "as_calculated", "share"),
    [
        ("25%", "25%", 0.25),
        ("30 percent", "30%", 0.3),
        ("12.5 per cent", "12.5%", 0.125),
        ("２５％", "25%", 0.25),
        ("3成", "3成", 0.3),
    ],
)
def test_a_share_is_told_from_an_amount(text: str, as_calculated: str, share: float) -> None:
    (amount,) = amounts(plain(text))
    assert (amount.text, amount.value, amount.percent) == (as_calculated, pytest.approx(share), True)


@pytest.mark.parametrize("text", ["2026-11-02", "2026年", "11月2日", "since 2024", "in 2026", "A4", "CO2"])
def test_dates_and_names_are_no_amounts(text: str) -> None:
    assert amounts(plain(text)) == ()


def test_all_figures_of_a_question_stand_in_their_order() -> None:
    question = plain("降准释放8000亿，25%流入股市2000亿，怎么配置100万账户")
    assert [amount.text for amount in amounts(question)] == ["8000亿", "25%", "2000亿", "100万"]


@pytest.mark.parametrize(
    ("words", "digits"),
    [
        ("八千亿的两成", "8000亿的2成"),
        ("一百万", "100万"),
        ("三百五十亿", "350亿"),
        ("十万", "10万"),
        ("一个题目", "一个题目"),
        ("千万别买", "千万别买"),
    ],
)
def test_numbers_in_chinese_words_are_read_before_a_unit(words: str, digits: str) -> None:
    assert with_digits(words) == digits


def test_a_unit_is_not_the_beginning_of_a_word() -> None:
    assert [amount.text for amount in amounts("3 makers and 5 models")] == ["3", "5"]
