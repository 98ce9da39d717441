"""The pages in docs/: their code runs as printed, their links lead somewhere, their names exist."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted((ROOT / "docs").glob("*.md"))
BLOCKS = [
    pytest.param(code, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S), 1)
    if "base_url" not in code  # an endpoint of the reader's own
]


@pytest.mark.parametrize("code", BLOCKS)
def test_code_in_the_pages_runs_as_printed(code, tmp_path):
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    for promised in re.findall(r"^ *print\(.*\)  # (.+)$", code, re.M):
        assert promised in done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_the_names_on_the_way_from_the_other_lesson_exist():
    page = (ROOT / "docs" / "coming_from_plan_and_execute.md").read_text(encoding="utf-8")
    for path, name in re.findall(r"`planexec/(\w+)\.py`: `(\w+)\(", page):
        assert hasattr(importlib.import_module(f"planexec.{path}"), name)
    assert page.count("planexec/") >= 4
