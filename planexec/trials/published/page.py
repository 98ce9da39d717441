"""The page about the wind tunnel, with its tables made anew.

    python -m planexec.trials.published.page docs/wind_tunnel.md

Between `<!-- NAME -->` and `<!-- end -->` the page holds what `blocks()` says under that name; the words round it are
written by hand and stay.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from planexec.models.policy.dials import DIAL_NAMES, MEANING, presets
from planexec.paths import data_path
from planexec.trials import published
from planexec.trials.judge import COLUMNS
from planexec.trials.table import Table

_BLOCK = re.compile(r"(<!-- (?P<name>[\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def dials() -> Table:
    """The nine dials: what each does, when it may, what it moves."""
    return Table(
        {"dial": name, "what it does": each.does, "its opportunity": each.opportunity, "what it moves": each.moves}
        for name, each in ((name, MEANING[name]) for name in DIAL_NAMES)
    )


def settings() -> Table:
    """The presets: every dial."""
    return Table({"preset": name, **preset["dials"]} for name, preset in presets().items())


def fit() -> Table:
    """What the dials of the preset of the articles were set by."""
    return Table(presets()[published.PRESET]["fit"])


def logged(mark: str) -> Table:
    """The presets fitted to logs: what was measured there and what the simulated model does, in per cent."""
    rows = json.loads(data_path("presets_fit.json").read_text("utf-8"))["rows"]
    return Table(
        {
            "preset": row["preset"],
            "after what, what": row["decision"],
            **({"dial": row["dial"]} if row["dial"] else {}),
            "source": row["source"],
            "n": row["n"],
            "measured %": row["measured"],
            "from": row["low"],
            "to": row["high"],
            "simulated %": row["simulated"],
            "error, points": row["error"],
        }
        for row in rows
        if row["mark"] == mark
    )


def columns() -> Table:
    return Table({"column": name, "what it counts": says} for name, says in COLUMNS.items())


def blocks(names: Iterable[str] = published.NAMES) -> dict[str, str]:
    """Every block of the page by name, tables as Markdown; `names`: which tables of published figures to run."""
    made = {"dials": dials(), "presets": settings(), "fit": fit(), "columns": columns()}
    made |= {"logs-fitted": logged("fitted"), "logs-predicted": logged("predicted")}
    made |= {name: published.table(name) for name in names}
    return {name: table.markdown() for name, table in made.items()}


def filled(page: str, parts: Mapping[str, str]) -> str:
    """The page with these blocks in their places; a block that is not given stays as it is."""

    def put(match: re.Match[str]) -> str:
        name = match["name"]
        return f"{match[1]}{parts[name]}{match[3]}" if name in parts else match.group()

    return _BLOCK.sub(put, page)


def main(path: str) -> None:
    page = Path(path)
    page.write_text(filled(page.read_text("utf-8"), blocks()), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(sys.argv[1])
