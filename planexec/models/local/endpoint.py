"""A model on loopback: `start()` returns when it answers, `stop()` when its process is gone.

    with start("qwen2.5-coder-1.5b") as endpoint:
        model = endpoint.model()
        react("...", model, tools)

The model runs in a process of its own, because native code that fails takes its process with it.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from planexec.models.local.catalogue import LocalError, LocalModel, named, weights_folder
from planexec.models.local.fetching import verified
from planexec.models.local.progress import told_if_slow
from planexec.models.profiles import named as profile_named
from planexec.paths import PACKAGE, data_path

if TYPE_CHECKING:
    from planexec.models.openai_model import OpenAIModel

ALIAS = "local"  # the name under which the endpoint knows its model, and of the profile that fits it
CONTEXT = 8_192  # tokens of one conversation
RUNTIME = "xllamacpp"
STOPPING = 10.0  # seconds a process gets to end by itself


class Endpoint:
    """A running model. Made by `start`. `base_url` is what clients want; no key is needed."""

    def __init__(self, weights_of: LocalModel, process: subprocess.Popen[str], base_url: str) -> None:
        self.weights_of, self.base_url = weights_of, base_url
        self._process = process

    def __repr__(self) -> str:
        state = "running" if self.running else "stopped"
        return f"<Endpoint {self.weights_of.name} at {self.base_url}, {state}>"

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def model(self, **options: Any) -> OpenAIModel:
        """A client for it; `options` are those of `OpenAIModel`."""
        from planexec.models.openai_model import OpenAIModel

        return OpenAIModel(ALIAS, self.base_url, **({"profile": ALIAS} | options))

    def wait(self) -> int:
        """Wait until its process ends; the exit code."""
        return self._process.wait()

    def stop(self) -> None:
        """End its process. Calling it twice does nothing."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(STOPPING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def __enter__(self) -> Endpoint:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def start(
    model: str,
    *,
    port: int | None = None,
    threads: int = 1,
    prompt_cache: bool = False,
    context: int = CONTEXT,
    folder: Path | None = None,
) -> Endpoint:
    """Serve a model whose weights are there. Raises `LocalError`: no weights, wrong ones, no runtime, no free port.

    `port`: None takes the first free one of those that the profile "local" is guessed from, 0 any. With one `threads`
    and without a `prompt_cache` (the defaults) the same request gets the same reply, whatever was asked before.
    `context`: tokens of prompt and reply together.
    """
    chosen = named(model)
    path = _checked(chosen, folder or weights_folder())
    if find_spec(RUNTIME) is None:
        raise LocalError(f'{RUNTIME} is not installed, and it runs the model: pip install "planexec[local]"')
    template = data_path(chosen.template).read_text(encoding="utf-8") if chosen.template else ""
    settings = {"path": str(path), "alias": ALIAS, "port": free_port(port), "threads": threads, "context": context}
    return _started(chosen, settings | {"prompt_cache": prompt_cache, "template": template})


def _checked(model: LocalModel, folder: Path) -> Path:
    path = verified(model, folder)
    if path is None:
        state = "damaged, or something else" if (folder / model.file).exists() else "not there"
        raise LocalError(f"{folder / model.file} is {state}: planexec local fetch {model.name}")
    return path


def free_port(wish: int | None = None) -> int:
    """A port of this machine that nobody listens on; `LocalError` when that which was asked for is taken."""
    known = [int(host[1:]) for host in profile_named(ALIAS).hosts] if wish is None else [wish]
    for port in known:
        with socket.socket() as probe:
            if os.name != "nt":  # a port whose last talk has just ended is free; Windows reads the option otherwise
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise LocalError(f"port {', '.join(map(str, known))} is taken; --port 0 takes a free one")


def _started(model: LocalModel, settings: dict[str, Any]) -> Endpoint:
    """Start the process and wait for its first line: the address, or why there is none."""
    command = [sys.executable, "-m", "planexec.models.local.child", json.dumps(settings)]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # the runtime talks there, at length
        encoding="utf-8",
        cwd=PACKAGE.parent,  # so that it imports this very package
    )
    try:
        with told_if_slow(f"loading {model.name}"):
            said = _first_line(process)
    except BaseException:  # Ctrl-C while it loads
        process.kill()
        raise
    if "base_url" in said:
        return Endpoint(model, process, said["base_url"])
    Endpoint(model, process, "").stop()
    needs = f"It needs about {model.memory_mb} MB of memory"
    raise LocalError(f"{model.name} could not be started ({said['error']}). {needs}")


def _first_line(process: subprocess.Popen[str]) -> dict[str, str]:
    assert process.stdout is not None
    line = process.stdout.readline()
    try:
        return dict(json.loads(line))
    except ValueError:
        return {"error": f"its process ended with code {process.wait()}"}
