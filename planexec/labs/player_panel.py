"""The player as a panel: a slider over the frames, a play button and its speed. Thin over `player.py`."""

from __future__ import annotations

from typing import Any

from planexec.labs.frames import frames
from planexec.labs.panel import Dial, Panel
from planexec.labs.player import PairView, PlayerView, RunLike, first_difference

SLOW, FAST = 2_000, 200  # milliseconds that one frame is shown


class PlayerPanel(Panel):
    """The shared panel with a play button. `call` names the run as the reader does, who has it in a variable."""

    def __init__(self, function: Any, dial: Dial, name: str):
        self.name = name
        super().__init__(function, [dial])
        import ipywidgets as widgets

        control = self.controls["k"]
        self.play = widgets.Play(value=control.value, min=control.min, max=control.max, interval=800)
        self.speed = widgets.IntSlider(
            value=800, min=FAST, max=SLOW, step=100, description="ms a frame", style={"description_width": "initial"}
        )
        widgets.jslink((self.play, "value"), (control, "value"))
        widgets.jslink((self.speed, "value"), (self.play, "interval"))
        row = widgets.HBox([self.play, self.speed], layout={"flex_flow": "row wrap"})
        self.widget.children = (row, *self.widget.children)

    @property
    def call(self) -> str:
        return f"{self.name}, k={self.values['k']})"


def make(run: RunLike, other: RunLike | None = None) -> PlayerPanel:
    """The panel of one run, or of two. ValueError for a run in which nothing happened."""
    one = frames(run)
    two = frames(other) if other is not None else ()
    if not one or (other is not None and not two):
        raise ValueError("nothing has happened in this run")
    most = max(len(one), len(two))
    if other is None:
        return PlayerPanel(lambda k: PlayerView(one, k), Dial("k", 1, 1, most), "player(run")
    first = first_difference(one, two)
    begin = Dial("k", first or 1, 1, most)
    return PlayerPanel(lambda k: PairView(one, two, first, k), begin, "side_by_side(run, other")
