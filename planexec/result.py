"""What a run comes back with: the answer, whether it is complete, why it stopped, and everything it did."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from planexec.languages import either
from planexec.limits import Meter
from planexec.verdicts import Noted, Stop, describe


@dataclass(slots=True)
class CallDone:
    """One tool call and what it brought."""

    tool: str
    args: dict[str, Any] | None
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class StepDone:
    """One line of the plan and how it ended.

    `status`: "done", "no_data", "failed", "blocked" (a result it refers to is missing), "stopped" or "open" (never
    begun).
    """

    id: int
    goal: str
    status: str
    answer: str = ""
    calls: tuple[CallDone, ...] = ()
    data: Any = None
    stop: Stop | None = None
    expects: str = "found"

    @property
    def met(self) -> bool:
        """True when the step brought what the plan expects of it: a finding, or, if "optional", an honest none."""
        return self.status == "done" or (self.expects == "optional" and self.status == "no_data")

    @property
    def found(self) -> bool:
        return self.status == "done"

    @property
    def text(self) -> str:
        return self.answer


@dataclass(frozen=True, slots=True)
class RunUsage:
    """What the run used: counts, tokens, dollars (None when no price is known) and seconds of working time."""

    steps: int
    model_calls: int
    tool_calls: int
    prompt_tokens: int
    completion_tokens: int
    usd: float | None
    seconds: float

    @classmethod
    def of(cls, meter: Meter, priced: bool) -> RunUsage:
        return cls(
            meter.steps,
            meter.model_calls,
            meter.tool_calls,
            meter.prompt_tokens,
            meter.completion_tokens,
            round(meter.usd, 6) if priced else None,
            round(meter.seconds, 3),
        )


@dataclass(frozen=True)
class Result:
    """`complete` says that the outcome was reached, not that it is right; `stop` says why it was not reached.

    `degraded`: the plan could not be read and a smaller one was used. `verdicts`: every nudge, refusal, fallback and
    stop. `first_difference`: where this run first departed from the recording that it followed, if it did. `lang`: of
    the run, in which a notebook shows the result.
    """

    answer: str
    complete: bool
    stop: Stop | None
    usage: RunUsage
    plan: tuple[str, ...] = ()
    steps: tuple[StepDone, ...] = ()
    replans: int = 0
    degraded: bool = False
    route: str = ""
    verdicts: tuple[Noted, ...] = ()
    first_difference: str = ""
    lang: str = "en"

    @property
    def calls(self) -> tuple[CallDone, ...]:
        """Every tool call of the run, in order."""
        return tuple(call for step in self.steps for call in step.calls)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; the shape that `planexec run --json` prints."""
        usage = self.usage
        return {
            "answer": self.answer,
            "complete": self.complete,
            "stop": self.stop.to_dict() if self.stop else None,
            "plan": list(self.plan),
            "steps": [
                {
                    "id": step.id,
                    "goal": step.goal,
                    "status": step.status,
                    "answer": step.answer,
                    "calls": [
                        {"tool": call.tool, "args": call.args, "kind": call.kind, "text": call.text}
                        for call in step.calls
                    ],
                }
                for step in self.steps
            ],
            "usage": {name: getattr(usage, name) for name in RunUsage.__slots__},
            "replans": self.replans,
            "degraded": self.degraded,
            "route": self.route,
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
            "first_difference": self.first_difference,
        }

    def outcome(self) -> dict[str, Any]:
        """What the journal keeps of it: all but the calls, which are in its records."""
        data = self.to_dict()
        for step in data["steps"]:
            del step["calls"]
        return data

    def __repr__(self) -> str:
        state = "complete" if self.complete else f"stopped: {self.stop.reason}" if self.stop else "incomplete"
        first = self.answer.strip().splitlines()[0] if self.answer.strip() else "(no answer)"
        first = first if len(first) <= 60 else first[:59] + "…"
        return f"<Result {state}, {self.usage.steps} steps, {self.usage.tool_calls} tool calls: {first}>"

    def _repr_html_(self) -> str:
        """A table of what was done, for notebooks, in the language of the run; every text is escaped."""
        lang = self.lang
        rows = "".join(
            f"<tr><td>{step.id}</td><td>{escape(step.goal)}</td><td>{escape(step.status)}</td>"
            f"<td>{'<br>'.join(escape(f'{c.tool} → {c.kind}') for c in step.calls)}</td></tr>"
            for step in self.steps
        )
        stop = f"<p><b>{escape(describe(self.stop, lang))}</b></p>" if self.stop else ""
        verdict, verdicts = either(lang, "{} in {}: {}", "{}（{}）：{}"), either(lang, "verdicts: ", "裁决：")
        said = "".join(f"<li>{escape(verdict.format(v.action, v.where, v.text))}</li>" for v in self.verdicts)
        said = f"<details><summary>{verdicts}{len(self.verdicts)}</summary><ul>{said}</ul></details>" if said else ""
        state = either(lang, "complete", "完整") if self.complete else either(lang, "not complete", "不完整")
        names = either(lang, "step goal status calls", "步骤 目标 状态 调用").split()
        head = f"<tr>{''.join(f'<th>{name}</th>' for name in names)}</tr>"
        table = f"<table>{head}{rows}</table>" if rows else ""
        answer = escape(self.answer).replace("\n", "<br>")
        return f"<div><p><b>{state}</b></p>{stop}{table}{said}<p>{answer}</p></div>"


def digest_of(calls: list[CallDone], lang: str, room: int = 300) -> str:
    """What was found, put together by code: the answer when no model can be asked any more."""
    good = [call for call in calls if call.kind == "found"]
    if not good:
        tried = "; ".join(dict.fromkeys(_tried(call) for call in calls))
        if lang == "zh":
            return f"没有查到结果。尝试过：{tried}" if tried else "没有尝试任何调用。"
        return f"Nothing was found. Tried: {tried}" if tried else "Nothing was tried."
    head = "查到的内容（未经模型整理）：" if lang == "zh" else "What was found (put together without a model):"
    return "\n".join([head, *dict.fromkeys(f"- {_short(call.text, room)}" for call in good)])


def _tried(call: CallDone) -> str:
    values = ", ".join(str(value) for value in (call.args or {}).values())
    return f"{call.tool}({_short(values, 60)}) → {call.kind}"


def _short(text: str, room: int) -> str:
    """One line of at most `room` characters; a cut is visible."""
    line = " ".join(text.split())
    return line if len(line) <= room else line[: room - 1] + "…"
