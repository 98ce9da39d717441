#!/usr/bin/env python3
"""One command on Linux, macOS and Windows, with nothing but a Python: `python run.py`.

This file only looks at the Python it was given, and so it keeps to what the oldest Python still understands;
what the commands do is in `runner/`.
"""

import sys

OLDEST = (3, 11)
CANDIDATES = ("3.14", "3.13", "3.12", "3.11")


def which(name):
    """which("python3.12") -> its path, or None; also on a Python too old to have shutil.which."""
    import os

    for folder in os.environ.get("PATH", "").split(os.pathsep):
        for ending in ("", ".exe"):
            path = os.path.join(folder, name + ending)
            if os.path.isfile(path) and os.access(path, os.X_OK):
                return path
    return None


def newer_python(find=which, platform=sys.platform):
    """The words with which to call a Python that is new enough and already here, or how to get one."""
    for version in CANDIDATES:
        if find("python" + version):
            return "There is a newer one here. Try:  python%s run.py" % version
    if platform == "win32":
        return "Try:  py -3 run.py   or get one:  winget install Python.Python.3.13"
    if platform == "darwin":
        return "Get one:  brew install python@3.13   then:  python3.13 run.py"
    return "Get one from your system's packages (python3.13 and python3.13-venv, for example), then:  python3.13 run.py"


def too_old(version, executable, advice):
    """The whole message for a Python that is too old; the empty text for one that will do."""
    if tuple(version[:2]) >= OLDEST:
        return ""
    return "planexec needs Python %d.%d or newer. This is Python %d.%d (%s).\n%s\n" % (
        OLDEST + tuple(version[:2]) + (executable, advice)
    )


def main(arguments):
    message = too_old(sys.version_info, sys.executable, newer_python())
    if message:
        sys.stderr.write(message)
        return 2
    from runner.commands import main as carry_out  # after the check: that file is written for today's Python

    return carry_out(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
