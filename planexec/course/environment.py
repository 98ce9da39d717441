"""Is everything here that the course needs? One plain verdict a line, the same words on every machine."""

from __future__ import annotations

import sys
from importlib.util import find_spec

OLDEST = (3, 11)
# what it is for -> the module that does it
NEEDED = {"tools and plans": "pydantic", "repairing cut plans": "json_repair", "pictures": "matplotlib"}
USEFUL = {"live panels": "ipywidgets", "a real model": "openai", "real web search": "requests"}


def environment() -> str:
    """One line for each thing: ready, or what to do. Nothing is imported, nothing leaves the machine."""
    old = sys.version_info[:2] < OLDEST
    lines = [_line("Python", f"too old: at least {OLDEST[0]}.{OLDEST[1]} is needed" if old else "ready")]
    for names, missing in ((NEEDED, "MISSING"), (USEFUL, "not here (only some notebooks need it)")):
        for purpose, module in names.items():
            here = find_spec(module) is not None
            lines.append(_line(purpose, "ready" if here else f"{missing}: install {module}"))
    lines.append(_line("network and key", "not needed"))
    return "\n".join(lines)


def _line(purpose: str, verdict: str) -> str:
    return f"{purpose:<20} {verdict}"
