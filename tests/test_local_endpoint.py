"""A model in a process of its own: started, told about, stopped - with a stand-in for the runtime, which is 100 MB."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from local_weights import DATA, tiny

from planexec.models import profiles
from planexec.models.local import LocalError, catalogue, endpoint, start

ROOT = Path(__file__).resolve().parent.parent
RUNTIME = """
import os
class Bag:
    def __getattr__(self, name):
        self.__dict__[name] = Bag()
        return self.__dict__[name]
class CommonParams(Bag):
    pass
class Server:
    def __init__(self, params):
        port, path = params.port, params.model.path
        if os.environ.get("RUNTIME") == "refuses":
            raise RuntimeError("failed to load model")
        if os.environ.get("RUNTIME") == "dies":
            os._exit(9)
        seen = [params.model_alias, params.hostnames, params.cpuparams.n_threads, params.cache_prompt, params.n_ctx]
        with open(os.environ["SEEN"], "w", encoding="utf-8") as file:
            file.write(repr([*seen, path, params.sampling.temp, params.chat_template[:13] if "chat_template" in
                             params.__dict__ else ""]))
        self.held = open(os.environ["HELD"], "w") if "HELD" in os.environ else None
        self.listening_address = f"http://127.0.0.1:{port}"
"""


@pytest.fixture
def runtime(tmp_path, monkeypatch):
    """The stand-in is found by this process and by the one that it starts; the model is the tiny one."""
    folder = tmp_path / "runtime"
    folder.mkdir()
    (folder / "xllamacpp.py").write_text(RUNTIME, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.setenv("SEEN", str(tmp_path / "seen"))
    monkeypatch.setenv("PLANEXEC_MODELS", str(tmp_path / "weights"))
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights" / "tiny.gguf").write_bytes(DATA)
    monkeypatch.setattr(catalogue, "_table", lambda: {"tiny": tiny(template="local_qwen.jinja")})
    return tmp_path


def test_it_answers_when_start_returns_and_is_gone_after_the_block(runtime):
    with start("tiny", port=0) as served:
        assert served.running and served.base_url.startswith("http://127.0.0.1:") and served.base_url.endswith("/v1")
        assert "tiny at http" in repr(served) and "running" in repr(served)
    assert not served.running and "stopped" in repr(served)
    served.stop()


def test_by_default_one_thread_no_prompt_cache_loopback_only_and_our_template(runtime):
    start("tiny", port=0).stop()
    path = str(runtime / "weights" / "tiny.gguf")
    expected = [{"local"}, ["127.0.0.1"], 1, False, 8192, path, 0.0, "{#- How a con"]
    assert (runtime / "seen").read_text(encoding="utf-8") == repr(expected)


def test_threads_and_the_prompt_cache_may_be_asked_for(runtime):
    start("tiny", port=0, threads=3, prompt_cache=True, context=512).stop()
    assert "3, True, 512" in (runtime / "seen").read_text(encoding="utf-8")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a named pipe")
def test_it_does_not_outlive_the_process_that_started_it(runtime, monkeypatch):
    """The model's process holds a pipe open; the pipe ends when the process does."""
    monkeypatch.setenv("HELD", str(runtime / "held"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(runtime / "runtime"), str(Path(__file__).parent)]))
    os.mkfifo(runtime / "held")
    code = "import os, local_weights; from planexec.models.local import start, catalogue\n"
    code += "catalogue._table = lambda: {'tiny': local_weights.tiny()}\n"
    code += "start('tiny', port=0)\nos._exit(1)"
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT) as parent:
        pipe = os.open(runtime / "held", os.O_RDONLY)
        assert parent.wait(60) == 1
        assert select.select([pipe], [], [], 60.0)[0] and os.read(pipe, 1) == b""
        os.close(pipe)


def test_the_client_for_it_has_the_profile_for_it(runtime):
    pytest.importorskip("openai")
    with start("tiny", port=0) as served:
        model = served.model(timeout=5)
        assert (model.name, model.base_url, model.profile.name) == ("local", served.base_url, "local")
        assert model.price is not None and model.price.usd(1_000_000, 1_000_000) == 0


@pytest.mark.parametrize(
    ("how", "words"),
    [("refuses", r"could not be started \(RuntimeError: failed to load model\)"), ("dies", "ended with code 9")],
)
def test_a_runtime_that_fails_is_told_in_its_words(runtime, monkeypatch, how, words):
    monkeypatch.setenv("RUNTIME", how)
    with pytest.raises(LocalError, match=words) as told:
        start("tiny", port=0)
    assert "It needs about 1 MB of memory" in str(told.value)


def test_a_missing_runtime_is_told_with_the_command_that_adds_it(runtime, monkeypatch):
    monkeypatch.setattr(endpoint, "find_spec", lambda name: None)
    with pytest.raises(LocalError, match=r'pip install "planexec\[local\]"'):
        start("tiny", port=0)


def test_weights_that_are_not_there_or_damaged_are_told_with_the_command_that_fetches_them(runtime):
    path = runtime / "weights" / "tiny.gguf"
    path.write_bytes(DATA[:-1] + b"!")
    with pytest.raises(LocalError, match="is damaged, or something else: planexec local fetch tiny"):
        start("tiny", port=0)
    path.unlink()
    with pytest.raises(LocalError, match="is not there: planexec local fetch tiny"):
        start("tiny", port=0)


# -------------------------------------------------------------------------------------------------- ports


def test_the_first_free_port_of_the_profile_is_taken(monkeypatch):
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    taken.listen()
    port, free = taken.getsockname()[1], endpoint.free_port(0)
    profile = profiles.Profile(hosts=(f":{port}", f":{free}"))
    monkeypatch.setattr(endpoint, "profile_named", lambda name: profile)
    with taken:
        assert endpoint.free_port() == free
        with pytest.raises(LocalError, match=f"port {port} is taken; --port 0 takes a free one"):
            endpoint.free_port(port)


def test_at_its_ports_and_at_no_other_the_profile_is_guessed():
    ports = [int(host[1:]) for host in profiles.named("local").hosts]
    assert {profiles.guess(f"http://127.0.0.1:{port}/v1").name for port in ports} == {"local"}
    assert profiles.guess(f"http://127.0.0.1:{max(ports) + 1}/v1").name == "plain"
    assert profiles.guess(f"http://example.org:{ports[0]}/v1").name == "plain"


def test_settings_and_answers_of_the_process_are_json(runtime, monkeypatch):
    """The path of a folder may hold anything, also what a shell or a console cannot show."""
    odd = runtime / "weights 权重 'x' \"y\""
    odd.mkdir()
    (odd / "tiny.gguf").write_bytes(DATA)
    start("tiny", port=0, folder=odd).stop()
    assert repr(str(odd / "tiny.gguf")) in (runtime / "seen").read_text(encoding="utf-8")
