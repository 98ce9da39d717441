"""The nine dials of the simulated model, the presets that set them, and the draw that decides.

`MEANING` is the table: what each dial does when it strikes, what an opportunity is, and what it moves.

A dial is a probability from 0 to 1. Each decision draws u = hash(dial, seed, n), where n is the number of such
opportunities that the messages show before this one, and the dial strikes when u < its value. No message text goes
into the hash: one dial never moves another's draws, and a space more in a prompt changes nothing.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from planexec.paths import data_path


@dataclass(frozen=True, slots=True)
class Dials:
    """Nine probabilities; `MEANING` says what each does. All 0 is a model without faults that heeds nothing."""

    drift: float = 0.0
    stubborn: float = 0.0
    amnesia: float = 0.0
    greed: float = 0.0
    sloppy: float = 0.0
    heed: float = 0.0
    invent: float = 0.0
    panic: float = 0.0
    gullible: float = 0.0

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not number or math.isnan(value) or not 0 <= value <= 1:
                raise ValueError(f"dial {name} must be a number from 0 to 1, got {value!r}")


@dataclass(frozen=True, slots=True)
class Meaning:
    """One row of the table of dials."""

    does: str
    opportunity: str
    moves: str


MEANING: Mapping[str, Meaning] = {
    "drift": Meaning(
        "follows the striking word of the last results instead of the next open side",
        "a result with such a word while sides are open, in a survey without a plan",
        "searches on one topic",
    ),
    "stubborn": Meaning(
        'searches again with other words after "not found"',
        "an empty result, and a wording that was not tried",
        "empty searches",
    ),
    "amnesia": Meaning(
        "makes the very same call again",
        "a failed result, or an empty one that `stubborn` did not reword",
        "identical calls",
    ),
    "greed": Meaning(
        "goes on searching with the answer in hand",
        "nothing is missing, and there is an idea left",
        "calls after the answer",
    ),
    "sloppy": Meaning(
        "spoils the form of JSON: fence, prose, quotes, objects, cut",
        "a reply that must be JSON",
        "replies that are not plain JSON",
    ),
    "heed": Meaning(
        "obeys what the prompt says about stopping (the one dial that is no fault)",
        "the prompt's rule applies: so many empty results, so many calls",
        "searches after the rule applied",
    ),
    "invent": Meaning("writes a figure that no observation holds", "a text that reports results", "invented figures"),
    "panic": Meaning("starts over from the first step", "a failed result", "finished steps done again"),
    "gullible": Meaning(
        "does what a page tells its reader to do",
        "a result with such an instruction, and a tool for it",
        "pages obeyed",
    ),
}
DIAL_NAMES = tuple(each.name for each in fields(Dials))


@dataclass(frozen=True, slots=True)
class Dice:
    """The dials of one model with its seed: `strikes` is the only place where chance enters."""

    dials: Dials
    seed: int

    def strikes(self, dial: str, opportunity: int) -> bool:
        """Whether `dial` acts at its n-th opportunity, counted from 0."""
        value: float = getattr(self.dials, dial)
        return value > 0 and draw(self.seed, dial, opportunity) < value

    def pick(self, dial: str, opportunity: int, among: int) -> int:
        """Which of `among` forms a fault takes when it strikes: a draw of its own, 0 to among - 1."""
        return int(draw(self.seed, f"{dial}:form", opportunity) * among)


@lru_cache(maxsize=65_536)
def draw(seed: int, dial: str, opportunity: int) -> float:
    """A number in [0, 1) that depends on nothing but its three arguments, on every platform and Python."""
    return int.from_bytes(blake2b(f"{dial}:{seed}:{opportunity}".encode(), digest_size=7).digest(), "big") / 2**56


@lru_cache(maxsize=1)
def presets() -> Mapping[str, Mapping[str, Any]]:
    """The presets by name: what each is for, its dials, what was fitted, what follows.

    `data/presets.json` holds those set by hand, `data/presets_fit.json` those fitted to logs of real models.
    """
    files = (data_path(name) for name in ("presets.json", "presets_fit.json"))
    loaded = (json.loads(path.read_text(encoding="utf-8"))["presets"] for path in files)
    return {name: preset for presets_of_file in loaded for name, preset in presets_of_file.items()}


def dials_of(preset: str, changes: Mapping[str, float]) -> Dials:
    """dials_of("articles", {"drift": 0}) -> the preset's dials with that one changed. Unknown names are errors."""
    if preset not in presets():
        raise ValueError(f"no preset is called {preset!r}; there are {', '.join(sorted(presets()))}")
    unknown = sorted(set(changes) - set(DIAL_NAMES))
    if unknown:
        raise TypeError(f"no dial is called {unknown[0]!r}; there are {', '.join(DIAL_NAMES)}")
    return replace(Dials(**presets()[preset]["dials"]), **changes)
