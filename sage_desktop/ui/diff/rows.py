"""Where the rows of a comparison stand, counted in lines of the screen: a wrapped line takes several."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate


class RowPlaces:
    """Tops and heights of rows.

    Args:
        count: Rows shown.
        heights: Screen lines of each row; None when each takes one.
    """

    def __init__(self, count: int, heights: Sequence[int] | None = None) -> None:
        self._count = count
        self._tops = None if heights is None else [0, *accumulate(heights)]

    @property
    def total(self) -> int:
        """Screen lines of all rows."""
        return self._count if self._tops is None else self._tops[-1]

    def top(self, position: int) -> int:
        """Screen lines above the row."""
        return position if self._tops is None else self._tops[position]

    def height(self, position: int) -> int:
        """Screen lines of the row."""
        return (
            1 if self._tops is None else self._tops[position + 1] - self._tops[position]
        )

    def at(self, line: int) -> int:
        """The row a screen line belongs to; beyond the last row its number."""
        if self._tops is None:
            return max(0, min(line, self._count))
        return max(0, min(bisect_right(self._tops, line) - 1, self._count))
