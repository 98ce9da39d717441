"""An error in the code of whoever uses this, in a model or a guard of their own: what it says, and how to go on.

It ends the run like a failing service, and it is recorded, so that a run that is started again stops there again: the
words say how the mended program goes on instead.
"""

from __future__ import annotations

import inspect
import os
from pathlib import Path
from traceback import walk_tb
from typing import TYPE_CHECKING, Any

from planexec.failures import in_words

if TYPE_CHECKING:
    from planexec.run import Run

OURS = str(Path(__file__).parent) + os.sep


def told(problem: BaseException) -> str:
    """KeyError("choices") -> "KeyError: 'choices' (agent.py, line 12)", for a notebook "(cell, line 3)"."""
    said, name = in_words(problem), type(problem).__name__
    return (f"{name}: {said}" if said else name) + _place(problem)


def _place(problem: BaseException) -> str:
    """The last line that the error passed in the first file outside this package; "" when it passed none."""
    passed = [(frame.f_code.co_filename, line) for frame, line in walk_tb(problem.__traceback__)]
    outside = [(file, line) for file, line in passed if not file.startswith(OURS)]
    if not outside:
        return ""
    file = outside[0][0]
    name = "cell" if "ipykernel" in file else Path(file).name
    return f" ({name}, line {[line for each, line in outside if each == file][-1]})"


def how_to_go_on(run: Run) -> str:
    """What to do when it is mended; "" for a run in memory, which ends with its process."""
    if not run.journal.durable:
        return ""
    if run.lang == "zh":
        return "。改好代码后，先调用 `journal.reopen()` 再创建 `Run`，重新启动程序：否则会再次停在这里。"
    return (
        ". Mend it, and start the program again with `journal.reopen()` before the `Run`: "
        "without that it stops here once more, as recorded."
    )


def no_reply(came: Any) -> str:
    """What a model gave in place of a reply, in words."""
    what = in_words(came) if not isinstance(came, str) else repr(came)
    if inspect.iscoroutine(came):
        came.close()
        what = "a coroutine: an async client needs a plain function round it, for example asyncio.run(...)"
    return f"reply() must return a planexec.chat.Reply; got {what[:200]}"
