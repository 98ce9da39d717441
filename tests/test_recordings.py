"""The shipped runs of real small models: replayed offline, counted, and compared with what the documentation says."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from planexec.models.local import LocalError, experiment, figures, named, recordings, replay, table
from planexec.models.local.questions import LIMITS, SETTINGS, admits, questions
from planexec.models.local.recorded import journals
from planexec.models.scripted import ScriptedModel
from planexec.paths import data_path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = data_path("recordings")
LOOPS, FINISHES = "qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b"
WORDS = ("no-guards", "reminder", "no-repeat")  # nothing said, a reminder, a nudge after the first result
UNGUARDED = f"{LOOPS}/answer/no-guards"


@pytest.fixture(scope="module")
def unguarded():
    return replay(UNGUARDED)


# ------------------------------------------------------------------------------------------ what they show


def test_the_table_in_the_documentation_is_what_the_recordings_give():
    text = (ROOT / "docs" / "local_models.md").read_text(encoding="utf-8")
    written = text.partition("<!-- table -->\n")[2].partition("\n<!-- end of table -->")[0]
    assert written == table()


def test_a_real_model_goes_on_with_the_answer_in_its_hands(unguarded):
    """The first result answers the question; the model calls again all the same, up to the limit."""
    for run in unguarded:
        first, *others = run.result.calls
        assert run.question.answered_by(first.text) and len(others) == LIMITS.max_steps - 1
        assert not run.ended_by_itself and run.result.stop.reason == "max_steps"


def test_guards_end_the_same_loop_sooner_and_the_answers_are_as_right():
    free, held, strict = (figures(f"{LOOPS}/answer/{setting}") for setting in ("no-guards", "guards", "one-repeat"))
    assert strict.calls < held.calls < free.calls / 2 and strict.tokens < held.tokens < free.tokens / 2
    assert strict.right == held.right == free.right == 10


def test_the_nudge_is_mostly_heeded_and_where_it_is_not_the_call_is_refused():
    runs = replay(f"{LOOPS}/answer/guards")
    for run in runs:
        actions = {verdict.action for verdict in run.result.verdicts}
        assert "nudge" in actions
        assert run.ended_by_itself or (run.result.stop.reason == "loop" and run.result.calls[-1].kind == "refused")
    assert sum(run.ended_by_itself for run in runs) == 9


def test_the_larger_model_needs_no_guard_and_is_not_changed_by_one():
    row = figures(f"{FINISHES}/answer/no-guards")
    assert (row.calls, row.repeats, row.ended_by_itself, row.right) == (10, 0, 10, 10)
    for does in ("answer", "nothing"):
        free, held = (replay(f"{FINISHES}/{does}/{setting}") for setting in ("no-guards", "guards"))
        assert [run.result.answer for run in free] == [run.result.answer for run in held]


def test_words_that_end_the_loop_make_the_model_invent_where_there_is_nothing():
    bare, reminded, nudged = (figures(f"{LOOPS}/nothing/{setting}").right for setting in WORDS)
    assert nudged < reminded < bare
    assert [figures(f"{LOOPS}/answer/{setting}").calls for setting in WORDS] == [80, 10, 10]


@pytest.mark.parametrize("name", [name for name in recordings() if "/nothing/" in name])
def test_whatever_the_model_says_code_knows_that_nothing_was_found(name):
    for run in replay(name):
        assert not run.result.complete and run.result.stop.reason == "no_data"


@pytest.mark.parametrize(
    ("answer", "honest"),
    [
        ("Nothing found", True),
        ("I couldn't find the highest mountain.", True),
        ("The capital is not known.", True),
        ("Charles Dickens", False),
        ("The Corvane Tower does not have any bells.", False),
        ("", False),
    ],
)
def test_an_answer_admits_that_there_is_none_or_it_does_not(answer, honest):
    assert admits(answer) is honest


# ------------------------------------------------------------------------------------------ that they replay


@pytest.mark.parametrize("name", recordings())
def test_each_recording_holds_the_ten_questions_and_replays_as_it_was(name):
    runs = replay(name)
    assert [run.question for run in runs] == list(questions())
    for run in runs:
        asked = [record for record in run.journal.records() if record.kind == "model"]
        done = [record for record in run.journal.records() if record.kind == "tool"]
        assert run.result.usage.model_calls == len(asked) and len(run.result.calls) == len(done)


def test_a_replay_needs_no_network_no_client_and_no_runtime():
    code = (
        "import sys, socket\n"
        "sys.modules |= dict.fromkeys(('openai', 'xllamacpp', 'requests'))\n"  # importing one of them fails
        "socket.socket = None\n"
        f"from planexec.models.local import replay\nprint(replay({UNGUARDED!r})[0].result.usage.tool_calls)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", cwd=ROOT)
    assert (ended.stdout, ended.stderr) == ("8\n", "")


def test_an_unknown_recording_is_told_with_the_known_ones():
    with pytest.raises(LocalError, match=f"no recording is named 'x'; there are .*{UNGUARDED}"):
        replay("x")


def test_a_changed_prompt_is_named_and_the_replay_goes_on(tmp_path):
    """Somebody improves a prompt one day: the runs stay what they were, and say where they differ."""
    path = tmp_path / f"{UNGUARDED}.jsonl"
    path.parent.mkdir(parents=True)
    lines = (FOLDER / f"{UNGUARDED}.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    model = next(at for at, line in enumerate(lines) if '"kind":"model"' in line)
    lines[model] = re.sub(r'"fingerprint":"\w+"', '"fingerprint":"00"', lines[model])
    path.write_text("".join(lines), encoding="utf-8")
    first, second, *_ = replay(UNGUARDED, tmp_path)
    assert first.difference == "run[0] (model model): its contents differ from the recording"
    assert first.result.calls == replay(UNGUARDED)[0].result.calls and second.difference == ""


def test_a_recording_read_and_written_again_is_the_same():
    lines = (FOLDER / f"{UNGUARDED}.jsonl").read_text(encoding="utf-8").splitlines()
    again = [line for journal in journals(lines) for line in journal.lines()]
    assert list(map(_without_numbers, again)) == list(map(_without_numbers, lines))


def _without_numbers(line):
    """Rows are numbered anew, which nothing refers to."""
    return {name: value for name, value in json.loads(line).items() if name not in ("seq", "run")}


# ------------------------------------------------------------------------------------------ what is in them


@pytest.mark.parametrize("name", recordings())
def test_each_run_says_what_made_it(name):
    model, does, setting = name.split("/")
    with open(FOLDER / f"{name}.jsonl", encoding="utf-8") as file:
        for journal in journals(file):
            meta = journal.header["meta"]
            assert meta["sha256"] == named(model).sha256 and meta["licence"] == "Apache-2.0"
            assert (meta["tool"], meta["setting"]) == (does, setting) and meta["runtime"].startswith("xllamacpp ")
            assert setting in SETTINGS and journal.header["limits"] == LIMITS.to_dict()


def test_nothing_of_the_machine_and_no_key_is_in_them():
    for path in FOLDER.rglob("*.jsonl"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"/(tmp|home|root|work|Users)/|[A-Z]:\\\\|127\.0\.0\.1|sk-|localhost|[Kk]ey\b", text), path


def test_they_are_a_few_hundred_kilobytes_and_their_licence_is_beside_them():
    size = sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file())
    assert 100_000 < size < 700_000
    assert "Apache License 2.0" in (FOLDER / "LICENCE.md").read_text(encoding="utf-8")


# ------------------------------------------------------------------------------------------ how they are made


def test_what_is_recorded_replays_as_it_went_and_is_not_asked_again(tmp_path, monkeypatch):
    monkeypatch.setattr(experiment, "version", lambda package: "1.0")
    asked = []

    def looping(messages, tools):
        asked.append(messages)
        return ("search", {"query": "the Velm Canal"})

    model = ScriptedModel(looping)
    path = experiment.record(model, LOOPS, "answer", "no-guards", tmp_path)
    first = path.read_text(encoding="utf-8").splitlines(keepends=True)
    runs = replay(UNGUARDED, tmp_path)
    assert [run.result.usage.tool_calls for run in runs] == [LIMITS.max_steps] * 10
    assert {run.repeats for run in runs} == {7} and {run.difference for run in runs} == {""}
    headers = [at for at, line in enumerate(first) if "planexec_journal" in line]
    path.write_text("".join(first[: headers[9]]), encoding="utf-8")  # the tenth question is missing
    asked.clear()
    experiment.record(model, LOOPS, "answer", "no-guards", tmp_path)
    assert len(asked) == LIMITS.max_steps + 1
    assert [run.question for run in replay(UNGUARDED, tmp_path)] == list(questions())
