"""`planexec run` where somebody sits: a person is asked on the spot, and a request that lasts is seen meanwhile."""

import io
import json
import sys

import pytest

from planexec.chat import Reply, Usage
from planexec.cli import main
from planexec.commands.terminal import ROW, Row, person_here
from planexec.journal import Journal
from planexec.limits import Limits
from planexec.person import Request
from planexec.show.columns import columns
from planexec.worlds import orders

MAIL = Request("run:3", "approve", 'send_mail({"to": "a@b.example"})', tool="send_mail", args={"to": "a@b.example"})
QUESTION = orders.QUESTIONS["en"]["refund"]


def asked(*typed, request=MAIL, keeps=False, lang="en", limits=None):
    """What the person answers who types these lines, and what was shown."""
    lines, shown = iter(typed), []

    def read(prompt):
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    return person_here(limits or Limits(), lang, keeps, read, shown.append)(request), "\n".join(shown)


@pytest.mark.parametrize(
    ("typed", "decision", "field", "value"),
    [
        ("y", "approve", "text", ""),
        ("n not to outside addresses", "reject", "text", "not to outside addresses"),
        ("n", "reject", "text", ""),
        ('e {"to": "team@b.example"}', "edit", "args", {"to": "team@b.example"}),
        ("r it was sent yesterday", "reply", "text", "it was sent yesterday"),
        ("s", "stop", "text", ""),
        ("g max_steps=14", "grant", "limits", {"max_steps": 14}),
    ],
)
def test_a_letter_and_what_stands_behind_it_are_the_answer(typed, decision, field, value):
    answer, shown = asked(typed)
    assert (answer.decision, getattr(answer, field)) == (decision, value)
    assert MAIL.text in shown


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("", "one of y, n, e, r, g, s"),
        ("yes", "one of y, n, e, r, g, s"),
        ("l", "one of y, n, e, r, g, s"),
        ("e to=team", "not JSON"),
        ("e [1]", "an edit needs the new arguments, as a JSON object:  e {"),
        ("r", "a reply needs its words"),
        ("g", "a grant needs limits:  g max_steps=12"),
        ("g steps=3", "no limit is called"),
        ("g max_steps=-3", "0 or more"),
    ],
)
def test_what_cannot_be_used_is_said_and_asked_again(wrong, said):
    answer, shown = asked(wrong, "y")
    assert answer.decision == "approve"
    assert said in shown


def test_the_end_of_the_input_is_not_an_answer():
    assert asked()[0] is None


def test_later_is_offered_only_where_the_run_is_kept():
    assert asked("l", keeps=True)[0] is None
    assert "later" in asked("l", keeps=True)[1] and "later" not in asked("y")[1]


def test_a_plan_is_agreed_to_or_not_but_not_edited():
    answer, shown = asked("e {}", "y", request=Request("confirm:0", "confirm", "Carry out this plan?\n1. look"))
    assert answer.decision == "approve" and "one of y, n, g, s" in shown


def test_what_somebody_must_mend_is_mended_or_not():
    answer, shown = asked("s", "y", request=Request("run:1", "mend", "look failed: no balance\nIs it mended?"))
    assert answer.decision == "approve" and "one of y, n" in shown and "stop the run" not in shown


def test_characters_that_steer_a_terminal_are_not_passed_on():
    shown = asked("y", request=Request("a", "approve", "send_mail(\x1b[2Jhidden)"))[1]
    assert "\x1b" not in shown and "hidden" in shown


def test_the_choices_are_in_the_language_of_the_run():
    assert "同意执行" in asked("y", lang="zh")[1]


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def at_a_terminal(monkeypatch, tmp_path):
    """Call the command where somebody sits and types: (exit code, what the screen showed)."""
    monkeypatch.chdir(tmp_path)

    def call(typed, *arguments):
        screen = Terminal()
        monkeypatch.setattr(sys, "stdin", Terminal(typed))
        monkeypatch.setattr(sys, "stdout", screen)
        return main(list(arguments)), screen.getvalue()

    return call


def test_a_call_that_needs_a_person_is_asked_about_and_carried_out(at_a_terminal):
    code, text = at_a_terminal("y\n" * 9, "run", QUESTION, "--world", "orders", "--model", "sim:careful")
    assert "yes, carry it out" in text
    assert "approve" in text and "nobody was there" not in text
    assert code == 0


def test_a_rejected_call_is_not_carried_out(at_a_terminal):
    code, text = at_a_terminal("n wrong order\n" * 9, "run", QUESTION, "--world", "orders", "--model", "sim:careful")
    assert "wrong order" in text
    assert code == 3


def test_later_keeps_the_question_for_another_process(at_a_terminal):
    arguments = ("run", QUESTION, "--world", "orders", "--model", "sim:careful", "--save", "run.db")
    code, text = at_a_terminal("l\n", *arguments)
    assert code == 3 and "planexec answer run.db approve" in text
    assert [each["kind"] for each in Journal.read("run.db").pending()] == ["approve"]
    code, text = at_a_terminal("y\n" * 9, "resume", "run.db")
    assert code == 0


def test_a_script_is_never_asked(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", Terminal("y\n" * 9))
    assert main(["run", QUESTION, "--world", "orders", "--model", "sim:careful"]) == 3
    assert "yes, carry it out" not in capsys.readouterr().out


# ------------------------------------------------------------------------------------- a request that lasts


class Slow:
    """A model that says what the screen shows while it works."""

    name, price, colour = "slow-model", None, "blue"

    def __init__(self, screen, row):
        self.screen, self.row, self.seen = screen, row, ""

    def reply(self, messages, **options):
        self.row.piece("Banks gain most, ")
        self.row.piece("property next")
        self.seen = self.screen.getvalue()
        if not messages:
            raise TimeoutError("too slow")
        return Reply("Banks.", usage=Usage(1, 1))


def last_row(text):
    """What a terminal shows in its last row: every return begins it anew."""
    shown = ""
    for part in text.split("\r"):
        shown = part + shown[len(part) :]
    return shown.rstrip()


def test_a_request_is_announced_its_text_seen_and_the_row_empty_afterwards():
    screen = io.StringIO()
    row = Row(screen, "en")
    slow = Slow(screen, row)
    model = row.around(slow)
    assert model.reply([{"role": "user", "content": "go"}]).text == "Banks."
    assert "asking slow-model ..." in slow.seen
    assert last_row(slow.seen) == "Banks gain most, property next"
    assert last_row(screen.getvalue()) == ""
    assert (model.name, model.price, model.colour) == ("slow-model", None, "blue")


def test_a_model_that_can_stream_brings_its_text_into_the_row():
    slow = Slow(io.StringIO(), None)
    slow.stream, slow.on_text = False, None
    row = Row(io.StringIO(), "en")
    row.around(slow)
    assert slow.stream
    slow.on_text("half a sen")
    assert last_row(row.out.getvalue()) == "half a sen"


def test_the_row_is_empty_after_a_failure_too():
    screen = io.StringIO()
    row = Row(screen, "en")
    with pytest.raises(TimeoutError):
        row.around(Slow(screen, row)).reply([])
    assert last_row(screen.getvalue()) == ""


@pytest.mark.parametrize("text", ["x" * 500, "银行最受益，" * 60, "a\nb\x1b[2J" * 80])
def test_the_row_never_grows_into_a_second_one(text):
    screen = io.StringIO()
    Row(screen, "zh").piece(text)
    shown = last_row(screen.getvalue())
    assert 0 < columns(shown) <= ROW
    assert "\n" not in screen.getvalue() and "\x1b" not in shown


# ------------------------------------------------------------------------------------- a recording is followed


def test_follow_goes_on_where_contents_differ_and_says_where_they_first_do(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    arguments = ["run", "Which sectors benefit from a reserve-requirement cut?", "--world", "finance", "--save", "a.db"]
    assert main(arguments) == 0
    answer = capsys.readouterr().out.partition("\nanswer")[2]
    monkeypatch.setattr("planexec.react_loop.PROMPT", {"en": "Another prompt.", "zh": ""})
    monkeypatch.setattr("planexec.agent.REACT_PROMPT", {"en": "Another prompt.", "zh": ""})
    monkeypatch.setattr("planexec.router.PROMPT", {"en": "Another prompt.", "zh": ""}, raising=False)
    assert main(arguments) == 2
    assert "--follow" in capsys.readouterr().err
    assert main([*arguments, "--follow"]) == 0
    out = capsys.readouterr().out
    assert out.partition("\nanswer")[2].startswith(answer.rstrip("\n"))
    assert "differs from the recording at" in out
    assert main([*arguments, "--follow", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["first_difference"]
