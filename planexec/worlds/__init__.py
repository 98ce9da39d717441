"""The worlds: mock tools over invented data, one file a world, usable alone with any model.

    world = load("finance", lang="zh")
    world.tools, world.date

A world is imported when it is loaded and reads its data when its tools are made, so importing this package costs
nothing. Everything in the data is invented and says so; the failures in it are there on purpose and are listed
in each data file under `designed_failures`.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from planexec.tools import Tool

NAMES = ("finance", "research", "flights", "orders", "rivals", "duty")


@dataclass(frozen=True)
class World:
    """A world ready for a run: its tools, the date that counts as today (YYYY-MM-DD), and its questions by name."""

    name: str
    lang: str
    tools: list[Tool]
    date: str
    questions: dict[str, str]

    @property
    def question(self) -> str:
        """The world's own question: the first of them."""
        return next(iter(self.questions.values()))


def load(name: str, lang: str = "en", data: Any = None, **options: Any) -> World:
    """The world called `name`, answering in `lang` ("en" or "zh").

    `data`: a parsed file or a path that replaces the shipped data. `options` go to the world's own `tools()`,
    for example `outbox=` where a tool changes the world. An unknown name or language is a ValueError.
    """
    if name not in NAMES:
        raise ValueError(f"no world is called {name!r}; there are {', '.join(NAMES)}")
    module = import_module(f"planexec.worlds.{name}")
    return World(name, lang, module.tools(lang, data, **options), module.DATE, module.QUESTIONS[lang])
