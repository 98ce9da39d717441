"""The panel every lab shares: dials, Reset, a picture, a status line, and the call that rebuilds this state.

A lab is a plain function of its dials that returns a view with `text` (one sentence) and `svg` (the picture). The panel
calls it when a dial moves and shows what it returns; it decides nothing itself. Each slider has a number box beside
it, because sliders have no name for a screen reader and no exact value for an unsteady hand.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Protocol

NARROW = {"description_width": "initial"}


class View(Protocol):
    """What a lab function returns."""

    @property
    def text(self) -> str: ...
    @property
    def svg(self) -> str: ...


@dataclass(frozen=True)
class Dial:
    """One dial: the argument it sets, its default, and either a range (`low`, `high`, `step`) or `options`.

    A text without options becomes a box to write in. `optional`: a switch beside it sets the argument to None.
    `label` names it with its unit; without one it is called as the argument is.
    """

    name: str
    value: Any
    low: float = 0
    high: float = 1
    step: float = 1
    options: Sequence[Any] = ()
    label: str = ""
    optional: bool = False

    @property
    def title(self) -> str:
        return self.label or self.name


class Panel:
    """Live controls for a lab function. Shows as a picture where widgets cannot run."""

    def __init__(self, function: Callable[..., View], dials: Sequence[Dial], **fixed: Any):
        import ipywidgets as widgets

        self.function, self.dials, self.fixed = function, tuple(dials), fixed
        self.controls: dict[str, Any] = {}
        self.boxes: dict[str, Any] = {}
        self.switches: dict[str, Any] = {}
        rows = [self._row(widgets, dial) for dial in self.dials]
        self.reset_button = widgets.Button(description="Reset", tooltip="Back to the values at the start")
        self.reset_button.on_click(lambda _: self.reset())
        self.picture, self.status, self.share = widgets.HTML(), widgets.HTML(), widgets.HTML()
        self._quiet = False
        self.view: View = self._draw()
        shown = [widgets.HBox(row, layout={"flex_flow": "row wrap"}) for row in rows]
        self.widget = widgets.VBox([*shown, self.reset_button, self.picture, self.status, self.share])

    def _row(self, widgets: Any, dial: Dial) -> list[Any]:
        """A slider with its number box, or a list to choose from."""
        if dial.options:
            kind = widgets.Checkbox if set(dial.options) == {True, False} else widgets.Dropdown
            chosen = {} if kind is widgets.Checkbox else {"options": list(dial.options)}
            control = kind(value=dial.value, description=dial.title, style=NARROW, **chosen)
            row = [control]
        elif isinstance(dial.value, str):
            control = widgets.Textarea(value=dial.value, description=dial.title, continuous_update=False, style=NARROW)
            row = [control]
        else:
            whole = isinstance(dial.value, int) and float(dial.step).is_integer()
            slider, box = (
                (widgets.IntSlider, widgets.BoundedIntText)
                if whole
                else (widgets.FloatSlider, widgets.BoundedFloatText)
            )
            bounds = {"min": dial.low, "max": dial.high, "step": dial.step}
            control = slider(value=dial.value, description=dial.title, readout=False, style=NARROW, **bounds)
            typed = box(value=dial.value, description=f"{dial.title} (type)", style=NARROW, **bounds)
            widgets.link((control, "value"), (typed, "value"))
            self.boxes[dial.name] = typed
            row = [control, typed]
        if dial.optional:
            switch = widgets.Checkbox(value=True, description=f"{dial.title} on", style=NARROW)
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
        return {name: control.value if on[name] else None for name, control in self.controls.items()}

    @property
    def call(self) -> str:
        """The plain call that shows what the panel shows now."""
        given = {**self.fixed, **self.values}
        return f"{self.function.__name__}({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    def set(self, **values: Any) -> None:
        """Move several dials at once, None switches one off; the picture is drawn once."""
        self._quiet = True
        try:
            for name, value in values.items():
                if name in self.switches:
                    self.switches[name].value = value is not None
                if value is not None:
                    self.controls[name].value = value
        finally:
            self._quiet = False
        self.view = self._draw()

    def reset(self) -> None:
        """All dials back to where they began."""
        self.set(**{dial.name: dial.value for dial in self.dials})

    def _moved(self) -> None:
        if not self._quiet:
            self.view = self._draw()

    def _draw(self) -> View:
        try:
            view = self.function(**self.fixed, **self.values)
        except ValueError as problem:  # a value the lab cannot use is said, not raised: the panel must stay alive
            self.status.value = f'<p role="status" aria-live="polite">{escape(str(problem))}</p>'
            return self.view
        self.picture.value = view.svg
        self.status.value = f'<p role="status" aria-live="polite">{escape(view.text)}</p>'
        self.share.value = f"<code>{escape(self.call)}</code>"
        return view

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
        return data
