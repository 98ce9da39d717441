"""The messages of one scope, as the gate sees them: what is new, a fingerprint that rolls over all, and their size.

A message list only grows within a scope, so each record holds what was added, and a step costs the same at step 10 and
at step 10,000. A list that does not go on from the last one is taken for another conversation in the same scope.
"""

from __future__ import annotations

import json
from hashlib import blake2b

from planexec.chat import Message


class Conversation:
    """What is remembered of a scope's messages between two calls."""

    def __init__(self) -> None:
        self._count = 0  # messages seen
        self._last: Message = {}
        self._unsent: list[Message] = []  # seen, and in no record yet
        self.ids: set[str] = set()  # of the tool calls seen
        self._hash = blake2b(digest_size=8)
        self.bytes = 0

    def copy(self) -> Conversation:
        """The same conversation, to go on with elsewhere."""
        other = Conversation()
        other._count, other._last, other._unsent, other.ids = self._count, self._last, list(self._unsent), set(self.ids)
        other._hash, other.bytes = self._hash.copy(), self.bytes
        return other

    def grow(self, messages: list[Message], exactly: bool) -> str:
        """Take in what was added since the last call; the fingerprint of all comes back.

        `exactly`: count every byte, because bytes are charged.
        """
        count = self._count
        if count:
            last = messages[count - 1] if count <= len(messages) else None
            if last is not self._last and last != self._last:
                self.__init__()  # type: ignore[misc]
                count = 0
        added = messages[count:]
        if not added:
            return self._hash.hexdigest()
        line = fingerprint_text(added, self.ids).encode("utf-8", "surrogatepass")
        self._hash.update(line)
        self.bytes += sum(map(_size, added)) if exactly else len(line)
        self._count, self._last = len(messages), added[-1]
        self._unsent = [*self._unsent, *added] if self._unsent else added
        return self._hash.hexdigest()

    def take_unsent(self) -> list[Message]:
        """The messages that are in no record yet; from now on they are."""
        unsent, self._unsent = self._unsent, []
        return unsent


def _size(message: Message) -> int:
    """Bytes of a message as it is sent, with all its fields."""
    return len(json.dumps(message, ensure_ascii=False, default=str).encode("utf-8", "surrogatepass"))


def fingerprint_text(messages: list[Message], ids: set[str]) -> str:
    """Role, text, tool names and arguments of messages; never a schema, a field we do not know, an id (to `ids`)."""
    text = ""
    for message in messages:
        content = message.get("content")
        said = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        text += f"{message.get('role', '')}\x1f{said}"
        for call in message.get("tool_calls") or ():
            ids.add(str(call.get("id")))
            function = call.get("function") or {}
            text += f"\x1f{function.get('name')}\x1f{function.get('arguments')}"
    return text
