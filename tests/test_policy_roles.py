"""The role follows from the form asked for and the tools offered, a stop rule from its meaning; no prompt is known."""

from __future__ import annotations

import json

import pytest

from planexec import executor, planner, react_loop, replanner, reporter, router
from planexec.chat import system, user
from planexec.models.policy import roles
from planexec.models.policy.reading import read
from planexec.models.policy.roles import role_of, wants_strings
from planexec.models.policy.stopping import StopRules, stop_rules

NO_TOOLS: dict[str, object] = {"task": "T", "date": "2026-11-02"}
PLANNER = {**NO_TOOLS, "tools": [], "max_plan_steps": 8}
STEP = {**NO_TOOLS, "step": {"id": 1, "goal": "G"}, "earlier_results": []}

ROUTERS = [
    'Decide how to work on it. Reply with {"route": "direct" | "chain" | "parallel", "parts": [...]}.',
    "Is the question direct, a chain, or parallel? Give one JSON object with the keys route and parts.",
    "Say whether one reply settles it (direct), later steps need earlier ones (chain), or it splits (parallel).",
    '判断该怎么处理，只返回 {"route": ..., "parts": [...]}。',
    "属于 direct、chain 还是 parallel？用一个 JSON 对象回答。",
    "一步能答为 direct，步步相扣为 chain，互不相干为 parallel。",
]
PLANNERS = [
    "Break the task into three to five subtasks and answer with a JSON array of strings.",
    "You are a planner. Output a JSON list of steps, nothing else.",
    "Divide the work into ordered steps; return only a JSON array.",
    "把任务拆成三到五个步骤，只输出 JSON 数组。",
    "你是规划助手，请把问题分解成子任务，返回字符串数组。",
    "只回复一个 JSON 数组，列出完成任务的步骤。",
]


@pytest.mark.parametrize("prompt", ROUTERS)
def test_a_router_is_known_by_the_object_it_asks_for(prompt: str) -> None:
    assert role_of(read([system(prompt), user(json.dumps(NO_TOOLS))]), False) == roles.ROUTE
    assert role_of(read([system(prompt), user("Which sectors benefit?")]), False) == roles.ROUTE


@pytest.mark.parametrize("prompt", PLANNERS)
def test_a_planner_is_known_by_the_array_it_asks_for(prompt: str) -> None:
    assert role_of(read([system(prompt), user("Which sectors benefit?")]), False) == roles.PLAN
    assert role_of(read([system(prompt), user(json.dumps(PLANNER))]), False) == roles.PLAN


@pytest.mark.parametrize("prompt", ["", "Do it.", "照办。", *PLANNERS, *ROUTERS])
@pytest.mark.parametrize(
    ("data", "role"),
    [
        (PLANNER, roles.PLAN),
        (STEP, roles.EXECUTE),
        ({**NO_TOOLS, "results": []}, roles.REPORT),
        ({**NO_TOOLS, "done": [], "remaining": [], "max_plan_steps": 8}, roles.REPLAN),
    ],
)
def test_the_data_decide_whatever_the_prompt_says(prompt: str, data: dict[str, object], role: str) -> None:
    assert role_of(read([system(prompt), user(json.dumps(data))]), False) == role


def test_tools_and_a_question_are_react_and_neither_is_talk() -> None:
    assert role_of(read([system("Help the user."), user("Which sectors benefit?")]), True) == roles.REACT
    assert role_of(read([user("Hello")]), False) == roles.CHAT


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_our_own_prompts_lead_to_their_roles(lang: str) -> None:
    def role(prompt: str, data: dict[str, object], tools: bool = False) -> str:
        return role_of(read([system(prompt), user(json.dumps(data))]), tools)

    assert role(router.PROMPT[lang], NO_TOOLS) == roles.ROUTE
    assert role(planner.PROMPT[lang], PLANNER) == roles.PLAN
    assert role(executor.PROMPT[lang], STEP, True) == roles.EXECUTE
    assert role(reporter.PROMPT[lang], {**NO_TOOLS, "results": []}) == roles.REPORT
    assert role(replanner.PROMPT[lang], {**NO_TOOLS, "done": [], "remaining": []}) == roles.REPLAN


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_our_own_prompts_set_no_stop_rule_by_accident(lang: str) -> None:
    assert stop_rules(executor.PROMPT[lang]) == StopRules()
    assert stop_rules(react_loop.PROMPT[lang]) == StopRules()


def test_strings_are_sent_only_where_nothing_but_strings_is_asked_for() -> None:
    assert wants_strings("Answer with a JSON array of strings.") and wants_strings("只输出字符串数组")
    assert not wants_strings('A JSON array of strings, or objects with "tool" and "args".')
    assert not wants_strings("Answer with a JSON array.")


@pytest.mark.parametrize(
    ("prompt", "empty"),
    [
        ("If a search finds nothing twice, stop.", 2),
        ("Not found twice: stop.", 2),
        ("When two searches in a row come back empty, give up and say so.", 2),
        ("After two unsuccessful look-ups do not search any more.", 2),
        ("Did nothing turn up? Twice is the limit. Nothing found twice? Then quit.", 2),
        ("A query without a result may be repeated once; no results a second time means: move on.", 2),
        ("If nothing is found, stop.", 1),
        ("If three searches return no results, stop searching.", 3),
        ("If nothing is found, give up after two rewordings.", 3),
        ("查不到两次就停止。", 2),
        ("连续两次没有结果，就不要再搜了。", 2),
        ("同一内容两次未找到即放弃，并如实说明。", 2),
        ("若检索落空两回，到此为止。", 2),
        ("搜索无果就停下。", 1),
        ("查不到时，最多改写两次，然后放弃。", 3),
    ],
)
def test_a_stop_rule_is_understood_by_its_meaning(prompt: str, empty: int) -> None:
    assert stop_rules("You help. " + prompt).empty == empty


@pytest.mark.parametrize(
    "prompt",
    [
        "Say plainly what could not be found.",
        "Stop as soon as you have what the goal asks for.",
        "If nothing is found, reword the query and try again.",
        "查不到的要明说，绝不编造。",
        "查到目标所需的内容就停止。",
        "Answer when you have enough. Do not invent anything.",
    ],
)
def test_what_is_no_rule_about_empty_results_is_not_taken_for_one(prompt: str) -> None:
    assert stop_rules(prompt) == StopRules()


@pytest.mark.parametrize(
    ("prompt", "calls"),
    [("Use at most 2 searches.", 2), ("Make no more than three tool calls.", 3), ("最多搜索两次。", 2)],
)
def test_a_ceiling_on_calls_is_a_rule_too(prompt: str, calls: int) -> None:
    assert stop_rules(prompt) == StopRules(0, calls)
