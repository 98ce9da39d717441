"""The flights world: was a flight delayed, and was the weather the reason? Fifteen scenarios, some without an answer.

    flight_status, weather, flight_history = tools(lang="en")
    for scenario in scenarios("en"): scenario["question"], scenario["group"]

What is wrong on purpose (`designed_failures` in data/flights/flights.json): two flights are in no schedule, for two
the services always fail, and two left on time in severe weather. The failures are a matter of the arguments and never
of how often a tool was called, so a run that is resumed meets the same ones.
"""

from __future__ import annotations

from typing import Any

from planexec.tools import Observation, Tool, empty, failed, found
from planexec.worlds.common import check_language, make_tool, plain_key, read_data, wrong_date

DATE = "2026-11-02"
LATE = 15  # minutes from which a departure counts as delayed
SECONDS = 0.5  # what an answer takes on a virtual clock
TIMEOUT_SECONDS = 10.0  # after which a service that does not answer is given up

_QUESTION = {
    "en": "Was flight {flight} from {airport} on {date} delayed, and was the weather the reason?",
    "zh": "{date}从{airport}起飞的航班{flight}延误了吗，是不是天气原因？",
}
_EXAMPLES = {  # group -> flight, airport, date of its first scenario
    "weather": ("KITE101", "HB1", "2026-10-12"),
    "other": ("KITE211", "HB1", "2026-10-13"),
    "on_time": ("KITE321", "MQ3", "2026-10-15"),
    "no_data": ("KITE431", "LT2", "2026-10-16"),
    "service_down": ("KITE541", "SN4", "2026-10-19"),
}
QUESTIONS = {
    lang: {
        group: text.format(flight=flight, airport=airport, date=day)
        for group, (flight, airport, day) in _EXAMPLES.items()
    }
    for lang, text in _QUESTION.items()
}
_FLIGHT = {"en": "Flight number, for example KITE101", "zh": "航班号，例如 KITE101"}
_DAY = {"en": "Day, YYYY-MM-DD", "zh": "日期，YYYY-MM-DD"}
_WORDS: dict[str, dict[str, dict[str, str]]] = {
    "flight_status": {
        "": {
            "en": "Times of one flight on one day. Data: flight, date, from and to (airport codes), scheduled and "
            "departed (local time, HH:MM), delay_minutes; a flight is delayed from 15 minutes on.",
            "zh": "查询某日某航班的时刻。数据：flight、date、from 和 to（机场代码）、"
            "scheduled 和 departed（当地时间，HH:MM）、delay_minutes（分钟）；15分钟起算延误。",
        },
        "flight": _FLIGHT,
        "date": _DAY,
    },
    "weather": {
        "": {
            "en": "Weather at one airport on one day. Data: airport, date, condition, wind_kmh, visibility_m, "
            "precipitation_mm, severe (true: it may delay flights).",
            "zh": "查询某日某机场的天气。数据：airport、date、condition、wind_kmh（公里/小时）、visibility_m（米）、"
            "precipitation_mm（毫米）、severe（true：可能导致延误）。",
        },
        "airport": {"en": "Airport code, for example HB1", "zh": "机场代码，例如 HB1"},
        "date": _DAY,
    },
    "flight_history": {
        "": {
            "en": "The last five days on which a flight was flown. Data: flight, days with date (YYYY-MM-DD) and "
            "delay_minutes.",
            "zh": "查询某航班最近五次执飞。数据：flight、days，含 date（YYYY-MM-DD）和 delay_minutes（分钟）。",
        },
        "flight": _FLIGHT,
    },
}
_SAID = {
    "status": {
        "en": "Flight {flight} on {date}, {from} to {to}: scheduled {scheduled}, departed {departed}, "
        "delay {delay_minutes} minutes ({word}).",
        "zh": "航班{flight}，{date}，{from}至{to}：计划{scheduled}，实际{departed}，"
        "延误{delay_minutes}分钟（{word}）。",
    },
    "late": {"en": "delayed", "zh": "延误"},
    "punctual": {"en": "on time", "zh": "正点"},
    "weather": {
        "en": "Weather at {airport} ({name}) on {date}: {condition}, wind {wind_kmh} km/h, "
        "visibility {visibility_m} m, precipitation {precipitation_mm} mm; {word} for flying.",
        "zh": "{date} {airport}（{name}）天气：{condition}，风速{wind_kmh}公里/小时，能见度{visibility_m}米，"
        "降水{precipitation_mm}毫米；飞行条件{word}。",
    },
    "severe": {"en": "severe", "zh": "恶劣"},
    "normal": {"en": "normal", "zh": "正常"},
    "history": {"en": "Flight {flight}, delay in minutes: {days}.", "zh": "航班{flight}，延误分钟数：{days}。"},
    "no_flight": {"en": "No record of this flight on this day.", "zh": "没有该航班当日的记录。"},
    "no_weather": {"en": "No weather report for this airport and day.", "zh": "没有该机场当日的天气报告。"},
    "no_history": {"en": "No history of this flight.", "zh": "没有该航班的历史记录。"},
}
_FAULTS = {
    "timeout": {"en": "The service did not answer within 10 seconds.", "zh": "服务在10秒内没有响应。"},
    "empty_body": {"en": "The service answered with an empty body.", "zh": "服务返回了空的响应体。"},
    "half_json": {
        "en": 'The service answered with half a JSON text: {"flight": "KITE',
        "zh": '服务返回的 JSON 不完整：{"flight": "KITE',
    },
}


def scenarios(lang: str = "en", data: Any = None) -> list[dict[str, str]]:
    """The fifteen scenarios: id, group, flight, airport, date, question.

    `group` is the right answer: "weather" (delayed by it), "other" (delayed in good weather), "on_time", "no_data"
    (say that there is none), "service_down" (say that it cannot be known now).
    """
    check_language(lang)
    rows = read_data("flights", "flights.json", data)["scenarios"]
    return [{**row, "question": _QUESTION[lang].format(**row)} for row in rows]


def tools(lang: str = "en", data: Any = None) -> list[Tool]:
    """`flight_status`, `weather`, `flight_history`, answering in `lang`. `data` replaces the shipped file."""
    check_language(lang)
    service = _Service(read_data("flights", "flights.json", data), lang)

    def flight_status(flight: str, date: str) -> Observation:
        return wrong_date(date, lang) or service.status(flight, date)

    def weather(airport: str, date: str) -> Observation:
        return wrong_date(date, lang) or service.weather(airport, date)

    def flight_history(flight: str) -> Observation:
        return service.history(flight)

    return [make_tool(each, lang, _WORDS[each.__name__]) for each in (flight_status, weather, flight_history)]


class _Service:
    """What the three tools share: the data, the language, and the faults that belong to certain arguments."""

    def __init__(self, data: dict[str, Any], lang: str):
        self.data = data
        self.lang = lang

    def row(self, table: str, **wanted: str) -> dict[str, Any] | None:
        """The first row of a table whose fields are those wanted, whatever their case and spaces."""
        for row in self.data[table]:
            if all(plain_key(row.get(name, "")) == plain_key(value) for name, value in wanted.items()):
                return row
        return None

    def fault(self, tool: str, **wanted: str) -> Observation | None:
        row = self.row("faults", tool=tool, **wanted)
        if row is None:
            return None
        seconds = TIMEOUT_SECONDS if row["fault"] == "timeout" else SECONDS
        return failed(_FAULTS[row["fault"]][self.lang], "transient", seconds=seconds)

    def said(self, key: str, **values: Any) -> str:
        return _SAID[key][self.lang].format(**values)

    def status(self, flight: str, day: str) -> Observation:
        if fault := self.fault("flight_status", flight=flight, date=day):
            return fault
        row = self.row("flights", flight=flight, date=day)
        if row is None:
            return empty(self.said("no_flight"), seconds=SECONDS)
        word = self.said("late" if row["delay_minutes"] >= LATE else "punctual")
        return found(self.said("status", **row, word=word), dict(row), seconds=SECONDS)

    def weather(self, airport: str, day: str) -> Observation:
        if fault := self.fault("weather", airport=airport, date=day):
            return fault
        row = self.row("weather", airport=airport, date=day)
        if row is None:
            return empty(self.said("no_weather"), seconds=SECONDS)
        row = {**row, "condition": row["condition"][self.lang]}
        name = self.data["airports"][row["airport"]][self.lang]
        text = self.said("weather", **row, name=name, word=self.said("severe" if row["severe"] else "normal"))
        return found(text, row, seconds=SECONDS)

    def history(self, flight: str) -> Observation:
        if fault := self.fault("flight_history", flight=flight):
            return fault
        row = self.row("history", flight=flight)
        if row is None:
            return empty(self.said("no_history"), seconds=SECONDS)
        days = ", ".join(f"{day['date']} {day['delay_minutes']}" for day in row["days"])
        return found(self.said("history", flight=row["flight"], days=days), dict(row), seconds=SECONDS)
