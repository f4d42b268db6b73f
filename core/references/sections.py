"""A Markdown document as sections that can be found by name or by words and quoted with their source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*\s*$")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_ANCHOR = re.compile(r"<a\b[^>]*>.*?</a>|<[^>]+>|\{#[^}]*\}")
_COMMENT = re.compile(r"<!--.*?-->\n?|<a name=\"[^\"]*\"></a>", re.DOTALL)
# In a word that is rather a name of the API than one of a sentence.
_OF_API = re.compile(r"[A-Z_:0-9]")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:(?:::|\.)[A-Za-z_][A-Za-z0-9_]*)*")
_SHORTEST = 12  # characters; less says nothing, for instance "none"
_DEEPEST = 3  # headings below stay in the section above them


@dataclass(frozen=True)
class Section:
    """One section.

    Attributes:
        title: Headings down to it, `DataCopyPad › Limits`.
        names: Names of the API the section is about; looking one of them up gives the section whole.
        text: Its Markdown without the heading.
        source: Whom it comes from: a document's path below its folder, with the folder's name.
        members: Names that are found here where no section is about them: methods of a class.
    """

    title: str
    names: tuple[str, ...]
    text: str
    source: str
    members: tuple[str, ...] = ()


def sections_of(markdown: str, source: str) -> Iterator[Section]:
    """Split a document at its headings; text before the first belongs to the document's own name."""
    document = source.rpartition("/")[2].removesuffix(".md")
    path: list[str] = [document]
    lines: list[str] = []
    fence = ""
    for line in markdown.splitlines():
        mark = _FENCE.match(line)
        if mark is not None and not fence:
            fence = mark[1]
        elif mark is not None and mark[1].startswith(fence):
            fence = ""
        # A `#` within a fence is code: a comment of Python, a directive of C++.
        heading = None if fence else _HEADING.match(line)
        if heading is None or len(heading[1]) > _DEEPEST:
            lines.append(line)
            continue
        yield from _section(path, lines, source)
        depth = len(heading[1])
        title = _ANCHOR.sub("", heading[2]).strip()
        # A document may leave out levels of headings.
        above = path[:depth]
        above += [""] * (depth - len(above))
        path = [*above, title]
        lines = []
    yield from _section(path, lines, source)


def _section(path: list[str], lines: list[str], source: str) -> Iterator[Section]:
    """The section of these lines, unless it says nothing; `path`: the document's name and headings down to it."""
    whole = "\n".join(lines)
    text = _COMMENT.sub("", whole).strip("\n")
    if len(text.strip()) < _SHORTEST:
        return
    headings = [part for part in path[1:] if part]
    below = headings or path[:1]
    title = " › ".join(below)
    yield Section(title, _names(below), text, source)


def _is_api_name(word: str) -> bool:
    return bool(_NAME.fullmatch(word) and _OF_API.search(word))


def _names(path: list[str]) -> tuple[str, ...]:
    """Names in headings that are nothing but names, outermost first; `DataCopyPad (ISASI)` is one."""
    names: list[str] = []
    for heading in path:
        bare = re.sub(r"[(\uff08][^)\uff09]*[)\uff09]|`", "", heading)
        parts = re.split(r"[,/、，]", bare)
        words = [part.strip() for part in parts if part.strip()]
        if all(map(_is_api_name, words)):
            names += words
    return tuple(dict.fromkeys(names))
