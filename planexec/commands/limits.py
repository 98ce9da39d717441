"""`--limit NAME=VALUE`, `--dial NAME=VALUE`: values from the command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from planexec.commands import WrongUse

if TYPE_CHECKING:
    from planexec.limits import Limits


def pair(text: str, what: str) -> tuple[str, str]:
    """pair("max_usd=0.5", "limit") -> ("max_usd", "0.5")"""
    name, sign, value = text.partition("=")
    if not sign or not name.strip() or not value.strip():
        raise WrongUse(f"--{what} {text!r}: write it as NAME=VALUE, for example --{what} {_EXAMPLE[what]}")
    return name.strip(), value.strip()


_EXAMPLE = {"limit": "max_tool_calls=10", "dial": "drift=0"}


def dials(given: Sequence[str]) -> dict[str, float]:
    """dials(["drift=0", "greed=0.5"]) -> {"drift": 0.0, "greed": 0.5}; which dials there are, the model knows."""
    found: dict[str, float] = {}
    for name, value in (pair(text, "dial") for text in given):
        try:
            found[name] = float(value)
        except ValueError:
            raise WrongUse(f"--dial {name}={value}: a dial is a number from 0 to 1") from None
    return found


def changes(given: Sequence[str], base: Limits) -> dict[str, Any]:
    """changes(["max_usd=0.5", "per_step.max_steps=4"], limits) -> what `limits.with_()` takes."""
    from planexec.limits import Limits

    found: dict[str, Any] = {}
    inner: dict[str, Any] = {}
    for name, value in (pair(text, "limit") for text in given):
        target, field = (inner, name.removeprefix("per_step.")) if name.startswith("per_step.") else (found, name)
        target[field] = _value(name, field, value)
    try:
        if inner:
            found["per_step"] = (base.per_step or Limits.none()).with_(**inner)
        base.with_(**found)
    except ValueError as problem:
        raise WrongUse(f"--limit: {problem}") from None
    return found


def _value(name: str, field: str, value: str) -> Any:
    from planexec.limits import Limits

    known = [each.name for each in fields(Limits) if each.name != "per_step"]
    if field not in known:
        raise WrongUse(f"no limit is called {name!r}; there are {', '.join(known)}, and per_step.NAME for one step")
    if field == "confirm_first":
        if value.lower() not in ("true", "false"):
            raise WrongUse(f"--limit {name}={value}: it is true or false")
        return value.lower() == "true"
    if value.lower() == "none":
        return None
    try:
        number = float(value)
    except ValueError:
        raise WrongUse(f"--limit {name}={value}: a limit is a number of 0 or more, or none for no limit") from None
    return int(number) if number.is_integer() else number
