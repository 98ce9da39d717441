"""An answer that has to be handed in by a call, because a tool for it is offered or a call is demanded.

Some frameworks end only when a tool such as `final_answer` is called; a request with tool_choice "required" gets a
call in any case, as the services that know it see to.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from planexec.models.policy.hands import ToolUse, ToolView

_NAME = re.compile(
    r"(?:(?:final|submit|give|return|provide)_?)?(?:answer|result|response|output)|finish|task_?(?:done|complete)",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"\bfinal (?:answer|result|response)\b|最终(?:答案|回答|结果)|最后(?:的)?(?:答案|回答)", re.IGNORECASE
)
_ARGUMENT = re.compile(r"answer|result|response|output|text|content|message|答", re.IGNORECASE)


def takes_answer(tool: ToolView) -> bool:
    """The tool's name, or what is said about it, tells that the final answer goes there."""
    return bool(_NAME.fullmatch(tool.name) or _SAYS.search(tool.description))


def hand_in(text: str, tools: Sequence[ToolView], tool_choice: str) -> ToolUse | None:
    """The call that hands in `text`; where a call is demanded and no tool takes answers, any call; else None."""
    fitting = [tool for tool in tools if takes_answer(tool)]
    demanded = tool_choice not in ("auto", "none")
    simple = [tool for tool in fitting if len(tool.required) <= 1]
    for tool in simple or (fitting if demanded else ()):
        return tool.name, _with(tool, text)
    return (tools[0].name, _with(tools[0], text)) if demanded and tools else None


def _with(tool: ToolView, text: str) -> dict[str, str]:
    names = [name for name in tool.arguments if name not in tool.objects and name not in tool.numbers]
    named = [name for name in names if _ARGUMENT.search(name)]
    main = next(iter([*named, *(name for name in names if name in tool.required), *names]), "")
    return {main: text} if main else {}
