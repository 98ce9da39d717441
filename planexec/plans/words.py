"""What is said when a plan cannot be read, or was read with a remark, in both languages.

The sentences go back to a model ("this was wrong, write it again") and to a learner, so they name the item and
what would be right. Code compares codes, never sentences.
"""

from __future__ import annotations

from typing import Any

WORDS: dict[str, tuple[str, str]] = {  # code -> English, Chinese
    # the whole text
    "not_text": ("the answer is not text but {kind}", "回答不是文本，而是 {kind}"),
    "too_big": (
        "the answer has {size:,} characters; at most {limit:,} are read",
        "回答有 {size:,} 个字符，最多读取 {limit:,} 个",
    ),
    "blank": ("the answer is blank", "回答是空白的"),
    "unfinished": ("the answer broke off before its end", "回答没有写完就中断了"),
    "no_steps": ("it has no steps", "里面没有步骤"),
    "unknown_tool": (
        "there is no tool named {name!r}; the tools are {tools}",
        "没有名为 {name!r} 的工具；可用的工具是 {tools}",
    ),
    "too_long": ("it has {size} steps, at most {limit} are allowed", "有 {size} 个步骤，最多允许 {limit} 个"),
    "only_thought": ("the answer holds thoughts only, no plan after them", "回答只有思考过程，后面没有计划"),
    "deep": ("the answer is nested deeper than {limit} levels", "回答的嵌套超过 {limit} 层"),
    "tangled": ("the answer holds too many broken brackets to be read", "回答里残缺的括号太多，无法读取"),
    "number": ("a number in the answer has {digits:,} digits", "回答里有一个 {digits:,} 位的数字"),
    "constant": ("{name} is not a JSON value", "{name} 不是合法的 JSON 值"),
    "same_key": ("the key {key!r} stands twice in one object", "同一个对象里键 {key!r} 出现了两次"),
    "no_list": (
        "no list of steps was found: a JSON array, or lines with numbers or bullets",
        "没有找到步骤列表：需要 JSON 数组，或带编号、项目符号的多行列表",
    ),
    "cut": ("the answer ends in the middle of the list: it was cut", "回答在列表中途结束：内容被截断了"),
    "broken": (
        "the brackets hold broken JSON that cannot be repaired without guessing",
        "括号里的 JSON 有错误，不靠猜测无法修复",
    ),
    "two_lists": ("more than one list could be the plan: {keys}", "有多个列表都可能是计划：{keys}"),
    "stray_step": ("a step stands outside any list", "有一个步骤写在列表之外"),
    "mixed": (
        "a list in lines and a JSON list stand side by side: which of the two is the plan?",
        "多行列表和 JSON 列表同时出现：哪一个才是计划？",
    ),
    "empty_unclear": (
        "an empty list stands beside a list of steps: which of the two is meant?",
        "步骤列表旁边有一个空列表：指的是哪一个？",
    ),
    # items of a list
    "not_step": ("item {number} is {kind}, not a step", "第 {number} 项是 {kind}，不是步骤"),
    "no_goal": ("item {number} is an object without a goal in words", "第 {number} 项是对象，但没有用文字写明目标"),
    "sub_steps": (
        "item {number} holds a list of steps of its own; write one flat list",
        "第 {number} 项里又含有步骤列表；请写成一个平铺的列表",
    ),
    "bad_tool": ("the tool of item {number} is not a name", "第 {number} 项的 tool 不是名称"),
    "bad_args": ("the args of item {number} are not an object", "第 {number} 项的 args 不是对象"),
    "bad_need": ("the needs of item {number} are not ids of steps", "第 {number} 项的 needs 不是步骤编号"),
    "only_blank": ("the list holds blank items only", "列表里只有空白项"),
    "too_many": (
        "the list has {size:,} items; at most {limit:,} are read",
        "列表有 {size:,} 项，最多读取 {limit:,} 项",
    ),
    # lists in lines
    "blank_line": (
        "item {number} of the list is blank: the answer may have been cut",
        "列表第 {number} 项是空白：回答可能被截断",
    ),
    "gap": ("the numbering jumps from {last} to {number}", "编号从 {last} 跳到了 {number}"),
    "again": ("the numbering starts again in the middle of the list", "编号在列表中途重新开始"),
    "starts": (
        "the numbering starts at {number}; what stands before it is not on a line of its own",
        "编号从 {number} 开始；之前的步骤没有独占一行",
    ),
    "interrupted": (
        "the numbered list is interrupted by other text before {number}",
        "编号列表在第 {number} 项之前被其他文字打断",
    ),
    "one_line": (
        "several numbered steps stand in one line; write one step a line",
        "多个编号步骤写在同一行；请每行写一个步骤",
    ),
    "sections": ("the steps are spread over several sections; write one list", "步骤分散在几个部分里；请写成一个列表"),
    # the plan as a whole
    "same_id": ("two steps have the id {id}", "有两个步骤的编号都是 {id}"),
    "unknown_need": (
        "step {id} needs step {need}, which is not in the plan",
        "步骤 {id} 依赖步骤 {need}，但计划里没有它",
    ),
    "unknown_reference": (
        "step {id} refers to the result of step {need}, which is not in the plan",
        "步骤 {id} 引用了步骤 {need} 的结果，但计划里没有它",
    ),
    "cycle": ("steps wait for each other in a circle: {ids}", "步骤之间互相等待，形成循环：{ids}"),
    "only_finished": ("the answer names only steps that are finished already", "回答里只有已经完成的步骤"),
    # remarks on a plan that was read
    "blank_dropped": ("{count} blank item(s) left out", "略去 {count} 个空白项"),
    "same_dropped": ("said twice, kept once: {goal}", "重复的步骤只保留一次：{goal}"),
    "goal_cut": (
        "the goal of step {id} was cut from {size:,} to {limit:,} characters",
        "步骤 {id} 的目标从 {size:,} 字截短为 {limit:,} 字",
    ),
    "args_dropped": (
        "step {id} has args but no tool; the args were left out",
        "步骤 {id} 有 args 却没有 tool，args 已略去",
    ),
    "several": ("{count} lists found; the last one is the plan", "找到 {count} 个列表，以最后一个为计划"),
    "repaired": ("broken JSON was repaired", "残缺的 JSON 已修复"),
    "lines_beside": (
        "a list in lines beside the JSON list was not read as steps",
        "JSON 列表之外的多行列表没有当作步骤",
    ),
    "joined": (
        "text between two items was taken as part of the item before it",
        "两项之间的文字已并入前一项",
    ),
    "finished_dropped": ("finished already, left out: {goal}", "已经完成，不再执行：{goal}"),
    "reworded": ("step {id} has new words", "步骤 {id} 换了说法"),
    "sorted": (
        "the order was changed so that every step comes after those it needs",
        "调整了顺序，使每个步骤排在它依赖的步骤之后",
    ),
    "cut_mark": (" … [cut, {size:,} characters]", " ……［已截断，原有 {size:,} 字］"),
    # references
    "no_result": ("step {id} has no result yet", "步骤 {id} 还没有结果"),
    "not_found": ("step {id} found nothing", "步骤 {id} 没有找到结果"),
    "no_step": ("there is no step {id}", "没有步骤 {id}"),
    "no_data": ("the result of step {id} has no named fields", "步骤 {id} 的结果没有可引用的字段"),
    "no_field": (
        "the result of step {id} has no field {field!r}; it has: {names}",
        "步骤 {id} 的结果没有字段 {field!r}；现有字段：{names}",
    ),
    "null_field": ("the field {field!r} of step {id} is null", "步骤 {id} 的字段 {field!r} 是空值"),
}

Remark = tuple[str, dict[str, Any]]  # a code and its values


def say(code: str, lang: str = "en", **values: Any) -> str:
    """say("same_id", id=3) -> "two steps have the id 3" """
    return WORDS[code][lang == "zh"].format(**values)


def say_all(remarks: list[Remark], lang: str = "en") -> str:
    """Several remarks as one line, each said once."""
    return "; ".join(dict.fromkeys(say(code, lang, **values) for code, values in remarks))


class PlanError(ValueError):
    """A plan that cannot be: `code` says why for code, `.say(lang)` for people. `str()` is English."""

    def __init__(self, code: str, **values: Any):
        super().__init__(say(code, **values))
        self.code = code
        self.values = values

    def say(self, lang: str = "en") -> str:
        return say(self.code, lang, **self.values)
