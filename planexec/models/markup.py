"""What models write into the text of an answer although it is not part of it: thoughts and tool calls.

A server that knows its model's format takes these out and reports them in fields of their own. Many do so only
sometimes. `thoughts_apart` and `calls_apart` do it for the known formats, and nothing that looks like such markup is
left in the text: a call that cannot be read is reported as a call with an error.

Not handled: markup that a text quotes in backticks (left alone), and formats nobody has been seen to leak.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from planexec.models.arguments import read_arguments

_THOUGHT = r"(?:think|thinking|thought|reasoning)"
_OPENED = re.compile(rf"(?<!`)<{_THOUGHT}>(?!`)", re.I)
_CLOSED = re.compile(rf"(?<!`)</{_THOUGHT}>(?!`)", re.I)
_BARS = r"[｜|‖]{1,2}\s{0,3}"
_DSML = rf"(?:{_BARS}DSML\s{{0,3}}{_BARS})"
_ATTRIBUTES = r"""((?:\s+[\w-]+\s*=\s*"[^"]*")*)"""
_TAG = re.compile(
    rf"(?<!`)<\s{{0,3}}(/?)\s{{0,3}}(?:{_DSML}(/?)\s*(\w*)|(/?)(tool_calls|function_calls|calls|invoke|parameter)\b){_ATTRIBUTES}\s*(/?)>"
)
_CALL = re.compile(r"(?<!`)<tool_call>(?!`)(.*?)(</tool_call>(?!`)|(?=<tool_call>)|\Z)", re.S)
_NEXT_OBJECT = re.compile(r"(?<=\})\s*\n\s*(?=\{\s*\"name\")")  # several calls in one block
_PAIR = re.compile(r"<arg_key>([^<>]{1,80})</arg_key>\s{0,20}<arg_value>(.*?)(</arg_value>|\Z)", re.S)
_NAME_BEFORE = re.compile(r"[\w.-]{1,64}(?=\s{0,20}\Z)")
_FUNCTION = re.compile(r"<function=([^>\s]+)>(.*?)(</function>|\Z)", re.S)
_PARAMETER = re.compile(r"<parameter=([^>\s]+)>\n?(.*?)\n?(</parameter>|\Z)", re.S)
_END = re.compile(r"<(?:[｜|][^<>|｜\n]{1,40}[|｜]|/s)>\s*$")
_LEFT = re.compile(
    rf"(?<!`)<\s{{0,3}}/?\s{{0,3}}(?:{_DSML}|tool_calls?\b|function_calls?\b|function=|arg_key\b|arg_value\b|invoke\s|parameter=)"
)
MARKS = re.compile(
    rf"(?<!`)<(?=/?{_THOUGHT}>|\s{{0,3}}/?\s{{0,3}}(?:[｜|‖]|tool_call|function|arg_|invoke|parameter))", re.I
)


@dataclass(frozen=True, slots=True)
class TextCall:
    """A tool call found in a text. `args` is None when it could not be read; `error` says why."""

    name: str
    args: dict[str, Any] | None
    error: str = ""


def thoughts_apart(text: str) -> tuple[str, str]:
    """thoughts_apart("<think>hm</think>yes") -> ("yes", "hm"). Unclosed: all after it; unopened: all before the close.

    A closing tag inside the thought leaves the rest of the thought in the text; so the last one counts.
    """
    *before, text = _CLOSED.split(text)
    thoughts = [_OPENED.sub("", each) for each in before]
    opened = _OPENED.search(text)
    if opened:
        thoughts.append(text[opened.end() :])
        text = text[: opened.start()]
    return (text.strip() if thoughts else text), "".join(thoughts).strip()


def calls_apart(text: str, cut: bool = False) -> tuple[str, list[TextCall]]:
    """The text without tool-call markup, and the calls it held. `cut`: the reply ended at its token limit."""
    if "<" not in text:
        return text, []
    ended, calls = _END.sub("", text), []
    text = text if ended == text else ended.rstrip()
    for reader in (_read_invokes, _read_tool_calls, _read_glued):
        text, found = reader(text, cut)
        calls += found
    left = _LEFT.search(text)
    if left:
        fault = f"The reply held markup of a tool call that cannot be read: {text[left.start() :][:120]!r}."
        text = text[: left.start()]
        calls = calls or [TextCall("", None, fault)]
    return text.strip() if calls or left else text, calls


def split_glued_name(name: str) -> TextCall | None:
    """split_glued_name("read<arg_key>path</arg_key><arg_value>/a</arg_value>") -> TextCall("read", {"path": "/a"})"""
    _, found = _read_glued(name, cut=False)
    return found[0] if found else None


def _read_invokes(text: str, cut: bool) -> tuple[str, list[TextCall]]:
    """`<invoke name=..><parameter name=.. string=..>..`, with or without DSML bars, wrapped or not, ended or not."""
    tags = [_Tag(found) for found in _TAG.finditer(text)]
    if not any(tag.word == "invoke" for tag in tags):
        return text, []
    reader = _Invokes(text, cut)
    for tag in tags:
        reader.take(tag)
    calls = reader.finish()
    rest = text[tags[-1].end :] if tags[-1].closes else ""  # what follows an opened tag is its value, not prose
    return (text[: tags[0].start] + rest).strip(), calls


class _Tag:
    """One tag: `word`, `closes` (</x> or <x/>), `alone` (<x/>), its attributes, and where it stands."""

    def __init__(self, found: re.Match[str]) -> None:
        self.start, self.end = found.span()
        self.word = found[3] or found[5] or ""
        self.alone = bool(found[7])
        self.closes = bool(found[1] or found[2] or found[4] or self.alone)
        self.said = dict(re.findall(r'([\w-]+)\s*=\s*"([^"]*)"', found[6] or ""))


class _Invokes:
    """Goes through the tags once; `call` is the call that is open, `parameter` the argument whose value is running."""

    def __init__(self, text: str, cut: bool) -> None:
        self.text, self.cut = text, cut
        self.calls: list[TextCall] = []
        self.call: _Tag | None = None
        self.args: dict[str, Any] = {}
        self.parameter: _Tag | None = None

    def take(self, tag: _Tag) -> None:
        name = tag.said.get("name")
        self.end_parameter(tag.start)
        if tag.alone and name is not None and self.call:  # an argument whose value is an attribute
            self.args[name] = tag.said.get("string", tag.said.get("value", ""))
        elif tag.word == "invoke" and name is not None and not (tag.closes and not tag.alone):
            self.end_call(tag.start, ended=True)
            self.call = tag
        elif tag.word == "invoke" and tag.closes:
            self.end_call(tag.start, ended=True)
        elif tag.word == "parameter" and not tag.closes and name is not None and self.call:
            self.parameter = tag

    def finish(self) -> list[TextCall]:
        """Whatever is still open ends with the text; at the token limit that means it was cut off."""
        running = self.parameter
        self.end_parameter(len(self.text))
        if running and self.cut and self.call:
            fault = f"The argument {running.said['name']} was cut off at the token limit."
            self.calls.append(TextCall(self.call.said["name"], None, fault))
        else:
            self.end_call(len(self.text), ended=not self.cut)
        return self.calls

    def end_parameter(self, at: int) -> None:
        if self.parameter:
            value = re.sub(r"<\s*/[^<>]*$", "", self.text[self.parameter.end : at])  # half a closing tag
            self.args[self.parameter.said["name"]] = _value(value, self.parameter.said.get("string"))
        self.parameter = None

    def end_call(self, at: int, ended: bool) -> None:
        if not self.call:
            return
        name, args = self.call.said["name"], self.args
        body = self.text[self.call.end : at].strip()
        if not ended:
            self.calls.append(TextCall(name, None, "The call was cut off at the token limit."))
        elif not args and body.startswith("{"):  # JSON in place of parameters
            self.calls.append(TextCall(name, *read_arguments(body, self.cut)))
        else:
            self.calls.append(TextCall(name, args))
        self.call, self.args = None, {}


def _value(text: str, is_string: str | None) -> Any:
    """string="true" is text as it stands; string="false" is JSON; without the mark, JSON only where it is not text."""
    if is_string == "true":
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text.strip() if is_string is None else text


def _read_tool_calls(text: str, cut: bool) -> tuple[str, list[TextCall]]:
    """`<tool_call>{"name": .., "arguments": {..}}</tool_call>`, also with `<function=..>` or `<arg_key>` inside."""
    calls = []
    for block in _CALL.finditer(text):
        inner = block[1].strip()
        pieces = _NEXT_OBJECT.split(inner) if inner.startswith("{") else [inner]
        calls += [_read_tool_call(piece, cut and not block[2]) for piece in pieces]
    return (_CALL.sub("", text).strip() if calls else text), calls


def _read_tool_call(inner: str, cut: bool) -> TextCall:
    if inner.startswith("{"):
        said, error = read_arguments(inner, cut)
        if said is None:
            return TextCall(_name_in(inner), None, error)
        given = said.get("arguments", said.get("parameters", {}))
        return TextCall(str(said.get("name") or ""), *read_arguments(given, cut))
    function = _FUNCTION.search(inner)
    if function and cut and not function[3]:
        return TextCall(function[1], None, "The call was cut off at the token limit.")
    if function:
        return TextCall(function[1], {key: _value(value, None) for key, value, _ in _PARAMETER.findall(function[2])})
    _, glued = _read_glued(inner, cut)
    if glued:
        return glued[0]
    if re.fullmatch(r"[\w.-]+", inner):
        return TextCall(inner, {})
    return TextCall("", None, f"The reply held a tool call that cannot be read: {inner[:120]!r}.")


def _name_in(text: str) -> str:
    named = re.search(r'"name"\s*:\s*"([^"]+)"', text)
    return named[1] if named else ""


def _read_glued(text: str, cut: bool) -> tuple[str, list[TextCall]]:
    """`search<arg_key>q</arg_key><arg_value>x</arg_value>`: the name stands before the first key, or is missing."""
    rest, groups, end = "", list[tuple[str, list[re.Match[str]]]](), 0
    for pair in _PAIR.finditer(text):
        before = text[end : pair.start()]
        if before.strip() or not groups:
            name = _NAME_BEFORE.search(before[-90:])
            groups.append((name[0] if name else "", []))
            rest += before.rstrip().removesuffix(groups[-1][0])
        groups[-1][1].append(pair)
        end = pair.end()
    calls = [_glued_call(name, pairs, cut) for name, pairs in groups]
    return ((rest + text[end:]).strip() if calls else text), calls


def _glued_call(name: str, pairs: list[re.Match[str]], cut: bool) -> TextCall:
    if not name:
        return TextCall("", None, "The reply held arguments of a tool call without the tool's name.")
    if cut and not pairs[-1][3]:
        return TextCall(name, None, f"The argument {pairs[-1][1]} was cut off.")
    return TextCall(name, {pair[1].strip(): _value(pair[2], None) for pair in pairs})
