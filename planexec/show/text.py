"""A run as text: line by line while it happens, or whole, from its journal or its result.

    live(sys.stdout, "en")     a watcher for `on_event`
    text_of(journal)           a finished or broken run from its record
    text_of_result(result)     a run from what it came back with

It fits into 80 columns, needs no colour, and takes every character that a console cannot show for a question mark.
It computes nothing: counts and reasons are those of the journal and the result.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

from planexec.gate import Event
from planexec.journal import Journal, Record
from planexec.result import Result
from planexec.show.columns import columns, wrap
from planexec.show.teller import Line, Teller, stop_text
from planexec.show.words import label, say
from planexec.store import made_by_command
from planexec.verdicts import Stop

WIDTH = 80
LABEL = 10  # columns that the label of a line has, with its indentation
EFFECTS = ("model", "tool", "ask", "wait")
_COLOURS = {"step": "1", "plan": "1", "answer": "1", "part": "1", "nudge": "33", "refused": "33", "stop": "31"}
_COLOURS |= {"failed": "31", "found": "32", "done": "32", "model": "2", "thought": "2", "replayed": "2", "totals": "1"}


def rendered(lines: Iterable[Line], lang: str, width: int = WIDTH, colour: bool = False) -> Iterator[str]:
    """Labelled lines as rows of at most `width` columns; rows after the first stand under the text of the first."""
    for line in lines:
        name = f"{label(line.key, lang)} {line.number}".rstrip()
        indent = "  " if line.inside else ""
        gap = " " * max(1, LABEL - columns(indent + name))
        rows = wrap(line.text, width - LABEL, line.most) or [""]
        code = _COLOURS.get(line.key) if colour else None
        shown = f"\x1b[{code}m{name}\x1b[0m" if code else name
        yield f"{indent}{shown}{gap}{rows[0]}".rstrip()
        yield from ((" " * LABEL + row).rstrip() for row in rows[1:])


class Live:
    """Prints each event as it comes, and how the run ended when it is over. What was replayed is summed up."""

    def __init__(self, out: TextIO, lang: str = "en", width: int = WIDTH, colour: bool | None = None):
        self.out, self.lang, self.width = out, lang, width
        self.colour = in_colour(out) if colour is None else colour
        self._teller = Teller(lang)
        self._replayed = 0

    def __call__(self, event: Event) -> None:
        if event.replayed:
            self._replayed += event.record.kind in EFFECTS
            self._teller.lines(event.record)
            return
        self._sum_up()
        self.lines(self._teller.lines(event.record))

    def lines(self, lines: Iterable[Line]) -> None:
        """Print lines and let them be seen at once."""
        for row in rendered(lines, self.lang, self.width, self.colour):
            write(self.out, row)
        self.out.flush()

    def end(self, result: Result) -> None:
        """Print the answer, why it stopped, and the totals."""
        self._sum_up(standing=False)
        write(self.out, "")
        self.lines(_closing(result.outcome(), self.lang))

    def _sum_up(self, standing: bool = True) -> None:
        if self._replayed:
            said = say("replayed", self.lang, self._replayed)
            self._replayed = 0
            self.lines([Line("replayed", said), *(self._teller.standing() if standing else ())])


def live(out: TextIO, lang: str = "en") -> Live:
    """A watcher for `on_event` that prints to `out`; call its `.end(result)` when the run is over."""
    return Live(out, lang)


def in_colour(out: TextIO) -> bool:
    """True for a terminal that shows colours, unless NO_COLOR asks for none."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not out.isatty():
        return False
    return os.name != "nt" or bool(os.environ.get("WT_SESSION") or os.environ.get("TERM"))


def write(out: TextIO, row: str) -> None:
    """One row to `out`; what its encoding does not have becomes a question mark instead of an error."""
    try:
        out.write(row + "\n")
    except UnicodeEncodeError:
        encoding = out.encoding or "ascii"
        out.write(row.encode(encoding, "replace").decode(encoding) + "\n")


def text_of(journal: Journal, width: int = WIDTH) -> str:
    """A run as its journal tells it, whether it ended or not; in the language of the run."""
    header = journal.header
    lang, teller = header.get("lang", "en"), Teller(header.get("lang", "en"))
    told = [Line("question", str(header.get("question", ""))), Line("run", _header(header, lang))]
    told += [Line("note", say("granted", lang, _grant(limits))) for limits in journal.grants]
    rows = [*rendered(told, lang, width), ""]
    rows += rendered(_told(journal, teller), lang, width)
    if journal.outcome is not None:
        closing = list(_closing(journal.outcome, lang))
    elif journal.path is not None:
        closing = [
            Line("ended", say("unfinished" if made_by_command(header) else "unfinished_own", lang, journal.path))
        ]
    else:
        closing = [Line("ended", say("unfinished_here", lang))]
    return "\n".join([*rows, "", *rendered(closing, lang, width)]) + "\n"


def _told(journal: Journal, teller: Teller) -> Iterator[Line]:
    """What the records tell, in order; those of a part stand before what the run noted of it, as they do live."""
    parts = {number: part.records() for number, part in journal.parts().items()}
    for record in journal.records():
        if record.part is not None:
            yield from _each(parts.pop(record.part, []), teller)
        yield from teller.lines(record)
    for records in parts.values():
        yield from _each(records, teller)


def _each(records: Iterable[Record], teller: Teller) -> Iterator[Line]:
    return (line for record in records for line in teller.lines(record))


def _header(header: dict[str, Any], lang: str) -> str:
    return header_text({**header, "world": (header.get("meta") or {}).get("world")}, lang)


def header_text(of: dict[str, Any], lang: str) -> str:
    """What a run is made with, in one line: `of` has world, model, lang, seed and date."""
    named = {name: of.get(name, "?") for name in ("date", "lang", "seed", "model")}
    return say("header", lang, **named, world=say("world", lang, of["world"]) if of.get("world") else "")


def _grant(limits: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in limits.items())


def text_of_result(result: Result, lang: str = "en", width: int = WIDTH) -> str:
    """A run from its result: each step with its calls and verdicts, then the answer, the stop and the totals."""
    teller, lines = Teller(lang), []
    if result.plan:
        lines.append(teller.plan_line([(step.id, step.goal) for step in result.steps]))
    verdicts = list(result.verdicts)
    for step in result.steps:
        lines.append(Line("step", step.goal, number=str(step.id)))
        for call in step.calls:
            lines += teller.call_lines(call.tool, call.args, call.kind, call.text)
        mine = [v for v in verdicts if _in_step(v.where, step.id, bool(result.plan))]
        verdicts = [v for v in verdicts if v not in mine]
        lines += [_verdict(v.action, v.text, v.stop, lang) for v in mine]
        lines.append(teller.done_line(step.status, step.answer))
    lines += [_verdict(v.action, v.text, v.stop, lang) for v in verdicts if v.stop != result.stop]
    closing = rendered(_closing(result.outcome(), lang), lang, width)
    return "\n".join([*rendered(lines, lang, width), "", *closing]) + "\n"


def _in_step(where: str, step_id: int, planned: bool) -> bool:
    """_in_step("step-3#2/conclude", 3, True) -> True; without a plan everything belongs to the one step.

    The steps of a split run are its parts: _in_step("part-3/step-1", 3, True) -> True.
    """
    return not planned or where.partition("/")[0].partition("#")[0] in (f"step-{step_id}", f"part-{step_id}")


def _verdict(action: str, text: str, stop: Stop | None, lang: str) -> Line:
    if stop is not None:
        return Line("stop", stop_text(stop, lang), inside=True)
    return Line({"refuse": "refused", "fallback": "note"}.get(action, "nudge"), text, inside=True)


def _totals(outcome: dict[str, Any], lang: str) -> str:
    usage = outcome["usage"]
    usd = say("no_price", lang) if usage["usd"] is None else f"${usage['usd']:.4f}"
    tokens = usage["prompt_tokens"] + usage["completion_tokens"]
    state = say("complete" if outcome["complete"] else "incomplete", lang)
    return say("used", lang, **{**usage, "usd": usd, "tokens": tokens, "replans": outcome["replans"], "state": state})


def _closing(outcome: dict[str, Any], lang: str) -> Iterator[Line]:
    """How a run ended: the answer, the stop, the totals."""
    yield Line("answer", outcome["answer"].strip() or say("no_answer", lang))
    if outcome["degraded"]:
        yield Line("note", say("smaller", lang))
    if outcome["stop"]:
        yield Line("stop", stop_text(Stop.from_dict(outcome["stop"]), lang))
    yield Line("totals", _totals(outcome, lang))


__all__ = ["Live", "header_text", "live", "rendered", "text_of", "text_of_result", "write"]
