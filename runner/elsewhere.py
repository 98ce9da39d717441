"""Do the notebooks depend on this machine, or on each other? `elsewhere.py MACHINE SEED CHECKOUT EMPTY_FOLDER`.

All of them run in a random order on an imitated machine (`machines.py`), each in a kernel of its own, two at once, in
one copied folder and with one home. Every byte must be the stored one. Afterwards the home and the folder for temporary
files must be empty, the copied folder and the checkout (`git status --porcelain`) as before. Run by the Python of the
environment.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # started as a script, it stands in `runner` itself

from runner.machines import EMPTY, MACHINES, Machine, variables

AT_ONCE = 2
# What a cell finds there: a refused connection, a refused name, the encoding of files, the files of the home folder.
PROBE = """
import codecs, pathlib, socket, tempfile
try:
    socket.create_connection(("192.0.2.1", 80), timeout=1)
    print("reached")
except OSError as problem:
    print("refused" if "no network here" in str(problem) else problem)
try:
    socket.getaddrinfo("example.org", 80)
    print("looked up")
except OSError as problem:
    print("refused" if "no network here" in str(problem) else problem)
with tempfile.TemporaryFile("w") as file:
    print(codecs.lookup(file.encoding).name)
print(sorted(path.name for path in pathlib.Path.home().iterdir()))
"""


def shuffled(names: Sequence[str], seed: int) -> list[str]:
    """The names in an order that depends on `seed` alone."""
    mixed = sorted(names)
    random.Random(seed).shuffle(mixed)
    return mixed


def _check(path: str) -> str:
    """One notebook: what differs from what is stored; the empty text when nothing does."""
    from planexec.course.sync import CellFailed, check

    try:
        return check(Path(path))
    except (CellFailed, ValueError) as problem:
        return str(problem)


def probe(folder: Path, encoding: str) -> str:
    """What is wrong with the imitation itself, asked in a kernel as the notebooks get it; "" when it holds."""
    import nbformat

    from planexec.course.sync import execute

    asked = execute(folder / "probe", nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(PROBE)]))
    said = "".join(output.get("text", "") for output in asked.cells[0].outputs).split("\n")
    expected = ["refused", "refused", encoding, "[]", ""]
    return "" if said == expected else f"the imitated machine: a cell found {said}, expected {expected}"


def inside(folder: Path, seed: int, encoding: str, source: Path | None = None) -> int:
    """Run there: copy the course (or `source`), check the imitation, then every notebook. Prints a line for each."""
    from matplotlib import font_manager

    from planexec.course.copy import copy_course

    assert font_manager.fontManager  # lists the fonts once, for all kernels: doing so may print a line into a cell
    copy_course(folder, source)
    wrong = [words for words in (probe(folder, encoding),) if words]
    names = shuffled([path.name for path in folder.glob("*.ipynb")], seed)
    print("order: " + " ".join(name[:2] for name in names), flush=True)
    before = contents(folder)
    with ProcessPoolExecutor(AT_ONCE) as pool:
        for name, words in zip(names, pool.map(_check, [str(folder / name) for name in names]), strict=True):
            print(f"  {name}: {words or 'as stored'}".replace("\n", "\n    "), flush=True)
            wrong += [name] if words else []
    changed = sorted(name for name, _ in before ^ contents(folder))
    wrong += [f"the learner's folder: {name} is new or changed" for name in dict.fromkeys(changed)]
    print("\n".join(wrong) or f"{len(names)} of {len(names)} as stored")
    return int(bool(wrong) or not names)


def contents(folder: Path) -> set[tuple[str, int]]:
    """Every file below `folder`, hidden ones too, with what it holds."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {(path.relative_to(folder).as_posix(), hash(path.read_bytes())) for path in files}


def status(checkout: Path) -> str:
    """What git says of the checkout; a line of its own where there is no git to ask."""
    if not (checkout / ".git").exists():
        return "(no git checkout)"
    command = ["git", "-C", str(checkout), "status", "--porcelain"]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout


def left_behind(work: Path, before: str, after: str) -> list[str]:
    """A sentence for everything that was not there before the notebooks ran."""
    found = (path.relative_to(work).as_posix() for name in EMPTY for path in sorted((work / name).rglob("*")))
    new = [f"{path} is left behind" for path in found]
    lines = sorted(set(before.splitlines()) ^ set(after.splitlines()))
    return new + [f"git status: {line.strip()}" for line in lines]


def outside(machine: Machine, seed: int, checkout: Path, work: Path) -> int:
    """Run on this machine: prepare the other one, start it, look at what it left behind."""
    print(f"{machine.name}: {machine.how}; no network; seed {seed}", flush=True)
    for name in EMPTY:
        (work / name).mkdir()
    before = status(checkout)
    name = machine.folder.encode("unicode_escape").decode("ascii")  # the other machine has other bytes for its letters
    command = [sys.executable, __file__, "--inside", name, str(seed), machine.encoding]
    code = subprocess.run(command, cwd=work, env=variables(machine, work), check=False).returncode
    wrong = left_behind(work, before, status(checkout))
    print("\n".join(wrong) or "nothing left behind: home, temporary files, checkout", flush=True)
    return int(bool(code or wrong))


def main(arguments: Sequence[str]) -> int:
    if arguments[0] == "--inside":
        name = arguments[1].encode("ascii").decode("unicode_escape")
        return inside(Path(name).resolve(), int(arguments[2]), arguments[3])
    name, seed, checkout, folder = arguments
    work = Path(folder)
    work.mkdir(parents=True, exist_ok=True)
    return outside(MACHINES[name](work), int(seed), Path(checkout), work)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
