"""`Run`: the gate that every effect goes through - a model call, a tool call, a question to a person, a wait.

A loop is ordinary Python that holds a `Run` and calls `run.model()`, `run.tools()`, `run.ask()`, `run.wait()`. Guards
decide here, costs are counted here, the journal records here; a loop cannot go round it. `run.within("step-2")` is
the same gate with positions of its own; with `step=True` also with counters of its own.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from planexec.chat import REPLY_TOKENS, REPORT_TOKENS, Message, Model, Reply, ToolCall, user
from planexec.clock import Clock, RealClock
from planexec.contradictions import warn_about
from planexec.conversation import Conversation
from planexec.effects import gather_doubts
from planexec.failures import FIRST_WAIT, back_off
from planexec.gate import ROOT, Ended, Event, Gate, Level, is_amount
from planexec.guards import Guard, checked_guards
from planexec.journal import Journal
from planexec.limits import NOTHING, Limits, Meter, Need
from planexec.model_gate import Asking, Unanswered, ask_model
from planexec.person import Answer, Person, Request
from planexec.plain import plain
from planexec.records import Record
from planexec.result import Result, RunUsage, StepDone
from planexec.run_checks import check_calls, check_settings, checked_limits
from planexec.tool_gate import carry_out
from planexec.tools import Observation, Tool, Toolbox
from planexec.verdicts import Action, Noted, Stop, Verdict, advice


class Run:
    """One run of one question. `question` names it in the journal; everything else has a sensible default.

    `model`: anything with a `reply()` (`chat.Model`); None where the loop asks no model.
    `tools`: functions and `Tool`s; the loop reaches them by `run.tools()`.
    `limits`: how much the run may use; without it the defaults of `Limits`.
    `guards`: counters against loops, in place of `guards.DEFAULT_GUARDS`; () is none.
    `journal`: where it is recorded; without it in memory, so that nobody can go on with it later.
    `person`: a function that is asked for consent; without it a run in a file waits for `planexec answer`.
    `clock`: how time passes; without it the model's own clock, else real time.
    `seed`: for whatever is left to chance (how waits are spread); the same seed, the same run.
    `lang`: "en" or "zh", for every text that the model or you read.
    `date`: the day that counts as today; without it today, and in a saved run always the day it was made.
    `replay`: "strict" refuses a journal whose contents differ from what the loop does now; "follow" goes on while kind
    and tool agree, and keeps the first difference.
    `on_event`: called with an `Event` for each thing that happened, for whoever watches.
    `meta`: plain JSON for the journal's header: what another process needs to set the run up again; never a key.
    `first_wait`: seconds before the second attempt of a call; twice as long before each further one.
    `expires`: seconds a person has to agree to a call; after that it is rejected when the run is resumed.

    Errors: ValueError for settings that make no sense, `JournalError` for a journal that does not fit. Failing
    services, limits and loops are never exceptions to you: `react()` and the agent turn them into a `Result`, and round
    a loop of your own `with run:` takes them and leaves `run.stop`. When the block is left, how the run ended is
    recorded: complete when nothing stopped it. An exception of your own passes, and the run counts as unfinished.
    A page on all of it: docs/own_loop.md.
    """

    scope: str
    """The name of this scope: "run", or what `within` made of the name it was given."""
    stop: Stop | None
    """Why the run or the step ended, after a `with` block of it that a limit, a guard or a person ended; else None."""
    answer: str
    """What the loop answers, where it says so: set it inside `with run:`, and it is saved with the run."""

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
        check_settings(
            question=question,
            model=model,
            journal=journal,
            person=person,
            seed=seed,
            lang=lang,
            date=date,
            replay=replay,
            on_event=on_event,
            first_wait=first_wait,
            expires=expires,
        )
        limits, guards = checked_limits(limits), checked_guards(guards)
        warn_about(limits, own_loop=True)
        toolbox = tools if isinstance(tools, Toolbox) else Toolbox(tools)
        journal = journal if journal is not None else Journal()
        header = journal.header
        resumed = bool(header)
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
            toolbox=toolbox,
            limits=limits,
            guards=guards,
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
        gather_doubts(self, resumed)

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        """For a loop of one's own: the block takes the end of this run or step, and `.stop` then says why it ended."""
        ended = isinstance(error, Ended) and error.level == self.scope
        if isinstance(error, Ended) and ended:
            self.stop, self._silent = error.stop, not error.conclude
        if self.scope == ROOT and (ended or error is None):
            self._record_end()
        return ended

    def _record_end(self) -> None:
        """Write down how a loop of one's own ended; what `react()` or the agent wrote down inside it stays."""
        if self.journal.outcome is not None and not self.answer:
            return
        usage, answer = RunUsage.of(self.used, self.priced or self.used.usd > 0), str(self.answer or "")
        step = StepDone(1, self.question, "stopped" if self.stop else "done", answer, stop=self.stop)
        did = (self.used.replans, False, "", tuple(self.verdicts), self.first_difference)
        result = Result(answer, self.stop is None, self.stop, usage, (), (step,), *did)
        self.journal.conclude(result.outcome())

    def _enter(self, scope: str, level: Level) -> None:
        self.stop, self.answer = None, ""
        self._silent = False  # ended in a way that allows no last call
        self.scope = scope
        self._level = level
        self._position = 0
        self._talk = Conversation()

    def within(self, name: str, *, step: bool = False) -> Run:
        """A child scope. The same name again opens `name#2`, so that a retried step is carried out again.

        `step=True`: one line of a plan, with guards, counters and `limits.per_step` of its own. In a loop of your own,
        `with run.within("a", step=True) as step:` takes the end of that step alone and leaves `step.stop`; the end of
        the whole run passes through and is taken by `with run:`.
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
        """Every nudge, refusal, fallback and stop so far."""
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

        A list `messages` that goes on from the one of the last call is recorded by what was added. One that was
        shortened or replaced (a summary for old turns) is taken for another conversation in the same scope and recorded
        whole; on a resume your code has to build the very same list again, which it does from the recorded replies.
        `tools`: offer the run's tools. `step`: this is an executor turn. `last`: the concluding call, which may use
        what was held back. `needed`: a failure for good ends the run; otherwise it raises `Unanswered`.
        """
        gate = self._gate
        fingerprint = self._talk.grow(messages, gate.charges)
        options = {"tool_choice": tool_choice, "max_tokens": max_tokens, "thinking": thinking}
        schemas = gate.toolbox.schemas if tools else ()
        asking = Asking(messages, schemas, options, fingerprint, last)
        size = self._talk.bytes + (gate.schema_bytes if tools and gate.charges else 0)
        return ask_model(self, asking, size, step, replan, needed)

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

    def _next(self, kind: str, name: str, fingerprint: str = "") -> tuple[int, Record | None]:
        """The next position of this scope, and the record there, if any: it must be of what is about to be done."""
        position = self._position
        self._position = position + 1
        record = self._gate.journal.take(self.scope, position)
        return position, record and self._gate.checked(record, kind, name, fingerprint)

    # -------------------------------------------------------------------------------------- conclusion

    def conclude(self, messages: list[Message], instruction: str, *, tools: bool = True) -> str:
        """The last word of a stopped step or run: one call that may not use tools; "" when it cannot be had.

        It goes on in the conversation `messages` of this scope; tool calls in its reply are ignored. After a
        `with run:` block that was ended, the text is saved as the run's answer.
        """
        if self._silent:
            return ""
        text = self._last_word(messages, instruction, tools)
        if self.scope == ROOT and self.stop is not None:
            self.answer = text or self.answer
            self._record_end()
        return text

    def _last_word(self, messages: list[Message], instruction: str, tools: bool) -> str:
        child = self.within("conclude")
        child._talk = self._talk.copy()
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
        except (AttributeError, TypeError):
            check_calls(calls)
            raise
        return observations

    def _turn(self) -> None:
        """Count one executor turn that no model call opened."""
        gate, (position, record) = self._gate, self._next("note", "turn")
        if record is not None:
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
        gate, (position, record) = self._gate, self._next("ask", request.kind)
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
        gate, (position, record) = self._gate, self._next("wait", "wait")
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
        gate, (position, record) = self._gate, self._next("note", name)
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
        position, _ = self._next("stop", stop.reason)
        gate.end(self.scope, position, self._level)


_TURN = Need(steps=1)
__all__ = ["Ended", "Event", "Run", "Unanswered"]


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
