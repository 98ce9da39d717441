"""`planexec serve`: what it prints, what it takes, how it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from serving import Came, body, send, serve

from planexec.cli import main as planexec
from planexec.models.simulated import SimulatedModel
from planexec.serve import Server, main
from planexec.serve.faults import ABOUT
from planexec.serve.rules import RULES


class Running:
    """A server in a process of its own; `server` stands for it where a test sends something."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: list[str] = []
        self.key, self.port = self.read(r"  key +(\S+)"), 0

    def read(self, pattern: str) -> str:
        """The first group of the next line that looks like this."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip())
            if found := re.search(pattern, line):
                return found[1]
        raise AssertionError(self.lines)

    def send(self, **changes: Any) -> Came:
        return send(self, body(**changes))  # type: ignore[arg-type]


@contextmanager
def command(*options: str) -> Iterator[Running]:
    given = [sys.executable, "-m", "planexec", "serve", "--port", "0", *options]
    flags = subprocess.CREATE_NEW_PROCESS_GROUP if sys.platform == "win32" else 0
    with subprocess.Popen(given, stdout=subprocess.PIPE, text=True, encoding="utf-8", creationflags=flags) as process:
        try:
            running = Running(process)
            running.port = int(re.search(r"http://127.0.0.1:(\d+)/v1", "\n".join(running.lines))[1])  # type: ignore[index]
            yield running
        finally:
            if process.poll() is None:
                process.kill()


def test_it_says_where_it_is_serves_and_ends_with_ctrl_c() -> None:
    with command("--fault", "503=5", "--fault", "search:quota") as running:
        statuses = [running.send().status, running.send().status, running.send(model="no").status]
        assert statuses == [503, 200, 400]
        answer = json.loads(running.send(tools=None).text)["choices"][0]["message"]
        assert answer["content"]
        running.read(r"(   4 POST /v1/chat/completions 200 answered)")
        stop = signal.CTRL_BREAK_EVENT if sys.platform == "win32" else signal.SIGINT
        os.kill(running.process.pid, stop)
        rest = running.process.stdout.read() if running.process.stdout else ""
        assert running.process.wait(10) == 0 or sys.platform == "win32"
    said = "\n".join(running.lines)
    assert "Serving sim:articles as deepseek. Ctrl-C ends it." in said
    assert "   3 POST /v1/chat/completions 400 refused model: The supported API model names are deepseek-flash" in said
    assert "4 requests, 1 refused (model 1)." in rest and "Traceback" not in rest


def test_what_it_serves_is_the_simulated_model_with_the_worlds_search_beside_it() -> None:
    with serve(model=SimulatedModel("articles")) as server:
        found = send(server, {"query": "solid-state battery", "count": 1}, "/v1/web-search").json
        assert len(found["data"]["webPages"]["value"]) == 1
        assert server.model().reply([{"role": "user", "content": "Which sectors benefit?"}]).text


def test_its_help_names_every_rule_and_every_fault(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        planexec(["serve", "--help"])
    said = capsys.readouterr().out
    assert ended.value.code == 0 and "curl http://127.0.0.1" in said
    for name in (*RULES, *ABOUT):
        assert re.search(rf"^  {re.escape(name)}  ", said, re.M), name


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--off", "reasonning"], "no rule is named reasonning; there are auth"),
        (["--fault", "sillence"], "there is none of this name; there are ok"),
        (["--model", "gpt-4.1"], "--model is written sim:PRESET"),
        (["--model", "sim:wild"], "wild"),
    ],
)
def test_a_mistake_is_said_in_one_line(options: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--port", "0", *options]) == 2
    said = capsys.readouterr()
    assert said.err.startswith("planexec serve: ") and words in said.err and said.err.count("\n") == 1


def test_a_port_in_use_says_how_to_get_another(capsys: pytest.CaptureFixture[str]) -> None:
    with serve() as server:
        assert main(["--port", str(server.port)]) == 2
    assert "--port 0 takes a free one" in capsys.readouterr().err


def test_open_to_the_network_it_warns_and_its_key_cannot_be_guessed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Server, "wait", lambda server: None)
    keys = []
    for _ in range(2):
        assert main(["--port", "0", "--host", "0.0.0.0"]) == 0
        said = capsys.readouterr().out
        assert said.startswith("WARNING: whoever can reach this machine")
        keys.append(re.search(r"  key +(\S+)", said)[1])  # type: ignore[index]
    assert keys[0] != keys[1]
    assert main(["--port", "0", "--key", "sk-my-own"]) == 0
    assert "WARNING" not in (said := capsys.readouterr().out) and "sk-my-own" in said


def test_rules_are_switched_off_and_on(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def wait(server: Server) -> None:
        spoke = {"role": "assistant", "content": "Yes."}
        seen.append(send(server, body(tools=[])).status)
        seen.append(send(server, body(messages=[*body()["messages"], spoke, *body()["messages"]])).status)

    monkeypatch.setattr(Server, "wait", wait)
    assert main(["--port", "0", "--quiet"]) == 0
    assert main(["--port", "0", "--quiet", "--off", "tools", "--on", "reasoning_every_turn"]) == 0
    assert seen == [400, 200, 200, 400]
