"""Resume: killed at any moment of any effect and started again, a run gives the same answer and repeats nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers_control import OFF, Counting, Killed, asks, endless_run, facts, made
from helpers_kill import MOMENTS, Fused, Scenario, World, effects_of, planned_run, react_run

from planexec.gate import Ended
from planexec.journal import Journal
from planexec.models.scripted import ScriptedModel
from planexec.person import Answer, Request
from planexec.react_loop import react
from planexec.run import Run
from planexec.tools import Tool, tool

SCENARIOS: dict[str, Scenario] = {"react": react_run, "planned": planned_run}


def whole(scenario: Scenario) -> tuple[Any, World]:
    world = World()
    return scenario(world, Journal()), world


def killed_once(scenario: Scenario, path: Path, effect: int, moment: str, world: World) -> bool:
    """Run until the kill; True when it came."""
    try:
        with Fused(path, effect, moment) as journal:
            scenario(world, journal)
    except Killed:
        return True
    return False


def check(scenario: Scenario, result: Any, world: World, kills: int) -> None:
    """The same answer, each change of the world once, and at most the interrupted calls made again."""
    expected, undisturbed = whole(scenario)
    assert result.answer == expected.answer and result.complete == expected.complete
    assert [step.status for step in result.steps] == [step.status for step in expected.steps]
    assert [call.text for call in result.calls] == [call.text for call in expected.calls]
    assert world.sent == undisturbed.sent, "each exactly once, in order"
    assert len(world.read) <= len(undisturbed.read) + kills
    assert sorted(set(world.read)) == sorted(set(undisturbed.read))
    more = result.usage.model_calls + result.usage.tool_calls - expected.usage.model_calls - expected.usage.tool_calls
    assert 0 <= more <= kills, "an interrupted call counts; nothing else counts twice"
    assert result.usage.steps == expected.usage.steps
    assert result.usage.seconds == pytest.approx(expected.usage.seconds, abs=3.0), "but for the jitter of its waits"


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("name", SCENARIOS)
def test_killed_at_every_effect_the_run_goes_on_where_it_was(name: str, moment: str, tmp_path: Path) -> None:
    scenario = SCENARIOS[name]
    count = effects_of(scenario)
    assert count >= 15
    for effect in range(1, count + 1):
        path, world = tmp_path / f"{effect}.db", World()
        assert killed_once(scenario, path, effect, moment, world)
        with Journal(path) as journal:
            result = scenario(world, journal)
        check(scenario, result, world, kills=1)


@pytest.mark.parametrize("name", SCENARIOS)
def test_killed_twice_it_still_does(name: str, tmp_path: Path) -> None:
    """Every effect, and then soon after the resume once more, at changing moments."""
    scenario = SCENARIOS[name]
    for effect in range(1, effects_of(scenario) + 1, 2):
        for second in (1, 2):
            path, world = tmp_path / f"{effect}-{second}.db", World()
            kills = killed_once(scenario, path, effect, MOMENTS[1 + effect % 2], world)
            kills += killed_once(scenario, path, second, MOMENTS[(effect + second) % 4], world)
            with Journal(path) as journal:
                result = scenario(world, journal)
            check(scenario, result, world, kills)


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_finished_run_started_again_does_nothing_and_says_the_same(name: str, tmp_path: Path) -> None:
    scenario, world = SCENARIOS[name], World()
    with Journal(tmp_path / "run.db") as journal:
        first = scenario(world, journal)
    before = (list(world.read), list(world.sent), len(world.asked))
    with Journal(tmp_path / "run.db") as journal:
        rows = journal._seq
        again = scenario(world, journal)
        assert journal._seq == rows, "nothing is written"
    assert again == first and (world.read, world.sent, len(world.asked)) == before


# ------------------------------------------------------------------------------------- world-changing calls


class Mail:
    """A tool that changes the world, and a run that calls it once."""

    def __init__(self, **options: Any):
        self.sent: list[str] = []
        self.options = {"effect": True, **options}
        self.asked: list[Request] = []

    def tool(self) -> Tool:
        @tool(**self.options)
        def send(text: str) -> str:
            """Send a mail."""
            self.sent.append(text)
            return f"sent {text}"

        return send

    def run(self, journal: Journal, *answers: Answer) -> Any:
        left = list(answers)

        def person(request: Request) -> Answer | None:
            self.asked.append(request)
            return left.pop(0) if left else None

        run = Run("q", tools=[self.tool()], journal=journal, person=person, guards=())
        return run.tools(asks(("send", {"text": "hello"})))[0]


def interrupted(mail: Mail, moment: str, path: Path | None = None) -> Journal:
    """A journal in which the call was killed at this moment."""
    journal = Fused(path, 1, moment)
    with pytest.raises(Killed):
        mail.run(journal)
    journal.effect = 0
    return journal


@pytest.mark.parametrize(("moment", "before"), [("begun", 0), ("done", 1)])
def test_a_call_that_only_began_is_asked_about_and_never_made_unasked(moment: str, before: int) -> None:
    for answer, after in ((Answer("approve"), before + 1), (Answer("reject", "leave it"), before)):
        mail = Mail()
        journal = interrupted(mail, moment)
        assert len(mail.sent) == before
        observation = mail.run(journal, answer)
        assert len(mail.sent) == after
        (request,) = mail.asked
        assert request.kind == "unknown" and "nobody knows whether it happened" in request.text
        assert observation.kind == ("found" if answer.decision == "approve" else "unknown")
        assert answer.decision == "approve" or observation.text.startswith("Not repeated; it may have happened before.")
        assert mail.run(journal) == observation and len(mail.asked) == 1, "the answer is on record"


def test_a_person_may_say_what_came_of_it() -> None:
    mail = Mail()
    journal = interrupted(mail, "done")
    observation = mail.run(journal, Answer("reply", "it was sent at 10:40"))
    assert (observation.kind, observation.text) == ("found", "it was sent at 10:40") and len(mail.sent) == 1


def test_with_nobody_there_and_nothing_durable_it_stays_unknown() -> None:
    mail = Mail()
    journal = interrupted(mail, "done")
    observation = Run("q", tools=[mail.tool()], journal=journal).tools(asks(("send", {"text": "hello"})))[0]
    assert observation.kind == "unknown" and len(mail.sent) == 1


def test_with_nobody_there_a_saved_run_pauses_and_waits_for_the_answer(tmp_path: Path) -> None:
    mail = Mail()
    interrupted(mail, "done", tmp_path / "run.db").close()
    for _ in range(2):
        with Journal(tmp_path / "run.db") as journal, pytest.raises(Ended) as ended:
            Run("q", tools=[mail.tool()], journal=journal).tools(asks(("send", {"text": "hello"})))
        assert ended.value.stop.reason == "paused"
    with Journal(tmp_path / "run.db") as journal:
        (request,) = journal.pending()
        journal.answer(request["id"], Answer("reject", "it went out").to_dict())
        observation = Run("q", tools=[mail.tool()], journal=journal).tools(asks(("send", {"text": "hello"})))[0]
    assert observation.kind == "unknown" and "it went out" in observation.text and len(mail.sent) == 1


@pytest.mark.parametrize("moment", ["begun", "done"])
def test_killed_again_while_it_is_made_again_it_is_asked_about_again(moment: str) -> None:
    """An answer is used once: a second interruption needs a second answer."""
    mail = Mail()
    journal = interrupted(mail, "begun")
    journal.effect, journal.moment, journal.begun = 2, moment, 0
    with pytest.raises(Killed):
        mail.run(journal, Answer("approve"))
    sent, journal.effect = len(mail.sent), 0
    assert mail.run(journal, Answer("reject", "enough")).kind == "unknown"
    assert len(mail.asked) == 2 and len(mail.sent) == sent


def test_a_call_that_may_be_repeated_is_repeated_without_asking() -> None:
    for moment in ("begun", "done"):
        mail = Mail(idempotent=True)
        journal = interrupted(mail, moment)
        assert mail.run(journal).kind == "found" and mail.asked == []


def test_every_world_changing_call_has_a_key_of_its_own_that_a_resume_keeps(tmp_path: Path) -> None:
    def keys(path: Path | None) -> list[str]:
        with Journal(path) as journal:
            run = Run("q", tools=[Mail().tool()], journal=journal, guards=())
            for name in ("step-1", "step-2"):
                step = run.within(name, step=True)
                step.tools(asks(*[("send", {"text": each}) for each in ("a", "a", " a ", "b")]))
            return [record.request["key"] for record in journal.records()]

    first = keys(tmp_path / "run.db")
    assert len(set(first)) == 8 and keys(tmp_path / "run.db") == first
    assert not set(keys(tmp_path / "other.db")) & set(first), "another run of the same question"


# --------------------------------------------------------------------------------------- counters, time, limits


def test_an_interrupted_model_call_is_made_again_and_is_no_failed_attempt(tmp_path: Path) -> None:
    """Three kills inside the same call use up calls, not the attempts it has."""
    path, limits = tmp_path / "run.db", OFF.with_(max_attempts=1)
    for _ in range(3):
        with Journal(path) as journal, pytest.raises(Killed):
            react("q", ScriptedModel([Killed()]), [], limits, journal=journal)
    with Journal(path) as journal:
        result = react("q", ScriptedModel(["at last"]), [], limits, journal=journal)
    assert (result.answer, result.usage.model_calls, result.usage.steps) == ("at last", 4, 1)


def test_interrupted_calls_count_against_the_limit(tmp_path: Path) -> None:
    path, limits = tmp_path / "run.db", OFF.with_(max_model_calls=3)
    for _ in range(2):
        with Journal(path) as journal, pytest.raises(Killed):
            react("q", ScriptedModel([Killed()]), [], limits, journal=journal)
    with Journal(path) as journal:
        result = react("q", ScriptedModel(["the conclusion"]), [], limits, journal=journal)
        assert (result.stop.reason, result.answer, made(journal, "model")) == ("max_model_calls", "the conclusion", 3)


def test_a_run_that_is_killed_between_its_stop_and_its_conclusion_still_concludes(tmp_path: Path) -> None:
    for moment in MOMENTS:
        path = tmp_path / f"{moment}.db"
        with Fused(path, 7, moment) as journal, pytest.raises(Killed):
            endless_run(OFF.with_(max_steps=3), journal)
        with Journal(path) as journal:
            result = endless_run(OFF.with_(max_steps=3), journal)
        assert (result.answer, result.stop.reason, result.usage.steps) == ("what there is", "max_steps", 3)


def test_killed_right_after_a_refusal_the_end_is_still_decided() -> None:
    """The refused fourth call ends the step; a kill between the refusal and the end must not open it again."""
    for more in (0, 1):
        journal, look = Journal(), Counting(lambda query: "the same")

        def go(journal: Journal = journal, look: Counting = look) -> Run:
            run = Run("q", model=ScriptedModel(["never asked"]), tools=[look.tool()], journal=journal)
            for _ in range(4 + more):  # noqa: B023
                run.tools(asks(("look", {"query": "x"})))
            return run

        go()
        run = go()
        with pytest.raises(Ended) as ended:
            run.model([{"role": "user", "content": "q"}])
        assert ended.value.stop.reason == "loop" and len(look.seen) == 3


def test_the_date_of_the_first_day_holds_on_the_second(tmp_path: Path) -> None:
    def ask(date: str) -> str:
        with Journal(tmp_path / "run.db") as journal:
            react("q", ScriptedModel(["well"]), [], journal=journal, date=date)
            return journal.records()[0].request["added"][0]["content"]

    assert "2026-12-31" in ask("2026-12-31") and "2026-12-31" in ask("2027-01-01")


def test_a_retried_step_replays_its_waits_without_waiting() -> None:
    from planexec.clock import VirtualClock

    journal = Journal()
    for expected in (True, False):
        clock, world = VirtualClock(), World()
        run = Run("q", tools=world.tools(), journal=journal, clock=clock)
        run.tools(asks(("shaky", {"query": "c"})))
        assert (clock.now() > 0) == expected and run.used.tool_calls == 3
        assert run.used.seconds == pytest.approx(sum(r.seconds for r in journal.records()))


def test_facts_found_before_a_kill_are_in_the_answer_after_it(tmp_path: Path) -> None:
    model, limits = ScriptedModel([("look", {"query": "x"})]), OFF.with_(max_model_calls=1)
    with Fused(tmp_path / "run.db", 2, "after") as journal, pytest.raises(Killed):
        react("q", model, [facts()], limits, journal=journal)
    with Journal(tmp_path / "run.db") as journal:
        assert "fact about x" in react("q", model, [facts()], limits, journal=journal).answer
