"""`Run`: the gate that every effect goes through - a model call, a tool call, a question to a person, a wait.

A loop is ordinary Python that holds a `Run` and calls `run.model()`, `run.tools()`, `run.ask()`, `run.wait()`. Guards
decide here, costs are counted here, the journal records here; a loop cannot go round it. `run.within("step-2")` is
the same gate with positions of its own; with `step=True` also with counters of its own.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any

from planexec.chat import REPLY_TOKENS, REPORT_TOKENS, Message, Model, Reply, ToolCall, Usage, assistant, user
from planexec.clock import Clock, RealClock
from planexec.deadline import bounded
from planexec.failures import FIRST_WAIT, back_off, classify
from planexec.gate import ROOT, Ended, Event, Gate, Level, is_amount
from planexec.guards import DEFAULT_GUARDS, Guard
from planexec.journal import TEXT_CAP, Journal, Record, cut, plain
from planexec.limits import NOTHING, Limits, Meter, Need
from planexec.person import Answer, Person, Request
from planexec.tool_gate import carry_out
from planexec.tools import Observation, Tool, Toolbox
from planexec.verdicts import Action, Noted, Stop, Verdict, advice


class Unanswered(Exception):
    """A model call that the run can do without failed for good; the text says how."""


class Run:
    """One run of one question. `question` names it in the journal; everything else has a sensible default.

    `expires`: seconds a person has to agree to a call; after that it is rejected when the run is resumed.
    `meta`: plain JSON for the journal's header: what another process needs to set the run up again; never a key.
    `first_wait`: seconds before the second attempt of a call; twice as long before each further one.
    Errors: ValueError for settings that make no sense, `JournalError` for a journal that does not fit. Failing
    services, limits and loops are never exceptions to you: `react()` and the agent turn them into a `Result`, and round
    a loop of your own `with run:` takes them and leaves `run.stop`.
    """

    stop: Stop | None
    """Why the run ended, after a `with run:` block that was ended by a limit, a guard or a person; else None."""

    def __init__(
        self,
        question: str = "",
        *,
        model: Model | None = None,
        tools: Toolbox | Iterable[Tool | Callable[..., Any]] = (),
        limits: Limits | None = None,
        guards: Sequence[Guard] | None = None,
        journal: Journal | None = None,
        person: Person | None = None,
        clock: Clock | None = None,
        seed: int = 0,
        lang: str = "en",
        date: str | None = None,
        replay: str = "strict",
        on_event: Callable[[Event], None] | None = None,
        meta: dict[str, Any] | None = None,
        first_wait: float = FIRST_WAIT,
        expires: float | None = None,
    ):
        if lang not in ("en", "zh"):
            raise ValueError(f"lang is 'en' or 'zh'; got {lang!r}")
        if expires is not None and not is_amount(expires):
            raise ValueError(f"expires is a number of seconds, or None; got {expires!r}")
        if replay not in ("strict", "follow"):
            raise ValueError(f"replay is 'strict' or 'follow'; got {replay!r}")
        if not is_amount(first_wait):
            raise ValueError(f"first_wait is a number of seconds, 0 or more; got {first_wait!r}")
        journal = journal if journal is not None else Journal()
        limits = limits if limits is not None else Limits()
        header = journal.header
        self.date = header.get("date") or date or datetime.date.today().isoformat()
        journal.start(
            {"question": question, "date": self.date, "lang": lang, "seed": seed, "limits": limits.to_dict()}
            | {"model": getattr(model, "name", "")}
            | ({"meta": meta} if meta else {})
        )
        limits = _granted(journal, limits)
        make_clock = getattr(model, "make_clock", RealClock)  # a model that reports its seconds brings its clock
        self._gate = Gate(
            model=model,
            toolbox=tools if isinstance(tools, Toolbox) else Toolbox(tools),
            limits=limits,
            guards=DEFAULT_GUARDS if guards is None else guards,
            journal=journal,
            person=person,
            clock=clock if clock is not None else make_clock(),
            seed=seed,
            lang=lang,
            replay=replay,
            on_event=on_event,
            first_wait=first_wait,
        )
        self.question, self.expires = journal.kept(question), expires
        self._enter(ROOT, Level(ROOT, None, self._gate.root_guards, self._gate.meter))

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        """For a loop of one's own: `with run:` takes the end of the run, and `run.stop` then says why it ended."""
        if not isinstance(error, Ended) or error.level != ROOT:
            return False
        self.stop, self._silent = error.stop, not error.conclude
        return True

    def _enter(self, scope: str, level: Level) -> None:
        self.stop = None
        self._silent = False  # ended in a way that allows no last call
        self.scope = scope
        self._level = level
        self._position = 0
        self._seen: list[Message] = []
        self._unsent: list[Message] = []  # seen, and in no record yet
        self._ids: set[str] = set()  # of the tool calls seen
        self._hash = blake2b(digest_size=8)
        self._bytes = 0

    def within(self, name: str, *, step: bool = False) -> Run:
        """A child scope. The same name again opens `name#2`, so that a retried step is carried out again.

        `step=True`: one line of a plan, with guards, counters and `limits.per_step` of its own.
        """
        gate = self._gate
        full = name if self.scope == ROOT else f"{self.scope}/{name}"
        count = gate.names[full] = gate.names.get(full, 0) + 1
        scope = full if count == 1 else f"{full}#{count}"
        child = object.__new__(Run)
        child._gate, child.question, child.date, child.expires = gate, self.question, self.date, self.expires
        level = Level(scope, gate.limits.per_step, gate.step_guards) if step else self._level
        child._enter(scope, level)
        return child

    # -------------------------------------------------------------------------------------- reading

    @property
    def limits(self) -> Limits:
        return self._gate.limits

    @property
    def used(self) -> Meter:
        """What the whole run has used so far."""
        return self._gate.meter

    @property
    def used_here(self) -> Meter:
        """What the step has used that this scope belongs to; outside of steps the same as `used`."""
        return self._level.meter

    @property
    def lang(self) -> str:
        return self._gate.lang

    @property
    def toolbox(self) -> Toolbox:
        return self._gate.toolbox

    @property
    def journal(self) -> Journal:
        return self._gate.journal

    @property
    def priced(self) -> bool:
        """True when dollars are known: the model has a price."""
        return self._gate.price is not None

    @property
    def verdicts(self) -> list[Noted]:
        """Every nudge, refusal and stop so far."""
        return self._gate.verdicts

    @property
    def first_difference(self) -> str:
        """Where a followed recording first differed from this run; "" when it did not."""
        return self._gate.first_difference

    # -------------------------------------------------------------------------------------- model

    def model(
        self,
        messages: list[Message],
        *,
        tools: bool = False,
        step: bool = False,
        tool_choice: str = "auto",
        max_tokens: int = REPLY_TOKENS,
        thinking: bool | None = None,
        last: bool = False,
        replan: bool = False,
        needed: bool = True,
    ) -> Reply:
        """Ask the model once; try again, within `max_attempts`, when it fails in a way that may pass.

        `messages` may only grow between calls in one scope: each record holds what was added. `tools`: offer the
        run's tools. `step`: this is an executor turn. `last`: the concluding call, which may use what was held back.
        `needed`: a failure for good ends the run; otherwise it raises `Unanswered`.
        """
        self._grow(messages)
        options = {"tool_choice": tool_choice, "max_tokens": max_tokens, "thinking": thinking}
        schemas = self._gate.toolbox.schemas if tools else ()
        fingerprint = self._hash.hexdigest()
        attempt, steps = 1, int(step)
        size = self._bytes + (self._gate.schema_bytes if tools and self._gate.charges else 0)
        while True:
            need = self._gate.model_need(size, max_tokens, steps)
            if replan:
                need = replace(need, replans=1)
            record, reply = self._ask_model(messages, schemas, options, need, fingerprint, last)
            if reply is not None and _usable(reply):
                return reply
            error = (record.result or {}).get("error") or {"kind": "transient", "text": "the answer was empty or cut"}
            wait = self._wait_before(attempt, error)
            if wait is None:
                if reply is not None:
                    return reply
                if not needed and "cut" not in error:
                    raise Unanswered(error["text"])
                self._give_up(error, last)
            elif wait:
                self._wait(wait, last)
            attempt, steps, replan = attempt + (not error.get("interrupted")), 0, False

    def _ask_model(
        self,
        messages: list[Message],
        schemas: Sequence[dict[str, Any]],
        options: dict[str, Any],
        need: Need,
        fingerprint: str,
        last: bool,
    ) -> tuple[Record, Reply | None]:
        """One attempt, recorded or carried out."""
        gate, position = self._gate, self._next()
        name = getattr(gate.model, "name", "model")
        record = gate.recorded(self.scope, position, "model", "model", fingerprint)
        if record is not None:
            if record.result is None:
                interrupted = {"kind": "transient", "text": "the process ended during this call", "interrupted": True}
                gate.journal.finish(record, self._unpaid(interrupted, need, options), 0.0)
            gate.count(self._level, need)
            self._unsent = []
            recorded = record.result or {}
            reply = Reply.from_dict(recorded["reply"]) if "reply" in recorded else None
            gate.settle_model(self._level, record.seconds, reply.usage if reply else _charged(recorded))
            gate.tell(record, True)
            return record, reply
        if gate.model is None:
            raise ValueError("this run has no model, and the recording ends here")
        gate.admit(self.scope, position, self._level, need, last=last)
        added, self._unsent = self._unsent, []
        request = {"added": added, "model": name, **{key: value for key, value in options.items() if value is not None}}
        record = gate.journal.begin(self.scope, position, "model", "model", fingerprint, request)
        result, seconds, reply = self._call_model(messages, schemas, options, need, last)
        gate.settle_model(self._level, seconds, reply.usage if reply else _charged(result))
        gate.tell(gate.journal.finish(record, result, seconds), False)
        return record, reply

    def _call_model(
        self,
        messages: list[Message],
        schemas: Sequence[dict[str, Any]],
        options: dict[str, Any],
        need: Need,
        last: bool,
    ) -> tuple[dict[str, Any], float, Reply | None]:
        """Make one request. Every failure becomes a result with its class; nothing is raised."""
        gate, (left, holder) = self._gate, self._gate.seconds_left(self._level, last)
        assert gate.model is not None
        ask, begun = gate.model.reply, gate.clock.now()
        try:
            reply = bounded(
                lambda: ask(messages, tools=schemas, timeout=left, **options), None if gate.clock.virtual else left
            )
            usage = gate.billed(reply.usage, need, options["max_tokens"])
            data = gate.journal.kept(_bounded(reply.to_dict(), usage))
            _with_own_ids(data, self._ids)
        except Exception as problem:
            failure = classify(problem)
            error: dict[str, Any] = {"kind": failure.kind, "text": gate.journal.kept(cut(failure.text))}
            if failure.retry_after is not None:
                error["retry_after"] = failure.retry_after
            result = self._unpaid(error, need, options) if isinstance(problem, TimeoutError) else {"error": error}
            return result, self._passed(begun, getattr(problem, "seconds", None)), None
        seconds = self._passed(begun, usage.seconds)
        if left is not None and seconds > left:
            text = f"cut: the answer would have taken {seconds:.1f} s, {left:.1f} s were left for it"
            error = {"kind": "permanent", "text": text, "cut": holder.name}
            return self._unpaid(error, need, options), left, None
        return {"reply": data}, seconds, Reply.from_dict(data)

    def _unpaid(self, error: dict[str, Any], need: Need, options: dict[str, Any]) -> dict[str, Any]:
        """The result of a call that was given up: its cost is not known, so it is charged what was reserved."""
        usage = self._gate.reserved(need, options["max_tokens"])
        charge = {"usage": [usage.prompt_tokens, usage.completion_tokens, usage.usd]} if usage is not None else {}
        return {"error": error, **charge}

    def _passed(self, begun: float, reported: float | None) -> float:
        """Seconds an effect took: what it reports (and the virtual clock then moves), else what the clock says."""
        clock = self._gate.clock
        if reported is None or not is_amount(reported):
            return clock.now() - begun
        if clock.virtual:
            clock.wait(reported)
        return reported

    def _wait_before(self, attempt: int, error: dict[str, Any]) -> float | None:
        """Seconds to wait before another attempt, or None when there must not be one."""
        if error.get("interrupted"):
            return 0.0
        each = (self._gate.limits, self._level.limits)
        most = [limits.max_attempts for limits in each if limits is not None and limits.max_attempts is not None]
        if error["kind"] != "transient" or attempt >= min(most, default=attempt + 1):
            return None
        seed = (self._gate.seed, self.scope, self._position)
        return back_off(attempt, seed, error.get("retry_after"), self._gate.first_wait)

    def _give_up(self, error: dict[str, Any], last: bool) -> None:
        """The model failed for good: the run ends with the reason, and without a concluding call.

        A call that was cut because the time was over ends what had no time left, the run or the step; the time for
        the conclusion was kept back.
        """
        if "cut" not in error:
            self.end(Stop("failed", where=self.scope, advice=error["text"]))
        whole_run = error["cut"] == ROOT
        limits, meter = (self.limits, self.used) if whole_run else (self._level.limits, self._level.meter)
        most = limits.max_seconds if limits is not None else None
        stop = Stop("max_seconds", most, meter.seconds, self.scope, advice("max_seconds", self.lang))
        self._end(stop, "halt" if last else "conclude", self._gate.run_level if whole_run else self._level)

    def _grow(self, messages: list[Message]) -> None:
        """Take in what was added since the last call in this scope; the fingerprint and the size roll over it."""
        count = len(self._seen)
        if count and (count > len(messages) or not _same(messages[count - 1], self._seen[-1])):
            self._seen, self._hash, self._bytes, count = [], blake2b(digest_size=8), 0, 0  # another conversation
            self._unsent, self._ids = [], set()
        added = messages[count:]
        for message in added:
            self._ids.update(str(call.get("id")) for call in message.get("tool_calls") or ())
            line = _fingerprint_line(message)
            self._hash.update(line)
            self._bytes += len(line) if not self._gate.charges else _size(message)
        self._seen += added
        self._unsent += added

    def _next(self) -> int:
        position = self._position
        self._position += 1
        return position

    # -------------------------------------------------------------------------------------- conclusion

    def conclude(self, messages: list[Message], instruction: str, *, tools: bool = True) -> str:
        """The last word of a stopped step or run: one call that may not use tools; "" when it cannot be had.

        It goes on in the conversation `messages` of this scope; tool calls in its reply are ignored.
        """
        if self._silent:
            return ""
        child = self.within("conclude")
        child._seen, child._hash, child._bytes = list(self._seen), self._hash.copy(), self._bytes
        child._unsent = list(self._unsent)
        whole_run = self.scope == ROOT
        if not whole_run:
            child._level = Level(child.scope, self._level.limits, (), self._level.meter)
        try:
            reply = child.model(
                [*messages, user(instruction)],
                tools=tools,
                tool_choice="none",
                max_tokens=REPORT_TOKENS if whole_run else REPLY_TOKENS,
                last=True,
            )
        except Ended as ended:
            if not whole_run and ended.level == ROOT:
                raise
            return ""
        return reply.text.strip() if reply.complete else ""

    # -------------------------------------------------------------------------------------- tools

    def tools(self, calls: Sequence[ToolCall], *, step: bool = False) -> list[Observation]:
        """Carry out the calls of one reply: one observation for every call, in call order.

        As many as the limits allow are carried out, the rest is answered "refused". `step`: count a turn for this
        batch (a plan's direct call, which no model turn came before). Where the run ends in the middle, what came
        before is in `Ended.observations`.
        """
        if step:
            self._turn()
        observations: list[Observation] = []
        try:
            for call in calls:
                observations.append(carry_out(self, call))
        except Ended as ended:
            ended.observations = observations
            raise
        return observations

    def _turn(self) -> None:
        """Count one executor turn that no model call opened."""
        gate, position = self._gate, self._next()
        if gate.recorded(self.scope, position, "note", "turn", "") is not None:
            gate.count(self._level, _TURN)
            return
        gate.admit(self.scope, position, self._level, _TURN)
        gate.journal.add(self.scope, position, "note", "turn", "", {})

    # -------------------------------------------------------------------------------------- person, time, notes

    def ask(self, request: Request) -> Answer | None:
        """Ask the person of this run. None: nobody is there and the run cannot pause.

        Nobody there and a durable journal: the question is kept and the run ends as "paused". A question that has
        expired since it was kept is answered with a rejection.
        """
        gate, position = self._gate, self._next()
        record = gate.recorded(self.scope, position, "ask", request.kind, "")
        if record is not None and record.result is not None:
            gate.tell(record, True)
            data = record.result["answer"]
            return Answer.from_dict(data) if data else None
        if record is None:
            record = gate.journal.begin(self.scope, position, "ask", request.kind, "", request.to_dict())
        given = gate.journal.answer_to(request.id)
        answer = Answer.from_dict(given) if given else self._person(request)
        if answer is None and gate.journal.durable:
            gate.journal.ask(request.to_dict())
            raise Ended(Stop("paused", where=self.scope, advice=advice("paused", self.lang)), ROOT, False)
        gate.tell(gate.journal.finish(record, {"answer": answer.to_dict() if answer else None}, 0.0), False)
        return answer

    def _person(self, request: Request) -> Answer | None:
        """What the person of this process says, in the form that the journal will give back."""
        gate = self._gate
        if gate.journal.expired(request.id):
            late = f"no answer within {request.expires:g} s", f"{request.expires:g} 秒内无人答复"
            return Answer("reject", late[self.lang == "zh"])
        answer = gate.person(request) if gate.person else None
        if answer is not None and not isinstance(answer, Answer):
            raise TypeError(f"a person function returns an Answer, or None for 'not now'; got {answer!r}")
        return Answer.from_dict(gate.journal.kept(answer.to_dict())) if answer is not None else None

    def wait(self, seconds: float) -> None:
        """Let time pass on the run's clock: an effect like any other, replayed without waiting."""
        self._wait(seconds, False)

    def _wait(self, seconds: float, last: bool) -> None:
        gate, position = self._gate, self._next()
        record = gate.recorded(self.scope, position, "wait", "wait", "")
        if record is not None and record.result is not None:
            gate.settle(self._level, record.seconds)
            gate.tell(record, True)
            return
        if record is None:
            gate.admit(self.scope, position, self._level, NOTHING, last=last)
            record = gate.journal.begin(self.scope, position, "wait", "wait", "", {"seconds": seconds})
        left, _ = gate.seconds_left(self._level, last)
        waited = seconds if left is None else min(seconds, left)
        gate.clock.wait(waited)
        gate.settle(self._level, waited)
        gate.tell(gate.journal.finish(record, {}, waited), False)

    def grant(self, changes: dict[str, Any]) -> None:
        """Go on with other limits from here: what a person granted in this run."""
        self._gate.limit(self.limits.changed(changes))

    def note(self, name: str, **data: Any) -> None:
        """Write something down that is no effect: a plan, a step that begins, a step's outcome."""
        gate, position = self._gate, self._next()
        record = gate.recorded(self.scope, position, "note", name, "")
        if record is not None:
            gate.tell(record, True)
            return
        gate.tell(gate.journal.add(self.scope, position, "note", name, "", plain(data)), False)

    def end(self, stop: Stop, *, conclude: bool = False) -> None:
        """End the whole run here, for a reason of the loop's own; never returns."""
        self._end(stop, "conclude" if conclude else "halt", self._gate.run_level)

    def _end(self, stop: Stop, action: Action, level: Level) -> None:
        gate = self._gate
        level.pending.append(Verdict(action, stop=stop))
        position = self._next()
        gate.recorded(self.scope, position, "stop", stop.reason, "")
        gate.end(self.scope, position, self._level)


_TURN = Need(steps=1)


def _with_own_ids(reply: dict[str, Any], taken: set[str]) -> None:
    """Give each tool call of a reply an id that no other call of its conversation has: servers refuse anything else.

    A reply that came without its message gets one.
    """
    calls = reply.get("tool_calls", [])
    if not reply["message"]:
        arguments = [json.dumps(args, ensure_ascii=False) for _, _, args, _ in calls]
        reply["message"] = assistant(reply["text"], Reply.from_dict(reply).tool_calls, arguments)
    for call, sent in zip(calls, reply["message"].get("tool_calls") or [], strict=False):
        if not call[0] or str(call[0]) in taken:
            number = len(taken) + 1
            while f"call_{number}" in taken:
                number += 1
            call[0] = sent["id"] = f"call_{number}"
        taken.add(str(call[0]))


def _usable(reply: Reply) -> bool:
    """False for an empty or a cut answer, which may come out better the next time; a filtered one will not."""
    whole = reply.finish not in ("length", "unknown") and bool(reply.text.strip())
    return bool(reply.tool_calls) or whole or reply.finish == "filtered"


def _charged(result: dict[str, Any]) -> Usage | None:
    """What a call without a reply was charged, if anything."""
    return Usage(*result["usage"]) if "usage" in result else None


def _bounded(reply: dict[str, Any], usage: Usage) -> dict[str, Any]:
    """A reply as the journal keeps it: as it is billed, and texts beyond the cap cut, also in its message."""
    reply["usage"] = [usage.prompt_tokens, usage.completion_tokens, usage.usd, usage.seconds]
    if max(len(reply["text"]), len(reply.get("reasoning", ""))) > TEXT_CAP:
        reply |= {name: cut(reply[name]) for name in ("text", "reasoning") if name in reply}
    message = reply["message"]
    if any(isinstance(value, str) and len(value) > TEXT_CAP for value in message.values()):
        reply["message"] = {name: cut(value) if isinstance(value, str) else value for name, value in message.items()}
    return reply


def _size(message: Message) -> int:
    """Bytes of a message as it is sent, with all its fields."""
    return len(json.dumps(message, ensure_ascii=False, default=str).encode("utf-8", "surrogatepass"))


def _same(one: Message, other: Message) -> bool:
    return one is other or one == other


def _fingerprint_line(message: Message) -> bytes:
    """Role, text, tool names and arguments of one message; never a schema, an id or an unknown field."""
    content = message.get("content")
    parts = [message.get("role", ""), content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)]
    for call in message.get("tool_calls") or ():
        function = call.get("function") or {}
        parts += [str(function.get("name")), str(function.get("arguments"))]
    return "\x1f".join(parts).encode("utf-8", "surrogatepass")


def _granted(journal: Journal, limits: Limits) -> Limits:
    """The limits in force: those given now, and a grant when they differ from those the journal was made with."""
    recorded = dict(journal.header["limits"])
    for grant in journal.grants:
        recorded.update(grant)
    now = limits.to_dict()
    changed = {name: value for name, value in now.items() if value != recorded.get(name)}
    made_with = journal.header["limits"]
    if changed and now != made_with:
        journal.grant(changed)
        return limits
    return Limits.from_dict(recorded)
