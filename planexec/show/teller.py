"""What one record of a journal says to a reader: labelled lines without a width, a colour or a stream."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from planexec.journal import Record
from planexec.show.words import say
from planexec.verdicts import Stop

ROLES = {"route": "router", "plan": "planner", "replan": "replanner", "report": "reporter", "conclude": "conclusion"}
CALL_LINES, TEXT_LINES, THOUGHT_LINES = 3, 6, 2  # rows that one thing may take; the journal holds all of it

Goals = list[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Line:
    """A label (a key of `words.LABELS`, with a number if it has one), a text, and how many rows it may take."""

    key: str
    text: str
    inside: bool = False
    most: int | None = None
    number: str = ""


def stop_text(stop: Stop, lang: str) -> str:
    """stop_text(Stop("max_steps", 3, 3, "step-1", "Raise it."), "en")
    -> "max_steps in step-1: limit 3, reached 3. Raise it."
    """
    text = say("stop", lang, reason=stop.reason, where=stop.where or "run")
    if stop.limit is not None:
        text += say("numbers", lang, limit=stop.limit, value=stop.value or 0)
    text += say("period", lang)
    if stop.also:
        text += say("also", lang, ", ".join(stop.also))
    return f"{text}{'' if lang == 'zh' else ' '}{stop.advice}".strip()


class Teller:
    """Turns records into lines, in their order. It remembers only what a reader would: the plan and the step."""

    def __init__(self, lang: str = "en"):
        self.lang = lang
        self._rest: Goals = []  # the steps that have not begun
        self._step: Line | None = None
        self._attempt: tuple[str, str, str] | None = None  # the call that is about to be tried again
        self._said = ""  # the last observation, so that a step's outcome need not repeat it
        self._kinds: dict[str, Callable[[Record], list[Line]]] = {
            "model": self._model,
            "tool": self._tool,
            "ask": self._ask,
            "wait": self._wait,
            "stop": self._stop,
            "note": self._note,
        }

    def lines(self, record: Record) -> list[Line]:
        """What the reader is told about this record; nothing for a kind or a note that is not for readers."""
        tell = self._kinds.get(record.kind)
        return tell(record) if tell else []

    def standing(self) -> list[Line]:
        """Where the run stands: what is left of the plan, and the step that is being carried out."""
        lines = [self.plan_line(self._rest)] if self._rest else []
        return [*lines, self._step] if self._step else lines

    # ------------------------------------------------------------------------------------------ effects

    def _model(self, record: Record) -> list[Line]:
        inside = _in_step(record)
        role = self._role(record.scope)
        if record.result is None:
            return [Line("model", self._as(role, say("begun", self.lang)), inside)]
        if (error := record.result.get("error")) is not None:
            return [Line("failed", self._as(role, error["text"]), inside, TEXT_LINES)]
        reply = record.result["reply"]
        text = say("tokens", self.lang, *reply["usage"][:2], record.seconds)
        if reply["finish"] in ("length", "filtered"):
            text += f" ({say('cut' if reply['finish'] == 'length' else 'filtered', self.lang)})"
        lines = [Line("model", self._as(role, text), inside)]
        thought = reply.get("reasoning") or (reply["text"] if reply.get("tool_calls") else "")
        if thought.strip() and not role:
            lines.append(Line("thought", " ".join(thought.split()), inside, THOUGHT_LINES))
        return lines

    def _role(self, scope: str) -> str:
        """Who asks the model; "" for the step or the loop itself."""
        last = scope.rpartition("/")[2].partition("#")[0]
        return say(ROLES[last], self.lang) if last in ROLES else ""

    def _as(self, role: str, text: str) -> str:
        return say("role", self.lang, role, text) if role else text

    def _tool(self, record: Record) -> list[Line]:
        args, inside = record.request.get("args"), _in_step(record)
        if record.result is None:
            return [_call_line(record.name, args, inside), Line("unknown", say("begun", self.lang), inside)]
        seen, final = record.result["observation"], record.result.get("final", True)
        again = not final and seen.get("failure") != "person"  # of the other kind, a person decides in the next line
        text = say("again", self.lang, seen.get("text", "")) if again else seen.get("text", "")
        lines = self.call_lines(record.name, args, seen["kind"], text, inside)
        attempt = (record.scope, record.name, record.fingerprint)
        if attempt == self._attempt:
            del lines[0]  # the same call once more: the reader has just seen it
        self._attempt = None if final else attempt
        if seen.get("note"):
            lines.append(Line("nudge" if "verdict" in record.result else "note", seen["note"], inside))
        return lines

    def call_lines(
        self, tool: str, args: dict[str, Any] | None, kind: str, text: str, inside: bool = True
    ) -> list[Line]:
        """A call and what it brought."""
        self._said = text
        return [_call_line(tool, args, inside), Line(kind, text, inside, TEXT_LINES)]

    def _ask(self, record: Record) -> list[Line]:
        request, inside = record.request, _in_step(record)
        if record.result is None:
            return [Line("ask", say("unanswered", self.lang, request["text"], request["id"]), inside)]
        answer = record.result["answer"]
        if answer is None:
            return [Line("ask", say("nobody", self.lang, request["text"]), inside)]
        said = " ".join(filter(None, (answer["decision"], answer["text"])))
        return [Line("ask", f"{request['text']} -> {said}", inside)]

    def _wait(self, record: Record) -> list[Line]:
        seconds = record.request.get("seconds", 0.0) if record.result is None else record.seconds
        return [Line("wait", say("waited", self.lang, seconds), _in_step(record))]

    def _stop(self, record: Record) -> list[Line]:
        stop = Stop.from_dict((record.result or {})["stop"])
        return [Line("stop", stop_text(stop, self.lang), _in_step(record))]

    # ------------------------------------------------------------------------------------------ notes

    def _note(self, record: Record) -> list[Line]:
        try:
            return self._agents_note(record, record.result or {})
        except (KeyError, TypeError, ValueError):  # a note of somebody's own loop, under a name the agent uses
            return []

    def _agents_note(self, record: Record, note: dict[str, Any]) -> list[Line]:
        if record.name == "route":
            parts = "".join(f"\n- {part}" for part in note["parts"]) if note["kind"] == "parallel" else ""
            return [Line("route", " ".join(filter(None, (say(note["kind"], self.lang), note["why"]))) + parts)]
        if record.name == "plan":
            return self._plan(note)
        if record.name == "step":
            self._rest = [(number, goal) for number, goal in self._rest if number != note["id"]]
            self._step = Line("step", note["goal"], number=str(note["id"]))
            return [self._step]
        if record.name == "step_done":
            self._step = None
            return [self.done_line(note["status"], note["answer"])]
        if record.name == "replan":
            return self._replan(note)
        if record.name == "part":
            return [Line("part", f"{note['question']}\n{note['answer']}", False, 8, str(note["number"]))]
        return []

    def _plan(self, note: dict[str, Any]) -> list[Line]:
        self._rest = [(step["id"], step["goal"]) for step in note["steps"]]
        lines = [self.plan_line(self._rest)]
        return [*lines, Line("note", say("degraded", self.lang, note["degraded"]))] if note["degraded"] else lines

    def plan_line(self, goals: Sequence[tuple[int, str]]) -> Line:
        return Line("plan", "\n".join(f"{number}. {goal}" for number, goal in goals))

    def done_line(self, status: str, answer: str) -> Line:
        """How a step ended; its answer is left out where it is what the last call brought, word for word."""
        word = say(f"status_{status}", self.lang)
        text = "" if answer.strip() == self._said.strip() else " ".join(answer.split())
        key = "done" if status == "done" else "ended"
        if key == "done":
            return Line(key, text, True, TEXT_LINES)
        return Line(key, self._as(word, text) if text else word, True, TEXT_LINES)

    def _replan(self, note: dict[str, Any]) -> list[Line]:
        if note["status"] == "unreadable":
            return [Line("replan", say("unreadable", self.lang, note["why"]))]
        before, self._rest = self._rest, [(number, goal) for number, goal in note["steps"]]
        if self._rest == before:
            return [Line("replan", say("unchanged", self.lang))]
        gone = [str(number) for number, _ in before if number not in dict(self._rest)]
        rows = [f"{number}. {goal}{self._mark(number, before)}" for number, goal in self._rest]
        rows = rows or [say("nothing_left", self.lang)]
        if gone:
            rows.append(say("dropped", self.lang, ", ".join(gone)))
        return [Line("replan", "\n".join(rows))]

    def _mark(self, number: int, before: Goals) -> str:
        return "" if number in dict(before) else f" ({say('new', self.lang)})"


def _in_step(record: Record) -> bool:
    return record.scope.startswith("step-")


def _call_line(tool: str, args: dict[str, Any] | None, inside: bool) -> Line:
    """search(query="rate cut", top=3)"""
    given = ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in (args or {}).items())
    return Line("call", f"{tool}({given})" if args is not None else f"{tool}(?)", inside, CALL_LINES)
