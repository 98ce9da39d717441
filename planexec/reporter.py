"""The reporter: one last call that writes the answer from the steps' results, and from nothing else."""

from __future__ import annotations

import json
from collections.abc import Sequence

from planexec.chat import REPORT_TOKENS, system, user
from planexec.gate import ROOT, Ended
from planexec.handed_on import handed_on
from planexec.result import StepDone, _short
from planexec.run import Run
from planexec.verdicts import Stop, describe

PROMPT = {
    "en": (
        "You write the final answer to the task from the results of the steps, and from nothing else. Answer the task "
        "itself first; then key figures with units, dates and sources; then, plainly, what could not be found or was "
        "not done. A survey or report gets chapters and about 2,000 words. Make nothing up. Today is {date}."
    ),
    "zh": (
        "你根据各步骤的结果写出任务的最终答案，不得使用其他内容。先直接回答任务，"
        "再写关键数字（带单位）、日期和来源，最后明确说明哪些没有查到或没有做。"
        "调研或报告要分章节，约两千字。不得编造。今天是 {date}。"
    ),
}


def report(run: Run, question: str, done: Sequence[StepDone], stop: Stop | None = None) -> tuple[str, Stop | None]:
    """The answer to `question`, and `stop` or why no model could be asked for it; then code makes a digest."""
    data = {"task": question, "date": run.date, "results": handed_on(done, run.lang)}
    if stop is not None:
        data["stopped"] = describe(stop, run.lang)
    messages = [
        system(PROMPT[run.lang].format(date=run.date)),
        user(json.dumps(data, ensure_ascii=False)),
    ]
    try:
        reply = run.within("report").model(messages, max_tokens=REPORT_TOKENS, last=True)
    except Ended as ended:
        if stop is None and (ended.stop.reason in ("paused", "stopped") or ended.level != ROOT):
            raise
        stop = stop or ended.stop
        return digest(done, stop, run.lang), stop
    answer = reply.text.strip() if reply.complete else ""
    return answer or digest(done, stop, run.lang), stop


def digest(done: Sequence[StepDone], stop: Stop | None, lang: str) -> str:
    """The results of the steps, put together by code: an answer that never fails and never invents."""
    lines = [describe(stop, lang)] if stop is not None else []
    head = {"en": "Results of the steps (put together without a model):", "zh": "各步骤的结果（未经模型整理）："}
    lines.append(head[lang])
    for step in done:
        lines.append(f"{step.id}. {step.goal} [{step.status}]: {_short(step.answer, 600)}")
    return "\n".join(lines)
