"""What an installer's complaint means, in words that help somebody who has never seen it."""

from __future__ import annotations

import re

NETWORK = re.compile(
    r"resolve|dns error|failed to fetch|network is unreachable|connection (refused|reset|error|aborted|timed out)"
    r"|timed out|newconnectionerror|proxyerror|error sending request|no route to host|certificate verify failed",
    re.IGNORECASE,
)
NO_VENV = re.compile(r"ensurepip is not available|no module named '?(venv|ensurepip)", re.IGNORECASE)
FULL = re.compile(r"no space left|not enough space|errno 28", re.IGNORECASE)
DENIED = re.compile(r"permission denied|access is denied|errno 13|read-only file system", re.IGNORECASE)

NETWORK_ADVICE = """The packages could not be fetched: is there a network?
  - behind a proxy, set HTTPS_PROXY and start again;
  - with a mirror of the package index, set PIP_INDEX_URL (pip) or UV_DEFAULT_INDEX (uv) and start again;
  - once everything is installed, the course itself needs no network."""


def explain(output: str, os_name: str = "posix") -> str:
    """What to do about an installer that ended with `output`; the empty text when we do not know."""
    if NO_VENV.search(output):
        return (
            "This Python cannot make virtual environments: the module venv or ensurepip is missing.\n"
            "On Debian and Ubuntu it is a package of its own (apt install python3-venv). Or install uv."
        )
    if FULL.search(output):
        return "The disk is full. The course needs about 500 MB."
    if DENIED.search(output):
        holder = "OneDrive or an antivirus program" if os_name == "nt" else "somebody else"
        return (
            f"Writing was not allowed. Does {holder} hold this folder?\n"
            "Move the project into a folder of your own and start again."
        )
    if NETWORK.search(output):
        return NETWORK_ADVICE
    return ""
