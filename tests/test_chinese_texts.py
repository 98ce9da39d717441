"""Whatever the gate itself says in a Chinese run, to the model, a person or a reader, it says in Chinese."""

from __future__ import annotations

import re
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest
from helpers_control import OFF, Counting, Killed, always, asks, facts, raises, slow
from helpers_guards import open_run

from planexec.chat import ToolCall
from planexec.clock import VirtualClock
from planexec.gate import Ended
from planexec.journal import Journal
from planexec.models.policy.reading import kind_of
from planexec.person import Answer
from planexec.react_loop import react
from planexec.run import Run
from planexec.tools import Tool, found

CYCLE: dict[str, Any] = {}
CYCLE["query"] = CYCLE

REFUSED_CALLS = [
    (ToolCall("1", "nope", {}), "错误：没有名为 'nope' 的工具。可用的工具：look。", "There is no tool named 'nope'."),
    (
        ToolCall("2", "look", None),
        "错误：look 未能运行：参数无法读取",
        "look was not run: its arguments could not be read",
    ),
    (
        ToolCall("3", "look", {}),
        "错误：look 未能运行。参数 query：Field required",
        "look was not run. Argument query: Field",
    ),
    (
        ToolCall("4", "look", CYCLE),
        "错误：look 未能运行：参数无法使用：",
        "look was not run: its arguments cannot be used:",
    ),
]


@pytest.mark.parametrize(("call", "chinese", "english"), REFUSED_CALLS)
def test_a_call_that_cannot_be_made(call: ToolCall, chinese: str, english: str) -> None:
    for lang, words in (("zh", chinese), ("en", english)):
        (seen,) = open_run([facts()], lang=lang).tools([call])
        assert seen.kind == "failed" and seen.text.startswith(words)


def test_the_simulated_model_reads_these_as_failures() -> None:
    for call, *_ in REFUSED_CALLS:
        (seen,) = open_run([facts()], lang="zh").tools([call])
        assert kind_of(seen.text) == "failed", seen.text


@pytest.mark.parametrize(
    ("tool", "chinese"),
    [
        (raises(TimeoutError("10 s"), effect=True), "TimeoutError: 10 s（可能仍已发生）"),
        (slow(9.0, timeout=2.0), "超时：look 在 2 秒后被切断"),
        (slow(9.0, timeout=2.0, effect=True), "超时：look 在 2 秒后被切断"),
        (Counting(lambda query: found("x", {1, 2})).tool(), "错误：工具返回的数据不能写成 JSON: "),
    ],
)
def test_a_call_that_came_to_nothing(tool: Tool, chinese: str) -> None:
    (seen,) = open_run([tool], lang="zh", limits=OFF.with_(max_attempts=1)).tools(asks(("look", {"query": "x"})))
    assert seen.text.startswith(chinese)


def test_a_call_of_which_nobody_knows_whether_it_happened(tmp_path: Path) -> None:
    """The question to a person, and what the model gets when nobody is there."""

    def dies(query: str) -> Any:
        raise Killed

    path, call = tmp_path / "run.db", asks(("mail", {"query": "a"}))
    settings: dict[str, Any] = {"lang": "zh", "clock": VirtualClock()}
    with Journal(path) as journal, pytest.raises(Killed):
        Run("q", tools=[Counting(dies).tool("mail", effect=True)], journal=journal, **settings).tools(call)
    with Journal(path) as journal, pytest.raises(Ended):
        Run("q", tools=[facts("mail", effect=True)], journal=journal, **settings).tools(call)
    (request,) = Journal.read(path).pending()
    assert request["text"].startswith('mail({"query":"a"}) 已经开始') and not re.search(
        "[a-z]{2} [a-z]", request["text"]
    )

    journal = Journal()
    with pytest.raises(Killed):
        Run("q", tools=[Counting(dies).tool("mail", effect=True)], journal=journal, **settings).tools(call)
    (seen,) = Run("q", tools=[facts("mail", effect=True)], journal=journal, **settings).tools(call)
    assert seen.text == "可能之前已经发生；无人知道，也无人可问。"


def test_a_call_that_another_branch_has_made(tmp_path: Path) -> None:
    path, branch, call = tmp_path / "run.db", tmp_path / "other.db", asks(("mail", {"query": "a"}))

    def go(path: Path, *calls: ToolCall) -> None:
        with Journal(path) as journal:
            Run("q", tools=[facts("mail", effect=True)], journal=journal, lang="zh").tools(calls)

    go(path)
    copyfile(path, branch)
    go(path, *call)
    with pytest.raises(Ended):
        go(branch, *call)
    (request,) = Journal.read(branch).pending()
    said = request["text"]
    assert said.startswith("本次运行的另一分支（") and "run.db" in said
    assert said.endswith('已经做过这个调用：mail({"query":"a"})。要再执行一次吗？')


def test_a_guard_that_raised() -> None:
    class Broken:
        scope = "step"

        def start(self) -> Broken:
            return self

        def before(self, call: Any) -> None:
            raise ValueError("x")

        def after(self, call: Any, observation: Any) -> None:
            return None

    for lang, words in (("zh", "守卫 Broken 出错（ValueError: x"), ("en", "the guard Broken raised ValueError: x")):
        result = react("q", always("look", {"query": "x"}), [facts()], guards=[Broken()], lang=lang)
        assert result.stop.reason == "guard_failed" and result.stop.advice.startswith(words)


def test_a_person_who_only_grants() -> None:
    grants = lambda request: Answer("grant", limits={"max_steps": 20})  # noqa: E731
    run = open_run([facts(approve=True)], person=grants, lang="zh")
    (seen,) = run.tools(asks(("look", {"query": "x"})))
    assert seen.text == "[守卫] 未执行：被人拒绝：连续 10 次只放宽上限，没有决定。"


def test_a_result_shows_itself_in_the_language_of_its_run() -> None:
    for lang, seen, other in (
        ("zh", "在 run 停止：max_steps", "Stopped in"),
        ("en", "Stopped in run: max_steps", "停止"),
    ):
        result = react("q", always("look", {"query": "x"}), [facts()], OFF.with_(max_steps=1), guards=(), lang=lang)
        html = result._repr_html_()
        assert seen in html and other not in html
        assert "lang" not in result.to_dict(), "what is printed as JSON keeps its shape"
