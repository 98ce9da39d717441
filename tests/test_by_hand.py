"""What a notebook builds by hand does what the package does that later notebooks import in its place.

The functions come from the notebooks themselves: the cells with the tag "by-hand". Each such cell stands alone or on
the ones before it, and every function in them has a test here.
"""

from __future__ import annotations

import importlib.util
import itertools
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

from planexec import Journal, Limits, PlanExecuteAgent, Run, SimulatedModel, react, worlds
from planexec.agent import answer_directly
from planexec.chat import user
from planexec.course import form
from planexec.course.material import planner_replies
from planexec.executor import carry_out_step
from planexec.guards import Enough, NoResult
from planexec.labs.plan_reader import planner_reply
from planexec.loops import LoopRules, first_loop
from planexec.paths import notebooks_path
from planexec.plans import Step, fill, read_plan, read_remainder, same_goal
from planexec.react_loop import PROMPT
from planexec.result import StepDone

TAG = "by-hand"
HELD = {
    "01": {"one_reply"},
    "02": {"react_by_hand"},
    "03": {"read_by_hand"},
    "04": {"step_by_hand", "fill_by_hand"},
    "05": {"plain", "rest_by_hand"},
    "06": {"whole_loop"},
    "08": {"react_with_counters"},
    "10": {"same_call", "same_result"},
    "12": {"once"},
}


def by_hand() -> dict[str, str]:
    """Number of a notebook -> the sources of its cells with the tag, in order."""
    sources: dict[str, str] = {}
    for path in sorted(notebooks_path().glob("*.ipynb")):
        cells = [cell.source for cell in form.read(path).cells if TAG in cell.metadata.get("tags", [])]
        if cells:
            sources[path.name[:2]] = "\n\n".join(cells) + "\n"
    return sources


SOURCES = by_hand()


@pytest.fixture(scope="module")
def hand(tmp_path_factory):
    """hand("02").react_by_hand: what the cells of notebook 02 define, loaded as a file of their own."""
    folder: Path = tmp_path_factory.mktemp("by_hand")
    loaded = {}

    def load(number: str):
        if number not in loaded:
            path = folder / f"notebook_{number}.py"
            path.write_text(SOURCES[number], encoding="utf-8")
            spec = importlib.util.spec_from_file_location(path.stem, path)
            loaded[number] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(loaded[number])
        return loaded[number]

    return load


def test_every_function_that_is_built_by_hand_is_held_to_the_packages():
    defined = {number: set(re.findall(r"^def (\w+)", source, re.M)) for number, source in SOURCES.items()}
    assert defined == HELD


FINANCE, RESEARCH = worlds.load("finance"), worlds.load("research")
PRICES = "Get the quotes of EPB, OBH and QSS."


def calls_of(result):
    return [(call.args, call.kind) for call in result.calls]


@pytest.mark.parametrize("question", [PRICES, FINANCE.questions["split"], FINANCE.questions["sectors"]])
@pytest.mark.parametrize("preset", ["articles", "careful"])
def test_01_one_reply_is_what_a_direct_question_gets(hand, question, preset):
    answer, seen = hand("01").one_reply(question, SimulatedModel(preset), FINANCE.tools)
    run = Run(question, model=SimulatedModel(preset), tools=FINANCE.tools, date=FINANCE.date)
    package = answer_directly(run, question)
    assert [(args, observation.kind) for args, observation in seen] == calls_of(package)
    assert answer == package.answer and seen


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(
    ("world", "name"), [(RESEARCH, "survey"), (FINANCE, "allocation"), (FINANCE, "sectors"), (FINANCE, "split")]
)
def test_02_react_by_hand_is_react_without_guards(hand, world, name, seed):
    question, rounds = world.questions[name], 12
    answer, seen = hand("02").react_by_hand(question, SimulatedModel("articles", seed=seed), world.tools, rounds)
    limits = Limits(max_steps=rounds)
    model = SimulatedModel("articles", seed=seed)
    package = react(question, model, world.tools, limits, guards=(), date=world.date)
    assert [(args, observation.kind) for args, observation in seen] == calls_of(package)
    assert answer.strip() == (package.answer if package.stop is None else "")


def goals_of(text):
    read = read_plan(text)
    return [step.goal for step in read.steps] if read.status == "parsed" else None


TIDY = ('["a", "b"]', '```json\n["a"]\n```', 'Plan: ["a", "b"] - shall I?', '[{"task": "a"}, {"description": "b"}]')


@pytest.mark.parametrize("text", [*TIDY, '["a", "", "b"]', '["a", null]', '["a", "b', "none"])
def test_03_what_is_read_by_hand_is_what_the_package_reads(hand, text):
    assert hand("03").read_by_hand(text) == goals_of(text)


def test_03_by_hand_reads_less_than_the_package_and_never_anything_else(hand):
    texts = [reply.text for reply in planner_replies()] + [planner_reply(1.0, seed) for seed in range(40)]
    read = [(hand("03").read_by_hand(text), goals_of(text)) for text in texts]
    assert all(mine in (None, package) for mine, package in read)
    assert sum(mine is None and package is not None for mine, package in read) > 10
    assert sum(mine is not None for mine, _ in read) > 10


GOALS = (
    "Find which sectors benefit from the cut, and the weight of each",
    "Find the total market value of the A-share market",
)


def summed_up(by_hand, goal, earlier, model, rounds):
    """A step by hand, and where its rounds are used up the request that the notebook then makes."""
    text, messages = by_hand.step_by_hand(FINANCE.question, FINANCE.date, goal, earlier, model, FINANCE.tools, rounds)
    if text:
        return text
    messages.append(user("Your rounds are used up. Say in words what was found."))
    return model.reply(messages, tools=[tool.schema for tool in FINANCE.tools], tool_choice="none").text


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("rounds", [1, 2, 3, 6])
@pytest.mark.parametrize("greed", [0.0, 0.93])
def test_04_a_step_by_hand_hands_over_what_the_executor_does(hand, goal, rounds, greed):
    def model():
        return SimulatedModel("articles", greed=greed)

    question = FINANCE.question
    mine = summed_up(hand("04"), goal, [], model(), rounds)
    limits = Limits(per_step=Limits.none().with_(max_steps=rounds))
    run = Run(question, model=model(), tools=FINANCE.tools, limits=limits, guards=(), date=FINANCE.date)
    step = carry_out_step(run, question, Step(1, goal), {})
    if any(call.kind == "found" for call in step.calls):
        assert mine == step.answer
    else:
        assert step.status == "no_data"  # the package needs no model to say that nothing was found


def test_04_a_step_is_given_the_earlier_results_in_the_same_form(hand):
    goal = "Work out the amount for each sector: 1,000,000 times its weight"
    weights = FINANCE.tools[1].carry_out({"query": "sector weights after a reserve-requirement cut"})
    earlier = [{"id": 3, "goal": GOALS[0], "status": "done", "result": weights.text}]
    mine = summed_up(hand("04"), goal, earlier, SimulatedModel("careful"), 3)
    run = Run(FINANCE.question, model=SimulatedModel("careful"), tools=FINANCE.tools, date=FINANCE.date)
    done = {3: StepDone(3, GOALS[0], "done", weights.text)}
    assert mine == carry_out_step(run, FINANCE.question, Step(4, goal), done).answer
    assert "250,000" in mine


RESULTS = {
    1: StepDone(1, "a", "done", "one kilo", data={"grams": 1000.0, "parks": ["East", "West"]}),
    3: StepDone(3, "b", "done", "weights", data={"weights": {"banks": "25%"}}),
}


@pytest.mark.parametrize(
    "args",
    [
        {"expression": "1000000 * x", "each": "$3.weights"},
        {"query": "$1"},
        {"parks": "$1.parks", "grams": "$1.grams", "count": 5},
        {"query": "nothing to fill in"},
        {},
    ],
)
def test_04_references_filled_by_hand_are_filled_alike(hand, args):
    assert hand("04").fill_by_hand(args, RESULTS) == fill(args, RESULTS)


ALIKE = ("Compare A, B.", "compare a b", "COMPARE (A; B)!", "Compare A, C.")
FIGURES = ("above 1.5 %", "above 15 %", "above 1.5%", "above 1.5", "cool to -5", "cool to 5", "2,000 cars", "2000 cars")
LISTED = ("lines 1, 2", "lines 12", "Lines 1; 2!", "from 10:30", "from 1030", "a 3/4", "a 34", "cost < 5", "cost > 5")
CHINESE = ("找出份额超过1.5%的厂商", "找出份额超过 1.5% 的厂商。", "找出份额超过15%的厂商")


@pytest.mark.parametrize("group", [ALIKE, FIGURES, LISTED, CHINESE])
def test_05_goals_are_the_same_by_hand_when_they_are_the_same_to_the_package(hand, group):
    plain = hand("05").plain
    pairs = list(itertools.combinations(group, 2))
    assert {pair: plain(pair[0]) == plain(pair[1]) for pair in pairs} == {pair: same_goal(*pair) for pair in pairs}
    assert {same_goal(*pair) for pair in pairs} == {True, False}


DONE, REST = ["find the map", "ask the office"], ["measure the parks", "write 1.5 pages"]
ANSWERS = (
    "[]",
    '["measure the parks"]',
    '["Measure the parks!", "write 1.5 pages"]',
    '["find the map", "write 1.5 pages"]',
    '["Find the map.", {"id": 1, "goal": "ASK THE OFFICE"}]',
    '[{"id": null, "goal": "draw"}, {"id": 4, "goal": "write 1.5 pages"}]',
    '["write 15 pages"]',
    "The plan still looks good to me.",
    '["measure the pa',
    "[1, 2]",
    '{"note": "fine"}',
    '"all of it"',
    "",
)


@pytest.mark.parametrize("text", ANSWERS)
def test_05_the_rest_by_hand_is_the_rest_that_the_package_keeps(hand, text):
    remaining = [Step(number, goal) for number, goal in enumerate(REST, 3)]
    read = read_remainder(text, remaining, [Step(number, goal) for number, goal in enumerate(DONE, 1)])
    kept = REST if read.status == "unreadable" else [step.goal for step in read.steps]
    mine = hand("05").rest_by_hand(text, REST, DONE)
    assert len(mine) == len(kept) and all(map(same_goal, mine, kept))


@pytest.mark.parametrize("world", [RESEARCH, FINANCE], ids=lambda world: world.name)
@pytest.mark.parametrize("seed", [0, 1])
def test_06_the_whole_loop_by_hand_is_the_agent(hand, world, seed):
    limits = Limits(max_steps=20)
    model = SimulatedModel("articles", seed=seed)
    answer, steps, used = hand("06").whole_loop(world.question, model, world.tools, limits, world.date)
    model = SimulatedModel("articles", seed=seed)
    agent = PlanExecuteAgent(model, world.tools, limits, guards=(), date=world.date, loop="plan")
    package = agent.run(world.question)
    assert answer == package.answer
    assert [(step.id, step.status, step.answer) for step in steps] == [
        (step.id, step.status, step.answer) for step in package.steps
    ]
    assert used.model_calls == package.usage.model_calls


FLIGHTS = worlds.load("flights")
COUNTED = [(FINANCE, "allocation"), (FINANCE, "sectors"), (FINANCE, "split"), (FLIGHTS, "on_time")]


@pytest.mark.parametrize(("world", "name"), COUNTED)
@pytest.mark.parametrize(("no_result", "calls"), [(3, 4), (2, 2), (9, 3)])
def test_08_two_counters_by_hand_end_a_run_where_the_guards_do(hand, world, name, no_result, calls):
    question = world.questions[name]
    for seed in range(5):
        model = SimulatedModel("articles", seed=seed)
        _, kinds = hand("08").react_with_counters(
            question, model, world.tools, 12, PROMPT["en"], no_result=no_result, enough=calls
        )
        guards = (NoResult(nudge=no_result + 1, stop=no_result), Enough(calls, scope="step"))
        limits = Limits(max_steps=12, max_attempts=1)
        package = react(question, model, world.tools, limits, guards=guards, date=world.date)
        assert kinds == [call.kind for call in package.calls]


EXACT = LoopRules(same=3, cycle=None, alike_times=None)


@pytest.mark.parametrize("seed", range(20))
def test_10_the_same_call_with_the_same_result_is_the_exact_rule_of_the_detector(hand, seed):
    dice = random.Random(seed)
    calls = [("search", {"query": dice.choice("ab")}, dice.choice(["one", "two"]), "found") for _ in range(40)]
    assert hand("10").same_result(calls) == first_loop(calls, EXACT)
    alone = [(tool, args, "", "found") for tool, args, _, _ in calls]  # the calls, whatever they brought
    assert hand("10").same_call(calls) == first_loop(alone, EXACT)
    assert hand("10").same_call(calls, k=4) == first_loop(alone, replace(EXACT, same=4))


@pytest.mark.parametrize("crash_at", range(4))
def test_12_once_by_hand_does_what_the_journal_does(hand, crash_at):
    """A loop of three effects that ends early, and the same loop again: with the book, and through the gate."""
    from planexec import tool
    from planexec.chat import ToolCall

    names, by_hand, by_gate, book, journal = ("look_up", "write", "mail"), [], [], {}, Journal()

    def effect(name):
        def function() -> str:
            by_gate.append(name)
            return name

        return tool(name=name, description=name)(function)

    for most in (crash_at, len(names)):
        run = Run("q", tools=[effect(name) for name in names], journal=journal)
        given = list(enumerate(names[:most]))
        mine = [hand("12").once(book, place, lambda name=name: by_hand.append(name) or name) for place, name in given]
        package = [run.tools([ToolCall(f"call-{place}", name, {})])[0].text for place, name in given]
        assert mine == package == list(names[:most])
    assert by_hand == by_gate == list(names)
