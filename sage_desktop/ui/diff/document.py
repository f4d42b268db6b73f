"""What the comparison view shows at a moment: two files, rows or folds, problem marks. No widgets."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import accumulate

from PySide6.QtCore import QCoreApplication

from core.diff.lines import lines_of
from core.diff.moved_lines import Move
from core.diff.side_by_side import (
    FileDiff,
    Fold,
    Row,
    RowKind,
    compare,
    folded,
    inline_rows,
    moves,
)

_tr = partial(QCoreApplication.translate, "DiffDocument")

CONTEXT = 3


@dataclass(frozen=True)
class Mark:
    """A message of a compiler or checker at a line of the newer version.

    Attributes:
        severity: `error`, `hazard`, `warning` or `note`.
        text: The message, one line.
    """

    severity: str
    text: str


@dataclass(frozen=True)
class FileView:
    """One file of two candidates; `marks` are keyed by 0-based line of the newer version.

    `left` is None where the older candidate lacks the file, likewise `right`.
    """

    path: str
    left: str | None
    right: str | None
    marks: Mapping[int, tuple[Mark, ...]] = field(default_factory=dict)


def compared(
    left: str | None, right: str | None, *, ignore_space: bool = False
) -> FileDiff:
    """The comparison of two files, remembered.

    Long files take tens of milliseconds: who reads them in the background asks for it there, and the
    window has it at once.
    """
    return _compared(left, right, ignore_space)


@lru_cache(maxsize=32)
def _moved(left: str | None, right: str | None, ignore_space: bool) -> tuple[Move, ...]:
    comparison = _compared(left, right, ignore_space)
    return moves(comparison, lines_of(left), lines_of(right))


@lru_cache(maxsize=32)
def _compared(left: str | None, right: str | None, ignore_space: bool) -> FileDiff:
    return compare(lines_of(left), lines_of(right), ignore_space=ignore_space)


class DiffDocument:
    """Rows to show for one file under the present view options.

    Args:
        view: The two texts and their marks.
        inline: One column instead of two.
        fold: Hide unchanged lines.
        ignore_space: Lines that differ only in blanks count as equal.
        opened: Folds the user has opened before (see `core.diff.side_by_side.folded`).
        context: Unchanged lines kept visible around every change.
    """

    def __init__(
        self,
        view: FileView,
        *,
        inline: bool = False,
        fold: bool = True,
        ignore_space: bool = False,
        opened: frozenset[int] = frozenset(),
        context: int = CONTEXT,
    ) -> None:
        self.view = view
        self.inline = inline
        self.opened = opened
        self._fold = fold
        self._context = context
        self.left = lines_of(view.left)
        self.right = lines_of(view.right)
        paired = compared(view.left, view.right, ignore_space=ignore_space)
        self.comparison: FileDiff = inline_rows(paired) if inline else paired
        self.added, self.removed = paired.added, paired.removed
        self.moves = _moved(view.left, view.right, ignore_space)
        # By side: a moved line -> where it stands in the other version.
        self._partners: dict[str, dict[int, int]] = {"left": {}, "right": {}}
        for move in self.moves:
            for number in range(move.length):
                old = move.left + number
                new = move.right + number
                self._partners["left"][old] = new
                self._partners["right"][new] = old
        # Rows of the comparison, and folds in place of those that are hidden.
        self.shown: tuple[int | Fold, ...] = ()
        # Positions in `shown` at which a change begins.
        self.changes: tuple[int, ...] = ()
        self._arrange()

    def _arrange(self) -> None:
        """Fold the rows, and find where changes begin among what is left to show."""
        rows, changes = self.comparison.rows, self.comparison.changes
        self.shown = tuple(range(len(rows)))
        if self._fold and changes:
            # A line with a message stays visible, wherever it is.
            marks = self.view.marks
            numbers = range(len(rows))
            marked = frozenset(n for n in numbers if rows[n].right in marks)
            self.shown = folded(
                self.comparison, context=self._context, opened=self.opened, keep=marked
            )
        starts = {start for start, _end in changes}
        entries = enumerate(self.shown)
        self.changes = tuple(position for position, entry in entries if entry in starts)

    def open_fold(self, fold: Fold) -> None:
        """Show the rows of `fold` from now on."""
        self.opened = self.opened | {fold.start}
        self._arrange()

    def entry(self, position: int) -> Row | Fold:
        """What stands at `position` of the shown rows."""
        entry = self.shown[position]
        return entry if isinstance(entry, Fold) else self.comparison.rows[entry]

    def line(self, position: int, side: str) -> int | None:
        """0-based line of `side` (`left` or `right`) at `position`; None for fillers and folds."""
        entry = self.entry(position)
        return None if isinstance(entry, Fold) else entry.line(side)

    def text(self, position: int, side: str) -> str:
        """The line of `side` at `position` itself; empty for fillers and folds."""
        line = self.line(position, side)
        lines = self.left if side == "left" else self.right
        return "" if line is None else lines[line]

    def line_text(self, position: int) -> str:
        """The line at `position` of whichever side has one, the newer first."""
        return self.text(position, "right") or self.text(position, "left")

    def position_of_row(self, row: int) -> int:
        """Where the row `row` of the comparison is shown; opens its fold when it is hidden."""
        while True:
            position = bisect_right(self.shown, row, key=_first_row) - 1
            entry = self.shown[position]
            if not isinstance(entry, Fold):
                return position
            self.open_fold(entry)

    def row_of(self, side: str, line: int) -> int | None:
        """Row of the comparison in which the 0-based `line` of `side` is; None when there is no such line."""
        for number, row in enumerate(self.comparison.rows):
            if row.line(side) == line:
                return number
        return None

    def position_of(self, side: str, line: int) -> int | None:
        """Where the 0-based `line` of `side` is shown, its fold opened; None when there is no such line."""
        row = self.row_of(side, line)
        return None if row is None else self.position_of_row(row)

    def moved(self, side: str, line: int) -> int | None:
        """Where a moved line of `side` stands in the other version; None for lines that were not moved."""
        return self._partners[side].get(line)

    def begins_move(self, side: str, line: int) -> bool:
        """Whether a moved run begins with this line."""
        beginnings = (getattr(move, side) for move in self.moves)
        return line in beginnings

    def marks_at(self, position: int) -> tuple[Mark, ...]:
        """Messages that belong to the row at `position`."""
        line = self.line(position, "right")
        return () if line is None else self.view.marks.get(line, ())

    def describe(self, position: int) -> str:
        """One sentence about a row, for screen readers."""
        entry = self.entry(position)
        if isinstance(entry, Fold):
            hidden = entry.end - entry.start
            return QCoreApplication.translate(
                "DiffDocument", "%n unchanged line(s) hidden", "", hidden
            )
        # Of a removed line the number is that of the older version.
        line = entry.right if entry.right is not None else entry.left or 0
        kinds = {
            RowKind.EQUAL: "",
            RowKind.CHANGED: _tr("changed"),
            RowKind.ADDED: _tr("added"),
            RowKind.REMOVED: _tr("removed"),
        }
        # Lines are counted from 1 on screen.
        words = _tr("line {0} {1}").format(line + 1, kinds[entry.kind])
        code = self.line_text(position)
        marks = "; ".join(mark.text for mark in self.marks_at(position))
        return f"{words.rstrip()}: {code} {marks}".strip()


def _first_row(entry: int | Fold) -> int:
    return entry.start if isinstance(entry, Fold) else entry


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
        if self._tops is None:
            return 1
        return self._tops[position + 1] - self._tops[position]

    def at(self, line: int) -> int:
        """The row a screen line belongs to; beyond the last row its number."""
        if self._tops is None:
            return max(0, min(line, self._count))
        position = bisect_right(self._tops, line) - 1
        return max(0, min(position, self._count))
