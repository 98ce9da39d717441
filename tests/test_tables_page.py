"""The page about the wind tunnel says what the code says.

After a change: python -m planexec.trials.published.page docs/wind_tunnel.md. The tables that test_tables_published.py
makes anyway are compared there.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from planexec.models.policy.dials import DIAL_NAMES, presets
from planexec.trials import published
from planexec.trials.judge import COLUMNS
from planexec.trials.published.page import blocks, filled

PAGE = Path(__file__).parents[1] / "docs" / "wind_tunnel.md"
TEXT = PAGE.read_text("utf-8")


def test_the_page_has_every_table_once() -> None:
    names = re.findall(r"<!-- (?!end)([\w-]+) -->", TEXT)
    assert sorted(names) == sorted(
        ["dials", "presets", "fit", "logs-fitted", "logs-predicted", "columns", *published.NAMES]
    )
    assert TEXT.count("<!-- end -->") == len(names)


def test_dials_presets_fit_and_columns_are_those_of_the_code() -> None:
    assert filled(TEXT, blocks([])) == TEXT
    for name in (*DIAL_NAMES, *presets(), *COLUMNS):
        assert name in TEXT, name


def test_filling_changes_a_block_and_nothing_else() -> None:
    page = "before\n<!-- A1 -->\nold\n<!-- end -->\nbetween\n<!-- B3 -->\nkept\n<!-- end -->\nafter\n"
    assert filled(page, {"A1": "new\n"}) == page.replace("old", "new")
    assert filled(page, {}) == page


@pytest.mark.check
@pytest.mark.parametrize("name", ["C", "mail"])
def test_the_tables_of_the_incident_and_the_mail_are_what_comes_out(name: str) -> None:
    assert filled(TEXT, {name: published.table(name).markdown()}) == TEXT
