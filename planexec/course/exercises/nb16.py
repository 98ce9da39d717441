"""Exercises and quiz of 16_real_models: what a call costs, what a message says, what a failure calls for."""

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
        "dollars(prompt, completion, cached, rate) -> what a call costs, in dollars. `prompt` tokens were read, and\n"
        "`cached` of these came from the service's cache. `completion` tokens were written. `rate` holds dollars per\n"
        f"million tokens: {RATES[seed % len(RATES)]}."
    ),
    (
        "Three groups of tokens, each with a rate of its own: fresh ones, cached ones, written ones.",
        "How many tokens of the prompt were not cached?",
        "The rates are for a million tokens.",
    ),
)
def _dollars(answer: Callable[[int, int, int, Mapping[str, float]], Any], seed: int) -> list[Tried]:
    rate = RATES[seed % len(RATES)]
    tries = []
    for prompt, completion, cached in COUNTS:
        millionths = (prompt - cached) * rate["input"] + cached * rate["cached"] + completion * rate["output"]
        got, right = answer(prompt, completion, cached, dict(rate)), round(millionths / 1_000_000, 9)
        rounded = round(got, 9) if isinstance(got, (int, float)) else got
        call = f"dollars({prompt}, {completion}, {cached}, rate)"
        tries.append(expect(call, rounded, right, _dear(got, right, cached * rate["cached"] / 1_000_000)))
    return tries


def _dear(got: Any, right: float, cached: float) -> str:
    """The hint for a wrong price."""
    if not isinstance(got, (int, float)):
        return "Return a number of dollars."
    if right and not right / 90 < got < right * 90:
        return "The rates are for a million tokens: that is what to divide by."
    if cached and got > right:
        return "Cached tokens are among those of the prompt: they are paid once, at their own rate."
    return ""


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
        ({"role": "assistant", "content": f"</think> stands in the page.</think>{said}"}, said),
        ({"role": "assistant", "content": said, "reasoning_content": "The user asks."}, said),
    ]


@exercise(
    "16.2",
    "text_of",
    lambda seed: (
        "text_of(message) -> what an assistant's message says to the user, without blanks around it. 'content' may be\n"
        "missing or None: ''. It may be a list of parts {'type': 'text', 'text': ...}: their texts, nothing between.\n"
        "It may begin with thoughts, with or without a <think> before them: only what follows the last </think> counts."
    ),
    (
        "Make the content one text first, whatever it is; then take the thoughts away.",
        "Which of the shapes does your function not see?",
        "str.rpartition splits a text at the last place where something stands.",
    ),
)
def _text_of(answer: Callable[[Mapping[str, Any]], Any], seed: int) -> list[Tried]:
    tried = []
    for message, said in _messages(seed):
        got = answer(dict(message))
        tried.append(expect(f"text_of({message})", got, said, _misread(message.get("content"), got, said)))
    return tried


def _misread(content: Any, got: Any, said: str) -> str:
    """The hint for a message that was not understood."""
    if content is None:
        return "message.get('content') is None both when the key is missing and when its value is None: that is ''."
    if isinstance(content, list):
        return "The content is a list here: join the 'text' of its parts, with nothing between them."
    if "think>" in str(got):
        return "A thought is left: everything up to the last </think> goes, whether a <think> opened it or not."
    if isinstance(got, str) and got.strip() == said:
        return "There are blanks around the text: strip() takes them away."
    return "What comes after the last </think>, or everything where there is none."


SPOKEN = ("Rate limit reached for this model.", "Too many requests, slow down.", "The service is busy.")
FORMS = ("The `reasoning_content` must be passed back.", "max_tokens is too large.", "'tool' must follow 'tool_calls'.")


def _came(seed: int) -> list[tuple[int, str, str]]:
    """Answers of model services: status, text, and what each calls for."""
    good = json.dumps({"choices": [{"message": {"role": "assistant", "content": SAID[seed % len(SAID)]}}]})
    return [
        (200, good, "use"),
        (200, "<!DOCTYPE html><html><body>Please sign in.</body></html>", "mend"),
        (200, "\n\n" + good, "use"),
        (200, "", "mend"),
        (200, "{ok}", "mend"),
        (429, SPOKEN[seed % len(SPOKEN)], "wait"),
        (429, "You exceeded your current quota, please check your plan.", "person"),
        (503, "The server is overloaded.", "wait"),
        (500, "Internal error.", "wait"),
        (400, FORMS[seed % len(FORMS)], "mend"),
        (404, "", "mend"),
        (401, "Incorrect API key.", "person"),
        (402, "Insufficient Balance", "person"),
        (403, "Not allowed in this region.", "person"),
        (400, "quota must be a number", "mend"),
    ]


@exercise(
    "16.3",
    "calls_for",
    lambda seed: (
        "calls_for(status, text) -> 'use' for a 200 whose text is JSON; for all else what the table under 'When it\n"
        "fails' calls for: 'wait', 'mend' or 'person'. A 200 whose text is anything but JSON came from a wrong\n"
        "address, as a web page does. A 429 whose text has the word 'quota' means an empty account; any other one\n"
        f"({SPOKEN[seed % len(SPOKEN)]!r}) a busy service."
    ),
    (
        "Begin with what is used: status 200 and JSON. json.loads raises ValueError for what is none.",
        "The text matters twice: for a 200, and for a 429.",
        "What is left at the end is mended, whatever its text says.",
    ),
)
def _calls_for(answer: Callable[[int, str], Any], seed: int) -> list[Tried]:
    return [
        expect(f"calls_for({status}, {text!r})", answer(status, text), word, CALLED[status])
        for status, text, word in _came(seed)
    ]


CALLED = {
    200: "Whether a 200 is used, json.loads decides: it raises ValueError for what is no JSON, and that is 'mend'.",
    400: "A request that is refused is refused again, whatever its text says: 'mend'.",
    404: "Nothing is at this address, and waiting changes nothing: 'mend'.",
    429: "429 has two meanings: 'quota' in its text calls for a person, else the service is only busy.",
    500: "500 or more: the service has the trouble, not the request: 'wait'.",
    503: "500 or more: the service has the trouble, not the request: 'wait'.",
    **dict.fromkeys((401, 402, 403), "A key, money, a permission: somebody has to see to it."),
}

quiz(
    "16.q1",
    "The service refused the second request of a conversation. Why?",
    "The assistant's message had lost a field that the service had sent.",
    (
        ("The question had become too long for the second request.", "the first request held the same question"),
        ("The thoughts were sent back, and this service refuses them.", "other services do; this one wants them back"),
    ),
    why="the loop had rebuilt it from the text and the calls; with the message kept as it came, the same run was "
    "answered",
)
quiz(
    "16.q2",
    "A run costs $0.0021. With a limit of $0.01 it stopped after one request. Why?",
    "Before every call but the first, the longest answer and a last word have to fit in.",
    (
        ("The first request alone had cost more than $0.01.", "it had cost a small part of a cent"),
        ("The list of prices is wrong: the run costs more.", "with room for all of it, it spent just the estimate"),
    ),
    why="so no limit is exceeded, and a stopped run can still answer; here $0.0147 is put aside, more than the limit",
)
quiz(
    "16.q3",
    "You change a tool's description and replay a run with `follow`. The answer is the same. What does that show?",
    "That the agent does the same with the replies of that time.",
    (
        ("That the model answers the same with the new description.", "the model was not asked and has not read it"),
        ("That the new description is as good as the old one.", "a replay never tries it"),
    ),
    why="the replies come out of the journal; `follow` only looks whether the same kinds of calls come in the same "
    "order",
)
