"""`planexec local`: what it shows before it fetches, how it ends, and in which words it refuses."""

from __future__ import annotations

import importlib.util
import io
import sys

import pytest
from local_weights import DATA, served, tiny

from planexec.cli import main
from planexec.commands import local as command
from planexec.models.local import catalogue, endpoint


@pytest.fixture
def planexec(capsys, tmp_path, monkeypatch):
    """Carry out a command with an empty folder for weights and one tiny model: (exit code, stdout, stderr)."""
    monkeypatch.setenv("PLANEXEC_MODELS", str(tmp_path / "weights"))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(catalogue, "_table", lambda: {"tiny": tiny()})

    def call(*arguments):
        try:
            code = main(["local", *map(str, arguments)])
        except SystemExit as ended:
            code = ended.code
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def shelf():
    with served() as given:
        yield given


@pytest.fixture
def answering(monkeypatch):
    """Somebody sits at the terminal and types this."""

    def answers(text):
        terminal = io.StringIO(text)
        terminal.isatty = lambda: True
        monkeypatch.setattr(sys, "stdin", terminal)

    return answers


# ---------------------------------------------------------------------------------------------------- help


@pytest.mark.parametrize("words", [(), ("list",), ("fetch",), ("start",), ("where",)])
def test_each_action_has_help_that_fits_into_the_terminal(planexec, words):
    code, out, err = planexec(*words, "--help")
    assert (code, err) == (0, "") and f"usage: planexec {' '.join(('local', *words))}" in out
    assert max(map(len, out.splitlines())) <= 80


def test_without_an_action_the_help_comes(planexec):
    assert planexec() == planexec("--help")


# ---------------------------------------------------------------------------------------------------- list, where


def test_the_list_says_size_memory_licence_and_what_is_here(planexec, tmp_path):
    _, out, _ = planexec("list")
    assert "MIT         not here" in out and f"folder:  {tmp_path / 'weights'}" in out
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights" / "tiny.gguf").write_bytes(DATA)
    code, out, err = planexec("list")
    assert (code, err) == (0, "") and "MIT         here" in out


def test_the_list_of_the_shipped_models_fits_into_the_terminal(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("PLANEXEC_MODELS", "weights")
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    assert main(["local", "list"]) == 0
    out = capsys.readouterr().out
    assert "1,117 MB" in out and 'runtime: not installed: pip install "planexec[local]"' in out
    assert max(map(len, out.splitlines())) <= 80


def test_where_prints_the_folder_alone_or_one_file(planexec, tmp_path):
    assert planexec("where") == (0, f"{tmp_path / 'weights'}\n", "")
    code, out, err = planexec("where", "tiny")
    assert (code, out) == (2, "") and "planexec local fetch tiny" in err
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights" / "tiny.gguf").write_bytes(DATA)
    assert planexec("where", "tiny") == (0, f"{tmp_path / 'weights' / 'tiny.gguf'}\n", "")


# ---------------------------------------------------------------------------------------------------- fetch


def test_size_licence_source_and_digest_are_shown_first_and_nothing_comes_without_a_yes(planexec, shelf, answering):
    answering("\n")
    code, out, err = planexec("fetch", "tiny", "--from", shelf.url)
    assert code == 2 and "nothing was fetched" in err and shelf.asked == []
    for shown in ("Tiny, for tests", "10,240 bytes", "MIT", "nobody", f"{shelf.url}tiny.gguf", tiny().sha256):
        assert shown in out


@pytest.mark.parametrize("word", ["y", "Yes"])
def test_with_a_yes_it_is_fetched_and_the_next_command_is_named(planexec, shelf, answering, tmp_path, word):
    answering(f"{word}\n")
    code, out, err = planexec("fetch", "tiny", "--from", shelf.url)
    assert (code, err) == (0, "") and out.rstrip().endswith("planexec local start tiny")
    assert (tmp_path / "weights" / "tiny.gguf").read_bytes() == DATA


def test_with_nobody_at_the_terminal_it_needs_yes_beforehand(planexec, shelf, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    code, _, err = planexec("fetch", "tiny", "--from", shelf.url)
    assert code == 2 and "--yes agrees beforehand" in err and shelf.asked == []
    assert planexec("fetch", "tiny", "--from", shelf.url, "--yes")[0] == 0


def test_what_is_here_is_neither_asked_about_nor_fetched(planexec, shelf):
    planexec("fetch", "tiny", "--from", shelf.url, "--yes")
    code, out, _ = planexec("fetch", "tiny", "--from", shelf.url)
    assert code == 0 and "complete, SHA-256 as pinned" in out and "licence" not in out and len(shelf.asked) == 1


def test_a_wrong_digest_is_one_sentence_on_stderr(planexec, shelf):
    shelf.data = DATA[::-1]
    code, out, err = planexec("fetch", "tiny", "--from", shelf.url, "--yes")
    assert code == 2 and err.startswith("planexec: what came from http") and "Nothing was kept" in err
    assert "Traceback" not in err


def test_unknown_models_are_told_with_the_known_ones(planexec):
    for words in (("fetch", "gpt"), ("start", "gpt"), ("where", "gpt")):
        code, _, err = planexec(*words)
        assert code == 2 and "there are tiny" in err


# ---------------------------------------------------------------------------------------------------- start


class Served:
    """Stands for a running model."""

    def __init__(self, url: str, end: object) -> None:
        self.base_url, self.weights_of, self.stopped, self._end = url, tiny(), False, end

    def wait(self) -> int:
        if isinstance(self._end, int):
            return self._end
        raise KeyboardInterrupt

    def __enter__(self) -> Served:
        return self

    def __exit__(self, *exc: object) -> None:
        self.stopped = True


@pytest.fixture
def starting(monkeypatch):
    """Let `start` take this model; what it was asked for is in the list."""
    asked = []
    monkeypatch.setattr(command, "find_spec", lambda name: importlib.util.find_spec("json"))

    def with_(model):
        def start(name, **options):
            asked.append((name, options))
            return model

        monkeypatch.setattr("planexec.models.local.start", start)
        return asked

    return with_


def test_it_fetches_what_is_missing_serves_it_and_says_how_to_use_it(planexec, shelf, starting, tmp_path):
    model = Served("http://127.0.0.1:8411/v1", "ctrl-c")
    asked = starting(model)
    code, out, err = planexec("start", "tiny", "--from", shelf.url, "--yes")
    assert (code, err) == (0, "") and model.stopped
    assert asked == [("tiny", {"port": None, "threads": 1, "prompt_cache": False, "context": 8192})]
    assert (tmp_path / "weights" / "tiny.gguf").read_bytes() == DATA
    assert "--model local --base-url http://127.0.0.1:8411/v1" in out
    assert 'OpenAIModel("local", "http://127.0.0.1:8411/v1", profile="local")' in out
    assert "The same request gets the same reply." in out


def test_where_the_command_line_cannot_know_the_model_only_python_is_told(planexec, shelf, starting):
    starting(Served("http://127.0.0.1:9999/v1", "ctrl-c"))
    _, out, _ = planexec("start", "tiny", "--from", shelf.url, "--yes", "--port", 9999, "--threads", 2)
    assert "--base-url" not in out and 'profile="local")' in out and "Replies may differ" in out


def test_a_model_that_ends_by_itself_is_an_error(planexec, shelf, starting):
    starting(Served("http://127.0.0.1:8411/v1", -9))
    code, _, err = planexec("start", "tiny", "--from", shelf.url, "--yes")
    assert code == 2 and "ended by itself, with code -9" in err


def test_without_the_runtime_nothing_is_fetched(planexec, shelf, monkeypatch):
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    code, _, err = planexec("start", "tiny", "--from", shelf.url, "--yes")
    assert code == 2 and 'pip install "planexec[local]"' in err and shelf.asked == []


def test_a_taken_port_is_told(planexec, shelf, starting, monkeypatch):
    starting(None)
    monkeypatch.setattr("planexec.models.local.start", endpoint.start)
    monkeypatch.setattr(endpoint, "find_spec", lambda name: importlib.util.find_spec("json"))
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, _, err = planexec("start", "tiny", "--from", shelf.url, "--yes", "--port", port)
    assert code == 2 and f"port {port} is taken" in err
