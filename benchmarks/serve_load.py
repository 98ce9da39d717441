"""How the local server stands a crowd: clients at once, every answer checked, the server's memory watched.

    python benchmarks/serve_load.py                       64 clients for 5 seconds
    python benchmarks/serve_load.py --seconds 30 --model sim

Server and clients are processes of their own on this machine. Every request carries a mark, half of them are streamed,
and the answer to each must be that mark: one that belongs to another request is counted as mixed up. The simulated
model does not repeat what it is told; of its answers it is only checked that they are there.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

ROUNDS = 5  # the time is cut into so many parts; memory is read after each


class Echo:
    """Answers with the last message, at once."""

    name = "echo"
    price = None

    def reply(self, messages: Sequence[dict[str, Any]], **options: Any) -> Any:
        from planexec.models.scripted import says

        return says(str(messages[-1]["content"]))


@dataclass
class Count:
    """What came of the requests. `seconds`: how long each answer took."""

    answered: int = 0
    failed: int = 0
    mixed_up: int = 0
    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def serve(kind: str) -> None:
    """The server's process: says where it is, then answers each line on its input with its memory in KiB."""
    from planexec.models.simulated import SimulatedModel
    from planexec.serve import start

    with start(Echo() if kind == "echo" else SimulatedModel("articles")) as server:
        print(json.dumps([server.port, server.key]), flush=True)
        for _ in sys.stdin:
            print(memory_kib(), flush=True)
        assert not server.problems, server.problems


def memory_kib() -> int:
    """Resident memory of this process; where the system does not tell, the most it ever was."""
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
    except OSError:
        import resource

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most // 1024 if sys.platform == "darwin" else most


async def client(number: int, port: int, key: str, kind: str, until: float, count: Count) -> None:
    """One client on one connection after the other, until the time is over."""
    reader = writer = None
    for turn in range(10**9):
        if time.monotonic() >= until:
            break
        mark = f"mark-{number}-{turn}"
        try:
            if writer is None:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
            began = time.monotonic()
            text = await exchange(reader, writer, request(mark, key, kind, stream=turn % 2 == 1))
            count.seconds.append(time.monotonic() - began)
            judge(text, mark, kind, count)
        except (OSError, ValueError, LookupError, asyncio.IncompleteReadError) as problem:
            count.failed += 1
            count.errors.append(repr(problem)[:100])
            writer = None
    if writer is not None:
        writer.close()


def request(mark: str, key: str, kind: str, stream: bool) -> bytes:
    """One request as it goes over the wire."""
    asked = mark if kind == "echo" else f"What is {len(mark)} + {mark.rpartition('-')[2]}? ({mark})"
    body = {"model": "deepseek-flash", "messages": [{"role": "user", "content": asked}], "stream": stream}
    content = json.dumps(body | {"user_id": mark}).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n"
    return f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content


async def exchange(reader: Any, writer: Any, sent: bytes) -> str:
    """Send one request and read one answer, whatever the way its length is told."""
    writer.write(sent)
    await writer.drain()
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    if " 200 " not in head.splitlines()[0]:
        raise ValueError(head.splitlines()[0])
    if "transfer-encoding: chunked" not in head:
        size = int(head.partition("content-length: ")[2].split()[0])
        return (await reader.readexactly(size)).decode()
    pieces = []
    while size := int(await reader.readline(), 16):
        pieces.append(await reader.readexactly(size + 2))
    await reader.readline()
    return "".join(piece[:-2].decode() for piece in pieces)


def judge(text: str, mark: str, kind: str, count: Count) -> None:
    """Does the answer belong to the request?"""
    lines = [line.removeprefix("data: ") for line in text.splitlines() if line.strip() and "[DONE]" not in line]
    choices = [choice for line in lines for choice in json.loads(line)["choices"]]
    said = "".join((choice.get("message") or choice.get("delta")).get("content") or "" for choice in choices)
    count.answered += 1
    if kind == "echo" and said != mark:
        count.mixed_up += 1
    elif kind == "sim" and not said.strip():
        raise LookupError("an empty answer")


async def crowd(clients: int, port: int, key: str, kind: str, seconds: float, count: Count) -> None:
    until = time.monotonic() + seconds
    await asyncio.gather(*(client(number, port, key, kind, until, count) for number in range(clients)))


def measure(clients: int, seconds: float, kind: str) -> tuple[Count, list[int]]:
    """The count, and the server's memory in KiB before the first part and after each."""
    command = [sys.executable, __file__, "--serve", kind]
    count = Count()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as process:
        assert process.stdin and process.stdout
        port, key = json.loads(process.stdout.readline())

        def memory() -> int:
            print("memory", file=process.stdin, flush=True)
            return int(process.stdout.readline()) if process.stdout else 0

        seen = [memory()]
        for _ in range(ROUNDS):
            asyncio.run(crowd(clients, port, key, kind, seconds / ROUNDS, count))
            seen.append(memory())
        process.stdin.close()
        if process.wait(20) != 0:
            count.errors.append(f"the server ended with {process.returncode}")
    return count, seen


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=5.0, help="at most 120 (5)")
    parser.add_argument("--model", choices=["echo", "sim"], default="echo", help="who answers (echo)")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument("--serve", choices=["echo", "sim"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve)
        return 0
    seconds = min(max(options.seconds, 0.5), 120.0)
    count, memory = measure(options.clients, seconds, options.model)
    times = sorted(count.seconds) or [0.0]
    rows = {
        "clients": options.clients,
        "seconds": seconds,
        "answered": count.answered,
        "answered a second": round(count.answered / seconds, 1),
        "failed": count.failed,
        "mixed up": count.mixed_up,
        "median, ms": round(1000 * times[len(times) // 2], 1),
        "99 of 100 within, ms": round(1000 * times[int(0.99 * (len(times) - 1))], 1),
        "memory at first, KiB": memory[0],
        "memory after each part, KiB": memory[1:],
        "growth in the last half, KiB": memory[-1] - memory[len(memory) // 2],
    }
    if options.json:
        print(json.dumps(rows))
    else:
        print("\n".join(f"{name:<30}{value}" for name, value in rows.items()))
        print("\n".join(sorted(set(count.errors))[:5]))
    return 1 if count.failed or count.mixed_up or count.errors else 0


if __name__ == "__main__":
    sys.exit(main())
