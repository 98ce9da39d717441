"""What the model knows beforehand: both languages, no figure, and no name that only an answer could hold."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from planexec.models.policy.knowledge import LANGUAGES, known_worlds, worlds_with_knowledge
from planexec.paths import data_path

WORLDS = worlds_with_knowledge()


def raw(world: str, file: str = "knows.json") -> Any:
    return json.loads(data_path(world, file).read_text(encoding="utf-8"))


def texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from texts(each)
    elif isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from texts(each)


def test_finance_and_research_are_known() -> None:
    assert {"finance", "research"} <= set(WORLDS)


@pytest.mark.parametrize("world", WORLDS)
def test_no_figure_is_known_beforehand(world: str) -> None:
    assert [text for text in texts(raw(world)) if re.search(r"\d", text)] == []
    assert not any(isinstance(value, (int, float)) and not isinstance(value, bool) for value in _scalars(raw(world)))


def _scalars(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _scalars(each)
    else:
        yield value


def test_no_sector_stock_or_ticker_of_the_finance_world_is_known_beforehand() -> None:
    knowledge = raw("finance", "knowledge.json")
    names: set[str] = set()
    for entry in knowledge["entries"]:
        for table in entry.get("tables", {}).values():
            for said in table.values():
                names.update(said if isinstance(said, list) else said.keys())
                names.update(
                    name
                    for row in (said.values() if isinstance(said, dict) else ())
                    for name in row
                    if isinstance(row, list)
                )
    for quote in knowledge["quotes"]:
        names.update([quote["ticker"], *quote["name"].values()])
    assert len(names) > 20
    assert _known_of(names, "finance") == []


def test_no_maker_car_or_source_of_the_research_world_is_known_beforehand() -> None:
    pages = raw("research", "pages.json")["pages"]
    english = " ".join(text for page in pages for text in (page["title"]["en"], page["text"]["en"]))
    names = set(re.findall(r"\b[A-Z][a-z]+ (?:[A-Z][a-z]+|[A-Z]\d)\b", english))
    names |= {said for page in pages for said in page["source"].values()}
    assert len(names) > 20
    assert _known_of(names, "research") == []


def _known_of(names: set[str], world: str) -> list[str]:
    """Those names that stand as whole words in what is known of a world."""
    known = "\n".join(texts(raw(world)))
    return sorted(
        name
        for name in names
        if (re.search(rf"\b{re.escape(name)}\b", known, re.IGNORECASE) if name.isascii() else name in known)
    )


@pytest.mark.parametrize("known", known_worlds(), ids=lambda known: known.world)
def test_everything_is_said_in_both_languages(known: Any) -> None:
    both = set(LANGUAGES)
    assert set(known.name) == set(known.topic) == both
    for pattern in known.patterns.values():
        assert set(pattern) == both
    for need in known.needs:
        assert set(need.goal) == set(need.label) == set(need.words) == both, need.id
        assert need.expression or need.args or set(need.ask) == both, need.id
        assert {len(need.ask.get(lang, ())) for lang in both} in ({0}, {len(need.ask.get("en", ()))}), need.id


@pytest.mark.parametrize("known", known_worlds(), ids=lambda known: known.world)
def test_needs_name_patterns_tools_and_needs_that_exist(known: Any) -> None:
    ids = [need.id for need in known.needs]
    assert len(ids) == len(set(ids))
    for need in known.needs:
        assert need.tool in known.tools
        assert set(need.when) | set(need.unless) <= set(known.patterns)
        assert set(need.after) <= set(ids[: ids.index(need.id)]), f"{need.id} waits for something that comes later"


@pytest.mark.parametrize("known", known_worlds(), ids=lambda known: known.world)
def test_the_wordings_of_a_need_differ_from_one_another(known: Any) -> None:
    for need in known.needs:
        for lang in LANGUAGES:
            assert len(set(need.ask.get(lang, ()))) == len(need.ask.get(lang, ()))
