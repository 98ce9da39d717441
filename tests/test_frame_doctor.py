"""`run.py doctor`: it names what is missing, and tells a learner's need from a tester's."""

import sys
from pathlib import Path

import pytest

from runner import doctor
from runner.doctor import bounds, browser, packages, version
from runner.environment import Place

ROOT = Path(__file__).resolve().parent.parent


def test_bounds_are_read_from_requirements():
    asked = ["pydantic>=2.10", "planexec[course]", "matplotlib>=3.11,<3.12", "jupyter-client"]
    assert bounds(asked) == {"pydantic": "2.10", "matplotlib": "3.11", "jupyter-client": "0"}


@pytest.mark.parametrize(
    ("found", "mark"), [("2.9.9", "MISSING"), ("2.10", "ok"), ("2.10.0rc1", "ok"), ("10.0", "ok"), ("", "MISSING")]
)
def test_a_package_is_missing_below_its_bound_and_ok_at_it(found, mark):
    marks = [finding.mark for finding in packages({"pydantic": "2.10"}, {"pydantic": found}, "MISSING")]
    assert marks == [mark]


def test_versions_compare_as_numbers():
    assert version("8.10.1+local.7") == (8, 10, 1) > version("8.9")


def test_without_an_environment_the_doctor_says_so_and_returns_1(tmp_path, capsys):
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    assert doctor.main(Place(tmp_path)) == 1
    out = capsys.readouterr().out
    assert "Missing: .venv" in out and "python run.py" in out
    assert not (tmp_path / ".venv").exists()


def test_the_doctor_lists_the_packages_of_the_environment():
    place = Place(ROOT)
    if not place.python.exists():
        pytest.skip("this run does not come from the environment in .venv")
    whats = {finding.what: finding.mark for finding in doctor.look_inside(place)}
    assert whats["packages"] == "ok"


def test_browsers_are_looked_for_where_each_system_keeps_them(monkeypatch):
    nowhere = {}.get
    assert browser("posix", "linux", {"google-chrome": "/bin/google-chrome"}.get) == "/bin/google-chrome"
    assert browser("nt", "win32", {"chrome": "chrome.exe"}.get) == "chrome.exe"
    assert browser("posix", "linux", nowhere) == ""
    monkeypatch.setattr(Path, "exists", lambda self: "Google Chrome.app" in str(self))
    assert browser("posix", "darwin", nowhere).endswith("MacOS/Google Chrome")
    monkeypatch.setattr(Path, "exists", lambda self: "chrome.exe" in str(self))
    assert browser("nt", "win32", nowhere).endswith("chrome.exe")


def test_what_only_tests_need_is_no_fault(capsys):
    findings = doctor.look_around(Place(ROOT), find=lambda name: None)
    assert {finding.what: finding.mark for finding in findings}["uv"] == "-"


def test_a_console_without_chinese_is_mentioned(monkeypatch):
    class Narrow:
        encoding = "cp1252"

    monkeypatch.setattr(sys, "stdout", Narrow())
    marks = {finding.what: finding for finding in doctor.look_around(Place(ROOT))}
    assert marks["console"].mark == "-" and "cp1252" in marks["console"].text
