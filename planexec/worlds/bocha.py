"""Bocha Web Search, the search that the course's research agent uses on the real web.

    tools = [web_search(Bocha())]                                # the key in BOCHA_API_KEY
    tools = [web_search(Bocha(server.key, server.search_url))]   # the local server

Its errors come in two layers, an HTTP status and a `code` in the body (a text in errors, a number in successes), and
either may be the one that counts. `dateLastCrawled` ends in "Z" and means Beijing time. Any field may be null.
Not handled: images, videos, paging, and what a search costs (the price list is not public).
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping
from typing import Any

from planexec.deadline import bounded
from planexec.models.profiles import is_loopback
from planexec.models.service_errors import is_page, read_json, retry_after, without_key
from planexec.worlds.web import Page, Pages, SearchError

URL = "https://api.bochaai.com/v1/web-search"
KEY = "BOCHA_API_KEY"
MOST_BYTES = 4 * 2**20  # of one answer
MOST_RESULTS = 50
BEIJING = datetime.timezone(datetime.timedelta(hours=8))


class Bocha:
    """A search provider. `timeout`: seconds for a whole request, however it trickles. One search is one request.

    Errors: ValueError without a key; `SearchError` when a search did not take place. No error holds a part of the key.
    """

    name = "Bocha"

    def __init__(self, api_key: str | None = None, url: str = URL, *, timeout: float = 30.0) -> None:
        self._key = (api_key if api_key is not None else os.environ.get(KEY, "")).strip()
        if not self._key:
            raise ValueError(f"no key: set the environment variable {KEY}, or give api_key=...")
        self.url, self.timeout = url, timeout

    def __repr__(self) -> str:
        return f"Bocha({self.url!r})"

    def search(self, query: str, count: int = 5, freshness: str = "noLimit") -> Pages:
        """Pages for `query`; [] when there are none. `freshness` may also be YYYY-MM-DD or YYYY-MM-DD..YYYY-MM-DD."""
        most = max(1, min(count, MOST_RESULTS))
        body = {"query": query, "freshness": freshness, "summary": True, "count": most}
        try:
            status, headers, text = bounded(lambda: self._post(body), self.timeout)
        except TimeoutError:
            raise SearchError("unreachable", f"It gave no answer within {self.timeout:g} s.") from None
        try:
            return _pages(status, headers, text)
        except SearchError as problem:
            why = without_key(str(problem), self._key)
            raised = SearchError(problem.reason, why, retry_after=problem.retry_after, status=problem.status)
        raise raised  # outside the handler: what the service said about the key is not chained to it

    def _post(self, body: Mapping[str, Any]) -> tuple[int, Mapping[str, str], str]:
        """Status, headers and text of one exchange."""
        import requests

        with requests.Session() as session:
            session.trust_env = not is_loopback(self.url)  # the environment's proxies are for other machines
            headers = {"Authorization": f"Bearer {self._key}"}
            options: dict[str, Any] = {"timeout": self.timeout, "stream": True, "allow_redirects": False}
            try:
                with session.post(self.url, json=body, headers=headers, **options) as answer:
                    return answer.status_code, answer.headers, _text_of(answer)
            except requests.exceptions.Timeout:
                raise SearchError("unreachable", f"It gave no answer within {self.timeout:g} s.") from None
            except (requests.exceptions.ConnectionError, requests.exceptions.ChunkedEncodingError):
                raise SearchError("unreachable", "The connection failed or was lost; is there a network?") from None
            except requests.exceptions.RequestException as problem:  # an address that is none
                raise SearchError("bad_request", f"{type(problem).__name__}: is {self.url} right?") from None


def _text_of(answer: Any) -> str:
    pieces, size = [], 0
    for piece in answer.iter_content(65_536):
        pieces.append(piece)
        size += len(piece)
        if size > MOST_BYTES:
            raise SearchError("broken", f"The answer is larger than {MOST_BYTES // 2**20} MiB.")
    return b"".join(pieces).decode("utf-8", "replace")


def _pages(status: int, headers: Mapping[str, str], text: str) -> Pages:
    """The pages in a response; `SearchError` when either layer says that there was no search."""
    body = read_json(text)
    if 300 <= status < 400:
        raise SearchError("bad_request", f"HTTP {status}: it has moved to {headers.get('location')}.", status=status)
    if not isinstance(body, dict):
        if status >= 400:
            raise _refused(status, text.strip()[:200] or f"HTTP {status}", headers)
        if is_page(text):
            raise SearchError("bad_request", "A web page came instead of JSON; is the address right?", status=status)
        raise SearchError("broken", "What came is not JSON.", status=status)
    code = str(body.get("code", ""))
    stated = int(code) if code.isdecimal() and len(code) < 6 else None
    said = str(body.get("message") or body.get("msg") or f"HTTP {status}")
    if status != 200 or stated not in (None, 200):
        raise _refused(status if status != 200 else stated or 0, said, headers)
    return _read(body.get("data"))


def _refused(status: int, said: str, headers: Mapping[str, str]) -> SearchError:
    """Why there was no search: by the status, and where that says too little by the words."""
    words = said.lower()
    if status == 402 or "money" in words or "余额" in words:
        reason = "no_money"
    elif status in (401, 403) or "api key" in words:
        reason = "refused"
    elif status == 429:
        reason = "limit"
    else:
        reason = "bad_request" if 400 <= status < 500 else "broken"
    wait = retry_after(headers) if reason in ("limit", "broken") else None
    return SearchError(reason, f"{status}: {said[:300]}", retry_after=wait, status=status)


def _read(data: Any) -> Pages:
    """The usable results; null anywhere on the way means that there are none."""
    found = data.get("webPages") if isinstance(data, dict) else data
    value = found.get("value") if isinstance(found, dict) else found
    if value is not None and not isinstance(value, list):
        raise SearchError("broken", "Its answer holds no list of pages.")
    read = [_page(each) for each in value or ()]
    pages = Pages(page for page in read if page is not None)
    pages.dropped = len(read) - len(pages)
    return pages


def _page(value: Any) -> Page | None:
    """One result, or None when there is no address to look it up under."""
    if not isinstance(value, dict) or not _text(value.get("url")).startswith(("http://", "https://")):
        return None
    url = _text(value["url"])
    text = _text(value.get("summary")) or _text(value.get("snippet"))
    published = date_of(value.get("datePublished"))
    date = published or date_of(value.get("dateLastCrawled"), false_z=True)
    title = _text(value.get("name")) or url
    return Page(title, url, text, date, _text(value.get("siteName")), crawled=bool(date) and not published)


def date_of(value: Any, false_z: bool = False) -> str:
    """The day in Beijing: date_of("2025-02-23T20:00:00Z") -> "2025-02-24"; with a false Z it is the 23rd; else ""."""
    if not isinstance(value, str):
        return ""
    text = value.strip()
    if false_z:
        text = text.removesuffix("Z").removesuffix("z")
    try:
        when = datetime.datetime.fromisoformat(text)
        return (when.astimezone(BEIJING) if when.tzinfo else when).date().isoformat()
    except (ValueError, OverflowError):
        return ""


def _text(value: Any) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""
