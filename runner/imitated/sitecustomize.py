"""What makes a Python behave as on a machine that is not here. Loaded at its start when this folder is on PYTHONPATH.

Three variables decide, each unset by default, so that the folder alone changes nothing:

    PLANEXEC_IMITATE_OFFLINE=1             no address but this machine's own can be reached or looked up
    PLANEXEC_IMITATE_CODE_PAGE=cp1252      a file or pipe that is opened without an encoding has this one, as on Windows
    PLANEXEC_IMITATE_WITHOUT=langgraph     packages that cannot be found, separated by commas

Not imitated: what C code does by itself (the sockets of ZeroMQ stay on this machine anyway), the ends of lines, the
names of files.
"""

from __future__ import annotations

import os
from typing import Any

REFUSED = "no network here: this Python imitates a machine without one"


def is_local(host: object) -> bool:
    """is_local("127.0.0.1") -> True, and so are ::1, localhost and no name at all; is_local("example.org") -> False"""
    import ipaddress

    text = host.decode("ascii", "replace") if isinstance(host, bytes) else host
    if text in (None, "", "localhost"):
        return True
    try:
        return ipaddress.ip_address(str(text).partition("%")[0]).is_loopback
    except ValueError:
        return False


def stay_offline() -> None:
    """Refuse to connect, to send and to look up names, with the errors that a machine without a network gives."""
    import socket

    def guarded(method: str) -> None:
        original = getattr(socket.socket, method)

        def replaced(self: Any, *arguments: Any) -> Any:
            address = arguments[-1]  # of a Unix socket it is a path, which stays here
            if isinstance(address, tuple) and not is_local(address[0]):
                raise OSError(101, f"{REFUSED} ({address[0]})")
            return original(self, *arguments)

        setattr(socket.socket, method, replaced)

    for method in ("connect", "connect_ex", "sendto"):
        guarded(method)
    look_up = socket.getaddrinfo

    def getaddrinfo(host: Any, *arguments: Any, **named: Any) -> Any:
        if not is_local(host):
            raise socket.gaierror(socket.EAI_AGAIN, f"{REFUSED} ({host})")
        return look_up(host, *arguments, **named)

    socket.getaddrinfo = getaddrinfo


def use_code_page(name: str) -> None:
    """Make `name` the encoding of every text file and pipe for which none was given."""
    import _io
    import builtins
    import io
    import locale
    import subprocess

    original = io.open

    def opened(
        file: Any, mode: str = "r", buffering: int = -1, encoding: str | None = None, *rest: Any, **named: Any
    ) -> Any:
        if "b" not in mode and encoding in (None, "locale"):
            encoding = name
        return original(file, mode, buffering, encoding, *rest, **named)

    for module in (builtins, io, _io):
        module.open = opened  # type: ignore[attr-defined]
    subprocess._text_encoding = lambda: name  # type: ignore[attr-defined]
    locale.getpreferredencoding = lambda do_setlocale=True: name
    locale.getencoding = lambda: name


def hide(packages: set[str]) -> None:
    """Make the import system find nothing under these names, as where they were never installed."""
    from importlib.machinery import PathFinder

    original = PathFinder.find_spec

    def find_spec(fullname: str, path: Any = None, target: Any = None) -> Any:
        return None if fullname.partition(".")[0] in packages else original(fullname, path, target)

    PathFinder.find_spec = staticmethod(find_spec)  # type: ignore[method-assign]


if os.environ.get("PLANEXEC_IMITATE_OFFLINE"):
    stay_offline()
if os.environ.get("PLANEXEC_IMITATE_CODE_PAGE"):
    use_code_page(os.environ["PLANEXEC_IMITATE_CODE_PAGE"])
if os.environ.get("PLANEXEC_IMITATE_WITHOUT"):
    hide(set(os.environ["PLANEXEC_IMITATE_WITHOUT"].split(",")))
