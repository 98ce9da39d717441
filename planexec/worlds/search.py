"""A small search index over words and pairs of Chinese characters.

Everything is counted in whole numbers and every tie is broken by the document's id, so the same query finds the
same documents in the same order on every platform, Python and browser. It is real retrieval: it knows no
synonyms beyond what the documents say, so rewording a query matters as it does in life.

What it does not do: phrases, spelling, ranking by length, scripts without spaces other than Chinese.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

STRONG, WEAK = 3, 2  # a match in a title or a keyword counts half as much again as one in running text
THRESHOLD = 60  # per cent of the query's weight that one document must hold to be found
NEAR = 75  # per cent of the best score that a document must reach to be shown beside it
TOGETHER = 66  # per cent that several documents must hold between them to be found as parts of one answer
MIN_KNOWN = 34  # per cent that all documents must hold between them; below, the query is about something else
MAX_QUERY = 400  # characters of a query that are read; the rest is ignored

_CHINESE = "\u3400-\u9fff"
_PIECE = re.compile(rf"[{_CHINESE}]+|[0-9]+(?:\.[0-9]+)?|[^\W0-9_{_CHINESE}]+")
_CLASS = re.compile(r"\b([ABH])[- ]?shares?\b|\b([abh])-shares?\b|([ABHabh])股")  # not a share of something
_AMOUNT = re.compile(r"(?<=[0-9])\s*(?:万亿|千亿|百亿|百万|亿|万)?元?")  # the unit of a figure is not a topic
_LIST = re.compile(r"[,，、;；]|\band\b|\bor\b|以及|和|与|及")
_STOP_ENGLISH = frozenset(
    _PIECE.findall(
        "a an the of in on for to and or is are was were be been by with at from as it its this that these those "
        "which what who whose how when where why do does did can could should would will there their they after "
        "during me my your our i we you give find get search look up list tell show please about any each every "
        "per much many into if s"
    )
)
_STOP_CHINESE = re.compile(
    "哪些|哪个|哪几|哪家|什么|怎么样|怎么|怎样|如何|多少|多大|是否|有没有|请问|查询|查找|搜索|一下|以及|为何|为什么|(?<![调检审抽核])查|[的了吗呢和与及在对是被把将后各]"
)


@dataclass(frozen=True, slots=True)
class Hit:
    """One document found. `score` orders the hits; `share` is the per cent of the query that it holds."""

    id: str
    score: int
    share: int


def stem(word: str) -> str:
    """stem("batteries") -> "battery"; stem("charging") -> stem("charge") -> "charg". Deliberately crude."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            word = word[: -len(ending)]
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def _is_chinese(piece: str) -> bool:
    return "\u3400" <= piece[0] <= "\u9fff"


def _pieces(text: str) -> list[str]:
    """_pieces("降准后，8000亿 of Banks") -> ["降准", "8000", "bank"]: no stop words, Chinese still in runs."""
    plain = _CLASS.sub(r" class\1\2\3 ", unicodedata.normalize("NFKC", text)).casefold()
    plain = _AMOUNT.sub(" ", plain)
    pieces = _PIECE.findall(_STOP_CHINESE.sub(" ", plain))
    return [piece if _is_chinese(piece) else stem(piece) for piece in pieces if piece not in _STOP_ENGLISH]


def terms(text: str) -> list[str]:
    """terms("利好板块 of banks") -> ["利好", "好板", "板块", "bank"], each once, in order."""
    found: dict[str, None] = {}
    for piece in _pieces(text):
        if _is_chinese(piece) and len(piece) > 1:
            found.update(dict.fromkeys(piece[i : i + 2] for i in range(len(piece) - 1)))
        else:
            found[piece] = None
    return list(found)


class Index:
    """Documents by id, each a list of (text, strength) with strength `STRONG` or `WEAK`.

    `boost`: per cent added to the score of a document that others point to; it changes the order of what is
    found, never what is found.
    """

    def __init__(self, documents: Mapping[str, Sequence[tuple[str, int]]], boost: Mapping[str, int] | None = None):
        self._count = len(documents)
        self._boost = boost or {}
        self._postings: dict[str, dict[str, int]] = {}
        for name, fields in documents.items():
            for text, strength in fields:
                for term in terms(text):
                    holders = self._postings.setdefault(term, {})
                    holders[name] = max(strength, holders.get(name, 0))
        self._remembered = lru_cache(maxsize=1024)(self._find)  # thousands of simulated runs ask the same things

    def _rarity(self, term: str) -> int:
        """Eight times the logarithm to base 2 of (documents / holders), in whole numbers; at least 1."""
        return ((self._count + 1) ** 8 // max(1, len(self._postings.get(term, ()))) ** 8).bit_length()

    def _weights(self, text: str) -> dict[str, int]:
        """What a query asks for, and how much each part weighs. A figure that no document holds weighs nothing."""
        weights: dict[str, int] = {}
        for piece in _pieces(text):
            if _is_chinese(piece):
                weights.update(self._chinese(piece))
            elif piece in self._postings or not piece[0].isdigit():
                weights[piece] = self._rarity(piece)
        return weights

    def _chinese(self, run: str) -> dict[str, int]:
        """The known pairs of a run, and each stretch outside them as so many unknown words of two characters.

        Chinese is written without spaces: a pair that nobody wrote, between two that somebody did, is only the
        seam of two words and must not count as something unknown.
        """
        covered = [False] * len(run)
        weights: dict[str, int] = {}
        for i in range(len(run) - 1):
            if run[i : i + 2] in self._postings:
                weights[run[i : i + 2]] = self._rarity(run[i : i + 2])
                covered[i] = covered[i + 1] = True
        rest = "".join(" " if known else character for character, known in zip(run, covered, strict=True))
        for stretch in rest.split():
            weights[stretch] = self._rarity(stretch) * ((len(stretch) + 1) // 2)
        return weights

    def search(self, query: str, most: int = 5, threshold: int = THRESHOLD, near: int = NEAR) -> list[Hit]:
        """The documents that hold at least `threshold` per cent of the query's weight, best first, at most `most`.

        Two thirds of the threshold are enough where the best together hold nearly all of the query, each its own
        part of it. What scores less than `near` per cent of the best is left out: it shares words with the query,
        but not its topic.
        """
        return list(self._remembered(query[:MAX_QUERY], threshold, near)[: max(most, 0)])

    def _find(self, query: str, threshold: int, near: int) -> tuple[Hit, ...]:
        """All that `search` would find, best first."""
        parts = [weights for part in _LIST.split(query) if (weights := self._weights(part))]
        whole = {term: weight for part in parts for term, weight in part.items()}
        if 100 * sum(whole[term] for term in whole if term in self._postings) < MIN_KNOWN * sum(whole.values()):
            return ()
        held = self._held(whole)
        peers = [name for name in held if 100 * held[name] >= near * max(held.values())]
        shares = self._shares(parts)
        enough = threshold if self._together(whole, peers) < TOGETHER else threshold * 2 // 3
        hits = [
            Hit(name, held[name] * (100 + self._boost.get(name, 0)) // 100, shares[name])
            for name in peers
            if shares[name] >= enough
        ]
        return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.id)))

    def _shares(self, parts: Sequence[Mapping[str, int]]) -> dict[str, int]:
        """Document -> the per cent of the query that it holds, in the reading that suits it best.

        A list ("leading stocks of banks, property and brokers") is read once for each of its items, together
        with the first or the last, because one of those carries what the list is about.
        """
        shares: dict[str, int] = {}
        for reading in [{**end, **part} for end in (*parts[:1], *parts[-1:]) for part in parts]:
            most = STRONG * sum(reading.values())
            for name, held in self._held(reading).items():
                shares[name] = max(shares.get(name, 0), 100 * held // most)
        return shares

    def _together(self, whole: Mapping[str, int], names: Sequence[str]) -> int:
        """The per cent of the query that these documents hold between them."""
        best = {term: max((self._postings.get(term, {}).get(name, 0) for name in names), default=0) for term in whole}
        return 100 * sum(whole[term] * best[term] for term in whole) // (STRONG * sum(whole.values()) or 1)

    def _held(self, weights: Mapping[str, int]) -> dict[str, int]:
        """Document -> the weight of the query that it holds, strong matches twice."""
        held: dict[str, int] = {}
        for term, weight in weights.items():
            for name, strength in self._postings.get(term, {}).items():
                held[name] = held.get(name, 0) + weight * strength
        return held
