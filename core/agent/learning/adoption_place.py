"""Adopted means: this edit came from it. Which claims of adoption name the edit, and whether it is there.

A reader marked nearly every lesson as adopted, for the kernel "does follow them"; all earned credit, and none had
changed a line. So a record names a place, `op_kernel/name.cpp:40-52`: lines that this round changed, or that show the
lesson's code where a design was kept because of it. Models count lines roughly, so a place reaches a few further.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.agent.learning.adoption_check import matching_lines, showing_lines
from core.diff.lines import changed_blocks, lines_of
from core.memory.records import CodeDiff

SLACK = 12  # lines a named place reaches further on both sides
_RANGE = r"(\d{1,7})(?!\d)(?:\s*(?:-|\u2013|to)\s*(\d{1,7})(?!\d))?"
_PLACE = re.compile(
    rf"(op_(?:host|kernel)/[\w./-]+\.(?:cpp|hpp|h))`?(?:\s*:\s*|,?\s+lines?\s+){_RANGE}"
)
# Further lines of the same file, `:40-52, 60 and 71-80`. A number with a word or decimals behind
# it counts or measures something.
_FURTHER = re.compile(
    rf"\s*(?:, and|,|and|&)\s*{_RANGE}(?=\s*(?:[:;,()]|\.(?!\d)|and\b|&|$))"
)
NO_PLACE = "counts as not adopted: it names no file and lines"
NOT_THERE = (
    "counts as not adopted: nothing changed there, nor does the lesson show there"
)


@dataclass(frozen=True)
class Place:
    """Lines of a file, from 1 on, both ends included."""

    path: str
    first: int
    last: int

    def holds(self, path: str, line: int) -> bool:
        """Whether the 0-based `line` of a file is one of them."""
        return path == self.path and self.first <= line + 1 <= self.last


def named_places(rationale: str) -> tuple[Place, ...]:
    """The places a record names."""
    places = []
    for match in _PLACE.finditer(rationale):
        path, first, last = match.groups()
        places.append(_place(path, first, last))
        further = _FURTHER.match(rationale, match.end())
        while further is not None:
            places.append(_place(path, *further.groups()))
            further = _FURTHER.match(rationale, further.end())
    return tuple(places)


def _place(path: str, first: str, last: str | None) -> Place:
    return Place(path, int(first), max(int(first), int(last or first)))


def within_named(
    lines: Iterable[tuple[str, int]], named: Sequence[Place]
) -> tuple[tuple[str, int], ...]:
    """Of lines (path, 0-based) that show an experience's code those a record names.

    All of them where it names no place: a call like the experience's stands in many lines.
    """
    if not named:
        return tuple(lines)
    return tuple(
        (path, line)
        for path, line in lines
        if any(place.holds(path, line) for place in named)
    )


def shown_at(
    rationale: str,
    code: CodeDiff,
    before: Mapping[str, str],
    after: Mapping[str, str],
) -> tuple[tuple[str, int], ...]:
    """The lines (path, 0-based of `after`) that lead to what a record says of an experience.

    In each place it names the first line that shows the code, else the first; where it names none that the
    files have, those of the change. Arguments as of `unfounded`.
    """
    leading = []
    for place in named_places(rationale):
        lines = lines_of(after.get(place.path))
        numbers = range(place.first - 1, min(place.last, len(lines)))
        texts = {number: lines[number] for number in numbers if number >= 0}
        if texts:
            showing = showing_lines(code, texts)
            leading.append((place.path, min(showing or texts)))
    return tuple(leading) or matching_lines(code, before, after)


def unfounded(
    rationale: str,
    code: CodeDiff,
    before: Mapping[str, str],
    after: Mapping[str, str],
) -> str:
    """Why a claim of adoption does not stand, empty when it does.

    Args:
        rationale: What the record says.
        code: The code pair of the experience.
        before: Files of the kernel the round began with, empty at the first round.
        after: Files of the kernel of the round.
    """
    places = named_places(rationale)
    if not places:
        return NO_PLACE
    confirmed = any(
        _is_changed(place, before, after) or _shows(place, code, after)
        for place in places
    )
    return "" if confirmed else NOT_THERE


def _is_changed(
    place: Place, before: Mapping[str, str], after: Mapping[str, str]
) -> bool:
    """Whether a line of the place, or one it reaches, is among those the round changed."""
    old = lines_of(before.get(place.path))
    new = lines_of(after.get(place.path))
    reached = set(_reached(place, new))
    changed: set[int] = set()
    for block in changed_blocks(old, new):
        changed.update(_new_lines(block.new_start, block.new_end))
    return not reached.isdisjoint(changed)


def _new_lines(start: int, end: int) -> range:
    """Lines a change left; where it only took lines out, those beside it."""
    return range(start, end) if start < end else range(start - 1, start + 1)


def _shows(place: Place, code: CodeDiff, after: Mapping[str, str]) -> bool:
    lines = lines_of(after.get(place.path))
    near = {number: lines[number] for number in _reached(place, lines)}
    return bool(near) and bool(showing_lines(code, near))


def _reached(place: Place, lines: tuple[str, ...] | list[str]) -> range:
    """0-based numbers of the lines a place reaches, within the file."""
    return range(max(0, place.first - 1 - SLACK), min(len(lines), place.last + SLACK))
