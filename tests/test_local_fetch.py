"""Weights over HTTP and from files: kept only when they are the pinned ones, and what is said when they are not."""

from __future__ import annotations

import errno
import io
import shutil
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from local_weights import DATA, Shelf, served, tiny

from planexec.filelock import FileLock
from planexec.models.local import LocalError, fetch, source_of, sources, verified
from planexec.models.local.progress import Progress, megabytes, told_if_slow

FILE = "tiny.gguf"


@pytest.fixture
def shelf():
    with served() as given:
        yield given


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """So that a few kilobytes are many blocks, as a gigabyte is."""
    monkeypatch.setattr(sources, "BLOCK", 1_000)


def kept(folder: Path) -> list[str]:
    """What is in the folder, but for the lock that says nobody is at work."""
    return sorted(path.name for path in folder.iterdir() if path.suffix != ".lock")


def get(shelf: Shelf, folder: Path) -> Path:
    return fetch(tiny(), source_of(shelf.url, tiny()), folder)


# ---------------------------------------------------------------------------------------- what goes right


def test_the_file_gets_its_name_when_it_is_complete_and_checked(shelf, tmp_path):
    path = get(shelf, tmp_path / "new" / "folder")
    assert path.read_bytes() == DATA and kept(path.parent) == [FILE]


def test_a_folder_as_source_is_asked_for_the_file_and_an_address_as_it_is(shelf):
    assert source_of(shelf.url, tiny()).places == (f"{shelf.url}tiny.gguf",)
    assert source_of(f"{shelf.url}other?x=1", tiny()).places == (f"{shelf.url}other?x=1",)


def test_without_a_source_the_publisher_is_asked():
    assert source_of("", tiny()).places == (tiny().source,)


def test_what_is_there_already_is_not_fetched_again(shelf, tmp_path):
    get(shelf, tmp_path)
    get(shelf, tmp_path)
    assert len(shelf.asked) == 1


def test_a_file_and_the_folder_that_holds_it_are_sources_too(tmp_path):
    stick = tmp_path / "stick"
    stick.mkdir()
    (stick / FILE).write_bytes(DATA)
    for number, place in enumerate((stick, stick / FILE)):
        path = fetch(tiny(), source_of(str(place), tiny()), tmp_path / str(number))
        assert path.read_bytes() == DATA
    assert (stick / FILE).read_bytes() == DATA


# ---------------------------------------------------------------------------------------- cut and resumed


def test_a_cut_transfer_says_so_and_goes_on_where_it_was(shelf, tmp_path):
    shelf.cut = 4_000
    with pytest.raises(LocalError, match="The same command goes on"):
        get(shelf, tmp_path)
    assert kept(tmp_path) == [f"{FILE}.part"]
    assert get(shelf, tmp_path).read_bytes() == DATA
    assert shelf.asked[1][1] == "bytes=4000-"


def test_a_source_that_cannot_go_on_begins_anew(shelf, tmp_path):
    shelf.cut, shelf.ranges = 4_000, False
    with pytest.raises(LocalError):
        get(shelf, tmp_path)
    assert get(shelf, tmp_path).read_bytes() == DATA
    assert kept(tmp_path) == [FILE]


def test_a_beginning_that_is_complete_already_needs_no_request(shelf, tmp_path):
    (tmp_path / f"{FILE}.part").write_bytes(DATA)
    assert get(shelf, tmp_path).read_bytes() == DATA and shelf.asked == []


def test_a_beginning_that_is_too_long_is_thrown_away(shelf, tmp_path):
    (tmp_path / f"{FILE}.part").write_bytes(DATA + b"!")
    assert get(shelf, tmp_path).read_bytes() == DATA and shelf.asked[0][1] is None


def test_a_beginning_of_something_else_is_found_out_and_not_kept(shelf, tmp_path):
    (tmp_path / f"{FILE}.part").write_bytes(b"something else")
    with pytest.raises(LocalError, match="Nothing was kept"):
        get(shelf, tmp_path)
    assert kept(tmp_path) == []
    assert get(shelf, tmp_path).read_bytes() == DATA


def test_a_cut_file_is_not_kept(tmp_path):
    (tmp_path / "cut").write_bytes(DATA[:-1])
    with pytest.raises(LocalError, match="ended after 0 of 0 MB. Nothing was kept"):
        fetch(tiny(), source_of(str(tmp_path / "cut"), tiny()), tmp_path / "to")
    assert kept(tmp_path / "to") == []


# ---------------------------------------------------------------------------------------- what is not right


def test_nothing_is_kept_with_another_digest(shelf, tmp_path):
    shelf.data = DATA[:-1] + b"!"
    with pytest.raises(LocalError, match=r"its SHA-256 is \w{12}\.\.\., not \w{12}\.\.\. Nothing was kept"):
        get(shelf, tmp_path)
    assert kept(tmp_path) == []


def test_one_byte_more_is_another_file(shelf, tmp_path):
    shelf.data = DATA + b"!"
    with pytest.raises(LocalError, match="Nothing was kept"):
        get(shelf, tmp_path)
    assert kept(tmp_path) == []


def test_an_endless_answer_is_given_up_soon_after_the_length_is_reached(shelf, tmp_path):
    shelf.data = DATA * 500
    progress = Progress("x", len(DATA), io.StringIO())
    with pytest.raises(LocalError):
        fetch(tiny(), source_of(shelf.url, tiny()), tmp_path, progress)
    assert progress.done <= len(DATA) + 1_000


def test_a_file_in_place_that_is_damaged_is_replaced(shelf, tmp_path):
    path = get(shelf, tmp_path)
    path.write_bytes(b"!" + DATA[1:])
    assert verified(tiny(), tmp_path) is None
    assert get(shelf, tmp_path).read_bytes() == DATA and verified(tiny(), tmp_path) == path


@pytest.mark.parametrize(("status", "advice"), [(404, "is not there"), (403, "let everybody in"), (503, "again later")])
def test_a_refusal_is_told_with_its_number_and_what_to_do(shelf, tmp_path, status, advice):
    shelf.status = status
    with pytest.raises(LocalError, match=f"HTTP {status}.*{advice}.*--from"):
        get(shelf, tmp_path)


def test_without_a_network_the_message_names_the_ways_out(tmp_path):
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{nobody.getsockname()[1]}/tiny.gguf"
        with pytest.raises(LocalError, match=r"cannot be reached.*Is there a network\?.*mirror, a file or wheels"):
            fetch(tiny(), source_of(address, tiny()), tmp_path)


def test_a_key_in_an_address_is_not_shown(tmp_path):
    source = source_of("http://me:secret@127.0.0.1:9/tiny.gguf?key=secret", tiny())
    with pytest.raises(LocalError) as told:
        fetch(tiny(), source, tmp_path)
    assert "secret" not in f"{source} {told.value}" and "127.0.0.1:9/tiny.gguf" in str(source)


def test_other_kinds_of_addresses_and_missing_files_are_refused():
    with pytest.raises(LocalError, match="not from ftp:"):
        source_of("ftp://host/tiny.gguf", tiny())
    with pytest.raises(LocalError, match="not from file:"):
        source_of("file:///etc/passwd", tiny())
    with pytest.raises(LocalError, match="there is no file"):
        source_of("/no/such/file.gguf", tiny())


# ---------------------------------------------------------------------------------------- disk and folder


def test_what_the_disk_cannot_hold_is_not_begun(shelf, tmp_path, monkeypatch):
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage._replace(free=len(DATA) - 1))
    with pytest.raises(LocalError, match="MB free.*are needed. Make room, or set PLANEXEC_MODELS"):
        get(shelf, tmp_path)
    assert shelf.asked == [] and kept(tmp_path) == []
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage._replace(free=len(DATA)))
    assert get(shelf, tmp_path).read_bytes() == DATA


def test_a_disk_that_fills_up_on_the_way_gets_its_room_back(shelf, tmp_path, monkeypatch):
    class Full:
        def __init__(self, *args: object) -> None:
            self.done = 0

        def add(self, count: int) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        def end(self) -> None:
            pass

    with pytest.raises(LocalError, match="Make room, or set PLANEXEC_MODELS"):
        fetch(tiny(), source_of(shelf.url, tiny()), tmp_path, Full())  # type: ignore[arg-type]
    assert kept(tmp_path) == []


def test_a_folder_that_is_none_is_told(shelf, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(LocalError, match="cannot be written to.*PLANEXEC_MODELS"):
        get(shelf, tmp_path / "file")


def test_two_processes_do_not_fetch_the_same_file_at_once(shelf, tmp_path):
    other = FileLock(tmp_path / FILE)
    assert other.acquire()
    with pytest.raises(LocalError, match="another process is fetching tiny"):
        get(shelf, tmp_path)
    other.release()
    assert get(shelf, tmp_path).read_bytes() == DATA


def test_ctrl_c_keeps_the_beginning_of_an_address_and_nothing_of_a_file(shelf, tmp_path):
    class Impatient(Progress):
        def add(self, count: int) -> None:
            super().add(count)
            if self.done > 3_000:
                raise KeyboardInterrupt

    (tmp_path / "given").write_bytes(DATA)
    for place, left in ((shelf.url, [f"{FILE}.part"]), (str(tmp_path / "given"), [])):
        with pytest.raises(KeyboardInterrupt):
            fetch(tiny(), source_of(place, tiny()), tmp_path / "to", Impatient("x", len(DATA), io.StringIO()))
        assert kept(tmp_path / "to") == left


# ---------------------------------------------------------------------------------------- progress


def test_nothing_is_said_before_two_seconds_and_then_a_line_every_ten():
    now, out = [0.0], io.StringIO()
    progress = Progress("tiny", 10_000_000, out, lambda: now[0])
    said = []
    for now[0] in (0.0, 1.9, 2.0, 2.1, 11.9, 12.0):
        progress.add(1_000_000)
        said.append(len(out.getvalue().splitlines()))
    progress.end()
    assert said == [0, 0, 1, 1, 1, 2]
    assert out.getvalue().splitlines()[0] == "tiny: 3 of 10 MB (30 %)"


def test_on_a_terminal_the_line_is_replaced_and_ended():
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    now, out = [0.0], Terminal()
    progress = Progress("tiny", 4_000_000, out, lambda: now[0])
    for now[0] in (2.0, 2.4, 2.5):
        progress.add(1_000_000)
    progress.end()
    assert out.getvalue() == "\rtiny: 1 of 4 MB (25 %)\rtiny: 3 of 4 MB (75 %)\n"


def test_what_cannot_say_how_far_it_is_says_after_two_seconds_that_it_goes_on(monkeypatch, capsys):
    timers = []

    class Timer:
        def __init__(self, seconds: float, function: Callable[[], None]) -> None:
            self.seconds, self.fire, self.state = seconds, function, "made"
            timers.append(self)

        def start(self) -> None:
            self.state = "started"

        def cancel(self) -> None:
            self.state = "cancelled"

    monkeypatch.setattr(threading, "Timer", Timer)
    with told_if_slow("loading tiny"):
        assert (timers[0].seconds, timers[0].state) == (2.0, "started")
        timers[0].fire()
    assert timers[0].state == "cancelled" and capsys.readouterr().err == "loading tiny ...\n"


def test_megabytes_are_millions_of_bytes():
    assert [megabytes(count) for count in (0, 999_999, 1_000_000, 1_117_320_768)] == ["0", "0", "1", "1,117"]
