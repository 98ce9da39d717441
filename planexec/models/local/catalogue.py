"""The models that are known by name (`data/local_models.json`), and the folder where their weights lie.

Nothing here downloads or starts anything.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from planexec.paths import data_path

FOLDER_VARIABLE = "PLANEXEC_MODELS"  # names another folder for weights


class LocalError(Exception):
    """Weights cannot be had, or a model cannot be started; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class LocalModel:
    """One file of weights. `bytes` and `sha256` are what it must be, wherever it comes from.

    `source`: its address in the publisher's own repository. `template`: a file in `data/` that replaces the chat
    template inside the weights, "" for none. `memory_mb`: what a running server of it took, measured once.
    """

    name: str
    title: str
    about: str
    file: str
    bytes: int
    sha256: str
    licence: str
    publisher: str
    source: str
    memory_mb: int
    template: str = ""


def names() -> tuple[str, ...]:
    """The models that are known, the smallest first."""
    return tuple(_table())


def named(name: str) -> LocalModel:
    """named("smollm2-135m").licence -> "Apache-2.0"; an unknown name is a `LocalError` that lists the known ones."""
    table = _table()
    if name not in table:
        raise LocalError(f"no model is named {name!r}; there are {', '.join(table)}")
    return table[name]


def weights_folder() -> Path:
    """Where weights are kept: `PLANEXEC_MODELS`, else the user's own cache folder. It may not exist yet."""
    given = os.environ.get(FOLDER_VARIABLE)
    return Path(given).expanduser() if given else cache_folder(sys.platform, os.environ) / "planexec" / "models"


def cache_folder(platform: str, environment: Mapping[str, str]) -> Path:
    """cache_folder("linux", {"XDG_CACHE_HOME": "/c"}) -> /c: where each system wants files that can be had again."""
    if platform == "win32" and environment.get("LOCALAPPDATA"):
        return Path(environment["LOCALAPPDATA"])
    if platform == "darwin":
        return Path.home() / "Library" / "Caches"
    given = environment.get("XDG_CACHE_HOME", "")
    return Path(given) if given.startswith("/") else Path.home() / ".cache"


def weights(model: LocalModel, folder: Path | None = None) -> Path | None:
    """The file of this model in the folder when it is there in full length, else None."""
    path = (folder or weights_folder()) / model.file
    return path if path.is_file() and path.stat().st_size == model.bytes else None


@cache
def _table() -> dict[str, LocalModel]:
    stored = json.loads(data_path("local_models.json").read_text(encoding="utf-8"))["models"]
    return {name: LocalModel(name, **entry) for name, entry in stored.items()}
