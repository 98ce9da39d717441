"""A chat-completions service on this machine that refuses what the real ones refuse, and fails when told to.

    from planexec import SimulatedModel, serve
    server = serve.start(SimulatedModel("articles"), profile="deepseek", faults=["503=5"])
    server.url, server.key, server.requests, server.refusals
    server.stop()

From a shell: `planexec serve --help`. The rooms: `rules*.py` what is refused, `refusal.py` in which words, `faults.py`
what goes wrong on order, `answers.py` how an answer is worded, `bocha.py` the search, `book.py` what is kept,
`desk.py` all of them in order, `http.py` the network, `server.py` its life, `command.py` the command line.
"""

from planexec.serve.command import main
from planexec.serve.server import Server, start

__all__ = ["Server", "main", "start"]
