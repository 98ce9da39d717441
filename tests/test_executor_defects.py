"""Defects of the articles' executor and prompts, each by its number, and what is right here.

31, 32, 37, 38, 42, 44 and 54.
"""

import importlib

import pytest

from planexec import Limits, PlanExecuteAgent, react, tool
from planexec.models.scripted import ScriptedModel, calls, says
from planexec.trials.figures import untraced_links

ROLES = ("react_loop", "planner", "executor", "replanner", "reporter", "router")


@tool
def look(query: str) -> str:
    """Look something up.

    Args:
        query: what to look for
    """
    return f"fact about {query}"


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("role", ROLES)
def test_defect_31_every_prompt_says_what_day_it_is(role, lang):
    assert "{date}" in importlib.import_module(f"planexec.{role}").PROMPT[lang]


def test_defect_37_another_tools_name_never_runs_this_one():
    ran = []

    @tool
    def web_search(query: str) -> str:
        """Search.

        Args:
            query: what to look for
        """
        ran.append(query)
        return "found"

    model = ScriptedModel([calls(("send_email", {"query": "x"})), says("no such tool")])
    result = react("q", model, [web_search])
    assert ran == [] and result.calls[0].kind == "failed" and "web_search" in result.calls[0].text


def test_defect_38_twelve_calls_in_one_reply_stay_within_the_limit_and_each_is_answered():
    model = ScriptedModel([calls(*[("look", {"query": str(n)}) for n in range(12)]), says("enough")])
    result = react("q", model, [look], Limits(max_tool_calls=5))
    kinds = [call.kind for call in result.calls]
    assert kinds == ["found"] * 5 + ["refused"] * 7 and result.usage.tool_calls == 5
    answered = [m["tool_call_id"] for m in model.requests[-1]["messages"] if m["role"] == "tool"]
    asked = [c["id"] for m in model.requests[-1]["messages"] for c in m.get("tool_calls") or ()]
    assert answered == asked and len(asked) == 12


def planned(executor, steps, **settings):
    """An agent whose plan is `steps` and whose other roles answer plainly."""

    def reply(messages, tools):
        text = messages[0]["content"]
        if "router" in text or '"route"' in text:
            return '{"route": "chain"}'
        if '"remaining"' in messages[-1]["content"]:
            import json

            return json.dumps(json.loads(messages[-1]["content"])["remaining"])
        if '"max_plan_steps"' in messages[1]["content"]:
            return steps
        if '"results"' in messages[1]["content"]:
            return "the report"
        return executor(messages)

    return PlanExecuteAgent(ScriptedModel(reply), settings.pop("tools", [look]), loop="plan", **settings).run("q")


def test_defect_42_rounds_that_ran_out_are_visible_in_the_result():
    def endless(messages):
        if messages[-1]["role"] == "user" and len(messages) > 2:
            return "summed up"
        return [("look", {"query": str(len(messages))})]

    step = planned(endless, '["one side"]').steps[0]
    assert step.stop is not None and step.stop.reason == "per_step.max_steps" and step.answer == "summed up"


def test_defect_44_an_exception_in_step_three_keeps_steps_one_and_two():
    @tool
    def careful(query: str) -> str:
        """Look, or break.

        Args:
            query: what to look for
        """
        if query == "c":
            raise RuntimeError("broken")
        return f"fact {query}"

    steps = (
        '[{"id": 1, "goal": "a", "tool": "careful", "args": {"query": "a"}}, '
        '{"id": 2, "goal": "b", "tool": "careful", "args": {"query": "b"}}, '
        '{"id": 3, "goal": "c", "tool": "careful", "args": {"query": "c"}}]'
    )
    result = planned(lambda messages: "it is broken", steps, tools=[careful])
    assert [step.status for step in result.steps][:2] == ["done", "done"]
    assert "fact a" in result.steps[0].answer and result.steps[2].status == "failed" and not result.complete


def test_defect_54_a_cited_address_that_no_result_holds_is_caught():
    sources = ["1. A page\nSource, 2026-10-02, https://a.example/one", "https://a.example/two."]
    answer = "See https://a.example/one, https://a.example/two and https://a.example/three."
    assert untraced_links(answer, sources) == ["https://a.example/three"]
    assert untraced_links("no link at all", sources) == []


PROMISES = ("guaranteed", "bulletproof", "foolproof", "never fails", "always works", "100 % reliable", "100% reliable")


def test_defect_32_no_page_of_ours_promises_what_no_test_can_show():
    from pathlib import Path

    root = Path(__file__).resolve().parents[1]
    pages = [root / "README.md", *sorted((root / "docs").glob("*.md")), *sorted((root / "notebooks").glob("*.ipynb"))]
    for page in pages:
        text = page.read_text(encoding="utf-8").lower()
        assert [promise for promise in PROMISES if promise in text] == [], page.name
        assert "万无一失" not in text and "绝对可靠" not in text
