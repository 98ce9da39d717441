"""Buttons for the person lab: approve, reject, edit, reply, stop, grant; and a look at what others have answered.

Thin over `person.Desk`: a button leaves one answer in the file and shows the view that comes back. All is escaped.
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable
from html import escape
from typing import Any

from planexec.journal import JournalError
from planexec.labs.panel import FLOW, NARROW, SCROLL, roomy
from planexec.labs.person import Desk, DeskView
from planexec.person import Answer

SETTLE = 0.7  # seconds: the second click of a double click was meant for the question before
TIPS = {
    "approve": "carry the call out as it stands",
    "reject": "do not; the words tell the agent why",
    "edit": "carry it out with the arguments in the box",
    "reply": "do not; the agent gets the words instead",
    "stop": "end the run here",
    "grant": "let the run have more steps",
}


class PersonPanel:
    """A run that waits, and the six answers as buttons. `settings` are those of `Desk`.

    `clock` counts seconds: no button counts for the first SETTLE of them after a question that another one led to.
    """

    view: DeskView

    def __init__(self, clock: Callable[[], float] = time.monotonic, **settings: Any):
        import ipywidgets as widgets

        self.clock, self.settings = clock, settings
        self.words, self.args, self.steps = (
            kind(description=name, style=NARROW, layout=roomy(name, room), **more)
            for kind, name, room, more in (
                (widgets.Text, "words (reject, reply, stop)", 24, {}),
                (widgets.Textarea, "arguments (edit), JSON", 28, {}),
                (widgets.BoundedIntText, "max_steps (grant)", 9, {"value": 8, "min": 0, "max": 99}),
            )
        )
        self.buttons = {name: widgets.Button(description=name, tooltip=tip) for name, tip in TIPS.items()}
        for name, button in self.buttons.items():
            button.on_click(lambda _, name=name: self.press(name))
        self.look_button = widgets.Button(description="Look again", tooltip="was it answered somewhere else?")
        self.look_button.on_click(lambda _: self.look())
        self.reset_button = widgets.Button(description="Reset", tooltip="Begin the run anew")
        self.reset_button.on_click(lambda _: self.reset())
        self.picture = widgets.HTML(layout=SCROLL)
        self.status, self.share, self.elsewhere = (widgets.HTML() for _ in range(3))
        self.reset()
        row = widgets.HBox(list(self.buttons.values()), layout=FLOW)
        more = widgets.HBox([self.look_button, self.reset_button], layout=FLOW)
        boxes = [self.words, self.args, self.steps]
        self.widget = widgets.VBox([self.status, row, *boxes, more, self.picture, self.elsewhere, self.share])

    def reset(self) -> None:
        """Begin anew, with a run of its own in a new file."""
        self.desk, self.given, self.shown = Desk(**self.settings), list[Answer](), ""
        self.words.value = ""
        self._show(self.desk.look())
        self.settled = 0.0  # when the question on show begins to take answers: the first one does so at once

    def press(self, decision: str) -> None:
        """Give the answer that the button stands for, with what the boxes hold. What cannot be done is said."""
        try:
            self._may_answer(decision)
            answer = self._answer(decision)
            self.desk.give(answer)
        except (ValueError, TypeError, JournalError) as problem:  # said, not raised: the panel must stay alive
            self._say(f"{decision} did nothing: {problem}")
        else:
            self.given.append(answer)
            self.look()

    def _may_answer(self, decision: str) -> None:
        """ValueError when nothing waits, when the open question is not the one on show, or has only just come up."""
        waiting = self.desk.waiting
        if not self.shown and (decision != "grant" or self.view.state == "complete"):
            raise ValueError(f"nothing waits for an answer. {self.view.text}")
        if self.shown and (waiting is None or waiting["id"] != self.shown):
            raise ValueError("this question has been answered somewhere else; Look again goes on with that answer")
        if self.clock() < self.settled:
            raise ValueError(f"this question has only just come up; read it first. {self.view.text}")

    def _answer(self, decision: str) -> Answer:
        """ValueError for a box that does not hold what the answer needs."""
        args = json.loads(self.args.value or "null") if decision == "edit" else None
        limits = {"max_steps": self.steps.value} if decision == "grant" else None
        text = self.words.value if decision in ("reject", "reply", "stop") else ""
        return Answer(decision, text, args, limits=limits)

    def look(self) -> None:
        """Go on with the run as far as it can, and say what was answered somewhere else in the meantime."""
        try:
            view = self.desk.look()
        except JournalError as problem:  # another process is going on with it
            return self._say(str(problem))
        others = _without(view.answers, self.given)
        self.given += others
        self._show(view)
        if others:
            self._say(f"Answered somewhere else: {', '.join(each.decision for each in others)}. {view.text}")

    @property
    def call(self) -> str:
        """The plain call that shows what the panel shows now."""
        given = [_written(answer) for answer in self.given]
        return f"person({', '.join([*given, *(f'{name}={value!r}' for name, value in self.settings.items())])})"

    @property
    def imports(self) -> str:
        """What the call needs before it."""
        more = "\nfrom planexec.person import Answer" if "Answer(" in self.call else ""
        return f"from planexec.labs.person import person{more}"

    def _show(self, view: DeskView) -> None:
        self.view = view
        asked = view.request["id"] if view.request is not None else ""
        if view.request is not None and asked != self.shown:
            self.args.value = json.dumps(view.request["args"], ensure_ascii=False)
            self.settled = self.clock() + SETTLE
        self.shown = asked
        self.picture.value = view.svg
        for name, button in self.buttons.items():
            button.disabled = view.state == "complete" or (view.state == "stopped" and name != "grant")
        self._say(view.text)
        self.elsewhere.value = f"Or in a terminal: <code>{escape(self.desk.command)}</code>, then Look again."
        lines = [*self.imports.splitlines(), self.call]
        self.share.value = "<br>".join(f"<code>{escape(each)}</code>" for each in lines)

    def _say(self, text: str) -> None:
        self.status.value = f'<p role="status" aria-live="polite">{escape(text)}</p>'

    def __repr__(self) -> str:
        return f"Lab {self.call}: {self.view.text}"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """The live panel, and for where it cannot live its text and its picture."""
        bundle = self.widget._repr_mimebundle_()
        data = dict(bundle[0] if isinstance(bundle, tuple) else bundle)
        data["text/plain"] = repr(self)
        data["image/png"] = base64.b64encode(self.view.picture.png()).decode("ascii")
        return data


def _without(answers: tuple[Answer, ...], given: list[Answer]) -> list[Answer]:
    """Those of `answers` that are not among the given: _without((yes, no, yes), [yes]) -> [no, yes]"""
    left, others = list(given), []
    for each in answers:
        if each in left:
            left.remove(each)
        else:
            others.append(each)
    return others


def _written(answer: Answer) -> str:
    """An answer as it is written in a call: "approve", or Answer('reject', 'too much')."""
    fields = {"args": answer.args, "limits": answer.limits}
    more = [f"{name}={value!r}" for name, value in fields.items() if value is not None]
    if not more and not answer.text:
        return repr(answer.decision)
    words = [repr(answer.text)] if answer.text else []
    return f"Answer({', '.join([repr(answer.decision), *words, *more])})"
