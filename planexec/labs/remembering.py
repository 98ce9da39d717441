"""A simulated model that remembers what it has said: the same request gets the same reply, worked out once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planexec.chat import Message, Reply
from planexec.models.simulated import SimulatedModel

KEPT = 5_000  # messages of conversations, with the replies to them, kept for the next turn of a dial


class Remembering:
    """For one run, whose requests grow at their end, so each is found from the one before: `_at` is where that was.

    `key`: what else the replies depend on, the model's dials and seed. The memory is shared by the whole process.
    """

    replies: dict[Any, Reply] = {}
    places: dict[Any, int] = {}  # (place of a conversation's beginning, next message) -> a number of its own

    def __init__(self, model: SimulatedModel, key: str):
        self.model, self.key, self._seen = model, key, 0
        self._at: int | str = key
        self.name, self.price, self.make_clock = model.name, model.price, model.make_clock

    def reply(self, messages: Sequence[Message], **options: Any) -> Reply:
        if len(self.places) >= KEPT:
            self.replies.clear()
            self.places.clear()
            self._seen = 0
        if len(messages) < self._seen:  # another conversation
            self._seen = 0
        at: int | str = self._at if self._seen else self.key
        for message in messages[self._seen :]:
            at = self.places.setdefault((at, *_said(message)), len(self.places) + 1)
        self._seen, self._at = len(messages), at
        request = at, options["tool_choice"]
        known = self.replies.get(request)
        if known is None:
            known = self.replies[request] = self.model.reply(messages, **options)
        return known


def _said(message: Message) -> tuple[Any, ...]:
    """What a reply can depend on in a message: who says what, and which calls it makes; their ids do not matter."""
    calls = [each["function"] for each in message.get("tool_calls") or ()]
    return message["role"], message["content"], *[(call["name"], call["arguments"]) for call in calls]
