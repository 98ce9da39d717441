"""The simulated model: a wind tunnel for agents, not a script that holds answers.

    model = SimulatedModel("articles", seed=3, drift=0.0)
    model.reply([{"role": "user", "content": "Which sectors benefit from a reserve-requirement cut?"}], tools=schemas)

It reads what a real model would be sent and nothing else: it works out what the question still needs, picks a tool
by its description, reads what came back and composes its answer from that. What it knows beforehand is how questions
of a few invented worlds are put (`data/*/knows.json`), no figures and no names. Its faults are nine dials
(`policy/dials.py` has the table). What it shows about loops, plans and guards is true of the code round it; what it
does itself was set by us, and says nothing about any real model.

What it does not do: understand questions of other worlds, learn, translate, or reason about what a text means.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from planexec.chat import Message, Price, Reply, ToolCall, Usage, assistant
from planexec.clock import VirtualClock
from planexec.models.policy.dials import Dials, Dice, dials_of
from planexec.models.policy.knowledge import Known, known_worlds
from planexec.models.policy.reading import text_of
from planexec.models.policy.respond import Said, respond

PRICE = Price(input_usd_per_million=1.0, output_usd_per_million=4.0)  # invented, of the order of small hosted models
BYTES_PER_TOKEN = 4  # a token is four bytes of UTF-8, begun ones counted: one rule for all languages
SECONDS_PER_CALL = 0.5  # invented pace: this much for any call ...
SECONDS_PER_TOKEN = 0.02  # ... and this much for each token it writes


class SimulatedModel:
    """A model by rule. `preset`: "articles", "careful", "reckless", or one fitted to logs such as "qwen-0.5b" (see
    docs/wind_tunnel.md); `dials` change single dials of it (0 to 1).

    The same request gets the same reply; `seed` (a whole number) decides when a dial strikes. `worlds`: names of the
    worlds it knows, or parsed `knows.json` objects; None = all that are shipped. Errors: ValueError for an unknown
    preset or a dial outside 0 to 1, TypeError for a dial that does not exist.
    """

    make_clock = VirtualClock  # its answers take reported time, so a run with it needs no waiting

    def __init__(
        self,
        preset: str = "articles",
        *,
        seed: int = 0,
        worlds: Iterable[str | Mapping[str, Any]] | None = None,
        **dials: float,
    ) -> None:
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise TypeError(f"seed must be a whole number, got {seed!r}")
        self.name = f"sim:{preset}"
        self.price: Price | None = PRICE
        self.seed = seed
        self.dials: Dials = dials_of(preset, dials)
        self._dice = Dice(self.dials, seed)
        self._chosen = tuple(worlds) if worlds is not None else None
        self._worlds: tuple[Known, ...] | None = None

    def __repr__(self) -> str:
        return f"SimulatedModel({self.name.removeprefix('sim:')!r}, seed={self.seed})"

    @property
    def worlds(self) -> tuple[Known, ...]:
        """What it knows, read on first use."""
        if self._worlds is None:
            self._worlds = known_worlds(self._chosen)
        return self._worlds

    def reply(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[dict[str, Any]] = (),
        tool_choice: str = "auto",
        max_tokens: int | None = None,
        thinking: bool | None = None,
        timeout: float | None = None,
    ) -> Reply:
        """Answer `messages`, as the `Model` protocol words it.

        Usage: tokens are bytes of UTF-8 divided by 4, rounded up; prompt = contents, call arguments and tool schemas;
        completion = reasoning, text and call arguments. `seconds` = 0.5 + 0.02 a completion token, reported and not
        waited for. `thinking=False`: no reasoning text. `max_tokens` cuts reasoning, text and calls, in that order.
        """
        said = respond(messages, tools, tool_choice, self.worlds, self._dice)
        thought = "" if thinking is False else said.thought
        first = sum(len(message.get("tool_calls") or ()) for message in messages)
        calls = tuple(ToolCall(f"call_{first + i}", name, args) for i, (name, args) in enumerate(said.calls, 1))
        prompt_bytes = sum(map(_message_bytes, messages)) + (len(_dump(list(tools))) if tools else 0)
        return self._reply(said, thought, calls, _tokens(prompt_bytes), max_tokens)

    def _reply(
        self, said: Said, thought: str, calls: tuple[ToolCall, ...], prompt: int, max_tokens: int | None
    ) -> Reply:
        """The reply with its usage, cut when it is longer than `max_tokens`."""
        arguments = [_dump(call.args).decode() for call in calls]
        text, finish = said.text, "tool_calls" if calls else "stop"
        room = None if max_tokens is None else max(0, max_tokens) * BYTES_PER_TOKEN
        size = sum(len(each.encode()) for each in (thought, text, *arguments))
        if room is not None and size > room:
            thought, text, finish = _cut(thought, room), _cut(text, max(0, room - len(thought.encode()))), "length"
            calls, arguments, size = (), [], room
        completion = _tokens(size)
        seconds = SECONDS_PER_CALL + SECONDS_PER_TOKEN * completion
        usage = Usage(prompt, completion, PRICE.usd(prompt, completion), round(seconds, 3))
        return Reply(text, calls, finish, usage, thought, self.name, assistant(text, calls, arguments))


def _message_bytes(message: Message) -> int:
    size = len(text_of(message.get("content")).encode())
    for call in message.get("tool_calls") or ():
        function = call.get("function", {})
        size += len(str(function.get("name", "")).encode()) + len(str(function.get("arguments", "")).encode())
    return size


_encode = json.JSONEncoder(ensure_ascii=False).encode


def _dump(value: Any) -> bytes:
    return _encode(value).encode()


def _tokens(size: int) -> int:
    return -(-size // BYTES_PER_TOKEN)


def _cut(text: str, room: int) -> str:
    """The first `room` bytes of `text`, without half a character."""
    return text.encode()[:room].decode(errors="ignore")
