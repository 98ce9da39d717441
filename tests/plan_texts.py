"""Texts in which models deliver plans, made from known steps: every text knows which outcome is right.

`SAMPLES` are written by hand; `generate` wraps and breaks step lists, the same ones for the same seed. Nothing here
is a test.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

UNREADABLE = None

STEPS = (
    "Find the area of every park in the town",
    "Ask the harbour office for the tide tables, 2025 and 2026",
    "Compare the three offers: price, term, guarantee",
    "Check whether the baker's dozen still holds",
    'Look up what "slack water" means',
    "List the ferries [winter timetable] that run on Sundays",
    "Work out 12.5% of 48,000 and round it",
    "Write to the surveyor (no reply since May)",
    "Read chapter 3, section 3.2, then stop",
    "Keep the total below $5 million",
    "Sort the readings from -5 to +5 degrees",
    "Draw the map {scale 1:5000}",
    "Summarise in two lines",
    "查明每个公园的面积",
    "向港务处索取潮汐表（2025 年与 2026 年）",
    "比较三份报价：价格、期限、担保",
    "计算 4.8 万的 12.5%，保留整数",
    "列出周日开行的渡轮【冬季时刻表】",
    "核对气温是否在 -5 到 5 度之间",
    "写一段两行的小结",
)
PLAIN = tuple(step for step in STEPS if not set(step) & set("\"'[]{}【】"))


@dataclass(frozen=True)
class Text:
    """`steps`: the right goals, () for "nothing to do", or UNREADABLE. `may_refuse`: to refuse is right as well."""

    form: str
    text: str
    steps: tuple[str, ...] | None
    may_refuse: bool = False
    remark: bool = False  # `why` must not be blank


def _array(steps: list[str], dice: random.Random) -> str:
    return json.dumps(steps, ensure_ascii=dice.random() < 0.3, indent=dice.choice([None, None, 2, 4]))


def _objects(steps: list[str], dice: random.Random) -> str:
    key = dice.choice(["goal", "subtask", "task", "description", "step", "title", "instruction", "Goal", "目标"])
    number = dice.choice(["id", "step_number", "task_id", ""])
    items = [({number: at} if number else {}) | {key: step} for at, step in enumerate(steps, 1)]
    return json.dumps(items, ensure_ascii=False, indent=dice.choice([None, 2]))


def _mapping(steps: list[str], dice: random.Random) -> str:
    key = dice.choice(["plan", "steps", "tasks", "remaining", "Plan", "步骤"])
    value: dict[str, object] = {key: steps}
    if dice.random() < 0.5:
        value = {"summary": "what has to be done", **value, "ready": True}
    return json.dumps(value, ensure_ascii=False)


def _numbered(steps: list[str], dice: random.Random) -> str:
    forms: list[Callable[[int], str]] = [
        lambda n: f"{n}. ",
        lambda n: f"{n}) ",
        lambda n: f"({n}) ",
        lambda n: f"（{n}）",
        lambda n: f"{n}、",
        lambda n: f"Step {n}: ",
        lambda n: f"第{'一二三四五六七八九十'[n - 1]}步：",
        lambda n: f"{'一二三四五六七八九十'[n - 1]}、",
        lambda n: f"步骤{n}：",
        lambda n: f"**{n}.** ",
    ]
    form = dice.choice(forms)
    gap = dice.choice(["\n", "\n", "\n\n"])
    return gap.join(form(n) + step for n, step in enumerate(steps, 1))


def _bulleted(steps: list[str], dice: random.Random) -> str:
    mark = dice.choice(["- ", "* ", "• ", "- [ ] ", "  - "])
    return "\n".join(mark + step for step in steps)


SHAPES = (_array, _objects, _mapping, _numbered, _bulleted)
BEFORE = (
    "",
    "Here is the plan:\n",
    "根据要求[见上]，计划如下：\n",
    "As you asked [1], I kept it short (see {notes}).\n\n",
    '<think>First idea ["walk home", "sleep"], no, better this.</think>\n',
    "<think>\n- walk home\n- sleep\n</think>\n\n",
    'I thought of ["walk home"] first.\n</think>\n',
)
AFTER = ("", "\n", "\n\nThat is all.", "\n\n说明 [1]", "\n\nSources [2], [3-5].", "\n\nHope this helps {smile}!")


def _wrapped(shape: Callable[[list[str], random.Random], str], steps: list[str], dice: random.Random) -> str:
    body = shape(steps, dice)
    if dice.random() < 0.4:
        body = f"```{dice.choice(['', 'json', 'JSON', 'text'])}\n{body}\n```"
    return dice.choice(BEFORE) + body + dice.choice(AFTER)


def _whole(dice: random.Random) -> Text:
    shape = dice.choice(SHAPES)
    steps = dice.sample(STEPS, dice.randint(2, 6))
    return Text(shape.__name__, _wrapped(shape, steps, dice), tuple(steps))


def _old_and_new(dice: random.Random) -> Text:
    old, new = dice.sample(STEPS, 3), dice.sample(STEPS, dice.randint(2, 4))
    shape = dice.choice([_array, _mapping, _numbered])
    text = f"Old plan:\n{shape(old, dice)}\n\nNew plan:\n{shape(new, dice)}"
    return Text("old and new", text, tuple(new), remark=True)


def _nothing(dice: random.Random) -> Text:
    body = dice.choice(["[]", '{"remaining": []}', "```json\n[]\n```", "Nothing is left: []", "剩余：[]"])
    return Text("nothing", dice.choice(BEFORE[-3:] + ("",)) + body, ())


def _repairable(dice: random.Random) -> Text:
    """Broken in ways with one meaning only."""
    steps = dice.sample(PLAIN, dice.randint(2, 5))
    quoted = [f'"{step}"' for step in steps]
    forms = {
        "comma": f"[{', '.join(quoted)},]",
        "single": repr(steps),
        "chinese": f"[{'，'.join(f'“{step}”' for step in steps)}]",
        "wide commas": f"[{'，'.join(quoted)}]",
        "bare key": f"{{plan: [{', '.join(quoted)}]}}",
        "brace": f'{{"plan": [{", ".join(quoted)}]',
        "line ends": "[\n" + "\n".join(quoted) + "\n]",
        "comment": f"[{quoted[0]}, /* then */ {', '.join(quoted[1:])}]",
        "dump": repr({"plan": [{"id": n, "goal": step, "needs": None} for n, step in enumerate(steps, 1)]}),
    }
    kind = dice.choice(list(forms))
    return Text(f"repairable {kind}", dice.choice(BEFORE) + forms[kind], tuple(steps), remark=True)


def _quotes_inside(dice: random.Random) -> Text:
    """Unescaped quotation marks inside a text: the steps themselves, or a refusal, never others."""
    steps = dice.sample(STEPS, dice.randint(2, 5))
    mark = dice.choice(['"', "'"])
    return Text("quotes inside", "[" + ", ".join(mark + step + mark for step in steps) + ",]", tuple(steps), True)


def _cut(dice: random.Random) -> Text:
    steps = dice.sample(STEPS, dice.randint(2, 5))
    body = dice.choice([_array, _objects])(steps, dice)
    fence = dice.choice(["", "```json\n"])
    return Text("cut", fence + body[: dice.randint(3, len(body.rstrip("]\n ")))], UNREADABLE)


def _spoiled(dice: random.Random) -> Text:
    steps = dice.sample(PLAIN, 3)
    a, b, c = (json.dumps(step, ensure_ascii=False) for step in steps)
    text = dice.choice(
        [
            f"[{a}, null, {c}]",
            f"[{a}, 7, {c}]",
            f"[{a}, [{b}, {c}]]",
            f'[{a}, {{"subtask": [{b}]}}, {c}]',
            f'[{a}, {{"note": {b}}}, {c}]',
            f"[{a}, {b}, ...]",
            f"[{a}, {steps[1]}, {c}]",
            f"[{a} {b}, {c}]",
            f"[{a}; {b}; {c}]",
            f'{{"plan": [{a}], "tasks": [{b}, {c}]}}',
            f'{{"plan": [{a}], "plan": [{b}]}}',
            f'{{"goal": {a}}}\n{{"goal": {b}}}',
            f'[{a}, {{"goal": {b}, "steps": [{c}]}}]',
            f'[{{"id": 1, "goal": {a}}}, {{"id": 1, "goal": {b}}}]',
            f'[{{"id": 1, "goal": {a}, "needs": [2]}}, {{"id": 2, "goal": {b}, "needs": [1]}}]',
            f'[{{"id": 1, "goal": {a}, "needs": [5]}}]',
            f"[{a}, {b}]\n\n改为：[{c}, ",
            f"1. {steps[0]}\n2. {steps[1]}\n4. {steps[2]}",
            f"Plan: 1. {steps[0]}\n2. {steps[1]}",
            f"1. {steps[0]}\n\nMore about that.\n\n2. {steps[1]}",
            f"1. {steps[0]} 2. {steps[1]} 3. {steps[2]}",
            f"1. {steps[0]}\n2. {steps[1]}\n3.",
            f"1. {steps[0]} [{b}, {c}]\n2. {steps[1]}",
            f"Phase 1:\n- {steps[0]}\n- {steps[1]}\n\nPhase 2:\n- {steps[2]}",
            f"<think>\n[{a}, {b}]",
            f"{steps[0]}, {steps[1]}, {steps[2]}",
            f"{{{a}, {b}}}",
            "",
            " \n ",
        ]
    )
    return Text("spoiled", text, UNREADABLE)


def _doubled(dice: random.Random) -> Text:
    steps = dice.sample(STEPS, 3)
    listed = [*steps, dice.choice(steps)] if dice.random() < 0.5 else [steps[0], "", *steps[1:]]
    return Text("doubled or blank", json.dumps(listed, ensure_ascii=False), tuple(steps), remark=True)


KINDS = (_whole, _whole, _whole, _whole, _old_and_new, _nothing, _repairable, _quotes_inside, _cut, _spoiled, _doubled)


def generate(count: int, seed: int) -> Iterator[Text]:
    """The same texts for the same seed, on every machine."""
    dice = random.Random(seed)
    for _ in range(count):
        yield dice.choice(KINDS)(dice)


SAMPLES = (
    Text("plain", '["find the tide tables", "compare the ferries"]', ("find the tide tables", "compare the ferries")),
    Text(
        "fence",
        'Of course!\n\n```JSON\n[\n  "measure the wall",\n  "order paint"\n]\n```\nShall I begin?',
        ("measure the wall", "order paint"),
    ),
    Text("citation after", '["量墙", "买漆"]\n说明 [1]：尺寸来自图纸。', ("量墙", "买漆")),
    Text("bracket before", '根据要求[见附件]：["量墙","买漆"]', ("量墙", "买漆")),
    Text("two arrays", '原计划 ["量墙","买漆","刷漆"]，改为 ["买漆","刷漆"]', ("买漆", "刷漆"), remark=True),
    Text("thought with list", '<think>也许 ["睡觉"]？不。</think>["量墙"]', ("量墙",)),
    Text(
        "lone end of thought", "so the list could be\n1. sleep\n2. eat\n</think>\n1. weigh\n2. pack", ("weigh", "pack")
    ),
    Text("unclosed thought", "<think>\nThe plan may be\n1. sleep\n2. eat", UNREADABLE),
    Text(
        "calls",
        '[{"id": 1, "goal": "count sheep", "tool": "count", "args": {"what": "sheep"}}, '
        '{"id": 2, "goal": "halve it", "tool": "sum", "args": {"terms": "$1.number / 2"}, "needs": [1]}]',
        ("count sheep", "halve it"),
    ),
    Text("object in object", '{"answer": {"steps": ["weigh", "pack"], "sure": true}}', ("weigh", "pack")),
    Text("lines in a key", '{"plan": "1. weigh\\n2. pack", "mood": "good"}', ("weigh", "pack")),
    Text("words and list", '{"plan": "Weigh first.", "steps": [{"step": 1, "title": "weigh"}]}', ("weigh",)),
    Text(
        "dump",
        "{'steps': ['weigh the baker\\'s flour', \"pack it\"], 'done': None}",
        ("weigh the baker's flour", "pack it"),
        remark=True,
    ),
    Text(
        "details",
        "1. Weigh\n   - the big one\n   - the small one\n2. Pack",
        ("Weigh - the big one - the small one", "Pack"),
    ),
    Text("headings", "### Step 1: Weigh\n### Step 2: Pack", ("Weigh", "Pack")),
    Text("bold", "**1. Weigh** everything\n\n**2. Pack** it", ("Weigh everything", "Pack it")),
    Text(
        "two numbered lists",
        "We need to:\n1. think\n2. act\n\n# Plan\n1. weigh\n2. pack\n\n# Next\nI weigh.",
        ("weigh", "pack"),
        remark=True,
    ),
    Text("notes below", "1. weigh\n2. pack\n\nNotes:\n- scales are upstairs\n- boxes too", ("weigh", "pack")),
    Text("list and notes", '["weigh", "pack"]\n\nWhy:\n- shortest way\n- no risk', ("weigh", "pack"), remark=True),
    Text("chinese lines", "计划如下：\n一、称重\n二、装箱\n三、寄出", ("称重", "装箱", "寄出")),
    Text("one line", "1、称重；2、装箱；3、寄出", UNREADABLE),
    Text("refusal", "I am sorry, I cannot plan that.", UNREADABLE),
    Text("review", '{"step_done": true, "remarks": ["good"], "next": null}', UNREADABLE),
    Text("echo", '{"task": "pack", "done": ["weigh"], "remaining": ["pack", "send"]}', ("pack", "send")),
    Text("double encoded", '"[\\"weigh\\", \\"pack\\"]"', ("weigh", "pack")),
    Text("empty in a sentence", '["weigh", "pack"] and later [] if all is done', UNREADABLE),
    Text("link after", '["weigh", "pack"]\nsee ["scales"](https://example.org)', ("weigh", "pack")),
    Text("list of tools before", 'Tools: ["scales", "boxes"]\n\nPlan:\n1. weigh\n2. pack', ("weigh", "pack")),
    Text(
        "plan in words below",
        '["weigh", "pack"]\n\nThe steps in words:\n1. First I weigh.\n2. Then I pack.',
        ("weigh", "pack"),
        remark=True,
    ),
    Text("new plan in lines", '["weigh"]\n\nNew plan:\n1. weigh\n2. pack', UNREADABLE),
    Text("thought behind", '["weigh", "pack"]<think>or ["pack"]?</think>', ("weigh", "pack")),
    Text("torn list", '["weigh"], "pack"]', UNREADABLE),
)
