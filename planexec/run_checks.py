"""Settings of a run that make no sense, said in words before anything is recorded."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterable
from typing import Any

from planexec.chat import ToolCall
from planexec.gate import is_amount
from planexec.journal import Journal
from planexec.limits import Limits


def check_settings(
    *,
    question: Any,
    model: Any,
    journal: Any,
    person: Any,
    seed: Any,
    lang: Any,
    date: Any,
    replay: Any,
    on_event: Any,
    first_wait: Any,
    expires: Any,
) -> None:
    """TypeError for a setting of another kind than `Run` takes, ValueError for one that makes no sense."""
    if not isinstance(question, str):
        raise TypeError(f"the question comes first and is a text; got {_short(question)}")
    check_model(model)
    if lang not in ("en", "zh"):
        raise ValueError(f"lang is 'en' or 'zh'; got {lang!r}")
    if replay not in ("strict", "follow"):
        raise ValueError(f"replay is 'strict' or 'follow'; got {replay!r}")
    if not is_amount(first_wait):
        raise ValueError(f"first_wait is a number of seconds, 0 or more; got {first_wait!r}")
    if expires is not None and not is_amount(expires):
        raise ValueError(f"expires is a number of seconds, or None; got {expires!r}")
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise TypeError(f"seed is a whole number; got {_short(seed)}")
    for name, given, takes in (("person", person, "a Request"), ("on_event", on_event, "an Event")):
        if given is not None and not callable(given):
            raise TypeError(f"{name} is a function that takes {takes}, or None; got {_short(given)}")
    _check_journal(journal)
    _check_date(date)


def check_model(model: Any) -> None:
    """TypeError for what cannot be asked; None is a run that asks no model."""
    if isinstance(model, type):
        raise TypeError(f"model is the class {model.__name__}; give an instance of it: {model.__name__}(...)")
    if model is not None and not callable(getattr(model, "reply", None)):
        raise TypeError(f"model is an object with a reply() (planexec.chat.Model), or None; got {_short(model)}")


def checked_limits(limits: Limits | None) -> Limits:
    """The limits, or the defaults for None; TypeError for anything else."""
    if limits is None:
        return Limits()
    if isinstance(limits, Limits):
        return limits
    written = ", ".join(f"{name}={value!r}" for name, value in limits.items()) if isinstance(limits, dict) else "..."
    raise TypeError(f"limits is a Limits({written}); got {_short(limits)}")


def check_calls(calls: Any) -> None:
    """TypeError when something else than a list of tool calls is to be carried out."""
    is_list = isinstance(calls, Iterable) and not isinstance(calls, ToolCall)
    wrong = [call for call in calls if not isinstance(call, ToolCall)] if is_list else [calls]
    if wrong:
        said = "run.tools() takes a list of ToolCall(id, name, args), as reply.tool_calls is"
        raise TypeError(f"{said}; got {_short(wrong[0])}")


def _check_journal(journal: Any) -> None:
    if journal is not None and not isinstance(journal, Journal):
        path = repr(str(journal)) if isinstance(journal, (str, os.PathLike)) else "'run.db'"
        raise TypeError(f"journal is a Journal({path}), or None; got {_short(journal)}")


def _check_date(day: Any) -> None:
    if day is None:
        return
    try:
        if len(day) != 10:
            raise ValueError
        datetime.date.fromisoformat(day)
    except (TypeError, ValueError):
        raise ValueError(f"date is a day, written YYYY-MM-DD, or None for today; got {_short(day)}") from None


def _short(value: Any) -> str:
    text = repr(value)
    return f"{type(value).__name__}: {text if len(text) <= 80 else text[:79] + '…'}"
