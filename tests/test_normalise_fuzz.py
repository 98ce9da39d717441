"""Whatever comes over the wire: a reply that keeps its promises, or a `ServiceError`. Never another exception."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from planexec.chat import Message, Reply, ServiceError, tool_message, user
from planexec.models.arguments import read_arguments
from planexec.models.markup import calls_apart, thoughts_apart
from planexec.models.normalise import counts, normalise, read_body
from planexec.models.profiles import named, names
from planexec.models.request import build
from planexec.models.service_errors import complaint, without_key
from planexec.models.stream import Assembly, events

PIECES = st.sampled_from(
    ["<think>", "</think>", "<tool_call>", "</tool_call>", '<｜DSML｜invoke name="f">', "</｜DSML｜invoke>", "`", "<"]
    + ['<｜DSML｜parameter name="q" string="false">', "</｜DSML｜parameter>", "<arg_key>q</arg_key>", "<|im_end|>", "f"]
    + [
        "<arg_value>1</arg_value>",
        '{"name": "f", "arguments": {"q": 1}}',
        "<function=f>",
        "data: ",
        "\n",
        "雨",
        "\ud83c",
    ]
)
TEXTS = st.one_of(st.text(max_size=20), st.lists(PIECES, max_size=8).map("".join))
ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=6,
)
FINISH = st.one_of(ANYTHING, st.sampled_from(["stop", "tool_calls", "length", "content_filter", "error"]))


def as_event(each: Any) -> str:
    return each if isinstance(each, str) else f"data: {json.dumps(each)}\n\n"


def any_of(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A dict with some of these fields, or anything else."""
    return st.one_of(st.fixed_dictionaries({}, optional=fields), ANYTHING)


CALLS = st.lists(any_of(id=ANYTHING, function=any_of(name=TEXTS, arguments=ANYTHING), index=ANYTHING), max_size=3)
MESSAGE = any_of(
    content=st.one_of(TEXTS, ANYTHING), tool_calls=st.one_of(CALLS, ANYTHING), reasoning_content=ANYTHING, refusal=TEXTS
)
BODY = any_of(
    choices=st.lists(any_of(message=MESSAGE, delta=MESSAGE, finish_reason=FINISH, error=ANYTHING), max_size=2),
    usage=any_of(prompt_tokens=ANYTHING, completion_tokens=ANYTHING, prompt_tokens_details=ANYTHING),
    error=ANYTHING,
    message=MESSAGE,
    data=ANYTHING,
    model=ANYTHING,
)
CHUNKS = st.fixed_dictionaries(
    {"choices": st.lists(st.fixed_dictionaries({"delta": MESSAGE}, optional={"finish_reason": FINISH}), max_size=1)}
)


def keeps_its_promises(reply: Reply, before: list[Message]) -> None:
    ids = [call.id for call in reply.tool_calls]
    assert all(ids) and len(set(ids)) == len(ids)
    assert ids == [call["id"] for call in reply.message.get("tool_calls") or ()]
    assert all((call.args is None) == bool(call.error) and call.name for call in reply.tool_calls)
    assert not reply.complete or reply.text.strip() or reply.tool_calls
    assert calls_apart(reply.text)[1] == [] and reply.message["role"] == "assistant"
    json.dumps(reply.to_dict(), allow_nan=False, ensure_ascii=False).encode()
    conversation = [*before, reply.message, *(tool_message(call, "ok") for call in reply.tool_calls)]
    for name in names():
        json.dumps(build(named(name), "m", conversation, thinking=False), ensure_ascii=False).encode()


@settings(max_examples=400, deadline=None)
@given(BODY)
def test_any_body(body: Any) -> None:
    before = [user("Will it rain?")]
    try:
        reply = normalise(body, before)
    except ServiceError as problem:
        assert str(problem) and problem.kind in ("transient", "permanent", "person")
    else:
        keeps_its_promises(reply, before)
    counted = counts(body)
    assert min(counted.prompt, counted.cached, counted.completion) >= 0


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(CHUNKS, CHUNKS, BODY, TEXTS).map(as_event), max_size=6))
def test_any_stream(pieces: list[str]) -> None:
    assembly = Assembly()
    try:
        for event in events(piece.encode("utf-8", "replace") for piece in pieces):
            assembly.take(event)
        keeps_its_promises(normalise(assembly.body()), [])
    except ServiceError as problem:
        assert str(problem)


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.booleans())
def test_any_text_and_any_arguments(text: str, cut: bool) -> None:
    assert all(isinstance(each, str) for each in thoughts_apart(text))
    clean, found = calls_apart(text, cut)
    assert calls_apart(clean)[1] == [] and all((call.args is None) == bool(call.error) for call in found)
    args, error = read_arguments(text, cut)
    assert (args is None) == bool(error)
    assert isinstance(without_key(text, "sk-0a1b2c3d4e5f"), str)


@given(ANYTHING)
def test_any_error_body(body: Any) -> None:
    said = complaint(body)
    assert said is None or (said.words and isinstance(said.code, str))


def test_deep_and_huge_bodies_are_bounded() -> None:
    deep = '{"choices": [{"message": {"content": "x", "odd": ' + "[" * 100_000 + "]" * 100_000 + "}}]}"
    for text in (deep, "[" * 200_000, '{"choices": ' * 50_000, "9" * 10_000):
        try:
            normalise(read_body(text))
        except ServiceError as problem:
            assert len(str(problem)) < 700
        else:
            raise AssertionError("this is no answer")
    nested = '{"q": ' + "[" * 100_000
    assert read_arguments(nested) == (None, "The arguments are nested too deeply to be read.")
    for many in (
        " ",
        "a",
        "<",
        "< ",
        "\n<",
        "雨",
        "<｜",
        "</think>",
        "`<think>`",
        "<arg_key>",
        "<parameter=x>",
        "<|a|>",
    ):
        text, _ = thoughts_apart(many * 50_000)
        assert len(calls_apart(text)[0]) <= 50_000 * len(many)
    long_text = "<tool_call>" * 20_000 + '<｜DSML｜invoke name="f">' * 20_000 + "<think>" * 20_000
    assert calls_apart(thoughts_apart(long_text)[0])[0] == ""
