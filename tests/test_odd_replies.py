"""What a model of somebody's own may give back: taken where it makes sense, and the run stays one that can go on."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from helpers_control import Counting

from planexec.chat import Reply, ToolCall, Usage, assistant
from planexec.journal import Journal
from planexec.models.scripted import ScriptedModel, says
from planexec.react_loop import react
from planexec.result import CallDone
from planexec.run import Run


class Model:
    """Gives one reply after the other; remembers the options it was asked with."""

    name, price = "own", None

    def __init__(self, *replies: Reply):
        self.replies, self.options = list(replies), []

    def reply(self, messages: Any, **options: Any) -> Reply:
        self.options.append(options)
        return self.replies.pop(0)


def test_no_tool_calls_may_be_none() -> None:
    assert react("q", Model(Reply("hi", None, message=assistant("hi")))).answer == "hi"  # type: ignore[arg-type]


def test_every_option_is_sent_also_one_that_says_nothing() -> None:
    model = Model(Reply("hi", message=assistant("hi")))
    react("q", model)
    assert model.options[0]["thinking"] is None and {"tools", "tool_choice", "max_tokens"} < model.options[0].keys()


@pytest.mark.parametrize("name", [["look"], {"name": "look"}, None, 7])
def test_a_tool_name_that_is_no_text_is_an_unknown_tool_and_the_saved_run_goes_on(tmp_path: Path, name: Any) -> None:
    odd = Reply("", (ToolCall("a", name, {"query": "x"}),), "tool_calls", message=assistant(""))
    for _ in range(2):  # fresh, and replayed
        model = Model(odd, Reply("no such tool", message=assistant("no such tool")))
        with Journal(tmp_path / "run.db") as journal:
            result = react("q", model, [Counting().tool()], journal=journal)
        assert [call.kind for call in result.calls] == ["failed"] and "There is no tool named" in result.calls[0].text


@pytest.mark.parametrize("tokens", [10**400, -1, None, "7", float("nan"), True])
def test_a_bill_that_cannot_be_right_fails_nothing(tokens: Any) -> None:
    bill = Usage(tokens, 1)
    assert react("q", Model(Reply("hi", usage=bill, message=assistant("hi")))).answer == "hi"


def test_what_a_loop_does_to_a_reply_changes_no_later_bill() -> None:
    run = Run("q", model=ScriptedModel(["a", "b"], usage=Usage(1, 2)))
    first = run.model([{"role": "user", "content": "q"}])
    with pytest.raises(AttributeError):
        first.usage.prompt_tokens = 999  # type: ignore[misc]
    run.model([{"role": "user", "content": "q"}])
    assert run.used.prompt_tokens == 2 and says("z").usage == Usage()


def test_a_bill_of_another_type_reaches_the_loop_as_a_bill() -> None:
    odd = SimpleNamespace(prompt_tokens=3, completion_tokens=1, usd=None, seconds=None)
    reply = Run("q", model=Model(Reply("hi", usage=odd, message=assistant("hi")))).model(  # type: ignore[arg-type]
        [{"role": "user", "content": "q"}]
    )
    assert reply.usage == Usage(3, 1)


def test_two_ids_that_are_keys_do_not_become_one_id(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONE_API_KEY", "sk-first-0123")
    monkeypatch.setenv("TWO_API_KEY", "sk-second-456")
    calls = [ToolCall(key, "look", {"query": key[3:6]}) for key in ("sk-first-0123", "sk-second-456")]
    message = assistant("", calls, ['{"query": "a"}', '{"query": "b"}'])
    run = Run("q", model=Model(Reply("", tuple(calls), "tool_calls", message=message)), tools=[Counting().tool()])
    reply = run.model([{"role": "user", "content": "q"}], tools=True)
    ids = [call.id for call in reply.tool_calls]
    assert len(set(ids)) == 2 and "sk-" not in "".join(ids)
    assert [sent["id"] for sent in reply.message["tool_calls"]] == ids


def test_a_call_done_is_a_value_with_names_and_no_tuple() -> None:
    done = CallDone("look", {}, "found", "x")
    assert not isinstance(done, tuple) and hash(Usage(1, 2)) == hash(Usage(1, 2))
