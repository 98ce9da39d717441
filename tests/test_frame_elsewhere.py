"""The imitated machines on which `run.py check` runs the notebooks: what they refuse, which encoding they have."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from runner import elsewhere, machines, suites
from runner.environment import Place

ROOT = Path(__file__).resolve().parent.parent
QUIET = {name: value for name, value in os.environ.items() if not name.startswith("PLANEXEC_")}


def there(code, **variables):
    """What a new Python prints that imitates what `variables` say."""
    command = [sys.executable, "-c", code]
    env = QUIET | {"PYTHONPATH": str(machines.IMITATED), "PYTHONUTF8": "0", "LC_ALL": "C.UTF-8"} | variables
    return subprocess.run(command, capture_output=True, encoding="utf-8", env=env, check=True).stdout.strip()


REACH = """
import asyncio, socket
def tried(call):
    try:
        return call() and "reached"
    except OSError as problem:
        return "refused" if "no network here" in str(problem) else "another error"
with socket.socket() as server, socket.socket(type=socket.SOCK_DGRAM) as datagram:
    server.bind(("127.0.0.1", 0)); server.listen()
    port = server.getsockname()[1]
    print(tried(lambda: socket.create_connection((HOST, port), timeout=1)))
    print(tried(lambda: socket.socket().connect_ex((HOST, port)) == 0))
    print(tried(lambda: asyncio.run(asyncio.open_connection(HOST, port))))
    print(tried(lambda: datagram.sendto(b"x", (HOST, port))))
"""


@pytest.mark.parametrize("host", ["192.0.2.1", "example.org", "::ffff:192.0.2.1"])
def test_no_other_machine_can_be_reached(host):
    said = there(REACH.replace("HOST", repr(host)), PLANEXEC_IMITATE_OFFLINE="1").split("\n")
    assert said == ["refused"] * 4


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_this_machine_can_be_reached(host):
    said = there(REACH.replace("HOST", repr(host)), PLANEXEC_IMITATE_OFFLINE="1").split("\n")
    assert said == ["reached"] * 4


ENCODINGS = """
import locale, pathlib, subprocess, sys, tempfile
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "x")
    path.write_text("é", encoding="utf-8")
    print(ascii(path.read_text()), ascii(path.open().read()), ascii(open(path).read()), open(path, "rb").read())
print(ascii(open(__import__("os").devnull).encoding), locale.getpreferredencoding(False), locale.getencoding())
say = "import sys; sys.stdout.buffer.write(bytes([0xe9]))"
print(ascii(subprocess.run([sys.executable, "-c", say], stdout=-1, text=True).stdout))
"""


def test_what_is_opened_without_an_encoding_has_that_of_the_code_page_and_what_names_one_keeps_it():
    wrong, right = "'\\xc3\\xa9'", "b'\\xc3\\xa9'"
    assert there(ENCODINGS, PLANEXEC_IMITATE_CODE_PAGE="cp1252").split("\n") == [
        f"{wrong} {wrong} {wrong} {right}",
        "'cp1252' cp1252 cp1252",
        "'\\xe9'",
    ]


def test_chinese_cannot_be_written_on_a_western_windows_unless_the_file_has_an_encoding():
    code = f"open({os.devnull!r}, 'w', encoding='utf-8').write('学'); open({os.devnull!r}, 'w').write('学')"
    with pytest.raises(subprocess.CalledProcessError) as raised:
        there(code, PLANEXEC_IMITATE_CODE_PAGE="cp1252")
    assert "UnicodeEncodeError" in raised.value.stderr


FOUND = "from importlib.util import find_spec; print([find_spec(n) is not None for n in ('json', 'json_repair')])"


def test_a_hidden_package_cannot_be_found_and_the_others_can():
    assert there(FOUND) == "[True, True]"
    assert there(FOUND, PLANEXEC_IMITATE_WITHOUT="json_repair") == "[True, False]"
    said = there(
        "try: import json_repair.x\nexcept ModuleNotFoundError as e: print(e)", PLANEXEC_IMITATE_WITHOUT="json_repair"
    )
    assert said == "No module named 'json_repair'"


def test_without_a_variable_nothing_is_imitated():
    code = "import io, socket; print(open is io.open, type(open) is type(len), 'connect' in vars(socket.socket))"
    assert there(code) == "True True False"


# --- the machines


def test_a_machine_has_a_home_of_its_own_no_key_and_no_network(tmp_path):
    given = {"HOME": "/home/jo", "XDG_CACHE_HOME": "/x", "LC_ALL": "de_DE.UTF-8", "SOME_API_KEY": "k", "PATH": "p"}
    for machine in (machines.chinese(tmp_path, lambda work: None), machines.windows(tmp_path)):
        found = machines.variables(machine, tmp_path, given)
        assert found["HOME"] == found["USERPROFILE"] == str(tmp_path / "home")
        assert found["TMPDIR"] == found["TEMP"] == str(tmp_path / "tmp")
        assert found["PLANEXEC_IMITATE_OFFLINE"] == "1" and found["PATH"] == "p"
        assert "XDG_CACHE_HOME" not in found and "SOME_API_KEY" not in found and found.get("LC_ALL") != "de_DE.UTF-8"
        assert all(found[name].startswith(str(tmp_path)) for name in machines.OWN_FOLDERS)


def test_where_there_is_no_chinese_locale_its_encoding_is_imitated(tmp_path):
    real = machines.chinese(tmp_path, lambda work: {"LC_ALL": machines.CHINESE})
    imitated = machines.chinese(tmp_path, lambda work: None)
    assert "PLANEXEC_IMITATE_CODE_PAGE" not in real.variables and real.variables["LC_ALL"] == "zh_CN.GB18030"
    assert imitated.variables["PLANEXEC_IMITATE_CODE_PAGE"] == imitated.encoding == "gb18030"
    assert imitated.variables["LANG"] == "zh_CN.UTF-8"


@pytest.mark.parametrize("imitated", [True, pytest.param(False, marks=pytest.mark.check)])
def test_a_python_on_the_chinese_machine_has_the_encoding_that_it_should_have(imitated, tmp_path):
    machine = machines.chinese(tmp_path, lambda work: None) if imitated else machines.chinese(tmp_path)
    code = "import codecs, os; print(codecs.lookup(open(os.devnull).encoding).name)"
    command = [sys.executable, "-c", code]
    env = machines.variables(machine, tmp_path, QUIET)
    (tmp_path / "tmp").mkdir()
    assert subprocess.run(command, capture_output=True, encoding="ascii", env=env).stdout.strip() == machine.encoding


# --- the order, and what is left behind


def test_a_seed_fixes_the_order_and_two_seeds_give_two():
    names = [f"{number:02}" for number in range(19)]
    first, again, other = (elsewhere.shuffled(names, seed) for seed in (*suites.SEEDS[:1] * 2, suites.SEEDS[1]))
    assert first == again == elsewhere.shuffled(names[::-1], suites.SEEDS[0])
    assert sorted(first) == sorted(other) == names and names != first != other != names


def test_what_is_left_behind_is_named(tmp_path):
    for name in machines.EMPTY:
        (tmp_path / name).mkdir()
    assert elsewhere.left_behind(tmp_path, " M a.py\n", " M a.py\n") == []
    (tmp_path / "home" / ".planexec").mkdir()
    (tmp_path / "tmp" / "half.db").touch()
    assert elsewhere.left_behind(tmp_path, " M a.py\n", " M a.py\n?? run.db\n") == [
        "home/.planexec is left behind",
        "tmp/half.db is left behind",
        "git status: ?? run.db",
    ]


def test_the_status_is_that_of_git(tmp_path):
    assert elsewhere.status(tmp_path) == "(no git checkout)"
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    (tmp_path / "new.txt").touch()
    assert elsewhere.status(tmp_path) == "?? new.txt\n"


def test_a_file_in_the_learners_folder_that_is_new_or_changed_is_seen(tmp_path):
    (tmp_path / "a.ipynb").write_text("1", encoding="utf-8")
    before = elsewhere.contents(tmp_path)
    (tmp_path / "a.ipynb").write_text("2", encoding="utf-8")
    (tmp_path / ".hidden").touch()
    assert {name for name, _ in before ^ elsewhere.contents(tmp_path)} == {"a.ipynb", ".hidden"}


def test_run_check_runs_the_notebooks_on_each_machine_in_another_order(tmp_path):
    commands = [command for step in suites.check_steps(Place(ROOT), tmp_path) for command in step.commands]
    found = [command[2:] for command in commands if any(part.endswith("elsewhere.py") for part in command)]
    places = {name: (str(ROOT), str(tmp_path / name)) for name in machines.MACHINES}
    seeds = [str(seed) for seed in suites.SEEDS]
    assert found == [(name, seed, *where) for (name, where), seed in zip(places.items(), seeds, strict=True)]


# --- with real kernels


def small_course(folder, **sources):
    """Notebooks of one cell each, as stored after a run in which every cell printed 1."""
    from notebook_cells import code, store, stream

    folder.mkdir()
    for name, source in sources.items():
        store(folder, code(source, outputs=[stream("1\n")]), guard=False).rename(folder / f"{name}.ipynb")
    return folder


@pytest.mark.check
def test_what_one_notebook_leaves_for_another_fails_the_run(tmp_path, capsys, monkeypatch):
    leave = "from pathlib import Path\nPath('left.txt').touch()\nprint(1)"
    source = small_course(tmp_path / "source", **{"00_leaves": leave, "01_differs": "print(2)", "02_well": "print(1)"})
    monkeypatch.setattr(elsewhere, "probe", lambda folder, encoding: "")
    assert elsewhere.inside(tmp_path / "copy", 1, "utf-8", source) == 1
    said = capsys.readouterr().out
    assert "02_well.ipynb: as stored" in said and "00_leaves.ipynb: as stored" in said
    assert '+      "2\\n"' in said.replace("    +", "+")
    assert "the learner's folder: left.txt is new or changed" in said


@pytest.mark.check
def test_a_machine_that_is_not_imitated_fails_the_run(tmp_path):
    words = elsewhere.probe(tmp_path, "cp1252")
    assert "expected ['refused', 'refused', 'cp1252', '[]', '']" in words and "utf-8" in words
