"""The pictures in the README show a run and a lab: their alternative texts are what run and lab say today."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def test_the_picture_of_a_run_shows_what_the_run_does():
    pytest.importorskip("matplotlib")
    from planexec.labs.budget import budget
    from planexec.show.figures import run_timeline

    alt, path = re.search(r"!\[(.+?)\]\((docs/run\.png)\)", (ROOT / "README.md").read_text(encoding="utf-8")).groups()
    result = budget(8).result
    assert run_timeline(result, alt.partition(". ")[0]).alt == alt
    assert f"{result.usage.steps} steps of 8" in alt and result.complete
    assert (ROOT / path).read_bytes().startswith(b"\x89PNG")


def test_the_picture_of_a_lab_says_what_the_lab_says_at_the_start():
    pytest.importorskip("ipywidgets")
    from planexec.labs import lab

    alt, path = re.search(r"!\[(.+?)\]\((docs/lab\.png)\)", (ROOT / "README.md").read_text(encoding="utf-8")).groups()
    assert f" {lab('counters').view.text}." in alt
    picture = (ROOT / path).read_bytes()
    assert picture.startswith(b"\x89PNG") and len(picture) < 150_000
