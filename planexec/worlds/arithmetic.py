"""Arithmetic with Chinese and English units, safe against any text.

`evaluate("8000亿 * 25%")` -> Decimal("200000000000"). A hand-written tokenizer and a recursive descent, so nothing is
ever executed; length, depth, digits and exponents are bounded, so nothing takes long or grows large.

Not handled: comparisons, functions, numbers written out in words, units other than those of `UNITS`, and
currencies, which are read over without a conversion.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Context, Decimal, DivisionByZero, InvalidOperation, Overflow, Underflow, localcontext
from functools import lru_cache

from planexec.worlds.arithmetic_words import ArithmeticProblem

MAX_LENGTH = 500  # characters of an expression
MAX_DEPTH = 40  # brackets, signs and powers inside one another
MAX_DIGITS = 40  # digits of one number
MAX_EXPONENT = 100  # of a power, either way, and of ten in any number on the way
PRECISION = 50  # significant digits while calculating
RESULT_DIGITS = 40  # significant digits of a result: 1 / 3 * 3 is 1 again

UNITS: dict[str, Decimal] = {
    word: Decimal(value)
    for value, words in {
        "1e12": "万亿 trillion trillions tn trn t",
        "1e11": "千亿",
        "1e10": "百亿",
        "1e9": "十亿 billion billions bn b",
        "1e8": "亿 億",
        "1e7": "千万",
        "1e6": "百万 million millions mn mln m",
        "1e5": "十万",
        "1e4": "万 萬 w",
        "1e3": "千 thousand thousands k",
        "1e2": "百",
        "0.1": "成",
        "0.01": "% percent pct",
    }.items()
    for word in words.split()
}
_CURRENCIES = frozenset({"元", "人民币", "美元", "yuan", "cny", "rmb", "usd", "dollar", "dollars", "¥", "$"})
_OPERATORS = {"×": "*", "÷": "/", "**": "^", "−": "-", "–": "-", "·": "*", "of": "*", "的": "*"}
_CHINESE_WORDS = sorted((word for word in [*UNITS, *_CURRENCIES, "的"] if word > "\u2fff"), key=lambda word: -len(word))
_TOKEN = re.compile(
    r"\s*(?:(?P<number>[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]{1,4})?)"
    rf"|(?P<word>[a-z]+|{'|'.join(_CHINESE_WORDS)})"
    r"|(?P<sign>\*\*|[-+*/^()%×÷−–·¥$])"
    r"|(?P<other>\S[^\s0-9()+*/^-]{0,19}))"
)


@lru_cache(maxsize=4096)  # thousands of simulated runs calculate the same things
def evaluate(expression: str, x: Decimal | None = None) -> Decimal:
    """The value of `expression`, with `x` in the place of the letter x. Raises only `ArithmeticProblem`.

    "x" after a number is a multiplication sign ("800bn x 25%"), elsewhere the value; an expression that needs the
    value without having one is a problem with the key "no_x". Powers bind to the right and more tightly than a
    sign. Exact up to 40 significant digits.
    """
    tokens = _tokens(expression)
    # Rounding is what the precision is for; only what would be a wrong figure is an error.
    context = Context(
        prec=PRECISION,
        Emax=MAX_EXPONENT,
        Emin=-MAX_EXPONENT,
        traps=[DivisionByZero, InvalidOperation, Overflow, Underflow],
    )
    with localcontext(context) as active:
        try:
            value = _Reader(tokens, x).whole()
            active.prec = RESULT_DIGITS
            return +value
        except DivisionByZero:
            raise ArithmeticProblem("zero") from None
        except (InvalidOperation, Overflow, Underflow):
            raise ArithmeticProblem("range") from None


def plain_number(value: Decimal) -> int | float:
    """An int when the value is whole, else the nearest float: Decimal("2.50") -> 2.5, Decimal("4.0") -> 4."""
    return int(value) if value == value.to_integral_value() else float(value)


def _plain(text: str) -> str:
    """Full-width forms become ordinary ones, letter by letter, so that positions stay true."""
    pairs = ((character, unicodedata.normalize("NFKC", character).lower()) for character in text)
    return "".join(plain if len(plain) == 1 else character for character, plain in pairs)


def _tokens(expression: str) -> list[tuple[str, str, int]]:
    """[(kind, text, position from 1)]: kinds are number, word, operator. Currencies and a last "=" are left out."""
    if len(expression) > MAX_LENGTH:
        raise ArithmeticProblem("long", n=len(expression), limit=MAX_LENGTH)
    text = re.sub(r"[=?\s]+$", "", _plain(expression))
    tokens = []
    at = 0
    while (match := _TOKEN.match(text, at)) is not None:
        kind = str(match.lastgroup)
        word, begin, at = match[kind], match.start(kind) + 1, match.end()
        if word in _CURRENCIES:
            continue
        if kind == "other" or (kind == "word" and word not in UNITS and word not in _OPERATORS and word != "x"):
            raise ArithmeticProblem("unknown", what=word[:20], at=begin)
        tokens.append((kind, _OPERATORS.get(word, word), begin))
    if not tokens:
        raise ArithmeticProblem("blank")
    return tokens


class _Reader:
    """Reads tokens from left to right, one method for each level of precedence."""

    def __init__(self, tokens: list[tuple[str, str, int]], x: Decimal | None):
        self.tokens = tokens
        self.x = x
        self.next = 0
        self.depth = 0

    def peek(self) -> str:
        return self.tokens[self.next][1] if self.next < len(self.tokens) else ""

    def take(self, *wanted: str) -> str:
        """The next token if it is one of `wanted`, else an empty text."""
        word = self.peek()
        if word and word in wanted:
            self.next += 1
            return word
        return ""

    def problem(self, key: str, at: int | None = None) -> ArithmeticProblem:
        _, word, position = self.tokens[min(self.next, len(self.tokens) - 1)]
        limits = {"deep": MAX_DEPTH, "digits": MAX_DIGITS, "exponent": MAX_EXPONENT}
        return ArithmeticProblem(key, what=word[:20], at=at or position, limit=limits.get(key))

    def whole(self) -> Decimal:
        value = self.sum()
        if self.next < len(self.tokens):
            raise self.problem("operator")
        return value

    def sum(self) -> Decimal:
        value = self.product()
        while sign := self.take("+", "-"):
            value = value + self.product() if sign == "+" else value - self.product()
        return value

    def product(self) -> Decimal:
        value = self.signed()
        while sign := self.take("*", "x", "/"):  # an x after a value is a multiplication sign
            if sign != "/":
                value *= self.signed()
            elif (divisor := self.signed()) == 0:
                raise ArithmeticProblem("zero")
            else:
                value /= divisor
        return value

    def signed(self) -> Decimal:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.problem("deep")
        sign = self.take("+", "-")
        value = self.signed() if sign else self.power()
        self.depth -= 1
        return -value if sign == "-" else value

    def power(self) -> Decimal:
        base = self.with_units()
        at = self.tokens[min(self.next, len(self.tokens) - 1)][2] + 1
        if not self.take("^"):
            return base
        exponent = self.signed()
        if abs(exponent) > MAX_EXPONENT:
            raise self.problem("exponent", at)
        if base == 0 and exponent < 0:
            raise ArithmeticProblem("zero")
        return base**exponent if base or exponent else Decimal(1)

    def with_units(self) -> Decimal:
        value = self.atom()
        while (unit := self.peek()) in UNITS:
            value *= UNITS[unit]
            self.next += 1
        return value

    def atom(self) -> Decimal:
        if self.next >= len(self.tokens):
            raise ArithmeticProblem("end")
        kind, word, _ = self.tokens[self.next]
        if kind == "number":
            return self.number(word)
        if self.take("x"):
            if self.x is None:
                raise ArithmeticProblem("no_x")
            return self.x
        if not self.take("("):
            raise self.problem("expected")
        value = self.sum()
        if not self.take(")"):
            raise self.problem("operator") if self.next < len(self.tokens) else ArithmeticProblem("bracket")
        return value

    def number(self, word: str) -> Decimal:
        digits, _, exponent = word.replace(",", "").partition("e")
        if len(digits.replace(".", "")) > MAX_DIGITS:
            raise self.problem("digits")
        if abs(int(exponent or 0)) > MAX_EXPONENT:
            raise self.problem("exponent")
        self.next += 1
        return Decimal(f"{digits}e{exponent or 0}")
