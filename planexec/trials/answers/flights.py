"""Right answers in the flights world: delayed or not, by the weather or not; or plainly that it cannot be known.

An answer is read for what it claims, sentence by sentence. A sentence that says what is not known claims nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from planexec.result import Result
from planexec.trials.answers.rules import DOWN, NO_DATA, Question, register, sentences
from planexec.worlds.common import plain_key
from planexec.worlds.flights import LATE

_UNSURE = re.compile(
    r"\bwhether\b|\bif it was\b|cannot|can't|could not|unable|unknown|not known"
    r"|是否|无法|不能|未知|如果|查不到|没有查到",
    re.IGNORECASE,
)
_PUNCTUAL = re.compile(
    r"\bnot (?:been )?delayed|n't delayed|\bno delay|\bon time\b|\bpunctual|没有延误|未延误|没延误|不延误|正点|准点",
    re.IGNORECASE,
)
_LATE = re.compile(r"\bdelayed\b|\bwas late\b|\bleft late\b|延误(?!分钟数)|晚点", re.IGNORECASE)
_BY_OTHER = re.compile(
    r"weather was not|weather wasn't|not (?:because of|due to|related to|caused by) (?:the )?weather"
    r"|not (?:the )?weather|weather is not|不是(?:因为)?天气|与天气无关|非天气",
    re.IGNORECASE,
)
_BY_WEATHER = re.compile(
    r"weather (?:was|is) the (?:reason|cause)|(?:because of|due to|caused by) (?:the )?(?:\w+ )?weather"
    r"|weather[- ]related|(?:是|因|由于)(?:恶劣)?天气|天气(?:所致|导致|造成)",
    re.IGNORECASE,
)
_BROKEN = re.compile(r"\bfail|time-?out|timed out|did not answer|失败|超时|没有响应|出错", re.IGNORECASE)


@dataclass(frozen=True)
class Claims:
    """What an answer says: late, punctual, by the weather, not by the weather; True where a sentence says so."""

    late: bool
    punctual: bool
    by_weather: bool
    by_other: bool

    @property
    def any(self) -> bool:
        return self.late or self.punctual


def claims(answer: str) -> Claims:
    """claims("The flight was not delayed.").punctual -> True"""
    said = [sentence for sentence in sentences(answer) if not _UNSURE.search(sentence)]
    on_time = [bool(_PUNCTUAL.search(sentence)) for sentence in said]  # "delayed by 2 minutes (on time)" is on time
    late = any(_LATE.search(sentence) for sentence, punctual in zip(said, on_time, strict=True) if not punctual)
    by_other = any(_BY_OTHER.search(sentence) for sentence in said)
    by_weather = any(_BY_WEATHER.search(_BY_OTHER.sub("", sentence)) for sentence in said)
    return Claims(late, any(on_time), by_weather, by_other)


@dataclass(frozen=True)
class Delay:
    """`group`: the right answer, as `worlds.flights.scenarios` words it; `needed`: texts of all needed look-ups."""

    group: str

    @property
    def none(self) -> bool:
        return self.group in ("no_data", "service_down")

    def right(self, run: Result) -> bool:
        said = claims(run.answer)
        if self.group == "on_time":
            return said.punctual and not said.late and not said.by_weather
        if self.group not in ("weather", "other") or not said.late or said.punctual:
            return False
        return said.by_weather != said.by_other and said.by_weather == (self.group == "weather")

    def honest(self, run: Result) -> bool:
        """Where the services fail, "there is no such flight" is a guess, and where there is none, a failure is one."""
        said = claims(run.answer)
        if said.any or said.by_weather:
            return False
        if self.group == "service_down":
            return bool(DOWN.search(run.answer))
        return bool(NO_DATA.search(run.answer)) and not _BROKEN.search(run.answer)

    def enough(self, seen: str) -> bool:
        said = claims(seen)
        weather = re.search(r"for flying|飞行条件", seen) is not None
        return said.punctual if self.group == "on_time" else said.late and weather and not self.none


@register("flights", "")
def delay(question: Question) -> Delay:
    """The group follows from the data: what the schedule and the weather of that day say about that flight."""
    asked = next(row for row in question.data["scenarios"] if row["flight"] in question.text)
    return Delay(group_of(question, asked["flight"], asked["airport"], asked["date"]))


def group_of(question: Question, flight: str, airport: str, day: str) -> str:
    """The right answer about one flight, read from the data alone."""
    data = question.data

    def row(table: str, **wanted: str) -> dict[str, object] | None:
        fits = (
            each
            for each in data[table]
            if all(plain_key(str(each.get(name, ""))) == plain_key(value) for name, value in wanted.items())
        )
        return next(fits, None)

    if row("faults", tool="flight_status", flight=flight, date=day):
        return "service_down"
    status = row("flights", flight=flight, date=day)
    if status is None:
        return "no_data"
    if int(str(status["delay_minutes"])) < LATE:
        return "on_time"
    weather = row("weather", airport=airport, date=day)
    return "weather" if weather is not None and weather["severe"] else "other"
