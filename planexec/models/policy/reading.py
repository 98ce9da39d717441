"""The conversation as it was sent: instructions, the data or question, the calls made, and what came back.

Only what a real model would see is read: the text of messages. What an observation was (found, empty, failed,
refused) has to be understood from its words, as a real model must.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from planexec.chat import Message
from planexec.models.policy.told import shared_out, told_calls, told_result

_CHINESE = re.compile(r"[\u3400-\u9fff]")
_EMPTY = re.compile(
    r"^no [a-z]|\bno such\b|nothing\b|not found\b|none\b|null\b|\[\s*\]|\{\s*\}|could not find"
    r"|\bno (?:\w+[ -]){0,3}(?:results?|entr(?:y|ies)|match(?:es)?|hits?|pages?|data|records?|documents?|information)\b"
    r"|没有(?:找到|查到|搜到|结果|数据|记录|相关|匹配|这个|该|此|任何|网页|经过|报告)"
    r"|未(?:找到|查到|检索到)|找不到|查不到|搜不到|查无|无结果|暂无",
    re.IGNORECASE,
)
_FAILED = re.compile(
    r"\b(?:error|failed|failure|timed out|time-?out|unavailable|unreachable|exception)\b"
    r"|\bis not a (?:date|time|mail address)\b|\bnothing was (?:paid|sent|stored)"
    r"|不是(?:日期|时间|邮箱)|没有(?:退款|发送)"
    r"|\bservice (?:did not|does not|answered with (?:an empty|half))|没有响应|空的响应|不完整"
    r"|\b(?:was not run|could not (?:be reached|calculate|connect))\b"
    r"|\b(?:HTTP|status)\s*[45]\d\d\b|错误|失败|超时|不可用|无法连接|无法计算|异常|中断",
    re.IGNORECASE,
)
_REFUSED = re.compile(
    r"\b(?:refused|rejected|declined|not allowed|not permitted|not approved|not carried out|denied)\b"
    r"|未执行|拒绝|驳回|未(?:获)?批准|不允许",
    re.IGNORECASE,
)
_UNCLEAR = re.compile(
    r"\bseveral (?:\w+ )?(?:fit|match|apply)|\bwhich (?:one|of (?:them|these))\b|\bambiguous"
    r"|\bnot repeated; it may have happened\b"
    r"|有多(?:个|只|名|条)符合|请指(?:定|明)|没有再次执行",
    re.IGNORECASE,
)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
READ = 16_000  # characters of one observation or result that are read; a longer one is cut, as contexts are
HEAD = 90  # characters of an observation in which it says what it is; a found text may hold any word further on
SHORT = 400  # characters of a text that says nothing but that
AT_ONCE = 12  # characters before "nothing was found" in a longer one


@dataclass(frozen=True, slots=True)
class Seen:
    """One call of the conversation and what came back; `kind` is "" while no tool message has answered it.

    `turn`: how many assistant messages came before the one that asked; `users`: how many user messages did.
    """

    name: str
    args: Mapping[str, Any]
    turn: int = 0
    users: int = 0
    text: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the messages hold. `data` is the JSON object of the user's message, {} when it is plain text."""

    system: str
    data: Mapping[str, Any]
    users: tuple[str, ...]
    said: tuple[str, ...]
    seen: tuple[Seen, ...]

    @property
    def question(self) -> str:
        """The task of the data, or else the first thing the user said."""
        return str(self.data["task"]) if "task" in self.data else next(iter(self.users), "")


@lru_cache(maxsize=1_024)
def language(text: str) -> str:
    """language("降准利好哪些板块") -> "zh"; one Chinese character is enough."""
    return "zh" if _CHINESE.search(text) else "en"


def records(data: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """The objects of a list in the data; anything else in its place is as good as nothing."""
    value = data.get(key)
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def today(reading: Reading) -> str:
    """The date that counts as today (YYYY-MM-DD): what the data say, or else the prompt; "" when neither does."""
    given = _DAY.search(str(reading.data.get("date", ""))) or _DAY.search(reading.system)
    return given.group() if given else ""


def read(messages: Sequence[Message]) -> Reading:
    """Read a conversation in chat-completions form. Unknown roles and odd contents are skipped, never an error."""
    system: list[str] = []
    users: list[str] = []
    said: list[str] = []
    calls: dict[str, Seen] = {}
    told: list[str] = []  # the calls that the last assistant's text tells of
    for message in messages:
        role, text = message.get("role"), text_of(message.get("content"))
        if role == "tool":
            call_id = str(message.get("tool_call_id", ""))
            before = calls.get(call_id, Seen("", {}, len(said), len(users)))
            calls[call_id] = replace(before, text=text[:READ], kind=kind_of(text))
        elif role == "assistant":
            _note_calls(message, calls, len(said), len(users))
            told = [] if message.get("tool_calls") else _note_told(text, calls, len(said), len(users))
            said.append(text)
        elif role == "user":
            result = told_result(text) if told else None
            if result is None:
                users.append(text)
            else:
                for key, part in zip(told, shared_out(result, len(told)), strict=True):
                    calls[key] = replace(calls[key], text=part[:READ], kind=kind_of(part))
                told = told[1:]  # where each result is a message of its own, the next one belongs to the next call
        elif role in ("system", "developer"):
            system.append(text)
    data = next((each for each in map(_object, users) if each), {})
    return Reading("\n".join(system), data, tuple(users), tuple(said), tuple(calls.values()))


def text_of(content: Any) -> str:
    """The words of a content: a text, or the text parts of a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return ""


def _note_calls(message: Message, calls: dict[str, Seen], turn: int, users: int) -> None:
    for call in message.get("tool_calls") or ():
        function = call.get("function", {})
        args = _object(str(function.get("arguments", "")))
        calls[str(call.get("id", ""))] = Seen(str(function.get("name", "")), args, turn, users)


def _note_told(text: str, calls: dict[str, Seen], turn: int, users: int) -> list[str]:
    """The keys under which calls told in an assistant's text were noted."""
    keys: list[str] = []
    for name, args in told_calls(text):
        keys.append(f"told in words {len(calls)}")
        calls[keys[-1]] = Seen(name, args, turn, users)
    return keys


@lru_cache(maxsize=4_096)
def _object(text: str) -> Mapping[str, Any]:
    """The JSON object that `text` is, or {}. The result is shared: never change it."""
    if not text.lstrip().startswith("{"):
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


@lru_cache(maxsize=8_192)
def kind_of(text: str) -> str:
    """kind_of("Nothing found for: x") -> "empty"; also "failed", "refused", "unclear" (several fit), else "found"."""
    head = text.strip()[:HEAD].split("\n", 1)[0]
    if not head:
        return "empty"
    short = len(text) < SHORT
    if short and _UNCLEAR.search(head):
        return "unclear"
    if short and _REFUSED.search(head):
        return "refused"
    if short and _FAILED.search(head):
        return "failed"
    match = _EMPTY.search(head)
    return "empty" if match and (short or match.start() < AT_ONCE) else "found"
