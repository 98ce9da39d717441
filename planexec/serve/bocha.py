"""The search endpoint: answers as Bocha Web Search does, over the pages of a world.

Three habits of the service are kept on purpose. `summary` comes only when it is asked for. Many fields are null.
`dateLastCrawled` says "Z" and means Beijing time, so a client that believes it is eight hours off.
Not imitated: images, videos, and paging.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

from planexec.serve.asked import Asked
from planexec.serve.rules_form import Complaints
from planexec.tools import Tool

Search = Callable[[str], Sequence[dict[str, Any]]]  # query -> pages with title, url, date, source, summary
SPANS = {"noLimit": None, "oneDay": 1, "oneWeek": 7, "oneMonth": 31, "oneYear": 366}  # days back from today
MOST_RESULTS = 50
SNIPPET = 120  # characters of a page shown when no summary was asked for
_DATE = r"\d{4}-\d{2}-\d{2}"


class SearchFailed(Exception):
    """The search behind the endpoint did not work; the endpoint answers 500."""


def query(asked: Asked) -> Complaints:
    """a search without a query"""
    wanted = asked.body.get("query")
    if not isinstance(wanted, str) or not wanted.strip():
        yield "query.missing", {}


def search_parameters(asked: Asked) -> Complaints:
    """an unknown freshness, a summary that is neither true nor false, a count that is no number"""
    freshness, summary, count = (asked.body.get(name) for name in ("freshness", "summary", "count"))
    if freshness is not None and not _is_freshness(freshness):
        yield "search_parameters.freshness", {}
    if summary is not None and not isinstance(summary, bool):
        yield "search_parameters.type", {"name": "summary"}
    if count is not None and (not isinstance(count, int) or isinstance(count, bool) or count < 1):
        yield "search_parameters.type", {"name": "count"}


def _is_freshness(value: Any) -> bool:
    dated = isinstance(value, str) and re.fullmatch(rf"{_DATE}(\.\.{_DATE})?", value)
    return bool(dated) or (isinstance(value, str) and value in SPANS)


def searcher(search: Search | Tool | None, lang: str) -> Search:
    """The search to ask: a function, a world's tool, or by default that of the research world."""
    if search is None:
        from planexec.worlds import load

        search = next(tool for tool in load("research", lang).tools if tool.name == "web_search")
    if not isinstance(search, Tool):
        return search
    tool = search

    def ask(wanted: str) -> Sequence[dict[str, Any]]:
        observation = tool.carry_out({"query": wanted})
        if observation.kind not in ("found", "empty"):
            raise SearchFailed(observation.text)
        pages = observation.data.get("pages") if isinstance(observation.data, dict) else None
        return pages or ()

    return ask


def respond(body: dict[str, Any], search: Search, today: str) -> dict[str, Any]:
    """The response to a search that no rule refused. `today`: YYYY-MM-DD, what freshness is counted from."""
    wanted = str(body.get("query") or "").strip()
    count = body.get("count")
    most = min(count if isinstance(count, int) and count > 0 else 10, MOST_RESULTS)
    first, last = _span(body.get("freshness"), today)
    pages = [page for page in search(wanted) if first <= str(page.get("date") or today) <= last]
    pages = [page for page in pages if _is_allowed(page, body.get("include"), body.get("exclude"))]
    value = [_value(at, page, body.get("summary") is True) for at, page in enumerate(pages[:most])]
    found = {"webSearchUrl": None, "totalEstimatedMatches": len(pages), "value": value, "someResultsRemoved": False}
    context = {"originalQuery": wanted}
    data = {"_type": "SearchResponse", "queryContext": context, "webPages": found, "images": None, "videos": None}
    return {"code": 200, "log_id": "local", "msg": None, "data": data}


def _span(freshness: Any, today: str) -> tuple[str, str]:
    """_span("oneWeek", "2026-11-02") -> ("2026-10-26", "2026-11-02"); dates compare as texts."""
    if isinstance(freshness, str) and re.fullmatch(rf"{_DATE}(\.\.{_DATE})?", freshness):
        first, _, last = freshness.partition("..")
        return first, last or first
    days = SPANS.get(freshness) if isinstance(freshness, str) else None
    if days is None:
        return "", "9999"
    return (datetime.date.fromisoformat(today) - datetime.timedelta(days=days)).isoformat(), today


def _is_allowed(page: dict[str, Any], include: Any, exclude: Any) -> bool:
    """Domains are joined by "|" or ","; a domain stands for its subdomains too."""
    host = urlsplit(str(page.get("url"))).hostname or ""

    def named(domains: Any) -> bool:
        listed = re.split(r"[|,]", domains) if isinstance(domains, str) else ()
        return any(host == each.strip() or host.endswith("." + each.strip()) for each in listed if each.strip())

    return (named(include) or not include) and not named(exclude)


def _value(at: int, page: dict[str, Any], summary: bool) -> dict[str, Any]:
    date, text = page.get("date"), str(page.get("summary") or "")
    value = {
        "id": f"https://api.bochaai.com/api/v1/#WebPages.{at}",
        "name": page.get("title"),
        "url": page.get("url"),
        "displayUrl": page.get("url"),
        "snippet": text[:SNIPPET],
        "siteName": page.get("source"),
        "siteIcon": None,
        "datePublished": f"{date}T00:00:00+08:00" if date else None,
        "dateLastCrawled": f"{date}T23:30:00Z" if date else None,  # Beijing time, whatever the letter says
        "cachedPageUrl": None,
        "language": None,
        "isFamilyFriendly": None,
        "isNavigational": None,
    }
    return value | ({"summary": text} if summary else {})


def encoded(value: Any) -> bytes:
    """JSON as it is sent: UTF-8, and escaped where half a character stands in it."""
    try:
        return json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(value).encode()
