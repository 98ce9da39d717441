"""The simulated model under the real agent: the figures of the articles, in both languages."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import pytest
from policy_loop import PLAN, plan_message

from planexec.agent import PlanExecuteAgent
from planexec.chat import system
from planexec.limits import Limits
from planexec.models.simulated import SimulatedModel
from planexec.paths import data_path
from planexec.result import Result
from planexec.worlds import finance, research

LANGUAGES = ("en", "zh")
TOOLS = {lang: finance.tools(lang) for lang in LANGUAGES}
WEB = {lang: research.tools(lang) for lang in LANGUAGES}
ASK = finance.QUESTIONS
SURVEY = {lang: research.QUESTIONS[lang]["survey"] for lang in LANGUAGES}
KNOWLEDGE = json.loads(data_path("finance", "knowledge.json").read_text(encoding="utf-8"))


def ask(question: str, lang: str = "en", knowledge: Any = None, preset: str = "articles", **settings: Any) -> Result:
    dials = {name: settings.pop(name) for name in ("seed", "drift", "greed", "heed") if name in settings}
    settings.setdefault("limits", Limits(max_steps=8))
    tools = finance.tools(lang, knowledge) if "tools" not in settings else settings.pop("tools")
    return PlanExecuteAgent(SimulatedModel(preset, **dials), tools, lang=lang, date=finance.DATE, **settings).run(
        question
    )


def money(text: str) -> list[str]:
    """The plain figures before the unit below the headline, in order."""
    return re.findall(r"([\d,]{5,}) ?(?:yuan|元)", text.partition("\n")[2])


@pytest.mark.parametrize("lang", LANGUAGES)
def test_with_eight_steps_the_allocation_is_complete(lang: str) -> None:
    result = ask(ASK[lang]["allocation"], lang)
    assert result.complete and result.usage.steps == 7
    assert money(result.answer)[:5] == ["250,000", "200,000", "150,000", "300,000", "100,000"]
    assert "200,000,000,000" in result.answer
    assert [call.tool for call in result.calls].count("calculate") == 2


@pytest.mark.parametrize("lang", LANGUAGES)
def test_with_three_steps_three_searches_go_to_the_total_market_value(lang: str) -> None:
    result = ask(ASK[lang]["allocation"], lang, limits=Limits(max_steps=3))
    assert not result.complete and [call.kind for call in result.calls] == ["empty"] * 3
    assert result.stop is not None and result.stop.reason == "max_steps"
    assert "250,000" not in result.answer
    assert ("could not be found" if lang == "en" else "查不到") in result.answer


@pytest.mark.parametrize(
    ("question", "lang"),
    [
        ("A reserve-requirement cut releases 600 bn yuan; 30% (180 bn) flows into stocks. "
         "How should a 500,000-yuan account be allocated?", "en"),
        ("降准释放6000亿，30%流入股市1800亿，怎么配置50万账户", "zh"),
    ],
)  # fmt: skip
def test_other_numbers_give_other_amounts(question: str, lang: str) -> None:
    result = ask(question, lang)
    assert money(result.answer)[:5] == ["125,000", "100,000", "75,000", "150,000", "50,000"]
    assert "180,000,000,000" in result.answer


def changed(**renamed: str) -> Any:
    """The knowledge base with words replaced everywhere."""
    text = json.dumps(KNOWLEDGE, ensure_ascii=False)
    for old, new in renamed.items():
        text = re.sub(rf"\b{old}\b" if old.isascii() else old, new, text)
    return json.loads(text)


def test_other_names_and_weights_give_another_answer() -> None:
    knowledge = changed(banks="gardens", property="ferries", brokers="kites", consumer="quarries", Everpine="Zorbax")
    next(e for e in knowledge["entries"] if e["id"] == "cut-sectors")["tables"]["weights"]["en"] = {
        "gardens": "10%", "ferries": "20%", "kites": "30%", "quarries": "35%", "spare": "5%"
    }  # fmt: skip
    lines = ask(ASK["en"]["allocation"], knowledge=knowledge).answer.splitlines()
    assert [line.split(" yuan")[0] for line in lines[1:6]] == [
        "Gardens: 100,000", "Ferries: 200,000", "Kites: 300,000", "Quarries: 350,000", "Spare: 50,000",
    ]  # fmt: skip
    assert "Zorbax Bank" in lines[1]


@pytest.mark.parametrize(
    ("lang", "gone", "words"), [("en", "property", "could not be found"), ("zh", "地产", "查不到")]
)
def test_a_sector_that_is_gone_is_said_to_be_missing(lang: str, gone: str, words: str) -> None:
    knowledge = copy.deepcopy(KNOWLEDGE)
    for entry in knowledge["entries"]:
        for table in entry.get("tables", {}).values():
            for name in ("property", "地产"):
                for said in table.values():
                    said.pop(name, None) if isinstance(said, dict) else name in said and said.remove(name)
    allocation = ask(ASK[lang]["allocation"], lang, knowledge).answer
    assert ("do not add up" if lang == "en" else "不是整个账户") in allocation
    split = ask(ASK[lang]["split"], lang, knowledge).answer
    assert any(words in line and gone in line for line in split.splitlines())


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_split_is_four_steps_and_follows_the_shares(lang: str) -> None:
    result = ask(ASK[lang]["split"], lang)
    assert result.complete and len(result.calls) == 4
    assert "80,000,000,000" in result.answer and "50,000,000,000" in result.answer
    knowledge = copy.deepcopy(KNOWLEDGE)
    shares = next(e for e in knowledge["entries"] if "shares" in e.get("tables", {}))["tables"]["shares"]
    shares["en"]["banks"] = shares["zh"]["银行"] = "30%"
    assert "60,000,000,000" in ask(ASK[lang]["split"], lang, knowledge).answer


@pytest.mark.parametrize("lang", LANGUAGES)
def test_one_search_when_routed_and_four_when_forced_through_react(lang: str) -> None:
    routed, forced = ask(ASK[lang]["sectors"], lang), ask(ASK[lang]["sectors"], lang, loop="react", guards=())
    assert (routed.route, len(routed.calls), len(forced.calls)) == ("direct", 1, 4)
    assert "25%" in routed.answer and "25%" in forced.answer


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_survey_drifts_without_a_plan_and_not_with_one(lang: str) -> None:
    settings: dict[str, Any] = {"lang": lang, "tools": WEB[lang], "limits": Limits(max_steps=12, max_tool_calls=6)}
    drifting = ask(SURVEY[lang], loop="react", **settings)
    steady = ask(SURVEY[lang], loop="react", drift=0.0, **settings)
    planned = ask(SURVEY[lang], loop="plan", **settings)
    chapters = [run.answer.count("## ") for run in (drifting, steady, planned)]
    assert chapters[0] <= 2 and chapters[1] >= 4 and chapters[2] == 5
    queries = [str(call.args) for call in drifting.calls]
    assert sum("solid-state" in query or "固态" in query for query in queries) >= 3


def test_every_seed_of_articles_succeeds_with_eight_steps_and_none_with_three() -> None:
    done = [ask(ASK["en"]["allocation"], seed=seed) for seed in range(20)]
    assert sum(result.complete and "250,000" in result.answer for result in done) >= 19
    short = [ask(ASK["en"]["allocation"], seed=seed, limits=Limits(max_steps=3)) for seed in range(20)]
    assert not any(result.complete for result in short)


def test_planning_asks_for_what_the_tools_say_they_carry() -> None:
    reply = SimulatedModel("careful").reply([system(PLAN), plan_message(ASK["en"]["allocation"], TOOLS["en"])])
    assert '"$3.weights"' in reply.text


@pytest.mark.parametrize("loop", ["auto", "plan", "react"])
@pytest.mark.parametrize(
    ("question", "lang"),
    [
        ("What is the quote of EPB? And what is a cut?", "en"),
        ("And the quotes?", "en"),
        ("The leading stocks, please.", "en"),
        ("帮我看看股价", "zh"),
        ("龙头股有哪些？", "zh"),
    ],
)
def test_no_blank_of_a_wording_is_left_open(question: str, lang: str, loop: str) -> None:
    """A question may name nobody, or name somebody in its middle; the model asks in words all the same."""
    result = ask(question, lang, loop=loop)
    assert result.calls
    said = [result.answer, *result.plan, *(str(call.args) for call in result.calls)]
    assert not [text for text in said if re.search(r"\{[a-z]", text)]


def test_a_name_in_the_middle_of_the_question_is_found() -> None:
    result = ask("What is the quote of EPB? And what is a cut?")
    assert "6.42" in result.answer
