"""The calculator is exact, knows the units of both languages, and survives any text."""

from __future__ import annotations

import json
import time
from decimal import Decimal, getcontext, localcontext
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planexec.tools import Observation
from planexec.worlds import arithmetic
from planexec.worlds.arithmetic import UNITS, evaluate, plain_number
from planexec.worlds.arithmetic_words import ArithmeticProblem, readable
from planexec.worlds.calculator import MAX_VALUES, calculator


def calculate(lang: str = "en", **args: Any) -> Observation:
    return calculator(lang).carry_out(args)


def value(expression: str) -> Any:
    return plain_number(evaluate(expression))


def key_of(expression: str) -> str:
    with pytest.raises(ArithmeticProblem) as caught:
        evaluate(expression)
    return caught.value.key


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("8000亿 * 25%", 200_000_000_000),
        ("800bn * 25%", 200_000_000_000),
        ("８０００亿元×２５％", 200_000_000_000),
        ("25% of 800 billion yuan", 200_000_000_000),
        ("8000亿的25%", 200_000_000_000),
        ("800bn x 25%", 200_000_000_000),
        ("¥1,000,000 × 3成", 300_000),
        ("100万 * 20%", 200_000),
        ("1.5万亿 + 2千亿 - 3百万", 1_699_997_000_000),
        ("2 tn / 4m", 500_000),
        ("CNY 5k + RMB 2 thousand", 7_000),
        ("(1 + 2) * 3 - 4 / 8", 8.5),
        ("(3 + 5)亿", 800_000_000),
        ("-2^2", -4),
        ("2^3^2", 512),
        ("2**-1", 0.5),
        ("1e3 + .5", 1_000.5),
        ("10 − 4 ÷ 2 =", 8),
        ("1/3*3", 1),
        ("0.1 + 0.2", 0.3),
        ("0^0", 1),
    ],
)
def test_what_it_calculates(expression: str, expected: float) -> None:
    assert value(expression) == expected
    assert type(value(expression)) is type(expected)


@pytest.mark.parametrize(
    ("expression", "key"),
    [
        ("", "blank"),
        ("  元 ", "blank"),
        ("1/0", "zero"),
        ("1/(2-2)", "zero"),
        ("0^-1", "zero"),
        ("12 + foo", "unknown"),
        ("3 > 2", "unknown"),
        ("__import__('os')", "unknown"),
        ("25%流入股市", "unknown"),
        ("1,00", "unknown"),
        ("1 +", "end"),
        ("2 3", "operator"),
        ("10 % 3", "operator"),
        ("1.2.3", "operator"),
        (")", "expected"),
        ("* 2", "expected"),
        ("(1 + 2", "bracket"),
        ("2 * x", "no_x"),
        ("9^9^9^9", "exponent"),
        ("1e999", "exponent"),
        ("(-8)^0.5", "range"),
        ("(9^100) * (9^100)", "range"),
        ("(" * 10_000 + "1" + ")" * 10_000, "long"),
    ],
)
def test_what_it_refuses_and_why(expression: str, key: str) -> None:
    assert key_of(expression) == key


def test_the_message_names_the_word_its_place_and_what_is_allowed() -> None:
    seen = calculate(expression="12 + foo").text
    assert "did not understand 'foo' at position 6: allowed are numbers" in seen
    assert "第 6 个字符处的 'foo' 看不懂" in calculate("zh", expression="12 + foo").text


@pytest.mark.parametrize(
    ("at_the_limit", "beyond", "key"),
    [
        ("1+" * 249 + "1 ", "1+" * 250 + "1", "long"),
        ("(" * 39 + "1" + ")" * 39, "(" * 40 + "1" + ")" * 40, "deep"),
        ("-" * 39 + "1", "-" * 40 + "1", "deep"),
        ("9" * 40, "9" * 41, "digits"),
        ("1^100", "1^101", "exponent"),
        ("1e100", "1e101", "exponent"),
    ],
)
def test_at_a_limit_it_answers_and_beyond_it_says_so(at_the_limit: str, beyond: str, key: str) -> None:
    evaluate(at_the_limit)
    assert key_of(beyond) == key


@pytest.mark.parametrize(
    "hostile",
    [
        "9^9^9^9",
        "(" * 10_000,
        "1" * 1_000_000,
        "x" * 1_000_000,
        "9^99^99*" * 62,
        "1.0000001^99.9^" * 33 + "1",
        "7/3^" * 120,
    ],
)
def test_hostile_text_takes_no_time(hostile: str) -> None:
    begun = time.process_time()
    assert calculate(expression=hostile).kind == "failed"
    assert time.process_time() - begun < 0.5


def test_each_value_takes_the_place_of_x() -> None:
    seen = calculate(expression="1000000 * x", each={"banks": "25%", "cash": 0.1, "gold": 0, "rest": "1/4 + 1/8"})
    assert seen.kind == "found"
    assert seen.data == {"values": {"banks": 250_000, "cash": 100_000, "gold": 0, "rest": 375_000}}
    assert seen.text.splitlines()[1] == "banks (x = 25%): 250,000"


def test_text_shows_a_readable_unit_and_plain_digits() -> None:
    assert calculate(expression="800bn * 25%").text == "800bn * 25% = 200 bn (200,000,000,000)"
    assert calculate("zh", expression="8000亿 * 25%").text == "8000亿 * 25% = 2000亿 (200,000,000,000)"
    assert calculate("zh", expression="x*100万", each={"银行": "25%"}).text.endswith("银行 (x = 25%): 25万 (250,000)")
    assert calculate(expression="2/3").text == "2/3 = 0.666666666667"


@pytest.mark.parametrize(
    ("number", "en", "zh"),
    [
        ("0", "0", "0"),
        ("999999", "999,999", "99.9999万 (999,999)"),
        ("-1000000", "-1 m (-1,000,000)", "-100万 (-1,000,000)"),
        ("1234567.891", "1.2346 m (1,234,567.891)", "123.4568万 (1,234,567.891)"),
        ("3e12", "3 trillion (3,000,000,000,000)", "3万亿 (3,000,000,000,000)"),
        ("1e30", "1.000000e+30", "1.000000e+30"),
        ("2e-9", "2.000000e-9", "2.000000e-9"),
    ],
)
def test_readable_units(number: str, en: str, zh: str) -> None:
    assert readable(Decimal(number), "en") == en
    assert readable(Decimal(number), "zh") == zh


@pytest.mark.parametrize(
    ("args", "part"),
    [
        ({"expression": "2 * 3", "each": {"a": 1}}, "has no x"),
        ({"expression": "5 x 2", "each": {"a": 1}}, "has no x"),
        ({"expression": "2 * x", "each": {}}, "has 0 values"),
        ({"expression": "2 * x", "each": {str(i): i for i in range(MAX_VALUES + 1)}}, "has 101 values"),
        ({"expression": "2 * x", "each": {"a": "many"}}, "the value of 'a' in `each`: did not understand 'many'"),
        ({"expression": "2 * x", "each": {"a": float("nan")}}, "did not understand 'nan'"),
        ({"expression": "2 / x", "each": {"a": 0}}, "division by zero"),
        ({"expression": "2 * x"}, "x has no value"),
        ({"expression": None}, "expression"),
        ({"expression": "1", "each": [1]}, "each"),
        ({"formula": "1"}, "formula"),
        ({}, "expression"),
    ],
)
def test_wrong_arguments_are_a_failed_observation_that_says_what_to_do(args: dict[str, Any], part: str) -> None:
    seen = calculate(**args)
    assert (seen.kind, seen.failure) == ("failed", "permanent")
    assert part in seen.text


def test_every_message_speaks_both_languages() -> None:
    for expression in ["", "1/0", "foo", "1+", "2 3", ")", "(1", "x", "1e999", "1" * 41, "1" * 501, "(" * 41]:
        en, zh = calculate(expression=expression).text, calculate("zh", expression=expression).text
        assert en.isascii() or "亿" in en
        assert "无法计算" in zh


def test_the_schema_names_and_describes_every_argument_in_the_language_of_the_run() -> None:
    for lang, word in (("en", "What to calculate"), ("zh", "要计算的算式")):
        properties = calculator(lang).schema["function"]["parameters"]["properties"]
        assert properties["expression"]["description"].startswith(word)
        assert properties["each"]["description"]
    with pytest.raises(ValueError, match="speaks en and zh"):
        calculator("fr")


def test_the_callers_decimal_context_neither_matters_nor_changes() -> None:
    with localcontext() as rough:
        rough.prec = 2
        assert value("12345 * 11111") == 137_165_295
        assert readable(Decimal(137_165_295), "en") == "137.1653 m (137,165,295)"
        assert getcontext().prec == 2


# A reference that is built, not parsed: one tree as text, as an exact fraction, and the largest it was on the way,
# because rounding is relative to that.
Tree = tuple[str, Fraction, Fraction]
_units = sorted(UNITS)


@st.composite
def leaves(draw: st.DrawFn) -> Tree:
    whole, decimals = draw(st.integers(1, 10**9)), draw(st.integers(0, 999))
    style = draw(st.sampled_from(("{w}", "{w}.{d:03}", "{w:,}", "{w:,}.{d:03}")))
    number = Fraction(whole) + (Fraction(decimals, 1000) if "d" in style else 0)
    unit = draw(st.sampled_from(["", "", *_units]))
    exact = number * Fraction(UNITS.get(unit, 1))
    return f"{style.format(w=whole, d=decimals)} {unit}", exact, exact


def combined(children: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    def join(left: Tree, right: Tree, sign: str) -> Tree:
        exact = {"+": left[1] + right[1], "-": left[1] - right[1], "*": left[1] * right[1]}[sign]
        largest = left[2] * right[2] if sign == "*" else left[2] + right[2]
        return f"({left[0]}) {sign} ({right[0]})", exact, largest

    negative = children.map(lambda tree: (f"-({tree[0]})", -tree[1], tree[2]))
    divided = st.builds(lambda a, b: (f"({a[0]}) ÷ ({b[0]})", a[1] / b[1], a[2] / b[1]), children, leaves())
    return st.builds(join, children, children, st.sampled_from("+-*")) | divided | negative


@settings(max_examples=300, deadline=None)
@given(st.recursive(leaves(), combined, max_leaves=4))
def test_it_agrees_with_fractions(tree: Tree) -> None:
    text, exact, largest = tree
    assert abs(Fraction(evaluate(text)) - exact) <= largest * Fraction(1, 10**38)


@settings(deadline=None)
@given(st.fractions(-50, 50, max_denominator=8), st.integers(-12, 12))
def test_powers_agree_with_fractions(base: Fraction, exponent: int) -> None:
    text = f"(({base.numerator})/{base.denominator})^{exponent}"
    if base == 0 and exponent < 0:
        assert key_of(text) == "zero"
    else:
        exact = base**exponent
        assert abs(Fraction(evaluate(text)) - exact) <= abs(exact) * Fraction(1, 10**38)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("+-*/"), st.integers(1, 999)), max_size=8), st.integers(-999, 999))
def test_without_brackets_precedence_is_that_of_python(rest: list[tuple[str, int]], first: int) -> None:
    products = [Fraction(first)]
    for sign, number in rest:
        if sign in "+-":
            products.append(Fraction(number if sign == "+" else -number))
        else:
            products[-1] = products[-1] * number if sign == "*" else products[-1] / number
    exact = sum(products, Fraction(0))
    text = f"{first}" + "".join(f" {sign} {number}" for sign, number in rest)
    assert abs(Fraction(evaluate(text)) - exact) <= sum(map(abs, products)) * Fraction(1, 10**38)


@settings(max_examples=400, deadline=None)
@given(
    st.text(max_size=80)
    | st.text(alphabet="0123456789.,+-*/^()x%亿万千百成元 bnmkteofé×÷＋（）９=?$¥\n\u3000", max_size=80)
)
def test_any_text_is_answered_and_fits_in_json(expression: str) -> None:
    for lang in ("en", "zh"):
        seen = calculate(lang, expression=expression)
        assert seen.kind in ("found", "failed")
        json.dumps([seen.text, seen.data], ensure_ascii=False, allow_nan=False).encode()


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=5), st.text(max_size=9) | st.floats() | st.integers(), max_size=4))
def test_any_values_for_x_are_answered(each: dict[str, Any]) -> None:
    seen = calculate(expression="100 * x - 1/3", each=each)
    assert seen.kind in ("found", "failed")
    assert seen.kind == "failed" or seen.data["values"].keys() == each.keys()


def test_limits_are_what_the_docs_say() -> None:
    assert (arithmetic.MAX_LENGTH, arithmetic.MAX_DEPTH, arithmetic.MAX_DIGITS) == (500, 40, 40)
