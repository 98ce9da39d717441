"""References of a step to results of earlier ones: "$1" is the text of result 1, "$3.weights" a field of its data.

A string that is nothing but a reference takes the value as it is, so that a list stays a list; inside a longer
string the value is inserted as text. "$$" stands for a dollar sign. What looks like money stays money: "$5" alone
is a reference only when a step 5 stands before, and "$5.50", "$5,000", "$5bn", "$5 million" and "US$5" never are;
"$5.name" always is. Nothing is guessed: what cannot be filled in raises `Blocked`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from planexec.plans.words import say

_NAME = r"(?:[A-Za-z_][A-Za-z0-9_]*|[^\x00-\x7f\W]+)"  # ASCII or not, never mixed: "$3.sectors的龙头股" ends at 的
_PATH = rf"(?:\.{_NAME}(?:\[\d{{1,6}}\]|\.\d{{1,6}}\b)*)+"
_NOT_MONEY = r"(?![\dA-Za-z_]|[.,]\d|\s+(?:thousand|million|billion|trillion|bn|usd|dollars?)\b)"
_REFERENCE = re.compile(rf"\$\$|\$(\d{{1,9}})({_PATH})|(?<![A-Za-z])\$(\d{{1,9}}){_NOT_MONEY}", re.I)


class Blocked(Exception):
    """A reference that cannot be filled in: the step it names found nothing, or its result has no such field."""

    def __init__(self, step_id: int, reference: str, why: str):
        super().__init__(f"{reference}: {why}")
        self.step_id = step_id
        self.reference = reference
        self.why = why


class Reference(NamedTuple):
    """One reference as written: "$3.pages[0].url" -> id 3, path ("pages", "0", "url")."""

    text: str
    id: int
    path: tuple[str, ...]


def find_references(args: Any) -> tuple[Reference, ...]:
    """Every reference in the strings of `args`, at any depth, in order; keys are not looked at."""
    if not args or "$" not in str(args):
        return ()
    return tuple(
        each for text in _strings(args) if "$" in text for each in map(_reference, _REFERENCE.finditer(text)) if each
    )


def references(args: Any) -> tuple[int, ...]:
    """The ids that `args` may refer to, each once: {"q": "$2.sectors and $1, $$9"} -> (2, 1)"""
    return tuple(dict.fromkeys(each.id for each in find_references(args)))


def fill(args: Any, results: Mapping[int, Any], needs: Collection[int] = (), lang: str = "en") -> Any:
    """`args` with every reference replaced; the original stays as it is.

    `results`: id -> a result with `text`, `data` and either `found` (bool) or `status` / `kind` ("found").
    `needs`: the ids the step relies on (`Step.needs`); one without a result blocks. Raises `Blocked`.
    """
    if isinstance(args, str):
        return _fill_text(args, results, needs, lang)
    if isinstance(args, Mapping):
        return {key: fill(value, results, needs, lang) for key, value in args.items()}
    if isinstance(args, (list, tuple)):
        return [fill(value, results, needs, lang) for value in args]
    return args


def as_text(value: Any) -> str:
    """A value as it stands in a sentence: ["a", "b"] -> "a, b"; {"a": 0.5} -> "a: 0.5"; 2e11 -> "200000000000" """
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {as_text(inner)}" for key, inner in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(as_text(inner) for inner in value)
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (Mapping, list, tuple)):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from _strings(inner)


def _reference(match: re.Match[str]) -> Reference | None:
    if match[0] == "$$":
        return None
    path = tuple(part for part in re.split(r"[.\[\]]+", match[2] or "") if part)
    return Reference(match[0], int(match[1] or match[3]), path)


def _fill_text(text: str, results: Mapping[int, Any], needs: Collection[int], lang: str) -> Any:
    whole = _REFERENCE.fullmatch(text.strip())
    if whole and (reference := _reference(whole)):
        value = _value(reference, results, needs, lang)
        return text if value is reference else value

    def put(match: re.Match[str]) -> str:
        reference = _reference(match)
        if not reference:
            return "$"
        value = _value(reference, results, needs, lang)
        return match[0] if value is reference else as_text(value)

    return _REFERENCE.sub(put, text)


def _value(reference: Reference, results: Mapping[int, Any], needs: Collection[int], lang: str) -> Any:
    """What the reference stands for; the reference itself when it is money."""
    result = results.get(reference.id)
    if result is None:
        if not reference.path and reference.id not in needs:
            return reference
        code = "no_result" if reference.id in needs else "no_step"
        raise Blocked(reference.id, reference.text, say(code, lang, id=reference.id))
    if not _found(result):
        raise Blocked(reference.id, reference.text, say("not_found", lang, id=reference.id))
    value = result.data if reference.path else result.text
    for name in reference.path:
        value = _field(value, name, reference, lang)
    return value


def _found(result: Any) -> bool:
    flag = getattr(result, "found", None)
    if isinstance(flag, bool):
        return flag
    return "found" in (getattr(result, "status", None), getattr(result, "kind", None))


def _field(data: Any, name: str, reference: Reference, lang: str) -> Any:
    """data[name], or data[3] for a list; a null field is no value either."""
    if isinstance(data, Mapping):
        names = {str(key): value for key, value in data.items()}
    elif isinstance(data, (list, tuple)):
        names = {str(place): value for place, value in enumerate(data)}
    else:
        raise Blocked(reference.id, reference.text, say("no_data", lang, id=reference.id))
    if name not in names:
        listed = as_text(list(names)[:20])
        raise Blocked(reference.id, reference.text, say("no_field", lang, id=reference.id, field=name, names=listed))
    if names[name] is None:
        raise Blocked(reference.id, reference.text, say("null_field", lang, id=reference.id, field=name))
    return names[name]
