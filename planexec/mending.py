"""What only a person can mend: a key, a balance, a permission. Somebody who is there is asked, and it is tried again.

The question is recorded like every other. Nobody there, or any answer but "approve": the failure is what it was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planexec.chat import ToolCall
from planexec.person import Request
from planexec.plain import dumps

if TYPE_CHECKING:
    from planexec.run import Run

MEND = "mend"
MENDS = 3  # times in a row that somebody may say of one call that it is mended


def may_be_mended(run: Run, kind: str, attempt: int) -> bool:
    """True when the `attempt`-th attempt failed in a way that somebody who is there can mend."""
    return kind == "person" and attempt <= MENDS and run._gate.person is not None


def mended(run: Run, error: dict[str, Any], attempt: int, call: ToolCall | None = None) -> bool:
    """Ask about a failed call of a tool, or of the model when `call` is None; True: a person wants it tried again."""
    record = run._gate.journal.take(run.scope, run._position)
    if record is None and not may_be_mended(run, error["kind"], attempt):
        return False
    if record is not None and (record.kind, record.name) != ("ask", MEND):
        return False  # nobody was there when it failed
    id_, text = f"{run.scope}:{run._position}", _question(run.lang, error["text"], call)
    tool, args = (call.name, call.args) if call is not None else ("", None)
    answer = run.ask(Request(id_, MEND, text, run.scope, tool, args, run.expires))
    return answer is not None and answer.decision == "approve"


def _question(lang: str, error: str, call: ToolCall | None) -> str:
    made = f"{call.name}({dumps(call.args)})" if call is not None else ("模型" if lang == "zh" else "The model")
    if lang == "zh":
        return f"{made} 失败：{error}\n这需要人来处理。处理好了吗？同意即再试一次。"
    return f"{made} failed: {error}\nOnly a person can mend that. Is it mended, so that it can be tried again?"
