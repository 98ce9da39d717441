"""The player as a panel: a slider over the frames, steps, play and pause, the speed. Thin over `player.py`.

The frames are turned in the browser by a Play widget that is not shown, because its own buttons have no names; the
buttons here have, so a screen reader and a keyboard can use them.
"""

from __future__ import annotations

from typing import Any

from planexec.labs.frames import frames
from planexec.labs.panel import FLOW, NARROW, Dial, Panel, roomy
from planexec.labs.player import PairView, PlayerView, RunLike, example, first_difference

PACE = "ms a frame"
SLOW, FAST, USUAL = 2_000, 200, 800  # milliseconds that one frame is shown


class PlayerPanel(Panel):
    """The shared panel with buttons that turn the frames. `name`: how the call begins that shows what is shown.

    `first`: the first frame in which two runs differ, None when there is none or only one run.
    """

    def __init__(self, function: Any, dial: Dial, name: str, first: int | None = None):
        self.name = name
        super().__init__(function, [dial])
        import ipywidgets as widgets

        control = self.controls["k"]
        hidden = {"display": "none"}
        bounds = {"value": control.value, "min": control.min, "max": control.max}
        self.play = widgets.Play(**bounds, interval=USUAL, show_repeat=False, layout=hidden)
        self.playing = widgets.ToggleButton(description="Play", tooltip="Turn the frames one after the other")
        pace = {"value": USUAL, "min": FAST, "max": SLOW, "step": 100, "style": NARROW, "layout": roomy(PACE, 15)}
        self.speed = widgets.IntSlider(description=PACE, readout=False, **pace)
        self.speed_box = widgets.BoundedIntText(description=f"{PACE} (type)", **pace)
        widgets.jslink((self.play, "value"), (control, "value"))
        widgets.jslink((self.playing, "value"), (self.play, "playing"))
        widgets.jslink((self.speed, "value"), (self.play, "interval"))
        widgets.jslink((self.speed, "value"), (self.speed_box, "value"))
        self.playing.observe(self._played, "value")
        turns = [self._button("Step back", -1), self.playing, self._button("Step forward", 1)]
        if first is not None:
            turns.append(self._button("First difference", 0, first))
        rows = [widgets.HBox([*turns, self.play], layout=FLOW), widgets.HBox([self.speed, self.speed_box], layout=FLOW)]
        self.turns = {button.description: button for button in turns}
        self.widget.children = (*rows, *self.widget.children)

    def _button(self, name: str, by: int, to: int | None = None) -> Any:
        """A button that goes to a frame, or some frames on; at either end it does nothing."""
        import ipywidgets as widgets

        button = widgets.Button(description=name)
        button.on_click(lambda _: self.go(self.values["k"] + by if to is None else to))
        return button

    def go(self, k: int) -> None:
        """Stop playing and show frame `k`, or the end that is nearest to it."""
        self.playing.value = False
        control = self.controls["k"]
        control.value = max(control.min, min(control.max, k))

    def reset(self) -> None:
        self.playing.value = False
        self.speed.value = self.speed_box.value = self.play.interval = USUAL
        super().reset()

    def _played(self, change: dict[str, Any]) -> None:
        """The button says what it will do next; playing on from the last frame begins anew."""
        control = self.controls["k"]
        self.playing.description = "Pause" if change["new"] else "Play"
        if change["new"] and control.value == control.max:
            control.value = self.play.value = control.min

    @property
    def call(self) -> str:
        return f"{self.name}, k={self.values['k']})"

    @property
    def imports(self) -> str:
        names = [name for name in ("example", "player", "side_by_side") if f"{name}(" in self.name]
        return f"from planexec.labs.player import {', '.join(names)}"


def make(run: RunLike | None = None, other: RunLike | None = None) -> PlayerPanel:
    """The panel of one run, or of two; without one, of the example. ValueError for a run in which nothing happened."""
    name = "player(run" if run is not None else "player(example()"
    one = frames(run if run is not None else example())
    two = frames(other) if other is not None else ()
    if not one or (other is not None and not two):
        raise ValueError("nothing has happened in this run")
    most = max(len(one), len(two))
    if other is None:
        return PlayerPanel(lambda k: PlayerView(one, k), Dial("k", 1, 1, most), name)
    first = first_difference(one, two)
    begin, name = Dial("k", first or 1, 1, most), name.replace("player", "side_by_side")
    return PlayerPanel(lambda k: PairView(one, two, first, k), begin, f"{name}, other", first)
