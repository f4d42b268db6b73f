"""Reading of the plain-text layout models write: headings and fenced blocks, fences aware of each other.

Only what the reply protocol needs (headings `#`..`######`, fences of three or more
backticks or tildes after CommonMark's rule: a fence closes at the first line of at
least as many of the same characters). Nothing here knows what a heading means.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]++(.*)$")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[ \t]*([^`]*)$")


@dataclass(frozen=True)
class Fence:
    """One fenced block.

    `label` is the last non-empty line before it; not `closed`: the text ended inside.
    """

    text: str
    language: str
    label: str
    closed: bool


@dataclass(frozen=True)
class Section:
    """A heading with everything up to the next heading, fenced blocks kept whole.

    Attributes:
        level: Number of `#`, 0 for text before the first heading.
        title: Heading text.
        prose: The lines outside fences, joined, without blank margins.
        fences: The fenced blocks in order.
    """

    level: int
    title: str
    prose: str
    fences: tuple[Fence, ...]

    @property
    def name(self) -> str:
        """The title in lower case, without markup and colon."""
        return re.sub(r"[`*_:]", "", self.title).strip().lower()


def sections(text: str) -> tuple[Section, ...]:
    """Split `text` at its headings.

    The first section (level 0) holds what stands before any heading.
    """
    parts: list[Section] = []
    level, title = 0, ""
    prose: list[str] = []
    fences: list[Fence] = []
    for piece in _pieces(text):
        if isinstance(piece, Fence):
            fences.append(piece)
            continue
        heading = _HEADING.match(piece)
        if heading is None:
            prose.append(piece)
            continue
        parts.append(Section(level, title, "\n".join(prose).strip(), tuple(fences)))
        level = len(heading.group(1))
        title = heading.group(2).rstrip(" \t").rstrip("#").strip()
        prose, fences = [], []
    parts.append(Section(level, title, "\n".join(prose).strip(), tuple(fences)))
    return tuple(parts)


def fence_for(text: str) -> str:
    """The shortest backtick fence that can hold `text` verbatim."""
    longest = max(
        (len(run) for run in re.findall(r"^[ \t]*(`{3,})", text, re.MULTILINE)),
        default=2,
    )
    return "`" * max(3, longest + 1)


def _pieces(text: str) -> Iterator[str | Fence]:
    """Yield lines outside fences as text and every fenced block as one `Fence`."""
    lines = text.replace("\r\n", "\n").split("\n")
    label = ""
    index = 0
    while index < len(lines):
        line = lines[index]
        opening = _FENCE.match(line)
        if opening is None:
            if line.strip():
                label = line.strip()
            yield line
            index += 1
            continue
        end = _closing_line(lines, index + 1, opening.group(1))
        body = lines[index + 1 : end]
        whole = "\n".join(body) + ("\n" if body else "")
        yield Fence(whole, opening.group(2).strip(), label, closed=end < len(lines))
        label = ""
        index = end + 1


def _closing_line(lines: list[str], start: int, mark: str) -> int:
    """Index of the line that closes a fence opened with `mark`, or `len(lines)`."""
    for index in range(start, len(lines)):
        line = lines[index].strip()
        if line and set(line) == {mark[0]} and len(line) >= len(mark):
            return index
    return len(lines)
