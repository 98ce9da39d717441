"""One text for all spellings of a call: what matters, what does not, and how alike two texts are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from difflib import SequenceMatcher
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planexec.canonical import COMPARED, DEEPEST, call_key, canonical, digest, likeness

SAME = [
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ({"a": {"x": 1, "y": [1, 2]}}, {"a": {"y": [1, 2], "x": 1}}),
    ({"n": 1}, {"n": 1.0}),
    ({"n": 1}, {"n": "1"}),
    ({"n": 1}, {"n": "1.0"}),
    ({"n": 1}, {"n": " １ "}),
    ({"n": -2.5}, {"n": "-2.5"}),
    ({"n": 10**22}, {"n": 1e22}),
    ({"n": 0}, {"n": -0.0}),
    ({"q": "solid state"}, {"q": "  solid   state\n"}),
    ({"q": "800 bn * 25%"}, {"q": "800bn*25％"}),
    ({"q": "Ａ股　总市值（２０２４）"}, {"q": "A股 总市值(2024)"}),
    ({"code": "if x:\n  y = 1\n"}, {"code": "if x:\n\n  y=1"}),
    ({"list": (1, 2)}, {"list": [1, 2]}),
    ({1: "a"}, {"1": "a"}),
    ('{"b": 2, "a": "x y"}', {"a": "xy", "b": 2}),
]

DIFFERENT = [
    ({"n": 1}, {"n": True}),
    ({"n": 0}, {"n": False}),
    ({"n": "true"}, {"n": True}),
    ({"n": None}, {"n": "null"}),
    ({"n": None}, {}),
    ({"n": 1}, {"n": 1.5}),
    ({"flight": "007"}, {"flight": 7}),
    ({"python": "3.10"}, {"python": "3.1"}),
    ({"q": "US"}, {"q": "us"}),
    ({"q": "a"}, {"r": "a"}),
    ({"list": [1, 2]}, {"list": [2, 1]}),
    ({"list": [1]}, {"list": 1}),
    ({"list": "[1]"}, {"list": [1]}),
    ({"code": "if x:\n  y\nz"}, {"code": "if x:\n  y\n  z"}),
    ({1: "a", "1": "b"}, {1: "a"}),
    ('{"a": 1', {"a": 1}),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_spellings_of_one_call(one: Any, other: Any) -> None:
    assert canonical(one) == canonical(other)
    assert call_key("t", one) == call_key("t", other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_calls(one: Any, other: Any) -> None:
    assert canonical(one) != canonical(other)
    assert call_key("t", one) != call_key("t", other)


def test_the_tool_is_part_of_the_key() -> None:
    assert call_key("search", {"q": "x"}) != call_key("fetch", {"q": "x"})


def test_ignored_arguments_are_left_out_on_the_top_level_only() -> None:
    assert canonical({"q": "x", "note": 1}, ignore=("note",)) == canonical({"q": "x"})
    assert canonical('{"q": "x", "note": 1}', ignore=("note",)) == canonical({"q": "x"})
    assert canonical({"q": {"note": 1}}, ignore=("note",)) != canonical({"q": {}})


class Thing:
    pass


@pytest.mark.parametrize("value", [{1}, b"x", Thing(), object, 1j, {("a", 1): 2}, range(3)])
def test_what_json_does_not_know_is_a_clear_error_without_an_address(value: Any) -> None:
    with pytest.raises(TypeError, match="JSON values|must be texts") as caught:
        canonical({"a": [value]})
    assert "0x" not in str(caught.value)


def test_nesting_has_a_limit_and_a_value_that_contains_itself_meets_it() -> None:
    def nested(levels: int) -> Any:
        value: Any = 1
        for _ in range(levels):
            value = [value]
        return value

    assert canonical(nested(DEEPEST)).count("[") == DEEPEST
    with pytest.raises(TypeError, match=f"more than {DEEPEST} deep"):
        canonical(nested(DEEPEST + 1))
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(TypeError, match="contain themselves"):
        canonical({"a": loop})


def test_odd_values_have_a_form() -> None:
    assert canonical(None) == "null"
    assert canonical(float("nan")) == "nan"
    assert canonical("nan") == '"nan"'
    assert canonical(10**20_000) == hex(10**20_000)
    assert len(digest(canonical({"q": "\ud800 half a character"}))) == 16
    for text in ("", "-", "--5", "1_000", "٣3", "1፩1", "1e5", "9" * 5_000):
        assert canonical(text) == json.dumps(text, ensure_ascii=False)


WORDS = st.text(alphabet="ab", max_size=2)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=6,
)


def strictly(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


@given(VALUES, VALUES)
def test_equal_forms_mean_equal_values(one: Any, other: Any) -> None:
    assert (canonical([one]) == canonical([other])) == (strictly(one) == strictly(other))


def respelled(value: Any, draw: Any) -> Any:
    """The same value as another model would write it."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return draw(st.sampled_from([value, float(value), str(value), f"{value}.0", f" {value}"]))
    if isinstance(value, str):
        wide = str.maketrans({chr(code): chr(code + 0xFEE0) for code in range(0x21, 0x7F)})
        return draw(st.sampled_from([value, value.translate(wide), " ".join(value), f"\u3000{value} "]))
    if isinstance(value, list):
        return [respelled(each, draw) for each in value]
    return {name: respelled(each, draw) for name, each in reversed(value.items())}


@given(st.data(), VALUES)
def test_no_respelling_changes_the_form(data: st.DataObject, value: Any) -> None:
    assert canonical({"value": respelled(value, data.draw)}) == canonical({"value": value})


def test_forms_and_digests_do_not_depend_on_the_process() -> None:
    code = (
        "from planexec.loops import canonical, call_key, digest, first_loop\n"
        "args = {name: name for name in {'alpha', 'beta', 'gamma', 'delta'}}\n"  # a set: its order follows the seed
        "print(canonical(args), call_key('t', args), digest('x'), first_loop([('t', args, 'r', None)] * 5))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1
    assert outputs.pop().decode().endswith(" 2\n")


def test_likeness_of_known_pairs() -> None:
    assert likeness("", "") == 1
    assert likeness("abc", "abc") == 1
    assert likeness("abc", "") == 0
    assert likeness("abcd", "abxd") == 0.75
    assert likeness("x12y", "x21y") == 0.75
    assert likeness("ab" * 50, "ba" * 50) == 0.99


@settings(max_examples=200)
@given(st.text(alphabet="abc", max_size=30), st.text(alphabet="abc", max_size=30))
def test_likeness_is_symmetric_and_finds_at_least_what_difflib_finds(one: str, other: str) -> None:
    assert likeness(one, other) == likeness(other, one)
    assert SequenceMatcher(None, one, other, autojunk=False).ratio() - 1e-9 <= likeness(one, other) <= 1


@given(st.text(alphabet="ab", max_size=8), st.text(alphabet="ab", max_size=8))
def test_likeness_counts_the_longest_common_subsequence(one: str, other: str) -> None:
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            table[i + 1][j + 1] = table[i][j] + 1 if a == b else max(table[i][j + 1], table[i + 1][j])
    total = len(one) + len(other)
    assert likeness(one, other) == (2 * table[-1][-1] / total if total else 1)


def test_a_difference_that_is_too_long_counts_as_total() -> None:
    def text(middle: int) -> str:
        return "<" + "a" * middle + ">"

    inner = "b" + "a" * (COMPARED - 2) + "b"
    assert likeness(text(COMPARED), f"<{inner}>") == (COMPARED - 2 + 2) / (COMPARED + 2)
    inner = "b" + "a" * (COMPARED - 1) + "b"
    assert likeness(text(COMPARED + 1), f"<{inner}>") == 2 / (COMPARED + 3)
