"""The router: does the next step wait for the last one's result?

"direct": one reply with tool calls answers the question. "chain": later steps need earlier results, so it is planned.
"parallel": the question falls into independent parts, each a run of its own. What cannot be read is planned.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from planexec.chat import system, user
from planexec.run import Run

PROMPT = {
    "en": (
        "You decide how a question is worked on; you do not answer it. Ask yourself: does a later step wait for the "
        'result of an earlier one? Answer with one JSON object {{"route": "direct" | "chain" | "parallel", '
        '"parts": []}} and nothing else. direct: the calls of a single reply answer it. chain: some call needs the '
        "result of another. "
        'parallel: it consists of independent questions; list them as texts under "parts". Today is {date}.'
    ),
    "zh": (
        "你只决定一个问题该怎么处理，不回答它。判断：后面的步骤是否要等前面步骤的结果？只输出一个 JSON 对象 "
        '{{"route": "direct" | "chain" | "parallel", "parts": []}}。'
        "direct：一次回复里的工具调用就能回答；chain：有的调用需要前一个调用的结果；"
        'parallel：由几个互不依赖的问题组成，把它们逐条写进 "parts"。今天是 {date}。'
    ),
}
ROUTES = ("direct", "chain", "parallel")


@dataclass(frozen=True, slots=True)
class Route:
    """`parts`: the independent questions of a parallel one. `why` says what could not be read; "" when all was well."""

    kind: str
    parts: tuple[str, ...] = ()
    why: str = ""


def route(run: Run, question: str) -> Route:
    """Ask the model once. Raises `Ended` when a limit stops it."""
    data = json.dumps({"task": question, "date": run.date}, ensure_ascii=False)
    reply = run.within("route").model([system(PROMPT[run.lang].format(date=run.date)), user(data)], thinking=False)
    chosen = read_route(reply.text if reply.complete else "")
    run.note("route", kind=chosen.kind, parts=list(chosen.parts), why=chosen.why)
    return chosen


def read_route(text: str) -> Route:
    """read_route('{"route": "direct"}') -> Route("direct"); what cannot be read is a chain, which always works."""
    answer = _object_in(text[:20_000])
    if answer.get("route") not in ROUTES:
        return Route("chain", why="the router's answer could not be read; the question is planned")
    listed = answer.get("parts")
    parts = tuple(p.strip() for p in listed if isinstance(p, str) and p.strip()) if isinstance(listed, list) else ()
    if answer["route"] == "parallel" and len(parts) < 2:
        return Route("chain", why="a parallel route needs at least two parts; the question is planned")
    return Route(answer["route"], parts)


def _object_in(text: str) -> dict[str, Any]:
    """The first JSON object in a text, whatever stands around it; {} when there is none."""
    decoder, start = json.JSONDecoder(), text.find("{")
    while start >= 0:
        try:
            value, _ = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            start = text.find("{", start + 1)
            continue
        return value if isinstance(value, dict) else {}
    return {}
