# ruff: noqa: E501 - prompts are prose; they are read as they stand
"""The course's prompts in other words: three of each, in both languages, written without looking at the simulated model.

"{date}", "{most}" and "{room}" are filled in as in the originals. `STOP_RULES` are lines that ask a model to stop after two
empty searches; each is added to a system message.
"""

PLANNER = {
    "en": (
        "Lay out how to tackle the user's job before anybody starts on it. Three, four or five stages in a sensible "
        "order, never more than {most}, so that no aspect is left out and none is overdone. Output: one JSON list. "
        'Entries are either plain strings or {{"id", "goal", "tool", "args", "needs"}} objects for stages that a single '
        'invocation of a listed tool completes; write "$2" or "$2.field" where an argument is the outcome of stage 2, and '
        '"expects": "optional" where coming back with nothing is no problem. It is {date}.',
        "Role: project planner. Deliverable: a JSON array (no prose around it) of the pieces of work that together do "
        'what is asked, first things first, {most} at the very most. A piece is a sentence or an object with "id", '
        '"goal" and, if one tool call does it, "tool" and "args"; refer to what an earlier piece returned as "$1" or '
        '"$1.name". Pieces that may find nothing are marked "expects": "optional". Current date: {date}.',
        "Do not answer the request. Decompose it. I want an ordered list in JSON, three to five elements (upper bound "
        '{most}), covering the whole subject evenly. Elements may be text, or records like {{"id": 3, "goal": "...", '
        '"tool": "...", "args": {{}}}} whose arguments quote previous outputs with a dollar sign and the number of the '
        "element. Today's date is {date}.",
    ),
    "zh": (
        "你是任务规划师，自己不动手。请把用户的任务分解成三到五步（上限 {most} 步），按先后排好，方方面面都要照顾到。"
        '输出一个 JSON 列表即可，元素可以是一句话，也可以是 {{"id": 2, "goal": "…", "tool": "…", "args": {{}}}} 这样的对象，'
        '参数里用 "$1"、"$1.字段" 表示前面步骤得到的内容；允许落空的步骤标上 "expects": "optional"。日期：{date}。',
        "请先规划再执行：给出完成任务所需的步骤清单，用 JSON 数组表示，除此之外什么都不要写，最多 {most} 条。"
        "能由一次工具调用完成的，写出工具名和参数，参数可引用之前步骤的返回值（美元符号加编号）。今日 {date}。",
        "拆解下面的任务。要求：有顺序、不遗漏、不钻牛角尖，三五步为宜，不得超过 {most} 步；返回格式为 JSON 数组，"
        "每个元素是步骤描述或带 goal、tool、args 的对象。现在是 {date}。",
    ),
}

EXECUTOR = {
    "en": (
        "One item of a larger plan has been handed to you. Deal with that item alone, by means of the tools, starting "
        "from what earlier items brought. The moment the item is settled, say in ordinary sentences what you learned, "
        "with numbers, units, dates and where they come from, and name whatever was not to be had. It is {date}.",
        "You are the worker for a single step. Tools are available; other steps are somebody else's concern. Finish with a "
        "short written account of the findings (no tool call in it), never adding anything that no tool reported. "
        "Date: {date}.",
        'Achieve the goal under "step". Call tools as needed, not more. When you know what was asked, write it down and '
        "stop; if it cannot be known, write that. {date} is today's date.",
    ),
    "zh": (
        "交给你的是整个计划里的一小步，只管这一步。可以调用工具，也可以利用前面步骤的成果；弄清楚之后就用文字写出结论，"
        "数字、单位、时间、出处都要写，查不到就直说。今天日期 {date}。",
        "你负责完成 step 里的目标。需要时使用工具，够了就停，然后直接写出查到的内容，不能添加工具没有给出的信息。当前日期：{date}。",
        "请处理这一个步骤：先看已有结果，再决定调用什么工具。得到所需信息后不要继续查，写一段话汇报即可；没有的信息要注明没有。{date}",
    ),
}

REACT = {
    "en": (
        "Help the user. You may look things up with the tools at hand, as often as it takes; once you know enough, reply in "
        "words. Rely on nothing but what the tools told you. Today: {date}.",
        "Work towards an answer in small moves: decide what you still do not know, fetch it, look at it, repeat. The "
        "final move is a plain written answer. Admit gaps. {date}",
        "You have some functions. Use them to find out what the question needs, then answer it in prose. The date is {date}.",
    ),
    "zh": (
        "请回答用户的问题。可以反复调用工具查资料，直到信息足够，再用文字作答；只依据工具返回的内容。今天是 {date}。",
        "一步一步来：想想还缺什么，用工具查，看结果，再想。最后直接写出回答，缺的内容如实说明。日期 {date}。",
        "你手边有几个函数，用它们查清问题，然后用自然语言回答。{date}",
    ),
}

REPLANNER = {
    "en": (
        "Some of a plan has been done. Look at what is still to do and decide whether it is still the right thing. Change as "
        "little as possible: drop what has become superfluous, insert what is plainly lacking, swap what is in the "
        'wrong order. Reply with the steps left, as a JSON array of {{"id", "goal"}} (null as id for new ones), an empty '
        "array if there are none; no more than {room}. {date}",
        "Review the open steps in the light of the results so far. Usually nothing needs to change and you repeat them as they "
        "are. Finished work is not to be listed. JSON array only, objects with id and goal, at most {room} of them. "
        "Date {date}.",
        'Return the to-do list that remains, in JSON: [{{"id": 4, "goal": "..."}}]. Keep ids of steps you keep. Be '
        "reluctant to change it. Limit: {room}. Today is {date}.",
    ),
    "zh": (
        "计划已经执行了一部分。请看看剩下的步骤是否仍然合适，能不改就不改：多余的去掉，明显缺的补上，次序错的换过来。"
        "输出剩余步骤的 JSON 数组，元素含 id 和 goal（新增的 id 填 null），没有剩余就输出空数组，至多 {room} 个。{date}",
        "根据目前的结果审视未完成的步骤，一般原样列出即可，做完的不要再列。只返回 JSON 数组，最多 {room} 项。日期：{date}。",
        '请给出接下来还要做的事，格式 [{{"id": 4, "goal": "…"}}]，保留原有编号，尽量不改动，不超过 {room} 条。今天 {date}。',
    ),
}

REPORTER = {
    "en": (
        "Everything that could be found lies before you as results. Turn it into the reply the user is waiting for: the "
        "answer at the top, figures with units and where they come from, then what is missing. Only what is in the "
        "results. A survey is divided into sections. {date}",
        "Write up the outcome. Sources of information: the results given, nothing else. Say openly which parts failed. "
        "Prose, with headings if it is a report. Date: {date}.",
        "Compose the final text for the task from these findings; do not embellish, and list what nobody could find. Today "
        "is {date}.",
    ),
    "zh": (
        "各步骤的结果都在这里了。请据此写出给用户的最终答复：先给结论，再列数字（带单位）和出处，最后说明缺了什么；不得添加结果以外的内容。{date}",
        "请整理成文，只能使用所给结果，没做成的部分要写明；如果是调研就分节写。日期：{date}。",
        "把这些发现写成任务的最终文本，不夸大，不虚构，并列出没有查到的内容。今天是 {date}。",
    ),
}

ROUTER = {
    "en": (
        'Classify the question, do not solve it. Say in JSON {{"route": ..., "parts": [...]}} which of three ways fits: '
        '"direct" if one round of calls is enough, "chain" if some call has to wait for what another returns, "parallel" if '
        "it is really several separate questions (then give them as parts). {date}",
        'Pick a procedure for the request: "direct", "chain" or "parallel". The test is whether anything has to be known '
        'before something else can be asked. Output an object with the keys "route" and "parts" in JSON. Date {date}.',
        "Before work begins, tell us its shape. One JSON object, field route: direct (a single batch of look-ups), chain "
        "(steps that build on each other) or parallel (unrelated pieces; list them in parts). Today: {date}.",
    ),
    "zh": (
        '只做分类，不作答：一次调用就够的是 "direct"，后一步要用前一步结果的是 "chain"，由互不相关的几个问题组成的是 "parallel"（写进 parts）。'
        '用 JSON 对象 {{"route": …, "parts": […]}} 回答。{date}',
        "请判断这个请求的处理方式：direct、chain 或 parallel，看有没有哪一步必须等另一步的结果。返回含 route 和 parts 两个键的 JSON。日期 {date}。",
        "动手之前先说明任务的形状，输出一个 JSON 对象，route 取 direct（一轮查询）、chain（环环相扣）或 parallel（各自独立，列在 parts 里）。今天 {date}。",
    ),
}

STOP_RULES = {
    "en": (
        "If you search twice and nothing turns up, leave it and move on.",
        "Two fruitless look-ups are the limit: after the second one give up on that item.",
        "Not found two times running? Then do not try again; state that it is missing.",
    ),
    "zh": (
        "连续两次查不到就放弃，不要再搜。",
        "搜索两次都没有结果时，停止查找并说明没有数据。",
        "如果第二次仍然一无所获，就别再试了，直接写明缺失。",
    ),
}
