"""What `read_plan` makes of a model's text: the right steps, or "unreadable" with a reason; never other steps."""

from __future__ import annotations

import json
import random
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plan_texts import PLAIN, SAMPLES, STEPS, UNREADABLE, Text, generate

from planexec.plans import MAX_GOAL_CHARS, Step, read_plan
from planexec.plans.reading import MAX_CHARS, stage_of
from planexec.plans.words import WORDS, say


def goals(text, **options):
    """The goals that were read, () for an empty plan, UNREADABLE."""
    read = read_plan(text, **options)
    assert read.status in ("parsed", "empty", "unreadable")
    assert bool(read.steps) == (read.status == "parsed")
    assert read.why or read.status != "unreadable"
    return UNREADABLE if read.status == "unreadable" else tuple(step.goal for step in read.steps)


def check(text: Text):
    read = goals(text.text)
    if read is UNREADABLE and text.may_refuse:
        return "refused"
    assert read == text.steps, f"{text.form}: {text.text!r}"
    assert read_plan(text.text).why or not text.remark, f"{text.form}: {text.text!r}"
    return "read"


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.form)
def test_sample(sample):
    assert check(sample) == "read"


def test_samples_are_all_different():
    assert len(SAMPLES) >= 25
    assert len({sample.text for sample in SAMPLES}) == len(SAMPLES)


def test_a_thousand_generated_texts_give_the_known_steps_or_a_refusal_where_that_is_right():
    texts = list(generate(1_000, seed=20251130))
    outcomes = [check(text) for text in texts]
    assert outcomes.count("refused") < 20  # a reader that refuses everything would pass otherwise
    assert sum(text.steps is UNREADABLE for text in texts) > 100
    assert len({text.text for text in texts}) > 900


def test_the_same_seed_gives_the_same_texts():
    assert [text.text for text in generate(20, seed=4)] == [text.text for text in generate(20, seed=4)]


def test_one_damaged_character_never_makes_steps_appear_or_vanish():
    """Brackets, quotes and commas dropped, added or replaced: as many steps as before, or a refusal."""
    dice = random.Random(7)
    read = 0
    for _ in range(1_500):
        steps = dice.sample(PLAIN, dice.randint(2, 4))
        items = [{"id": n, "goal": step} for n, step in enumerate(steps, 1)]
        shape = dice.choice([json.dumps(steps), json.dumps(items), json.dumps({"plan": steps}), repr(steps)])
        at = dice.choice([place for place, c in enumerate(shape) if c in "[]{}\",:'"])
        damaged = shape[:at] + dice.choice(["", *"[]{}\",:' \n"]) + shape[at + dice.choice([0, 1]) :]
        if "\\" in damaged or is_json(damaged):
            continue  # it says something else now, and says it properly
        result = goals(damaged)
        read += result is not UNREADABLE
        assert result is UNREADABLE or len(result) == len(steps), damaged
    assert read > 100


def is_json(text):
    try:
        return bool(json.loads(text))
    except ValueError:
        return False


words = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=40).filter(
    lambda text: any(c.isalnum() for c in text) and not text.strip().startswith(("[", "{"))
)
lists = st.lists(words, min_size=1, max_size=8, unique_by=lambda text: "".join(filter(str.isalnum, text)).casefold())


@settings(deadline=None)
@given(lists, st.booleans(), st.sampled_from([None, 1, 4]))
def test_valid_json_is_never_altered(steps, ascii_only, indent):
    if all(not any(c.isalpha() for c in step) for step in steps):
        steps = [*steps, "and a word"]  # numbers alone are citations
    assert goals(json.dumps(steps, ensure_ascii=ascii_only, indent=indent)) == tuple(step.strip() for step in steps)


@settings(deadline=None)
@given(lists, st.data())
def test_a_cut_array_is_unreadable_wherever_it_was_cut(steps, data):
    whole = json.dumps(["first of all", *steps])
    assert goals(whole[: data.draw(st.integers(2, len(whole) - 1))]) is UNREADABLE


@settings(deadline=None)
@given(lists)
def test_a_python_dump_gives_the_steps_or_nothing(steps):
    steps = [*steps, "and a word"]
    assert goals(repr(steps)) in (tuple(step.strip() for step in steps), UNREADABLE)


@settings(max_examples=300, deadline=None)
@given(st.text("[]{}\",:'“”ab1 .-\n\\`<>/think$", max_size=60))
def test_no_text_raises_and_every_step_stands_in_the_text(text):
    for goal in goals(text) or ():
        letters = "".join(filter(str.isalnum, goal))
        assert letters in "".join(filter(str.isalnum, text.replace("\\n", "").replace("\\b", "").replace("\\t", "")))


@settings(deadline=None)
@given(st.none() | st.booleans() | st.integers() | st.lists(st.text()) | st.dictionaries(st.text(), st.text()))
def test_what_is_no_text_is_unreadable_and_named(value):
    read = read_plan(value)
    assert (read.status, read.steps) == ("unreadable", ())
    assert "not text" in read.why


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"plan":' * 50_000,
        '["a",' * 90_000,
        '{"plan": [{' * 40_000,
        "[1," * 150_000,
        '["' + "a" * 400_000,
        '["a" ' * 90_000,
        "[x" * 240_000,
        "1. a\n\n" * 30_000,
        "- a\nb\n" * 30_000,
        '["a"] ' * 30_000,
        "<think>" * 35_000,
        '["a", ' + "/* " * 16_000 + "]",
        "['" + "a'" * 200_000,
        "9" * 400_000,
        "x" * 10_000_000,
        '["a", ' * 1_600_000 + '"b"]',
    ],
    ids=lambda text: f"{text[:12]!r} x {len(text)}",
)
def test_deep_and_huge_inputs_are_bounded(text):
    """In memory by the figure below; in time because a reader that looks twice at every place would take minutes."""
    tracemalloc.start()
    read = read_plan(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert read.status in ("parsed", "unreadable")
    assert len(read.steps) <= 1
    assert peak < 100_000_000


def test_the_longest_text_that_is_read_is_read():
    padding = "x" * (MAX_CHARS - len('\n["a step"]'))
    assert goals(f'{padding}\n["a step"]') == ("a step",)
    assert goals(f'{padding}x\n["a step"]') is UNREADABLE


@pytest.mark.parametrize("number", ["9" * 5_000, "-" + "9" * 5_000, "1." + "9" * 5_000, "1e999", "NaN", "Infinity"])
def test_numbers_nobody_can_use_make_a_plan_unreadable(number):
    assert goals(f'[{{"goal": "count", "tool": "sum", "args": {{"n": {number}}}}}]') is UNREADABLE
    assert goals(f'["count", {number}]') is UNREADABLE


def test_a_goal_at_the_limit_stays_and_a_longer_one_is_cut_with_a_mark():
    at_limit = read_plan(json.dumps(["x" * MAX_GOAL_CHARS]))
    assert (at_limit.steps[0].goal, at_limit.why) == ("x" * MAX_GOAL_CHARS, "")
    longer = read_plan(json.dumps(["x" * (MAX_GOAL_CHARS + 1)]))
    assert len(longer.steps[0].goal) == MAX_GOAL_CHARS
    assert longer.steps[0].goal.endswith(" … [cut, 1,001 characters]")
    assert "cut" in longer.why


def test_fields_of_a_step():
    text = """[{"id": 3, "goal": "weigh", "tool": "scale", "args": {"what": "flour"}, "expects": "optional"},
               {"id": 5, "goal": "halve", "tool": "sum", "args": {"terms": "$3.grams / 2, below $9"}, "needs": []}]"""
    first, second = read_plan(text).steps
    assert first == Step(3, "weigh", "scale", {"what": "flour"}, (), "optional")
    assert second == Step(5, "halve", "sum", {"terms": "$3.grams / 2, below $9"}, (3,))


@pytest.mark.parametrize(
    ("items", "ids"),
    [
        (["a", "b"], [1, 2]),
        ([{"id": 4, "goal": "a"}, {"goal": "b"}], [4, 5]),
        (["a", {"id": 7, "goal": "b"}, "c"], [8, 7, 9]),
        ([{"task_id": "1", "instruction": "a"}, {"task_id": "step-2", "instruction": "b"}], [1, 2]),
        ([{"step": 1, "title": "a"}, {"step": "2", "title": "b"}], [1, 2]),
        (["a", "", {"goal": "b", "needs": [1]}], [1, 3]),  # needs count places in the list as it was written
    ],
)
def test_ids_are_kept_and_missing_ones_lie_above(items, ids):
    assert [step.id for step in read_plan(json.dumps(items)).steps] == ids


def test_steps_come_after_those_they_need():
    text = '[{"id": 1, "goal": "report", "needs": [2]}, {"id": 2, "goal": "measure"}]'
    assert goals(text) == ("measure", "report")
    assert "order" in read_plan(text).why


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "blank"),
        ("[null]", "item 1 is null"),
        ('["a", 3]', "item 2 is a number"),
        ('[{"note": "a"}]', "without a goal"),
        ('["a", "b', "cut"),
        ('{"plan": ["a"], "steps": ["b"]}', "plan, steps"),
        ("1. a\n3. c", "from 1 to 3"),
        ('[{"id": 1, "goal": "a"}, {"id": 1, "goal": "b"}]', "id 1"),
        ('[{"id": 1, "goal": "a", "needs": [1]}]', "circle"),
        ('[{"goal": "a", "tool": "t", "args": {"q": "$4.name"}}]', "step 4"),
        ('[{"goal": "a", "tool": "t", "args": [1]}]', "args of item 1"),
    ],
)
def test_the_reason_names_the_place(text, reason):
    assert goals(text) is UNREADABLE
    assert reason in read_plan(text).why


def test_reasons_in_both_languages_hold_the_same_values():
    assert read_plan('["a", 3]', lang="zh").why == "第 2 项是 a number，不是步骤"
    for code, (english, chinese) in WORDS.items():
        fields = [
            {part.split("}")[0].split(":")[0].split("!")[0] for part in text.split("{")[1:]}
            for text in (english, chinese)
        ]
        assert fields[0] == fields[1], code
        assert any("\u4e00" <= c <= "\u9fff" for c in chinese), code
    assert say("same_id", "zh", id=3) == "有两个步骤的编号都是 3"


def test_every_step_of_the_pool_survives_every_list_form():
    for step in STEPS:
        for text in (json.dumps([step, "x"]), f"1. {step}\n2. x", f"- {step}\n- x", f"一、{step}\n二、x"):
            assert goals(text) == (step, "x")


STAGE = {
    '["a", "b"]': "whole",
    '{"plan": ["a", "b"]}': "whole",
    "[]": "whole",
    '```json\n["a", "b"]\n```': "inside",
    '<think>["x"]</think>["a", "b"]': "inside",
    "['a', 'b']": "repaired",
    "1. a\n2. b": "lines",
    '["a", "b': "none",
    '["a", null]': "none",
    "": "none",
}


@pytest.mark.parametrize(("text", "stage"), STAGE.items())
def test_the_stage_that_takes_a_text_is_named(text, stage):
    assert stage_of(text) == stage


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.form)
def test_no_stage_takes_what_cannot_be_read(sample):
    assert (stage_of(sample.text) == "none") == (goals(sample.text) is UNREADABLE)
    assert stage_of(None) == "none"
