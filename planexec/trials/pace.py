"""A model at another pace and price: for incidents of which only the length and the bill are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from planexec.chat import Message, Model, Price, Reply
from planexec.clock import RealClock


@dataclass(frozen=True, slots=True)
class Pace:
    """What every model call takes and costs, whatever it says."""

    seconds_per_call: float
    usd_per_call: float


class Paced:
    """`model`, with the seconds and dollars of `pace` on each of its replies. What it says stays as it is."""

    def __init__(self, model: Model, pace: Pace):
        self.inner, self.pace, self.name = model, pace, model.name
        self.price: Price | None = Price(usd_per_call=pace.usd_per_call)
        self.make_clock = getattr(model, "make_clock", RealClock)

    def reply(self, messages: Sequence[Message], **options: Any) -> Reply:
        said = self.inner.reply(messages, **options)
        usage = replace(said.usage, usd=self.pace.usd_per_call, seconds=self.pace.seconds_per_call)
        return replace(said, usage=usage)
