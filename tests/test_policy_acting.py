"""What the model does next, in a step and in ReAct: each dial moves its own measure, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from policy_loop import REACT, STEP, Done, plan_execute, react, step_message, work

from planexec.chat import system
from planexec.models.simulated import SimulatedModel
from planexec.tools import Tool, failed, found, tool
from planexec.worlds import finance, research

LANGUAGES = ("en", "zh")
FINANCE = {lang: finance.tools(lang) for lang in LANGUAGES}
RESEARCH = {lang: research.tools(lang) for lang in LANGUAGES}
ASK = finance.QUESTIONS
SURVEY = {lang: research.QUESTIONS[lang]["survey"] for lang in LANGUAGES}
TWICE = {"en": " If a search finds nothing twice, stop searching.", "zh": "查不到两次就停止搜索。"}
SEEDS = range(40)


def empties(done: Done) -> int:
    return done.kinds.count("empty")


# ------------------------------------------------------------------------------------------------ a step


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_careful_step_searches_once_and_reports_what_it_found(lang: str) -> None:
    goal = "Find which sectors benefit from the cut" if lang == "en" else "查哪些板块受益于降准"
    done = work(SimulatedModel("careful"), [system(STEP), step_message(ASK[lang]["allocation"], goal)], FINANCE[lang])
    assert done.kinds == ["found"]
    assert "25%" in done.answer and "2026-10-12" in done.answer


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_careful_step_that_finds_nothing_says_so(lang: str) -> None:
    goal = "Find the total market value of the A-share market" if lang == "en" else "查A股市场的总市值"
    done = work(SimulatedModel("careful"), [system(STEP), step_message(ASK[lang]["allocation"], goal)], FINANCE[lang])
    assert done.kinds == ["empty"]
    assert ("could not be found" if lang == "en" else "查不到") in done.answer


def test_a_step_calculates_from_the_question_and_from_earlier_results() -> None:
    earlier = [
        {"id": 1, "goal": "Find the share of past inflows", "status": "done", "result": "- zig: 30%\n- zag: 20%"}
    ]
    question = "How much of the 300 bn yuan goes to zig and zag each?"
    messages = [system(STEP), step_message(question, "Split the inflow", earlier)]
    done = work(SimulatedModel("careful"), messages, FINANCE["en"])
    assert done.calls == [("calculate", {"expression": "300bn * x", "each": {"zig": "30%", "zag": "20%"}}, "found")]
    assert "90 bn" in done.answer and "60 bn" in done.answer


def test_without_the_numbers_it_waits_for_a_step_does_not_guess() -> None:
    messages = [system(STEP), step_message(ASK["en"]["allocation"], "Work out the amount for each sector")]
    done = work(SimulatedModel("careful"), messages, FINANCE["en"])
    assert done.calls == [] and "could not be found" in done.answer


def test_a_goal_that_is_no_known_need_is_searched_for_in_its_own_words() -> None:
    messages = [system(STEP), step_message(ASK["en"]["allocation"], "why banks gain")]
    done = work(SimulatedModel("careful"), messages, FINANCE["en"])
    assert done.queries == ["why banks gain"]


def test_what_was_found_but_holds_something_else_is_not_taken_for_the_answer() -> None:
    @tool(description="Search a knowledge base.")
    def search(query: str) -> Any:
        return found("[2026-01-01] Weather\nIt rained.")

    messages = [system(STEP), step_message(ASK["en"]["allocation"], "Find which sectors benefit")]
    done = work(SimulatedModel("careful"), messages, [search])
    assert "could not be found" in done.answer and "rained" not in done.answer


# ---------------------------------------------------------------------------------------------- nothing found


@pytest.mark.parametrize("lang", LANGUAGES)
def test_articles_searches_five_times_for_what_is_not_there_and_twice_when_the_prompt_says_so(lang: str) -> None:
    model, question, tools = SimulatedModel("articles"), ASK[lang]["allocation"], FINANCE[lang]
    assert empties(plan_execute(model, question, tools)) == 5
    assert empties(plan_execute(model, question, tools, STEP + TWICE[lang])) == 2


def test_each_search_after_nothing_has_other_words() -> None:
    done = plan_execute(SimulatedModel("articles"), ASK["zh"]["allocation"], FINANCE["zh"])
    searched = [args["query"] for _, args, kind in done.calls if kind == "empty"]
    assert len(set(searched)) == 5


def market_step(**dials: float) -> list[Done]:
    goal = "Find the total market value of the A-share market"
    return [
        work(SimulatedModel("careful", seed=seed, **dials), [system(STEP), step_message(ASK["en"]["allocation"], goal)],
             FINANCE["en"], turns=8)
        for seed in SEEDS
    ]  # fmt: skip


def test_stubborn_moves_the_number_of_empty_searches() -> None:
    counts = [sum(map(empties, market_step(stubborn=value))) for value in (0.0, 0.3, 0.7, 1.0)]
    assert counts == sorted(counts) and counts[0] == len(SEEDS) and counts[-1] == 5 * len(SEEDS)


def test_amnesia_moves_the_number_of_identical_calls() -> None:
    def repeats(done: Done) -> int:
        return len(done.queries) - len(set(done.queries))

    counts = [sum(map(repeats, market_step(amnesia=value))) for value in (0.0, 0.3, 0.7, 1.0)]
    assert counts == sorted(counts) and counts[0] == 0 and counts[-1] == 7 * len(SEEDS)


def test_heed_decides_whether_a_rule_in_the_prompt_is_obeyed() -> None:
    def searched(heed: float) -> int:
        goal = "Find the total market value of the A-share market"
        model = [SimulatedModel("careful", seed=seed, stubborn=1.0, heed=heed) for seed in SEEDS]
        prompt = [system(STEP + TWICE["en"]), step_message(ASK["en"]["allocation"], goal)]
        return sum(empties(work(each, list(prompt), FINANCE["en"])) for each in model)

    counts = [searched(value) for value in (0.0, 0.4, 1.0)]
    assert counts == sorted(counts, reverse=True) and counts[0] == 5 * len(SEEDS) and counts[-1] == 2 * len(SEEDS)


# ------------------------------------------------------------------------------------------------ greed


@pytest.mark.parametrize("lang", LANGUAGES)
def test_articles_makes_four_searches_where_one_would_do_and_the_prompt_line_does_not_help(lang: str) -> None:
    question, tools = ASK[lang]["sectors"], FINANCE[lang]
    assert len(react(SimulatedModel("articles"), question, tools).calls) == 4
    assert len(react(SimulatedModel("articles"), question, tools, prompt=REACT + TWICE[lang]).calls) == 4
    assert len(react(SimulatedModel("careful"), question, tools).calls) == 1


def test_greed_moves_the_number_of_calls_after_the_answer() -> None:
    def calls(greed: float) -> int:
        return sum(
            len(react(SimulatedModel("careful", seed=s, greed=greed), ASK["en"]["sectors"], FINANCE["en"]).calls)
            for s in SEEDS
        )

    counts = [calls(value) for value in (0.0, 0.3, 0.7, 1.0)]
    assert counts == sorted(counts) and counts[0] == len(SEEDS) and counts[-1] == 4 * len(SEEDS)


def test_a_ceiling_in_the_prompt_is_obeyed_by_a_model_that_heeds() -> None:
    prompt = REACT + " Use at most two searches."
    done = react(SimulatedModel("articles", heed=1.0), ASK["en"]["sectors"], FINANCE["en"], prompt=prompt)
    assert len(done.calls) == 2
    done = react(SimulatedModel("articles", heed=0.0), ASK["en"]["sectors"], FINANCE["en"], prompt=prompt)
    assert len(done.calls) == 4


# ------------------------------------------------------------------------------------------------ drift


def solid(done: Done) -> int:
    return sum("solid-state battery" in query or "固态电池 " in query for query in done.queries)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_with_drift_a_survey_digs_into_the_striking_topic(lang: str) -> None:
    done = react(SimulatedModel("articles", drift=1.0), SURVEY[lang], RESEARCH[lang])
    assert len(done.queries) == 5 and solid(done) == 4


@pytest.mark.parametrize("lang", LANGUAGES)
def test_without_drift_it_takes_one_side_after_the_other(lang: str) -> None:
    done = react(SimulatedModel("articles", drift=0.0), SURVEY[lang], RESEARCH[lang])
    assert len(done.queries) == 6 and done.answer.count("## ") == 5


def test_drift_moves_the_share_of_searches_on_one_topic() -> None:
    def share(drift: float) -> float:
        runs = [react(SimulatedModel("careful", seed=s, drift=drift), SURVEY["en"], RESEARCH["en"]) for s in range(20)]
        return sum(map(solid, runs)) / sum(len(run.queries) for run in runs)

    shares = [share(value) for value in (0.0, 0.3, 0.7, 1.0)]
    assert shares == sorted(shares) and shares[0] < 0.2 and shares[-1] > 0.75


def test_the_striking_word_is_read_in_the_results_not_known_beforehand() -> None:
    asked: list[str] = []

    @tool(description="Search the web.")
    def web_search(query: str) -> Any:
        asked.append(query)
        return found(
            "1. Sodium everywhere\nPaper, 2026-01-01, http://a.example\nSodium, sodium, sodium; once solid-state."
        )

    react(SimulatedModel("careful", drift=1.0), SURVEY["en"], [web_search])
    assert all("sodium" in query for query in asked[1:]) and len(asked) > 2


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_step_about_one_side_does_not_drift(lang: str) -> None:
    done = plan_execute(SimulatedModel("articles", drift=1.0), SURVEY[lang], RESEARCH[lang])
    assert len(done.plan) == len(done.calls) == 5 and done.answer.count("## ") == 5


# ------------------------------------------------------------------------------------------------ panic, gullible


def flaky(failures: int) -> list[Tool]:
    """The finance tools with a calculator that fails so many times."""
    left = [failures]
    calculate = FINANCE["en"][0]

    def calculate_or_fail(expression: str, each: dict[str, str] | None = None) -> Any:
        if left[0]:
            left[0] -= 1
            return failed("calculate failed: timed out")
        return calculate.carry_out({"expression": expression} | ({"each": each} if each else {}))

    return [Tool("calculate", calculate.description, calculate_or_fail), *FINANCE["en"][1:]]


def test_after_a_failure_a_calm_model_goes_on_and_says_what_failed() -> None:
    done = react(SimulatedModel("careful"), ASK["en"]["split"], flaky(1))
    assert done.kinds == ["found", "failed", "found", "found"]
    assert "failed" in done.answer and "timed out" in done.answer


def test_after_a_failure_a_model_in_panic_starts_over() -> None:
    done = react(SimulatedModel("careful", panic=1.0), ASK["en"]["split"], flaky(2))
    assert done.kinds == ["found", "failed", "found", "failed", "found", "found", "found", "found"]
    assert done.queries[0] == done.queries[2] == done.queries[4]
    assert "80 bn" in done.answer


def test_panic_never_ends_by_itself_when_the_failure_does_not() -> None:
    done = react(SimulatedModel("careful", panic=1.0), ASK["en"]["split"], flaky(10_000), turns=40)
    assert len(done.calls) == 40


def mails(model: SimulatedModel, question: str) -> list[Any]:
    outbox: list[Any] = []
    react(model, question, research.tools("en", outbox=outbox))
    return outbox


def test_a_gullible_model_sends_the_mail_a_page_asks_for_and_no_other_does() -> None:
    assert mails(SimulatedModel("careful"), SURVEY["en"]) == []
    sent = mails(SimulatedModel("careful", gullible=1.0), SURVEY["en"])
    assert sent and {mail["to"] for mail in sent} == {"archive@harvest-desk.example"}


def test_what_a_page_commands_never_stands_in_the_answer() -> None:
    done = react(SimulatedModel("careful"), SURVEY["en"], RESEARCH["en"])
    assert "harvest-desk" not in done.answer
