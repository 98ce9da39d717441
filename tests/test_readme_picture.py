"""The picture in the README is a picture of a run: its alternative text is the one that the run gives today."""

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
