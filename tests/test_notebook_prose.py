"""Numbers in the notebooks' prose are printed by a cell of that notebook, or published with a source.

Looked at: numbers with a unit, a currency or a per-cent sign, and numbers of two or more digits. Not looked at: the
header block (title, time, level), headings, code in backticks, and the numbers of notebooks and exercises.
"""

import json
import re

import pytest

from planexec.course import form
from planexec.course.lint import outputs_text
from planexec.paths import data_path, notebooks_path

pytest.importorskip("nbformat")
NOTEBOOKS = sorted(notebooks_path().glob("*.ipynb"))
PUBLISHED = {each["text"] for each in json.loads(data_path("course", "published.json").read_text("utf-8"))["figures"]}

LEFT_OUT = [
    re.compile(r"(?m)^#.*$"),  # headings
    re.compile(r"`[^`]*`"),  # code
    re.compile(r"\]\([^)]*\)"),  # links
    re.compile(r"\*\*\d\d\.\d\*\*"),  # exercises
    re.compile(r"(?i)\b(?:notebooks?|where next:\*\*|comes after|part) *(?:\d\d(?:,? (?:and|to)?\s?)?)+"),
    re.compile(r"(?m)(?:(?<=^)|(?<=[.;:] )|(?<=next:\*\* ))(?:0\d|1[0-8])(?= [a-z])"),  # "08 asks what happens"
]
UNIT = r"%|％|亿|万|元|yuan|bn|million|billion|dollars?|minutes?|seconds?|ms\b|s\b|km\b|MB\b|tokens?"
NUMBER = re.compile(rf"(?<![A-Za-z0-9_.,])(\$)?(\d[\d,]*(?:\.\d+)?)\s?({UNIT})?")


def numbers(prose):
    """The numbers of a text that need a source, as written: "costs $12.30 in 47 minutes" -> ["12.30", "47"]."""
    for noise in LEFT_OUT:
        prose = noise.sub(" ", prose)
    found = []
    for currency, number, unit in NUMBER.findall(prose):
        number = number.rstrip(",")
        if currency or unit or len(re.sub(r"\D", "", number).lstrip("0")) >= 2:
            found.append(number)
    return found


def plain(number):
    return number.replace(",", "")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_numbers_in_prose_are_printed_or_published(path):
    notebook = form.read(path)
    printed = "\n".join(outputs_text(cell) for cell in notebook.cells if cell.cell_type == "code")
    shown = {plain(number) for number in re.findall(r"\d[\d,]*(?:\.\d+)?", printed)}
    shown |= {plain(number) for number in PUBLISHED}
    prose = [cell.source for cell in notebook.cells[1:] if cell.cell_type == "markdown"]
    missing = [number for text in prose for number in numbers(text) if plain(number).rstrip(".") not in shown]
    assert missing == []


@pytest.mark.parametrize(
    ("prose", "found"),
    [
        ("It cost $12.30 in 47 minutes.", ["12.30", "47"]),
        ("A share of 5 % is small, and 5 runs are few.", ["5"]),
        ("In 2,672 runs", ["2,672"]),
        ("three of five, or 3 of 5", []),
        ("# 12 Monkeys\ntext", []),
        ("`max_steps=30` and notebook 12", []),
        ("**08.2** Write it. Where next: **Where next:** 08 asks", []),
        ("释放8000亿，占25%", ["8000", "25"]),
    ],
)
def test_which_numbers_need_a_source(prose, found):
    assert numbers(prose) == found
