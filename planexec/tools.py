"""Tools, and what comes back from them.

A tool is a plain function with type hints and a docstring; `@tool` makes a `Tool` of it. What comes back is an
`Observation` that says in one word what happened, so that no code ever has to guess from a text whether
something was found. Nothing here decides whether a tool may run: that is the gate's business (`run.py`).
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, get_type_hints, overload

from planexec.languages import either
from planexec.tool_checks import (
    check_collection,
    check_function,
    check_member,
    check_names,
    check_options,
    fitting,
    warn_without_hints,
)

KINDS = ("found", "empty", "failed", "refused", "unknown")
EMPTY_TEXT = "Nothing found."


@dataclass(slots=True)
class Observation:
    """What a tool call brought back: a value, which nothing changes (not frozen, for the reason given in `chat.py`).

    `kind`: "found"; "empty" (it worked, there is nothing); "failed" (`failure` is "transient", "permanent" or
    "person"); "refused" (the gate did not let it run); "unknown" (it began, nobody knows whether it ended).
    `text` is what the model reads, `data` the same for code, `note` a line the gate adds for the model.
    `seconds` is the time the tool reports for a virtual clock; None means: measure it.
    """

    kind: str
    text: str
    data: Any = None
    failure: str = ""
    retry_after: float | None = None
    seconds: float | None = None
    note: str = ""

    def copy(self) -> Observation:
        """The same once more; `data` is shared."""
        return Observation(self.kind, self.text, self.data, self.failure, self.retry_after, self.seconds, self.note)

    @property
    def message_text(self) -> str:
        """The content of the tool message: the text, and the gate's note as its last line."""
        return f"{self.text}\n{self.note}" if self.note else self.text

    def fields(self) -> tuple[Any, ...]:
        """All that it says, for `in_json`: a tuple, which stays as it is whatever becomes of this observation."""
        return self.kind, self.text, self.data, self.failure, self.retry_after, self.seconds, self.note

    @staticmethod
    def in_json(fields: tuple[Any, ...]) -> dict[str, Any]:
        """The observation as the journal shows it: fields that say nothing are left out."""
        kind, text, data, failure, retry_after, seconds, note = fields
        said: dict[str, Any] = {"kind": kind}
        if text:
            said["text"] = text
        if data is not None and data != "":
            said["data"] = data
        if failure:
            said["failure"] = failure
        if retry_after is not None:
            said["retry_after"] = retry_after
        if seconds is not None:
            said["seconds"] = seconds
        if note:
            said["note"] = note
        return said

    def to_dict(self) -> dict[str, Any]:
        return self.in_json(self.fields())

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Observation:
        return cls(**{"text": "", **data})


def found(text: str, data: Any = None, *, seconds: float | None = None) -> Observation:
    return Observation("found", text, data, seconds=seconds)


def empty(text: str = EMPTY_TEXT, *, seconds: float | None = None) -> Observation:
    return Observation("empty", text, seconds=seconds)


def failed(
    text: str, failure: str = "permanent", *, retry_after: float | None = None, seconds: float | None = None
) -> Observation:
    return Observation("failed", text, failure=failure, retry_after=retry_after, seconds=seconds)


def observe(value: Any) -> Observation:
    """observe("") -> an empty observation; observe([1, 2]) -> found, text "[1, 2]"; an Observation stays itself."""
    if isinstance(value, str):
        return Observation("found", value, value) if value else empty()
    if isinstance(value, Observation):
        return value
    if value is None or (isinstance(value, (list, dict, tuple)) and not value):
        return empty()
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as problem:
        return failed(f"The tool returned something that cannot be written as JSON: {problem}")
    return Observation("found", text, json.loads(text))


@dataclass(frozen=True)
class Tool:
    """A function an agent may call, and what the gate has to know about it.

    `effect`: it changes the world, so it must not happen twice; when it returns None, it was done.
    `idempotent`: it may be repeated all the same.
    `approve`: a person must agree first; True, or a function of the arguments that returns True when one must.
    `polling`: equal calls with equal results are its ordinary use. `ignore`: argument names that do not make
    two calls different. `timeout`: seconds after which it is given up with the outcome "unknown".
    `fallback`: the name of the tool of the same run to try when this one fails for good.
    `key_argument`: the argument in which a tool with an effect gets the idempotency key of the call, to hand on to a
    service that carries out one key once; the model does not see it. Such a tool may well be `idempotent`.
    """

    name: str
    description: str
    function: Callable[..., Any]
    effect: bool = False
    idempotent: bool = False
    polling: bool = False
    approve: bool | Callable[[dict[str, Any]], bool] = False
    ignore: tuple[str, ...] = ()
    timeout: float | None = None
    fallback: str = ""
    key_argument: str = ""
    lines: Mapping[str, str] = field(default_factory=dict)  # argument name -> its line in the docstring

    def __post_init__(self) -> None:
        check_function(self.name, self.function)
        check_options(self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the plain function, as if it had never been decorated. An agent's calls go through `Run` instead."""
        return self.function(*args, **kwargs)

    @cached_property
    def arguments(self) -> Any:
        """The pydantic model of the arguments, built on first use: importing a tool must stay cheap."""
        from pydantic import ConfigDict, Field, create_model

        with fitting(self.name, self.function):
            hints = get_type_hints(self.function)
        taken: dict[str, Any] = {}
        for name, parameter in inspect.signature(self.function).parameters.items():
            if name == self.key_argument:
                continue
            default = ... if parameter.default is parameter.empty else parameter.default
            taken[name] = (hints.get(name, Any), Field(default, description=self.lines.get(name)))
        with fitting(self.name, self.function):
            return create_model(self.name, __config__=ConfigDict(extra="forbid"), **taken)

    @cached_property
    def _validation(self) -> tuple[Callable[[Any], Any], type[Any]]:
        """What checks the arguments, and what it raises when they do not fit."""
        from pydantic import ValidationError

        return self.arguments.__pydantic_validator__.validate_python, ValidationError

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The tool as chat-completions servers expect it."""
        arguments = self.arguments
        with fitting(self.name, self.function):
            parameters = arguments.model_json_schema()
        parameters.pop("title", None)
        for entry in parameters.get("properties", {}).values():
            entry.pop("title", None)
        parameters.setdefault("properties", {})
        return {
            "type": "function",
            "function": {"name": self.name, "description": self.description, "parameters": parameters},
        }

    def carry_out(self, args: dict[str, Any], key: str = "", lang: str = "en") -> Observation:
        """Check `args`, run the function, say what happened. What the function raises goes up to the gate.

        `key`: the idempotency key of this call, for a tool that has a `key_argument`. `lang`: in which to complain
        about the arguments; what is wrong with each of them pydantic says in English.
        """
        validate, error = self._validation
        try:
            checked = validate(args)
        except error as problem:
            return failed(_complaints(self.name, problem.errors(), lang))
        given, named = checked.__dict__, checked.__pydantic_fields_set__
        if len(named) < len(given) or self.key_argument:
            given = {name: given[name] for name in named}
        if self.key_argument:
            given[self.key_argument] = key
        value = self.function(**given)
        if value is None and self.effect:  # there is nothing to report, and it was done all the same
            return found(either(lang, "Done.", "已完成。"))
        return observe(value)

    def misfit(self, args: dict[str, Any], lang: str = "en") -> str:
        """What is wrong with these arguments, as `carry_out` would say it; "" when they fit."""
        validate, error = self._validation
        try:
            validate(args)
        except error as problem:
            return _complaints(self.name, problem.errors(), lang)
        return ""

    def needs_person(self, args: dict[str, Any]) -> bool:
        """True when a person must agree to this very call."""
        return self.approve(args) if callable(self.approve) else self.approve


def _complaints(tool: str, errors: Iterable[Any], lang: str) -> str:
    """One sentence for each argument that does not fit, naming the argument first."""
    named = [(".".join(str(part) for part in error["loc"]) or "arguments", error["msg"]) for error in errors]
    en = f"{tool} was not run. " + "; ".join(f"Argument {where}: {what}." for where, what in named)
    return either(lang, en, f"错误：{tool} 未能运行。" + "；".join(f"参数 {where}：{what}" for where, what in named))


def _argument_lines(doc: str) -> dict[str, str]:
    """'Args:\\n  query: what to look for' -> {'query': 'what to look for'}"""
    _, _, block = doc.partition("Args:")
    return {m[1]: " ".join(m[2].split()) for m in re.finditer(r"^\s+(\w+):\s*(.+(?:\n\s{8,}.+)*)", block, re.M)}


OPTIONS = tuple(each.name for each in fields(Tool) if each.name not in ("function", "lines"))


@overload
def tool(function: Callable[..., Any], /) -> Tool: ...
@overload
def tool(
    *,
    name: str = ...,
    description: str = ...,
    effect: bool = ...,
    idempotent: bool = ...,
    polling: bool = ...,
    approve: bool | Callable[[dict[str, Any]], bool] = ...,
    ignore: tuple[str, ...] = ...,
    timeout: float | None = ...,
    fallback: str = ...,
    key_argument: str = ...,
) -> Callable[[Callable[..., Any]], Tool]: ...
def tool(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Make a `Tool` of a function: its schema comes from the type hints, its description from the docstring.

    Use it bare (`@tool`) or with the options of `Tool` (`@tool(effect=True, approve=True)`).
    The docstring's text before `Args:` is the description; each `name: text` line after it describes an argument.
    """
    check_names("@tool", options, OPTIONS)
    if function is None:
        return lambda decorated: tool(decorated, **options)
    doc = inspect.getdoc(function) or ""
    name = options.pop("name", getattr(function, "__name__", "tool"))
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
        raise ValueError(f"a tool's name may hold letters, digits, _ and -, at most 64 of them; got {name!r}")
    description = options.pop("description", doc.partition("Args:")[0].strip())
    made = Tool(name, description, function, lines=_argument_lines(doc), **options)
    warn_without_hints(name, function)
    return made


class Toolbox(Mapping[str, Tool]):
    """The tools of one run, by name. Plain functions are taken as tools without options."""

    def __init__(self, tools: Iterable[Tool | Callable[..., Any]] = ()):
        self._tools: dict[str, Tool] = {}
        check_collection(tools)
        for each in tools.values() if isinstance(tools, Toolbox) else tools:
            check_member(each)
            each = each if isinstance(each, Tool) else tool(each)
            if each.name in self._tools:
                raise ValueError(f"two tools are named {each.name!r}; give one of them another name")
            self._tools[each.name] = each
        for each in self._tools.values():
            if each.fallback and each.fallback not in self._tools:
                known = ", ".join(self._tools)
                raise ValueError(f"tool {each.name!r}: its fallback {each.fallback!r} is none of the tools: {known}")

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    @cached_property
    def schemas(self) -> tuple[dict[str, Any], ...]:
        return tuple(each.schema for each in self._tools.values())
