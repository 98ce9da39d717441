"""Where the project's data and notebooks lie: beside the package in a checkout, inside it in an installed wheel."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def _folder(name: str) -> Path:
    inside = PACKAGE / f"_{name}"  # the wheel carries data/ as planexec/_data and notebooks/ as planexec/_notebooks
    return inside if inside.is_dir() else PACKAGE.parent / name


def data_path(*parts: str) -> Path:
    """data_path("finance", "knows.json") -> the path of that file, whether or not it exists."""
    return _folder("data").joinpath(*parts)


def notebooks_path(*parts: str) -> Path:
    """notebooks_path("00_start_here.ipynb") -> the path of the shipped notebook."""
    return _folder("notebooks").joinpath(*parts)
