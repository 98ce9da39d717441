"""Worlds kept between the turns of a dial: reading one, and describing its tools to a model, costs more than a run."""

from __future__ import annotations

from functools import lru_cache

from planexec import worlds
from planexec.worlds import World


@lru_cache(maxsize=16)
def place(name: str, lang: str = "en") -> World:
    """The world as shipped. Shared: only for runs that change nothing in it, as in labs."""
    return worlds.load(name, lang)
