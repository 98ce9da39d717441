"""What cannot become a tool is refused where it is made, in words that say what to do."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from planexec.journal import Journal
from planexec.run import Run
from planexec.tools import Toolbox, tool
from planexec.worlds import NAMES, load


def look(query: str) -> str:
    """Look something up."""
    return query


async def later(query: str) -> str:
    return query


def many(*queries: str) -> str:
    return queries[0]


def named(**queries: str) -> str:
    return str(queries)


def placed(query: str, /) -> str:
    return query


NO_FUNCTIONS: dict[str, tuple[Any, str]] = {
    "an async function": (later, r"'later': an async function.*asyncio.run\(later"),
    "*args": (many, r"'many': \*queries has no schema"),
    "**kwargs": (named, r"'named': \*\*queries has no schema"),
    "an argument without a name": (placed, "'placed': query can only be given by its place"),
    "a partial": (functools.partial(look, query="x"), "functools.partial.*write a function round it"),
    "a text": ("look", "a tool is a function; got 'look'"),
    "a class": (Toolbox, "a tool is a function; got <class"),
    "a builtin that hides its arguments": (max, "does not say what its arguments are"),
}


@pytest.mark.parametrize("case", NO_FUNCTIONS)
def test_what_a_model_cannot_call_by_name_is_no_tool(case: str) -> None:
    function, words = NO_FUNCTIONS[case]
    for make in (tool, tool(name=getattr(function, "__name__", "look"), effect=True)):
        with pytest.raises(TypeError, match=words):
            make(function)


def test_a_wrapper_shows_the_arguments_of_what_it_wraps() -> None:
    @functools.wraps(look)
    def wrapper(*args: Any, **kwargs: Any) -> str:
        return look(*args, **kwargs)

    for function in (wrapper, functools.lru_cache(look)):
        made = tool(function)
        assert made.schema["function"]["parameters"]["properties"] == {"query": {"type": "string"}}
        assert made.carry_out({"query": "x"}).text == "x"


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"efect": True}, TypeError, "no option 'efect'; its options are: name, description, effect, idempotent,"),
        ({"timeout": 0}, ValueError, "'look': timeout is a number of seconds above 0"),
        ({"timeout": -1.5}, ValueError, "timeout"),
        ({"timeout": "10"}, ValueError, "timeout"),
        ({"timeout": float("nan")}, ValueError, "timeout"),
        ({"ignore": "query"}, TypeError, r"ignore=\('query',\)"),
        ({"ignore": ("day",)}, ValueError, "ignore names 'day'; its arguments are: query"),
        ({"approve": "yes"}, TypeError, "approve is True, False or a function"),
        ({"idempotent": True}, ValueError, "give effect=True too"),
        ({"effect": True, "key_argument": "key"}, ValueError, "key_argument='key' needs effect=True and an argument"),
    ],
)
def test_options_that_mean_nothing_are_refused(options: dict[str, Any], error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        tool(**options)(look)


def test_options_that_mean_something_are_taken() -> None:
    made = tool(effect=True, idempotent=True, timeout=0.5, ignore=("query",), approve=lambda args: False)(look)
    assert (made.effect, made.idempotent, made.timeout, made.ignore) == (True, True, 0.5, ("query",))


@pytest.mark.parametrize(
    ("tools", "words"),
    [
        (tool(look), r"tools=\[look\]; got a Tool"),
        (look, r"tools=\[look\]; got a function"),
        ("look", "got a str"),
        (3, "got a int"),
        (["look"], "holds 'look'; give the function itself"),
        ([None], "holds None; give the function itself"),
        ([{"type": "function", "function": {"name": "look"}}], "a dict; a schema cannot be carried out"),
    ],
)
def test_tools_are_a_list_of_functions_and_nothing_is_recorded_before(tools: Any, words: str) -> None:
    journal = Journal()
    with pytest.raises(TypeError, match=words):
        Run("q", tools=tools, journal=journal)
    assert journal.header == {}


def test_a_fallback_must_be_one_of_the_tools() -> None:
    first, second = tool(fallback="second")(look), tool(name="second")(look)
    with pytest.raises(ValueError, match="'look': its fallback 'second' is none of the tools: look"):
        Toolbox([first])
    assert list(Toolbox(Toolbox([first, second]))) == ["look", "second"], "one toolbox can be made of another"


class Thing:
    """Nothing that JSON knows."""


def take_thing(query: str, thing: Thing) -> str:
    return query


def take_function(query: str, thing: Callable[[], int]) -> str:
    return query


def take_nowhere(query: str, thing: Nowhere) -> str:  # type: ignore[name-defined]  # noqa: F821
    return query


@pytest.mark.parametrize("function", [take_thing, take_function, take_nowhere])
def test_a_type_that_no_schema_can_be_made_of_is_named_with_tool_and_argument(function: Any) -> None:
    with pytest.raises(TypeError, match=f"'{function.__name__}': .*of thing; take text") as caught:
        _ = tool(function).schema
    assert str(caught.value).count("\n") == 0


def test_a_tool_without_type_hints_is_warned_about() -> None:
    def untyped(query, day="today"):  # type: ignore[no-untyped-def]
        return query

    with pytest.warns(UserWarning, match="'untyped' has no type hints: its schema says nothing about query, day"):
        tool(untyped)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tool(look)
        tool(name="now")(lambda: "now")  # no arguments, nothing to say about them


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", NAMES)
def test_the_tools_of_every_world_pass(name: str, lang: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(Toolbox(load(name, lang).tools).schemas) > 0


# ------------------------------------------------------------------------------ an effect that returns nothing


def quiet(query: str) -> None:
    """Do it."""


@pytest.mark.parametrize(("lang", "text"), [("en", "Done."), ("zh", "已完成。")])
def test_an_effect_that_returns_nothing_was_done(lang: str, text: str) -> None:
    seen = tool(effect=True)(quiet).carry_out({"query": "x"}, lang=lang)
    assert (seen.kind, seen.text) == ("found", text)


def test_a_look_up_that_returns_nothing_found_nothing() -> None:
    assert tool(quiet).carry_out({"query": "x"}).kind == "empty"
