"""`run.py doctor`: what is here, what is missing, what to do about it. It looks and changes nothing."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from runner.environment import WHY, Place, state, wanted
from runner.progress import say

NEEDED_MB = 500

# Asks the environment's own Python for its packages, so that nothing has to be imported here.
PROBE = """
import importlib.metadata as m, json, sys
names = json.loads(sys.argv[1]); found = {}
for name in names:
    try: found[name] = m.version(name)
    except m.PackageNotFoundError: found[name] = ""
print(json.dumps({"python": "%d.%d.%d" % sys.version_info[:3], "packages": found}))
"""

BROWSERS = {
    "posix": ("chromium", "chromium-browser", "google-chrome"),
    "nt": ("chrome", "msedge"),
}
BROWSER_FILES = {
    "darwin": ("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
               "/Applications/Chromium.app/Contents/MacOS/Chromium"),
    "win32": (r"C:\Program Files\Google\Chrome\Application\chrome.exe",
              r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe"),
}  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """One line of the report. `mark`: ok, MISSING (a learner needs it), or "-" (only some tests need it)."""

    what: str
    mark: str
    text: str


def version(text: str) -> tuple[int, ...]:
    """version("8.1.9rc1") -> (8, 1, 9): enough to compare with a lower bound."""
    return tuple(int(part) for part in re.findall(r"\d+", text.split("+")[0])[:3])


def bounds(requirements: Iterable[str]) -> dict[str, str]:
    """bounds(["pydantic>=2.10"]) -> {"pydantic": "2.10"}; the project itself is no requirement."""
    split = (re.match(r"([A-Za-z0-9_.-]+)(?:\[.*?\])?(?:>=([\d.]+))?", entry) for entry in requirements)
    return {match[1]: match[2] or "0" for match in split if match and match[1] != "planexec"}


def browser(os_name: str, platform: str, find: Callable[[str], str | None] = shutil.which) -> str:
    """The path of a browser that tests can drive, or the empty text."""
    on_path = (find(name) for name in BROWSERS["nt" if os_name == "nt" else "posix"])
    known = (path for path in BROWSER_FILES.get(platform, ()) if Path(path).exists())
    return next((path for path in (*on_path, *known) if path), "")


def packages(needed: Mapping[str, str], found: Mapping[str, str], mark: str) -> list[Finding]:
    """A line for each package that is missing or too old; one line for all the others."""
    bad = [
        Finding(name, mark, f"{found.get(name) or 'not installed'}, needed {least} or newer")
        for name, least in needed.items()
        if not found.get(name) or version(found[name]) < version(least)
    ]
    good = len(needed) - len(bad)
    return [Finding("packages", "ok", f"{good} of {len(needed)} as pyproject.toml asks")] * bool(good) + bad


def look_inside(place: Place) -> list[Finding]:
    """The environment, its Python and its packages."""
    project = tomllib.loads((place.root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    learner = bounds([*project["dependencies"], *extras["models"], *extras["course"]])
    developer = {name: least for name, least in bounds(extras["dev"]).items() if name not in learner}
    found = state(place, wanted(place, "course"))
    if found in ("missing", "foreign", "broken", "unfinished"):
        return [Finding(".venv", "MISSING", WHY.get(found, "not a virtual environment: move it away"))]
    mark = "ok" if found in ("ready", "unstamped") else "MISSING"
    lines = [Finding(".venv", mark, "ready" if mark == "ok" else WHY[found])]
    asked = [str(place.python), "-c", PROBE, json.dumps([*learner, *developer])]
    answer = subprocess.run(asked, capture_output=True, text=True, encoding="utf-8", check=False)
    if answer.returncode:
        return [Finding(".venv", "MISSING", "its Python does not start; `python run.py` makes it again")]
    report = json.loads(answer.stdout)
    lines.append(Finding("its Python", "ok", report["python"]))
    lines += packages(learner, report["packages"], "MISSING")
    lacking = [name for name in developer if not report["packages"].get(name)]
    note = f"not here: {', '.join(lacking)} (`python run.py test` installs them)" if lacking else "all here"
    return [*lines, Finding("for the tests", "-" if lacking else "ok", note)]


def look_around(place: Place, find: Callable[[str], str | None] = shutil.which) -> list[Finding]:
    """The machine: Python, uv, disk, console, browser."""
    free = shutil.disk_usage(place.root).free // 1_000_000
    console = (sys.stdout.encoding or "ascii").lower().replace("-", "")
    uv = find("uv")
    seen = browser(place.os_name, sys.platform, find)
    return [
        Finding("Python", "ok", f"{sys.version.split()[0]} ({sys.executable})"),
        Finding("uv", "ok" if uv else "-", uv or "not here; pip does the same, more slowly"),
        Finding("disk", "ok" if free >= NEEDED_MB else "MISSING", f"{free:,} MB free, about {NEEDED_MB} needed"),
        Finding("writing", *(("ok", "allowed") if os.access(place.root, os.W_OK) else ("MISSING", "not allowed here"))),
        Finding("console", "ok" if console.startswith(("utf", "gb")) else "-", f"{console}; Chinese needs utf8 or gbk"),
        Finding("browser", "ok" if seen else "-", seen or "no Chromium; only the browser tests need one"),
    ]


def main(place: Place) -> int:
    """Print the findings. Exit code 0: a learner can start; 1: something a learner needs is missing."""
    findings = [*look_around(place), *look_inside(place)]
    for finding in findings:
        say(f"{finding.mark:<8} {finding.what:<14} {finding.text}")
    missing = [finding.what for finding in findings if finding.mark == "MISSING"]
    say("\nEverything a learner needs is here: python run.py" if not missing
        else f"\nMissing: {', '.join(missing)}. `python run.py` sets up what it can.")  # fmt: skip
    return int(bool(missing))
