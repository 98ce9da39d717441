"""Plan, execute, replan, report: the outer loop, on one screen.

The outer loop plans; each line of the plan is one direct call or a small ReAct loop of its own. Nothing here decides
about limits or repeats: that is the gate's business. State belongs to a run, never to the agent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from functools import partial
from typing import Any

from planexec.chat import Model, system, user
from planexec.clock import Clock
from planexec.consent import confirm, confirm_begin
from planexec.contradictions import warn_about
from planexec.executor import carry_out_step
from planexec.gate import Ended, Event
from planexec.guards import Guard, checked_guards
from planexec.journal import Journal
from planexec.limits import Limits
from planexec.parallel import answer_in_parts
from planexec.person import Person
from planexec.planner import make_plan
from planexec.plans import Step
from planexec.react_loop import PROMPT as REACT_PROMPT
from planexec.react_loop import Trace, act, answer_with_react, conclusion, loop, make_result, nothing_found
from planexec.replanner import replan
from planexec.reporter import digest, report
from planexec.result import Result, StepDone, digest_of
from planexec.router import Route, route
from planexec.run import Run
from planexec.run_checks import check_model, checked_limits
from planexec.tools import Tool, Toolbox
from planexec.verdicts import Stop

LOOPS = ("auto", "plan", "react")
ROUNDS = 3  # executor turns inside one step, unless limits.per_step says otherwise


class PlanExecuteAgent:
    """Answers questions with a plan. One agent may run many questions; each run counts for itself.

    `limits`: see `Limits`; without `per_step`, each line of the plan gets 3 turns. `guards`: see `guards.py`; ()
    is none.
    `loop`: "auto" asks the router first, "plan" always plans, "react" never does. `meta`, `expires`: see `Run`.
    """

    def __init__(
        self,
        model: Model,
        tools: Iterable[Tool | Callable[..., Any]] = (),
        limits: Limits | None = None,
        lang: str = "en",
        *,
        guards: Sequence[Guard] | None = None,
        clock: Clock | None = None,
        seed: int = 0,
        date: str | None = None,
        loop: str = "auto",
        replay: str = "strict",
        on_event: Callable[[Event], None] | None = None,
        meta: dict[str, Any] | None = None,
        expires: float | None = None,
    ):
        if loop not in LOOPS:
            raise ValueError(f"loop is one of {', '.join(LOOPS)}; got {loop!r}")
        check_model(model)
        limits = checked_limits(limits)
        warn_about(limits)
        if limits.per_step is None:
            limits = limits.with_(per_step=Limits.none().with_(max_steps=ROUNDS))
        self.model, self.toolbox, self.limits, self.lang = model, Toolbox(tools), limits, lang
        self.guards, self.clock, self.seed, self.date = checked_guards(guards), clock, seed, date
        self.loop, self.replay, self.on_event, self.meta = loop, replay, on_event, meta
        self.expires, self.split = expires, True

    def run(self, question: str, journal: Journal | None = None, person: Person | None = None) -> Result:
        """Answer `question`. With a journal that holds this question's run, go on where it was.

        Errors: ValueError for settings that make no sense, JournalError for a journal of another run. Everything else
        is in the result: `complete`, `stop`, and the answer from what there is.
        """
        run = Run(
            question,
            model=self.model,
            tools=self.toolbox,
            limits=self.limits,
            guards=self.guards,
            journal=journal,
            person=person,
            clock=self.clock,
            seed=self.seed,
            lang=self.lang,
            date=self.date,
            replay=self.replay,
            on_event=self.on_event,
            meta=self.meta,
            expires=self.expires,
        )
        question = run.question
        try:
            chosen = route(run, question) if self.loop == "auto" else Route(self.loop)
        except Ended as ended:
            return make_result(run, digest((), ended.stop, run.lang), ended.stop)
        if chosen.kind == "parallel" and self.split:
            return answer_in_parts(run, question, chosen.parts, partial(self._answer_part, person))
        if chosen.kind == "react":
            return answer_with_react(run, question)
        return answer_directly(run, question) if chosen.kind == "direct" else plan_and_execute(run, question)

    def _answer_part(self, person: Person | None, question: str, limits: Limits, journal: Journal) -> Result:
        """One independent part of a question, as a run of its own that is not split again."""
        agent = copy(self)
        agent.limits, agent.split = limits, False
        return agent.run(question, journal, person)


def answer_directly(run: Run, question: str) -> Result:
    """One reply full of tool calls, then the answer; only if nothing was found, ReAct goes on from there."""
    trace = Trace([system(REACT_PROMPT[run.lang].format(date=run.date)), user(question)])
    stop = None
    try:
        confirm_begin(run, question)
        reply = run.model(trace.messages, tools=True, step=True)
        trace.messages.append(reply.message)
        answer = reply.text.strip()
        act(run, trace, reply.tool_calls)
        if any(call.kind == "found" for call in trace.calls):
            whole = all(call.kind != "refused" for call in trace.calls)  # else it is cut short, and that is said
            reply = run.model(trace.messages, tools=True, tool_choice="none", last=whole)
            answer = reply.text.strip() if reply.complete else ""
        elif trace.calls:
            answer = loop(run, trace)
    except Ended as ended:
        stop = ended.stop
        answer = conclusion(run, trace, stop) if ended.conclude else digest_of(trace.calls, run.lang)
    if stop is None and trace.calls and all(call.kind != "found" for call in trace.calls):
        stop = nothing_found(trace.calls, run.lang)
    step = StepDone(1, question, "stopped" if stop else "done", answer, tuple(trace.calls), stop=stop)
    return make_result(run, answer, stop, steps=(step,), route="direct")


def plan_and_execute(run: Run, question: str) -> Result:
    """Plan the steps, carry them out one after the other, look at the rest after each, report."""
    done: dict[int, StepDone] = {}
    remaining: list[Step] = []
    degraded, stop = "", None
    try:
        planned = make_plan(run, question)
        remaining, degraded = list(planned.plan), planned.degraded
        if run.limits.confirm_first:
            confirm(run, [step.goal for step in remaining])
        while remaining:
            step = remaining.pop(0)
            done[step.id] = carry_out_step(run, question, step, done)
            if _replan_is_due(run, remaining, done[step.id]):
                remaining = list(replan(run, question, list(done.values()), remaining).steps)
        answer, stop = report(run, question, list(done.values()))
    except Ended as ended:
        stop = ended.stop
        if (cut := getattr(ended, "step", None)) is not None:
            done[cut.id] = cut
        steps = list(done.values())
        answer = report(run, question, steps, stop)[0] if ended.conclude else digest(steps, stop, run.lang)
    unmet = next((step for step in done.values() if not step.met), None)
    if stop is None and unmet is not None:
        stop = unmet.stop or Stop(unmet.status, where=f"step-{unmet.id}")
    steps_done = (*done.values(), *(StepDone(step.id, step.goal, "open") for step in remaining))
    goals = tuple(step.goal for step in steps_done)
    return make_result(run, answer, stop, plan=goals, steps=steps_done, degraded=bool(degraded), route="chain")


def _replan_is_due(run: Run, remaining: Sequence[Step], last: StepDone) -> bool:
    """After every step but the last; after the last one only if it failed. Never beyond the limit."""
    most = run.limits.max_replans
    if most is not None and run.used.replans >= most:
        return False
    return bool(remaining) or last.status in ("failed", "blocked")
