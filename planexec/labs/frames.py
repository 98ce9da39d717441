"""A run cut into frames: one for each thing that happened, with what was said, what was used and how far counters were.

Read off the journal alone; nothing is run again. What a run has used is counted by the rules of the gate: each attempt
of a model call, each tool call that was let through, one step for each executor turn. Counters are those of the default
guards, told each result as the gate tells them; a run without guards has the same counts, and nobody who acts on them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from planexec.canonical import canonical, digest
from planexec.guards import DEFAULT_GUARDS, Call, Guard, GuardState, Standing
from planexec.journal import Journal, Record
from planexec.limits import Limits, Meter
from planexec.result import CallDone, Result
from planexec.show.teller import Teller
from planexec.store import limits_of
from planexec.tools import Observation

ROOT = "run"
SHOWN = ("model", "tool", "ask", "wait", "stop")
AHEAD = ("step",)  # notes that belong to what comes after them; the others belong to what came before


@dataclass(frozen=True, slots=True)
class Gauge:
    """How much of a limit is used; `most` is None where nothing limits it."""

    name: str
    value: float
    most: float | None = None

    @property
    def said(self) -> str:
        """Gauge("steps", 3, 8).said -> "steps 3 of 8" """
        value = f"{self.value:,.4g}" if isinstance(self.value, float) else f"{self.value:,}"
        return f"{self.name} {value}" + (f" of {self.most:g}" if self.most is not None else "")


@dataclass(frozen=True, slots=True)
class Frame:
    """One thing that happened. `kind`: that of the observation, or model, failed, asked, waiting, wait, stop.

    `lines`: pairs of (label, text): the messages that were added, what came back, and what was noted with it. `key`:
    what it is compared by; two runs differ where their keys do.
    """

    number: int
    where: str
    kind: str
    title: str
    lines: tuple[tuple[str, str], ...] = ()
    used: tuple[Gauge, ...] = ()
    guards: tuple[Standing, ...] = ()
    key: str = ""


def frames(run: Journal | Result | Path | str, guards: Sequence[Guard] = DEFAULT_GUARDS) -> tuple[Frame, ...]:
    """The frames of a journal, of a saved run's file, or of a result (which knows its tool calls only)."""
    if isinstance(run, Result):
        return tuple(_frame_of_call(number, where, call) for number, (where, call) in enumerate(_calls(run), 1))
    journal = Journal.read(run) if isinstance(run, (str, Path)) else run
    return _Cutter(journal, guards).frames()


def _calls(result: Result) -> Iterable[tuple[str, CallDone]]:
    for step in result.steps:
        for call in step.calls:
            yield f"step-{step.id}" if result.plan else ROOT, call


def _frame_of_call(number: int, where: str, call: CallDone) -> Frame:
    title = f"{written(call.tool, call.args)} → {call.kind}"
    used = (Gauge("tool calls", number),)
    return Frame(number, where, call.kind, title, ((call.kind, call.text),), used, key=f"{title}\n{call.text}")


def written(tool: str, args: Any) -> str:
    """written("search", {"query": "a"}) -> 'search(query="a")'"""
    given = args if isinstance(args, dict) else {}
    return f"{tool}({', '.join(f'{name}={json.dumps(value, ensure_ascii=False)}' for name, value in given.items())})"


class _Cutter:
    """Goes through a journal once, counting along."""

    def __init__(self, journal: Journal, guards: Sequence[Guard]):
        self.journal, self.guards = journal, guards
        self.lang = str(journal.header.get("lang", "en"))
        self.limits = limits_of(journal) if journal.header else Limits.none()
        self.teller = Teller(self.lang)
        self.whole = Meter()
        self.levels: dict[str, Meter] = {}
        self.states: dict[str, list[GuardState]] = {}
        self.over_all = [guard.start() for guard in guards if guard.scope == "run"]
        self.again: set[str] = set()  # scopes whose last model call failed and is being tried again

    def frames(self) -> tuple[Frame, ...]:
        cut: list[Frame] = []
        ahead: list[tuple[str, str]] = []
        for record in self.journal.records():
            self._count(record)
            told = [(line.key, line.text) for line in self.teller.lines(record)]
            if record.kind in SHOWN:
                cut.append(self._frame(len(cut) + 1, record, [*ahead, *_messages(record), *told]))
                ahead = []
            elif record.name in AHEAD or not cut:
                ahead += told
            else:
                cut[-1] = _with(cut[-1], told)
        return tuple(cut)

    def _frame(self, number: int, record: Record, lines: list[tuple[str, str]]) -> Frame:
        kind, title = _what(record)
        lines += _reply_lines(record)
        level = level_of(record.scope)
        standing = [each for state in (*self.states.get(level, ()), *self.over_all) for each in _standing(state)]
        key = f"{record.kind} {record.name}\n{title}\n{_came_back(record)}"
        return Frame(number, record.scope, kind, title, tuple(lines), self._gauges(level), tuple(standing), key)

    # ------------------------------------------------------------------------------------------ counting

    def _count(self, record: Record) -> None:
        """What this record adds to the counts of the run and of its step."""
        meters = [self.whole]
        level = level_of(record.scope)
        if level != ROOT:
            meters.append(self.levels.setdefault(level, Meter()))
        result = record.result or {}
        step = self._is_step(record)
        for meter in meters:
            meter.seconds += record.seconds
            meter.steps += step
            if record.kind == "model":
                prompt, completion, usd, *_ = _usage(result)
                meter.model_calls += 1
                meter.prompt_tokens += prompt
                meter.completion_tokens += completion
                meter.usd += usd or 0.0
            elif record.kind == "tool" and result.get("admitted", True):
                meter.tool_calls += 1
        if record.kind == "tool" and result.get("admitted", True) and result.get("final"):
            self._tell_guards(record, level)

    def _is_step(self, record: Record) -> bool:
        """True for an executor turn: the first attempt of a step's model call, or a direct call of the plan."""
        if record.kind == "note":
            return record.name == "turn"
        if record.kind != "model" or record.request.get("tool_choice") == "none":
            return False
        own = record.scope == level_of(record.scope)
        first = record.scope not in self.again
        error = (record.result or {}).get("error")
        (self.again.add if error else self.again.discard)(record.scope)
        return own and first

    def _tell_guards(self, record: Record, level: str) -> None:
        observation = Observation.from_dict((record.result or {})["observation"])
        args = record.request.get("args")
        text = canonical(args) if args is not None else ""
        call = Call(record.name, args, record.scope, self.lang, text=text, key=f"{record.name}:{digest(text)}")
        if level not in self.states:
            wanted = ("step",) if level == ROOT else ("step", "line")
            self.states[level] = [guard.start() for guard in self.guards if guard.scope in wanted]
        for state in (*self.states[level], *self.over_all):
            state.after(call, observation)

    def _gauges(self, level: str) -> tuple[Gauge, ...]:
        used, most = self.whole, self.limits
        gauges = [
            Gauge("steps", used.steps, most.max_steps),
            Gauge("model calls", used.model_calls, most.max_model_calls),
            Gauge("tool calls", used.tool_calls, most.max_tool_calls),
            Gauge("tokens", used.tokens, most.max_tokens),
            Gauge("dollars", round(used.usd, 6), most.max_usd),
            Gauge("seconds", round(used.seconds, 1), most.max_seconds),
        ]
        if level != ROOT and most.per_step is not None and most.per_step.max_steps is not None:
            gauges.append(Gauge("turns of this step", self.levels[level].steps, most.per_step.max_steps))
        return tuple(gauges)


def level_of(scope: str) -> str:
    """Where its counters are: level_of("step-3#2/conclude") -> "step-3#2"; level_of("report") -> "run" """
    first = scope.partition("/")[0]
    return first if first.startswith("step-") else ROOT


def _usage(result: dict[str, Any]) -> list[Any]:
    """Prompt tokens, completion tokens and dollars of a model call, also of one that failed."""
    return list(result["reply"]["usage"]) if "reply" in result else list(result.get("usage", (0, 0, None)))


def _standing(state: Any) -> list[Standing]:
    """How far a counter has come; a guard of the caller's own need not say it."""
    say = getattr(state, "standing", None)
    return list(say()) if say is not None else []


def _with(frame: Frame, more: list[tuple[str, str]]) -> Frame:
    return replace(frame, lines=(*frame.lines, *more))


# ---------------------------------------------------------------------------------------------- in words


def _messages(record: Record) -> list[tuple[str, str]]:
    """The messages that this request added to the conversation."""
    return [(str(each.get("role", "")), _content(each)) for each in record.request.get("added", ())]


def _content(message: dict[str, Any]) -> str:
    text = message.get("content")
    calls = [each.get("function", {}) for each in message.get("tool_calls") or ()]
    asked = [f"{call.get('name')}({call.get('arguments')})" for call in calls]
    said = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)
    return "\n".join(filter(None, (said if text else "", *asked)))


def _what(record: Record) -> tuple[str, str]:
    """(kind, one line) of a record that is a frame."""
    result = record.result or {}
    if record.kind == "model":
        if "error" in result:
            return "failed", f"model, {record.scope}: {result['error']['text']}"
        said = "; ".join(text for label, text in _reply_lines(record) if label == "asks for") or _words(record)
        return "model", f"model, {record.scope} → {said}" if said else f"model, {record.scope}"
    if record.kind == "tool":
        kind = result.get("observation", {}).get("kind", "unknown")
        return kind, f"{written(record.name, record.request.get('args'))} → {kind}"
    if record.kind == "ask":
        answer = result.get("answer")
        asked = f"a person is asked: {record.request.get('text', '')}"
        return ("asked", f"{asked} → {answer['decision']}") if answer else ("waiting", asked)
    if record.kind == "wait":
        return "wait", f"wait {record.seconds:.1f} s"
    return "stop", f"stop: {record.name}"


def _words(record: Record) -> str:
    return str((record.result or {}).get("reply", {}).get("text", "")).strip()


def _reply_lines(record: Record) -> list[tuple[str, str]]:
    """What the model answered: its words, and the calls it asks for."""
    reply = (record.result or {}).get("reply") if record.kind == "model" else None
    if reply is None:
        return []
    asked = [("asks for", written(name, args)) for _, name, args, _ in reply.get("tool_calls", ())]
    return [*([("reply", reply["text"])] if reply["text"].strip() else []), *asked]


def _came_back(record: Record) -> str:
    result = record.result or {}
    if record.kind == "model":
        reply = result.get("reply", {})
        calls = [call[1:3] for call in reply.get("tool_calls", ())]
        return json.dumps([reply.get("text", ""), calls, result.get("error", {}).get("text")], ensure_ascii=False)
    return str(result.get("observation", {}).get("text", result.get("answer", "")))
