"""`planexec serve`: the local server from a shell, until Ctrl-C."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence

from planexec.chat import Model
from planexec.serve.book import Request
from planexec.serve.refusal import Refusal

PORT = 8400
WORDS = """\
Serves the simulated model on this machine as a chat-completions service, with the search of the research world
beside it. It refuses what the real service refuses, in the same words, and fails when told to: so that an agent can
be tried against all of that without an account, without a network and without paying.

  planexec serve
  planexec serve --profile openai --off unknown_keys
  planexec serve --fault 503=5 --fault "2*silence=20" --fault search:quota

Then, in another terminal, any client will do (the official one, LangChain, curl):

  curl http://127.0.0.1:8400/v1/chat/completions -H "Authorization: Bearer KEY" -H "Content-Type: application/json" \\
       -d '{"model": "deepseek-flash", "messages": [{"role": "user", "content": "Which sectors benefit?"}]}'
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until Ctrl-C. 0 when it ended so, 2 when it could not begin."""
    options = _parser().parse_args(argv)
    from planexec.serve.server import start

    rules = dict.fromkeys(options.off, False) | dict.fromkeys(options.on, True)
    try:
        model = _model(options.model, options.world, options.seed)
        server = start(
            model,
            profile=options.profile,
            port=options.port,
            host=options.host,
            key=options.key,
            rules=rules,
            faults=options.fault,
            lang=options.lang,
            balance_usd=options.balance,
            most_in_flight=options.at_once,
            watch=None if options.quiet else _say,
        )
    except (ValueError, TypeError, OSError, ImportError) as problem:
        busy = f" (port {options.port}; --port 0 takes a free one)" if isinstance(problem, OSError) else ""
        print(f"planexec serve: {problem}{busy}", file=sys.stderr)
        return 2
    try:
        _greet(server.url, server.key, server.search_url, options)
        server.wait()
    except KeyboardInterrupt:
        print()
    finally:
        server.stop()
        _farewell(server.requests, server.refusals)
    return 0


def _parser() -> argparse.ArgumentParser:
    from planexec.serve import faults, profiles
    from planexec.serve.rules import RULES, about
    from planexec.worlds import NAMES

    width = max(map(len, (*RULES, *faults.ABOUT))) + 2
    rules = "\n".join(f"  {name:<{width}}{about(name)}" for name in RULES)
    broken = "\n".join(f"  {name:<{width}}{what}" for name, what in faults.ABOUT.items())
    parser = argparse.ArgumentParser(
        prog="planexec serve",
        description=WORDS,
        epilog=f"rules (--off, --on):\n{rules}\n\nfaults (--fault [COUNT*][search:]NAME[=VALUE]):\n{broken}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--profile", default="deepseek", choices=profiles.names(), help="the service to imitate (deepseek)")
    add("--model", default="sim:articles", metavar="sim:PRESET", help="the simulated model's preset (sim:articles)")
    add("--world", choices=NAMES, help="the only world the simulated model knows (all)")
    add("--seed", type=int, default=0, help="decides when the model's faults strike (0)")
    add("--lang", default="en", choices=("en", "zh"), help="the language of the search results (en)")
    add("--port", type=int, default=PORT, help=f"0 takes a free one ({PORT})")
    add("--host", default="127.0.0.1", help="others than this machine's own open the server to the network (127.0.0.1)")
    add("--key", help="the only key it takes (a fixed one; made up where the network can reach the server)")
    add("--off", action="append", default=[], metavar="RULE", help="a rule not to check")
    add("--on", action="append", default=[], metavar="RULE", help="a rule to check that is off by itself")
    add("--fault", action="append", default=[], metavar="SPEC", help="what the next request meets; repeat for more")
    add("--balance", type=float, metavar="USD", help="what the account holds; without it nothing is charged")
    add("--at-once", type=int, metavar="N", help="requests the account may have at once")
    add("--quiet", action="store_true", help="no line for each request")
    return parser


def _model(spec: str, world: str | None, seed: int) -> Model:
    kind, _, preset = spec.partition(":")
    if kind != "sim":
        raise ValueError(f"--model is written sim:PRESET, not {spec!r}; other models are served from Python")
    from planexec.models.simulated import SimulatedModel

    return SimulatedModel(preset or "articles", seed=seed, worlds=[world] if world else None)


def _greet(url: str, key: str, search_url: str, options: argparse.Namespace) -> None:
    from planexec.serve.profiles import named

    if options.host not in ("127.0.0.1", "localhost", "::1"):
        print("WARNING: whoever can reach this machine can reach this server; its key is all that keeps them out.")
    names = named(options.profile).models
    print(f"Serving {options.model} as {options.profile}. Ctrl-C ends it.")
    for name, value in (("base URL", url), ("key", key), ("models", ", ".join(names)), ("search", search_url)):
        if value:
            print(f"  {name:<10}{value}", flush=True)


def _say(request: Request, refusal: Refusal | None) -> None:
    why = f": {refusal.message}" if refusal is not None else ""
    print(f"{request.number:>4} {request.method} {request.path} {request.status} {request.outcome}{why}", flush=True)


def _farewell(requests: Sequence[Request], refusals: Sequence[Refusal]) -> None:
    broken = Counter(refusal.rule for refusal in refusals)
    listed = ", ".join(f"{name} {count}" for name, count in sorted(broken.items()))
    print(f"{len(requests)} requests, {len(refusals)} refused" + (f" ({listed})" if listed else "") + ".")
