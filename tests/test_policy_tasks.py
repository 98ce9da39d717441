"""A question is understood as the needs it calls for, with its own figures and names, in any order of words."""

from __future__ import annotations

import pytest

from planexec.models.policy.knowledge import known_worlds
from planexec.models.policy.tasks import Task, scope_of, split_names, task_of
from planexec.worlds import finance, research

WORLDS = known_worlds(("finance", "research"))
ALLOCATION = ["market_value", "inflow", "sectors", "amounts", "stocks"]


def known(question: str) -> Task:
    task = task_of(question, WORLDS)
    assert task is not None, question
    return task


def needs(question: str) -> list[str]:
    return [wanted.need.id for wanted in known(question).wanted]


@pytest.mark.parametrize(
    ("question", "given"),
    [
        (finance.QUESTIONS["zh"]["allocation"], ("8000亿", "25%", "100万")),
        (finance.QUESTIONS["en"]["allocation"], ("800bn", "25%", "1000000")),
        ("降准释放6000亿，30%流入股市1800亿，怎么配置50万账户", ("6000亿", "30%", "50万")),
        ("A cut frees 600 bn yuan, 30 percent of it goes into stocks. How do I allocate 500,000?",
         ("600bn", "30%", "500000")),
        ("I have 500k yuan. How should I invest it if 30% of the 600 bn a reserve cut releases flow into stocks?",
         ("600bn", "30%", "500k")),
        ("手里有80万，央行降准释放1.2万亿，其中20%流入股市，如何配置？", ("1.2万亿", "20%", "80万")),
        ("降准八千亿，两成流入股市，我有一百万怎么分配", ("8000亿", "2成", "100万")),
        ("Allocate a 2 million yuan account after a 1.2 trillion RRR cut, 20% of which goes to stocks.",
         ("1.2trillion", "20%", "2million")),
    ],
)  # fmt: skip
def test_the_allocation_question_gives_three_figures_in_any_wording(question: str, given: tuple[str, ...]) -> None:
    task = known(question)
    assert needs(question) == ALLOCATION
    assert tuple(task.given[name] for name in ("released", "share", "account")) == given


def test_without_an_account_or_an_inflow_what_needs_them_is_not_wanted() -> None:
    assert needs("How should an account be allocated after a reserve-requirement cut?") == [
        "market_value",
        "sectors",
        "stocks",
    ]


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("降准利好哪些板块", ["sectors"]),
        ("Which sectors benefit from a reserve-requirement cut?", ["sectors"]),
        ("2000亿分给银行地产各多少 龙头股", ["shares", "split", "stocks", "stocks"]),
        (finance.QUESTIONS["en"]["split"], ["shares", "split", "stocks", "stocks"]),
        ("What is the total market value of the A-share market?", ["market_value"]),
        ("What is a reserve-requirement cut?", ["cut"]),
        ("What are the prices of the stocks Zig, Zag and Zog?", ["quote", "quote", "quote"]),
        (research.QUESTIONS["en"]["survey"], ["energy", "chemistry", "makers", "charging", "safety"]),
        (research.QUESTIONS["zh"]["survey"], ["energy", "chemistry", "makers", "charging", "safety"]),
        ("How safe are EV batteries, and what do the standards say?", ["safety"]),
        ("How would 300bn be split between brokers and consumer?", ["shares", "split"]),
        ("If the central bank releases 800bn and 25% flows into stocks, how much is that?", ["inflow"]),
        ("Which sectors benefit from a cut and what are their leading stocks?", ["sectors", "stocks"]),
        ("银行龙头股有哪些", ["stocks"]),
        ("What is the price of Zig Bank?", ["quote"]),
        ("Write a report on solid-state batteries", ["chemistry"]),
    ],
)
def test_a_question_calls_for_what_it_asks(question: str, wanted: list[str]) -> None:
    assert needs(question) == wanted


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of France?",
        "Plan a wedding for 120 guests.",
        "How should I allocate my time?",
        "今天晚饭吃什么",
        "写一首诗",
        "",
    ],
)
def test_other_questions_are_not_known(question: str) -> None:
    assert task_of(question, WORLDS) is None


def test_names_come_from_the_question() -> None:
    assert known("2000亿分给花园渡轮各多少 龙头股").names == ("花园", "渡轮")
    assert known("How much of 3 bn goes to gardens, ferries and kites each? Yuan.").names == (
        "gardens",
        "ferries",
        "kites",
    )


def test_chinese_names_without_separators_are_read_two_characters_at_a_time() -> None:
    assert split_names("银行地产", pairs=True) == ("银行", "地产")
    assert split_names("长松银行") == ("长松银行",)
    assert split_names("the banks and property sectors") == ("banks", "property")


def test_what_waits_for_what() -> None:
    task = known(finance.QUESTIONS["en"]["allocation"])
    waits = {each.need.id: [before.need.id for before in task.waits(each)] for each in task.wanted}
    assert waits == {"market_value": [], "inflow": [], "sectors": [], "amounts": ["sectors"], "stocks": ["sectors"]}


def test_goals_are_in_the_questions_language_with_its_figures_as_written() -> None:
    goals = [each.goal for each in known(finance.QUESTIONS["en"]["allocation"]).wanted]
    assert any("1,000,000" in goal for goal in goals) and any("800 bn" in goal for goal in goals)
    assert all("\u4e00" <= goal[0] <= "\u9fff" for goal in (w.goal for w in known("降准利好哪些板块").wanted))


def test_a_steps_goal_is_matched_by_its_words() -> None:
    task = known(finance.QUESTIONS["en"]["allocation"])

    def scope(goal: str) -> list[str]:
        return [each.need.id for each in scope_of(task, goal, task.question)]

    assert scope("Look up the market value of all A-shares") == ["market_value"]
    assert scope("Search for the leading stocks") == ["stocks"]
    assert scope(f"{task.wanted[0].goal}; {task.wanted[1].goal}") == ["market_value", "inflow"]
    assert scope(task.question) == ALLOCATION
    assert scope("Bake a cake") == []
