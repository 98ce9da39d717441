"""The crash lab: processes that are really killed, and what is carried out how often."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from planexec.labs.crash import (
    EFFECTS,
    Crash,
    crash,
    crash_and_answer,
    crash_and_fork,
    crash_at_each,
    crash_at_moments,
    picture,
)
from planexec.labs.crash_child import HERE, MOMENTS

WHOLE = ("model", "model", "get_order", "model", "model", "send_mail", "model", "model")


@pytest.fixture(scope="module")
def killed() -> tuple[Crash, ...]:
    return crash_at_each()


def test_a_process_killed_after_any_effect_is_continued_without_repeating_one(killed: tuple[Crash, ...]) -> None:
    assert [each.at for each in killed] == list(range(1, EFFECTS + 1))
    for each in killed:
        assert each.first + each.second == WHOLE and len(each.first) == each.at
        assert (each.mails, each.complete, each.repeated, each.question) == (1, True, 0, "")
    assert {each.answer for each in killed} == {"ORDER-001 has shipped, and the mail about it was sent."}


def test_the_killed_file_holds_each_effect_begun_and_finished(killed: tuple[Crash, ...]) -> None:
    for each in killed:
        phases = [row.phase for row in each.rows if row.kind in ("model", "tool")]
        assert phases == ["begun", "finished"] * each.at


def test_a_row_says_what_it_holds_but_nothing_that_is_another_in_each_file(killed: tuple[Crash, ...]) -> None:
    said = [json.loads(row.said) for row in killed[7].rows]
    assert said[0]["question"] == "Look up ORDER-001 and mail me if it has shipped."
    assert all(not {"run", "ledger", "key", "seconds"} & set(each) for each in said)
    assert crash(8).rows == killed[7].rows


def test_the_picture_says_how_many_were_repeated(killed: tuple[Crash, ...]) -> None:
    said = repr(picture(killed))
    assert "8 processes killed: 0 effects repeated, 1 mail in each run" in said
    assert [int(each) for each in picture(killed).figure.axes[0].get_xticks()] == list(range(1, EFFECTS + 1))
    assert "killed at 6, send_mail: first process at 1, 2, 3, 4, 5, 6, second process at 7, 8" in said


def test_a_look_up_that_only_began_is_made_again_and_nobody_is_asked() -> None:
    begun, done, recorded = crash_at_moments(3)
    assert [each.complete for each in (begun, done, recorded)] == [True] * 3
    assert (begun.repeated, done.repeated, recorded.repeated) == (0, 1, 0)
    assert done.first[-1] == done.second[0] == "get_order"


def test_of_a_mail_that_only_began_the_journal_knows_no_more_and_a_person_is_asked() -> None:
    begun, done, recorded = crash_at_moments(6)
    assert begun.rows == done.rows == recorded.rows[:-1], "sent or not: the file is the same"
    assert json.loads(begun.rows[-1].said)["args"]["subject"] == "ORDER-001 has shipped"
    assert json.loads(recorded.rows[-1].said)["result"]["observation"]["kind"] == "found"
    assert (begun.mails, done.mails, recorded.mails) == (0, 1, 1)
    assert "nobody knows whether it happened" in begun.question and done.question == begun.question
    assert (begun.second, done.second, recorded.question) == ((), (), "")


def test_an_approved_mail_goes_out_whether_it_was_out_already_or_not() -> None:
    crashes = crash_at_moments(6, "approve")
    assert [each.mails for each in crashes] == [1, 2, 1] and all(each.complete for each in crashes)


def test_without_a_journal_going_on_is_beginning_again() -> None:
    again = crash(6, saved=False)
    assert (again.first, again.second, again.mails) == (WHOLE[:6], WHOLE, 2)
    assert again.repeated == 6 and again.rows == ()
    assert again.text == "killed at 6 (send_mail, over): 6 + 8 carried out, 2 mails, complete"


def test_of_two_copies_of_one_killed_run_only_one_sends_the_mail() -> None:
    one, other = crash_and_fork()
    assert (one.mails, one.complete) == (1, True)
    assert (other.mails, other.complete, other.second) == (1, False, ())
    assert other.question.startswith("Another branch of this run (run.db) has already made this call: send_mail")


def test_each_answer_to_a_mail_that_is_out_leads_somewhere_else() -> None:
    led = crash_and_answer()
    assert {answer: (each.mails, each.complete) for answer, each in led.items()} == {
        "approve": (2, True),
        "reject": (1, False),
        "reply": (1, True),
    }
    assert led["reject"].answer.startswith("Not clear: the mail about ORDER-001 (Not repeated; it may have happened")
    assert led["approve"].answer == led["reply"].answer == "ORDER-001 has shipped, and the mail about it was sent."


def test_what_was_used_before_the_crash_counts_and_so_does_a_call_that_was_lost(killed: tuple[Crash, ...]) -> None:
    assert {(each.usage.model_calls, each.usage.tool_calls) for each in killed} == {(6, 2)}
    for at, counted in ((3, (6, 3)), (2, (7, 2))):
        begun, done, recorded = crash_at_moments(at)
        assert [(each.usage.model_calls, each.usage.tool_calls) for each in (begun, done)] == [counted] * 2
        assert (recorded.usage.model_calls, recorded.usage.tool_calls) == (6, 2)


@pytest.mark.parametrize("wrong", [(0, "done"), (EFFECTS + 1, "done"), (1, "soon")])
def test_an_effect_or_a_moment_that_the_run_does_not_have_is_an_error(wrong: tuple[int, str]) -> None:
    with pytest.raises(ValueError, match="at is 1 to 8"):
        crash(*wrong)


def test_the_child_waits_at_its_moment_and_dies_of_the_signal(tmp_path) -> None:
    given = [sys.executable, "-m", "planexec.labs.crash_child", str(tmp_path), "1", MOMENTS[0], "saved"]
    with subprocess.Popen(given, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None and child.stdout.readline() == HERE and child.poll() is None
        child.kill()
    assert child.returncode == (1 if os.name == "nt" else -9)


def test_the_child_ends_when_nobody_is_left_to_kill_it(tmp_path) -> None:
    given = [sys.executable, "-m", "planexec.labs.crash_child", str(tmp_path), "1", MOMENTS[0], "saved"]
    assert subprocess.run(given, stdin=subprocess.DEVNULL, capture_output=True, timeout=60).returncode == 70
