"""What cannot become a tool, said where the tool is made: an error that names the tool and says what to do.

The types of the arguments are looked at when the schema is made, on first use; that loads pydantic, the rest does not.
"""

from __future__ import annotations

import functools
import inspect
import typing
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from math import isfinite
from types import SimpleNamespace
from typing import Any

_BY_NAME = "a model names every argument, so give each one a name of its own"
_KINDS = {
    inspect.Parameter.VAR_POSITIONAL: "*{} has no schema; " + _BY_NAME,
    inspect.Parameter.VAR_KEYWORD: "**{} has no schema; " + _BY_NAME,
    inspect.Parameter.POSITIONAL_ONLY: "{} can only be given by its place; " + _BY_NAME + " (leave out the '/')",
}


def check_function(name: str, function: Callable[..., Any]) -> None:
    """TypeError for what is no plain function with named arguments."""
    if isinstance(function, functools.partial):
        raise TypeError(f"tool {name!r}: a functools.partial has no hints and no docstring; write a function round it")
    if not inspect.isroutine(function):
        raise TypeError(f"tool {name!r}: a tool is a function; got {function!r}")
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError(
            f"tool {name!r}: an async function is not waited for here; write a plain one round it, "
            f"which calls asyncio.run({name}(...))"
        )
    for parameter in _parameters(name, function):
        if parameter.kind in _KINDS:
            raise TypeError(f"tool {name!r}: {_KINDS[parameter.kind].format(parameter.name)}")


def check_options(tool: Any) -> None:
    """TypeError or ValueError for options that mean nothing together with this function."""
    said = f"tool {tool.name!r}: "
    arguments = [parameter.name for parameter in _parameters(tool.name, tool.function)]
    if tool.idempotent and not tool.effect:
        raise ValueError(said + "idempotent says that an effect may be repeated; give effect=True too, or leave it out")
    if not isinstance(tool.approve, bool) and not callable(tool.approve):
        raise TypeError(said + f"approve is True, False or a function of the arguments; got {tool.approve!r}")
    if tool.timeout is not None and not _is_time(tool.timeout):
        raise ValueError(said + f"timeout is a number of seconds above 0, or None; got {tool.timeout!r}")
    if isinstance(tool.ignore, str):
        raise TypeError(said + f"ignore is a tuple of argument names: ignore=({tool.ignore!r},)")
    if unknown := [each for each in tool.ignore if each not in arguments]:
        raise ValueError(said + f"ignore names {unknown[0]!r}; its arguments are: {', '.join(arguments) or 'none'}")
    if tool.key_argument and not (tool.effect and tool.key_argument in arguments):
        raise ValueError(said + f"key_argument={tool.key_argument!r} needs effect=True and an argument of that name")


def check_names(name: str, options: Iterable[str], known: Iterable[str]) -> None:
    """TypeError for an option that there is not."""
    if unknown := [each for each in options if each not in known]:
        raise TypeError(f"{name} has no option {unknown[0]!r}; its options are: {', '.join(known)}")


def check_collection(tools: Any) -> None:
    """TypeError for one tool where a list of them is wanted."""
    if isinstance(tools, str) or not isinstance(tools, Iterable):
        name = getattr(tools, "name", None) or getattr(tools, "__name__", "search")
        raise TypeError(f"tools is a list of functions and tools, as tools=[{name}]; got a {type(tools).__name__}")


def check_member(given: Any) -> None:
    """TypeError for what stands among the tools and is neither a `Tool` nor a function."""
    if isinstance(given, str) or given is None:
        raise TypeError(f"tools holds {given!r}; give the function itself")
    if isinstance(given, dict):
        raise TypeError(
            "tools holds a dict; a schema cannot be carried out: give the function, it makes its own schema"
        )


@contextmanager
def fitting(name: str, function: Callable[..., Any]) -> Iterator[None]:
    """TypeError, naming the argument, when no schema can be made of a type."""
    try:
        yield
    except Exception as problem:
        said = (str(problem).splitlines() or [""])[0]
        raise TypeError(f"tool {name!r}: {_unfit(function)} ({said})") from problem


def _unfit(function: Callable[..., Any]) -> str:
    from pydantic import TypeAdapter

    names = getattr(inspect.unwrap(function), "__globals__", {})
    for parameter in inspect.signature(function).parameters.values():
        kind = parameter.annotation
        alone = SimpleNamespace(__annotations__={"it": Any if kind is parameter.empty else kind})
        try:
            TypeAdapter(typing.get_type_hints(alone, names)["it"]).json_schema()
        except Exception:
            shown = kind if isinstance(kind, str) else getattr(kind, "__name__", kind)
            return f"no schema can be made of the type {shown} of {parameter.name}; take text, numbers, lists or dicts"
    return "no schema can be made of its arguments"


def warn_without_hints(name: str, function: Callable[..., Any]) -> None:
    """A warning when the schema will not say what any argument is."""
    arguments = _parameters(name, function)
    if arguments and all(parameter.annotation is parameter.empty for parameter in arguments):
        names = ", ".join(parameter.name for parameter in arguments)
        text = f"tool {name!r} has no type hints: its schema says nothing about {names}, and nothing is checked"
        warnings.warn(text, stacklevel=3)


def _parameters(name: str, function: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(function).parameters.values())
    except ValueError:
        raise TypeError(f"tool {name!r}: {function!r} does not say what its arguments are; write a function") from None


def _is_time(seconds: object) -> bool:
    return isinstance(seconds, (int, float)) and not isinstance(seconds, bool) and isfinite(seconds) and seconds > 0
