"""The panel every lab shares: dials, Reset, a picture, a status line, and the call that rebuilds this state.

A lab is a plain function of its dials that returns a view with `text` (one sentence) and `svg` (the picture). The panel
calls it when a dial moves and shows what it returns; it decides nothing itself. Each slider has a number box beside
it, because sliders have no name for a screen reader and no exact value for an unsteady hand.

A lab whose picture takes many runs gives a `refine` as well: a generator function of the same dials. Each item holds
further arguments under which the plain function is quick by now, or None while there is nothing new to show. The first
item is drawn when the dial moves; the others follow in slices, as the event loop of the kernel has time. A dial that
moves meanwhile drops what was left of them. So what is shown is always what the plain call in the share line gives.
"""

from __future__ import annotations

import asyncio
import base64
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Protocol

NARROW = {"description_width": "initial"}
FLOW = {"flex_flow": "row wrap", "max_width": "calc(100% - 4px)"}  # on a narrow screen what does not fit goes below
SWITCH = FLOW | {"width": "19em", "height": "auto"}
SCROLL = {"overflow": "auto"}  # there a picture is moved sideways, rather than made too small to read
REST = 0.25  # seconds that the dials stand still before anything is refined: a drag is not held up
PAUSE = 0.03  # seconds between two slices, in which the kernel reads what the dials have sent; with less, moves wait
More = dict[str, Any]
Refine = Callable[..., Iterator[More | None]]
# What dials do may come on a thread of JupyterLab's own (a subshell), while a slice is worked out on the main one.
_ONE_AT_A_TIME = threading.RLock()
Schedule = Callable[[Callable[[], None], float], Callable[[], None] | None]


class View(Protocol):
    """What a lab function returns. A `table` (text) is shown below the picture, a `picture` where nothing can move."""

    @property
    def text(self) -> str: ...
    @property
    def svg(self) -> str: ...


@dataclass(frozen=True)
class Dial:
    """One dial: the argument it sets, its default, and either a range (`low`, `high`, `step`) or `options`.

    A text without options becomes a box to write in. `optional`: a switch beside it sets the argument to None; `on`
    says where that switch stands at the start. `label` names it with its unit; without one it is called as the
    argument is.
    """

    name: str
    value: Any
    low: float = 0
    high: float = 1
    step: float = 1
    options: Sequence[Any] = ()
    label: str = ""
    optional: bool = False
    on: bool = True

    @property
    def title(self) -> str:
        return self.label or self.name


def roomy(name: str, room: float) -> dict[str, str]:
    """The layout of a control called `name` with `room` more em beside it; on a narrow screen that goes below."""
    return {**FLOW, "width": f"{0.62 * len(name) + room:.1f}em", "height": "auto"}


def exact(value: Any) -> Any:
    """A number as it was meant: a slider in a browser counts its steps and says 0.9500000000000001 for 0.95."""
    return round(value, 10) if isinstance(value, float) else value


def on_the_loop(step: Callable[[], None], seconds: float) -> Callable[[], None] | None:
    """Have `step` called by the event loop that is running; returns what takes it back, None where none runs."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return None  # a script: nobody watches, so nothing is refined unless `finish` is called
    return loop.call_later(seconds, step).cancel


class Panel:
    """Live controls for a lab function. Shows as a picture where widgets cannot run.

    `schedule`: has each slice of a refinement called after so many seconds; returns what takes it back, None if it will
    not be called.
    """

    def __init__(
        self,
        function: Callable[..., View],
        dials: Sequence[Dial],
        *,
        refine: Refine | None = None,
        schedule: Schedule = on_the_loop,
        **fixed: Any,
    ):
        import ipywidgets as widgets

        self.function, self.dials, self.fixed = function, tuple(dials), fixed
        self.refine, self.schedule = refine, schedule
        self.more: More = {}
        self._at: dict[str, Any] = {}  # the dials as they stood when what is shown was drawn
        self.controls: dict[str, Any] = {}
        self.boxes: dict[str, Any] = {}
        self.switches: dict[str, Any] = {}
        rows = [self._row(widgets, dial) for dial in self.dials]
        self.reset_button = widgets.Button(description="Reset", tooltip="Back to the values at the start")
        self.reset_button.on_click(lambda _: self.reset())
        self.picture, self.table = (widgets.HTML(layout=SCROLL) for _ in range(2))
        self.status, self.share = widgets.HTML(), widgets.HTML()
        self._quiet = self._shown = False
        self._left: Iterator[More | None] | None = None
        self._take_back: Callable[[], None] | None = None
        self._draw()
        shown = [widgets.HBox(row, layout=FLOW) for row in rows]
        below = [self.reset_button, self.picture, self.table, self.status, self.share]
        self.widget = widgets.VBox([*shown, *below])

    # ------------------------------------------------------------------------------------------ the dials

    def _row(self, widgets: Any, dial: Dial) -> list[Any]:
        """A slider with its number box, or a list to choose from."""
        if dial.options:
            kind = widgets.Checkbox if set(dial.options) == {True, False} else widgets.Dropdown
            chosen = {} if kind is widgets.Checkbox else {"options": list(dial.options)}
            layout = {"width": "auto", "max_width": FLOW["max_width"]}  # a list that wraps loses its height
            control = kind(value=dial.value, description=dial.title, style=NARROW, layout=layout, **chosen)
            row = [control]
        elif isinstance(dial.value, str):
            settings = {"description": dial.title, "style": NARROW, "layout": roomy(dial.title, 28)}
            control = widgets.Textarea(value=dial.value, continuous_update=False, **settings)
            row = [control]
        else:
            whole = isinstance(dial.value, int) and float(dial.step).is_integer()
            slider, box = (
                (widgets.IntSlider, widgets.BoundedIntText)
                if whole
                else (widgets.FloatSlider, widgets.BoundedFloatText)
            )
            bounds = {"min": dial.low, "max": dial.high, "step": dial.step}
            shared = {"value": dial.value, "style": NARROW, **bounds}
            control = slider(description=dial.title, readout=False, layout=roomy(dial.title, 15), **shared)
            name = f"{dial.title} (type)"
            typed = box(description=name, layout=roomy(name, 9), **shared)
            widgets.link((control, "value"), (typed, "value"), transform=(exact, exact))
            self.boxes[dial.name] = typed
            row = [control, typed]
        if dial.optional:
            name = f"{dial.title} on"
            switch = widgets.Checkbox(value=dial.on, description=name, style=NARROW, layout=SWITCH)
            switch.observe(lambda _: self._moved(), "value")
            self.switches[dial.name] = switch
            row = [switch, *row]
        self.controls[dial.name] = control
        control.observe(lambda _: self._moved(), "value")
        return row

    @property
    def values(self) -> dict[str, Any]:
        """Where the dials stand; None for one that is switched off."""
        on = {name: name not in self.switches or self.switches[name].value for name in self.controls}
        return {name: exact(control.value) if on[name] else None for name, control in self.controls.items()}

    def set(self, **values: Any) -> None:
        """Move several dials at once, None switches one off; the picture is drawn once."""
        with _ONE_AT_A_TIME:
            self._quiet = True
            try:
                for name, value in values.items():
                    if name in self.switches:
                        self.switches[name].value = value is not None
                    if value is not None:
                        self.controls[name].value = value
            finally:
                self._quiet = False
            self._draw()

    def reset(self) -> None:
        """All dials and switches back to where they began."""
        with _ONE_AT_A_TIME:
            self._quiet = True
            try:
                for dial in self.dials:
                    self.controls[dial.name].value = dial.value
                    if dial.optional:
                        self.switches[dial.name].value = dial.on
            finally:
                self._quiet = False
            self._draw()

    def _moved(self) -> None:
        with _ONE_AT_A_TIME:
            if not self._quiet:
                self._shown = True
                self._draw()

    # ------------------------------------------------------------------------------------------ the call

    @property
    def call(self) -> str:
        """The plain call that shows what the panel shows now."""
        given = {**self._at, **self.more}
        return f"{self.function.__name__}({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    @property
    def imports(self) -> str:
        """The line that the call needs before it; "" for a function that no import reaches."""
        module, name = self.function.__module__, self.function.__qualname__
        return f"from {module} import {name}" if name.isidentifier() else ""

    # ------------------------------------------------------------------------------------------ the picture

    def _draw(self) -> None:
        """What the dials say now. What was left of an earlier refinement is dropped."""
        self._drop()
        given = {**self.fixed, **self.values}
        try:
            left: Iterator[More | None] = self.refine(**given) if self.refine else iter([More()])
            first = next(left)
            self._show(given, first or {})
        except ValueError as problem:  # a value the lab cannot use is said, not raised: the panel must stay alive
            self._say(str(problem))
            return
        self._left = left if self.refine else None
        if self._shown:
            self._go_on(REST)

    def _show(self, at: dict[str, Any], more: More) -> None:
        self.view: View = self.function(**at, **more)
        self._at, self.more = at, more
        self.picture.value = self.view.svg
        table = getattr(self.view, "table", "")
        self.table.value = f'<pre style="white-space:pre-wrap">{escape(table)}</pre>' if table else ""
        self._say(self.view.text)
        self.share.value = "<br>".join(f"<code>{escape(each)}</code>" for each in (self.imports, self.call) if each)

    def _say(self, text: str) -> None:
        self.status.value = f'<p role="status" aria-live="polite">{escape(text)}</p>'

    # ------------------------------------------------------------------------------------------ refining it

    @property
    def refined(self) -> bool:
        """Nothing is left to be worked out for the dials as they stand."""
        return self._left is None

    def finish(self) -> None:
        """Do at once what is left of the refinement."""
        with _ONE_AT_A_TIME:
            while self._left is not None:
                self._slice(self._left)

    def _drop(self) -> None:
        if self._take_back is not None:
            self._take_back()
        self._left = self._take_back = None

    def _go_on(self, seconds: float) -> None:
        left = self._left
        if left is not None and self._take_back is None:
            self._take_back = self.schedule(lambda: self._next(left), seconds)

    def _next(self, left: Iterator[More | None]) -> None:
        """One slice as the event loop calls it; one that was superseded after all does nothing."""
        with _ONE_AT_A_TIME:
            if left is self._left:
                self._take_back = None
                self._slice(left)
                self._go_on(PAUSE)

    def _slice(self, left: Iterator[More | None]) -> None:
        try:
            more = next(left)
        except StopIteration:
            self._drop()
            return
        if more is not None:
            self._show(self._at, more)

    # ------------------------------------------------------------------------------------------ in a notebook

    def __repr__(self) -> str:
        return f"Lab {self.call}: {self.view.text}"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """The live panel, and for where it cannot live its text and, if it can be drawn, its picture."""
        bundle = self.widget._repr_mimebundle_()
        data = dict(bundle[0] if isinstance(bundle, tuple) else bundle)
        data["text/plain"] = repr(self)
        picture = getattr(self.view, "picture", None)
        if picture is not None:
            data["image/png"] = base64.b64encode(picture.png()).decode("ascii")
        self._shown = True
        self._go_on(REST)
        return data
