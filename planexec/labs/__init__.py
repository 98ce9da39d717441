"""Labs: turn a dial, see at once what the agent does instead.

Each lab is a plain function in a module of its name, returning a view with `text`, `svg` and `picture`; `panel()`
beside it is the same with live dials. `lab("budget")` is the panel by name.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def lab(name: str) -> Any:
    """The live panel of a lab, by the name of its module: lab("budget"). ValueError for a name that is none."""
    try:
        return import_module(f"planexec.labs.{name}").panel()
    except ModuleNotFoundError as problem:
        if problem.name != f"planexec.labs.{name}":
            raise
        raise ValueError(f"there is no lab called {name!r}") from problem
