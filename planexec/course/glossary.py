"""The glossary as a page: data/course/glossary.json -> docs/glossary.md, each term linked to its notebook."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planexec.paths import data_path, notebooks_path

HEAD = """\
# Glossary · 术语表

Made from `data/course/glossary.json` by `planexec course glossary`. Each term links to the notebook that introduces it.

| term | 术语 | what it is | 含义 | notebook |
|---|---|---|---|---|
"""


@dataclass(frozen=True)
class Term:
    """One term in both languages; `notebook` is the number of the one that introduces it.

    `forms` are other forms of the same term, `avoid` other words for it; so in Chinese. `everyday` is True for a word
    that earlier notebooks may use anyway. `before` lists the earlier ones that use a term without a word about it.
    """

    term: str
    zh: str
    notebook: str
    en_text: str
    zh_text: str
    avoid: tuple[str, ...] = ()
    avoid_zh: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()
    forms_zh: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    everyday: bool = False


def _stored() -> dict[str, Any]:
    return dict(json.loads(data_path("course", "glossary.json").read_text("utf-8")))


def not_terms() -> list[str]:
    """Phrases that notebooks set in italics and that are no terms: emphasis, names, words of an example."""
    return list(_stored()["not_terms"])


def terms() -> list[Term]:
    """All terms, in the order of the notebooks."""
    listed: list[dict[str, Any]] = [
        {key: tuple(value) if isinstance(value, list) else value for key, value in each.items()}
        for each in _stored()["terms"]
    ]
    return [Term(**each) for each in listed]


def notebook_of(term: Term) -> Path | None:
    """The notebook that introduces a term; None when there is none of that number."""
    return next(iter(sorted(notebooks_path().glob(f"{term.notebook}_*.ipynb"))), None)


def page() -> str:
    """The whole page."""
    return HEAD + "".join(_row(term) + "\n" for term in terms())


def _row(term: Term) -> str:
    path = notebook_of(term)
    link = f"[{term.notebook}](../notebooks/{path.name})" if path else term.notebook
    return f"| {term.term} | {term.zh} | {term.en_text} | {term.zh_text} | {link} |"
