"""What a prompt says about stopping, understood by meaning: "twice without a result, then stop", in any wording.

A rule has two halves, in one sentence or in two neighbouring ones: nothing is found, and one is to stop. Its number is
the count that stands in it. A plain ceiling ("at most four searches") is a rule too. That one should stop "when it is
enough" is no rule for this model: it has no notion of enough, which is the point of the two bugs of notebook 08.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class StopRules:
    """Stop after so many empty results, or after so many calls; 0 = nothing is said about it."""

    empty: int = 0
    calls: int = 0


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_NOTHING = _any(
    r"\bnot (?:be )?found\b",
    r"\bnothing\b",
    r"\bno (?:\w+ )?(?:results?|hits?|match(?:es)?|answers?|luck|data)\b",
    r"\bempty\b|\bblank\b|\bunsuccessful|\bin vain\b|\bfruitless|\bmiss(?:es|ed)?\b",
    r"\b(?:cannot|can't|could not|couldn't|unable to|fails? to|failed to|did(?: not|n't)|does(?: not|n't)) "
    r"(?:\w+ )?(?:find|locate|return|produce|turn|yield|bring)",
    r"\bwithout (?:an? )?(?:result|success|hit|finding)",
    r"(?:查|找|搜|检索|搜索|查询)\S{0,3}(?:不到|无果|落空|失败)",
    r"没有?(?:能)?(?:找到|查到|搜到|搜出|查出|检索到|结果|收获|命中|得到)",
    r"未(?:能)?(?:找到|查到|搜到|检索到|命中|获得)",
    r"无(?:结果|果|所获|收获)|查无|空(?:手|结果|的)|为空|落空|扑空",
)
_STOP = _any(
    r"\bstop|\bgiv(?:e|ing) (?:it )?up|\bquit|\bcease|\babandon|\bhalt|\bcall it off|\bmove on|\bleave it\b|\bdrop it",
    r"\bend (?:the|this|your) (?:step|search)",
    r"\b(?:do not|don't|never|must not|no longer) (?:\w+ ){0,2}"
    r"(?:search|try|look|go on|continue|keep|repeat|query|ask|insist|persist)",
    r"\bno (?:more|further) (?:search|quer|attempt|tr(?:y|ies)|look)",
    r"\bthat is (?:it|the end)\b|\bit is over\b",
    r"停(?:止|下|手)?|放弃|打住|收手|终止|罢手|作罢|到此为止|就此|算了",
    r"(?:不要|别|不得|不可|不准|不许|禁止|不必|无须|无需)(?:再|继续)|不再(?:搜|查|找|试|继续|检索|尝试)",
)
_COUNTS = (
    (3, _any(r"\bthree\b|\bthrice\b|\bthird\b|\b3\b|三|3\s*[次回轮]")),
    (2, _any(r"\btwice\b|\btwo\b|\bsecond\b|\bdouble\b|\bboth\b|\b2\b|两|二|2\s*[次回轮]|再次")),
    (1, _any(r"\bonce\b|\bone\b|\bfirst\b|\bsingle\b|\b1\b|一次|1\s*[次回轮]|首次")),
)
_FURTHER = _any(
    r"\b(?:rewordings?|rephrasings?|re-?tries)\b",
    r"\b(?:more|further|extra|additional) (?:tries|attempts?|times?)\b",
    r"\b(?:reword|rephrase|retry|rewrite)\b.{0,30}\b(?:at most|up to|no more than)\b",
    r"(?:重试|改写|换词|再试|再搜|再查)(?:最多|至多|不超过)?\s*[一两二三1-3]\s*[次回轮]",
    r"(?:最多|至多)(?:再)?(?:重试|改写|换词|试|换)\s*[一两二三1-3]\s*[次回轮]",
)
_SENTENCE = re.compile(r"[。；;！!？?\n]|\.(?=\s|$)")
_WORDS = "one two three four five six"
_NUMBERS = (
    {word: number for number, word in enumerate(_WORDS.split(), 1)}
    | {"一": 1, "两": 2}
    | dict(zip("二三四五六", range(2, 7), strict=True))
)
_NUMBER = r"(\d+|" + "|".join(_NUMBERS) + ")"
_CEILING = _any(
    rf"\b(?:at most|no more than|a maximum of|not more than|up to|only) {_NUMBER} (?:tool |more )?"
    r"(?:search|call|quer|look-?up|round)",
    rf"(?:最多|至多|不超过|不得超过)(?:只能|只)?(?:搜索|调用|查询|检索|使用)?(?:工具)?\s*{_NUMBER}\s*[次轮回]",
)


@lru_cache(maxsize=1_024)
def stop_rules(system: str) -> StopRules:
    """stop_rules("If a search finds nothing twice, stop.") -> StopRules(empty=2).

    "Give up after two rewordings" allows the first search and two more: StopRules(empty=3).
    """
    sentences = [each for each in _SENTENCE.split(system) if each.strip()]
    empty = next((_count(rule) for rule in map(_rule, sentences, [*sentences[1:], ""]) if rule), 0)
    ceiling = _CEILING.search(system)
    if ceiling is None or empty:
        return StopRules(empty)
    number = next(group for group in ceiling.groups() if group)
    return StopRules(0, _NUMBERS.get(number.lower()) or int(number))


def _rule(this: str, following: str) -> str:
    """The text of a rule that begins in the sentence `this`, or ""."""
    if not _NOTHING.search(this):
        return ""
    if _STOP.search(this):
        return this
    return f"{this} {following}" if _STOP.search(following) and not _NOTHING.search(following) else ""


def _count(rule: str) -> int:
    """How many empty results end it: the count in the rule, one more when it counts the further tries; else 1."""
    number = next((number for number, pattern in _COUNTS if pattern.search(rule)), 1)
    return number + bool(_FURTHER.search(rule))
