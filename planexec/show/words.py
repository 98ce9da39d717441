"""The words in which runs are shown, in English and Chinese."""

from __future__ import annotations

LANGUAGES = ("en", "zh")

LABELS = {
    "route": ("route", "路由"),
    "plan": ("plan", "计划"),
    "step": ("step", "步骤"),
    "part": ("part", "部分"),
    "call": ("call", "调用"),
    "found": ("found", "查到"),
    "empty": ("empty", "无结果"),
    "failed": ("failed", "失败"),
    "refused": ("refused", "拒绝"),
    "unknown": ("unknown", "不明"),
    "nudge": ("nudge", "提醒"),
    "note": ("note", "说明"),
    "stop": ("stop", "停止"),
    "model": ("model", "模型"),
    "thought": ("thought", "思考"),
    "replan": ("replan", "改计划"),
    "wait": ("wait", "等待"),
    "ask": ("ask", "问人"),
    "done": ("done", "完成"),
    "ended": ("ended", "结束"),
    "replayed": ("replayed", "重放"),
    "answer": ("answer", "回答"),
    "totals": ("totals", "合计"),
    "question": ("question", "问题"),
    "run": ("run", "运行"),
    "next": ("next", "下一步"),
}

WORDS = {
    "chain": ("chain: later steps need earlier results", "链式：后面的步骤要用前面的结果"),
    "direct": ("direct: the calls of one reply answer it", "直接：一次回复里的调用就能回答"),
    "parallel": ("parallel: independent parts", "并行：互不依赖的几部分"),
    "router": ("router", "路由"),
    "planner": ("planner", "规划"),
    "replanner": ("replanner", "重规划"),
    "reporter": ("reporter", "报告"),
    "conclusion": ("conclusion", "收尾"),
    "tokens": ("{} + {} tokens, {:.1f} s", "{} + {} 词元，{:.1f} 秒"),
    "cut": ("cut at the token limit", "达到词元上限被截断"),
    "filtered": ("filtered by the service", "被服务过滤"),
    "unchanged": ("the rest of the plan stays as it is", "剩余计划不变"),
    "nothing_left": ("nothing is left to do", "没有剩余步骤"),
    "unreadable": ("could not be read, the plan stays: {}", "无法读取，计划不变：{}"),
    "new": ("new", "新增"),
    "dropped": ("dropped: {}", "删去：{}"),
    "degraded": ("a smaller plan than asked for: {}", "计划不完整：{}"),
    "smaller": ("carried out with a smaller plan than asked for", "按不完整的计划执行"),
    "role": ("{}: {}", "{}：{}"),
    "status_done": ("done", "完成"),
    "status_no_data": ("no data", "没有数据"),
    "status_failed": ("failed", "失败"),
    "status_blocked": ("blocked by a step it needs", "被所依赖的步骤阻塞"),
    "status_stopped": ("stopped", "被停止"),
    "status_open": ("not begun", "未开始"),
    "again": ("{} - trying again", "{}（将重试）"),
    "begun": ("began; how it ended is not recorded", "已开始，结果没有记录"),
    "waited": ("{:.1f} s", "{:.1f} 秒"),
    "unanswered": ("{} - waiting for an answer (id {})", "{}（等待回答，编号 {}）"),
    "nobody": ("{} - nobody was there", "{}（无人在场）"),
    "replayed": ("{} recorded effects, none carried out again", "{} 个已记录的动作，均未重新执行"),
    "stop": ("{reason} in {where}", "{reason}，位置 {where}"),
    "numbers": (": limit {limit:g}, reached {value:g}", "：上限 {limit:g}，已到 {value:g}"),
    "also": (" Also: {}.", "同时触发：{}。"),
    "period": (".", "。"),
    "complete": ("complete", "完整"),
    "incomplete": ("not complete", "不完整"),
    "used": (
        "{state}; {steps} steps, {model_calls} model calls, {tool_calls} tool calls, {replans} replans, "
        "{tokens:,} tokens, {usd}, {seconds:.1f} s",
        "{state}；{steps} 步，模型调用 {model_calls} 次，工具调用 {tool_calls} 次，改计划 {replans} 次，"
        "{tokens:,} 词元，{usd}，{seconds:.1f} 秒",
    ),
    "no_price": ("price unknown", "价格未知"),
    "no_answer": ("(no answer)", "（没有回答）"),
    "unfinished": (
        "Not finished: it was interrupted, or is still running. To go on: planexec resume {}",
        "尚未结束：被中断，或仍在运行。继续：planexec resume {}",
    ),
    "unfinished_own": (
        "Not finished: it was interrupted, or is still running. To go on: start the program that made it again.",
        "尚未结束：被中断，或仍在运行。继续：重新启动生成它的程序。",
    ),
    "unfinished_here": ("Not finished.", "尚未结束。"),
    "header": (
        "{world}model {model}, language {lang}, seed {seed}, today is {date}",
        "{world}模型 {model}，语言 {lang}，种子 {seed}，今天是 {date}",
    ),
    "world": ("world {}, ", "世界 {}，"),
    "by_question": ("{} (chosen by the question; --world takes another)", "{}（按问题选择，可用 --world 指定）"),
    "by_default": ("{} (the default; --world takes another)", "{}（默认，可用 --world 指定）"),
    "was": ("{} (so far {})", "{}（此前为 {}）"),
    "saved_in": (", saved in {}", "，保存在 {}"),
    "give_more": ("planexec resume {} {}", "planexec resume {} {}"),
    "reply_to": (
        "{text}\nplanexec answer {run}{id} approve    (or {others})\nplanexec resume {run}",
        "{text}\nplanexec answer {run}{id} approve    （或 {others}）\nplanexec resume {run}",
    ),
    "try_again": ("planexec resume {}", "planexec resume {}"),
    "asking": ("asking {} ...", "正在询问 {} …"),
    "here_y": ("yes, carry it out", "同意执行"),
    "here_n": ("no; a reason may follow:  n not to outside addresses", "不执行；可附理由：n 不要发到外部地址"),
    "here_e": ('with other arguments:  e {{"to": "team@example.org"}}', '改参数后执行：e {{"to": "team@example.org"}}'),
    "here_r": ("reply instead; the agent gets your words:  r WORDS", "不执行，用你的话答复：r 内容"),
    "here_g": ("give the run more:  g max_steps=12", "放宽上限：g max_steps=12"),
    "here_s": ("stop the run", "停止运行"),
    "here_l": ("later: the run waits", "以后再说：运行等待"),
    "here_which": ("one of {}, then Enter", "请输入 {} 之一，然后回车"),
    "here_json": ("the arguments are not JSON: {}", "参数不是 JSON：{}"),
    "here_args": (
        'an edit needs the new arguments, as a JSON object:  e {{"to": "team@example.org"}}',
        '修改需要新的参数，写成 JSON 对象：e {{"to": "team@example.org"}}',
    ),
    "here_limits": ("a grant needs limits:  g max_steps=12", "放宽需要写明上限：g max_steps=12"),
    "here_words": ("a reply needs its words", "答复需要内容"),
    "differs": ("differs from the recording at {}", "与记录不同：{}"),
    "granted": ("later granted: {}", "后来放宽：{}"),
}


def say(key: str, lang: str, /, *values: object, **named: object) -> str:
    """say("waited", "en", 2.0) -> "2.0 s" """
    return WORDS[key][lang == "zh"].format(*values, **named)


def label(key: str, lang: str) -> str:
    return LABELS[key][lang == "zh"]
