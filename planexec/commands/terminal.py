"""What happens only where somebody sits: a person is asked on the spot, and a request that lasts is seen meanwhile."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TextIO, runtime_checkable

from planexec.commands import WrongUse
from planexec.show.columns import clean, columns, pad
from planexec.show.words import say

if TYPE_CHECKING:
    from planexec.chat import Message, Model, Price, Reply
    from planexec.limits import Limits
    from planexec.person import Answer, Person, Request

ROW = 79  # columns; a console of 80 goes to the next row after the last one
CHOICES = {"confirm": "yngs", "mend": "yn", "question": "rs"}  # by kind of request; the others are about one call
ABOUT_A_CALL = "ynergs"


def person_here(
    limits: Limits, lang: str, keeps: bool, read: Callable[[str], str] = input, show: Callable[[str], None] = print
) -> Person:
    """A person who is asked line by line. `keeps`: the run is saved, so that the answer may also come another day.

    An answer that cannot be used is asked for again, with the reason; the end of the input counts as "later".
    """

    def ask(request: Request) -> Answer | None:
        letters = CHOICES.get(request.kind, ABOUT_A_CALL) + ("l" if keeps else "")
        show("\n" + clean(request.text))
        for letter in letters:
            show(f"  {letter}  {say(f'here_{letter}', lang)}")
        while True:
            try:
                letter, _, more = read("> ").strip().partition(" ")
            except EOFError:
                return None
            if letter == "l" and keeps:
                return None
            try:
                if letter and letter in letters:
                    return _answer(letter, more.strip(), limits, lang)
                show(say("here_which", lang, ", ".join(letters)))
            except (ValueError, WrongUse) as problem:
                show(str(problem))

    return ask


def _answer(letter: str, more: str, limits: Limits, lang: str) -> Answer:
    """The answer that a letter and what stands behind it mean; ValueError or WrongUse says what is missing."""
    from planexec.commands.limits import changes
    from planexec.person import Answer

    if letter == "e":
        try:
            args = json.loads(more)
        except json.JSONDecodeError as problem:
            raise ValueError(say("here_json", lang, problem)) from None
        if not isinstance(args, dict):
            raise ValueError(say("here_args", lang))
        return Answer("edit", args=args)
    if letter == "r" and not more:
        raise ValueError(say("here_words", lang))
    if letter == "g" and not more:
        raise ValueError(say("here_limits", lang))
    if letter == "g":
        return Answer("grant", limits=changes(more.split(), limits))
    return Answer({"y": "approve", "n": "reject", "r": "reply", "s": "stop"}[letter], text=more)


@runtime_checkable
class Streams(Protocol):
    """What a model has that can bring its text piece by piece."""

    stream: bool
    on_text: Callable[[str], None] | None


class Row:
    """The last row of a terminal, written over and over, and gone when the real line comes."""

    def __init__(self, out: TextIO, lang: str):
        self.out, self.lang, self._text = out, lang, ""

    def show(self, text: str) -> None:
        self._write(_fitting(" ".join(clean(text).split())))

    def piece(self, text: str) -> None:
        """One more piece of an answer that is still coming: its end is what can be read."""
        self._text = (self._text + text)[-4 * ROW :]
        self.show(self._text)

    def clear(self) -> None:
        self._write("")

    def _write(self, text: str) -> None:
        self.out.write(pad(text, ROW) + "\r")
        self.out.flush()

    def around(self, model: Model) -> Model:
        """The model, whose requests are announced here while they last; one that can stream shows its text."""
        if isinstance(streaming := model, Streams):
            streaming.stream, streaming.on_text = True, self.piece
        return _Watched(model, self)

    def begin(self, name: str) -> None:
        self._text = ""
        self.show(say("asking", self.lang, name))


def _fitting(text: str) -> str:
    """As much of the end of `text` as one row takes."""
    while columns(text) > ROW:
        text = text[1 + (columns(text) - ROW) // 2 :]
    return text


class _Watched:
    """A model that announces its requests in a `Row`. Everything else is the model's own."""

    def __init__(self, model: Model, row: Row):
        self._model, self._row = model, row
        self.name: str = model.name
        self.price: Price | None = model.price

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def reply(self, messages: Sequence[Message], **options: Any) -> Reply:
        self._row.begin(self.name)
        try:
            return self._model.reply(messages, **options)
        finally:
            self._row.clear()
