"""A Markdown document as sections that can be found by name or by words and quoted with their source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*\s*$")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_ANCHOR = re.compile(r"<a\b[^>]*>.*?</a>|<[^>]+>|\{#[^}]*\}")
_COMMENT = re.compile(r"<!--.*?-->\n?|<a name=\"[^\"]*\"></a>", re.DOTALL)
_OF_API = re.compile(
    r"[A-Z_:0-9]"
)  # in a word that is rather a name of the API than one of a sentence
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
        if mark is not None:
            fence = (
                ""
                if fence and mark.group(1).startswith(fence)
                else fence or mark.group(1)
            )
        heading = None if fence else _HEADING.match(line)
        if heading is None or len(heading.group(1)) > _DEEPEST:
            lines.append(line)
            continue
        yield from _section(path, lines, source)
        depth, title = len(heading.group(1)), _ANCHOR.sub("", heading.group(2)).strip()
        path = [*path[:depth], *[""] * (depth - len(path)), title]
        lines = []
    yield from _section(path, lines, source)


def _section(path: list[str], lines: list[str], source: str) -> Iterator[Section]:
    text = _COMMENT.sub("", "\n".join(lines)).strip("\n")
    if len(text.strip()) < _SHORTEST:
        return
    below = [part for part in path[1:] if part] or path[:1]
    yield Section(" › ".join(below), _names(below), text, source)


def _names(path: list[str]) -> tuple[str, ...]:
    """Names in headings that are nothing but names, outermost first; `DataCopyPad (ISASI)` is one."""
    names: list[str] = []
    for heading in path:
        bare = re.sub(r"[(\uff08][^)\uff09]*[)\uff09]|`", "", heading)
        words = [word.strip() for word in re.split(r"[,/、，]", bare) if word.strip()]
        if words and all(
            _NAME.fullmatch(word) and _OF_API.search(word) for word in words
        ):
            names += words
    return tuple(dict.fromkeys(names))
