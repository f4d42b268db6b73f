"""A comparison with a caret: going to lines and changes, selecting and copying characters, the word meant."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPoint, QPointF
from PySide6.QtGui import QClipboard, QCursor, QGuiApplication

from sage_desktop.ui.diff.engine import Fold, Row
from sage_desktop.ui.diff.scoped import ScopedDiff
from sage_desktop.ui.diff.selection import (
    Caret,
    Selection,
    line_at,
    selected_text,
    side_of,
)
from sage_desktop.ui.diff.words import call_of, word_at


@dataclass(frozen=True, slots=True)
class Spot:
    """What is under a point of the view.

    Attributes:
        position: The row.
        side: Whose line it is.
        line: 0-based line of that side, None in a fold and beside a filler.
        text: The line.
        x: Pixels behind the gutter, as if nothing were scrolled; negative in the gutter.
        y: Pixels below the top of the row.
    """

    position: int
    side: str
    line: int | None
    text: str
    x: float
    y: float


class SelectableDiff(ScopedDiff):
    """Keeps caret and selection; who shows it decides by which keys they move."""

    _placed = False  # whether the user set the caret, by a click or a key

    def next_change(self, step: int) -> None:
        """Go `step` changes forward (negative: back), around the end."""
        changes = self._document.changes
        if not changes:
            return
        if step > 0:
            target = next((c for c in changes if c > self._current), changes[0])
        else:
            target = next(
                (c for c in reversed(changes) if c < self._current), changes[-1]
            )
        self._go_to(target)

    def go_to_line(self, line: int, side: str = "right") -> None:
        """Show the 0-based `line` of a version and set the caret there."""
        row = self._document.row_of(side, line)
        if row is not None:
            position = self._reveal(row)
            self._side = side
            self._go_to(position)

    @property
    def place(self) -> tuple[str, int]:
        """Side and 0-based line of the caret; in a fold its first hidden line."""
        if not self._document.shown:
            return "right", 0
        entry = self._document.entry(self._current)
        row = (
            self._document.comparison.rows[entry.start]
            if isinstance(entry, Fold)
            else entry
        )
        side = side_of(self._document, self._current, self._side)
        line = row.line(side)
        if line is None:
            side = "left" if side == "right" else "right"
            line = row.line(side)
        return side, line or 0

    @property
    def begins(self) -> bool:
        """Whether the caret is where a file is first shown: at its first change, and nobody set it."""
        changes = self._document.changes
        return not self._placed and self._current == (changes[0] if changes else 0)

    @property
    def newer_line(self) -> int:
        """0-based line of the newer version at the caret; the one before it beside a removed line."""
        rows = self._document.comparison.rows
        if not rows:
            return 0
        shown = self._document.shown[self._current]
        end = shown.start if isinstance(shown, Fold) else shown
        return next(
            (row.right for row in reversed(rows[: end + 1]) if row.right is not None), 0
        )

    def other_side(self) -> None:
        """Take the caret to the other version, beside where it is."""
        self._side = "left" if self._side == "right" else "right"
        self._select(Caret(self._current), placed=True)

    def _go_to(self, position: int) -> None:
        entry = self._document.entry(position)
        if isinstance(entry, Row) and entry.right is None:
            self._side = "left"
        elif isinstance(entry, Row) and entry.left is None:
            self._side = "right"
        self._select(Caret(position))
        self._show_caret(margin=True)

    def _select(
        self, caret: Caret, *, extend: bool = False, placed: bool = False
    ) -> None:
        """Set the caret; `extend` keeps where the selection began."""
        self._selection = Selection(self._selection.anchor if extend else caret, caret)
        self._placed = placed
        self.viewport().update()
        self._tell()
        clipboard = QGuiApplication.clipboard()
        if placed and clipboard.supportsSelection() and self.has_selection:
            clipboard.setText(self.selected_text(), QClipboard.Mode.Selection)

    def _show_caret(self, *, margin: bool = False) -> None:
        """Scroll to the caret; with a `margin` not to the very edge of the view."""
        bar, top = self.verticalScrollBar(), self._places.top(self._current)
        first, page = bar.value(), bar.pageStep()
        if margin and not first + 1 <= top < first + page - 2:
            bar.setValue(max(0, top - page // 4))
        elif (
            not margin and not first + 1 <= top < first + page - 1
        ):  # the first row may be under a heading
            bar.setValue(top - 1 if top <= first else top - page + 2)
        box, area = self.caret_box(), self._code_area()
        if box is not None and self._selection.caret.offset:
            sideways, edge = self.horizontalScrollBar(), self._painter.column * 4
            if box.left() < area[0] + 1:
                sideways.setValue(
                    round(sideways.value() - (area[0] - box.left()) - edge)
                )
            elif box.right() > area[0] + area[2] - edge:
                sideways.setValue(
                    round(sideways.value() + box.right() - area[0] - area[2] + edge)
                )
        elif not self._selection.caret.offset:
            self.horizontalScrollBar().setValue(0)

    def _jump_to(self, share: float) -> None:
        self.verticalScrollBar().setValue(
            round(share * self._places.total) - self.verticalScrollBar().pageStep() // 2
        )

    @property
    def has_selection(self) -> bool:
        """Whether characters are selected."""
        return self._selection.anchor != self._selection.caret

    def selected_text(self) -> str:
        """The selected characters; without any, the line of the caret."""
        selection = self._selection
        if not self.has_selection and self._document.shown:
            row = selection.caret.position
            selection = Selection(
                Caret(row), Caret(row, len(line_at(self._document, row, self._side)))
            )
        return selected_text(self._document, self._side, selection)

    def select_all(self) -> None:
        """Select every line of the side in use."""
        last = len(self._document.shown) - 1
        if last >= 0:
            self._select(Caret())
            end = Caret(last, len(line_at(self._document, last, self._side)))
            self._select(end, extend=True, placed=True)

    def copy(self) -> None:
        """Put the selected characters, or else the line of the caret, on the clipboard."""
        QGuiApplication.clipboard().setText(self.selected_text())

    def word(self) -> str:
        """What F1 is about: the word selected, at the caret or under the mouse, else what the line calls."""
        if not self._document.shown:
            return ""
        start, end = self._selection.start, self._selection.end
        text = line_at(self._document, start.position, self._side)
        if self._placed and start.position == end.position:
            selected = text[start.offset : end.offset].strip()
            named = word_at(text, start.offset)
            if named and (not selected or selected in named):
                return named
        pointed = self.viewport().mapFromGlobal(QCursor.pos())
        under = (
            self.word_at(pointed) if self.viewport().rect().contains(pointed) else ""
        )
        return under or call_of(line_at(self._document, self._current, self._side))

    def word_at(self, point: QPoint) -> str:
        """The name at a point of the viewport, empty when none is there."""
        spot = self._spot(QPointF(point))
        if spot is None or spot.line is None or spot.x < 0:
            return ""
        index = self._painter.character_at(
            spot.side, spot.line, spot.text, spot.x, spot.y
        )
        return word_at(spot.text, index)

    def _position_at(self, y: float) -> int | None:
        line = self.verticalScrollBar().value() + int(y // self._painter.row_height)
        return self._places.at(line) if 0 <= line < self._places.total else None

    def _spot(self, point: QPointF, side: str = "") -> Spot | None:
        """What is at a point, None below the last row; `side` reads that side wherever the point is."""
        position = self._position_at(point.y())
        if position is None:
            return None
        document = self._document
        pointed = "left" if point.x() < self.viewport().width() / 2 else "right"
        side = side_of(document, position, side or pointed)
        line, text = document.line(position, side), document.text(position, side)
        shift = self.horizontalScrollBar().value()
        behind = point.x() - self._pane(side)[0] - self._gutter(side)
        above = (
            self._places.top(position) - self.verticalScrollBar().value()
        ) * self._painter.row_height
        return Spot(
            position,
            side,
            line,
            text,
            behind if behind < 0 else behind + shift,
            point.y() - above,
        )

    def _caret_at(self, spot: Spot) -> Caret:
        """The caret a press at `spot` sets."""
        if spot.line is None:
            return Caret(spot.position)
        offset = self._painter.gap_at(
            spot.side, spot.line, spot.text, max(0.0, spot.x), spot.y
        )
        return Caret(spot.position, offset)
