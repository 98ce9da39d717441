"""What notebooks build by hand, taken out of their cells (tag `by-hand`) and imported like any module."""

from __future__ import annotations

import importlib.util
from types import ModuleType

from planexec.course import form
from planexec.paths import notebooks_path


def hand_built(number: str, folder) -> ModuleType:
    """The by-hand cells of the notebook with this number, as one module written to `folder`."""
    (notebook,) = notebooks_path().glob(f"{number}_*.ipynb")
    cells = [cell.source for cell in form.read(notebook).cells if "by-hand" in cell.metadata.get("tags", [])]
    assert cells, f"{notebook.name} has no cell tagged by-hand"
    path = folder / f"hand_built_{number}.py"
    path.write_text("\n\n".join(cells) + "\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
