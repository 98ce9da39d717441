"""A table of runs: one row a run, columns named with their units, the same text on every machine."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from statistics import median
from typing import Any

Row = Mapping[str, Any]


class Table(Sequence[Row]):
    """Rows in a fixed order. Every method that chooses or counts returns plain values or another table."""

    def __init__(self, rows: Iterable[Row]):
        self.rows = tuple(dict(row) for row in rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: Any) -> Any:
        return Table(self.rows[place]) if isinstance(place, slice) else self.rows[place]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and self.rows == other.rows

    def where(self, **wanted: Any) -> Table:
        """The rows whose columns have these values: table.where(setting="guarded", outcome="right")."""
        return Table(row for row in self.rows if all(row.get(name) == value for name, value in wanted.items()))

    def column(self, name: str) -> list[Any]:
        """All values of one column. KeyError names the columns there are."""
        if self.rows and name not in self.rows[0]:
            raise KeyError(f"no column {name!r}; there are {', '.join(self.rows[0])}")
        return [row[name] for row in self.rows]

    def percent(self, **wanted: Any) -> float:
        """How many of the rows have these values, in per cent; 0 for a table without rows."""
        return 100 * len(self.where(**wanted)) / len(self.rows) if self.rows else 0.0

    def median(self, name: str) -> float:
        """The median of a column; 0 for a table without rows."""
        values = [value for value in self.column(name) if value is not None] if self.rows else []
        return float(median(values)) if values else 0.0

    def mean(self, name: str) -> float:
        """The mean of a column; 0 for a table without rows."""
        values = [value for value in self.column(name) if value is not None] if self.rows else []
        return sum(values) / len(values) if values else 0.0

    def share(self, name: str, at_least: float) -> float:
        """How many of the rows have at least so much in a column, in per cent; 0 for a table without rows."""
        reached = sum(value is not None and value >= at_least for value in self.column(name)) if self.rows else 0
        return 100 * reached / len(self.rows) if self.rows else 0.0

    def total(self, name: str) -> float:
        return float(sum(value or 0 for value in self.column(name)))

    def groups(self, *names: str) -> dict[tuple[Any, ...], Table]:
        """The rows by the values of some columns, in the order in which these first appear."""
        found: dict[tuple[Any, ...], list[Row]] = {}
        for row in self.rows:
            found.setdefault(tuple(row[name] for name in names), []).append(row)
        return {key: Table(rows) for key, rows in found.items()}

    def summary(self, by: Sequence[str], **columns: Callable[[Table], Any]) -> Table:
        """One row a group: table.summary(["setting"], right_percent=lambda t: t.percent(outcome="right"))."""
        return Table(
            {**dict(zip(by, key, strict=True)), **{name: make(part) for name, make in columns.items()}}
            for key, part in self.groups(*by).items()
        )

    def to_csv(self) -> str:
        out = io.StringIO()
        writer = csv.DictWriter(out, list(self.rows[0]) if self.rows else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        return out.getvalue()

    def to_lines(self) -> str:
        """JSON lines, one row each."""
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in self.rows)

    def markdown(self) -> str:
        """The table as Markdown, each row on a line of its own."""
        names = list(self.rows[0]) if self.rows else []
        rows = [names, ["---"] * len(names), *([_cell(row.get(name)) for name in names] for row in self.rows)]
        return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |\n" for row in rows)

    def __repr__(self) -> str:
        return self.text()

    def text(self, most: int = 30) -> str:
        """Aligned columns; beyond `most` rows the middle is left out, visibly."""
        if not self.rows:
            return "(no rows)"
        names = list(self.rows[0])
        shown = [[_cell(row.get(name)) for name in names] for row in self.rows]
        if len(shown) > most:
            half = most // 2
            shown = [*shown[:half], ["…"] * len(names), *shown[-half:]]
        widths = [max(len(name), *(len(row[i]) for row in shown)) for i, name in enumerate(names)]
        numeric = [all(_is_number(row.get(name)) for row in self.rows) for name in names]
        lines = [[name.rjust(w) if n else name.ljust(w) for name, w, n in zip(names, widths, numeric, strict=True)]]
        lines += [
            [c.rjust(w) if n else c.ljust(w) for c, w, n in zip(row, widths, numeric, strict=True)] for row in shown
        ]
        return "\n".join("  ".join(line).rstrip() for line in lines)

    def _repr_html_(self) -> str:
        if not self.rows:
            return "<p>(no rows)</p>"
        names = list(self.rows[0])
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(_cell(row.get(name)))}</td>" for name in names) + "</tr>"
            for row in self.rows[:200]
        )
        rest = f"<p>… and {len(self.rows) - 200} more rows</p>" if len(self.rows) > 200 else ""
        return f"<table><tr>{head}</tr>{body}</table>{rest}"


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    return "" if value is None else str(value)


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))
