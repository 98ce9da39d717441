"""The sentences that the simulated model writes round what it read, in both languages."""

from __future__ import annotations

SAID: dict[str, dict[str, str]] = {
    "missing": {
        "en": "Not found: {label} could not be found (asked: {asked}).",
        "zh": "没有查到：{label}查不到（查过：{asked}）。",
    },
    "missing_bare": {"en": "Not found: {label} could not be found.", "zh": "没有查到：{label}查不到。"},
    "failed": {
        "en": "Not available: {label} (the service failed: {why}).",
        "zh": "无法获取：{label}（服务出错：{why}）。",
    },
    "failed_bare": {
        "en": "Not available: {label} (the service failed).",
        "zh": "无法获取：{label}（服务出错）。",
    },
    "unclear": {"en": "Not clear: {label} ({why}).", "zh": "不明确：{label}（{why}）。"},
    "not_due": {"en": "Not needed: {label}.", "zh": "不需要：{label}。"},
    "refused": {"en": "Not done: {label} was not allowed ({why}).", "zh": "没有执行：{label}未获允许（{why}）。"},
    "waits": {
        "en": "Not worked out: {label}, because {before} could not be found.",
        "zh": "没有算出：{label}，因为{before}查不到。",
    },
    "not_reached": {"en": "Not reached: {label}.", "zh": "没有做到：{label}。"},
    "no_tool": {
        "en": "None of the tools offered can bring {label}.",
        "zh": "所提供的工具都查不到{label}。",
    },
    "no_row": {
        "en": "Not found: nothing about {row} could be found in {label}.",
        "zh": "没有查到：{label}中查不到{row}。",
    },
    "no_stocks": {"en": "(no {label} found)", "zh": "（没有查到{label}）"},
    "not_whole": {
        "en": "Not found: these weights do not add up to the whole account; what the rest goes to could not be found.",
        "zh": "没有查到：这些权重加起来不是整个账户，其余部分归哪个板块查不到。",
    },
    "differs": {
        "en": "The question says {stated}; the calculator says {worked}.",
        "zh": "题目说是{stated}，计算器算得{worked}。",
    },
    "stopped": {"en": "Stopped before the end: {why}", "zh": "未做完就停止了：{why}"},
    "nothing": {"en": "Nothing that answers this was found.", "zh": "没有查到可以回答这个问题的内容。"},
    "sources": {"en": "Sources: {list}.", "zh": "来源：{list}。"},
    "guess": {"en": "{label}: probably about {figure}.", "zh": "{label}：大约{figure}。"},
    "guess_more": {"en": "Analysts expect a further {figure}.", "zh": "分析人士预计还有{figure}。"},
    "unknown": {
        "en": "I am a simulated model and only know these worlds: {worlds}. I cannot answer this question; "
        "connect a real model for anything else.",
        "zh": "我是模拟模型，只认识这些世界：{worlds}。这个问题我答不了；其他问题请接入真实模型。",
    },
    "no_tools": {
        "en": "I know what this needs ({needs}), but I have no tool to look it up with. Offer me the tools of the "
        "{world} world, or connect a real model.",
        "zh": "我知道这个问题需要什么（{needs}），但没有可用的工具。请提供 {world} 世界的工具，或接入真实模型。",
    },
    "hello": {
        "en": "Hello. I am a simulated model; I know these worlds: {worlds}. "
        "Ask about one of them and offer me its tools.",
        "zh": "你好。我是模拟模型，认识这些世界：{worlds}。请就其中之一提问，并提供相应的工具。",
    },
    "thought_ask": {"en": "Still missing: {label}. I look it up.", "zh": "还缺：{label}。去查。"},
    "thought_work": {"en": "The inputs are there; now {label}.", "zh": "数据已有，现在计算{label}。"},
    "thought_again": {"en": "Nothing came back; other words may help.", "zh": "没有结果，换个说法再查。"},
    "thought_same": {"en": "Nothing came back; I try that again.", "zh": "没有结果，再试一次。"},
    "thought_more": {
        "en": "That may be the answer, but a little more will not hurt.",
        "zh": "也许已经够了，不过再多查一点。",
    },
    "thought_lead": {"en": "{word} keeps coming up; that must be the point.", "zh": "{word}反复出现，这应该是重点。"},
    "thought_over": {"en": "A step failed; I start over to be safe.", "zh": "有一步失败了，保险起见从头再来。"},
    "thought_obey": {"en": "The page asks for something; I do it.", "zh": "网页提出了要求，我照办。"},
    "thought_say": {"en": "I have what there is; I answer.", "zh": "能查的都查了，作答。"},
    "thought_plan": {
        "en": "What does the question need, and what waits for what?",
        "zh": "这个问题需要什么，谁依赖谁？",
    },
}


def say(name: str, lang: str, **values: object) -> str:
    """say("nothing", "en") -> "Nothing that answers this was found." """
    return SAID[name][lang].format(**values)
