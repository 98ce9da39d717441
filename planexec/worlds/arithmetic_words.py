"""What the calculator says, in both languages: its complaints, and its results with a readable unit."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Context, Decimal, localcontext

MESSAGES: dict[str, dict[str, str]] = {
    "blank": {"en": "the expression is empty", "zh": "算式为空"},
    "long": {
        "en": "the expression has {n} characters; at most {limit} are read",
        "zh": "算式有 {n} 个字符，最多 {limit} 个",
    },
    "deep": {
        "en": "more than {limit} brackets, signs or powers inside one another at position {at}",
        "zh": "第 {at} 个字符处括号、正负号或乘方嵌套超过 {limit} 层",
    },
    "digits": {
        "en": "the number at position {at} has more than {limit} digits",
        "zh": "第 {at} 个字符处的数超过 {limit} 位",
    },
    "exponent": {
        "en": "the exponent at position {at} is beyond {limit}",
        "zh": "第 {at} 个字符处的指数超出 {limit}",
    },
    "zero": {"en": "division by zero", "zh": "除数为零"},
    "range": {
        "en": "the result is too large, too small or not a number",
        "zh": "结果过大、过小或不是数",
    },
    "unknown": {
        "en": "did not understand {what!r} at position {at}: allowed are numbers, x (with `each`), + - * / ^ ( ), "
        "%, 成 and the units {units}",
        "zh": "第 {at} 个字符处的 {what!r} 看不懂：可用数字、x（配合 each）、+ - * / ^ ( )、%、成和单位 {units}",
    },
    "end": {
        "en": "the expression ends where a number or ( was expected",
        "zh": "算式结尾处缺少数字或 (",
    },
    "expected": {
        "en": "expected a number or ( at position {at}, got {what!r}",
        "zh": "第 {at} 个字符处应为数字或 (，却是 {what!r}",
    },
    "operator": {
        "en": "expected + - * / ^ or ) before {what!r} at position {at}",
        "zh": "第 {at} 个字符处的 {what!r} 之前缺少 + - * / ^ 或 )",
    },
    "bracket": {"en": "a ( is not closed", "zh": "有 ( 没有配对的 )"},
    "no_x": {
        "en": "x has no value here: give the values to put in its place as `each`, for example "
        '{{"first": "25%", "second": 0.2}}',
        "zh": 'x 没有值：请用 each 给出要代入的值，例如 {{"甲": "25%", "乙": 0.2}}',
    },
    "unused": {
        "en": "`each` was given, but the expression has no x to put its values in, as in 1000000 * x",
        "zh": "给了 each，但算式里没有代入用的 x，例如 1000000 * x",
    },
    "value": {"en": "the value of {name!r} in `each`: {why}", "zh": "each 中 {name!r} 的值：{why}"},
    "many": {
        "en": "`each` has {n} values; between 1 and {limit} are allowed",
        "zh": "each 有 {n} 个值，允许 1 到 {limit} 个",
    },
}
_SHOWN_UNITS = "亿, 万, 千亿, 万亿, 百万, 千, trillion, billion/bn, million/m, thousand/k"


class ArithmeticProblem(ValueError):
    """An expression that cannot be calculated. `key` names the reason, `message(lang)` says it."""

    def __init__(self, key: str, **details: object):
        self.key = key
        self.details = details
        super().__init__(self.message("en"))

    def message(self, lang: str) -> str:
        details = {
            name: detail.message(lang) if isinstance(detail, ArithmeticProblem) else detail
            for name, detail in self.details.items()
        }
        return MESSAGES[self.key][lang].format(units=_SHOWN_UNITS, **details)


HUGE, TINY = Decimal("1e21"), Decimal("1e-6")
READABLE: Mapping[str, tuple[tuple[Decimal, str], ...]] = {
    "en": ((Decimal("1e12"), " trillion"), (Decimal("1e9"), " bn"), (Decimal("1e6"), " m")),
    "zh": ((Decimal("1e12"), "万亿"), (Decimal("1e8"), "亿"), (Decimal("1e4"), "万")),
}


def readable(value: Decimal, lang: str) -> str:
    """readable(Decimal(2 * 10**11), "en") -> "200 bn (200,000,000,000)"; in Chinese "2000亿 (200,000,000,000)".

    Small values have no unit. Twelve significant digits are shown in full, four decimals beside a unit.
    """
    with localcontext(Context(prec=60)):
        for size, name in READABLE[lang]:
            if size <= abs(value) < HUGE:
                return f"{_digits(value / size, 4, lang)}{name} ({_digits(value, 4, 'en')})"
        return _digits(value, 12, "en")


def _digits(value: Decimal, decimals: int, lang: str) -> str:
    """Plain digits with at most so many decimals, thousands separated in English; very large or small: 1.5e+30."""
    if value and not TINY <= abs(value) < HUGE:
        return f"{value:.6e}"
    text = f"{value:,.{decimals}f}" if lang == "en" else f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
