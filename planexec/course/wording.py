"""Do the texts use the words of the glossary? Notebooks, README, docs and the docstrings of public names are read.

A notebook introduces a word by setting it in *italics* and saying in half a sentence what it means. So each phrase in
italics is a term of the glossary or one of its `not_terms`; a term links to the first notebook that uses it, unless
the earlier ones set it in italics too or stand in its list `before`. Not read: code, links, the line under the title.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType

import planexec
from planexec.course import form
from planexec.course.glossary import Term, not_terms, terms
from planexec.paths import notebooks_path

CODE = re.compile(r"```.*?```|`[^`]*`|\]\([^)]*\)", re.DOTALL)
ITALICS = re.compile(r"(?<![*\w])\*(?![\s*])([^*\n]+?)(?<!\s)\*(?![*\w])")
CHINESE = "## 中文小结"
REMEMBER = "## Remember"
WITH_DOCSTRING = (FunctionType, classmethod, staticmethod, property)


@dataclass(frozen=True)
class Text:
    """The prose of one notebook, in parts; `number` is "07"."""

    number: str
    english: str
    remember: str
    chinese: str

    @property
    def italics(self) -> list[str]:
        return [" ".join(match.split()) for match in ITALICS.findall(self.english)]


def read(path: Path) -> Text:
    """The parts of the notebook in `path`, without code; the first cell (title, time, level) without its italics."""
    cells = [CODE.sub(" ", cell.source) for cell in form.read(path).cells if cell.cell_type == "markdown"]
    cells[:1] = [ITALICS.sub(" ", cells[0])]
    english = "\n\n".join(cell for cell in cells if not cell.startswith(CHINESE))
    remember = "\n".join(cell for cell in cells if cell.startswith(REMEMBER)).partition("**Where next")[0]
    return Text(path.name[:2], english, remember, "\n".join(cell for cell in cells if cell.startswith(CHINESE)))


def texts(folder: Path | None = None) -> list[Text]:
    return [read(path) for path in sorted((folder or notebooks_path()).glob("[0-9][0-9]_*.ipynb"))]


def pattern(words: Iterable[str]) -> re.Pattern[str]:
    """Any of `words`, in the singular or the plural, with spaces or hyphens: "tool call" finds "Tool-calls"."""
    each = "|".join(re.sub(r"\\[ -]", r"[\\s-]+", re.escape(word)) for word in words)
    return re.compile(rf"\b(?:{each})(?:s|es)?\b", re.IGNORECASE)


def of(term: Term) -> re.Pattern[str]:
    return pattern((term.term, *term.forms))


def undeclared(text: Text, known: Iterable[Term], others: Iterable[str]) -> Iterator[str]:
    """Phrases in italics that are neither terms nor declared to be none."""
    none = {word.lower() for word in others}
    for phrase in text.italics:
        if phrase.lower().strip(" .,:;") not in none and not any(of(term).fullmatch(phrase) for term in known):
            yield f"{text.number}: *{phrase}* is in italics: a term for the glossary, or one of its not_terms?"


def misplaced(term: Term, all_texts: Iterable[Text]) -> Iterator[str]:
    """A term that its notebook does not use, or that an earlier one uses without a word about what it is."""
    search = of(term)
    using = [text for text in all_texts if search.search(text.english)]
    if term.notebook not in [text.number for text in using]:
        yield f"{term.notebook}: {term.term!r} does not stand in the notebook that the glossary links to"
    for text in using:
        explained = any(search.fullmatch(phrase) for phrase in text.italics)
        if text.number < term.notebook and not (term.everyday or explained or text.number in term.before):
            yield f"{text.number}: {term.term!r} is used, but explained only in {term.notebook}"


def avoided(where: str, prose: str, known: Iterable[Term]) -> Iterator[str]:
    """Other words for a term. One with a capital is looked for as written, the others in any spelling."""
    for term in known:
        for word in term.avoid:
            found = re.search(rf"\b{re.escape(word)}", prose, 0 if word != word.lower() else re.IGNORECASE)
            if found:
                yield f"{where}: {found[0]!r}; the glossary says {term.term!r}"
        without = prose.replace(term.zh, " ")  # 虚假成功 ends with the 假成功 that it replaces
        for word in term.avoid_zh:
            if word in without:
                yield f"{where}: {word!r}; the glossary says {term.zh!r}"


def unnamed(text: Text, known: Iterable[Term]) -> Iterator[str]:
    """Terms that the summary in Chinese leaves in English, or leaves out though the lines to remember name them."""
    for term in known:
        english = re.search(rf"(?<![A-Za-z]){re.escape(term.term)}(?![A-Za-z])", text.chinese, re.IGNORECASE)
        if english and term.zh != term.term:
            yield f"{text.number}: the summary in Chinese says {english[0]!r}; the glossary says {term.zh!r}"
        named = not term.everyday and of(term).search(text.remember)
        if named and not any(word in text.chinese for word in (term.zh, *term.forms_zh)):
            yield f"{text.number}: 'Remember' says {named[0]!r}, the summary in Chinese never says {term.zh!r}"


def docstrings() -> dict[str, str]:
    """The docstrings of the public names and of their public methods, by name."""
    found = {}
    for name in planexec.__all__:
        thing = getattr(planexec, name)
        found[f"planexec.{name}"] = inspect.getdoc(thing) or ""
        members = vars(thing).items() if inspect.isclass(thing) else ()
        written = {key: one for key, one in members if key[0] != "_" and isinstance(one, WITH_DOCSTRING)}
        found |= {f"planexec.{name}.{key}": inspect.getdoc(one) or "" for key, one in written.items()}
    return found


def pages(root: Path) -> dict[str, str]:
    """README and docs of a checkout, without code; the glossary itself is left out."""
    paths = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    named = {path.name: path for path in paths if path.exists() and path.name != "glossary.md"}
    return {name: CODE.sub(" ", path.read_text(encoding="utf-8")) for name, path in named.items()}


def complaints() -> list[str]:
    """Everything that does not agree with the glossary, a sentence each, sorted by the notebook it starts with."""
    known, read_texts = terms(), texts()
    found = [words for text in read_texts for words in undeclared(text, known, not_terms())]
    found += [words for term in known for words in misplaced(term, read_texts)]
    found += [words for text in read_texts for words in unnamed(text, known)]
    prose: Mapping[str, str] = {text.number: text.english + text.chinese for text in read_texts}
    everywhere = {**prose, **pages(notebooks_path().parent), **docstrings()}
    found += [words for where, each in everywhere.items() for words in avoided(where, each, known)]
    return sorted(found)
