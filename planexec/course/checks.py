"""Exercises and their checks: `check("07.1", answer)` says in words what was tried and what came back.

A check never raises, whatever the answer is; it answers todo, not yet (with the next hint) or passed, and the same
answer always gets the same words. An exercise has variants by seed, because solutions are public: `task("07.1", 3)`
prints the third one. Nothing is recorded anywhere.
"""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any

STATUSES = {"passed": "✔", "todo": "○", "not yet": "✘"}
NO_RETURN = "Your function gave back None. Does every way through it end in `return`?"


@dataclass(frozen=True)
class Tried:
    """One attempt of a check: what was tried, what came back, what was expected.

    `hint` helps with the mistake that this attempt shows; without one the exercise's next hint is given. `words` say
    the same in another way, where "got" and "expected" do not fit; a good try that is the only one shows them, too.
    """

    what: str
    got: Any
    expected: Any
    good: bool
    hint: str = ""
    words: str = ""

    def __str__(self) -> str:
        return self.words or f"tried {self.what}: got {shown(self.got)}, expected {shown(self.expected)}"


@dataclass(frozen=True)
class Exercise:
    """`ask(seed)` gives the task in words; `test(answer, seed)` tries the answer; `hints` are given one at a time.

    `name` is what the answer is called in a file that is checked instead of a value.
    """

    id: str
    name: str
    ask: Callable[[int], str]
    test: Callable[[Any, int], Sequence[Tried]]
    hints: tuple[str, ...] = ()


@dataclass(frozen=True)
class Checked:
    """What a check says. Its `repr` is one line for each fact; notebooks fold the hint away."""

    id: str
    status: str
    text: str
    hint: str = ""

    def __bool__(self) -> bool:
        return self.status == "passed"

    def __repr__(self) -> str:
        return f"[{self.status}] {self.id}: {self.text}" + (f"\nHint: {self.hint}" if self.hint else "")

    def _repr_html_(self) -> str:
        hint = f"<details><summary>Hint</summary>{escape(self.hint)}</details>" if self.hint else ""
        head = f"{STATUSES[self.status]} {escape(self.id)}: {self.status}"
        return f'<div role="status"><b>{head}</b> &ndash; {escape(self.text)}{hint}</div>'


@dataclass
class _Book:
    """The exercises that are known, and how often each was tried in this session (for the next hint)."""

    exercises: dict[str, Exercise] = field(default_factory=dict)
    tries: dict[str, int] = field(default_factory=dict)


_BOOK = _Book()


def exercise(id: str, name: str, ask: Callable[[int], str] | str, hints: Sequence[str] = ()) -> Callable[[Any], Any]:
    """Make an exercise of the function that tries its answers."""

    def register(test: Callable[[Any, int], Sequence[Tried]]) -> Callable[[Any, int], Sequence[Tried]]:
        wording = ask if callable(ask) else lambda seed: ask
        _BOOK.exercises[id] = Exercise(id, name, wording, test, tuple(hints))
        return test

    return register


def find(id: str) -> Exercise:
    """The exercise "07.1", from `planexec/course/exercises/nb07.py`. LookupError names the ones there are."""
    if id not in _BOOK.exercises:
        module = f"planexec.course.exercises.nb{id.partition('.')[0]}"
        if importlib.util.find_spec("planexec.course.exercises") and importlib.util.find_spec(module):
            import_module(module)
    if id not in _BOOK.exercises:
        known = ", ".join(sorted(_BOOK.exercises)) or "none yet"
        raise LookupError(f"there is no exercise {id!r}; loaded are: {known}")
    return _BOOK.exercises[id]


def task(id: str, seed: int = 0) -> str:
    """The wording of an exercise; other seeds give other numbers."""
    return find(id).ask(seed)


def check(id: str, answer: Any = ..., seed: int = 0) -> Checked:
    """Try an answer: a value, a function, or the path of a .py file that defines it. Never raises."""
    try:
        wanted = find(id)
        answer = _from_file(wanted, answer) if isinstance(answer, Path) else answer
    except LookupError as problem:
        return Checked(id, "not yet", str(problem))
    except Exception as problem:  # the file runs when it is loaded, and may fail in any way
        return Checked(id, "not yet", f"your file could not be used: {type(problem).__name__}: {problem}")
    if answer is ... or answer is None or _is_stub(answer):
        return Checked(id, "todo", "replace the ... above with your answer, then run this cell again")
    try:
        tried = list(wanted.test(answer, seed))
    except Exception as problem:  # whatever the learner's code raises is an answer, not a crash
        text = f"your code raised {type(problem).__name__}: {problem}"
        return Checked(id, "not yet", text, _unknown_name(problem) or _next_hint(wanted))
    wrong = next((one for one in tried if not one.good), None)
    if wrong is not None:
        return Checked(id, "not yet", str(wrong), _hint_for(wrong, tried, answer) or _next_hint(wanted))
    return Checked(id, "passed", _praise(tried))


def expect(what: str, got: Any, expected: Any, hint: str = "") -> Tried:
    """expect("f(2)", f(2), 4): equal or not; `hint` is for whoever fails just here."""
    same = got == expected and isinstance(got, bool) == isinstance(expected, bool)
    return Tried(what, got, expected, same, hint)


def shown(value: Any, room: int = 200) -> str:
    """A value in one line, bounded, without addresses."""
    try:
        text = getattr(value, "__name__", None) if callable(value) else repr(value)
    except Exception:  # a learner's own class may be unfinished
        text = None
    text = text or type(value).__name__
    return text if len(text) <= room else text[: room - 1] + "…"


def _praise(tried: Sequence[Tried]) -> str:
    """What a right answer is told: how many tries it stood; of a single one its own words, as a quiz question has."""
    if len(tried) > 1:
        return f"all {len(tried)} tries came back as expected"
    return next((one.words for one in tried if one.words), "well done")


def _hint_for(wrong: Tried, tried: Sequence[Tried], answer: Any) -> str:
    """The hint for this very mistake, if one is known: a forgotten `return` has the same one everywhere.

    Where None is a right answer to other attempts, only a function that answers nothing else has forgotten it.
    """
    meant = any(one.expected is None for one in tried) and any(one.got is not None for one in tried)
    forgotten = inspect.isfunction(answer) and wrong.got is None and wrong.expected is not None and not meant
    return NO_RETURN if forgotten else wrong.hint


def _unknown_name(problem: Exception) -> str:
    """The hint for a name that Python does not know: what the function does may be right all the same."""
    if not isinstance(problem, NameError) or isinstance(problem, UnboundLocalError):
        return ""
    name = problem.name or "the name"
    return f"Python does not know {name!r} here: is it misspelled, or does `import {name}` have to stand above?"


def _next_hint(wanted: Exercise) -> str:
    count = _BOOK.tries[wanted.id] = _BOOK.tries.get(wanted.id, 0) + 1
    return wanted.hints[min(count, len(wanted.hints)) - 1] if wanted.hints else ""


def _is_stub(answer: Any) -> bool:
    """True for a function whose body is still only `...`, `pass` or `return ...`, with or without a docstring."""
    if not inspect.isfunction(answer):
        return False
    empty = all(each in (None, ...) or each == answer.__doc__ for each in answer.__code__.co_consts)
    return empty and any(answer.__code__.co_code == stub.__code__.co_code for stub in _STUBS)


def _stubs() -> tuple[Callable[[], Any], ...]:
    """Untouched bodies, as this Python compiles them."""

    def bare() -> Any: ...

    def told() -> Any:
        """A docstring."""

    def returned() -> Any:
        return ...

    def told_and_returned() -> Any:
        """A docstring."""
        return ...

    return bare, told, returned, told_and_returned


_STUBS = _stubs()


def _from_file(wanted: Exercise, path: Path) -> Any:
    """The object called `wanted.name` in a Python file."""
    spec = importlib.util.spec_from_file_location("answer", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not hasattr(module, wanted.name):
        raise LookupError(f"{path.name} does not define {wanted.name!r}")
    return getattr(module, wanted.name)
