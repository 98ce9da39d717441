"""The calculator as a tool: one expression, or one expression for several values at once."""

from __future__ import annotations

from decimal import Decimal

from planexec.tools import Observation, Tool, failed, found
from planexec.worlds.arithmetic import evaluate, plain_number
from planexec.worlds.arithmetic_words import ArithmeticProblem, readable
from planexec.worlds.common import check_language, make_tool

MAX_VALUES = 100  # of `each`
SECONDS = 0.01  # what a calculation takes on a virtual clock

Number = int | float | str
_WORDS = {
    "": {
        "en": "Arithmetic with units. The result is a plain number in the unit of what went in (yuan stay yuan; "
        "25% is 0.25). Data: value, or with `each`: values (name -> number).",
        "zh": "带单位的算术。结果是普通数字，单位与输入相同（元仍是元；25% 即 0.25）。"
        "数据：value；用 each 时为 values（名称 -> 数字）。",
    },
    "expression": {
        "en": "What to calculate, for example 800bn * 25%. Allowed: numbers, + - * / ^ ( ), %, bn, m, k, trillion, "
        "亿, 万; x stands for each value of `each`",
        "zh": "要计算的算式，例如 8000亿 * 25%。可用：数字、+ - * / ^ ( )、%、亿、万、bn、m、k、trillion；"
        "x 代表 each 的每个值",
    },
    "each": {
        "en": 'Optional: name -> value to put in the place of x, for example {"first": "25%", "second": 0.2}',
        "zh": '可选：名称 -> 代入 x 的值，例如 {"甲": "25%", "乙": 0.2}',
    },
}
_FAILED = {"en": "Could not calculate: {why}.", "zh": "无法计算：{why}。"}


def calculator(lang: str = "en") -> Tool:
    """The tool `calculate(expression, each=None)`. Data: {"value": number} or {"values": {name: number}}, exact where
    a number of the machine can be; every problem with the arguments is a `failed` observation that says what to do."""
    check_language(lang)

    def calculate(expression: str, each: dict[str, Number] | None = None) -> Observation:
        try:
            return _one(expression, lang) if each is None else _several(expression, each, lang)
        except ArithmeticProblem as problem:
            return failed(_FAILED[lang].format(why=problem.message(lang)), seconds=SECONDS)

    return make_tool(calculate, lang, _WORDS)


def _one(expression: str, lang: str) -> Observation:
    value = evaluate(expression)
    text = f"{_shown(expression)} = {readable(value, lang)}"
    return found(text, {"value": plain_number(value)}, seconds=SECONDS)


def _several(expression: str, each: dict[str, Number], lang: str) -> Observation:
    """The expression once for every value; its text has one line a value."""
    if not 1 <= len(each) <= MAX_VALUES:
        raise ArithmeticProblem("many", n=len(each), limit=MAX_VALUES)
    _must_need_x(expression)
    values = {name: evaluate(expression, _value(name, given)) for name, given in each.items()}
    lines = [f"{name} (x = {_shown(str(each[name]))}): {readable(value, lang)}" for name, value in values.items()]
    text = "\n".join([f"{_shown(expression)}:", *lines])
    return found(text, {"values": {name: plain_number(value) for name, value in values.items()}}, seconds=SECONDS)


def _must_need_x(expression: str) -> None:
    try:
        evaluate(expression)
    except ArithmeticProblem as problem:
        if problem.key == "no_x":
            return
        raise
    raise ArithmeticProblem("unused")


def _value(name: str, given: Number) -> Decimal:
    """What stands for x: a number as it is, a text as an expression of its own ("25%")."""
    try:
        return evaluate(given if isinstance(given, str) else repr(given))
    except ArithmeticProblem as problem:
        raise ArithmeticProblem("value", name=name[:40], why=problem) from None


def _shown(text: str) -> str:
    return " ".join(text.split())
