"""Exercises and quiz of 16_real_models: what a call costs, what a message says, what a search answered."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from planexec.course.checks import Tried, exercise, expect
from planexec.course.quiz import quiz

RATES = (
    {"input": 0.5, "cached": 0.05, "output": 2.0},
    {"input": 1.5, "cached": 0.15, "output": 6.0},
    {"input": 3.0, "cached": 0.75, "output": 9.0},
)  # dollars per million tokens, invented
COUNTS = ((1_000_000, 0, 0), (0, 1_000_000, 0), (8_000, 500, 6_000), (1_200, 90, 1_200), (0, 0, 0))


@exercise(
    "16.1",
    "dollars",
    lambda seed: (
        f"dollars(prompt, completion, cached, rate) -> what a call costs. `rate` holds dollars per million tokens:\n"
        f"{RATES[seed % len(RATES)]}. `cached` of the prompt's tokens cost rate['cached'] each million."
    ),
    (
        "The prompt's tokens fall into two parts: those that were cached and the others.",
        "(prompt - cached) * rate['input'] + cached * rate['cached'] + completion * rate['output'] is in millionths.",
        "Divide by a million at the end.",
    ),
)
def _dollars(answer: Callable[[int, int, int, Mapping[str, float]], Any], seed: int) -> list[Tried]:
    rate = RATES[seed % len(RATES)]
    tries = []
    for prompt, completion, cached in COUNTS:
        millionths = (prompt - cached) * rate["input"] + cached * rate["cached"] + completion * rate["output"]
        got = answer(prompt, completion, cached, dict(rate))
        rounded = round(got, 9) if isinstance(got, (int, float)) else got
        call = f"dollars({prompt}, {completion}, {cached}, rate)"
        tries.append(expect(call, rounded, round(millionths / 1_000_000, 9)))
    return tries


SAID = ("It will rain in Bern.", "Banks: 25%", "Nothing was found.")


def _messages(seed: int) -> list[tuple[dict[str, Any], str]]:
    """Assistant messages as servers send them, and what each says."""
    said = SAID[seed % len(SAID)]
    half = len(said) // 2
    parts = [{"type": "text", "text": said[:half]}, {"type": "text", "text": said[half:]}]
    return [
        ({"role": "assistant", "content": said}, said),
        ({"role": "assistant", "content": None, "tool_calls": []}, ""),
        ({"role": "assistant"}, ""),
        ({"role": "assistant", "content": parts}, said),
        ({"role": "assistant", "content": f"<think>\nThe user asks.\n</think>\n\n{said}"}, said),
        ({"role": "assistant", "content": f"The user asks, it seems.</think>{said}"}, said),
        ({"role": "assistant", "content": said, "reasoning_content": "The user asks."}, said),
    ]


@exercise(
    "16.2",
    "text_of",
    lambda seed: (
        "text_of(message) -> what an assistant's message says to the user: its content without blanks around it.\n"
        "The content may be missing or None (''), a list of parts {'type': 'text', 'text': ...}, or begin with\n"
        "thoughts that end in </think>, with or without a <think> before them."
    ),
    (
        "message.get('content') is None both when the key is missing and when its value is None.",
        "Join the 'text' of the parts when the content is a list.",
        "text.rpartition('</think>')[2].strip() is what comes after the thoughts, or everything where there are none.",
    ),
)
def _text_of(answer: Callable[[Mapping[str, Any]], Any], seed: int) -> list[Tried]:
    return [expect(f"text_of({message})", answer(dict(message)), said) for message, said in _messages(seed)]


def _answers(seed: int) -> list[tuple[int, str, str]]:
    """What a search service sends: status, text, and in one word what it is."""
    page = {"name": "Fast charging", "url": f"https://example.org/{seed}", "summary": "From 10 to 80 per cent."}

    def body(value: Any, code: Any = 200) -> str:
        return json.dumps({"code": code, "data": {"webPages": value}})

    return [
        (200, body({"value": [page]}), "found"),
        (200, body({"value": []}), "empty"),
        (200, body(None), "empty"),
        (200, json.dumps({"code": "403", "message": "You do not have enough money"}), "failed"),
        (429, json.dumps({"code": "429", "message": "You have reached the request limit"}), "failed"),
        (200, "<!DOCTYPE html><html><body>Please sign in.</body></html>", "failed"),
        (200, "", "failed"),
        (500, body({"value": [page]}), "failed"),
    ]


@exercise(
    "16.3",
    "told_apart",
    lambda seed: (
        "told_apart(status, text) -> 'found', 'empty' or 'failed' for what a search service sent. A search took place\n"
        "when the status is 200, the text is JSON, and its code is 200. Its pages stand in data.webPages.value;\n"
        "webPages may be null. No search is 'failed'; a search without pages is 'empty'."
    ),
    (
        "json.loads raises ValueError for what is not JSON: that is 'failed' too.",
        "Both layers count: the status, and body['code'], a number in successes and a text in errors.",
        "pages = (body['data']['webPages'] or {}).get('value')",
    ),
)
def _told_apart(answer: Callable[[int, str], Any], seed: int) -> list[Tried]:
    return [
        expect(f"told_apart({status}, {text!r})", answer(status, text), word) for status, text, word in _answers(seed)
    ]


quiz(
    "16.q1",
    "The service refused the second request of a conversation. Why?",
    "The assistant's message came back without a field that the service had sent.",
    (
        ("The question was too long.", "the first request held the same question and was answered"),
        ("The key was wrong.", "a wrong key is refused at the first request"),
    ),
)
quiz(
    "16.q2",
    "Which failure is worth another try?",
    "A busy service that says when to come back.",
    (
        ("A web page instead of JSON.", "the address is wrong, and will be the next time"),
        ("An account without money.", "a person has to pay first; trying again changes nothing"),
    ),
)
quiz(
    "16.q3",
    "What does a replayed run prove?",
    "What the agent does with the replies that were recorded.",
    (
        ("That the model answers the same today.", "the model was not asked at all"),
        ("That the answer is right.", "a wrong answer replays just as well"),
    ),
)
