"""`planexec run`: what it prints, how it ends, what it refuses, and in which words."""

import json
import subprocess
import sys

import pytest

from planexec import __version__
from planexec.chat import Price
from planexec.cli import main
from planexec.commands.settings import guess_world
from planexec.journal import Journal
from planexec.models.scripted import ScriptedModel

QUESTION = (
    "A reserve-requirement cut releases 800 bn yuan; 25% (200 bn) flows into stocks. "
    "How should a 1,000,000-yuan account be allocated?"
)
SECTORS = {"en": "Which sectors benefit from a reserve-requirement cut?", "zh": "降准利好哪些板块"}
COMMANDS = ("run", "resume", "runs", "show", "fork", "pending", "answer", "worlds")
RESULT = ["answer", "complete", "stop", "plan", "steps", "usage", "replans", "degraded"]


@pytest.fixture
def planexec(capsys, tmp_path, monkeypatch):
    """Carry out a command in an empty folder: (exit code, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as ended:  # argparse ends the process by itself
            code = ended.code
        out, err = capsys.readouterr()
        return code, out, err

    return call


def flat(text):
    return " ".join(text.split())


# ------------------------------------------------------------------------------------------------- help


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help_that_fits_into_the_terminal(planexec, name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = planexec(name, "--help")
    assert (code, err) == (0, "")
    assert f"usage: planexec {name}" in out
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize("name", ["run", "resume", "show", "fork", "answer", "worlds"])
def test_help_teaches_by_examples(planexec, name):
    assert f"examples:\n  planexec {name}" in planexec(name, "--help")[1]


def test_without_a_command_the_commands_are_listed(planexec):
    code, out, _ = planexec()
    assert code == 0
    assert all(f"\n    {name} " in out for name in (*COMMANDS, "course"))


@pytest.mark.parametrize("module", ["planexec", "planexec.cli"])
def test_the_command_is_there_as_a_module(module):
    command = [sys.executable, "-m", module, "--version"]
    assert subprocess.run(command, capture_output=True, encoding="utf-8").stdout == f"planexec {__version__}\n"


def test_the_help_of_run_names_every_exit_code(planexec):
    assert "0 complete; 3 stopped, partial or waiting for a person; 2 wrong use" in flat(planexec("run", "--help")[1])


def test_version(planexec):
    assert planexec("--version")[:2] == (0, f"planexec {__version__}\n")


def test_help_loads_nothing_but_the_standard_library():
    code = (
        "import sys; from planexec.cli import parser; parser();"
        "print([m for m in ('sqlite3', 'pydantic', 'planexec.journal', 'planexec.agent') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_the_course_keeps_its_own_options(planexec):
    code, out, _ = planexec("course", "--help")
    assert code == 0
    assert "planexec course copy" in out


# ------------------------------------------------------------------------------------------------- run


def test_a_complete_run_ends_with_0_and_shows_everything(planexec):
    code, out, err = planexec("run", QUESTION, "--max-steps", 8)
    assert (code, err) == (0, "")
    for label in ("route", "plan", "step 1", "  call", "  found", "  empty", "  nudge", "replan", "answer", "totals"):
        assert f"\n{label}" in out
    assert "250,000" in out
    assert "\x1b" not in out


def test_a_stopped_run_ends_with_3_and_says_reason_limit_value_place_and_advice(planexec):
    code, out, err = planexec("run", QUESTION, "--max-steps", 3)
    assert (code, err) == (3, "")
    assert "stop max_steps in step-1: limit 3, reached 3." in flat(out)
    assert "Raise max_steps (a turn for each thing to look up or work out, plus 2 or 3)" in flat(out)


@pytest.mark.parametrize("steps", [8, 3])
def test_json_is_one_object_and_nothing_else(planexec, steps):
    code, out, err = planexec("run", QUESTION, "--max-steps", steps, "--json")
    result = json.loads(out)
    assert (code, err) == (0 if steps == 8 else 3, "")
    assert [name for name in RESULT if name not in result] == []
    assert set(result["steps"][0]) >= {"id", "goal", "status", "calls"}
    assert set(result["steps"][0]["calls"][0]) == {"tool", "args", "kind", "text"}
    usage = {"model_calls", "tool_calls", "prompt_tokens", "completion_tokens", "usd", "seconds"}
    assert set(result["usage"]) >= usage
    if steps == 3:
        assert set(result["stop"]) >= {"reason", "limit", "value", "where", "advice"}
        assert (result["stop"]["reason"], result["stop"]["limit"], result["stop"]["value"]) == ("max_steps", 3, 3)


def test_the_language_is_that_of_the_question_unless_it_is_given(planexec):
    assert "\n回答" in planexec("run", SECTORS["zh"])[1]
    assert "\nanswer" in planexec("run", SECTORS["en"])[1]
    assert "\nanswer" in planexec("run", SECTORS["zh"], "--lang", "en")[1]


@pytest.mark.parametrize(
    ("question", "world"),
    [
        (QUESTION.replace("800", "600"), "finance"),
        (SECTORS["zh"], "finance"),
        ("Survey this year's progress in electric-vehicle battery technology", "research"),
        ("调研今年新能源汽车电池技术的最新进展，写一份两千字的报告", "research"),
        ("Look up ORDER-007 and mail me if it has shipped.", "orders"),
        ("What is the meaning of life?", ""),
        ("800 + 101 + 1,000,000", ""),
    ],
)
def test_the_world_is_guessed_from_the_worlds_own_questions(question, world):
    assert guess_world(question) == world


def test_the_first_line_says_which_world_was_taken_and_why(planexec):
    said = planexec("run", SECTORS["en"])[1].splitlines()[0]
    assert said == "run       world finance (chosen by the question; --world takes another), model"
    assert "finance (the default; --world takes another)" in planexec("run", "What is life?")[1]
    assert flat(planexec("run", SECTORS["en"], "--world", "finance")[1]).startswith(
        "run world finance, model sim:articles, language en, seed 0, today is 2026-11-02 model"
    )


def test_the_same_seed_gives_the_same_run_and_another_model_another(planexec):
    first, second = (planexec("run", QUESTION, "--seed", 1, "--json")[1] for _ in range(2))
    assert first == second
    searches = json.loads(first)["usage"]["tool_calls"]
    careful = json.loads(planexec("run", QUESTION, "--model", "sim:careful", "--json")[1])
    assert careful["usage"]["tool_calls"] < searches


def test_a_dial_changes_one_fault(planexec):
    wordings = []
    for value in (0, 1):
        result = json.loads(planexec("run", QUESTION, "--dial", f"stubborn={value}", "--json")[1])
        wordings.append(len({call["args"]["query"] for call in result["steps"][0]["calls"]}))
    assert wordings == [1, 3]  # it never looks for other words, or always


def test_the_loop_can_be_chosen_and_the_counters_left_off(planexec):
    forced = ("run", SECTORS["en"], "--loop", "react", "--unguarded", "--json")
    routes = [json.loads(planexec(*arguments)[1])["route"] for arguments in (forced, (*forced[:2], "--json"))]
    assert routes == ["react", "direct"]


def test_a_limit_by_name_holds_and_is_named(planexec):
    code, out, _ = planexec("run", QUESTION, "--limit", "max_tool_calls=2", "--json")
    assert code == 3
    assert (json.loads(out)["stop"]["reason"], json.loads(out)["usage"]["tool_calls"]) == ("max_tool_calls", 2)


def test_a_limit_for_each_step_and_a_limit_that_is_off(planexec):
    limits = ("--limit", "per_step.max_tool_calls=1", "--limit", "max_replans=none")
    result = json.loads(planexec("run", QUESTION, *limits, "--json")[1])
    assert max(len([c for c in step["calls"] if c["kind"] != "refused"]) for step in result["steps"]) == 1


def test_limits_that_contradict_each_other_are_remarked_on(planexec):
    limits = ("--limit", "max_calls_per_tool=9", "--limit", "max_tool_calls=3")
    _, out, _ = planexec("run", SECTORS["en"], *limits)
    assert "max_calls_per_tool = 9 can never bind" in flat(out)
    _, out, err = planexec("run", SECTORS["en"], *limits, "--json")
    assert "can never bind" in err
    json.loads(out)


def test_the_world_s_data_can_be_replaced(planexec, tmp_path):
    from planexec.paths import data_path

    text = data_path("finance", "knowledge.json").read_text(encoding="utf-8").replace('"25%"', '"35%"')
    (tmp_path / "mine.json").write_text(text, encoding="utf-8")
    assert "350,000" in planexec("run", QUESTION, "--data", "mine.json")[1]


# ------------------------------------------------------------------------------------------------- wrong use


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--world", "moon"], "no world is called 'moon'; there are finance, research"),
        (["--model", "sim:bold"], "no preset is called 'bold'; there are articles, careful"),
        (["--dial", "drift"], "--dial 'drift': write it as NAME=VALUE"),
        (["--dial", "drift=high"], "--dial drift=high: a dial is a number from 0 to 1"),
        (["--dial", "drift=2"], "dial drift must be a number from 0 to 1"),
        (["--dial", "luck=1"], "no dial is called 'luck'; there are drift, stubborn"),
        (
            ["--model", "m", "--base-url", "http://127.0.0.1:9", "--dial", "drift=1"],
            "--dial is for the simulated model",
        ),
        (["--max-steps", "many"], "--limit max_steps=many: a limit is a number of 0 or more, or none"),
        (["--max-steps", "-1"], "max_steps must be a number of 0 or more"),
        (["--max-steps", "2.5"], "max_steps counts whole things"),
        (["--limit", "max_usd=nan"], "max_usd must be a number of 0 or more"),
        (["--limit", "patience=3"], "no limit is called 'patience'; there are max_steps, max_model_calls"),
        (["--limit", "confirm_first=maybe"], "it is true or false"),
        (["--limit", "=3"], "write it as NAME=VALUE"),
        (["--date", "2.11.2026"], "--date '2.11.2026': write it as YYYY-MM-DD"),
        (["--data", "nowhere.json"], "--data"),
        (["--base-url", "http://127.0.0.1:9/v1"], "the simulated one has none"),
        (["--model", "m"], "where is 'm' served? Give --base-url URL"),
        (["--model", "m", "--base-url", "localhost:1"], "a base URL begins with http:// or https://"),
        (["--model", "gpt-5"], "no key: set the environment variable OPENAI_API_KEY"),
        (["--model", "m", "--base-url", "http://127.0.0.1:9", "--limit", "max_usd=1"], "the price of m is not known"),
        (["--loop", "spiral"], "invalid choice: 'spiral'"),
        (["--seed", "x"], "invalid int value: 'x'"),
    ],
)
def test_wrong_use_ends_with_2_and_says_what_to_do(planexec, tmp_path, arguments, words):
    code, out, err = planexec("run", SECTORS["en"], *arguments, "--save", "run.db")
    assert (code, out) == (2, "")
    assert words in flat(err)
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []  # no file is left behind


@pytest.mark.parametrize(
    "arguments", [["run"], ["run", "  "], ["walk"], ["resume"], ["show", "a", "--json", "--lines"]]
)
def test_commands_that_cannot_be_understood_end_with_2(planexec, arguments):
    code, out, err = planexec(*arguments)
    assert (code, out) == (2, "")
    assert err


@pytest.mark.parametrize(
    ("arguments", "blamed", "option"),
    [
        (["run", "q", "--nosuch"], "planexec run", "--max-steps"),
        (["resume", "run.db", "--nosuch"], "planexec resume", "--limit"),
        (["course", "check", "--nosuch"], "planexec course check", "paths"),
        (["--nosuch"], "planexec", "--version"),
    ],
)
def test_an_unknown_option_is_blamed_on_its_command_whose_options_are_shown(planexec, arguments, blamed, option):
    code, out, err = planexec(*arguments)
    assert (code, out) == (2, "")
    assert f"{blamed}: error: unrecognized arguments: --nosuch (see {blamed} --help)" in flat(err)
    assert option in err


def test_a_missing_package_is_named_with_the_line_that_installs_it(planexec, monkeypatch):
    monkeypatch.setattr("planexec.models.openai_model.find_spec", lambda name: None)
    code, _, err = planexec("run", "q", "--model", "m", "--base-url", "http://127.0.0.1:9/v1")
    assert code == 2
    assert 'pip install "planexec[models]"' in err


@pytest.mark.parametrize("place", ["a folder", "under a file"])
def test_a_place_that_cannot_be_saved_to_is_said(planexec, tmp_path, place):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    save = tmp_path if place == "a folder" else tmp_path / "file" / "run.db"
    code, _, err = planexec("run", SECTORS["en"], "--save", save)
    assert code == 2
    assert str(save) in err


def test_a_file_that_is_no_journal_is_refused_and_kept(planexec, tmp_path):
    (tmp_path / "notes").write_text("mine " * 50, encoding="utf-8")
    code, _, err = planexec("run", SECTORS["en"], "--save", "notes")
    assert code == 2
    assert "not a planexec journal" in err
    assert (tmp_path / "notes").read_text(encoding="utf-8") == "mine " * 50


# ------------------------------------------------------------------------------------------------- save


def test_the_same_command_goes_on_with_the_saved_run(planexec):
    code, out, _ = planexec("run", QUESTION, "--max-steps", 3, "--save", "run.db")
    assert code == 3
    assert out.rstrip().endswith("next      planexec resume run.db --max-steps N")
    code, out, _ = planexec("run", QUESTION, "--max-steps", 8, "--save", "run.db")
    assert code == 0
    assert "recorded effects, none carried out again" in out
    assert out.count("total market value of the A-share market") < 4  # the searches are not shown as made again
    code, out, _ = planexec("run", QUESTION, "--save", "run.db")
    assert code == 0
    assert "  call" not in out  # the limits of the saved run stay, and nothing is left to do


def test_another_question_is_an_error_that_names_both(planexec):
    planexec("run", SECTORS["en"], "--save", "run.db")
    code, out, err = planexec("run", "Another question?", "--save", "run.db")
    assert (code, out) == (2, "")
    assert SECTORS["en"] in err
    assert "Another question?" in err


@pytest.mark.parametrize(
    ("option", "value"), [("seed", 3), ("lang", "zh"), ("world", "research"), ("loop", "react"), ("dial", "drift=0")]
)
def test_a_saved_run_keeps_what_it_was_made_with(planexec, option, value):
    planexec("run", SECTORS["en"], "--save", "run.db")
    code, _, err = planexec("run", SECTORS["en"], "--save", "run.db", f"--{option}", value)
    assert code == 2
    assert f"the saved run was made with {option}" in err


def test_what_was_given_again_the_same_is_no_contradiction(planexec):
    arguments = ("run", SECTORS["en"], "--save", "run.db", "--seed", 2, "--dial", "greed=0")
    assert [planexec(*arguments)[0] for _ in range(2)] == [0, 0]


def test_the_header_holds_what_another_process_needs_and_no_key(planexec, monkeypatch):
    monkeypatch.setenv("PLANEXEC_API_KEY", "sk-secret-secret")
    monkeypatch.setattr("planexec.commands.settings.model_of", lambda settings: ScriptedModel(["chain", "x", "y"]))
    address = "http://user:sk-secret-secret@127.0.0.1:9/v1?key=sk-secret-secret"
    planexec("run", "q", "--model", "m", "--base-url", address, "--loop", "react", "--save", "run.db")
    header = Journal.read("run.db").header
    assert header["meta"]["model"] == "m"
    assert header["meta"]["base_url"] == "http://127.0.0.1:9/v1"
    with open("run.db", "rb") as file:
        assert b"sk-secret" not in file.read()


def test_a_run_that_was_not_saved_offers_nothing_to_resume(planexec):
    assert "next" not in planexec("run", QUESTION, "--max-steps", 3)[1]


def test_a_dollar_limit_needs_a_known_price_and_then_holds(planexec, monkeypatch):
    model = ScriptedModel(["never"], price=Price(1.0, 1.0))
    monkeypatch.setattr("planexec.commands.settings.model_of", lambda settings: model)
    code, out, _ = planexec("run", "q", "--limit", "max_usd=0", "--json")
    assert (code, json.loads(out)["stop"]["reason"], model.requests) == (3, "max_usd", [])
