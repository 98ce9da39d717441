"""Answers are joined from results only, with every figure as it was read, and say what is not there."""

from __future__ import annotations

import re
from typing import Any

import pytest
from policy_loop import REPORT, data

from planexec.chat import system, user
from planexec.models.policy.amounts import plain
from planexec.models.simulated import SimulatedModel
from planexec.worlds import finance

ASK = finance.QUESTIONS
WEIGHTS = "[2026-10-12] Weights\nsectors: zig, zag\nweights:\n- zig: 60%\n- zag: 40%"
AMOUNTS = "1000000 * x:\nzig (x = 60%): 600,000\nzag (x = 40%): 400,000"
STOCKS = "[2026-10-20] Leading stocks\nstocks:\n- zig: Alpha, Beta\n- zag: Gamma"
GOALS = {
    "market": "Find the total market value of the A-share market",
    "inflow": "Work out the inflow into stocks",
    "weights": "Find which sectors benefit from the cut, and the weight of each",
    "amounts": "Work out the amount for each sector: 1,000,000 times its weight",
    "stocks": "Find the leading stocks of each of these sectors",
}
WHOLE = {"weights": WEIGHTS, "amounts": AMOUNTS, "stocks": STOCKS, "inflow": "800bn * 25% = 200 bn (200,000,000,000)"}


def report(results: dict[str, Any], question: str = ASK["en"]["allocation"], stopped: str = "", **dials: float) -> str:
    """The answer from these results: key of GOALS -> text, or (status, text)."""
    listed = []
    for number, (key, given) in enumerate(results.items(), 1):
        status, text = given if isinstance(given, tuple) else ("done", given)
        listed.append({"id": number, "goal": GOALS.get(key, key), "status": status, "result": text})
    extra = {"stopped": stopped} if stopped else {}
    message = data(task=question, results=listed, **extra)
    return SimulatedModel("careful", **dials).reply([system(REPORT), message]).text


def test_rows_of_several_results_about_one_name_are_one_line() -> None:
    lines = report(WHOLE).splitlines()
    assert "Zig: 600,000 yuan (60%): Alpha, Beta" in lines and "Zag: 400,000 yuan (40%): Gamma" in lines


def test_a_figure_is_readable_and_in_plain_digits() -> None:
    assert "200 bn yuan (200,000,000,000 yuan), from 800bn * 25%" in report(WHOLE)


def test_the_answer_follows_the_results_not_the_question() -> None:
    other = {**WHOLE, "amounts": "1000000 * x:\nkites (x = 7%): 70,001", "weights": "weights:\n- kites: 7%"}
    assert "Kites: 70,001 yuan (7%)" in report(other)


def test_what_could_not_be_found_is_said_plainly() -> None:
    text = report({**WHOLE, "market": ("no_data", "Nothing was found. Tried: search")})
    assert "the total market value of the A-share market could not be found" in text


def test_a_name_without_weight_or_without_stocks_is_named() -> None:
    unweighted = WEIGHTS.replace("sectors: zig, zag", "sectors: zig, zag, zog")
    assert "nothing about zog could be found" in report({**WHOLE, "weights": unweighted})
    assert "Zag: 400,000 yuan (40%): (no leading stocks found)" in report({**WHOLE, "stocks": "stocks:\n- zig: Alpha"})


def test_weights_that_do_not_add_up_are_mentioned_without_a_figure_of_its_own() -> None:
    text = report({**WHOLE, "weights": WEIGHTS.replace("40%", "30%")})
    assert "do not add up to the whole account" in text and "90" not in text
    assert "add up" not in report(WHOLE)


def test_a_difference_between_question_and_calculator_is_mentioned() -> None:
    text = report({**WHOLE, "inflow": "800bn * 25% = 190 bn (190,000,000,000)"})
    assert "The question says 200 bn; the calculator says 190 bn" in text
    assert "The question says" not in report(WHOLE)


def test_a_stopped_run_says_so_with_its_reason_and_what_was_not_reached() -> None:
    text = report({"weights": WEIGHTS}, stopped="max_steps (limit 3)")
    assert text.endswith("Stopped before the end: max_steps (limit 3)")
    assert "Not reached: the amount for each sector." in text and "Zig: 60%" in text


def test_a_failed_step_and_what_waited_for_it_are_named() -> None:
    text = report({"weights": ("failed", "search failed: timed out"), "amounts": ("blocked", "step 3 failed")})
    assert "the sectors that benefit and their weights (the service failed: search failed: timed out)" in text
    assert "because the sectors that benefit and their weights could not be found" in text


def test_chinese_answers_use_chinese_signs_and_both_forms_of_a_figure() -> None:
    results = {
        "查哪些板块受益于降准，以及各板块的权重": "权重 weights:\n- 甲: 25%\n- 乙: 75%",
        "计算各板块的金额：100万 乘以各自的权重": "甲 (x = 25%): 25万 (250,000)\n乙 (x = 75%): 75万 (750,000)",
    }
    text = report(results, ASK["zh"]["allocation"])
    assert "甲：25万元（250,000元）（25%）" in text and "没有查到：A股市场的总市值查不到。" in text


def test_one_step_that_did_everything_is_the_answer() -> None:
    question = ASK["en"]["allocation"]
    assert report({question: "All done: zig 600,000."}, question) == "All done: zig 600,000."


def figures(text: str) -> set[str]:
    return set(re.findall(r"\d[\d,]*(?:\.\d+)?", plain(text)))


@pytest.mark.parametrize("dropped", [None, *WHOLE])
def test_every_figure_of_the_answer_stands_in_the_question_or_in_a_result(dropped: str | None) -> None:
    results = {key: text for key, text in WHOLE.items() if key != dropped}
    held = figures(ASK["en"]["allocation"] + " ".join(results.values()) + "800bn 25%")
    assert figures(report(results)) <= held


def test_invent_adds_a_figure_that_stands_nowhere() -> None:
    held = figures(ASK["en"]["allocation"] + " ".join(WHOLE.values()))
    assert figures(report(WHOLE, invent=1.0)) - held


def test_invent_puts_a_guess_in_the_place_of_what_is_missing() -> None:
    missing = {**WHOLE, "market": ("no_data", "Nothing found.")}
    text = report(missing, invent=1.0)
    assert re.search(r"The total market value of the A-share market: probably about [\d.]+%", text)
    assert "could not be found" not in text


def test_invent_moves_the_number_of_answers_with_an_invented_figure() -> None:
    honest = report(WHOLE)

    def invented(value: float) -> int:
        return sum(report(WHOLE, invent=value, seed=seed) != honest for seed in range(60))

    counts = [invented(value) for value in (0.0, 0.3, 0.7, 1.0)]
    assert counts == sorted(counts) and counts[0] == 0 and counts[-1] == 60


# ------------------------------------------------------------------------------------------------ no task


@pytest.mark.parametrize(
    ("question", "words"),
    [("What is the capital of France?", ("only know these worlds", "connect a real model")),
     ("法国的首都是哪里？", ("只认识这些世界", "真实模型"))],
)  # fmt: skip
def test_an_unknown_question_gets_the_worlds_it_knows(question: str, words: tuple[str, str]) -> None:
    model = SimulatedModel("careful")
    for messages in ([user(question)], [system(REPORT), data(task=question, results=[])]):
        text = model.reply(messages).text
        assert all(word in text for word in words) and ("finance" in text or "金融" in text)


def test_a_greeting_gets_a_greeting_and_a_known_question_without_tools_gets_what_is_missing() -> None:
    model = SimulatedModel("careful")
    assert model.reply([user("Hello")]).text.startswith("Hello")
    assert model.reply([user("你好")]).text.startswith("你好")
    assert "no tool to look it up" in model.reply([user(ASK["en"]["sectors"])]).text
