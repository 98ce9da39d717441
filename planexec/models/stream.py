"""Puts a streamed answer together: the same body comes out that the service would have sent in one piece."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from planexec.chat import ServiceError
from planexec.models.markup import MARKS, thoughts_apart
from planexec.models.service_errors import read_json


def events(chunks: Iterable[bytes]) -> Iterator[str]:
    """The `data` of each server-sent event; comments (": keep-alive") and all other fields are left out."""
    data: list[str] = []
    for line in _lines(chunks):
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            yield "\n".join(data)
            data = []
    if data:
        yield "\n".join(data)


def _lines(chunks: Iterable[bytes]) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    begun: list[str] = []  # pieces of a line that has not ended; joined once, however many they are
    for chunk in chunks:
        *ended, rest = decoder.decode(chunk).split("\n")
        for line in ended:
            yield "".join([*begun, line]).removesuffix("\r")
            begun = []
        begun.append(rest)
    yield "".join(begun)


class Assembly:
    """Takes the events of one answer; `body()` is the answer. `on_text` gets each new piece of text."""

    def __init__(self, on_text: Callable[[str], None] | None = None) -> None:
        self.on_text = on_text
        self.begun, self.done = False, False
        self.whole: dict[str, Any] | None = None  # the server answered in one piece after all
        self.message: dict[str, Any] = {"role": "assistant"}
        self.calls: list[dict[str, Any]] = []
        self.outer: dict[str, Any] = {}
        self.finish: Any = None

    def take(self, data: str) -> None:
        if data.strip() == "[DONE]":
            self.done = True
            return
        chunk = read_json(data)
        if not isinstance(chunk, dict):
            raise ServiceError(f"The service sent a piece of a stream that cannot be read: {data[:80]!r}.", "transient")
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else None
        answered = choice is not None and "delta" not in choice and bool(choice.get("message"))  # in one piece
        if chunk.get("error") or answered or (choices is None and not self.begun):
            self.whole = chunk
        else:
            self.outer |= {key: value for key, value in chunk.items() if key != "choices" and value is not None}
            self.begun, self.whole = self.begun or choice is not None, self.whole if choice is None else None
            if choice:
                self.finish = choice.get("finish_reason") or self.finish
                self._add(choice.get("delta"))

    def _add(self, delta: Any) -> None:
        for key, value in delta.items() if isinstance(delta, dict) else ():
            if key == "tool_calls" and isinstance(value, list):
                for piece in value:
                    self._add_call(piece)
            elif key == "content" and isinstance(value, list):
                self._add_text("".join(str(part.get("text") or "") for part in value if isinstance(part, dict)))
            elif key == "content" and isinstance(value, str):
                self._add_text(value)
            elif key == "role":
                continue
            elif value is not None:
                self.message[key] = _joined(self.message.get(key), value)

    def _add_text(self, piece: str) -> None:
        self.message["content"] = _joined(self.message.get("content"), piece)
        if piece and self.on_text:
            self.on_text(piece)

    def _add_call(self, piece: Any) -> None:
        if not isinstance(piece, dict):
            return
        function = piece["function"] if isinstance(piece.get("function"), dict) else {}
        call = self._call_of(piece, bool(piece.get("id") or function.get("name")))
        call |= {key: value for key, value in piece.items() if key != "function" and value not in (None, "")}
        held = call.setdefault("function", {})
        name, arguments = function.get("name"), function.get("arguments")
        if isinstance(name, str) and name != held.get("name"):  # some send the whole name with every piece
            held["name"] = _joined(held.get("name"), name)
        if arguments is not None:
            held["arguments"] = _joined(held.get("arguments"), arguments)

    def _call_of(self, piece: dict[str, Any], begins: bool) -> dict[str, Any]:
        """Pieces belong together by `index`; without one, a piece with an id or a name of its own begins a call."""
        index, given = piece.get("index"), piece.get("id")
        if index is not None:
            own = [call for call in self.calls if call.get("index") == index][-1:]
            if own and (not given or own[0].get("id") in (None, given)):  # else another call under the same index
                return own[0]
        elif self.calls and (not begins or (given and given == self.calls[-1].get("id"))):
            return self.calls[-1]
        self.calls.append({})
        return self.calls[-1]

    def body(self) -> Any:
        """The answer in one piece. A stream that ends without saying so was cut on the way: transient."""
        if self.whole is not None:
            return self.whole
        if not self.done and self.finish is None:
            raise ServiceError("The stream ended before the answer did; the connection was probably lost.", "transient")
        for call in self.calls:
            call.pop("index", None)
        if self.calls:
            self.message["tool_calls"] = self.calls
        return {**self.outer, "choices": [{"index": 0, "message": self.message, "finish_reason": self.finish}]}


def _joined(before: Any, piece: Any) -> Any:
    """_joined("ab", "c") -> "abc"; lists are joined too; anything else: the newest counts."""
    joins = isinstance(piece, (str, list)) and type(before) is type(piece)
    return before + piece if joins else piece


class LiveText:
    """Shows an answer while it comes, and holds back whatever may be a thought or a tool call written into it.

    `hold`: show nothing before the end, because a thought may come that never says where it begins.
    """

    def __init__(self, on_text: Callable[[str], None], hold: bool = False) -> None:
        self.on_text, self.hold = on_text, hold
        self.raw, self.shown = "", ""

    def __call__(self, piece: str) -> None:
        self.raw += piece
        if not self.hold:
            self._show(self._safe())

    def end(self, text: str) -> None:
        """Show what is left of the final text."""
        if text.startswith(self.shown):
            self._show(text)

    def _safe(self) -> str:
        """The visible part of what has come: up to the first mark, or to a "<" that may become one."""
        if "<" not in self.raw:
            return self.raw
        text, _ = thoughts_apart(self.raw)
        mark = MARKS.search(text)
        text = text[: mark.start()] if mark else text
        last = text.rfind("<")
        return text[:last] if last >= 0 and len(text) - last < 24 and ">" not in text[last:] else text

    def _show(self, text: str) -> None:
        if len(text) > len(self.shown) and text.startswith(self.shown):
            self.on_text(text[len(self.shown) :])
            self.shown = text
