"""The search endpoint of the local server: answers, habits and refusals as Bocha's, over the research world."""

from __future__ import annotations

from typing import Any

import pytest
from serving import Came, body, send, serve

from planexec.serve.bocha import Search

PATH = "/v1/web-search"
PAGES = [
    {
        "title": f"Page {number}",
        "url": f"https://{host}/{number}",
        "date": date,
        "source": "Volt Ledger",
        "summary": "Rain. " * 100,
    }
    for number, (host, date) in enumerate(
        [
            ("a.example", "2026-11-01"),
            ("b.example", "2026-10-01"),
            ("sub.b.example", "2025-12-01"),
            ("c.example", "2020-01-01"),
        ]
    )
]


def pages(query: str) -> list[dict[str, Any]]:
    return [] if "nothing" in query else PAGES


def search(content: dict[str, Any], found: Search | None = pages, **options: Any) -> Came:
    with serve("bocha", search=found, **options) as server:
        return send(server, content, PATH)


def names(came: Came) -> list[str]:
    return [each["name"] for each in came.json["data"]["webPages"]["value"]]


def test_a_search_of_the_research_world_answers_in_the_form_of_the_service() -> None:
    came = search({"query": "solid-state battery", "summary": True, "count": 3}, found=None)
    data = came.json["data"]
    assert (came.status, came.json["code"], came.json["msg"]) == (200, 200, None)
    assert data["queryContext"] == {"originalQuery": "solid-state battery"} and data["_type"] == "SearchResponse"
    first = data["webPages"]["value"][0]
    assert len(data["webPages"]["value"]) == 3 and first["url"].startswith("https://") and first["summary"]
    assert first["datePublished"].endswith("+08:00") and first["language"] is None
    assert search({"query": "固态电池"}, found=None, lang="zh").json["data"]["webPages"]["value"]
    assert search({"query": "xyzzy"}, found=None).json["data"]["webPages"]["value"] == []


def test_a_summary_comes_only_when_it_is_asked_for() -> None:
    asked = search({"query": "rain", "summary": True}).json["data"]["webPages"]["value"][0]
    plain = search({"query": "rain"}).json["data"]["webPages"]["value"][0]
    assert (len(asked["summary"]), "summary" in plain, len(plain["snippet"])) == (600, False, 120)


def test_the_day_of_the_crawl_carries_a_false_z() -> None:
    first = search({"query": "rain"}).json["data"]["webPages"]["value"][0]
    assert first["dateLastCrawled"] == "2026-11-01T23:30:00Z"  # in Beijing, where it was the first all the same


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, [0, 1, 2, 3]),
        ({"freshness": "noLimit"}, [0, 1, 2, 3]),
        ({"freshness": "oneDay"}, [0]),
        ({"freshness": "oneWeek"}, [0]),
        ({"freshness": "oneMonth"}, [0]),
        ({"freshness": "oneYear"}, [0, 1, 2]),
        ({"freshness": "2026-10-01"}, [1]),
        ({"freshness": "2025-01-01..2026-10-01"}, [1, 2]),
        ({"count": 2}, [0, 1]),
        ({"count": 500}, [0, 1, 2, 3]),
        ({"include": "b.example"}, [1, 2]),
        ({"include": "a.example|c.example"}, [0, 3]),
        ({"exclude": "b.example,c.example"}, [0]),
    ],
)
def test_what_is_asked_for_narrows_the_results(changes: dict[str, Any], found: list[int]) -> None:
    assert names(search({"query": "rain", **changes})) == [f"Page {number}" for number in found]


REFUSALS: list[tuple[str, Any, int, str]] = [
    ("query", {}, 400, "Missing parameter query"),
    ("query", {"query": "  "}, 400, "Missing parameter query"),
    ("query", {"query": 5}, 400, "Missing parameter query"),
    ("json", "{", 400, "Invalid request body"),
    ("search_parameters", {"query": "rain", "freshness": "lately"}, 400, "Invalid parameter freshness"),
    ("search_parameters", {"query": "rain", "summary": "yes"}, 400, "Invalid parameter summary"),
    ("search_parameters", {"query": "rain", "count": 0}, 400, "Invalid parameter count"),
]


@pytest.mark.parametrize(("rule", "content", "status", "words"), REFUSALS)
def test_a_search_is_refused_in_the_words_of_the_service(rule: str, content: Any, status: int, words: str) -> None:
    with serve("bocha", search=pages) as server:
        came = send(server, content, PATH)
        assert (came.status, came.json["code"], came.json["message"]) == (status, str(status), words)
        assert "log_id" in came.json and "msg" not in came.json
        assert [each.rule for each in server.refusals] == [rule]
    off = {rule: False} | ({"query": False} if rule == "json" else {})
    with serve("bocha", search=pages, rules=off) as server:
        assert send(server, content, PATH).status == 200


@pytest.mark.parametrize(
    ("key", "status", "words"), [("", 400, "The API KEY is missing"), ("sk-wrong-key", 401, "Invalid API KEY")]
)
def test_a_search_needs_the_key(key: str, status: int, words: str) -> None:
    with serve("bocha", search=pages) as server:
        came = send(server, {"query": "rain"}, PATH, key=key)
    assert (came.status, came.json["code"], came.json["message"]) == (status, str(status), words)


def test_searches_cost_money_until_there_is_none() -> None:
    with serve("bocha", search=pages, balance_usd=0.02, usd_per_search=0.01) as server:
        came = [send(server, {"query": "rain"}, PATH) for _ in range(3)]
    assert [each.status for each in came] == [200, 200, 403]
    assert came[2].json["message"] == "You do not have enough money"


def test_faults_of_the_search_are_ordered_apart_from_those_of_the_chat() -> None:
    with serve(search=pages, faults=["search:429=3", "search:error-200", "search:null-pages", "500"]) as server:
        first, second, third, fourth = (send(server, {"query": "rain"}, PATH) for _ in range(4))
        assert (first.status, first.headers["retry-after"], first.json["code"]) == (429, "3", "429")
        assert (second.status, second.json["code"]) == (200, "403")
        assert (third.json["code"], third.json["data"]["webPages"]) == (200, None)
        assert fourth.status == 200 and send(server, body()).status == 500


def test_a_search_that_fails_behind_the_endpoint_is_a_500_and_not_the_end() -> None:
    def broken(query: str) -> list[dict[str, Any]]:
        raise OSError("no index")

    with serve("bocha", search=broken) as server:
        came = send(server, {"query": "rain"}, PATH)
        assert (came.status, came.json["code"]) == (500, "500") and "no index" in came.json["message"]
        assert server.problems == []


def test_a_search_service_has_no_chat_and_a_chat_service_has_the_search_too() -> None:
    with serve("bocha", search=pages) as server:
        assert send(server, body()).status == 404
        with pytest.raises(ValueError, match="it only searches"):
            server.model()
    with serve("openai", search=pages) as server:
        assert names(send(server, {"query": "rain"}, PATH))
