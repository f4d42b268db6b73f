"""Characters of a line in Qt's counting (UTF-16 units) and in cells of a fixed-width font."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

TAB_COLUMNS = 4


def utf16_offset(line: str, index: int) -> int:
    """Position of the character `index` of `line` in Qt's counting (UTF-16 units)."""
    if line.isascii():
        return index
    return index + sum(character > "\uffff" for character in line[:index])


def character_at(line: str, cursor: int) -> int:
    """Index of the character at a place Qt counts in UTF-16 units."""
    if line.isascii():
        return cursor
    units = line.encode("utf-16-le")[: 2 * cursor]
    return len(units.decode("utf-16-le", "replace"))


def wide_runs(line: str) -> Iterator[tuple[int, int]]:
    """[start, end) of the stretches of characters that take two cells: Chinese, full-width forms."""
    if line.isascii():
        return
    start = None
    for place, character in enumerate(line):
        wide = unicodedata.east_asian_width(character) in "WF"
        if wide and start is None:
            start = place
        elif not wide and start is not None:
            yield start, place
            start = None
    if start is not None:
        yield start, len(line)


# Cached: every line is asked whenever the view is measured.
@lru_cache(maxsize=1 << 14)
def cells(line: str) -> int:
    """Columns a line takes in a fixed-width font: two for a Chinese character, up to four for a tab."""
    line = line.expandtabs(TAB_COLUMNS)
    wide = sum(end - start for start, end in wide_runs(line))
    return len(line) + wide
