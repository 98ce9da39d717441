"""The process that holds a model: `python -m planexec.models.local.child '{"path": ..., "port": 0, ...}'`.

It prints one line of JSON, {"base_url": ...} or {"error": ...}, and serves until its standard input is closed; so it
never outlives the process that started it. This is the only file that knows the runtime. The runtime's HTTP server
answers chat-completions by itself; only its settings are filled in here.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import Any


def serve(settings: dict[str, Any]) -> Any:
    """A running server; it stops when the object is gone. What the runtime refuses is a RuntimeError in its words."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = settings["path"]
    params.model_alias = {settings["alias"]}
    params.hostnames = ["127.0.0.1"]
    params.port = settings["port"]
    params.n_ctx = settings["context"]
    params.n_parallel = 1
    params.n_gpu_layers = 0
    params.n_threads_http = 2
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings["threads"]
    # The same question gets the same answer: nothing is kept from one prompt to the next, and the likeliest word wins.
    params.cache_prompt = settings["prompt_cache"]
    params.sampling.temp = 0.0
    params.sampling.seed = 1
    params.use_jinja = True
    params.ui = False
    params.offline = True
    params.verbosity = -1
    if settings["template"]:
        params.chat_template = settings["template"]
    return xllamacpp.Server(params)


def main() -> int:
    settings = json.loads(sys.argv[1])
    try:
        server = serve(settings)
        said = {"base_url": f"{server.listening_address}/v1"}
    except (ImportError, RuntimeError, OSError, AttributeError, TypeError, ValueError) as problem:
        server, said = None, {"error": f"{type(problem).__name__}: {problem}"}
    print(json.dumps(said), flush=True)
    if server is None:
        return 1
    with suppress(KeyboardInterrupt):  # a terminal sends Ctrl-C to both processes
        sys.stdin.read()
    return 0


if __name__ == "__main__":
    sys.exit(main())
