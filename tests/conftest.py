"""What every test can rely on: none leaves this machine and none uses a key of the person who runs it, but for one."""

import ipaddress
import os
import signal
import socket

import pytest

# Whoever runs the tests in the background may have Ctrl-C ignored, and every process that a test starts inherits that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

LOCAL_NAMES = ("localhost", "")
MAY_LEAVE = ("test_real_services",)  # asks a real service, and only when its key is set


def is_local(address):
    """True for an address that stays on this machine; Unix sockets (a path) do."""
    if not isinstance(address, tuple):
        return True
    host = str(address[0])
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return host in LOCAL_NAMES


@pytest.fixture(autouse=True)
def stay_on_this_machine(request, monkeypatch):
    """Connecting elsewhere fails at once, as it would without a network: the course and its tests work offline."""
    if request.module.__name__ in MAY_LEAVE:
        return
    for method in ("connect", "connect_ex"):
        original = getattr(socket.socket, method)

        def guarded(self, address, original=original):
            if not is_local(address):
                raise OSError(f"a test tried to reach {address}; tests stay on this machine")
            return original(self, address)

        monkeypatch.setattr(socket.socket, method, guarded)


@pytest.fixture(autouse=True)
def without_keys(request, monkeypatch):
    """No key from the environment: a test that forgot to give one must not spend somebody's money."""
    if request.module.__name__ in MAY_LEAVE:
        return
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
