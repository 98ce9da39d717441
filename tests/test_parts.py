"""A question that was split: its parts go where the run goes, get more when it does, and are told in its result."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers_control import OFF, SECOND, Counting, Killed, asked, asks, once_each, raises, role_of, roles

from planexec import store
from planexec.agent import PlanExecuteAgent
from planexec.chat import ServiceError
from planexec.clock import VirtualClock
from planexec.guards import DEFAULT_GUARDS
from planexec.journal import Journal, JournalError
from planexec.journal_file import part_files
from planexec.limits import Limits, Meter
from planexec.models.scripted import ScriptedModel
from planexec.parallel import charge, share_of
from planexec.person import Answer
from planexec.react_loop import make_result
from planexec.run import Run
from planexec.show.text import text_of, text_of_result
from planexec.tools import Tool

PARTS = ["A", "B"]


def split_model(name: str = "mail", turns: int = 1, reporter: Any = None, **options: Any) -> ScriptedModel:
    """A model that splits "q" into parts; each part is planned, with `turns` steps of one call."""
    parts = options.pop("parts", PARTS)

    def route(messages: Any) -> str:
        whole = {"route": "parallel", "parts": parts}
        return json.dumps(whole if asked(messages)["task"] == "q" else {"route": "chain"})

    def plan(messages: Any) -> str:
        return json.dumps([f"{name} {asked(messages)['task']} {turn}" for turn in range(1, turns + 1)])

    def joined(messages: Any) -> str:
        return " | ".join(str(each["result"]) for each in asked(messages)["results"])

    return roles(plan, once_each(name), router=route, reporter=reporter or joined, usage=SECOND, **options)


def go(
    path: Path | Journal | None, tool: Tool, limits: Limits | None = None, model: Any = None, **settings: Any
) -> Any:
    """The split question in a file, or in memory; a file is closed again."""
    agent = PlanExecuteAgent(model or split_model(tool.name), [tool], limits, clock=VirtualClock(), **settings)
    if isinstance(path, Journal):
        return agent.run("q", path, settings.get("person"))
    with Journal(path) as journal:
        return agent.run("q", journal)


def mail(sent: Counting, **options: Any) -> Tool:
    return sent.tool("mail", effect=True, **options)


def fork(path: Path, target: Path, upto: int | None = None) -> Path:
    Journal.read(path).fork(target, upto).close()
    return target


def part_notes(path: Path) -> list[Any]:
    return [record for record in Journal.read(path).records() if record.name == "part"]


# ------------------------------------------------------------------------------------------- forks


def test_a_fork_takes_the_parts_along_and_sends_nothing_again(tmp_path: Path) -> None:
    sent = Counting()
    whole = go(tmp_path / "run.db", mail(sent))
    copy = fork(tmp_path / "run.db", tmp_path / "other.db")
    assert sorted(path.name for path in part_files(copy).values()) == ["other.part-1.db", "other.part-2.db"]
    assert go(copy, mail(sent)).answer == whole.answer and sent.seen == ["mail A 1", "mail B 1"]


def test_a_fork_before_a_part_asks_about_what_that_part_did(tmp_path: Path) -> None:
    sent = Counting()
    go(tmp_path / "run.db", mail(sent))
    second = part_notes(tmp_path / "run.db")[1]
    copy = fork(tmp_path / "run.db", tmp_path / "other.db", second.seq)
    assert [path.name for path in part_files(copy).values()] == ["other.part-1.db"]
    assert go(copy, mail(sent)).stop.reason == "paused" and sent.seen == ["mail A 1", "mail B 1"]
    ((file, request),) = store.open_requests(copy)
    assert file.name == "other.part-2.db" and "run.part-2.db" in request["text"]
    store.answer(file, request["id"], Answer("approve"))
    assert go(copy, mail(sent)).complete and sent.seen == ["mail A 1", "mail B 1", "mail B 1"]


def test_a_part_that_was_interrupted_goes_on_in_the_fork(tmp_path: Path) -> None:
    sent = Counting(lambda query: (_ for _ in ()).throw(Killed) if "B" in query else "sent")
    with pytest.raises(Killed):
        go(tmp_path / "run.db", mail(sent))
    copy = fork(tmp_path / "run.db", tmp_path / "other.db")
    again = Counting()
    assert go(copy, mail(again)).stop.reason == "paused" and again.seen == []  # begun: nobody knows


def test_a_run_in_memory_takes_its_parts_into_the_fork(tmp_path: Path) -> None:
    sent, journal = Counting(), Journal()
    whole = go(journal, mail(sent))
    journal.fork(tmp_path / "run.db").close()
    assert go(tmp_path / "run.db", mail(sent)).answer == whole.answer and len(sent.seen) == 2
    fork(tmp_path / "run.db", tmp_path / "again.db")
    assert go(tmp_path / "again.db", mail(sent)).complete and len(sent.seen) == 2


def test_a_fork_does_not_mix_with_parts_that_lie_there(tmp_path: Path) -> None:
    go(tmp_path / "run.db", mail(Counting()))
    (tmp_path / "other.part-1.db").write_bytes(b"")
    with pytest.raises(JournalError, match=r"other\.part-1\.db already exists"):
        fork(tmp_path / "run.db", tmp_path / "other.db")
    assert not (tmp_path / "other.db").exists()


# ------------------------------------------------------------------------------------------- parts of another run


def test_parts_that_a_deleted_run_left_are_not_taken_for_those_of_a_new_one(tmp_path: Path) -> None:
    sent = Counting()
    go(tmp_path / "run.db", mail(sent))
    (tmp_path / "run.db").unlink()
    with pytest.raises(JournalError, match=r"run\.part-1\.db belongs to another run than .*run\.db"):
        go(tmp_path / "run.db", mail(sent))
    for left in part_files(tmp_path / "run.db").values():
        left.unlink()
    assert go(tmp_path / "run.db", mail(sent)).complete and len(sent.seen) == 4


def test_parts_without_a_mark_stay_usable_with_the_run_they_lie_beside(tmp_path: Path) -> None:
    sent = Counting()
    go(tmp_path / "run.db", mail(sent))
    for part in part_files(tmp_path / "run.db").values():  # as an earlier version wrote them
        with sqlite3.connect(part) as db:
            (body,) = db.execute("SELECT body FROM records WHERE phase = 'header'").fetchone()
            header = {name: value for name, value in json.loads(body).items() if name != "part_of"} | {"run": "own"}
            db.execute("UPDATE records SET body = ? WHERE phase = 'header'", (json.dumps(header),))
        db.close()
    assert go(tmp_path / "run.db", mail(sent)).complete
    assert go(fork(tmp_path / "run.db", tmp_path / "other.db"), mail(sent)).complete
    assert len(sent.seen) == 2 and Journal.read(tmp_path / "other.part-1.db").header["run"] == "own"


# ------------------------------------------------------------------------------------------- given more


@pytest.mark.parametrize("how", ["resumed with more", "granted from outside"])
@pytest.mark.parametrize("follow", [False, True])
@pytest.mark.parametrize("limit", ["max_steps", "max_tool_calls", "max_model_calls"])
def test_a_split_run_that_a_limit_stopped_goes_on_when_it_is_given_more(
    how: str, follow: bool, limit: str, tmp_path: Path
) -> None:
    undisturbed, look, path = Counting(), Counting(), tmp_path / "run.db"
    whole = go(None, undisturbed.tool(), model=split_model("look", turns=2))
    few = Limits.none().with_(**{limit: 9 if limit == "max_model_calls" else 2})
    settings: Any = {"guards": (), "replay": "follow" if follow else "strict"}
    first = go(path, look.tool(), few, split_model("look", turns=2), **settings)
    assert not first.complete
    limits = few.with_(**{limit: 40})
    if how == "granted from outside":
        store.grant(path, {limit: 40})
        limits = few
    second = go(path, look.tool(), limits, split_model("look", turns=2), **settings)
    assert (second.complete, second.answer) == (True, whole.answer) and sorted(look.seen) == undisturbed.seen
    assert [record.result["complete"] for record in part_notes(path)] == [True, True]
    third = go(path, look.tool(), limits, split_model("look", turns=2), **settings)
    assert third.answer == whole.answer and sorted(look.seen) == undisturbed.seen


def test_what_the_run_noted_of_a_part_is_what_became_of_it_after_a_persons_answer(tmp_path: Path) -> None:
    path, sent = tmp_path / "run.db", Counting()
    go(path, mail(sent, approve=True))
    for _ in PARTS:
        ((file, request),) = store.open_requests(path)
        store.answer(file, request["id"], Answer("approve"))
        go(path, mail(sent, approve=True))
    assert [record.result["complete"] for record in part_notes(path)] == [True, True]
    assert Journal.read(path).outcome["complete"] and sent.seen == ["mail A 1", "mail B 1"]


# ------------------------------------------------------------------------------------------- failed, stopped


class Broken:
    """A model whose service refuses everything about B as long as it is broken."""

    name, price, broken = "m", None, True

    def __init__(self) -> None:
        self.inner = split_model("look")

    def reply(self, messages: Any, **options: Any) -> Any:
        if self.broken and role_of(messages) != "reporter" and "look B" in json.dumps(messages):
            raise ServiceError("HTTP 401", kind="person")
        return self.inner.reply(messages, **options)


def test_a_part_that_failed_goes_on_when_the_run_is_reopened(tmp_path: Path) -> None:
    path, model, look = tmp_path / "run.db", Broken(), Counting()
    assert go(path, look.tool(), model=model).stop.reason == "failed"
    model.broken = False
    assert go(path, look.tool(), model=model).stop.reason == "failed"  # it is recorded
    with Journal(path) as journal:
        assert journal.reopen()
    assert go(path, look.tool(), model=model).complete and look.seen == ["look A 1", "look B 1"]


def test_a_part_of_a_run_in_memory_is_reopened_too() -> None:
    journal, model, look = Journal(), Broken(), Counting()
    assert go(journal, look.tool(), model=model).stop.reason == "failed"
    model.broken = False
    assert journal.reopen() and go(journal, look.tool(), model=model).complete


def test_a_part_that_a_person_stopped_asks_again_when_the_run_is_reopened(tmp_path: Path) -> None:
    path, sent = tmp_path / "run.db", Counting()
    go(path, mail(sent, approve=True))
    ((file, request),) = store.open_requests(path)
    store.answer(file, request["id"], Answer("stop", "not today"))
    assert go(path, mail(sent, approve=True)).stop.reason == "stopped"
    with Journal(path) as journal:
        assert journal.reopen()
    assert go(path, mail(sent, approve=True)).stop.reason == "paused"
    assert len(store.open_requests(path)) == 1 and sent.seen == []


def test_a_run_whose_part_goes_on_is_listed_as_one_that_goes_on(tmp_path: Path) -> None:
    path, model = tmp_path / "run.db", Broken()
    go(path, Counting().tool(), model=model)
    assert [saved.state for saved in store.saved_runs(tmp_path)] == ["failed"]
    with Journal(path) as journal:
        journal.reopen()
    assert [saved.state for saved in store.saved_runs(tmp_path)] == ["unfinished"]


def test_reopening_leaves_a_part_alone_that_a_limit_stopped(tmp_path: Path) -> None:
    path, look = tmp_path / "run.db", Counting()
    go(path, look.tool(), Limits(max_steps=2), split_model("look", turns=2))
    before = [len(Journal.read(part).records()) for part in part_files(path).values()]
    with Journal(path) as journal:
        assert not journal.reopen()
    assert [len(Journal.read(part).records()) for part in part_files(path).values()] == before


# ------------------------------------------------------------------------------------------- shares


def test_the_calls_of_one_tool_are_shared_out_like_everything_else() -> None:
    for most, made in ((4, 4), (5, 4), (1, 0)):
        look = Counting()
        limits = OFF.with_(max_calls_per_tool=most, max_replans=6)
        go(None, look.tool(), limits, split_model("look", turns=3), guards=())
        assert len(look.seen) == made


def test_calls_of_a_tool_are_charged_as_they_were_admitted() -> None:
    """A second attempt counts, a refused call does not."""
    limits, meter = OFF.with_(max_attempts=3, max_calls_per_tool=3), Meter()
    run = Run("q", tools=[raises(TimeoutError("busy"))], limits=limits, clock=VirtualClock())
    run.tools(asks(("look", {"query": "x"}), ("look", {"query": "y"})))
    charge(meter, make_result(run, "an answer", None), run.journal)
    assert meter.per_tool == {"look": 3} and meter.tool_calls == 3


@pytest.mark.parametrize("parts", [2, 3, 7])
def test_the_report_has_a_share_of_seconds_tokens_and_dollars(parts: int) -> None:
    limits = OFF.with_(max_seconds=10.0, max_tokens=100_000, max_usd=1.0, max_model_calls=22)
    share = share_of(limits, Meter(seconds=1.0, prompt_tokens=1_000, usd=0.1, model_calls=1), parts)
    assert share.max_seconds == pytest.approx(9 / (parts + 1), abs=0.001)
    assert share.max_usd == pytest.approx(0.9 / (parts + 1), abs=0.000001)
    assert (share.max_tokens, share.max_model_calls) == (99_000 // (parts + 1), 20 // parts)


def test_shares_are_rounded_down_to_what_usage_shows() -> None:
    """A third of two seconds, shown as 0.667, would be more than the limit three times over."""
    share = share_of(OFF.with_(max_seconds=2.0, max_usd=2.0), Meter(), 2)
    assert (share.max_seconds, share.max_usd) == (0.666, 0.666666)


def test_a_split_run_that_its_seconds_stop_is_still_reported_by_the_model() -> None:
    for seconds in (8.0, 10.0, 15.0):
        model = split_model("look", turns=9, parts=["a", "b", "c"], reporter=lambda messages: "REPORT")
        result = go(None, Counting().tool(), Limits.none().with_(max_seconds=seconds), model, guards=())
        assert (result.stop.reason, result.answer) == ("max_seconds", "REPORT")
        assert result.usage.seconds <= seconds


# ------------------------------------------------------------------------------------------- told


def same_thing() -> ScriptedModel:
    return split_model("look", turns=2)


def test_the_verdicts_of_parts_stand_in_the_joined_result_with_the_part_they_belong_to() -> None:
    result = go(None, Counting().tool(), Limits(max_steps=2), same_thing())
    assert [(v.action, v.where) for v in result.verdicts] == [
        ("conclude", "part-1/step-1"),
        ("conclude", "part-2/step-1"),
    ]
    assert all(v.where in v.text and v.stop.where == v.where for v in result.verdicts)
    assert (result.stop.reason, result.stop.limit, result.stop.where) == ("max_steps", 1, "part-1/step-1")
    for shown in (result._repr_html_(), text_of_result(result)):
        assert shown.count("part-1/step-1") >= 1 and shown.count("part-2/step-1") >= 1


@pytest.mark.parametrize(("lang", "words"), [("en", ("2 parts", "whole run")), ("zh", ("2 个部分", "整个运行"))])
def test_the_advice_after_a_share_ran_out_is_about_the_whole_run(lang: str, words: tuple[str, str]) -> None:
    result = go(None, Counting().tool(), Limits(max_steps=2), same_thing(), lang=lang)
    assert "max_steps" in result.stop.advice and all(word in result.stop.advice for word in words)
    stopped = go(None, raises(ValueError("no")), Limits(max_replans=0), same_thing(), guards=DEFAULT_GUARDS, lang=lang)
    assert all(word not in stopped.stop.advice for word in words)


def in_a_file(tmp_path: Path, **settings: Any) -> Journal:
    go(tmp_path / "run.db", Counting().tool(), Limits(max_steps=2), same_thing(), **settings)
    return Journal.read(tmp_path / "run.db")


def in_memory(tmp_path: Path) -> Journal:
    journal = Journal()
    go(journal, Counting().tool(), Limits(max_steps=2), same_thing())
    return journal


@pytest.mark.parametrize("kept", [in_a_file, in_memory])
def test_a_split_run_is_shown_with_the_calls_and_stops_of_its_parts(
    kept: Callable[[Path], Journal], tmp_path: Path
) -> None:
    shown = text_of(kept(tmp_path))
    first, second = shown.index('look(query="look A 1")'), shown.index('look(query="look B 1")')
    assert first < shown.index("part 1") < second < shown.index("part 2") < shown.index("answer")
    assert shown.count("max_steps, limit 1") >= 2 or shown.count("limit 1") >= 2


def test_a_part_that_is_not_noted_yet_is_shown_too(tmp_path: Path) -> None:
    look = Counting(lambda query: (_ for _ in ()).throw(Killed) if "B" in query else "fact")
    with pytest.raises(Killed):
        go(tmp_path / "run.db", look.tool())
    journal = Journal.read(tmp_path / "run.db")
    assert 'look(query="look B 1")' in text_of(journal)
    told = store.as_dict(journal)
    assert [(step["goal"], step["status"], len(step["calls"])) for step in told["steps"]] == [
        ("A", "done", 1),
        ("B", "open", 1),
    ]
    assert (told["state"], told["route"], told["plan"]) == ("unfinished", "parallel", ["A", "B"])
