"""Reads lists that are written in lines: numbered (1. 2) （3） 一、 第一步： Step 1:) or bulleted (- * •).

A list is contiguous: blank lines, deeper lines and lines directly between two items belong to it, other text ends
it. Numbers must follow one another, because a gap means that a step was lost. Numbered lists go before bulleted
ones, then the last list wins.

It cannot see that a list was cut in the middle of its last words; the caller knows `Reply.finish`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from planexec.plans.words import PlanError, Remark

_HAN = "零一二三四五六七八九十"
_N = rf"(\d{{1,3}}(?!\d)|[{_HAN}]{{1,3}})"
_NUMBER = re.compile(
    rf"(?:sub-?task|task|step|子任务|任务|步骤)\s*{_N}\s*(?:[.:：、)）]|[-–—](?=\s))\s*"
    rf"|第\s*{_N}\s*(?:步\s*[.:：、,，]?|[:：、,，])\s*"
    rf"|[(（]\s*{_N}\s*[)）]\s*"
    r"|(\d{1,3})\s*[.．、:：)）](?!\d)\s*"
    rf"|([{_HAN}]{{1,3}})\s*[、.．]\s*"
    r"|(\d)\ufe0f?\u20e3\s*"
    r"|([①-⑳])\s*",
    re.I,
)
_BULLET = re.compile(r"[-*+–·](?:\s+|$)|[•●○▪◦‣]\s*")
_LEAD = re.compile(r"([ \t\u3000]*)(?:#{1,6}[ \t]+)?(\*\*|__)?")
_CHECKBOX = re.compile(r"\[[ xX✓]\](?:\s+|$)")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_RULE = re.compile(r"\s*([-*_])(?:\s*\1){2,}\s*$")
_SECTION = re.compile(
    r"\W*(?:(?:phase|stage|part|section|week|day)\s*\w{1,5}\b|第\s*\w{1,2}?\s*(?:阶段|部分|周|天)|(?:阶段|部分)\s*\w)",
    re.I,
)
_ASIDE = re.compile(
    r"\W*(?:(?:references?|sources?|notes?|remarks?|assumptions?|risks?|why|reasons?|rationale)\b|(?:参考|来源|注意|注|说明|备注|假设|风险|理由|原因))"
    r"[^:：]{0,20}[:：]?\W*$",
    re.I,
)
_SECOND = re.compile(
    r"(?:^|[\s;；,，。])(?:2|二)\s*[.．、)）](?!\d)|[(（](?:2|二)[)）]|第\s*(?:2|二)\s*步|(?:step|task|步骤|任务)\s*(?:2|二)\b|②",
    re.I,
)
_FIELD = re.compile(r"(?:id|goal|task|step|tool)\s*:\s", re.I)  # YAML objects: nobody knows where a goal ends
_QUOTED = re.compile(r"([\"'“‘「])([^\"'“”‘’「」]+)[\"'”’」]\s*[,，;；]?")


class _Mark(NamedTuple):
    """The start of an item: its number (None for a bullet), how far it is indented, what follows."""

    number: int | None
    indent: int
    text: str


@dataclass
class Lines:
    """One list as it stands in the text. `heading` is the line of text before it."""

    indent: int
    numbered: bool
    heading: str
    line: int  # where it begins, from 0
    items: list[list[str]] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    problem: PlanError | None = None  # what makes this list unusable
    inner: bool = False  # a numbered list has begun inside the last item
    waiting: list[str] = field(default_factory=list)  # text directly below the last item
    wrapped: bool = False  # such text has proved to belong to an item

    def offer(self, mark: _Mark, line: str, blank: bool) -> bool:
        """Take a marked line as the next item or as part of the last one; False: it starts another list."""
        deeper = mark.indent > self.indent + 1
        if (mark.number is not None) != self.numbered:
            if not deeper and (blank or (mark.number == 1 and len(self.items) == 1)):
                return False
            return self._detail(line)
        if mark.number is None:
            return self._detail(line) if deeper else self.start(mark)
        follows = mark.number == self.numbers[-1] + 1
        if deeper and (self.inner or not follows):
            self.inner = True
            return self._detail(line)
        if not follows and not (self.numbers[-1] == mark.number == 1):  # 1. 1. 1. is a list as well
            code = "again" if mark.number < 2 else "gap"
            self.problem = self.problem or PlanError(code, last=self.numbers[-1], number=mark.number)
        return self.start(mark)

    def start(self, mark: _Mark) -> bool:
        self.settle(True)
        self.items.append([mark.text])
        self.inner = False
        if mark.number is not None:
            self.numbers.append(mark.number)
        return True

    def _detail(self, line: str) -> bool:
        self.settle(True)
        self.items[-1].append(line.strip())
        return True

    def settle(self, between: bool) -> None:
        """Text below an item belongs to it when the list goes on, or when it did so in earlier items."""
        if self.waiting and self.items and (between or self.wrapped):
            self.items[-1].extend(self.waiting)
            self.wrapped = True
        self.waiting = []

    @property
    def aside(self) -> bool:
        """True when the heading says that these are notes or sources, not steps."""
        return bool(_ASIDE.match(self.heading))

    @property
    def goals(self) -> list[str]:
        return [_clean(" ".join(part for part in item if part)) for item in self.items]


def read_lines(text: str, any_start: bool = False) -> tuple[list[str], list[Remark]]:
    """The steps of the list that counts, and remarks: "1. a\\n2. b" -> (["a", "b"], []).

    `any_start`: the numbering may go on from an earlier plan. Raises PlanError when there is no usable list.
    """
    lists = find_lists(text)
    plans = [each for each in lists if not each.aside] or lists
    chosen = [each for each in plans if each.numbered] or plans
    if not chosen:
        raise PlanError("no_list")
    _check(chosen, text, any_start)
    joined: list[Remark] = [("joined", {})] if chosen[-1].wrapped else []
    return chosen[-1].goals, several(len(chosen)) + joined


def several(count: int) -> list[Remark]:
    return [("several", {"count": count})] if count > 1 else []


def find_lists(text: str) -> list[Lines]:
    """Every list in `text`, in order. One bullet alone amid prose is no list."""
    lists: list[Lines] = []
    current: Lines | None = None
    heading, blank, prose = "", False, False
    for at, line in enumerate(text.split("\n")):
        if not line.strip() or _RULE.match(line):
            blank = True
            continue
        mark = _mark(line)
        if mark and not (current and current.offer(mark, line, blank)):
            _close(current)
            current = Lines(mark.indent, mark.number is not None, heading, at)
            current.start(mark)
            lists.append(current)
        elif not mark and current and _below(current, line, blank):
            pass
        elif not mark:
            _close(current)
            current, heading, prose = None, line.strip(), True
        blank = False
    _close(current)
    return [each for each in lists if each.numbered or len(each.items) > 1 or not prose or _introduces(each.heading)]


def _close(current: Lines | None) -> None:
    if current:
        current.settle(False)


def _below(current: Lines, line: str, blank: bool) -> bool:
    """True when a line without a mark may belong to the last item."""
    if _FENCE.match(line):
        return False
    if len(line) - len(line.lstrip()) > current.indent + 1:
        current.items[-1].extend([*current.waiting, line.strip()])
        current.waiting = []
        return True
    if blank or line.rstrip().endswith((":", "：")) or line.startswith("#"):
        return False
    current.waiting.append(line.strip())
    return True


def _introduces(heading: str) -> bool:
    return heading.endswith((":", "：", ":**", "：**")) or heading.startswith("#")


def _mark(line: str) -> _Mark | None:
    lead = _LEAD.match(line)
    assert lead is not None  # every part of the pattern may be empty
    at, bold = lead.end(), lead[2]
    bullet = None if bold else _BULLET.match(line, at)
    number = _NUMBER.match(line, bullet.end() if bullet else at)
    found = number or bullet
    if not found:
        return None
    rest = line[found.end() :]
    rest = rest.replace(bold, "", 1) if bold else rest
    rest = rest[box.end() :] if (box := _CHECKBOX.match(rest)) else rest
    indent = len(lead[1].expandtabs(4))
    return _Mark(_value(next(filter(None, number.groups()))) if number else None, indent, rest.strip())


def _value(digits: str) -> int:
    """_value("12") -> 12, _value("十二") -> 12, _value("③") -> 3"""
    if digits.isdecimal():
        return int(digits)
    if "①" <= digits <= "⑳":
        return ord(digits) - ord("①") + 1
    tens, ten, ones = digits.rpartition("十")
    return (_HAN.find(tens) if tens else 1) * 10 * bool(ten) + (_HAN.find(ones) if ones else 0)


def _clean(goal: str) -> str:
    """A goal in quotation marks, as copied from an array, loses them."""
    match = _QUOTED.fullmatch(goal.strip())
    return (match[2] if match else goal).strip()


def _check(lists: list[Lines], text: str, any_start: bool) -> None:
    """Raise when the last list is not whole, or when it is only a part of the plan."""
    last = lists[-1]
    if last.problem:
        raise last.problem
    for place, goal in enumerate(last.goals, 1):
        if not any(c.isalnum() for c in goal):
            raise PlanError("blank_line", number=place)
    if all(_FIELD.match(goal) for goal in last.goals):
        raise PlanError("no_list")
    if _SECTION.match(last.heading) and any(_SECTION.match(each.heading) for each in lists[:-1]):
        raise PlanError("sections")
    if not last.numbered:
        return
    first = last.numbers[0]
    if any(each.numbers[-1] == first - 1 and first > 1 for each in lists[:-1]):
        raise PlanError("interrupted", number=first)
    before = rf"(?<!\d){first - 1}\s*[.．、:：)）]"
    if first > 1 and (not any_start or re.search(before, text[: text.find(last.items[0][0])])):
        raise PlanError("starts", number=first)
    if len(last.items) == 1 and _SECOND.search(last.goals[0]):
        raise PlanError("one_line")
