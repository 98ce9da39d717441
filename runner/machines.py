"""Machines that are not here, as far as variables can imitate them: a Chinese one, and one with a Windows code page.

Both have an empty home folder and no network. What Jupyter and matplotlib write for themselves goes to folders of
its own, named by their variables, so that every file in the home folder was written by something else.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

IMITATED = Path(__file__).resolve().parent / "imitated"
CHINESE = "zh_CN.GB18030"
SOURCES = Path("/usr/share/i18n")  # what `localedef` makes a locale from; a package of its own on some systems
# Names of folders, or of settings that would make a kernel write or speak otherwise than on a new machine.
UNSET = (
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LANG",
    "LANGUAGE",
)
EMPTY = ("home", "tmp")  # folders in which nothing may be left
OWN_FOLDERS = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "MPLCONFIGDIR")


@dataclass(frozen=True)
class Machine:
    """`encoding` is what a file has there that was opened without one; `how` says what is real and what imitated."""

    name: str
    encoding: str
    folder: str  # what the learner called the copy of the course
    variables: Mapping[str, str]
    how: str


def chinese_locale(work: Path, sources: Path = SOURCES) -> dict[str, str] | None:
    """The variables that select a real GB18030 locale: an installed one, or one made in `work`; None without either."""
    ended = _output(["locale", "-a"])
    if any(line.lower() in ("zh_cn.gb18030", "zh_cn.gb-18030") for line in ended.splitlines()):
        return {"LC_ALL": CHINESE}
    if shutil.which("localedef") is None or not (sources / "locales" / "zh_CN").exists():
        return None
    target = work / "locales" / CHINESE
    target.parent.mkdir(parents=True, exist_ok=True)
    _output(["localedef", "-i", "zh_CN", "-f", "GB18030", str(target)])
    return {"LC_ALL": CHINESE, "LOCPATH": str(target.parent)} if (target / "LC_CTYPE").exists() else None


def _output(command: list[str]) -> str:
    try:
        return subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False).stdout
    except OSError:
        return ""


def chinese(work: Path, find: Callable[[Path], dict[str, str] | None] = chinese_locale) -> Machine:
    """A Chinese locale: the real one where it can be had, else its language and its encoding imitated."""
    real = find(work)
    variables = real or {"LANG": "zh_CN.UTF-8", "LC_CTYPE": "C.UTF-8", "PLANEXEC_IMITATE_CODE_PAGE": "gb18030"}
    how = f"a real {CHINESE}" if real else f"{CHINESE} is not here: its encoding is imitated"
    return Machine("chinese", "gb18030", "我的课程", {**variables, "PYTHONIOENCODING": "gb18030"}, how)


def windows(work: Path) -> Machine:
    """The code page of a western Windows, where nothing Chinese can be written, and spaces in the folder's name."""
    variables = {"LC_ALL": "C.UTF-8", "PLANEXEC_IMITATE_CODE_PAGE": "cp1252", "PYTHONIOENCODING": "cp1252"}
    return Machine("windows", "cp1252", "Jörg's course (copy)", variables, "code page 1252, imitated")


MACHINES: dict[str, Callable[[Path], Machine]] = {"chinese": chinese, "windows": windows}


def variables(machine: Machine, work: Path, given: Mapping[str, str] = os.environ) -> dict[str, str]:
    """All variables of a process there, its home, its temporary files and Jupyter's folders in `work`."""
    mine = {name: value for name, value in given.items() if name not in UNSET and not name.endswith("_API_KEY")}
    own = {name: str(work / "own" / name.lower()) for name in OWN_FOLDERS}
    home, tmp = (str(work / name) for name in EMPTY)
    folders = {"HOME": home, "USERPROFILE": home, "TMPDIR": tmp, "TEMP": tmp, "TMP": tmp}
    shared = {"PYTHONUTF8": "0", "PYTHONHASHSEED": "0", "PLANEXEC_IMITATE_OFFLINE": "1", "PYTHONPATH": str(IMITATED)}
    return {**mine, **folders, **own, **shared, **machine.variables}
