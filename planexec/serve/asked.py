"""One chat request as the rules look at it. Whatever was sent, reading it here never fails."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from planexec.serve.profiles import ServiceProfile

Item = tuple[int, dict[str, Any]]  # where it stands, and what it is
BYTES_PER_TOKEN = 4  # the rule by which the server estimates how long a prompt is


@dataclass(frozen=True)
class Asked:
    """A request, and what its sender may do. `in_flight` counts this request; None = no limit, no balance kept."""

    profile: ServiceProfile
    raw: bytes
    authorization: str = ""
    key: str = ""
    own_name: str = ""  # the name of the model behind the server, accepted beside those of the profile
    balance_usd: float | None = None
    in_flight: int = 1
    most_in_flight: int | None = None
    context_tokens: int = 1_000_000

    @cached_property
    def parsed(self) -> tuple[Any, tuple[str, int, int] | None]:
        """The body, and what is wrong with its JSON: (why, line, column), or None."""
        try:
            return json.loads(self.raw.decode("utf-8"), parse_constant=_no_number), None
        except json.JSONDecodeError as problem:
            return None, (problem.msg[:1].lower() + problem.msg[1:], problem.lineno, problem.colno)
        except RecursionError:
            return None, ("recursion limit exceeded", 1, len(self.raw))
        except ValueError:  # not UTF-8, a number that is none, or one with thousands of digits
            return None, ("invalid value", 1, len(self.raw))

    @property
    def body(self) -> dict[str, Any]:
        """The body's object; {} when it is none."""
        parsed = self.parsed[0]
        return parsed if isinstance(parsed, dict) else {}

    @property
    def end(self) -> dict[str, int]:
        """Line and column of the last byte, where deserialisers notice that a field is missing."""
        return {"line": self.raw.count(b"\n") + 1, "column": len(self.raw) - (self.raw.rfind(b"\n") + 1)}

    @cached_property
    def messages(self) -> list[Item]:
        """The messages that are objects, with their positions."""
        return _items(self.body.get("messages"))

    @cached_property
    def tools(self) -> list[Item]:
        return _items(self.body.get("tools"))

    @property
    def model(self) -> str:
        """The model asked for; "" when none is named."""
        model = self.body.get("model")
        return model if isinstance(model, str) else ""

    @property
    def model_names(self) -> tuple[str, ...]:
        """The names this server offers, without aliases."""
        own = (self.own_name,) if self.own_name and self.own_name not in self.profile.models else ()
        return (*self.profile.models, *own)

    @property
    def answering_model(self) -> str:
        """The name in the response: an alias is answered by the model it stands for."""
        return self.profile.aliases.get(self.model, self.model)

    @property
    def thinking(self) -> bool | None:
        """Whether the model is to think; None where the service has no such switch."""
        if self.profile.thinking == "no":
            return None
        if self.profile.thinking == "by model":
            return self.model in self.profile.thinks
        switch = self.body.get("thinking")
        return not (isinstance(switch, dict) and switch.get("type") == "disabled")

    @property
    def room(self) -> int:
        """Tokens the answer may have, thoughts included."""
        for name in ("max_completion_tokens", "max_tokens"):
            value = self.body.get(name)
            if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                return value
        default = self.profile.default_output
        return default.get("thinking" if self.thinking else "plain", self.profile.max_output)

    @property
    def prompt_tokens(self) -> int:
        """An estimate: a token for every four bytes of the request."""
        return -(-len(self.raw) // BYTES_PER_TOKEN)

    def tool_calls(self, message: dict[str, Any]) -> list[Item]:
        return _items(message.get("tool_calls"))


def text_of(content: Any) -> str:
    """The text of a content: itself, or the texts of its parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    return "\n".join(str(part.get("text") or "") for part in parts if isinstance(part, dict))


def _items(value: Any) -> list[Item]:
    return list(_objects(value))


def _objects(value: Any) -> Iterator[Item]:
    for at, each in enumerate(value if isinstance(value, list) else ()):
        if isinstance(each, dict):
            yield at, each


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
