"""What a guard can decide, why a run stops, and what to try next.

Where several guards answer, the strongest wins: halt, conclude, refuse, ask, nudge. When a limit and a counter fire
at the same moment the limit is the reason, and both are named.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

Action = Literal["nudge", "ask", "refuse", "conclude", "halt"]
STRENGTH = {"nudge": 1, "ask": 2, "refuse": 3, "conclude": 4, "halt": 5}


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a run or a step ended before it was done.

    `reason` is the name of any limit ("max_steps"; of one step "per_step.max_steps"), or one of these:
    "no_data": nothing was found; "loop": it repeated itself; "enough": it had a result and went on;
    "failed": the model, a service or every call failed; "refused": a person or a rule did not allow it;
    "no_answer": the model ended without a usable answer; "blocked": a result that the step needs is missing;
    "guard_failed": a guard raised; "paused": it waits for a person; "stopped": a person ended it;
    or what a guard or loop of your own puts there.
    `limit` is what was allowed and `value` what was reached, in the unit of the reason; `where` is the scope.
    `advice` says what to try next; `also` names everything else that was violated at the same moment.
    """

    reason: str
    limit: float | None = None
    value: float | None = None
    where: str = ""
    advice: str = ""
    also: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {f.name: list(v) if isinstance(v := getattr(self, f.name), tuple) else v for f in fields(self)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Stop:
        return cls(**{**data, "also": tuple(data.get("also", ()))})


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a guard decided. `note` is the line the model reads; `stop` says why, for a conclusion or a halt.

    A conclusion or a halt that comes without a `stop` gets one: reason "refused", with the note as its advice. A `stop`
    with any other action ends the step as well, by a conclusion. ValueError for an action that there is not.
    """

    action: Action
    note: str = ""
    stop: Stop | None = None

    def __post_init__(self) -> None:
        if self.action not in STRENGTH:
            raise ValueError(f"a guard decides one of {', '.join(STRENGTH)}, or None to go on; got {self.action!r}")
        if self.stop is None and STRENGTH[self.action] >= STRENGTH["conclude"]:
            object.__setattr__(self, "stop", Stop("refused", advice=self.note or ADVICE["refused"][0]))

    def to_dict(self) -> dict[str, Any]:
        return {"action": self.action, "note": self.note, "stop": self.stop.to_dict() if self.stop else None}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Verdict:
        return cls(data["action"], data["note"], Stop.from_dict(data["stop"]) if data["stop"] else None)


@dataclass(frozen=True, slots=True)
class Noted:
    """A verdict as it appears in a `Result`: what was decided, where, and the line or the reason."""

    action: str
    where: str
    text: str
    stop: Stop | None = None

    def to_dict(self) -> dict[str, Any]:
        stop = self.stop.to_dict() if self.stop else None
        return {"action": self.action, "where": self.where, "text": self.text, "stop": stop}


def strongest(verdicts: Iterable[Verdict | None]) -> Verdict | None:
    """The verdict that wins; a stop names the reasons of the other stops in `also`, a limit before a counter."""
    given = [verdict for verdict in verdicts if verdict is not None]
    if not given:
        return None
    best = max(given, key=lambda verdict: (STRENGTH[verdict.action], bool(verdict.stop and _is_limit(verdict.stop))))
    others = [v.stop.reason for v in given if v.stop and v is not best]
    return replace(best, stop=with_also(best.stop, others)) if best.stop and others else best


def with_also(stop: Stop, others: Iterable[str]) -> Stop:
    """The stop, naming further reasons: each once, and never its own."""
    also = tuple(name for name in dict.fromkeys((*stop.also, *others)) if name != stop.reason)
    return replace(stop, also=also)


PER_STEP = "per_step."  # before the name of a limit that belongs to one step: "per_step.max_steps"


def _is_limit(stop: Stop) -> bool:
    return stop.reason.startswith(("max_", PER_STEP))


ADVICE = {
    "max_steps": (
        "Raise max_steps (a turn for each thing to look up or work out, plus 2 or 3), or make the task smaller.",
        "调大 max_steps（每项要查或要算的内容一轮，再加 2 到 3 轮），或把任务拆小。",
    ),
    "max_model_calls": (
        "Raise max_model_calls, or plan fewer steps.",
        "调大 max_model_calls，或减少计划的步骤。",
    ),
    "max_tool_calls": (
        "Raise max_tool_calls, or ask a question that needs fewer look-ups.",
        "调大 max_tool_calls，或提一个查询更少的问题。",
    ),
    "max_calls_per_tool": (
        "Raise max_calls_per_tool, or give the agent another tool for this.",
        "调大 max_calls_per_tool，或换一个工具。",
    ),
    "max_seconds": (
        "Raise max_seconds, or look for the slow tool in the run's times.",
        "调大 max_seconds，或在运行记录里找出慢的工具。",
    ),
    "max_usd": (
        "Raise max_usd, use a cheaper model, or plan fewer steps.",
        "调大 max_usd，换更便宜的模型，或减少步骤。",
    ),
    "max_tokens": (
        "Raise max_tokens, or shorten what the tools return.",
        "调大 max_tokens，或缩短工具的返回内容。",
    ),
    "max_replans": (
        "Raise max_replans, or look at why the plan keeps changing.",
        "调大 max_replans，或看看计划为什么一直在变。",
    ),
    "max_plan_steps": (
        "Raise max_plan_steps, or answer without a plan (loop='react').",
        "调大 max_plan_steps，或不做计划直接回答（loop='react'）。",
    ),
    "max_attempts": (
        "max_attempts = 0 lets nothing be tried; 1 is one attempt without a second.",
        "max_attempts = 0 时什么都不会执行；1 表示只试一次。",
    ),
    "no_data": (
        "The data is not there under this name: add a source, or ask without it.",
        "数据源里没有这项数据：补充数据源，或去掉这一项再问。",
    ),
    "loop": (
        "The agent repeats itself: change the question or the tool; a larger budget will not help.",
        "智能体在重复自己：换问法或换工具，加预算没有用。",
    ),
    "enough": (
        "It had a result and went on: if it needed more, raise the calls of the `Enough` guard.",
        "已有结果仍继续查：如确需更多，请调大 `Enough` 的次数。",
    ),
    "no_answer": (
        "The model ended without an answer, or its answer was cut: try again, or another model.",
        "模型没有给出答案，或答案被截断：请重试或换一个模型。",
    ),
    "failed": (
        "A service failed: read the error and mend its cause; then fork the run before this step (planexec fork --at) "
        "and resume the copy, or ask again.",
        "服务出错：先按错误信息排除原因，再从这一步之前另开分支（planexec fork --at）继续，或重新提问。",
    ),
    "refused": (
        "A call was not allowed: read the reason, and ask for something else or have a person agree.",
        "调用未获允许：看清理由，换个要求，或请人同意。",
    ),
    "paused": ("Answer the open request, then resume the run.", "回答待处理的请求，然后继续运行。"),
    "stopped": ("A person stopped this run; resume or fork it to go on.", "运行被人停止；可恢复或另开分支。"),
}


def advice_for_part(reason: str, parts: int, lang: str) -> str:
    """What to try next when one of the parts of a split run has used up its share of a limit."""
    if lang == "zh":
        return f"{parts} 个部分各得一份，其中一个用完了自己的份额：调大整个运行的 {reason}，或一次少问几件事。"
    return f"One of {parts} parts used up its share: raise {reason} of the whole run, or ask fewer things at once."


def describe(stop: Stop, lang: str = "en") -> str:
    """'Stopped in step-1: max_steps (limit 3, reached 3). Raise max_steps ...' - one line for a learner."""
    if lang == "zh":
        numbers = "" if stop.limit is None else f"（上限 {stop.limit:g}，已到 {stop.value or 0:g}）"
        also = f"同时触发：{'、'.join(stop.also)}。" if stop.also else ""
        return f"在 {stop.where or 'run'} 停止：{stop.reason}{numbers}。{also}{stop.advice}"
    numbers = "" if stop.limit is None else f" (limit {stop.limit:g}, reached {stop.value or 0:g})"
    also = f" Also: {', '.join(stop.also)}." if stop.also else ""
    return f"Stopped in {stop.where or 'run'}: {stop.reason}{numbers}.{also} {stop.advice}".strip()


def advice(reason: str, lang: str) -> str:
    """What to try next, in the run's language."""
    if reason.startswith(PER_STEP):
        name = reason.removeprefix(PER_STEP)
        en = f"A limit of one step: raise {name} in limits.per_step, or make the step smaller."
        zh = f"这是单个步骤的上限：调大 limits.per_step 的 {name}，或把这一步拆小。"
        return zh if lang == "zh" else en
    texts = ADVICE.get(reason, ("", ""))
    return texts[1] if lang == "zh" else texts[0]
