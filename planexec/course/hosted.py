"""The first cell of every notebook: it installs the package where it is missing, and says when versions differ.

On a learner's own machine the package is there, made by `python run.py`. On a hosted notebook service (one opens
a notebook in the browser, on somebody else's machine) it is not. We have not run this on any such service; what
we test is the cell on a machine that has the package and on one that lacks it, and the words.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

import planexec

TAG = "guard"  # the tag of the cell; `regenerate` writes its source anew, so that it names today's version

CELL = """\
# Makes sure the package is here. The hosted branch (in a browser, on a service's machine) was not run by us.
SOURCE = ""  # only there: the address of this course's repository, as in "git+https://..."
try:
    from planexec.course import hosted
except ModuleNotFoundError:
    if not SOURCE:
        raise ModuleNotFoundError("planexec. Your own machine: python run.py. Hosted: fill in SOURCE.") from None
    %pip install -q "planexec[models] @ {{SOURCE}}" ipywidgets matplotlib
    from planexec.course import hosted
print(hosted.fits("{version}"))"""

# What tells a service apart: a variable that it sets in every kernel.
SERVICES = {
    "BINDER_SERVICE_HOST": "Binder",
    "COLAB_RELEASE_TAG": "Colab",
    "KAGGLE_KERNEL_RUN_TYPE": "Kaggle",
}


def guard(version: str | None = None) -> str:
    """The source of the first code cell, for notebooks that belong to `version` (default: the one that runs)."""
    return CELL.format(version=version or planexec.__version__)


def service(variables: Mapping[str, str] = os.environ) -> str:
    """The hosted service that this kernel runs on, as far as it can be told from its variables; else the empty text."""
    return next((name for variable, name in SERVICES.items() if variables.get(variable)), "")


def fits(notebook: str, package: str | None = None, variables: Mapping[str, str] = os.environ) -> str:
    """One plain sentence: do this notebook and this package belong together? Prints nothing, stops nothing.

    fits("0.1.0") -> "planexec 0.1.0, as this notebook expects."
    """
    package = package or planexec.__version__
    where = service(variables)
    hosted = f" This looks like {where}, where we have not run the course." if where else ""
    if package == notebook:
        return f"planexec {package}, as this notebook expects.{hosted}"
    return (
        f"This notebook was written for planexec {notebook}, and planexec {package} is installed: what you see may "
        "differ from what is stored, and a cell may fail. On your own machine `python run.py` brings both to the same "
        f"version; elsewhere install the version of the notebook and restart the kernel.{hosted}"
    )
