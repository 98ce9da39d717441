"""The installed `planexec` command from outside, in an empty folder: what it answers, how it ends, what it survives."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from model_servers import KEY, Service, completion

from planexec.paths import data_path
from planexec.worlds.common import renamed

COMMAND = Path(sys.executable).parent / ("planexec.exe" if os.name == "nt" else "planexec")
EN = (
    "A reserve-requirement cut releases {} bn yuan; {}% ({} bn) flows into stocks. "
    "How should a {}-yuan account be allocated?"
)
ZH = "降准释放{}亿，{}%流入股市{}亿，怎么配置{}万账户"
ALLOCATION = EN.format(800, 25, 200, "1,000,000")
SPLIT = {
    "en": "How much of the 200 bn goes to banks and property each, and what are their leading stocks?",
    "zh": "2000亿分给银行地产各多少 龙头股",
}
SECTORS = {"en": "Which sectors benefit from a reserve-requirement cut?", "zh": "降准利好哪些板块"}


def environment(**changes):
    """Nothing of the person's own settings gets in, and no key."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON") and "KEY" not in name}
    return {**kept, "PYTHONIOENCODING": "utf-8", "NO_PROXY": "127.0.0.1,localhost", **changes}


@pytest.fixture
def planexec(tmp_path):
    """Call the command in an empty folder: a CompletedProcess with texts."""

    def call(*arguments, encoding="utf-8", **changes):
        changes = {"PYTHONIOENCODING": encoding, **changes}
        return subprocess.run(
            [COMMAND, *map(str, arguments)],
            cwd=tmp_path,
            env=environment(**changes),
            capture_output=True,
            encoding=encoding,
            timeout=60,
        )

    return call


@pytest.fixture
def result(planexec):
    """Ask with --json: (exit code, the result)."""

    def ask(*arguments):
        ended = planexec("run", *arguments, "--json")
        assert ended.stderr == ""
        return ended.returncode, json.loads(ended.stdout)

    return ask


@pytest.fixture
def knowledge(tmp_path):
    """The finance world's data; `save` writes a changed copy and returns its path."""

    class Knowledge:
        data = json.loads(data_path("finance", "knowledge.json").read_text(encoding="utf-8"))

        def tables(self, name):
            return [entry["tables"][name] for entry in self.data["entries"] if name in entry.get("tables", {})]

        def save(self):
            (tmp_path / "mine.json").write_text(json.dumps(self.data, ensure_ascii=False), encoding="utf-8")
            return "mine.json"

    return Knowledge()


def calls(result, tool):
    return [call for step in result["steps"] for call in step["calls"] if call["tool"] == tool]


def amounts(result):
    """Every plain number of the answer, without its thousands separators."""
    return {figure.replace(",", "") for figure in re.findall(r"\d[\d,]*\d|\d", result["answer"])}


# ------------------------------------------------------------------------------------------------- 1. allocation


@pytest.mark.parametrize(
    ("question", "inflow", "expected"),
    [
        (ALLOCATION, "200,000,000,000", ["250000", "200000", "150000", "300000", "100000"]),
        (ZH.format(8000, 25, 2000, 100), "200,000,000,000", ["250000", "200000", "150000", "300000", "100000"]),
        (EN.format(600, 30, 180, "500,000"), "180,000,000,000", ["125000", "100000", "75000", "150000", "50000"]),
        (ZH.format(6000, 30, 1800, 50), "180,000,000,000", ["125000", "100000", "75000", "150000", "50000"]),
    ],
)
def test_the_allocation_follows_the_numbers_of_the_question(result, question, inflow, expected):
    code, run = result(question, "--model", "sim:articles", "--max-steps", 8)
    assert (code, run["complete"], run["stop"]) == (0, True, None)
    assert [figure for figure in expected if figure not in amounts(run)] == []
    assert any(inflow in call["text"] for call in calls(run, "calculate"))
    assert run["usage"]["steps"] == 7


def test_the_answer_follows_the_weights(result, knowledge):
    (weights,) = knowledge.tables("weights")
    weights["en"] |= {"banks": "35%", "consumer": "20%"}
    _, run = result(ALLOCATION, "--max-steps", 8, "--data", knowledge.save())
    assert {"350000", "200000", "150000", "100000"} <= amounts(run)
    assert "300000" not in amounts(run)


def test_the_answer_follows_the_names(result, knowledge):
    names = {"banks": "mines", "property": "harbours", "brokers": "weavers", "consumer": "orchards"}
    names |= {"Everpine Bank": "Deepseam Mining", "Maplebowl Foods": "Windfall Fruit"}
    knowledge.data = renamed(knowledge.data, names)
    code, run = result(ALLOCATION, "--max-steps", 8, "--data", knowledge.save())
    assert code == 0
    answer = run["answer"].casefold()
    assert all(name.casefold() in answer for name in names.values())
    assert "everpine" not in answer
    assert "250000" in amounts(run)


def test_what_is_missing_is_said_and_not_made_up(result, knowledge):
    for stocks in knowledge.tables("stocks"):
        stocks["en"].pop("brokers", None)
    _, run = result(ALLOCATION, "--max-steps", 8, "--data", knowledge.save())
    (line,) = [line for line in run["answer"].splitlines() if line.startswith("Brokers: 150,000")]
    assert "no leading stocks found" in line
    assert "Quillstone" not in run["answer"]
    assert "the total market value of the A-share market could not be found" in run["answer"]


def test_the_model_s_policy_needs_no_world():
    code = (
        "import sys; sys.modules['planexec.worlds'] = None\n"
        "from planexec.models.simulated import SimulatedModel\n"
        "print(SimulatedModel().reply([{'role': 'user', 'content': 'Which sectors benefit?'}]).finish)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment())
    assert (ended.stdout, ended.stderr) == ("stop\n", "")


# ------------------------------------------------------------------------------------------------- 2. stopped, routed


@pytest.mark.parametrize("question", [ALLOCATION, ZH.format(8000, 25, 2000, 100)])
def test_three_steps_are_too_few_and_the_result_says_why(result, question):
    code, run = result(question, "--model", "sim:articles", "--max-steps", 3)
    assert (code, run["complete"]) == (3, False)
    searches = calls(run, "search_knowledge")
    assert [call["kind"] for call in searches] == ["empty"] * 3
    assert len({call["args"]["query"] for call in searches}) == 3
    stop = run["stop"]
    assert (stop["reason"], stop["limit"], stop["value"], stop["where"]) == ("max_steps", 3, 3, "step-1")
    assert "max_steps" in stop["advice"]
    assert run["answer"].strip()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_chain_of_four_is_answered_with_both_amounts_and_both_lists(result, lang):
    code, run = result(SPLIT[lang], "--max-steps", 8)
    assert (code, run["route"]) == (0, "chain")
    answer = run["answer"]
    figures = ("80 bn", "50 bn") if lang == "en" else ("800亿", "500亿")
    names = ("Everpine Bank", "Oakbridge Homes") if lang == "en" else ("长松银行", "橡桥置业")
    assert [word for word in (*figures, *names) if word not in answer] == []


def test_the_amounts_of_the_chain_follow_the_shares(result, knowledge):
    (shares,) = knowledge.tables("shares")
    shares["en"] |= {"banks": "30%", "property": "35%"}
    _, run = result(SPLIT["en"], "--max-steps", 8, "--data", knowledge.save())
    assert "60 bn" in run["answer"]
    assert "70 bn" in run["answer"]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_question_of_one_step_is_routed_to_one_search_and_react_makes_four(result, lang):
    code, run = result(SECTORS[lang])
    assert (code, run["route"], len(calls(run, "search_knowledge"))) == (0, "direct", 1)
    _, forced = result(SECTORS[lang], "--loop", "react")
    assert len(calls(forced, "search_knowledge")) == 4


# ------------------------------------------------------------------------------------------------- 4. killed, resumed

DIES = """
import os, signal
from planexec import journal

class Dying(journal.Journal):
    finished = 0
    def finish(self, *given):
        record = super().finish(*given)
        Dying.finished += 1
        if Dying.finished == int(os.environ["DIE_AFTER"]):
            os.kill(os.getpid(), signal.SIGKILL)
        return record

journal.Journal = Dying
"""


def records(planexec, run):
    """The records of a saved run, without their numbers, which count what was killed as well."""
    lines = planexec("show", run, "--lines").stdout.splitlines()
    return [{**json.loads(line), "seq": 0} for line in lines[1:]]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("after", [4, 14, *(pytest.param(n, marks=pytest.mark.check) for n in (1, 2, 7, 9, 16))])
def test_a_killed_run_goes_on_with_the_same_command_and_repeats_nothing(planexec, tmp_path, after):
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(DIES, encoding="utf-8")
    ask = ("run", ALLOCATION, "--max-steps", 8, "--save")
    whole = planexec(*ask, "whole.db")
    killed = planexec(*ask, "killed.db", PYTHONPATH=str(tmp_path / "hook"), DIE_AFTER=str(after))
    assert (whole.returncode, killed.returncode) == (0, -signal.SIGKILL)
    assert planexec("runs").stdout.splitlines()[1].split()[1] == "unfinished"
    before = records(planexec, "killed.db")
    again = planexec(*ask, "killed.db")
    assert again.returncode == 0
    assert f"replayed  {after} recorded effects, none carried out again" in again.stdout
    assert again.stdout.partition("\nanswer")[2] == whole.stdout.partition("\nanswer")[2]
    assert records(planexec, "killed.db")[: len(before)] == before
    assert records(planexec, "killed.db") == records(planexec, "whole.db")


def test_a_run_stopped_at_three_and_granted_eight_is_the_run_of_eight(planexec):
    ask = ("run", ALLOCATION, "--json", "--max-steps")
    whole = json.loads(planexec(*ask, 8).stdout)
    assert planexec(*ask, 3, "--save", "run.db").returncode == 3
    granted = planexec("resume", "run.db", "--max-steps", 8, "--json")
    assert granted.returncode == 0
    assert json.loads(granted.stdout)["answer"] == whole["answer"]
    assert json.loads(granted.stdout)["usage"] == whole["usage"]


# ------------------------------------------------------------------------------------------------- 5. a real endpoint


def real(httpserver, *more):
    return ("run", "Will it rain?", "--model", "m", "--base-url", httpserver.url_for("/v1"), "--loop", "react", *more)


def test_a_real_model_is_asked_once_a_call(planexec, httpserver):
    service = Service(httpserver, completion("It will rain."))
    ended = planexec(*real(httpserver), PLANEXEC_API_KEY=KEY)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "answer    It will rain." in ended.stdout
    assert len(service.bodies) == 1


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"status": 401, "json": {"error": {"message": f"bad key {KEY}"}}}, "The key in PLANEXEC_API_KEY"),
        ({"text": "<html>Welcome</html>", "type": "text/html"}, "instead of JSON"),
    ],
)
def test_a_service_that_refuses_stops_the_run_which_can_be_resumed(planexec, httpserver, tmp_path, answer, told):
    service = Service(httpserver, answer, completion("It will rain."))
    ended = planexec(*real(httpserver, "--save", "run.db", "--limit", "max_attempts=1"), PLANEXEC_API_KEY=KEY)
    assert ended.returncode == 3
    assert told in " ".join(ended.stdout.split())
    assert KEY not in ended.stdout + ended.stderr
    assert KEY.encode() not in (tmp_path / "run.db").read_bytes()
    again = planexec("resume", "run.db")
    assert again.returncode == 0
    assert "It will rain." in again.stdout
    assert len(service.bodies) == 2


def test_nobody_at_the_address_is_a_stopped_run_with_a_reason(planexec):
    nobody = ("run", "Will it rain?", "--model", "m", "--base-url", "http://127.0.0.1:9/v1")
    ended = planexec(*nobody, "--limit", "max_attempts=1", "--json")
    assert ended.returncode == 3
    assert json.loads(ended.stdout)["stop"]["reason"] == "failed"
    assert "127.0.0.1:9" in json.loads(ended.stdout)["stop"]["advice"]


def test_no_key_is_wrong_use(planexec):
    ended = planexec("run", "Will it rain?", "--model", "gpt-5")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "OPENAI_API_KEY" in ended.stderr


# ------------------------------------------------------------------------------------------------- the console


@pytest.mark.skipif(os.name == "nt", reason="a console's Ctrl-C reaches a whole group of processes there")
def test_ctrl_c_ends_with_130_and_says_how_to_resume(planexec, httpserver, tmp_path):
    asked, free = threading.Event(), threading.Event()

    def wait(request):
        asked.set()
        free.wait(30)
        return "too late"

    httpserver.expect_ordered_request("/v1/chat/completions", method="POST").respond_with_handler(wait)
    command = [COMMAND, *real(httpserver, "--save", "run.db")]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert asked.wait(30)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        free.set()
    assert process.returncode == 130
    assert err == "\nInterrupted. Go on with:  planexec resume run.db\n"
    assert "began; how it ended is not recorded" in planexec("show", "run.db").stdout
    httpserver.clear()
    Service(httpserver, completion("It will rain."))
    assert "It will rain." in planexec("resume", "run.db").stdout


def test_a_reader_that_goes_away_is_no_error(tmp_path):
    read, written = os.pipe()
    os.close(read)
    ended = subprocess.run(
        [COMMAND, "run", ALLOCATION], cwd=tmp_path, env=environment(), stdout=written, stderr=subprocess.PIPE, text=True
    )
    os.close(written)
    assert ended.stderr == ""
    assert ended.returncode not in (0, 1)


@pytest.mark.parametrize(("encoding", "seen"), [("gbk", "银行"), ("ascii", "??")])
def test_a_console_without_a_character_is_no_error(planexec, encoding, seen):
    ended = planexec("run", SECTORS["zh"], encoding=encoding)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert seen in ended.stdout


def test_json_survives_a_console_without_the_characters(planexec):
    printed = json.loads(planexec("run", SECTORS["zh"], "--json", "--save", "run.db", encoding="ascii").stdout)
    assert "银行" in printed["answer"]
    header = json.loads(planexec("show", "run.db", "--lines", encoding="ascii").stdout.splitlines()[0])
    assert header["question"] == SECTORS["zh"]


def test_a_locale_without_utf_8_still_understands_the_question(planexec):
    ended = planexec("run", SECTORS["zh"], "--json", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert ended.returncode == 0
    assert "银行" in json.loads(ended.stdout)["answer"]


def test_nothing_but_text_reaches_a_pipe(planexec):
    ended = planexec("run", ALLOCATION, TERM="xterm-256color")
    assert "\x1b" not in ended.stdout


SURVEY = {
    "en": "Survey this year's progress in electric-vehicle battery technology and write a 2,000-word report.",
    "zh": "调研今年新能源汽车电池技术的最新进展，写一份两千字的报告",
}


def sides(answer):
    """How many of the survey's five sides the searches of a run were about."""
    pages = json.loads(data_path("research", "pages.json").read_text("utf-8"))["pages"]
    side_of = {page["url"]: page.get("side") for page in pages}
    seen = set()
    for step in answer["steps"]:
        for call in step["calls"]:
            found = [side_of[url] for url in re.findall(r"https?://[^\s,，)]+", call["text"]) if side_of.get(url)]
            seen |= {max(found, key=found.count)} if found else set()
    return len(seen)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_react_covers_fewer_sides_of_the_survey_than_a_plan_with_the_same_allowance_of_searches(result, lang):
    same = ("--world", "research", "--lang", lang, "--limit", "max_tool_calls=6", "--max-steps", 20, "--unguarded")
    _, drifting = result(SURVEY[lang], *same, "--loop", "react")
    _, planned = result(SURVEY[lang], *same, "--loop", "plan")
    _, steady = result(SURVEY[lang], *same, "--loop", "react", "--dial", "drift=0")
    assert drifting["usage"]["tool_calls"] <= 6 and planned["usage"]["tool_calls"] <= 6
    assert sides(drifting) < sides(planned) == 5 and sides(steady) >= 4


def test_the_help_says_that_the_dials_are_ours(planexec):
    said = " ".join(planexec("run", "--help").stdout.split())
    assert "dials are ours" in said
