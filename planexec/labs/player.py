"""The player: any run, one thing after the other; and two runs side by side, with the first difference marked.

    player(journal, 5)                what happened fifth: messages, call, observation, counters, budget
    side_by_side(journal, other)      both at the first thing that is not the same

A run is a `Journal`, the file of a saved run, or a `Result` (which knows its tool calls only).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from planexec.guards import Standing
from planexec.journal import Journal
from planexec.labs.frames import Frame, Gauge, frames
from planexec.result import Result
from planexec.show.columns import clean, fit, wrap
from planexec.show.lanes import Lane, Mark, kinds_of, lanes_picture, legend, shape
from planexec.show.picture import BLUE, GREY, ORANGE
from planexec.show.svg import WIDTH, label, line, svg

if TYPE_CHECKING:
    from planexec.labs.panel import Panel
    from planexec.show.picture import Picture

RunLike = Journal | Result | Path | str
ROWS, ROW_TEXT, ROW = 14, 100, 16.0  # lines of text in a picture, their width in columns and height in pixels
LINE_ROWS = 4  # rows that one message may take
AXIS = "thing that happened"


@dataclass(frozen=True, repr=False)
class PlayerView:
    """A run at frame `k`, counted from 1."""

    frames: tuple[Frame, ...]
    k: int

    @property
    def frame(self) -> Frame:
        return self.frames[self.k - 1]

    @property
    def text(self) -> str:
        """What happened, in one sentence, with the limits in use and the counters that have begun to count up."""
        used = [gauge.said for gauge in self.frame.used if gauge.most is not None and gauge.value]
        near = [f"{each.name}: {each.value} of {each.most}" for each in self.frame.guards if each.value > 1]
        more = f" ({'; '.join([*used, *near])})" if used or near else ""
        return f"{self.k} of {len(self.frames)}, {self.frame.where}: {fit(clean(self.frame.title), 150)}{more}"

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """All that was said here: pairs of (label, text), nothing left out."""
        return self.frame.lines

    @property
    def title(self) -> str:
        return f"{self.k} of {len(self.frames)}: {fit(clean(self.frame.title), 80)}"

    @property
    def svg(self) -> str:
        """The whole run as a strip of marks, and under it what was said, used and counted at this point."""
        strip = list(_strip(self.frames, 46, self.k))
        rows = list(_rows(self.frame, 74, ROWS))
        foot = 74 + ROW * ROWS + 14
        bars = [*_bars(self.frame.used, 8, foot), *_bars(_gauges(self.frame.guards), WIDTH / 2, foot)]
        end = foot + 18 * max(len(each.used) for each in self.frames) + 16
        key = legend(end, kinds_of(lanes_of(self.frames)))
        return svg(end + 12, self.text, *strip, *rows, *bars, key, title=self.title)

    @property
    def picture(self) -> Picture:
        """Which part of the run did what, one row a scope, with this point marked."""
        return lanes_picture(lanes_of(self.frames), self.title, AXIS, line_at=self.k)

    def __repr__(self) -> str:
        return self.text


def player(run: RunLike, k: int = 1) -> PlayerView:
    """The run at its `k`-th frame. ValueError for a frame that it does not have, or a run in which nothing happened."""
    cut = frames(run)
    if not cut:
        raise ValueError("nothing has happened in this run")
    if not 1 <= k <= len(cut):
        raise ValueError(f"k is 1 to {len(cut)}; got {k!r}")
    return PlayerView(cut, k)


@dataclass(frozen=True, repr=False)
class PairView:
    """Two runs at frame `k`. `first`: the first frame in which they differ, None when they are the same."""

    one: tuple[Frame, ...]
    two: tuple[Frame, ...]
    first: int | None
    k: int

    @property
    def text(self) -> str:
        """Where they part, and what each of them does there; then what they do at `k`, if that is somewhere else."""
        if self.first is None:
            return f"the same in all {len(self.one)} frames; at {self.k} both: {_title_at(self.one, self.k)}"
        parted = f"the same up to {self.first - 1}; at {self.first} they differ: {self._at(self.first)}"
        if self.k == self.first:
            return parted
        now = f"both: {_title_at(self.one, self.k)}" if self.k < self.first else self._at(self.k)
        return f"{parted}; shown is {self.k}, {now}"

    def _at(self, number: int) -> str:
        return " | ".join(_title_at(side, number) for side in (self.one, self.two))

    @property
    def title(self) -> str:
        return "Two runs, the same" if self.first is None else f"Two runs part at {self.first}"

    @property
    def lanes(self) -> tuple[Lane, ...]:
        return tuple(
            Lane(name, tuple(Mark(frame.number, frame.kind, frame.title) for frame in side))
            for name, side in (("one", self.one), ("two", self.two))
        )

    @property
    def svg(self) -> str:
        most = max(len(self.one), len(self.two))
        shapes = []
        for name, side, y in (("one", self.one, 46), ("two", self.two, 72)):
            shapes += [label(8, y + 4, name), *_strip(side, y, self.k, most)]
        if self.first is not None:
            x = _x(self.first, most)
            shapes += [line(x - 9, 32, x - 9, 88, ORANGE, "5 3"), label(x - 5, 100, "first difference", size=10)]
        shapes += _side("one", self.one, self.k, 112) + _side("two", self.two, self.k, 112 + ROW * 8)
        end = 112 + ROW * 17
        return svg(end + 12, self.text, *shapes, legend(end, kinds_of(self.lanes)), title=self.title)

    @property
    def picture(self) -> Picture:
        return lanes_picture(self.lanes, self.title, AXIS, line_at=self.first)

    def __repr__(self) -> str:
        return self.text


def side_by_side(one: RunLike, two: RunLike, k: int | None = None) -> PairView:
    """Two runs at their `k`-th frame; without one at the first difference, or at the end when there is none."""
    left, right = frames(one), frames(two)
    if not left or not right:
        raise ValueError("nothing has happened in one of these runs")
    first = first_difference(left, right)
    most = max(len(left), len(right))
    if k is not None and not 1 <= k <= most:
        raise ValueError(f"k is 1 to {most}; got {k!r}")
    return PairView(left, right, first, k if k is not None else first or most)


def first_difference(one: Sequence[Frame], two: Sequence[Frame]) -> int | None:
    """The number of the first frame that is not the same in both, counted from 1; None when there is none."""
    for number, (left, right) in enumerate(zip(one, two, strict=False), 1):
        if (left.where, left.key) != (right.where, right.key):
            return number
    return None if len(one) == len(two) else min(len(one), len(two)) + 1


def lanes_of(cut: Sequence[Frame]) -> tuple[Lane, ...]:
    """One lane for each scope, in the order in which they are entered."""
    scopes = dict.fromkeys(frame.where for frame in cut)
    return tuple(
        Lane(scope, tuple(Mark(frame.number, frame.kind, frame.title) for frame in cut if frame.where == scope))
        for scope in scopes
    )


def panel(run: RunLike | None = None, other: RunLike | None = None) -> Panel:
    """The player with a slider and a play button; with `other`, both runs. Without a run: the finance question's."""
    from planexec.labs.player_panel import make

    return make(run, other)


def example() -> Journal:
    """The finance world's question with eight steps, as notebook 07 asks it."""
    from planexec.agent import PlanExecuteAgent
    from planexec.limits import Limits
    from planexec.models.simulated import SimulatedModel
    from planexec.worlds import load

    world, journal = load("finance"), Journal()
    agent = PlanExecuteAgent(SimulatedModel("articles"), world.tools, Limits(max_steps=8), date=world.date)
    agent.run(world.question, journal)
    return journal


# ------------------------------------------------------------------------------------------------ drawing


def _x(number: int, most: int) -> float:
    return 48 + (number - 0.5) * (WIDTH - 60) / max(most, 24)


def _strip(cut: Sequence[Frame], y: float, k: int, most: int = 0) -> Iterator[str]:
    """A mark for each frame; the one looked at has a line under it."""
    most = max(most, len(cut))
    radius = min(7.0, (WIDTH - 60) / max(most, 24) / 2.4)
    for frame in cut:
        yield shape(_x(frame.number, most), y, frame.kind, f"{frame.number}: {frame.title}", radius)
    x = _x(k, most)
    yield f'<rect x="{x - 8:.1f}" y="{y + 10:.1f}" width="16" height="4" fill="currentColor"/>'


def _rows(frame: Frame, top: float, most: int) -> Iterator[str]:
    """What was said, one row after the other; what does not fit shows as three points."""
    rows: list[tuple[str, str]] = []
    before = ""
    for name, text in frame.lines:
        for place, row in enumerate(wrap(text, ROW_TEXT, LINE_ROWS)):
            rows.append((name if place == 0 and name != before else "", row))
        before = name
    cut = [*rows[: most - 1], ("", "...")] if len(rows) > most else rows
    for number, (name, row) in enumerate(cut):
        y = top + ROW * (number + 1)
        if name:
            yield label(8, y, name, colour=GREY)
        yield label(92, y, row)


def _side(name: str, cut: Sequence[Frame], k: int, top: float) -> list[str]:
    """What one of two runs does at frame `k`."""
    if k > len(cut):
        return [label(8, top + ROW, f"{name}: over after {len(cut)}")]
    frame = cut[k - 1]
    said = tuple(each for each in frame.lines if each[0] != "system")  # the prompt is the same for everyone
    title = label(8, top + ROW, f"{name}: {fit(clean(frame.title), 104)}")
    return [title, *_rows(replace(frame, lines=said), top + ROW, 6)]


def _title_at(cut: Sequence[Frame], number: int) -> str:
    return fit(clean(cut[number - 1].title), 100) if number <= len(cut) else f"over after {len(cut)}"


def _gauges(guards: Sequence[Standing]) -> list[Gauge]:
    return [Gauge(each.name, each.value, each.most) for each in guards]


def _bars(gauges: Sequence[Gauge], x: float, top: float) -> Iterator[str]:
    """A bar for each limit that is set: full means that the next one is refused or the counter acts."""
    for number, gauge in enumerate(gauges):
        y = top + 18 * number
        if gauge.most:
            share = min(1.0, gauge.value / gauge.most)
            colour = ORANGE if share >= 1 else BLUE
            yield f'<rect x="{x:.1f}" y="{y:.1f}" width="{60 * share:.1f}" height="10" fill="{colour}"/>'
            yield f'<rect x="{x:.1f}" y="{y:.1f}" width="60" height="10" fill="none" stroke="{GREY}"/>'
        yield label(x + 68, y + 10, gauge.said)
