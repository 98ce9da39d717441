"""The duty world: an aviation-security officer prepares for a shift. Four look-ups, each needs the one before.

    duty_roster, list_flights, find_procedure, list_risks = tools(lang="en")

The roster gives post and hours, these the flights, their categories the procedures, and these the risks. What is wrong
on purpose (`designed_failures` in data/duty/duty.json): a day without duty, a roster that was changed, a procedure that
was superseded. Everything is invented and no guide to real security work.
"""

from __future__ import annotations

import re
from typing import Any

from planexec.tools import Observation, Tool, empty, failed, found
from planexec.worlds.common import check_language, make_tool, plain_key, read_data, wrong_date
from planexec.worlds.search import STRONG, WEAK, Index

DATE = "2026-11-05"  # a Thursday, so that "next Wednesday" can only be 2026-11-11
QUESTIONS = {
    "en": {
        "prepare": "I am an aviation-security officer and on duty next Wednesday, 2026-11-11. Prepare me.",
        "no_duty": "I am an aviation-security officer and on duty next Friday, 2026-11-13. Prepare me.",
    },
    "zh": {
        "prepare": "我是航空安保员，下周三（2026-11-11）值班，帮我做准备。",
        "no_duty": "我是航空安保员，下周五（2026-11-13）值班，帮我做准备。",
    },
}
SECONDS = 0.4  # what a look-up takes on a virtual clock

_DAY = {"en": "Day, YYYY-MM-DD", "zh": "日期，YYYY-MM-DD"}
_WORDS: dict[str, dict[str, dict[str, str]]] = {
    "duty_roster": {
        "": {
            "en": "Your duty on one day. Data: date, post, from and to (local time, HH:MM); changed_on and instead_of "
            "when the roster was changed.",
            "zh": "查询你某日的值班。数据：date、post（岗位）、from 和 to（当地时间，HH:MM）；"
            "有变动时含 changed_on 和 instead_of。",
        },
        "date": _DAY,
    },
    "list_flights": {
        "": {
            "en": "Flights that pass one post on one day, with what is special about them. Data: flights with flight, "
            "departs (local time, HH:MM), to, category; categories (each once); numbers of the flights.",
            "zh": "查询某日经过某岗位的航班及其特殊类别。数据：flights，含 flight、departs（当地时间，HH:MM）、"
            "to、category；categories（去重后的类别）；numbers（航班号）。",
        },
        "date": _DAY,
        "post": {"en": "Post, as the roster names it", "zh": "岗位，与值班表一致"},
        "from_time": {"en": "Begin of the hours looked at, HH:MM", "zh": "时段开始，HH:MM"},
        "to_time": {"en": "End of the hours looked at, HH:MM", "zh": "时段结束，HH:MM"},
    },
    "find_procedure": {
        "": {
            "en": "Procedures for one or more categories of flights or events. Data: procedures with id, title, "
            "valid_from, superseded_by, text; ids (of those in force).",
            "zh": "查询一个或多个航班类别或事件的程序。数据：procedures，含 id、title、valid_from、superseded_by、"
            "text；ids（现行有效的编号）。",
        },
        "topics": {"en": "Categories or events, separated by commas", "zh": "类别或事件，用逗号分隔"},
    },
    "list_risks": {
        "": {
            "en": "Risks reported under procedures in force. Data: risks with procedure, level (low, medium, high), "
            "reported (YYYY-MM-DD), text.",
            "zh": "查询现行程序下报告的风险。数据：risks，含 procedure、level（low、medium、high）、"
            "reported（YYYY-MM-DD）、text。",
        },
        "procedures": {
            "en": "Numbers of procedures, separated by commas (PR-21, PR-08)",
            "zh": "程序编号，用逗号分隔（PR-21, PR-08）",
        },
    },
}
_SAID = {
    "duty": {"en": "Duty on {date}: {post}, {from} to {to}.", "zh": "{date}值班：{post}，{from}至{to}。"},
    "changed": {
        "en": " Changed on {changed_on}; before it was {instead_of}.",
        "zh": "{changed_on}变更，原为{instead_of}。",
    },
    "no_duty": {"en": "You are not on duty on {date}.", "zh": "你在{date}没有值班。"},
    "flight": {"en": "- {flight} {departs} to {to}: {category}", "zh": "- {flight} {departs} 飞往{to}：{category}"},
    "no_flights": {"en": "No special flights pass this post in these hours.", "zh": "该时段没有经过该岗位的特殊航班。"},
    "time": {"en": "{time!r} is not a time; write HH:MM.", "zh": "{time!r} 不是时间，请写成 HH:MM。"},
    "in_force": {"en": "in force since {valid_from}", "zh": "自{valid_from}起有效"},
    "superseded": {
        "en": "superseded by {superseded_by} since {superseded_on}",
        "zh": "自{superseded_on}起被{superseded_by}取代",
    },
    "blank": {"en": "No topic was given.", "zh": "没有给出主题。"},
    "no_procedure": {"en": "No procedure about this.", "zh": "没有相关程序。"},
    "risk": {
        "en": "- {procedure} ({level}, reported {reported}): {text}",
        "zh": "- {procedure}（{level}，{reported}报告）：{text}",
    },
    "no_risks": {"en": "No risks reported under these procedures.", "zh": "这些程序下没有报告风险。"},
}


def tools(lang: str = "en", data: Any = None) -> list[Tool]:
    """`duty_roster`, `list_flights`, `find_procedure`, `list_risks`, answering in `lang`. `data` replaces the file."""
    check_language(lang)
    book = read_data("duty", "duty.json", data)
    return [_roster(book, lang), _flights(book, lang), _procedures(book, lang), _risks(book, lang)]


def tables(lang: str = "en", data: Any = None) -> dict[str, list[dict[str, Any]]]:
    """What the tools look through, in one language: rows of "roster", "flights", "procedures" and "risks".

    For whoever writes tools of their own over them (notebook 18). `data` replaces the shipped file.
    """
    check_language(lang)
    book = read_data("duty", "duty.json", data)
    return {name: [_in(lang, row) for row in book[name]] for name in ("roster", "flights", "procedures", "risks")}


def _in(lang: str, row: dict[str, Any]) -> dict[str, Any]:
    """A row with one language left in it."""
    return {name: value[lang] if isinstance(value, dict) else value for name, value in row.items()}


def _roster(book: dict[str, Any], lang: str) -> Tool:
    def duty_roster(date: str) -> Observation:
        if problem := wrong_date(date, lang):
            return problem
        for row in (_in(lang, row) for row in book["roster"] if row["date"] == date):
            text = _SAID["duty"][lang].format(**row)
            return found(
                text + _SAID["changed"][lang].format(**row) if "changed_on" in row else text, row, seconds=SECONDS
            )
        return empty(_SAID["no_duty"][lang].format(date=date), seconds=SECONDS)

    return make_tool(duty_roster, lang, _WORDS["duty_roster"])


def _flights(book: dict[str, Any], lang: str) -> Tool:
    def list_flights(date: str, post: str, from_time: str = "00:00", to_time: str = "23:59") -> Observation:
        if problem := wrong_date(date, lang) or _wrong_time(from_time, lang) or _wrong_time(to_time, lang):
            return problem
        rows = [
            {name: row[name] for name in ("flight", "departs", "to", "category")}
            for whole in book["flights"]
            if whole["date"] == date and plain_key(post) in map(plain_key, whole["post"].values())
            if from_time <= whole["departs"] <= to_time
            for row in [_in(lang, whole)]
        ]
        if not rows:
            return empty(_SAID["no_flights"][lang], seconds=SECONDS)
        categories = list(dict.fromkeys(row["category"] for row in rows))
        seen = {"flights": rows, "categories": categories, "numbers": [row["flight"] for row in rows]}
        return found("\n".join(_SAID["flight"][lang].format(**row) for row in rows), seen, seconds=SECONDS)

    return make_tool(list_flights, lang, _WORDS["list_flights"])


def _wrong_time(text: str, lang: str) -> Observation | None:
    if re.fullmatch(r"([01][0-9]|2[0-3]):[0-5][0-9]", text):
        return None
    return failed(_SAID["time"][lang].format(time=text[:40]), seconds=SECONDS)


def _procedures(book: dict[str, Any], lang: str) -> Tool:
    by_id = {row["id"]: row for row in book["procedures"]}
    index = Index({row["id"]: _indexed(row) for row in book["procedures"]})

    def find_procedure(topics: str) -> Observation:
        if not topics.strip():
            return failed(_SAID["blank"][lang], seconds=SECONDS)
        wanted = [topic for topic in re.split(r"[,，、;；\n]", topics) if topic.strip()]
        ids = dict.fromkeys(hit.id for topic in wanted for hit in index.search(topic, most=3))
        rows = [_in(lang, by_id[name]) for name in ids]
        if not rows:
            return empty(_SAID["no_procedure"][lang], seconds=SECONDS)
        seen = {
            "procedures": [
                {name: row.get(name, "") for name in ("id", "title", "valid_from", "superseded_by", "text")}
                for row in rows
            ],
            "ids": [row["id"] for row in rows if "superseded_by" not in row],
        }
        return found("\n".join(_procedure_text(row, lang) for row in rows), seen, seconds=SECONDS)

    return make_tool(find_procedure, lang, _WORDS["find_procedure"])


def _indexed(row: dict[str, Any]) -> list[tuple[str, int]]:
    strong = [row["id"], *row["about"].values(), *row["title"].values()]
    return [(text, STRONG) for text in strong] + [(text, WEAK) for text in row["text"].values()]


def _procedure_text(row: dict[str, Any], lang: str) -> str:
    state = _SAID["superseded" if "superseded_by" in row else "in_force"][lang].format(**row)
    return f"- {row['id']} {row['title']} ({state}): {row['text']}"


def _risks(book: dict[str, Any], lang: str) -> Tool:
    old = {row["id"] for row in book["procedures"] if "superseded_by" in row}

    def list_risks(procedures: str) -> Observation:
        wanted = {plain_key(name) for name in re.split(r"[,，、;；\s]+", procedures) if name}
        rows = [
            _in(lang, row)
            for row in book["risks"]
            if plain_key(row["procedure"]) in wanted and row["procedure"] not in old
        ]
        if not rows:
            return empty(_SAID["no_risks"][lang], seconds=SECONDS)
        return found("\n".join(_SAID["risk"][lang].format(**row) for row in rows), {"risks": rows}, seconds=SECONDS)

    return make_tool(list_risks, lang, _WORDS["list_risks"])
