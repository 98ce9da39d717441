"""The notebooks and what keeps them honest: copy, run, regenerate, check, lint.

`planexec course ...` comes here. Only `exercises/` knows what a notebook is about;
`check` and `task` bring its exercises into a notebook.
"""

from __future__ import annotations

from collections.abc import Sequence

from planexec.course.checks import check, task

__all__ = ["check", "main", "task"]


def main(argv: Sequence[str] | None = None) -> int:
    """Carry out `planexec course ARGV`. Exit codes: 0 all well, 1 a notebook is not as it should be, 2 wrong use."""
    from planexec.course.commands import main as carry_out

    return carry_out(argv)
