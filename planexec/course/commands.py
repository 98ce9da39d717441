"""`planexec course copy | run | regenerate | check | lint`, in words."""

from __future__ import annotations

import argparse
import io
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from planexec.commands import Parser
from planexec.paths import notebooks_path

HELP = """\
The notebooks of the course.

  planexec course copy my-course    your own copy; again later: an update that keeps what you changed
  planexec course run               every notebook from top to bottom, in a kernel of its own; writes nothing
  planexec course regenerate        run and store the outputs (for authors)
  planexec course check             run and compare every byte with what is stored (for authors)
  planexec course lint              look at the stored files without running them (for authors)
  planexec course solutions         bring the solved copies up to date (for authors)
  planexec course glossary          write docs/glossary.md anew, look for other words in the texts (for authors)
"""


def tell(text: str) -> None:
    print(text, flush=True)


def _files(number: int) -> str:
    return "1 file" if number == 1 else f"{number} files"


def copy(folder: str) -> int:
    """Copy or update the course; say what happened to each file that was touched or kept."""
    from planexec.course.copy import CopyError, copy_course

    try:
        done = copy_course(Path(folder))
    except CopyError as problem:
        tell(str(problem))
        return 2
    counted = Counter(copied.what for copied in done)
    for copied in done:
        if copied.what in ("beside", "updated"):
            tell(f"  {copied}")
    if counted["new"]:
        tell(f"{_files(counted['new'])} copied to {folder}")
    if counted["yours"]:
        tell(f"{_files(counted['yours'])} of yours, left untouched: nothing newer came")
    if not counted["new"] + counted["updated"] + counted["beside"]:
        tell(f"{folder} is up to date: nothing to do")
    return 0


def run(files: Sequence[Path]) -> int:
    from planexec.course.run_all import run_all, table

    done = run_all(files, tell)
    tell("\n" + table(done))
    return int(any(ran.problem for ran in done))


def _each(files: Sequence[Path], look: Callable[[Path], str]) -> int:
    """Look at each file, print what is wrong with it, and sum up. `look` returns the empty text when all is well."""
    from planexec.course.sync import CellFailed

    wrong = 0
    for path in files:
        try:
            words = look(path)
        except (CellFailed, ValueError) as problem:
            words = str(problem)
        wrong += bool(words)
        if words:
            tell(f"{path.name}:\n  " + words.replace("\n", "\n  "))
    tell(f"{len(files) - wrong} of {len(files)} notebooks as they should be")
    return int(bool(wrong))


def regenerate(files: Sequence[Path]) -> int:
    from planexec.course.sync import regenerate as one

    def look(path: Path) -> str:
        tell(f"{path.name}: {'stored anew' if one(path) else 'nothing changed'}")
        return ""

    return _each(files, look)


def check(files: Sequence[Path]) -> int:
    from planexec.course.sync import check as one

    def look(path: Path) -> str:
        tell(f"{path.name} ...")
        return one(path)

    return _each(files, look)


def lint(files: Sequence[Path]) -> int:
    from planexec.course.lint import complaints

    return _each(files, lambda path: "\n".join(complaints(path)))


def solutions(files: Sequence[Path]) -> int:
    """bring the solved copies up to date with the notebooks (for authors)"""
    from planexec.course.solutions import regenerate as one

    def look(path: Path) -> str:
        tell(f"{path.name}: {'stored anew' if one(path) else 'nothing changed'}")
        return ""

    return _each(files, look)


COMMANDS = {"run": run, "regenerate": regenerate, "check": check, "lint": lint, "solutions": solutions}


def glossary() -> int:
    """Write docs/glossary.md anew, in a checkout only; then say which texts do not use its words."""
    from planexec.course.glossary import page
    from planexec.course.wording import complaints

    folder = notebooks_path().parent / "docs"
    if not folder.is_dir():
        tell(f"{folder} is not there: the page belongs to a checkout")
        return 2
    (folder / "glossary.md").write_text(page(), encoding="utf-8")
    tell("docs/glossary.md written")
    found = complaints()
    tell("\n".join(found) or "every text uses its words")
    return int(bool(found))


def parser() -> argparse.ArgumentParser:
    made = Parser(prog="planexec course", description=HELP, formatter_class=argparse.RawDescriptionHelpFormatter)
    chosen = made.add_subparsers(dest="command", required=True, metavar="COMMAND")
    chosen.add_parser("copy", help="copy or update the course").add_argument("folder", help="where your copy lies")
    chosen.add_parser("glossary", help="write docs/glossary.md anew (for authors)")
    for name, function in COMMANDS.items():
        sub = chosen.add_parser(name, help=(function.__doc__ or name).splitlines()[0])
        sub.add_argument("paths", nargs="*", type=Path, help="notebooks or folders; default: the course")
    return made


def main(argv: Sequence[str] | None = None) -> int:
    """Exit codes: 0 all well, 1 a notebook is not as it should be, 2 wrong use or a package is missing."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a folder's name may be more than a console can write
    given = parser().parse_args(argv)
    if given.command == "copy":
        return copy(given.folder)
    from planexec.course.form import Missing
    from planexec.course.sync import notebooks

    try:
        if given.command == "glossary":
            return glossary()
        files = notebooks(given.paths or [notebooks_path()])
        if not files:
            tell("no notebook there")
            return 2
        return COMMANDS[given.command](files)
    except (Missing, FileNotFoundError) as problem:
        tell(str(problem))
        return 2
