"""Cut the Chinese font that pictures fall back to; for maintainers, once in a while.

    python data/fonts/make_subset.py NotoSansCJK-Regular.ttc

Keeps the 3,755 characters of GB 2312 level 1 (what daily Chinese needs) and every other Chinese character or sign
that occurs in this repository. Needs fontTools, which matplotlib brings along.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTCollection

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FACE = "Noto Sans CJK SC"


def common() -> set[str]:
    """GB 2312 level 1, read off Python's own table."""
    rows = range(0xB0, 0xD8)
    return {bytes((row, cell)).decode("gb2312", "ignore") for row in rows for cell in range(0xA1, 0xFF)}


def used() -> set[str]:
    """Every character beyond Latin in the project's texts."""
    found: set[str] = set()
    for folder, pattern in (("planexec", "*.py"), ("data", "*.json"), ("notebooks", "*.ipynb")):
        for path in (ROOT / folder).rglob(pattern):
            found |= {sign for sign in path.read_text(encoding="utf-8") if sign >= "\u2000"}
    return found


def main(source: str) -> None:
    fonts = TTCollection(source).fonts
    font = next(each for each in fonts if each["name"].getDebugName(1) == FACE)
    options = subset.Options(layout_features=[], name_IDs=[0, 1, 2, 4, 6, 13, 14], notdef_outline=True, hinting=False)
    cutter = subset.Subsetter(options)
    cutter.populate(text="".join(sorted(common() | used())))
    cutter.subset(font)
    font["head"].modified = font["head"].created  # the same bytes every time
    font.recalcTimestamp = False
    font.save(HERE / "NotoSansSC-subset.otf")


if __name__ == "__main__":
    main(sys.argv[1])
