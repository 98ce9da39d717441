"""Every rule of the local server: refused when on, in the service's words; accepted when off; written down."""

from __future__ import annotations

from typing import Any

import pytest
from refused_requests import BARE, CASES, PASS_BACK
from serving import HELLO, TALK, TOLD, Came, body, send, serve

from planexec.serve.profiles import named, names
from planexec.serve.rules import RULES, about

INVALID = "invalid_request_error"


@pytest.mark.parametrize(("rule", "profile", "changes", "status", "words"), CASES)
def test_a_rule_refuses_when_it_is_on_and_lets_pass_when_it_is_off(
    rule: str, profile: str, changes: dict[str, Any], status: int, words: str
) -> None:
    small = {"context_tokens": 900} if rule == "context" else {}
    with serve(profile, **small) as server:
        came = send(server, body(profile, **changes))
        refusals = server.refusals
    assert (came.status, said(came)[: len(words)]) == (status, words)
    assert [(each.rule, each.status, each.body) for each in refusals] == [(rule, status, came.text)]
    with serve(profile, rules={rule: False}, **small) as server:
        assert send(server, body(profile, **changes)).status == 200
        assert server.refusals == [] and server.problems == []


def said(came: Came) -> str:
    if not came.headers["content-type"].startswith("application/json"):
        return came.text
    return str(came.error["message"])


def test_every_rule_of_every_profile_has_a_case() -> None:
    tried = {(profile, rule) for rule, profile, *_ in CASES} | {("deepseek", "reasoning_every_turn")}
    alike = {"auth", "balance", "json", "concurrency"}  # below, for all profiles
    later = {"query", "search_parameters"}  # with the search
    for rule in RULES:
        assert about(rule)
        users = [profile for profile in names() if rule in named(profile).rules]
        assert users and (rule in alike | later or any((profile, rule) in tried for profile in users)), rule


def test_the_strict_reading_of_the_thoughts_rule_is_off_until_asked_for() -> None:
    messages = [*HELLO, {"role": "assistant", "content": "Yes."}, *HELLO]
    with serve() as server:
        assert send(server, body(messages=messages)).status == 200
    with serve(rules={"reasoning_every_turn": True}) as server:
        assert send(server, body(messages=messages)).error["message"] == PASS_BACK
        assert [each.rule for each in server.refusals] == ["reasoning_every_turn"]


@pytest.mark.parametrize(
    ("profile", "status", "message", "kind", "code"),
    [
        ("deepseek", 401, "Authentication Fails, Your api key: ****cret is invalid", "authentication_error", INVALID),
        ("deepseek-2025", 401, "Authentication Fails (no such user)", "authentication_error", INVALID),
        ("openai", 401, "Incorrect API key provided: ****cret.", INVALID, "invalid_api_key"),
    ],
)
def test_a_wrong_key_is_refused_as_the_service_does_and_no_part_of_it_is_kept(
    profile: str, status: int, message: str, kind: str, code: str
) -> None:
    with serve(profile) as server:
        came = send(server, body(profile), key="sk-top-secret")
        kept = repr((server.refusals, server.requests)) + server.refusals[0].body + server.refusals[0].tail
    assert (came.status, came.error["message"]) == (status, message)
    assert (came.error["type"], came.error["code"]) == (kind, code)
    assert "cret" not in kept and "Bearer" not in kept
    with serve(profile, rules={"auth": False}) as server:
        assert send(server, body(profile), key="sk-top-secret").status == 200


@pytest.mark.parametrize("header", ["", "sk-5e2f8a41c0d7", "Basic c2s=", "Bearer ", "Bearer"])
def test_a_missing_key_is_told_from_a_wrong_one(header: str) -> None:
    with serve() as server:
        came = send(server, body(), key="", **({"Authorization": header} if header else {}))
    assert (came.status, came.error["type"]) == (401, "authentication_error")
    assert came.error["message"].startswith("Authentication Fails (auth header")


@pytest.mark.parametrize(
    ("profile", "status", "message"),
    [("deepseek", 402, "Insufficient Balance"), ("openai", 429, "You exceeded your current quota")],
)
def test_the_balance_goes_down_with_every_answer_until_nothing_is_left(profile: str, status: int, message: str) -> None:
    from planexec.chat import Usage
    from planexec.models.scripted import ScriptedModel, says

    model = ScriptedModel([says("Rain.", usage=Usage(10, 10, usd=0.6))] * 3)
    with serve(profile, model, balance_usd=1.0) as server:
        assert [send(server, body(profile)).status for _ in range(3)] == [200, 200, status]
        assert server.refusals[0].message.startswith(message)
        assert server.balance_usd == pytest.approx(-0.2)  # the last answer is paid for although it was too much
    with serve(profile, model, balance_usd=0.0, rules={"balance": False}) as server:
        assert send(server, body(profile)).status == 200


@pytest.mark.parametrize(
    ("profile", "status", "begins"),
    [
        ("deepseek", 400, '{"error": {"message": "Failed to parse the request body as JSON: '),
        ("deepseek-2025", 400, "Failed to parse the request body as JSON: "),
        ("openai", 400, '{"error": {"message": "We could not parse the JSON body'),
    ],
)
@pytest.mark.parametrize("content", ['{"model": ', b"\xff\xfe{", '{"model": NaN}', "", "[" * 100_000])
def test_what_is_not_json_is_refused_as_such(profile: str, status: int, begins: str, content: Any) -> None:
    with serve(profile) as server:
        came = send(server, content)
        assert (came.status, came.text[: len(begins)]) == (status, begins)
        assert [each.rule for each in server.refusals] == ["json"]
    with serve(profile, rules={"json": False, "types": False, "model": False}) as server:
        assert send(server, content).status == 200


def test_an_error_in_plain_text_says_so_and_a_json_one_carries_the_trace_of_the_service() -> None:
    with serve("deepseek-2025") as server:
        assert send(server, body("deepseek-2025", messages=...)).headers["content-type"].startswith("text/plain")
    with serve() as server:
        assert send(server, body(messages=...)).headers["x-ds-trace-id"].endswith("1")
        assert send(server, body(model="no")).error == {
            "message": "The supported API model names are deepseek-flash or deepseek-v4-pro or scripted, "
            "but you passed no.",
            "type": INVALID,
            "param": None,
            "code": INVALID,
        }


@pytest.mark.parametrize(
    ("changes", "first"),
    [
        ({"model": "no", "messages": ...}, "types"),
        ({"model": "no", "tools": []}, "model"),
        ({"tools": [], "messages": TALK[:2]}, "tools"),
        ({"messages": [*BARE, TOLD]}, "pairing"),
    ],
)
def test_of_two_broken_rules_the_earlier_one_answers(changes: dict[str, Any], first: str) -> None:
    with serve() as server:
        send(server, body(**changes))
        send(server, body(**changes), key="wrong")
        assert [each.rule for each in server.refusals] == [first, "auth"]


def test_refusals_name_their_request() -> None:
    with serve() as server:
        for model in ("deepseek-flash", "no", "deepseek-flash", "no"):
            send(server, body(model=model))
        assert [each.number for each in server.refusals] == [2, 4]
        assert [each.outcome for each in server.requests] == ["answered", "refused model"] * 2
        assert server.requests[1].body["model"] == "no"


def test_a_rule_or_a_profile_that_does_not_exist_is_the_callers_mistake() -> None:
    with pytest.raises(ValueError, match="no rule is named reasonning; there are auth, "):
        serve(rules={"reasonning": False})
    with pytest.raises(ValueError, match="no service profile is named 'azure'; there are deepseek, "):
        serve("azure")
