"""A made-up model of a few kilobytes, and an HTTP server that hands it out, whole or in the ways that go wrong."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from planexec.models.local.catalogue import LocalModel

DATA = bytes(range(256)) * 40  # 10,240 bytes


def tiny(data: bytes = DATA, **changes: object) -> LocalModel:
    values = {
        "name": "tiny",
        "title": "Tiny, for tests",
        "about": "says nothing",
        "file": "tiny.gguf",
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "licence": "MIT",
        "publisher": "nobody",
        "source": "http://127.0.0.1:9/tiny.gguf",
        "memory_mb": 1,
    }
    return LocalModel(**(values | changes))  # type: ignore[arg-type]


class Shelf:
    """What the server hands out, and what it was asked. `cut`: bytes after which the next answer ends."""

    def __init__(self) -> None:
        self.data = DATA
        self.cut: int | None = None
        self.ranges = True
        self.status = 200
        self.asked: list[tuple[str, str | None]] = []
        self.url = ""


@contextmanager
def served() -> Iterator[Shelf]:
    shelf = Shelf()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            shelf.asked.append((self.path, self.headers.get("Range")))
            if shelf.status != 200:
                self.send_error(shelf.status)
                return
            wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range") or "")
            start = int(wanted[1]) if wanted and shelf.ranges else 0
            body = shelf.data[start:]
            self.send_response(206 if start else 200)
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(shelf.data) - 1}/{len(shelf.data)}")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: shelf.cut])
            shelf.cut = None

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    shelf.url = f"http://127.0.0.1:{server.server_address[1]}/"
    try:
        yield shelf
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
