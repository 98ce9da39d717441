"""`planexec runs | show | resume | fork | pending | answer`: saved runs from the command line."""

import json
from pathlib import Path

import pytest

from planexec import store
from planexec.chat import ServiceError
from planexec.cli import main
from planexec.journal import Journal
from planexec.limits import Limits
from planexec.models.scripted import ScriptedModel
from planexec.person import Answer
from planexec.show.columns import columns

QUESTION = "Mail the summary to the press"
OUTSIDE = {"to": "press@outside.example", "subject": "Summary", "body": "All is well."}


@pytest.fixture
def planexec(capsys, tmp_path, monkeypatch):
    """Carry out a command in an empty folder: (exit code, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as ended:
            code = ended.code
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def script(monkeypatch):
    """Let the next command's model answer from a script."""

    def use(*replies):
        model = ScriptedModel(list(replies))
        monkeypatch.setattr("planexec.commands.settings.model_of", lambda settings: model)
        return model

    return use


@pytest.fixture
def waiting(planexec, script):
    """A run in run.db that waits for a person to approve a mail to an outside address."""
    script(("send_mail", OUTSIDE))
    code, out, _ = planexec("run", QUESTION, "--world", "research", "--loop", "react", "--save", "run.db")
    assert code == 3
    return out


@pytest.fixture
def stopped(planexec, script):
    """A run in run.db that a limit stopped before its second step."""
    script(("web_search", {"query": "batteries"}), "Too early to say.")
    run = ("run", QUESTION, "--world", "research", "--loop", "react", "--max-steps", 1, "--save", "run.db")
    assert planexec(*run)[0] == 3


def flat(text):
    return " ".join(text.split())


# ------------------------------------------------------------------------------------------------- runs, show


def test_runs_is_a_table_of_question_state_steps_and_cost(planexec, request):
    planexec("run", "降准利好哪些板块", "--save", "zh.db")
    request.getfixturevalue("stopped")
    code, out, _ = planexec("runs")
    assert code == 0
    head, *rows = [row.split() for row in out.splitlines()]
    assert head == ["run", "state", "steps", "cost", "question"]
    assert [row[:4] for row in rows] == [["run.db", "max_steps", "1", "-"], ["zh.db", "complete", "1", "$0.0016"]]
    assert max(columns(row) for row in out.splitlines()) <= 80


def test_runs_of_an_empty_folder_says_how_to_make_one(planexec, tmp_path):
    code, out, _ = planexec("runs", tmp_path)
    assert code == 0
    assert "--save run.db` makes one" in out


@pytest.mark.parametrize("place", ["nowhere", "file"])
def test_runs_needs_a_folder(planexec, tmp_path, place):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    code, _, err = planexec("runs", place)
    assert code == 2
    assert place in err


def test_show_tells_the_whole_run(planexec, stopped):
    code, out, _ = planexec("show", "run.db")
    assert code == 0
    assert out.startswith(f"question  {QUESTION}\nrun       world research, model")
    assert 'call      web_search(query="batteries")' in out
    assert "stop      max_steps in run: limit 1, reached 1." in out
    assert "\ntotals" in out


def test_show_json_is_the_result_that_run_printed(planexec, script):
    script(("web_search", {"query": "batteries"}), "They get better.")
    run = ("run", QUESTION, "--world", "research", "--loop", "react", "--save", "run.db")
    printed = json.loads(planexec(*run, "--json")[1])
    shown = json.loads(planexec("show", "run.db", "--json")[1])
    assert {name: shown[name] for name in printed} == printed
    assert (shown["question"], shown["state"]) == (QUESTION, "complete")


def test_show_lines_is_one_json_value_a_line_with_numbers(planexec, stopped):
    header, *records = [json.loads(line) for line in planexec("show", "run.db", "--lines")[1].splitlines()]
    assert header["question"] == QUESTION
    assert [record["kind"] for record in records] == ["model", "tool", "stop", "model"]
    assert [record["seq"] for record in records] == sorted(record["seq"] for record in records)


def test_show_carries_nothing_out_and_needs_no_lock(planexec, stopped):
    with Journal("run.db"):
        assert planexec("show", "run.db")[0] == 0
        assert planexec("runs")[0] == 0


@pytest.mark.parametrize("command", [["show"], ["resume"], ["fork"], ["pending"], ["answer"]])
def test_a_run_that_is_not_there_is_an_error_and_makes_no_file(planexec, tmp_path, command):
    extra = {"fork": ["new.db"], "answer": ["approve"]}.get(command[0], [])
    code, _, err = planexec(*command, "nowhere.db", *extra)
    assert code == 2
    assert "no saved run nowhere.db" in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", [["show"], ["pending"], ["resume"], ["answer"], ["fork"], ["run"], ["runs"]])
@pytest.mark.parametrize("place", ["long", "under a file"])
def test_a_place_where_no_run_can_be_is_one_sentence(planexec, tmp_path, command, place):
    (tmp_path / "file").touch()
    path = "x" * 300 if place == "long" else "file/run.db"
    extra = {"fork": ["new.db"], "answer": ["approve"]}.get(command[0], [])
    call = ["run", QUESTION, "--save", path] if command == ["run"] else [*command, path, *extra]
    code, out, err = planexec(*call)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert path in err


@pytest.mark.parametrize("place", ["nowhere/new.db", "x" * 300, "run.db/new.db"])
def test_a_fork_makes_no_folder_and_says_why_it_cannot_be_made(planexec, tmp_path, stopped, place):
    before = sorted(tmp_path.iterdir())
    code, out, err = planexec("fork", "run.db", place)
    assert (code, out, err.count("\n"), place in err) == (2, "", 1, True)
    assert sorted(tmp_path.iterdir()) == before


def test_a_run_is_not_saved_into_a_folder_that_is_not_there(planexec, tmp_path):
    code, out, err = planexec("run", QUESTION, "--save", "nowhere/run.db")
    assert (code, out) == (2, "")
    assert "cannot be made: the folder nowhere is not there; make it first, or save elsewhere" in err
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------------------------------------- resume


def test_resume_goes_on_with_more(planexec, script, stopped):
    model = script("They get better.")
    code, out, _ = planexec("resume", "run.db", "--max-steps", 4)
    assert code == 0
    assert "replayed  2 recorded effects, none carried out again" in out
    assert f"question  {QUESTION}" in out
    assert len(model.requests) == 1
    assert [grant["max_steps"] for grant in Journal.read("run.db").grants] == [4]


def test_resume_without_more_ends_where_it_ended(planexec, script, stopped):
    model = script()
    code, out, _ = planexec("resume", "run.db")
    assert code == 3
    assert "next      planexec resume run.db --max-steps N" in out
    assert model.requests == []


def test_a_run_whose_step_ended_early_offers_nothing_to_resume(planexec, script):
    script('["Find it"]', ("web_search", {"query": "qqqq"}), "There is none.", "There is none.", "There is none.")
    run = ("run", QUESTION, "--world", "research", "--loop", "plan", "--limit", "per_step.max_steps=1")
    code, out, _ = planexec(*run, "--save", "run.db")
    assert (code, "step-1: limit 1, reached 1" in flat(out), "\nnext" in out) == (3, True, False)


def test_resume_knows_world_language_seed_loop_and_limits(planexec, script):
    script(("web_search", {"query": "电池"}), "停。")
    made = ("--world", "research", "--loop", "react", "--lang", "zh", "--seed", 7, "--max-steps", 1)
    planexec("run", QUESTION, *made, "--limit", "max_tool_calls=5", "--save", "run.db")
    script("好了。")
    code, out, _ = planexec("resume", "run.db", "--max-steps", 3, "--json")
    assert code == 0
    assert json.loads(out)["route"] == "react"
    header = Journal.read("run.db").header
    assert (header["lang"], header["seed"], header["limits"]["max_tool_calls"]) == ("zh", 7, 5)


def test_resume_after_a_service_failed_asks_again_and_may_take_another_model(planexec, script):
    script(ServiceError("no key", "person"))
    run = ("run", QUESTION, "--world", "research", "--loop", "react", "--save", "run.db")
    code, out, _ = planexec(*run)
    assert code == 3
    assert "next      planexec resume run.db" in out
    script("Done.")
    code, out, _ = planexec("resume", "run.db", "--model", "sim:careful")
    assert code == 0
    assert "model sim:careful (so far sim:articles)" in flat(out)


@pytest.mark.parametrize("meta", [None, {"note": "mine"}, {"world": "mine"}])
def test_a_run_of_another_program_is_left_to_it(meta, planexec, tmp_path):
    from planexec.react_loop import react

    with Journal(tmp_path / "run.db") as journal:
        react("q", ScriptedModel(["a"]), journal=journal, meta=meta)
    code, _, err = planexec("resume", "run.db")
    assert code == 2
    assert "was not made by `planexec run`" in err


def test_a_run_that_another_process_has_open_is_not_resumed(planexec, stopped):
    with Journal("run.db"):
        code, _, err = planexec("resume", "run.db")
    assert code == 2
    assert "in use by another process" in err


# ------------------------------------------------------------------------------------------------- fork


def test_a_fork_goes_another_way_and_the_old_run_stays(planexec, script, stopped):
    code, out, _ = planexec("fork", "run.db", "other.db")
    assert (code, out) == (0, "other.db: 4 of 4 records. Go on with it:  planexec resume other.db\n")
    script("They get better.")
    assert planexec("resume", "other.db", "--max-steps", 4)[0] == 0
    states = [row.split()[1] for row in planexec("runs")[1].splitlines()[1:]]
    assert states == ["complete", "max_steps"]


def test_a_fork_may_go_back_to_an_earlier_record(planexec, script, stopped):
    second = Journal.read("run.db").records()[1].seq
    assert planexec("fork", "run.db", "early.db", "--at", second)[1].startswith("early.db: 1 of 4 records")
    script("Never mind.", "Never mind.")
    assert planexec("resume", "early.db", "--max-steps", 4)[0] == 0


@pytest.mark.parametrize("at", [0, -1, 999, "step-1", "yesterday"])
def test_a_fork_at_a_record_that_is_not_there_is_refused(planexec, tmp_path, stopped, at):
    code, _, err = planexec("fork", "run.db", "new.db", "--at", at)
    assert code == 2
    assert "have numbers up to" in err and "it has no steps" in err
    assert not (tmp_path / "new.db").exists()


def test_a_fork_may_go_back_to_a_step(planexec):
    question = "A reserve-requirement cut releases 800 bn yuan; 25% flows into stocks. How to allocate 1,000,000 yuan?"
    assert planexec("run", question, "--loop", "plan", "--save", "run.db")[0] in (0, 3)
    assert planexec("fork", "run.db", "again.db", "--at", "step-2")[0] == 0
    kept = {record.scope for record in Journal.read("again.db").records()}
    assert "step-1" in kept and "step-2" not in kept
    code, _, err = planexec("fork", "run.db", "other.db", "--at", "step-9")
    assert code == 2
    assert "and its steps are step-1, step-2" in err


def test_a_fork_never_writes_over_a_file(planexec, stopped):
    code, _, err = planexec("fork", "run.db", "run.db")
    assert code == 2
    assert "already exists" in err


# ------------------------------------------------------------------------------------------------- a person


def test_a_paused_run_says_what_waits_and_how_to_answer(waiting):
    assert "next      send_mail(" in waiting
    assert "planexec answer run.db approve (or reject, edit, reply, stop)" in flat(waiting)
    assert "planexec resume run.db" in waiting


def test_pending_lists_what_waits_in_a_folder_or_a_run(planexec, waiting):
    for place in ([], ["."], ["run.db"]):
        code, out, _ = planexec("pending", *place)
        assert code == 0
        assert "run.db  run:1  (approve)\n  send_mail(" in out
        assert "1 waiting" in out


def test_pending_with_nothing_to_answer(planexec, stopped):
    assert planexec("pending")[:2] == (0, "0 waiting\n")


@pytest.mark.parametrize(
    ("answer", "seen"),
    [
        (["approve"], "Sent to press@outside.example"),
        (["reject", "--text", "not today"], "a person rejected it: not today"),
        (["reply", "--text", "ask the office first"], "ask the office first"),
        (["edit", "--args", '{"to": "a@office.example", "subject": "S", "body": "B"}'], "Sent to a@office.example"),
    ],
)
def test_an_answer_is_what_the_agent_gets_when_the_run_goes_on(planexec, script, waiting, answer, seen):
    code, out, _ = planexec("answer", "run.db", *answer)
    assert (code, out) == (0, f"run:1: {answer[0]}. The run goes on with:  planexec resume run.db\n")
    assert planexec("pending")[1] == "0 waiting\n"
    assert planexec("runs")[1].splitlines()[1].split()[1] == "answered"
    model = script("That is that.")
    planexec("resume", "run.db")
    assert seen in model.requests[0]["messages"][-1]["content"]


def test_a_person_may_stop_the_run_and_it_may_go_on_later(planexec, script, waiting):
    planexec("answer", "run.db", "stop", "--text", "enough for today")
    script()
    code, out, _ = planexec("resume", "run.db")
    assert code == 3
    assert "stop      stopped in run. enough for today" in out
    assert planexec("resume", "run.db")[0] == 3  # asks again
    assert "1 waiting" in planexec("pending")[1]


@pytest.mark.parametrize("answer", [["approve"], ["grant", "--limit", "max_steps=20"]], ids=["approve", "grant"])
def test_a_run_of_another_program_is_not_said_to_go_on_with_a_command(planexec, answer):
    with Journal("run.db") as journal:
        journal.start({"question": QUESTION, "limits": Limits().to_dict()})
        journal.ask({"id": "run:9", "kind": "approve", "text": "Send it?"})
    code, out, _ = planexec("answer", "run.db", *answer)
    assert code == 0
    assert out.endswith(". The run goes on in the program that made it.\n")
    assert planexec("resume", "run.db")[0] == 2


def test_an_answer_needs_no_lock(planexec, script, waiting):
    with Journal("run.db") as journal:
        assert planexec("answer", "run.db", "approve")[0] == 0
        assert journal.answer_to("run:1")["decision"] == "approve"


def test_a_second_answer_is_refused(planexec, waiting):
    planexec("answer", "run.db", "approve")
    code, _, err = planexec("answer", "run.db", "reject")
    assert code == 2
    assert "nothing waits for an answer in run.db" in err
    code, _, err = planexec("answer", "run.db", "reject", "--id", "run:1")
    assert code == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["approve", "--id", "step-9:1"], "no open question has the id step-9:1; open are: run:1"),
        (["edit"], 'an edit needs the new arguments, as a JSON object: --args \'{"to": "team@example.org"}\''),
        (["edit", "--args", "{to: x}"], "--args is not JSON"),
        (["edit", "--args", "[1]"], "an edit needs the new arguments, as a JSON object: --args"),
        (["reply"], "a reply needs its words: --text"),
        (["grant"], "a grant needs limits: --limit max_steps=12"),
        (["grant", "--limit", "max_steps=-2"], "max_steps must be a number of 0 or more"),
        (["edit", "--args", '{"to": "a@x.example"}'], "send_mail was not run. Argument subject: Field required."),
        (["edit", "--args", '{"too": "a", "subject": "", "body": ""}'], "Argument too: Extra inputs are not"),
        (["edit", "--args", "{}", "--tool", "send_male"], "--tool send_male: the tools of this run are web_search, "),
        (["perhaps"], "invalid choice: 'perhaps'"),
    ],
)
def test_an_answer_that_makes_no_sense_is_refused_and_the_question_stays(planexec, waiting, arguments, words):
    code, _, err = planexec("answer", "run.db", *arguments)
    assert code == 2
    assert words in err
    assert "1 waiting" in planexec("pending")[1]


def left_open(kind, text="It began. Carry it out (again)?"):
    with Journal("run.db") as journal:
        journal.start({"question": QUESTION, "limits": Limits().to_dict()})
        journal.ask({"id": "run:9", "kind": kind, "text": text, "tool": "pay", "args": {"amount": 5}})


@pytest.mark.parametrize(
    ("kind", "answer", "takes"),
    [
        ("unknown", ["edit", "--args", "{}"], "approve, reject, reply, stop, grant"),
        ("confirm", ["edit", "--args", "{}"], "approve, reject, stop, grant"),
        ("confirm", ["reply", "--text", "x"], "approve, reject, stop, grant"),
        ("mend", ["reply", "--text", "x"], "approve, reject"),
    ],
)
def test_an_answer_that_would_count_as_a_rejection_is_refused_and_the_question_stays(planexec, kind, answer, takes):
    left_open(kind)
    code, _, err = planexec("answer", "run.db", *answer)
    assert (code, f"a question of the kind '{kind}' takes {takes}; got '{answer[0]}'" in err) == (2, True)
    assert "1 waiting" in planexec("pending")[1]
    with pytest.raises(ValueError, match=takes):
        store.answer(Path("run.db"), "run:9", Answer("edit", args={}))
    assert planexec("answer", "run.db", "approve")[0] == 0


def test_pending_says_what_an_answer_about_a_begun_call_means(planexec):
    left_open("unknown")
    out = planexec("pending")[1]
    assert "    approve            carry it out (again)\n" in out
    assert "    reply --text TEXT  it happened: this is its result\n" in out
    assert "    reject             leave it; whether it happened stays unknown\n" in out
    assert planexec("answer", "run.db", "reply", "--text", "paid 5")[0] == 0


def test_a_question_of_ones_own_loop_takes_any_answer(planexec):
    left_open("question", "Which colour?")
    assert planexec("answer", "run.db", "edit", "--args", '{"colour": "red"}')[0] == 0


def test_which_of_several_questions_must_be_said(planexec, waiting):
    planexec("fork", "run.db", "unused.db")
    with Journal("run.db") as journal:
        journal.ask({"id": "run:9", "kind": "question", "text": "Which one?"})
    code, _, err = planexec("answer", "run.db", "approve")
    assert code == 2
    assert "say which: --id run:1, run:9" in err
    assert planexec("answer", "run.db", "approve", "--id", "run:9")[0] == 0
    assert planexec("answer", "run.db", "approve")[0] == 0


def test_a_grant_lets_a_stopped_run_go_on(planexec, script, stopped):
    code, out, _ = planexec("answer", "run.db", "grant", "--limit", "max_steps=4")
    assert (code, out) == (0, "granted: max_steps=4. The run goes on with:  planexec resume run.db\n")
    script("They get better.")
    assert planexec("resume", "run.db")[0] == 0


def test_a_grant_to_a_complete_run_leaves_it_complete(planexec, script):
    script("They get better.")
    assert planexec("run", QUESTION, "--world", "research", "--loop", "react", "--save", "run.db")[0] == 0
    code, out, _ = planexec("answer", "run.db", "grant", "--limit", "max_steps=99")
    assert (code, "nothing left to do" in out, "resume" in out) == (0, True, False)
    assert "complete" in planexec("runs")[1] and planexec("resume", "run.db")[0] == 0


def test_a_grant_leaves_a_question_about_a_call_open(planexec, waiting):
    assert planexec("answer", "run.db", "grant", "--limit", "max_steps=20")[0] == 0
    assert "1 waiting" in planexec("pending")[1] and "paused" in planexec("runs")[1]


def test_a_grant_answers_the_question_whether_to_begin(planexec, script):
    script('["Find it"]')
    run = ("run", QUESTION, "--world", "research", "--loop", "plan", "--limit", "confirm_first=true")
    assert planexec(*run, "--save", "run.db")[0] == 3
    assert planexec("answer", "run.db", "grant", "--limit", "max_steps=20")[0] == 0
    assert planexec("pending")[1] == "0 waiting\n"


# ------------------------------------------------------------------------------------------------- split questions

QUOTES = "长松银行、灯港银行和九叠银行的股价"  # three quotes, none of which needs another


@pytest.fixture
def split(planexec):
    """A run in run.db of three parts, none of which has a step to spend."""
    code, out, _ = planexec("run", QUOTES, "--max-steps", 2, "--save", "run.db")
    assert code == 3
    return out


def test_a_split_run_that_a_limit_stopped_says_how_to_go_on(split):
    assert "part-1" in split and "planexec resume run.db --max-steps N" in flat(split)


@pytest.mark.parametrize("follow", [(), ("--follow",)])
def test_a_split_run_goes_on_with_more(planexec, split, follow):
    code, out, _ = planexec("resume", "run.db", "--max-steps", 12, *follow)
    assert code == 0 and "get_quote" in out
    whole = planexec("run", QUOTES, "--max-steps", 12, "--json")[1]
    assert json.loads(planexec("show", "run.db", "--json")[1])["answer"] == json.loads(whole)["answer"]
    assert flat(planexec("runs")[1]).count("complete") == 1


def test_a_split_run_goes_on_after_a_grant(planexec, split):
    assert planexec("answer", "run.db", "grant", "--limit", "max_steps=12")[0] == 0
    assert planexec("resume", "run.db")[0] == 0


def test_show_tells_what_the_parts_did_and_why_they_stopped(planexec, split):
    shown = planexec("show", "run.db")[1]
    assert shown.count("max_steps") >= 4 and "整个运行的 max_steps" in shown.replace("\n", "").replace(" " * 10, "")
    planexec("resume", "run.db", "--max-steps", 12)
    assert planexec("show", "run.db")[1].count("get_quote(") == 3


def test_a_fork_may_go_back_to_a_part(planexec, tmp_path):
    planexec("run", QUOTES, "--save", "run.db")
    assert planexec("fork", "run.db", "copy.db", "--at", "part-2")[0] == 0
    assert (tmp_path / "copy.part-1.db").is_file() and not (tmp_path / "copy.part-2.db").exists()
    assert planexec("resume", "copy.db")[0] == 0
    assert "part-1, part-2, part-3" in planexec("fork", "run.db", "other.db", "--at", "part-4")[2]


# ------------------------------------------------------------------------------------------------- worlds


@pytest.mark.parametrize(("lang", "question"), [("en", "Which sectors benefit"), ("zh", "降准利好哪些板块")])
def test_worlds_lists_tools_and_questions(planexec, lang, question):
    code, out, _ = planexec("worlds", "--lang", lang)
    assert code == 0
    assert "finance  (2026-11-02)\n  calculate: " in out
    assert question in out
    assert max(columns(row) for row in out.splitlines()) <= 80


@pytest.mark.parametrize(("lang", "others"), [("en", "(or reject, stop)"), ("zh", "（或 reject、stop）")])
def test_only_answers_that_the_question_takes_are_offered(planexec, lang, others):
    question = {"en": "Which sectors benefit from a reserve-requirement cut?", "zh": "降准利好哪些板块"}[lang]
    code, out, _ = planexec("run", question, "--lang", lang, "--limit", "confirm_first=true", "--save", "new.db")
    assert code == 3
    assert others in flat(out)
